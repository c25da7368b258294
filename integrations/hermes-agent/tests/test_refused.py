"""Records that the service will never take: given up, counted, and no reason to connect again."""

import time

import pytest
from doubles import wait_for


def bad(record):
    return record["payload"].get("turn_id") == "bad"


def dropped(service):
    return [record["payload"] for record in service.records("observer_dropped")]


@pytest.mark.parametrize("after", [0, 1, 3])
def test_a_refused_record_is_given_up_and_told(service, plugged, after):
    service.mode, service.refuses = "picky", bad
    context = plugged()
    context.call("on_session_start", session_id="s")
    context.call("on_session_end", turn_id="bad")
    for _ in range(after):
        context.call("on_session_end", turn_id="good")
    assert wait_for(lambda: dropped(service))
    assert dropped(service) == [{"count": 1, "reason": "refused"}]
    time.sleep(0.5)
    assert service.accepted == 1
    sent = [(record["producer"], record["seq"]) for record in service.lines]
    assert len(sent) == len(set(sent))


def test_a_service_that_refuses_all_is_left_alone(service, plugged, monkeypatch):
    import hermes_observer_forwarder.link as link

    monkeypatch.setattr(link, "_ANSWER_SECONDS", 0.5)
    service.mode, service.refuses = "picky", lambda record: True
    context = plugged()
    for _ in range(5):
        context.call("on_session_end", turn_id="t")
    assert wait_for(lambda: sum(payload["count"] for payload in dropped(service)) == 6)
    # A report that is refused as well is no loss to report.
    time.sleep(2.5)
    assert service.accepted == 1
    assert sum(payload["count"] for payload in dropped(service)) == 6
    assert {payload["reason"] for payload in dropped(service)} == {"refused"}


def test_records_from_the_spool_are_given_up_too(service, plugged, data):
    service.close()
    context = plugged()
    for turn in ("a", "bad", "b", "bad"):
        context.call("on_session_end", turn_id=turn)
    assert wait_for(lambda: list((data / "forwarder").glob("*.open")))
    service.refuses = bad
    service.reopen("picky")
    assert wait_for(lambda: sum(payload["count"] for payload in dropped(service)) == 2)
    assert wait_for(lambda: not list((data / "forwarder").glob("*")))
    assert service.accepted == 1


@pytest.mark.parametrize("turns", [["bad"], ["a", "bad"], ["bad"] * 250, ["a"] + ["bad"] * 250])
def test_over_http(http_service, plugged, turns):
    http_service.refuses = bad
    context = plugged()
    for turn in turns:
        context.call("on_session_end", turn_id=turn)
    assert wait_for(lambda: sum(payload["count"] for payload in dropped(http_service)) == turns.count("bad"))
    bodies = http_service.bodies
    time.sleep(0.5)
    assert http_service.bodies - bodies <= 1
