"""What policy decides is what the agent does, and nothing else."""

import json
import sys
import threading
import time

import pytest
from doubles import wait_for
from policy_double import Host, PolicyService, allow, deny, pretend_host

from hermes_observer_forwarder.exact import InexactError, exact_json, same


@pytest.fixture
def policy(socket_path, monkeypatch):
    monkeypatch.setenv("HERMES_OBSERVER_POLICY", "on")
    monkeypatch.setenv("HERMES_OBSERVER_POLICY_TIMEOUT", "5")
    service = PolicyService(socket_path)
    yield service
    service.close()


@pytest.fixture(params=["merges", "shows"])
def host(request, policy, plugged, monkeypatch):
    """An agent of either kind: one merges what is returned (0.21 and later), one only runs what it showed (0.19, 0.20)."""
    pretend_host(monkeypatch, merges=request.param == "merges")
    return Host(plugged(), merges=request.param == "merges")


def changed_to(args):
    return lambda question: {"decision": "allow", "args": args, "by": ["p"]}


def test_without_the_setting_nothing_is_asked_and_the_callback_is_the_old_one(socket_path, plugged):
    service = PolicyService(socket_path, deny)
    context = plugged()
    assert Host(context).run({"command": "ls"}) == (None, {"command": "ls"})
    assert context.hooks["pre_tool_call"][0].__name__ == "hermes_observer_pre_tool_call"
    assert wait_for(lambda: service.records)
    assert service.questions == []
    assert not any("policy" in record["payload"] for record in service.records)
    service.close()


def test_a_call_that_is_allowed_runs_as_it_was(host, policy):
    assert host.run({"command": "ls", "n": 1.0, "deep": {"a": [None, True]}}) == (
        None,
        {"command": "ls", "n": 1.0, "deep": {"a": [None, True]}},
    )
    [question] = policy.questions
    assert question["payload"] == {
        **{"session_id": "s", "task_id": "s", "turn_id": "t", "api_request_id": "r", "tool_call_id": "c"},
        **{"child_roles": [], "profile": "default", "tool_name": "terminal"},
        "args": {"command": "ls", "n": 1, "deep": {"a": [None, True]}},
    }
    assert 3000 < question["deadline_ms"] < 5000


def test_the_model_gets_to_read_why_it_is_blocked(host, policy):
    policy.decide = deny
    assert host.run({"command": "ls"}) == ("Blocked by policy (denied): not on a Friday", None)


@pytest.mark.parametrize("kind", ["expired", "pending", "outcome_unknown"])
def test_silence_is_told_apart_from_a_no(host, policy, kind):
    policy.decide = lambda question: {"decision": "block", "args": {}, "reason": "nobody answered", "kind": kind, "by": ["p"]}
    assert host.run({}) == (f"Blocked by policy ({kind}): nobody answered", None)


@pytest.mark.parametrize(
    "decided",
    [
        {"command": "ls -l"},
        {"command": "ls", "force": False},
        {},
        {"command": "ls", "options": {"deep": {"b": 2}}},
        {"command": "ls", "options": {"deep": {"a": True}}},
        {"command": ["ls"]},
        {"other": 1},
    ],
)
def test_what_runs_is_exactly_what_was_decided(host, policy, decided):
    """Merging alone would leave names that policy took out, and the old value of what is nested."""
    policy.decide = changed_to(decided)
    message, runs = host.run({"command": "ls", "force": True, "options": {"deep": {"a": 1}}})
    assert message is None
    assert same(runs, decided)


def test_nobody_can_change_afterwards_what_was_decided(policy, plugged, monkeypatch):
    pretend_host(monkeypatch)
    args = {"to": {"account": "a"}, "list": [1]}
    message, runs = Host(plugged()).run(args)
    args["to"]["account"] = "attacker"
    args["list"].append(2)
    assert (message, runs) == (None, {"to": {"account": "a"}, "list": [1]})


