"""A service that is away, hangs, or talks nonsense: each call is answered in time, and by the setting."""

import logging
import os
import threading
import time

import pytest
from doubles import spooled, wait_for
from policy_double import Host, PolicyService, deny, pretend_host

SECONDS = 1.0


@pytest.fixture(params=["block", "allow"])
def setting(request, monkeypatch):
    monkeypatch.setenv("HERMES_OBSERVER_POLICY", "on")
    monkeypatch.setenv("HERMES_OBSERVER_POLICY_UNREACHABLE", request.param)
    monkeypatch.setenv("HERMES_OBSERVER_POLICY_TIMEOUT", str(SECONDS))
    pretend_host(monkeypatch)
    return request.param


@pytest.fixture
def policy(socket_path, setting):
    service = PolicyService(socket_path)
    yield service
    service.close()


def timed(host, args=None):
    began = time.monotonic()
    message, runs = host.run({"command": "ls"} if args is None else args)
    return message, runs, time.monotonic() - began


def by_setting(setting, message, runs):
    if setting == "allow":
        return (message, runs) == (None, {"command": "ls"})
    return runs is None and "could not be asked" in message and "not a decision" in message


def decisions(data):
    return [record["payload"] for record in spooled(data) if record["hook"] == "observer_policy_decision"]


def test_a_service_that_is_away(socket_path, plugged, setting, data):
    host = Host(plugged())
    message, runs, seconds = timed(host)
    assert by_setting(setting, message, runs)
    assert seconds < 0.5
    assert wait_for(lambda: decisions(data))
    [decision] = decisions(data)
    assert decision.pop("duration_ms") < 500
    assert decision == {
        **{"session_id": "s", "task_id": "s", "turn_id": "t", "tool_call_id": "c"},
        **{"gate": "hermes-observer-forwarder", "outcome": "allow" if setting == "allow" else "deny"},
        **{"kind": "hook_error", "on_error": setting},
    }


@pytest.mark.parametrize("mode", ["deaf", "mute", "garbage", "flood", "slam", "stopping"])
def test_a_service_that_does_not_do_its_part(policy, plugged, setting, mode):
    policy.mode = mode
    message, runs, seconds = timed(Host(plugged()))
    assert by_setting(setting, message, runs)
    assert seconds < SECONDS + 0.5


def test_a_service_that_takes_no_more_connections(socket_path, plugged, setting):
    import socket

    listener = socket.socket(socket.AF_UNIX)
    listener.bind(socket_path)
    listener.listen(0)
    fill = []
    for _ in range(4):
        one = socket.socket(socket.AF_UNIX)
        one.setblocking(False)
        one.connect_ex(socket_path)
        fill.append(one)
    message, runs, seconds = timed(Host(plugged()))
    assert by_setting(setting, message, runs)
    assert seconds < SECONDS + 0.5
    for one in [*fill, listener]:
        one.close()


def test_a_large_question_to_a_service_that_reads_nothing(policy, plugged, setting):
    policy.mode = "deaf"
    message, runs, seconds = timed(Host(plugged()), {"text": "x" * 8_000_000})
    assert (runs is None) == (setting == "block")
    assert seconds < SECONDS + 1


def test_a_person_who_has_not_answered_yet_has_not_agreed(policy, plugged, setting):
    """The service is there and says so, and has no answer: never taken for one that is away."""
    policy.mode = "busy"
    message, runs, seconds = timed(Host(plugged()))
    assert runs is None
    assert "Nobody agreed to this call, and nobody refused it" in message
    assert seconds < SECONDS + 0.5


def test_what_the_service_refuses_to_take_is_blocked_whatever_the_setting(policy, plugged, setting):
    policy.mode = "error"
    message, runs, seconds = timed(Host(plugged()))
    assert runs is None and "HO_REQUEST" in message
    assert seconds < 0.5


