"""What the model gets to read of a call is what policy leaves of it."""

import json
import time

import pytest
from policy_double import PolicyService, pretend_host

from hermes_observer_forwarder.result_guard import RESULTS


@pytest.fixture(params=["block", "allow"])
def setting(request, monkeypatch):
    monkeypatch.setenv("HERMES_OBSERVER_POLICY", "on")
    monkeypatch.setenv("HERMES_OBSERVER_POLICY_UNREACHABLE", request.param)
    monkeypatch.setenv("HERMES_OBSERVER_POLICY_TIMEOUT", "1")
    pretend_host(monkeypatch)
    return request.param


@pytest.fixture
def policy(socket_path, setting):
    service = PolicyService(socket_path)
    yield service
    service.close()


def result(context, value="a secret"):
    ids = {"session_id": "s", "task_id": "s", "turn_id": "t", "tool_call_id": "c", "api_request_id": "r"}
    [callback] = context.hooks[RESULTS]
    return callback(tool_name="terminal", args={"command": "ls"}, result=value, status="ok", duration_ms=3, **ids)


def test_a_result_is_left_or_replaced(policy, plugged):
    context = plugged()
    assert result(context) is None
    assert policy.questions[0]["hook"] == RESULTS
    assert policy.questions[0]["payload"] == {
        **{"session_id": "s", "task_id": "s", "turn_id": "t", "tool_call_id": "c", "api_request_id": "r"},
        **{"tool_name": "terminal", "status": "ok", "duration_ms": 3, "result": "a secret"},
    }
    policy.decide = lambda question: {"value": "[masked]", "by": "p", "policy": "p"}
    assert result(context) == "[masked]"
    policy.decide = lambda question: {"value": "", "by": "p", "policy": "p"}
    assert result(context) == ""


@pytest.mark.parametrize("value", ["\ud800", {"_multimodal": True, "content": [{"n": float("nan")}, object()]}, None, 7, b"x"])
def test_a_result_of_any_kind_is_asked_about(policy, plugged, value):
    assert result(plugged(), value) is None
    assert len(policy.questions) == 1


@pytest.mark.parametrize("mode", ["mute", "garbage", "slam"])
def test_without_an_answer_it_is_withheld_or_left_as_set(policy, plugged, setting, mode):
    policy.mode = mode
    began = time.monotonic()
    said = result(plugged())
    assert time.monotonic() - began < 1.5
    if setting == "allow":
        assert said is None
    else:
        assert "withheld by policy" in json.loads(said)["error"]


@pytest.mark.parametrize("mode, decide", [("busy", None), ("error", None), ("ok", lambda q: {"value": 7, "by": "p", "policy": "p"})])
def test_a_service_that_is_there_and_does_not_decide_withholds_it_whatever_the_setting(policy, plugged, mode, decide):
    policy.mode = mode
    policy.decide = decide or policy.decide
    assert "withheld by policy" in result(plugged())


def test_a_service_without_a_policy_is_none(policy, plugged, setting):
    policy.decide = lambda question: {"value": question["payload"]["result"]}
    said = result(plugged())
    assert (said is None) == (setting == "allow")


def test_without_policy_nothing_is_asked(socket_path, plugged):
    service = PolicyService(socket_path)
    assert result(plugged()) is None
    assert service.questions == []
    service.close()
