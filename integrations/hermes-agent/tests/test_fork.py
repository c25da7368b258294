"""Forked children are producers of their own; several profiles and loads share what is once a process."""

import importlib.util
import os
import sys
import threading

import pytest
from doubles import PACKAGE_FOLDER, TURN_RECORDS, Context, spooled, turn, wait_for

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")


def by_producer(service):
    found = {}
    for record in service.records():
        found.setdefault(record["producer"], []).append(record)
    return found


def test_a_child_is_a_producer_of_its_own(agent, service):
    source = (
        "turn(context)\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    turn(context, number=2)\n"
        "    time.sleep(0.3)\n"
        "    os._exit(0)\n"
        "turn(context, number=3)\n"
        "os.waitpid(child, 0)\n"
    )
    assert agent(source).returncode == 0
    assert wait_for(lambda: len(service.records()) == 3 * TURN_RECORDS + 2)
    parent, child = sorted(by_producer(service).values(), key=len, reverse=True)
    assert [record["seq"] for record in parent] == list(range(1, 2 * TURN_RECORDS + 2))
    assert [record["seq"] for record in child] == list(range(1, TURN_RECORDS + 2))
    assert child[0]["hook"] == "observer_hello"
    assert child[0]["payload"]["pid"] != parent[0]["payload"]["pid"]
    assert int(child[0]["time_unix_nano"]) > int(parent[0]["time_unix_nano"])


def test_a_child_that_calls_no_hook_sends_nothing_and_harms_nothing(agent, service):
    source = (
        "for n in range(5):\n"
        "    turn(context, number=n)\n"
        "    child = os.fork()\n"
        "    if child == 0: sys.exit(0)\n"
        "    os.waitpid(child, 0)\n"
    )
    assert agent(source).returncode == 0
    assert wait_for(lambda: len(service.records()) == 5 * TURN_RECORDS + 1)
    assert len(by_producer(service)) == 1


def test_a_fork_in_the_middle_of_an_outage(agent, service, data):
    service.close()
    source = (
        "turn(context)\n"
        "time.sleep(0.1)\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    turn(context, number=2)\n"
        "    sys.exit(0)\n"
        "os.waitpid(child, 0)\n"
        "turn(context, number=3)\n"
    )
    assert agent(source).returncode == 0
    found = {}
    for record in spooled(data):
        found.setdefault(record["producer"], []).append(record["seq"])
    assert sorted(found.values(), key=len) == [list(range(1, TURN_RECORDS + 2)), list(range(1, 2 * TURN_RECORDS + 2))]


def test_forks_while_other_threads_call_hooks(agent, service, data):
    source = (
        "stop = threading.Event()\n"
        "def work():\n"
        "    n = 0\n"
        "    while not stop.is_set():\n"
        "        n += 1; turn(context, session=threading.current_thread().name, number=n); time.sleep(0.001)\n"
        "threads = [threading.Thread(target=work) for _ in range(8)]\n"
        "[thread.start() for thread in threads]\n"
        "for _ in range(20):\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        turn(context, session='child'); sender = list(senders()._senders.values())[0]; sender.finish(); os._exit(7)\n"
        "    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7\n"
        "stop.set()\n"
        "[thread.join() for thread in threads]\n"
    )
    process = agent(source)
    assert process.returncode == 0, process.err

    def whole():
        seqs = {}
        for record in service.records() + spooled(data):
            seqs.setdefault(record["producer"], set()).add(record["seq"])
        return len(seqs) == 21 and all(found == set(range(1, len(found) + 1)) for found in seqs.values())

    assert wait_for(whole)


def load_as(name):
    """Loads the folder as the agent does: as a package under a name of its own."""
    folder = os.path.join(PACKAGE_FOLDER, "hermes_observer_forwarder")
    spec = importlib.util.spec_from_file_location(
        name, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_loads_for_several_profiles_share_one_thread_and_one_producer(service, plugged):
    plugged(profile="zero")
    contexts = []
    for number in range(3):
        module = load_as(f"hermes_plugins_test_{number}")
        context = Context(profile=f"p{number}")
        module.register(context)
        contexts.append(context)
    for number, context in enumerate(contexts):
        turn(context, session=f"s{number}")
    assert wait_for(lambda: len(service.records()) == 4 + 3 * TURN_RECORDS)
    assert len({record["producer"] for record in service.records()}) == 1
    assert [thread.name for thread in threading.enumerate()].count("hermes-observer") == 1
    profiles = {record["payload"]["session_id"]: record["profile"] for record in service.records("pre_llm_call")}
    assert profiles == {"s0": "p0", "s1": "p1", "s2": "p2"}
    assert [record["profile"] for record in service.records("observer_hello")] == ["zero", "p0", "p1", "p2"]
    for context in contexts:
        for callback in context.unload:
            callback()
    for name in [name for name in sys.modules if name.startswith("hermes_plugins_test_")]:
        del sys.modules[name]


def test_content_of_another_load_is_encoded(service, plugged, monkeypatch):
    monkeypatch.setenv("HERMES_OBSERVER_CAPTURE", "full")
    plugged()
    module = load_as("hermes_plugins_test_other")
    context = Context()
    module.register(context)
    context.call("pre_tool_call", args={"a": {"b": 1}})
    assert wait_for(lambda: service.records("pre_tool_call"))
    assert service.records("pre_tool_call")[0]["payload"]["args"] == {"a": {"b": 1}}
    for callback in context.unload:
        callback()
    for name in [name for name in sys.modules if name.startswith("hermes_plugins_test_")]:
        del sys.modules[name]


def test_profiles_with_other_settings_have_their_own_producer(service, plugged):
    plugged(profile="a")
    context = plugged(profile="b", settings={"capture": "full"})
    context.call("post_tool_call", result="shown")
    assert wait_for(lambda: service.records("post_tool_call"))
    assert service.records("post_tool_call")[0]["payload"]["result"] == "shown"
    assert len({record["producer"] for record in service.records()}) == 2
