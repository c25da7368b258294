"""The same over HTTP, where no socket is."""

import os
import time

from doubles import TURN_RECORDS, HttpService, spooled, turn, wait_for


def test_records_arrive_with_the_token(http_service, plugged):
    turn(plugged())
    assert wait_for(lambda: len(http_service.records()) == TURN_RECORDS + 1)
    assert [record["seq"] for record in http_service.records()] == list(range(1, TURN_RECORDS + 2))


def test_chunked_answers_are_read(monkeypatch, socket_path, plugged, data):
    service = HttpService(chunked=True)
    monkeypatch.setenv("HERMES_OBSERVER_URL", service.url)
    monkeypatch.setenv("HERMES_OBSERVER_TOKEN", "t0ken")
    context = plugged()
    for number in range(3):
        turn(context, number=number)
        time.sleep(0.1)
    assert wait_for(lambda: len(service.records()) == 3 * TURN_RECORDS + 1)
    assert not spooled(data)
    service.close()


def test_the_socket_is_tried_first(service, http_service, plugged):
    turn(plugged())
    assert wait_for(lambda: len(service.records()) == TURN_RECORDS + 1)
    assert http_service.bodies == 0


def test_the_token_file_is_read_and_a_wrong_token_loses_nothing(http_service, plugged, data, monkeypatch):
    monkeypatch.delenv("HERMES_OBSERVER_TOKEN")
    turn(plugged())
    assert wait_for(lambda: len(spooled(data)) == TURN_RECORDS + 1)
    (data / "token").write_text("t0ken\n")
    assert wait_for(lambda: len(http_service.records()) == TURN_RECORDS + 1)
    assert wait_for(lambda: os.listdir(data / "forwarder") == [])


def test_busy_is_waited_out(http_service, plugged, data):
    http_service.status = 503
    http_service.headers = {"Retry-After": "1"}
    turn(plugged())
    assert wait_for(lambda: len(spooled(data)) == TURN_RECORDS + 1)
    bodies = http_service.bodies
    time.sleep(0.5)
    assert http_service.bodies == bodies
    http_service.status = 200
    assert wait_for(lambda: len(http_service.records()) == TURN_RECORDS + 1)


def test_too_much_at_once_is_sent_in_smaller_bodies(http_service, plugged):
    http_service.longest = 900
    turn(plugged())
    hello = 1  # Longer than that by itself: given up, and said.
    assert wait_for(lambda: len(http_service.records("on_session_end")) == 1)
    assert wait_for(lambda: http_service.records("observer_dropped"))
    assert http_service.records("observer_dropped")[0]["payload"] == {"count": hello, "reason": "too_long"}
    assert len(http_service.records()) == TURN_RECORDS + 1


def test_a_page_that_is_no_service_loses_nothing(http_service, plugged, data):
    http_service.status = 204
    turn(plugged())
    assert wait_for(lambda: len(spooled(data)) == TURN_RECORDS + 1)
    http_service.status = 200
    assert wait_for(lambda: len(http_service.records()) == TURN_RECORDS + 1)
