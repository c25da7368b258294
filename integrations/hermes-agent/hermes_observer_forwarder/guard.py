"""The callback of `pre_tool_call` when policy is on: records the call as ever, asks the service, and tells the agent what it
decided. Whatever goes wrong, it answers: agents before 0.21 run a call whose callback raises.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable

from . import host
from .aftermath import Aftermath
from .asker import Asker, UnreachableError
from .children import Children
from .conversation import LateError, RefusedQuestionError
from .directive import UnfitError, block, directive_of
from .exact import InexactError, exact_json
from .result_guard import RESULTS, result_callback

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .sender import Sender

HOOK = "pre_tool_call"
DECISION = "observer_policy_decision"
GATE = "hermes-observer-forwarder"
_IDS = ("session_id", "task_id", "turn_id", "api_request_id", "tool_call_id")
_LONGEST_ID = 1024
_LONGEST_QUESTION = 16_777_216 - 4096
"""Bytes; the service takes no longer line."""

_NOT_A_REFUSAL = (
    "This is a fault of the setup and not a decision about the call. Do not try to do the same in another way; say that policy "
    "could not be asked."
)
_NOT_IN_TIME = "policy has not decided in time. Nobody agreed to this call, and nobody refused it: ask the user."


class _Call:
    """One call of the hook."""

    def __init__(self, arguments: dict, profile: str | None) -> None:
        self.begin = time.monotonic()
        self.tool = arguments.get("tool_name")
        self.args = arguments.get("args")
        self.profile = profile
        self.ids = {name: arguments[name] for name in _IDS if _is_id(arguments.get(name))}


class Guard:
    """What the callbacks of all profiles of a sender share."""

    def __init__(self, sender: "Sender") -> None:
        self._sender = sender
        self._settings = sender.settings
        self.allows_unasked = sender.settings.policy_unreachable == "allow"
        self.asker = Asker(sender.settings)
        self.children = Children()
        self._aftermath = Aftermath()
        self._is_lost = False

    def callback(self, observe: Callable[..., None], profile: str | None) -> Callable[..., dict | None]:
        """The callback: `observe` first, so that the call is recorded whatever becomes of it."""

        def guarded(**arguments: object) -> dict | None:
            try:
                observe(**arguments)
                return self._decide(_Call(arguments, profile))
            except KeyboardInterrupt:  # The user's, meant for the agent, which ends its turn.
                raise
            except BaseException as error:
                return block("hook_error", f"the plugin failed ({type(error).__name__}). {_NOT_A_REFUSAL}")

        guarded.__name__ = guarded.__qualname__ = "hermes_observer_policy"
        return guarded

    def watch(self, hook: str, observe: Callable[..., None], profile: str | None) -> Callable[..., str | None]:
        """The callback of another hook, of which something is learned first."""
        if hook == RESULTS:
            return result_callback(self, observe)
        look = {"subagent_start": self._child, "post_tool_call": self._ended}.get(hook)
        if look is None:
            return observe

        def watched(**arguments: object) -> None:
            try:
                look(arguments, profile)
            except Exception:
                pass
            observe(**arguments)

        watched.__name__ = watched.__qualname__ = f"hermes_observer_{hook}"
        return watched

    def _child(self, arguments: dict, _: str | None) -> None:
        self.children.started(arguments)

    def _ended(self, arguments: dict, profile: str | None) -> None:
        call = _Call(arguments, profile)
        if self._aftermath.is_other(call.ids, arguments.get("status"), call.args):
            # Before the end of the call is recorded, behind which it would have no place.
            self._record(call, "modify", "modified")
            import logging

            text = "hermes-observer: %s ran with other arguments than policy decided on: another plugin changed them"
            logging.getLogger("hermes_observer").warning(text, call.tool)

    def ask(self, hook: str, question: bytes) -> dict:
        """The service's answer. Raises what `Asker.ask` does, also for a service without a policy."""
        try:
            answer = self.asker.ask(hook, question, host.seconds_for_answer(self._settings.policy_timeout))
            # Where nobody objects, nobody has decided either, unless the service says that it has a policy.
            is_left = answer.get("by") == [] and answer.get("decision") == "allow" if hook == HOOK else "by" not in answer
            if is_left and type(answer.get("policy")) is not str:
                raise UnreachableError("the service has no policy")
        except UnreachableError as error:
            self._found(False, str(error))
            raise
        self._found(True)
        return answer

    def _decide(self, call: _Call) -> dict | None:
        try:
            question, given = self._question(call)
            # A decision that the service records before the call it is about would have no place in the trace.
            self._sender.depart()
            answer = self.ask(HOOK, question)
            directive = directive_of(answer, given, call.args)
            if answer.get("decision") != "block":
                self._aftermath.decided(call.ids, answer["args"])
            return directive
        except UnreachableError as error:
            kind = "hook_timeout" if error.is_late else "hook_error"
            if self.allows_unasked:
                self._record(call, "allow", kind)
                return None
            return self._refuse(call, kind, f"policy could not be asked. {_NOT_A_REFUSAL}")
        except InexactError as error:
            return self._refuse(call, "hook_error", f"its arguments cannot be put to policy exactly: {error}")
        except LateError:
            return self._refuse(call, "hook_timeout", _NOT_IN_TIME)
        except RefusedQuestionError as error:
            return self._refuse(call, "hook_error", f"the service cannot decide on it ({error})")
        except UnfitError as error:
            return self._refuse(call, error.kind, str(error))

    def _question(self, call: _Call) -> tuple[bytes, object]:
        """The payload as JSON, and the arguments as they stand in it."""
        if type(call.tool) is not str or not call.tool:
            raise InexactError("a tool without a name")
        args = {} if call.args is None else call.args
        if type(args) is not dict:
            raise InexactError("no set of names and values")
        about = self.children.about(call.ids.get("session_id"), call.ids.get("task_id"))
        profile = {} if call.profile is None else {"profile": call.profile}
        head = exact_json({**call.ids, **about, **profile, "tool_name": call.tool})
        body = exact_json(args)
        if len(head) + len(body) > _LONGEST_QUESTION:
            raise InexactError("more than 16 MiB")
        return head[:-1] + b',"args":' + body + b"}", json.loads(body)

    def _refuse(self, call: _Call, kind: str, reason: str) -> dict:
        self._record(call, "deny", kind)
        return block(kind, reason)

    def _record(self, call: _Call, outcome: str, kind: str) -> None:
        """What was decided here, where the service could not or was not understood."""
        payload = {
            **{name: value for name, value in call.ids.items() if name != "api_request_id"},
            "gate": GATE,
            "outcome": outcome,
            "kind": kind,
            "on_error": self._settings.policy_unreachable,
            "duration_ms": int((time.monotonic() - call.begin) * 1000),
        }
        self._sender.add_own(DECISION, call.profile, payload)

    def _found(self, is_there: bool, reason: str = "") -> None:
        """One line in the agent's log when the service is lost, and when it is back."""
        if self._is_lost != is_there:
            return
        self._is_lost = not is_there
        import logging

        log = logging.getLogger("hermes_observer")
        if is_there:
            log.warning("hermes-observer: policy is asked again")
        else:
            what = "runs without it" if self.allows_unasked else "is blocked"
            log.warning("hermes-observer: policy cannot be asked (%s): every tool call %s", reason, what)

    def after_fork(self) -> None:
        self.asker.close()
        self.asker = Asker(self._settings)
        self.children.reset_after_fork()


def refuse_all(**_: object) -> dict:
    """The callback of a plugin that was to ask and could not be set up."""
    return block("config_error", f"the plugin of policy could not be set up; see the agent's log. {_NOT_A_REFUSAL}")


def _is_id(value: object) -> bool:
    return type(value) is str and 0 < len(value) <= _LONGEST_ID