def test_arguments_that_are_changed_while_policy_thinks_do_not_run(host, policy):
    args = {"command": "ls", "at": {"path": "a"}}

    def decide(question):
        args["command"] = "rm -rf /"
        args["at"]["path"] = "b"
        args["new"] = 1
        return allow(question)

    policy.decide = decide
    message, runs = host.run(args)
    assert (message, runs) == (None, {"command": "ls", "at": {"path": "a"}})


def test_another_plugins_change_of_the_same_argument_does_not_win_over_the_decision(policy, plugged, monkeypatch):
    pretend_host(monkeypatch)
    context = plugged()
    context.hooks["pre_tool_call"].insert(0, lambda **_: {"action": "modify", "args": {"command": "rm -rf /"}})
    assert Host(context).run({"command": "ls"}) == (None, {"command": "ls"})


@pytest.mark.parametrize(
    "ran, is_told",
    [
        ({"command": "ls", "n": 5}, False),
        ({"command": "ls", "n": "5"}, False),
        ({"n": 5.0, "command": "ls"}, False),
        ({"command": "rm -rf /", "n": 5}, True),
        ({"command": "ls", "n": 5, "more": 1}, True),
        ({"command": "ls"}, True),
    ],
)
def test_what_another_plugin_made_run_after_the_decision_is_told(policy, plugged, monkeypatch, caplog, ran, is_told):
    pretend_host(monkeypatch)
    context = plugged()
    Host(context).run({"command": "ls", "n": 5})
    ids = {"session_id": "s", "turn_id": "t", "tool_call_id": "c", "tool_name": "terminal"}
    context.call("post_tool_call", **ids, args=ran, status="ok", result="")
    assert wait_for(lambda: [record for record in policy.records if record["hook"] == "post_tool_call"])
    told = [record["payload"] for record in policy.records if record["hook"] == "observer_policy_decision"]
    assert bool(told) == is_told == ("other arguments" in caplog.text)
    if is_told:
        assert (told[0]["outcome"], told[0]["kind"], told[0]["tool_call_id"]) == ("modify", "modified", "c")
        hooks = [record["hook"] for record in policy.records]
        assert hooks.index("observer_policy_decision") < hooks.index("post_tool_call")
    # Once, and of no call that was blocked.
    context.call("post_tool_call", **ids, args={"x": 1}, status="ok", result="")
    policy.decide = deny
    Host(context).run({"command": "ls"}, tool_call_id="d")
    context.call("post_tool_call", **{**ids, "tool_call_id": "d"}, args={}, status="blocked", result="")
    time.sleep(0.1)
    assert len([record for record in policy.records if record["hook"] == "observer_policy_decision"]) == len(told)


def test_an_agent_that_is_not_known_runs_nothing_that_was_changed(policy, plugged, monkeypatch):
    monkeypatch.delitem(sys.modules, "hermes_cli.plugins", raising=False)
    host = Host(plugged(), merges=False)
    assert host.run({"command": "ls"}) == (None, {"command": "ls"})
    policy.decide = changed_to({"command": "ls -l"})
    assert "cannot be told" in host.run({"command": "ls"})[0]


def test_approve_is_passed_on_only_if_the_service_says_so(host, policy):
    policy.decide = lambda question: {**allow(question), "decision": "approve", "reason": "sure?", "ruleKey": "ls"}
    assert host.run({"command": "ls"}) == (None, {"command": "ls"})
    assert host.approval == {"action": "approve", "message": "sure?", "rule_key": "ls"}
    policy.decide = lambda question: {"decision": "approve", "args": {"command": "other"}, "by": ["p"]}
    assert "cannot ask" in host.run({"command": "ls"})[0]


