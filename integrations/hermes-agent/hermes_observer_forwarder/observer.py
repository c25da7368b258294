"""The callbacks. Each takes a picture of its arguments, appends it to the queue, and returns None; it never raises."""

from __future__ import annotations

import time
from collections.abc import Callable

from .hooks import LAST_HOOKS
from .projection import RECORD_BYTES, keeps_content, with_content, without_content
from .surface import is_one_shot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .sender import Sender


class Leaving:
    """Whether the process may be gone right after a callback, so that the callback has to wait for the hand-over."""

    def __init__(self) -> None:
        self.is_shutting_down = False

    def after(self, hook: str, payload: dict) -> bool:
        if hook == "on_session_finalize" and payload.get("reason") == "shutdown":
            self.is_shutting_down = True
        return is_one_shot() or (self.is_shutting_down and hook == "on_session_finalize")


def observer(hook: str, sender: "Sender", profile: str | None, leaving: Leaving) -> Callable[..., None]:
    """The callback of one hook of one profile."""
    if keeps_content(sender.settings.capture):
        observe = _with_content(hook, sender, profile, leaving)
    else:
        observe = _without_content(hook, sender, profile, leaving)
    observe.__name__ = observe.__qualname__ = f"hermes_observer_{hook}"
    return observe


def _without_content(hook: str, sender: "Sender", profile: str | None, leaving: Leaving) -> Callable[..., None]:
    intake = sender.intake
    entries = intake.entries
    append = entries.append
    # Without content all records are about as long, so one number bounds both.
    most = min(intake.most_records, intake.most_bytes // RECORD_BYTES)
    project = without_content(hook)
    now = time.time_ns
    may_be_last = hook in LAST_HOOKS

    def observe(**arguments: object) -> None:
        try:
            when = now()
            if len(entries) >= most:
                intake.refuse("queue_full")
                return
            append((hook, when, profile, project(arguments)))
            if not sender.is_running:
                sender.wake()
            if (may_be_last or leaving.is_shutting_down) and leaving.after(hook, arguments):
                sender.hand_over()
        except KeyboardInterrupt:  # The user's, meant for the agent.
            raise
        except BaseException:
            intake.refuse("unencodable")

    return observe


def _with_content(hook: str, sender: "Sender", profile: str | None, leaving: Leaving) -> Callable[..., None]:
    intake = sender.intake
    entries = intake.entries
    append = entries.append
    most_records, most_bytes = intake.most_records, intake.most_bytes
    project = with_content(hook, sender.settings.capture)
    now = time.time_ns
    may_be_last = hook in LAST_HOOKS

    def observe(**arguments: object) -> None:
        try:
            when = now()
            if len(entries) >= most_records or intake.bytes > most_bytes:
                intake.refuse("queue_full")
                return
            payload, size = project(arguments)
            append((hook, when, profile, payload))
            intake.bytes += size
            if not sender.is_running:
                sender.wake()
            if (may_be_last or leaving.is_shutting_down) and leaving.after(hook, payload):
                sender.hand_over()
        except KeyboardInterrupt:
            raise
        except BaseException:
            intake.refuse("unencodable")

    return observe
