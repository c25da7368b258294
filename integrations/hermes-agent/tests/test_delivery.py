"""Records reach the service: whole, in order, once the service is there."""

import json
import os
import stat
import time

from doubles import TURN_RECORDS, turn, wait_for, spooled


def hooks_of(records):
    return [record["hook"] for record in records]


def test_hello_comes_first_and_says_who_it_is(service, plugged):
    plugged(profile="work")
    assert wait_for(lambda: service.records())
    hello = service.records()[0]
    assert hello["hook"] == "observer_hello"
    assert hello["seq"] == 1
    assert hello["profile"] == "work"
    payload = hello["payload"]
    assert payload["protocol"] == 1
    assert payload["capture"] == "none"
    assert payload["pid"] == os.getpid()
    assert "pre_tool_call" in payload["hooks"]
    assert payload["profile"] == "work"
    assert {"host", "forwarder_version", "hermes_version", "surface", "python_version"} <= set(payload)


def test_a_turn_arrives_in_order_without_gaps(service, plugged):
    context = plugged()
    begin = time.time_ns()
    turn(context)
    assert wait_for(lambda: len(service.records()) == TURN_RECORDS + 1)
    records = service.records()
    assert [record["seq"] for record in records] == list(range(1, TURN_RECORDS + 2))
    assert len({record["producer"] for record in records}) == 1
    assert hooks_of(records)[1:4] == ["pre_llm_call", "pre_api_request", "post_api_request"]
    assert all(begin - 10**9 < int(record["time_unix_nano"]) < time.time_ns() for record in records)
    assert "secret" not in json.dumps(records)


def test_what_came_while_the_service_was_away_comes_first_and_once(service, plugged, data):
    context = plugged()
    turn(context, number=1)
    assert wait_for(lambda: len(service.records()) == TURN_RECORDS + 1)
    service.close()
    for number in range(2, 6):
        turn(context, number=number)
    assert wait_for(lambda: len(spooled(data)) >= 4 * TURN_RECORDS)
    service.reopen()
    turn(context, number=6)
    total = 1 + 6 * TURN_RECORDS
    assert wait_for(lambda: len(service.records()) == total)
    assert [record["seq"] for record in service.records()] == list(range(1, total + 1))
    assert wait_for(lambda: os.listdir(data / "forwarder") == [])


def test_records_are_sent_again_from_the_first_that_was_not_acknowledged(service, plugged):
    service.mode = "mute"
    context = plugged()
    turn(context)
    assert wait_for(lambda: len(service.records()) == TURN_RECORDS + 1)
    service.close()
    service.lines = []
    service.reopen()
    turn(context, number=2)
    assert wait_for(lambda: len(service.records()) == 2 * TURN_RECORDS + 1)
    assert [record["seq"] for record in service.lines][:3] == [1, 2, 3]


def test_acknowledged_records_are_not_sent_again(service, plugged):
    context = plugged()
    turn(context)
    assert wait_for(lambda: len(service.records()) == TURN_RECORDS + 1)
    time.sleep(0.1)
    service.close()
    service.lines = []
    service.reopen()
    turn(context, number=2)
    assert wait_for(lambda: len(service.records()) == TURN_RECORDS)
    assert service.lines[0]["seq"] == TURN_RECORDS + 2


def test_pause_is_honoured_and_what_came_meanwhile_is_safe(service, plugged, data):
    context = plugged()
    turn(context)
    assert wait_for(lambda: len(service.records()) == TURN_RECORDS + 1)
    service.tell({"pause": True})
    time.sleep(0.2)
    turn(context, number=2)
    assert wait_for(lambda: len(spooled(data)) == TURN_RECORDS)
    assert len(service.records()) == TURN_RECORDS + 1
    service.tell({"pause": False})
    assert wait_for(lambda: len(service.records()) == 2 * TURN_RECORDS + 1)


def test_files_and_folders_are_the_users_alone(plugged, data, socket_path):
    turn(plugged())
    assert wait_for(lambda: len(spooled(data)) == TURN_RECORDS + 1)
    folder = data / "forwarder"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    (name,) = os.listdir(folder)
    assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600
    producer = spooled(data)[0]["producer"]
    assert name == f"{producer}-{os.getpid()}-000001.ndjson.open"


def test_a_large_spool_is_delivered_in_order(service, plugged, data, monkeypatch):
    monkeypatch.setenv("HERMES_OBSERVER_SPOOL_FILE_BYTES", "20000")
    service.close()
    context = plugged()
    for number in range(200):
        turn(context, number=number)
        if number % 20 == 0:
            time.sleep(0.05)
    total = 200 * TURN_RECORDS + 1
    assert wait_for(lambda: len(spooled(data)) == total)
    assert len(os.listdir(data / "forwarder")) > 20
    service.reopen()
    assert wait_for(lambda: len(service.records()) == total, 10)
    assert [record["seq"] for record in service.records()] == list(range(1, total + 1))
    assert wait_for(lambda: os.listdir(data / "forwarder") == [])


def test_a_spool_file_that_the_service_took_over_is_left_out(service, plugged, data, monkeypatch):
    monkeypatch.setenv("HERMES_OBSERVER_SPOOL_FILE_BYTES", "3000")
    service.close()
    context = plugged()
    for number in range(4):
        turn(context, number=number)
        time.sleep(0.05)
    total = 4 * TURN_RECORDS + 1
    assert wait_for(lambda: len(spooled(data)) == total)
    first = sorted(os.listdir(data / "forwarder"))[0]
    assert first.endswith(".ndjson")
    taken = [json.loads(line)["seq"] for line in (data / "forwarder" / first).read_text().splitlines()]
    (data / "forwarder" / first).unlink()
    service.reopen()
    expected = [seq for seq in range(1, total + 1) if seq not in taken]
    assert wait_for(lambda: [record["seq"] for record in service.records()] == expected)
    assert wait_for(lambda: os.listdir(data / "forwarder") == [])


def test_file_takes_everything_and_needs_no_service(plugged, tmp_path, monkeypatch):
    target = tmp_path / "deep" / "out.ndjson"
    monkeypatch.setenv("HERMES_OBSERVER_FILE", str(target))
    turn(plugged())
    assert wait_for(lambda: target.exists() and len(target.read_text().splitlines()) == TURN_RECORDS + 1)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_file_mends_a_line_that_was_cut(plugged, tmp_path, monkeypatch):
    target = tmp_path / "out.ndjson"
    target.write_text('{"cut')
    monkeypatch.setenv("HERMES_OBSERVER_FILE", str(target))
    turn(plugged())
    assert wait_for(lambda: len(target.read_text().splitlines()) == TURN_RECORDS + 2)
    assert all(json.loads(line) for line in target.read_text().splitlines()[1:])


def test_acknowledgements_are_read_while_records_keep_coming(service, plugged):
    from hermes_observer_forwarder.process import senders

    context = plugged()
    (sender,) = senders()._senders.values()
    end = time.monotonic() + 1
    number = 0
    while time.monotonic() < end:
        number += 1
        turn(context, number=number)
        time.sleep(0.002)
        if number % 20 == 0:
            assert len(sender.pump.outbox._sent) < 1000
    assert sender.pump.outbox.acked > number * TURN_RECORDS / 2