def test_an_agent_that_does_not_know_approve_blocks(policy, plugged, monkeypatch):
    pretend_host(monkeypatch, approves=False)
    policy.decide = lambda question: {**allow(question), "decision": "approve"}
    assert "cannot ask" in Host(plugged()).run({"command": "ls"})[0]


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"decision": "defer", "args": {}, "by": ["p"]},
        {"decision": ["allow"], "args": {}, "by": ["p"]},
        {"decision": "allow", "by": ["p"]},
        {"decision": "allow", "args": None, "by": ["p"]},
        {"decision": "allow", "args": [], "by": ["p"]},
        {"decision": "ALLOW", "args": {}, "by": ["p"]},
        {"decision": "block"},
        {"decision": "block", "reason": 7, "kind": {}},
    ],
)
def test_an_answer_of_another_shape_blocks_whatever_the_setting(policy, plugged, monkeypatch, answer):
    monkeypatch.setenv("HERMES_OBSERVER_POLICY_UNREACHABLE", "allow")
    pretend_host(monkeypatch)
    policy.decide = lambda question: answer
    message, runs = Host(plugged()).run({"command": "ls"})
    assert message.startswith("Blocked by policy (")
    assert runs is None


def test_a_service_without_a_policy_is_not_taken_for_one_that_allows(host, policy):
    policy.decide = lambda question: {"decision": "allow", "args": question["payload"]["args"], "by": []}
    assert "could not be asked" in host.run({"command": "ls"})[0]
    policy.decide = lambda question: {"decision": "allow", "args": question["payload"]["args"], "by": [], "policy": "mine"}
    assert host.run({"command": "ls"}) == (None, {"command": "ls"})


@pytest.mark.parametrize(
    "args, what",
    [
        ({"n": 2**53}, "53 bits"),
        ({"n": -(10**30)}, "53 bits"),
        ({"n": float("nan")}, "not finite"),
        ({"n": float("inf")}, "not finite"),
        ({"n": b"x"}, "type bytes"),
        ({"n": object()}, "type object"),
        ({1: 2}, "no text"),
        ({"n": {True: 2}}, "no text"),
        ({"n": "\ud800"}, "half a surrogate pair"),
        ("text", "no set of names"),
        ([], "no set of names"),
        ({"n": "x" * 17_000_000}, "16 MiB"),
    ],
)
def test_what_policy_could_not_be_asked_about_exactly_is_blocked_and_not_asked(policy, plugged, monkeypatch, args, what):
    monkeypatch.setenv("HERMES_OBSERVER_POLICY_UNREACHABLE", "allow")
    pretend_host(monkeypatch)
    message, _ = Host(plugged()).run(args)
    assert what in message
    assert policy.questions == []


def test_arguments_that_contain_themselves(policy, plugged):
    args = {}
    args["self"] = [args] * 10
    began = time.monotonic()
    assert "too many" in Host(plugged()).run(args)[0]
    assert time.monotonic() - began < 5


def test_values_that_python_takes_for_the_same():
    assert not same({"a": True}, {"a": 1})
    assert not same({"a": False}, {"a": 0})
    assert not same({"a": None}, {"b": None})
    assert not same([1, 2], [1])
    assert not same("1", 1)
    assert same({"a": 1.0, "b": (1,)}, {"b": [1], "a": 1})
    assert json.loads(exact_json({"ü": ["\U0001f331", 2**53 - 1, 1.5e300]})) == {"ü": ["\U0001f331", 2**53 - 1, 1.5e300]}
    with pytest.raises(InexactError):
        exact_json(json.loads("[" * 300 + "]" * 300))


# Whose call it is


def start(context, child, parent, role, parent_subagent=None):
    context.call(
        "subagent_start",
        **{"parent_session_id": parent, "parent_turn_id": "pt", "parent_subagent_id": parent_subagent},
        **{"child_session_id": child, "child_subagent_id": f"sa-0-{child}", "child_role": role, "child_goal": "secret"},
    )


