"""Whether what ran is what was decided: an agent lets other plugins change arguments after they were asked about."""

from __future__ import annotations

import hashlib
import json

_MOST = 4096


class Aftermath:
    """Decided calls that have not ended. The oldest are forgotten when there are too many."""

    def __init__(self) -> None:
        self._decided: dict[tuple[str, str], bytes] = {}

    def decided(self, ids: dict, args: object) -> None:
        """A call may run with these arguments. Calls without an id of their own cannot be told apart, and are not looked at."""
        call_id = ids.get("tool_call_id")
        if call_id is None:
            return
        while len(self._decided) >= _MOST:
            try:
                self._decided.pop(next(iter(self._decided)), None)
            except (StopIteration, RuntimeError):  # Another thread did.
                break
        self._decided[ids.get("turn_id", ""), call_id] = _digest(args)

    def is_other(self, ids: dict, status: object, args: object) -> bool:
        """A call has ended: did it run with other arguments? What the agent does to their types on the way to a tool is no change."""
        decided = self._decided.pop((ids.get("turn_id", ""), ids.get("tool_call_id", "")), None)
        return decided is not None and status != "blocked" and type(args) is dict and decided != _digest(args)


def _digest(value: object) -> bytes:
    return hashlib.sha256(json.dumps(_loose(value), sort_keys=True).encode()).digest()


def _loose(value: object) -> object:
    if isinstance(value, dict):
        return {str(name): _loose(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_loose(part) for part in value]
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = str(value).strip()
    if text[:1] in ("[", "{"):
        try:
            return _loose(json.loads(text))
        except (ValueError, RecursionError):
            return text
    return text.lower() if text.lower() in ("true", "false", "none", "null") else text
