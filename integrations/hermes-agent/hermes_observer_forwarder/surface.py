"""What the process is, as far as its command line and environment tell."""

from __future__ import annotations

import os
import sys

_ONE_QUESTION = ("-q", "--query", "-z", "--oneshot")


def is_one_shot() -> bool:
    """The process answers one question and may then leave without running its exit handlers."""
    if os.environ.get("HERMES_SINGLE_QUERY_SESSION") or os.environ.get("HERMES_KANBAN_TASK"):
        return True
    for argument in getattr(sys, "argv", [])[1:]:
        if argument in _ONE_QUESTION or argument.startswith(("--query=", "--oneshot=")):
            return True
    return False


def surface() -> str:
    """A word for the service to show; "" when nothing tells."""
    argv = [str(argument) for argument in getattr(sys, "argv", [])]
    program = os.path.basename(argv[0]) if argv else ""
    words = {argument for argument in argv[1:4] if not argument.startswith("-")}
    if is_one_shot():
        return "cli-oneshot"
    if "tui_gateway" in (argv[0] if argv else "") or "tui_gateway.entry" in sys.modules:
        return "tui"
    for word in ("gateway", "acp", "cron", "serve", "dashboard"):
        if word in words:
            return word
    return "cli-interactive" if "hermes" in program or words & {"chat"} else ""