def test_calls_of_children_are_asked_about_with_their_parents(policy, plugged):
    context = plugged()
    host = Host(context)
    start(context, "child", "s", "orchestrator")
    start(context, "grandchild", "child", "leaf", "sa-0-child")
    policy.decide = deny
    assert host.run({}, session_id="child", task_id="sa-0-child")[0]
    assert host.run({}, session_id="grandchild", task_id="sa-0-grandchild")[0]
    # Inside `execute_code` there is the task alone.
    assert host.run({}, session_id="", task_id="sa-0-child", turn_id="", tool_call_id="")[0]
    child, grandchild, nested = [question["payload"] for question in policy.questions]
    assert child["child_roles"] == ["orchestrator"]
    assert (child["parent_session_id"], child["parent_turn_id"], child["child_subagent_id"]) == ("s", "pt", "sa-0-child")
    assert grandchild["child_roles"] == ["leaf", "orchestrator"]
    assert grandchild["parent_subagent_id"] == "sa-0-child"
    assert nested["child_roles"] == ["orchestrator"]
    assert "session_id" not in nested and nested["task_id"] == "sa-0-child"
    assert "secret" not in json.dumps(policy.questions)


def test_a_child_that_is_not_known_has_no_role_and_is_not_the_agent(policy, plugged):
    host = Host(plugged())
    host.run({}, session_id="x", task_id="sa-3-0123abcd")
    assert "child_roles" not in policy.questions[0]["payload"]


# Beside the records


def test_the_call_is_recorded_before_policy_is_asked_and_whatever_it_says(host, policy):
    policy.decide = lambda question: time.sleep(0.3) or deny(question)
    host.run({"command": "ls"})
    assert wait_for(lambda: [record for record in policy.records if record["hook"] == "pre_tool_call"])
    hello = next(record["payload"] for record in policy.records if record["hook"] == "observer_hello")
    assert (hello["policy"], hello["policy_unreachable"]) == ("on", "block")


def test_the_record_is_with_the_service_before_the_question(policy, plugged):
    """A decision that is recorded before the call it is about would have no place in the trace."""
    context = plugged()
    assert wait_for(lambda: policy.records)
    late = []

    def decide(question):
        call = question["payload"]["tool_call_id"]
        if not wait_for(lambda: any(record["payload"].get("tool_call_id") == call for record in policy.records), 0):
            late.append(call)
        return allow(question)

    policy.decide = decide
    for number in range(40):
        time.sleep(0.021 + number * 0.0003)
        Host(context).run({}, tool_call_id=f"c{number}")
    assert len(late) < 10


def test_questions_go_over_a_connection_of_their_own_that_is_kept(host, policy):
    for _ in range(20):
        assert host.run({"command": "ls"}) == (None, {"command": "ls"})
    assert len(policy.asking) == 1
    assert len({question["id"] for question in policy.questions}) == 20


def test_content_is_asked_about_whatever_is_recorded(host, policy):
    host.run({"command": "ls"})
    assert wait_for(lambda: [record for record in policy.records if record["hook"] == "pre_tool_call"])
    assert "args" not in next(record["payload"] for record in policy.records if record["hook"] == "pre_tool_call")
    assert policy.questions[0]["payload"]["args"] == {"command": "ls"}


# Many at once


def test_fifty_threads_each_get_their_own_answer(policy, plugged, monkeypatch):
    pretend_host(monkeypatch)
    host = Host(plugged())
    policy.decide = lambda q: time.sleep(0.05) or {"decision": "allow", "args": {"n": q["payload"]["args"]["n"] * 2}, "by": ["p"]}
    got = {}

    def work(number):
        for turn in range(4):
            value = number * 10 + turn
            got[value] = host.run({"n": value}, tool_call_id=f"c{value}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(50)]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert time.monotonic() - began < 10
    assert got == {number * 10 + turn: (None, {"n": (number * 10 + turn) * 2}) for number in range(50) for turn in range(4)}
    assert len(policy.asking) <= 200
