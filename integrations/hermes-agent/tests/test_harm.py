"""Nothing that goes wrong here reaches the agent."""

import ctypes
import enum
import json
import os
import subprocess
import threading
import time

import pytest
from doubles import TURN_RECORDS, spooled, turn, wait_for


def worst_call(context, seconds=1.0):
    """Longest callback of turns over some time, in seconds."""
    worst = 0.0
    end = time.monotonic() + seconds
    number = 0
    while time.monotonic() < end:
        number += 1
        begin = time.thread_time()
        wall = time.perf_counter()
        context.call("post_tool_call", session_id="s", turn_id="t", result="r" * 1000, status="ok")
        # Other programs run on this machine: a callback that waits uses no time of its own, and waits each time.
        worst = max(worst, min(time.perf_counter() - wall, 10 * (time.thread_time() - begin) + 0.02))
        time.sleep(0.0005)
    return worst


@pytest.mark.parametrize("mode", ["away", "mute", "deaf", "nonsense", "flood", "slam"])
def test_no_callback_waits_for_a_service_that_fails(service, plugged, mode):
    if mode == "away":
        service.close()
    service.mode = mode
    assert worst_call(plugged()) < 0.05


class Nasty:
    """Raises on whatever is asked of it."""

    def _fail(self, *arguments):
        raise SystemExit("nasty")

    __str__ = __len__ = __iter__ = __hash__ = __eq__ = __bool__ = __getattr__ = _fail  # type: ignore[assignment]

    def __repr__(self):
        return "nasty"


class NastyDict(dict):
    def items(self):
        raise SystemExit("nasty")

    def get(self, *arguments):
        raise SystemExit("nasty")

    __iter__ = keys = values = items  # type: ignore[assignment]

    def __repr__(self):
        return "nasty"


class Colour(str, enum.Enum):
    RED = "red"


def deep(levels):
    value = []
    for _ in range(levels):
        value = [value]
    return value


def cycle():
    value = {}
    value["self"] = value
    return value


VALUES = {
    "object": Nasty(),
    "dict": NastyDict(a=1),
    "deep": deep(100_000),
    "cycle": cycle(),
    "nan": {"x": float("nan"), "y": [float("inf")]},
    "bytes": {"b": b"\xff" * 10, "s": {1, 2}},
    "surrogate": "\ud800 and \ude00",
    "keys": {1: 2, None: 3, (1, 2): 4, "\ud800": 5},
    "huge": {"n": 10**6000},
    "long": "x" * 20_000_000,
    "enum": {"c": Colour.RED},
    "function": {"f": len},
    "null": "a\x00b",
}


@pytest.mark.parametrize("capture", ["none", "redacted", "full"])
@pytest.mark.parametrize("name", VALUES)
def test_any_payload_is_survived_and_the_next_one_arrives(service, plugged, monkeypatch, capture, name):
    monkeypatch.setenv("HERMES_OBSERVER_CAPTURE", capture)
    context = plugged()
    value = VALUES[name]
    for field in ("args", "result", "user_message", "usage", "error", "session_id", "request", "status", "made_up"):
        context.call("post_tool_call", turn_id="t", **{field: value})
        context.call("post_auxiliary_call", turn_id="t", **{field: value})
        time.sleep(0.03)
    context.call("on_session_end", turn_id="last")
    assert wait_for(lambda: service.records("on_session_end"), 20)
    assert len(service.records("post_tool_call")) == 9
    assert not service.records("observer_dropped")


def test_a_dict_that_changes_while_it_is_read(service, plugged, monkeypatch):
    monkeypatch.setenv("HERMES_OBSERVER_CAPTURE", "full")
    context = plugged()
    live = {"inner": {"k0": 0}}
    stop = threading.Event()

    def change():
        n = 0
        while not stop.is_set():
            n += 1
            live["inner"][f"k{n % 50}"] = n
            live[f"o{n % 50}"] = n
            live["inner"].pop(f"k{(n + 7) % 50}", None)

    thread = threading.Thread(target=change)
    thread.start()
    for _ in range(500):
        context.call("pre_tool_call", args=live, request=live)
        time.sleep(0.0005)
    stop.set()
    thread.join()
    assert wait_for(lambda: len(service.records("pre_tool_call")) == 500)


