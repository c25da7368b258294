"""What the process is, as far as its command line and environment tell."""

from __future__ import annotations

import os
import sys

_ONE_QUESTION = frozenset({"-q", "--query", "-z", "--oneshot"})
_ONE_QUESTION_MARKS = ("HERMES_SINGLE_QUERY_SESSION", "HERMES_KANBAN_TASK")

# Reading a variable that is not set raises and catches an error inside; the dict below does not. It is the interpreter's own
# business, so without it the usual way is taken.
_variables = getattr(os.environ, "_data", None)
_encode = getattr(os.environ, "encodekey", None)
_known_arguments: object = None
_known_length = 0
_is_asked = False


def _is_marked() -> bool:
    if type(_variables) is dict and _encode is not None:
        return any([_variables.get(key) for key in _keys])
    return any(os.environ.get(name) for name in _ONE_QUESTION_MARKS)


_keys = tuple(_encode(name) for name in _ONE_QUESTION_MARKS) if _encode is not None else ()


def is_one_shot() -> bool:
    """The process answers one question and may then leave without running its exit handlers."""
    if _is_marked():
        return True
    global _known_arguments, _known_length, _is_asked
    arguments = getattr(sys, "argv", ())
    if arguments is not _known_arguments or len(arguments) != _known_length:
        _is_asked = any(
            argument in _ONE_QUESTION or argument.startswith(("--query=", "--oneshot=")) for argument in arguments[1:]
        )
        _known_arguments, _known_length = arguments, len(arguments)
    return _is_asked


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