def test_answers_to_other_questions_are_not_taken_for_this_one(policy, plugged, setting):
    """One that comes late after another one was given up, one that is made up, one of another type."""
    host = Host(plugged())
    host.run({"command": "first"})
    policy.stale = (policy.questions[0]["id"], "someone-1", 1, None, ["x"], policy.questions[0]["id"][:-1])
    policy.decide = deny
    assert host.run({"command": "ls"}) == ("Blocked by policy (denied): not on a Friday", None)


def test_a_late_answer_does_not_decide_a_later_call(policy, plugged, setting):
    gate = threading.Event()

    def decide(question):
        if question["payload"]["args"]["command"] == "slow":
            gate.wait(10)
            return {"decision": "allow", "args": {"command": "rm -rf /"}, "by": ["p"]}
        gate.set()
        time.sleep(0.2)
        return deny(question)

    policy.decide = decide
    host = Host(plugged())
    host.run({"command": "slow"})
    assert host.run({"command": "ls"})[0] == "Blocked by policy (denied): not on a Friday"


def test_a_service_that_is_started_anew_is_asked_again_about_the_same_call(socket_path, plugged, setting, monkeypatch):
    monkeypatch.setenv("HERMES_OBSERVER_POLICY_TIMEOUT", "8")
    policy = PolicyService(socket_path, decide=lambda question: None)
    host = Host(plugged())
    got = []
    thread = threading.Thread(target=lambda: got.append(timed(host)))
    thread.start()
    assert wait_for(lambda: policy.questions)
    policy.close()
    time.sleep(0.7)
    again = PolicyService(socket_path, decide=lambda q: {"decision": "allow", "args": {"command": "approved"}, "by": ["p"]})
    thread.join(10)
    message, runs, seconds = got[0]
    assert (message, runs) == (None, {"command": "approved"})
    assert seconds < 5
    assert again.questions[0]["payload"] == policy.questions[0]["payload"]
    assert again.questions[0]["id"] != policy.questions[0]["id"]
    again.close()


def test_a_call_that_comes_while_the_service_is_started_anew_waits_for_it(policy, plugged, setting, monkeypatch):
    monkeypatch.setenv("HERMES_OBSERVER_POLICY_TIMEOUT", "8")
    host = Host(plugged())
    assert host.run({"command": "ls"})[0] is None
    policy.close()
    # What was kept is used up, so that the next call finds nobody.
    from hermes_observer_forwarder.process import senders

    [sender] = senders()._senders.values()
    sender._guard.asker.close()
    policy.decide = deny
    threading.Timer(0.5, policy.start).start()
    message, _, seconds = timed(host)
    assert message == "Blocked by policy (denied): not on a Friday"
    assert 0.3 < seconds < 3


def test_a_connection_that_was_closed_since_is_made_again(policy, plugged, setting):
    host = Host(plugged())
    assert host.run({"command": "ls"})[0] is None
    policy.close()
    policy.start()
    policy.decide = deny
    message, runs, seconds = timed(host)
    assert message == "Blocked by policy (denied): not on a Friday"
    assert seconds < 0.5


def test_the_service_is_lost_and_found_again_and_the_log_says_each_once(policy, plugged, setting, caplog):
    host = Host(plugged())
    host.run({})
    policy.close()
    with caplog.at_level(logging.WARNING, "hermes_observer"):
        for _ in range(2):
            timed(host)
        policy.start()
        for _ in range(2):
            assert host.run({"command": "ls"})[0] is None
    lines = [record.getMessage() for record in caplog.records if "policy" in record.getMessage()]
    assert len(lines) == 2
    assert ("runs without it" if setting == "allow" else "is blocked") in lines[0]
    assert "asked again" in lines[1]


