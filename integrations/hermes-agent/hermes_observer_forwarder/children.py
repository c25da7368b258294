"""Which agent a call is of: children say whose they are when they start, and never again."""

from __future__ import annotations

import threading

_MOST = 8192
_FIELDS = ("parent_session_id", "parent_turn_id", "parent_subagent_id", "parent_tool_call_id", "child_session_id", "child_subagent_id")
_LONGEST = 1024
_DEEPEST = 32


class Children:
    """Started children by session and by id. The oldest go when there are too many."""

    def __init__(self) -> None:
        self._starts: dict[str, dict] = {}
        self._changing = threading.Lock()

    def started(self, arguments: dict) -> None:
        """Takes the arguments of `subagent_start`."""
        start = {name: arguments[name] for name in (*_FIELDS, "child_role") if _is_id(arguments.get(name))}
        with self._changing:
            for name in ("child_session_id", "child_subagent_id"):
                if name in start:
                    self._starts.pop(start[name], None)
                    self._starts[start[name]] = start
            while len(self._starts) > _MOST:
                del self._starts[next(iter(self._starts))]

    def about(self, session_id: object, task_id: object) -> dict:
        """What a question says of the child whose call it is: ids of its parents, and `child_roles`, innermost first. No roles
        where one is not known; `[]` for the agent itself.
        """
        start = self._find(task_id) or self._find(session_id)
        if start is None:
            # Ids of children look like this; one that started before the plugin was loaded is none of the agent's own calls.
            return {} if isinstance(task_id, str) and task_id.startswith("sa-") else {"child_roles": []}
        about = {name: start[name] for name in _FIELDS if name in start}
        roles: list[str] = []
        above: dict | None = start
        while above is not None and len(roles) < _DEEPEST:
            if "child_role" not in above:
                return about
            roles.append(above["child_role"])
            above = self._find(above.get("parent_subagent_id")) or self._find(above.get("parent_session_id"))
        return {**about, "child_roles": roles}

    def _find(self, key: object) -> dict | None:
        return self._starts.get(key) if isinstance(key, str) else None

    def reset_after_fork(self) -> None:
        self._changing = threading.Lock()


def _is_id(value: object) -> bool:
    return type(value) is str and 0 < len(value) <= _LONGEST