def test_what_changes_later_is_recorded_as_it_was(service, plugged, monkeypatch):
    monkeypatch.setenv("HERMES_OBSERVER_CAPTURE", "full")
    context = plugged()
    args = {"path": "before", "options": {"deep": ["before"]}}
    context.call("pre_tool_call", args=args)
    args["path"] = "after"
    args["options"]["deep"][0] = "after"
    assert wait_for(lambda: service.records("pre_tool_call"))
    assert service.records("pre_tool_call")[0]["payload"]["args"] == {"path": "before", "options": {"deep": ["before"]}}


def test_fifty_threads(service, plugged):
    context = plugged()
    threads = [
        threading.Thread(target=lambda n=n: [turn(context, session=f"s{n}", number=i) for i in range(10)]) for n in range(50)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    total = 500 * TURN_RECORDS + 1
    assert wait_for(lambda: len(service.records()) == total, 20)
    assert [record["seq"] for record in service.records()] == list(range(1, total + 1))


def test_a_full_queue_is_counted_and_reported(service, plugged, monkeypatch):
    monkeypatch.setenv("HERMES_OBSERVER_QUEUE_RECORDS", "5")
    context = plugged()
    assert wait_for(lambda: service.records())
    for _ in range(1000):
        context.call("pre_tool_call", session_id="s")
    assert wait_for(lambda: service.records("observer_dropped"))
    time.sleep(1.2)
    arrived = len(service.records("pre_tool_call"))
    lost = sum(record["payload"]["count"] for record in service.records("observer_dropped"))
    assert arrived + lost == 1000
    assert {record["payload"]["reason"] for record in service.records("observer_dropped")} == {"queue_full"}
    last = service.records()[-1]["seq"]
    assert last - len(service.records()) == lost


def test_a_queue_is_bounded_by_bytes_too(service, plugged, monkeypatch):
    monkeypatch.setenv("HERMES_OBSERVER_CAPTURE", "full")
    monkeypatch.setenv("HERMES_OBSERVER_QUEUE_BYTES", "100000")
    context = plugged()
    assert wait_for(lambda: service.records())
    text = "x" * 50_000
    for _ in range(200):
        context.call("post_tool_call", result=text)
    assert wait_for(lambda: service.records("observer_dropped"))


def test_a_full_spool_is_counted_and_keeps_the_oldest(service, plugged, data, monkeypatch):
    monkeypatch.setenv("HERMES_OBSERVER_SPOOL_BYTES", "20000")
    monkeypatch.setenv("HERMES_OBSERVER_QUEUE_BYTES", "20000")
    service.close()
    context = plugged()
    for number in range(100):
        turn(context, number=number)
        time.sleep(0.005)
    time.sleep(0.2)
    assert sum(os.path.getsize(entry) for entry in os.scandir(data / "forwarder")) <= 20_000
    seqs = [record["seq"] for record in spooled(data)]
    # Where there is a second try at the disk, what was given up before it leaves a gap.
    assert seqs[0] == 1 and seqs == sorted(set(seqs))
    service.reopen()
    assert wait_for(lambda: service.records("observer_dropped"), 8)
    time.sleep(1.2)
    lost = sum(record["payload"]["count"] for record in service.records("observer_dropped"))
    # A busy machine may leave the queue too little time as well.
    reasons = {record["payload"]["reason"] for record in service.records("observer_dropped")}
    assert "spool_full" in reasons and reasons <= {"spool_full", "queue_full"}
    arrived = [record for record in service.records() if record["hook"] != "observer_dropped"]
    assert len(arrived) + lost == 100 * TURN_RECORDS + 1


def test_a_full_folder_takes_no_more(service, plugged, data, monkeypatch):
    (data / "forwarder").mkdir(parents=True)
    (data / "forwarder" / "other-1-1.ndjson").write_bytes(b"x" * 30_000)
    monkeypatch.setenv("HERMES_OBSERVER_SPOOL_FOLDER_BYTES", "30000")
    service.close()
    turn(plugged())
    time.sleep(0.3)
    assert os.listdir(data / "forwarder") == ["other-1-1.ndjson"]
    service.reopen()
    assert wait_for(lambda: len(service.records()) == TURN_RECORDS + 1)


@pytest.fixture
def small_disk(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.name != "posix" or os.getuid() != 0:
        pytest.skip("needs root for a small disk")
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"no small disk: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def test_a_full_disk_is_counted_and_leaves_whole_lines(service, plugged, small_disk, monkeypatch):
    monkeypatch.setenv("HERMES_OBSERVER_DATA", str(small_disk))
    monkeypatch.setenv("HERMES_OBSERVER_QUEUE_BYTES", "50000")
    service.close()
    context = plugged()
    for number in range(100):
        turn(context, number=number)
        time.sleep(0.002)
    time.sleep(0.3)
    seqs = [record["seq"] for record in spooled(small_disk)]
    # Where there is a second try at the disk, what was given up before it leaves a gap.
    assert seqs[0] == 1 and seqs == sorted(set(seqs))
    service.reopen()
    assert wait_for(lambda: service.records("observer_dropped"), 8)
    time.sleep(1.2)
    lost = sum(record["payload"]["count"] for record in service.records("observer_dropped"))
    arrived = [record for record in service.records() if record["hook"] != "observer_dropped"]
    reasons = {record["payload"]["reason"] for record in service.records("observer_dropped")}
    assert "disk" in reasons and reasons <= {"disk", "queue_full"}
    assert len(arrived) + lost == 100 * TURN_RECORDS + 1


def test_a_full_disk_under_a_file(plugged, small_disk, monkeypatch, service):
    target = small_disk / "out.ndjson"
    monkeypatch.setenv("HERMES_OBSERVER_FILE", str(target))
    context = plugged()
    for number in range(100):
        turn(context, number=number)
        time.sleep(0.002)
    assert wait_for(lambda: os.statvfs(small_disk).f_bavail == 0)
    time.sleep(0.2)
    good = [json.loads(line) for line in target.read_bytes().splitlines()[:-1]]
    assert [record["seq"] for record in good] == list(range(1, len(good) + 1))


def test_a_data_folder_that_cannot_be_made(service, plugged, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HERMES_OBSERVER_DATA", str(tmp_path / "file" / "data"))
    service.close()
    turn(plugged())
    time.sleep(0.3)
    service.reopen()
    assert wait_for(lambda: len(service.records()) == TURN_RECORDS + 1)


def test_a_socket_path_that_is_too_long(plugged, data, monkeypatch):
    monkeypatch.setenv("HERMES_OBSERVER_SOCKET", "/tmp/" + "x" * 200)
    turn(plugged())
    assert wait_for(lambda: len(spooled(data)) == TURN_RECORDS + 1)


def test_no_threads_are_left(agent, service, data):
    before = "def fail(self): raise RuntimeError(\"can't start new thread\")\nthreading.Thread.start = fail\n"
    process = agent("turn(context)\n", before=before)
    assert process.returncode == 0, process.err
    assert wait_for(lambda: len(service.records()) == TURN_RECORDS + 1)


def test_ctrl_c_stays_the_users(plugged, socket_path):
    context = plugged()
    thread = threading.get_ident()
    with pytest.raises(KeyboardInterrupt):
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(KeyboardInterrupt))
        for _ in range(1000):
            context.call("pre_tool_call", session_id="s")


def test_a_context_that_fails_is_survived():
    from hermes_observer_forwarder import register

    class Broken:
        def __getattr__(self, name):
            raise RuntimeError(name)

    register(Broken())
    register(None)


def test_unload_and_load_again(service, plugged):
    context = plugged()
    turn(context)
    for callback in context.unload:
        callback()
    assert wait_for(lambda: len(service.records()) == TURN_RECORDS + 1)
    names = {thread.name for thread in threading.enumerate()}
    assert wait_for(lambda: not any(t.name.startswith("hermes-observer") for t in threading.enumerate())), names
    turn(plugged(), number=2)
    assert wait_for(lambda: len(service.records()) == 2 * TURN_RECORDS + 2)
    assert len({record["producer"] for record in service.records()}) == 2