def test_fifty_threads_while_nobody_answers(policy, plugged, setting):
    policy.mode = "mute"
    host = Host(plugged())
    got = []
    threads = [threading.Thread(target=lambda n=n: got.append(host.run({"command": "ls"}, tool_call_id=f"c{n}"))) for n in range(50)]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert time.monotonic() - began < SECONDS + 2
    assert len(got) == 50
    assert all(by_setting(setting, *one) for one in got)


def test_a_fault_of_the_plugin_blocks_and_does_not_raise(policy, plugged, setting, monkeypatch):
    import hermes_observer_forwarder.guard as guard

    monkeypatch.setattr(guard.Guard, "_question", lambda *_: 1 / 0)
    message, runs = Host(plugged()).run({"command": "ls"})
    assert runs is None and "ZeroDivisionError" in message


def test_a_plugin_that_cannot_be_set_up_blocks(plugged, setting, monkeypatch):
    import hermes_observer_forwarder.plugin as plugin

    monkeypatch.setattr(plugin, "hello", lambda *_: 1 / 0)
    context = plugged()
    assert any(callback is plugin.refuse_all for callback in context.hooks["pre_tool_call"])
    assert "could not be set up" in plugin.refuse_all(tool_name="x")["message"]


@pytest.mark.parametrize(
    "environment, policy, unreachable, problems",
    [
        ({}, False, "block", 0),
        ({"POLICY": "off"}, False, "block", 0),
        ({"POLICY": "on"}, True, "block", 0),
        ({"POLICY": "ture"}, True, "block", 1),
        ({"POLICY": "1", "POLICY_UNREACHABLE": "alow"}, True, "block", 1),
        ({"POLICY": "ON", "POLICY_UNREACHABLE": "Allow", "POLICY_TIMEOUT": "1e9"}, True, "allow", 1),
        ({"POLICY": "on", "POLICY_TIMEOUT": "0"}, True, "block", 1),
    ],
)
def test_a_slip_in_a_setting_does_not_take_the_guard_away(environment, policy, unreachable, problems):
    from hermes_observer_forwarder.settings import read_settings

    read = read_settings({f"HERMES_OBSERVER_{name}": value for name, value in environment.items()}, lambda name: None)
    assert (read.policy, read.policy_unreachable, len(read.problems)) == (policy, unreachable, problems)
    assert read.policy_timeout is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
def test_a_fork_asks_over_connections_of_its_own(policy, agent, setting):
    process = agent(
        "from policy_double import Host, pretend_host\n"
        "host = Host(context, merges=False)\n"
        "print('parent', host.run({'n': 1}))\n"
        "stop = threading.Event()\n"
        "busy = [threading.Thread(target=lambda: [host.run({'n': 2}) for _ in iter(stop.is_set, True)]) for _ in range(4)]\n"
        "[thread.start() for thread in busy]\n"
        "time.sleep(0.05)\n"
        "for _ in range(5):\n"
        "    pid = os.fork()\n"
        "    if pid == 0:\n"
        "        said = [host.run({'n': 3}) for _ in range(20)]\n"
        "        os.write(1, ('child %s\\n' % (said == [(None, {'n': 3})] * 20)).encode())\n"
        "        os._exit(0)\n"
        "    os.waitpid(pid, 0)\n"
        "stop.set()\n"
        "[thread.join() for thread in busy]\n"
        "print('parent', host.run({'n': 1}))\n",
        HERMES_OBSERVER_POLICY_TIMEOUT="10",
    )
    assert process.returncode == 0, process.err
    assert process.out.split("\n").count("child True") == 5, process.out + process.err
    assert process.out.count("parent (None, {'n': 1})") == 2


def test_what_was_kept_is_closed_when_the_plugin_is_unloaded(policy, plugged, setting):
    context = plugged()
    host = Host(context)
    host.run({})
    from hermes_observer_forwarder.process import senders

    [sender] = senders()._senders.values()
    [kept] = sender._guard.asker._idle
    for callback in context.unload:
        callback()
    assert wait_for(lambda: kept._socket.fileno() < 0)
