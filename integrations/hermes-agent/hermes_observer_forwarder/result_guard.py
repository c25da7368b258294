"""The callback of `transform_tool_result` when policy is on: what the model gets to read of a call is put to policy first."""

from __future__ import annotations

import json
from collections.abc import Callable

from .asker import UnreachableError
from .conversation import LateError, RefusedQuestionError
from .plain import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .guard import Guard

RESULTS = "transform_tool_result"
_LONGEST = 15_728_640
_IDS = ("session_id", "task_id", "turn_id", "api_request_id", "tool_call_id", "tool_name", "status", "error_type", "duration_ms")


def result_callback(guard: "Guard", observe: Callable[..., None]) -> Callable[..., str | None]:
    """A text takes the place of the result; None leaves it. The call has run, so all that can be refused is to tell of it."""

    def screened(**arguments: object) -> str | None:
        try:
            observe(**arguments)
            return _screen(guard, arguments)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return _withheld("hook_error", f"the plugin failed ({type(error).__name__})")

    screened.__name__ = screened.__qualname__ = f"hermes_observer_{RESULTS}"
    return screened


def _screen(guard: "Guard", arguments: dict) -> str | None:
    result = arguments.get("result")
    try:
        question = _question(arguments)
        if len(question) > _LONGEST:
            return _withheld("hook_error", "it is longer than 15 MiB")
        answer = guard.ask(RESULTS, question)
    except UnreachableError as error:
        if guard.allows_unasked:
            return None
        return _withheld("hook_timeout" if error.is_late else "hook_error", "policy could not be asked")
    except LateError:
        return _withheld("hook_timeout", "policy has not decided in time")
    except RefusedQuestionError as error:
        return _withheld("hook_error", f"the service cannot decide on it ({error})")
    if "by" not in answer:  # Nobody changed it.
        return None
    value = answer.get("value")
    if type(value) is not str:
        return _withheld("hook_error", "the service answered what this plugin does not know")
    return None if value == result else value


def _question(arguments: dict) -> bytes:
    """Unlike arguments, a result need not be told exactly: what policy leaves alone stays what it was."""
    payload = {name: plain(arguments[name]) for name in _IDS if arguments.get(name) is not None}
    result = arguments.get("result")
    payload["result"] = result if type(result) is str else plain(result)
    text = json.dumps(payload, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")


def _withheld(kind: str, reason: str) -> str:
    text = f"The result is withheld by policy ({kind}): {reason}. The call has run; do not run it again to see it."
    return json.dumps({"error": text})
