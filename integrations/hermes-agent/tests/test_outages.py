"""A service that comes, hangs, pauses and goes while the agent works on: nothing is lost, nothing changes its order."""

import os
import random
import time

import pytest
from doubles import TURN_RECORDS, turn, wait_for


@pytest.mark.parametrize("seed", range(4))
def test_any_order_of_outages(service, plugged, data, monkeypatch, seed):
    choose = random.Random(seed)
    monkeypatch.setenv("HERMES_OBSERVER_SPOOL_FILE_BYTES", str(choose.choice([2_000, 20_000, 4_194_304])))
    context = plugged()
    number = 0
    for _ in range(12):
        what = choose.choice(["ok", "mute", "deaf", "slam", "nonsense", "away", "pause"])
        if what == "pause" and service.is_open and service.mode == "ok":
            try:
                service.tell({"pause": choose.random() < 0.7})
            except OSError:
                pass
        else:
            if service.is_open:
                service.close()
            if what != "away":
                service.reopen("ok" if what == "pause" else what)
        for _ in range(choose.randrange(1, 30)):
            number += 1
            turn(context, number=number)
            time.sleep(choose.choice([0, 0.001, 0.01]))
    if service.is_open:
        service.close()
    service.reopen()
    total = number * TURN_RECORDS + 1
    turn(context, number=0)
    total += TURN_RECORDS
    every = set(range(1, total + 1))
    # Late is not lost: an answer that does not come is waited for ten seconds before the next attempt.
    came = wait_for(lambda: service.kept == every, 60)
    assert came, (sorted(every - service.kept), os.listdir(data / "forwarder"))
    assert wait_for(lambda: os.listdir(data / "forwarder") == [])
    assert not service.records("observer_dropped")


def test_each_connection_is_in_order(service, plugged, monkeypatch):
    monkeypatch.setenv("HERMES_OBSERVER_SPOOL_FILE_BYTES", "5000")
    context = plugged()
    for number in range(6):
        service.lines = []
        for n in range(20):
            turn(context, number=number * 20 + n)
            time.sleep(0.002)
        wait_for(lambda: service.records("on_session_end"), 3)
        seqs = [record["seq"] for record in service.lines]
        assert seqs == sorted(seqs)
        service.close()
        turn(context, number=1000 + number)
        time.sleep(0.1)
        service.lines = []
        service.reopen()
