"""Policy over HTTP, and how long an answer may take."""

import time

import pytest
from policy_double import AskOverHttp, Host, deny, pretend_host

from hermes_observer_forwarder.host import seconds_for_answer


@pytest.fixture
def http(socket_path, monkeypatch):
    monkeypatch.setenv("HERMES_OBSERVER_POLICY", "on")
    monkeypatch.setenv("HERMES_OBSERVER_POLICY_TIMEOUT", "5")
    service = AskOverHttp()
    monkeypatch.setenv("HERMES_OBSERVER_URL", service.url)
    monkeypatch.setenv("HERMES_OBSERVER_TOKEN", "t0ken")
    yield service
    service.close()


def test_where_only_an_address_is_set_it_is_asked_over_http(http, plugged, monkeypatch):
    pretend_host(monkeypatch)
    host = Host(plugged())
    for _ in range(5):
        assert host.run({"command": "ü"}) == (None, {"command": "ü"})
    http.decide = deny
    assert host.run({"command": "ls"})[0] == "Blocked by policy (denied): not on a Friday"
    assert http.questions[0]["payload"]["args"] == {"command": "ü"}
    http.decide = lambda question: {"decision": "allow", "args": {"big": "x" * 3_000_000}, "by": ["p"]}
    assert host.run({})[1] == {"big": "x" * 3_000_000}


def test_a_wrong_token_is_no_decision(http, plugged, monkeypatch):
    monkeypatch.setenv("HERMES_OBSERVER_TOKEN", "other")
    began = time.monotonic()
    assert "could not be asked" in Host(plugged()).run({})[0]
    assert time.monotonic() - began < 1


def test_over_http_a_person_who_thinks_is_not_taken_for_a_service_that_is_away(http, plugged, monkeypatch):
    monkeypatch.setenv("HERMES_OBSERVER_POLICY_UNREACHABLE", "allow")
    monkeypatch.setenv("HERMES_OBSERVER_POLICY_TIMEOUT", "1")
    http.delay = 3
    assert "Nobody agreed" in Host(plugged()).run({})[0]


# The agent's limits


@pytest.mark.parametrize(
    "wanted, limit, seconds",
    [
        (None, 30, 28),
        (None, 600, 598),
        (None, None, 30),
        (None, 0, 30),
        (None, 4, 3),
        (10, 30, 10),
        (500, 30, 28),
        (900, None, 600),
        (5, 0.2, 0.15),
    ],
)
def test_an_answer_comes_before_the_agent_gives_the_callback_up(monkeypatch, wanted, limit, seconds):
    pretend_host(monkeypatch, limit=limit)
    assert seconds_for_answer(wanted) == pytest.approx(seconds)


def test_a_limit_that_cannot_be_read(monkeypatch):
    def broken():
        raise KeyError("plugins")

    pretend_host(monkeypatch, limit=broken)
    assert seconds_for_answer(None) == 30
