"""What outlives the agent's process, however it ends."""

import json
import os
import signal
import time

import pytest
from doubles import TURN_RECORDS, spooled, wait_for

EXPECTED = TURN_RECORDS + 1
TURN = "turn(context)\n"
LEAVE = "sys.stdout.write(str(time.time())); sys.stdout.flush()\n"


def left_at(process):
    return time.time() - float(process.out)


@pytest.mark.parametrize("mode", ["ok", "mute", "deaf", "nonsense", "away"])
@pytest.mark.parametrize("end", ["on_session_end", "on_session_finalize", "subagent_stop", "api_request_error"])
def test_one_shot_loses_nothing_when_the_interpreter_exits_hard(agent, service, data, mode, end):
    if mode == "away":
        service.close()
    service.mode = mode
    source = f"turn(context)\nbegin = time.perf_counter()\ncontext.call({end!r}, session_id='s', reason='shutdown')\n"
    source += "sys.stdout.write(str(time.perf_counter() - begin)); sys.stdout.flush()\nos._exit(0)\n"
    process = agent(source, "chat", "-q", "question")
    assert process.returncode == 0, process.err
    assert float(process.out) < 0.1

    def everything():
        service_records = [] if mode in ("away", "deaf") else service.records()
        found = {record["seq"] for record in service_records + spooled(data)}
        return found == set(range(1, EXPECTED + 2))

    assert wait_for(everything), (len(service.records()), len(spooled(data)))


@pytest.mark.parametrize("count", [1, 40])
def test_records_after_the_last_hook_of_a_one_shot_run(agent, service, data, count):
    source = "context.call('on_session_finalize', session_id='s', reason='shutdown')\n"
    source += f"for n in range({count}): context.call('post_auxiliary_call', session_id='s', aux_task='title_generation')\n"
    process = agent(source + "os._exit(0)\n", "-z", "question")
    assert process.returncode == 0
    assert wait_for(lambda: len(service.records("post_auxiliary_call")) == count)


def test_shutdown_is_handed_over_on_every_surface(agent, service, data):
    process = agent(TURN + "context.call('on_session_finalize', reason='shutdown')\nos._exit(0)\n", "gateway", "run")
    assert process.returncode == 0
    assert wait_for(lambda: len(service.records()) == EXPECTED + 1)


@pytest.mark.parametrize("mode", ["ok", "mute", "deaf", "nonsense", "flood", "slam", "lies", "away"])
def test_a_normal_exit_is_quick_and_loses_nothing(agent, service, data, mode):
    if mode == "away":
        service.close()
    service.mode = mode
    process = agent(TURN + LEAVE)
    took = left_at(process)
    assert process.returncode == 0, process.err
    assert process.err == ""
    # On a busy machine; what is promised is checked by the benchmark.
    assert took < (0.6 if mode in ("away", "ok") else 1.5)
    if mode != "lies":
        found = {record["seq"] for record in service.records() + spooled(data)}
        assert wait_for(lambda: {r["seq"] for r in service.records() + spooled(data)} >= set(range(1, EXPECTED + 1))), found
    if mode == "away":
        assert all(name.endswith(".ndjson") for name in os.listdir(data / "forwarder"))
    if mode == "ok":
        assert not spooled(data)


def test_an_exit_after_a_long_outage_waits_for_nothing(agent, service, data):
    service.mode = "mute"
    process = agent(TURN + "time.sleep(1)\nturn(context)\n" + LEAVE)
    assert left_at(process) < 0.5
    found = {record["seq"] for record in spooled(data)}
    assert found == set(range(1, 2 * TURN_RECORDS + 2))


@pytest.mark.parametrize("mode", ["ok", "mute", "deaf", "away"])
def test_sigkill_loses_nothing_older_than_200_ms(agent, service, data, mode):
    if mode == "away":
        service.close()
    service.mode = mode
    process = agent("turn(context)\ntime.sleep(0.2)\nprint('now', flush=True)\ntime.sleep(60)\n", wait=False)
    assert process.stdout.readline() == "now\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    process.stderr.close()
    if mode == "deaf":
        time.sleep(0.2)
        service.mode = "ok"
        for connection in service.connections:
            service._serve(connection)
    wanted = set(range(1, EXPECTED + 1))
    assert wait_for(lambda: {record["seq"] for record in service.records() + spooled(data)} >= wanted)


def test_a_stream_of_turns_cut_by_sigkill_has_no_gap(agent, service, data):
    service.close()
    source = "n = 0\nprint('now', flush=True)\nwhile True:\n    n += 1\n    turn(context, number=n)\n    time.sleep(0.001)\n"
    process = agent(source, wait=False)
    process.stdout.readline()
    time.sleep(0.7)
    process.kill()
    process.wait()
    process.stdout.close()
    process.stderr.close()
    seqs = [record["seq"] for record in spooled(data)]
    assert seqs == list(range(1, len(seqs) + 1))
    assert len(seqs) > TURN_RECORDS


def test_exit_handlers_of_the_agent_that_run_later_are_heard(agent, service, data):
    # Registered before the plugin, so it runs after the plugin's own.
    source = "import atexit\n"
    program = (
        "from hermes_observer_forwarder.process import senders\n"
        "atexit.unregister(senders().finish)\n"
        "atexit.register(lambda: context.call('on_session_finalize', session_id='s', reason='shutdown'))\n"
        "atexit.register(senders().finish)\n"
    )
    process = agent(source + program + TURN)
    assert process.returncode == 0, process.err
    wanted = set(range(1, EXPECTED + 2))
    assert wait_for(lambda: {record["seq"] for record in service.records() + spooled(data)} == wanted)


def test_a_process_that_only_said_hello_leaves_no_file(agent, service, data):
    service.close()
    assert agent("").returncode == 0
    assert spooled(data) == []


def test_sys_exit_and_an_error_lose_nothing(agent, service):
    agent(TURN + "sys.exit(3)\n")
    agent(TURN + "raise ValueError('agent')\n")
    assert wait_for(lambda: len(service.records()) == 2 * EXPECTED)


def test_records_in_spool_files_are_whole_lines(agent, service, data):
    service.close()
    agent(TURN)
    for name in os.listdir(data / "forwarder"):
        for line in (data / "forwarder" / name).read_bytes().splitlines():
            assert json.loads(line)["hook"]


def test_an_unload_right_before_the_exit_loses_nothing(agent, service):
    assert agent(TURN + "for callback in context.unload: callback()\n").returncode == 0
    assert wait_for(lambda: len(service.records()) == EXPECTED)


def test_several_senders_that_hang_end_together(agent, service, data):
    service.mode = "mute"
    source = (
        "for n in range(4):\n"
        "    other = Context(settings={'surface': str(n)})\n"
        "    forwarder.register(other)\n"
        "    turn(other)\n"
    )
    process = agent(source + LEAVE)
    assert left_at(process) < 1.5
    assert len(spooled(data)) == 4 * EXPECTED
