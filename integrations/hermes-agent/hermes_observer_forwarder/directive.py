"""From what policy decided to what the agent is told."""

from __future__ import annotations

from . import host
from .exact import same

_LONGEST_MESSAGE = 4000


class UnfitError(ValueError):
    """The decision cannot be carried out here. `kind` is that of the block that takes its place."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind


def directive_of(answer: dict, given: object, shown: object) -> dict | None:
    """What the callback returns. `given`: the arguments as policy was asked about them; `shown`: the agent's own, which are made
    to be exactly the decided ones. Raises UnfitError.
    """
    decision = answer.get("decision")
    if decision == "block":
        kind = answer.get("kind")
        return block(kind if type(kind) is str else "denied", _text(answer.get("reason")) or "no reason was given")
    decided = answer.get("args")
    if decision not in ("allow", "approve") or type(decided) is not dict:
        raise UnfitError("hook_error", "the service answered what this plugin does not know")
    is_changed = not same(given, decided)
    if decision == "approve":
        if is_changed or not host.asks_people():
            raise UnfitError("config_error", "a person has to approve it, whom this agent cannot ask about what would run")
        rule = _text(answer.get("ruleKey"))
        return {"action": "approve", "message": _text(answer.get("reason")), **({"rule_key": rule} if rule else {})}
    if is_changed and not host.runs_what_it_shows():
        raise UnfitError("config_error", "policy changed its arguments, which this agent cannot be told")
    return _run(shown, decided)


def _run(shown: object, decided: dict) -> dict | None:
    """An agent that merges what is returned cannot be told to leave a name out, so that is left out of what it shows, which is
    what it merges into. The decided arguments are nobody else's, so nobody can change them later.
    """
    if type(shown) is dict:
        if host.takes_changes():
            for name in [name for name in shown if name not in decided]:
                del shown[name]
        elif not same(shown, decided):
            shown.clear()
            shown.update(decided)
    return {"action": "modify", "args": decided} if decided and host.takes_changes() else None


def block(kind: str, reason: str) -> dict:
    """What the model gets to read says which kind of block it is: not every one is a no."""
    return {"action": "block", "message": f"Blocked by policy ({kind[:64]}): {reason}"[:_LONGEST_MESSAGE]}


def _text(value: object) -> str:
    return value.strip() if type(value) is str else ""
