"""Copies and sizes of containers: right for small ones, bounded for any."""

import json
import threading
import time
from collections import OrderedDict

import pytest

from hermes_observer_forwarder.encode import encode_record
from hermes_observer_forwarder.sizes import value_bytes
from hermes_observer_forwarder.snapshot import MOST_ITEMS, cut, snapshot

SMALL = [
    {},
    {"command": "ls -la", "timeout": 10},
    {"path": "a", "options": {"deep": [1, 2.5, None, True, {"x": []}]}},
    [["a", "b"], [{"c": "d"}]],
    {"todos": [{"id": str(i), "content": f"do {i}"} for i in range(50)]},
]


@pytest.mark.parametrize("value", SMALL)
def test_a_small_value_is_copied_whole(value):
    before = json.dumps(value)
    copy, _ = snapshot(value, 100_000)
    assert copy == value

    def spoil(part):
        for inner in part.values() if isinstance(part, dict) else part:
            if isinstance(inner, (dict, list)):
                spoil(inner)
        part.clear()

    spoil(value)
    assert json.dumps(copy) == before


@pytest.mark.parametrize("value", [{"a": "b"}, {"command": "x" * 100, "n": 1, "o": {"p": "q", "r": ["s"] * 20}}, {"n": list(range(200))}])
def test_a_size_is_about_that_of_the_json(value):
    exact = len(json.dumps(value, separators=(",", ":")))
    assert abs(value_bytes(value) - exact) <= 2 + exact // 2


@pytest.mark.parametrize(
    ("value", "copy"),
    [
        ((1, "a"), [1, "a"]),
        (frozenset({1}), [1]),
        ({1: 2, None: 3, (1, 2): 4}, {"1": 2, "None": 3, "<tuple>": 4}),
        (OrderedDict(a=[1]), {"a": [1]}),
        ({"a": {"b": object(), "c": b"xx", "d": 1 + 0j}}, {"a": {"b": "<object>", "c": "<2 bytes>", "d": "<complex>"}}),
    ],
)
def test_what_json_has_no_form_for(value, copy):
    assert snapshot(value, 1000)[0] == copy


def test_surplus_is_told():
    copy, _ = snapshot({"items": list(range(MOST_ITEMS + 5)), "last": [1]}, 1000)
    items = copy["items"]
    assert items[: MOST_ITEMS - 2] == list(range(MOST_ITEMS - 2))
    assert items[-1] == {"_truncated_items": 7}
    assert copy["last"] == "<more>"
    copy, size = snapshot({f"k{i}": "v" for i in range(5000)}, 100_000)
    assert copy["_truncated_items"] == 5000 - MOST_ITEMS
    assert size < 40_000


def test_texts_share_a_limit_and_a_cut_one_is_marked():
    copy, size = snapshot({"a": "x" * 900, "b": ["y" * 900], "c": "z"}, 1000)
    assert copy["a"] == "x" * 900
    assert copy["b"] == ["y" * 98 + "…[+802 chars]"]
    assert list(copy.items())[2] == ("…[+1 chars]", "…[+1 chars]")
    assert 1000 <= size < 1200
    assert cut("abcdef", 4) == "abcd…[+2 chars]"


class Evil(dict):
    def items(self):
        raise AssertionError("called")

    __iter__ = __len__ = keys = values = items


def test_nothing_of_a_foreign_class_is_called():
    evil = Evil()
    dict.__setitem__(evil, "a", 1)
    assert snapshot({"x": evil}, 100)[0] == {"x": {"a": 1}}
    assert value_bytes({"x": evil}) > 4


def wide(levels):
    value = "w"
    for _ in range(levels):
        value = [value] * 100
    return value


def cycle():
    value = {"n": 1}
    value["self"] = [value, value]
    return value


LARGE = {
    "a million texts": {"items": [f"word {i}" for i in range(1_000_000)]},
    "a million numbers": list(range(1_000_000)),
    "dicts": {"items": [{"a": i, "b": str(i)} for i in range(200_000)]},
    "keys": {f"k{i}": i for i in range(500_000)},
    "a set": {"items": set(range(500_000))},
    "objects": {"items": [object()] * 500_000},
    "a long text": {"content": "x" * 50_000_000},
    "a long key": {"x" * 50_000_000: 1},
    "shared lists": {"items": wide(8)},
    "a cycle": cycle(),
}


@pytest.mark.parametrize("name", LARGE)
def test_any_value_takes_little_time_and_memory(name):
    value = LARGE[name]
    for work in (lambda: snapshot(value, 32_768), lambda: value_bytes(value)):
        took = []
        for _ in range(5):
            begin = time.perf_counter()
            work()
            took.append(time.perf_counter() - begin)
        assert min(took) < 0.005  # About 0.0002; another process may have the processor.
    copy, size = snapshot(value, 32_768)
    line = encode_record(1, "p", "h", 1, None, {"args": copy})
    assert size < 60_000
    assert len(line) < 100_000


def test_a_value_that_others_change_is_survived():
    live = {"inner": {"k0": 0}, "items": [0]}
    stop = threading.Event()

    def change():
        n = 0
        while not stop.is_set():
            n += 1
            live["inner"][f"k{n % 50}"] = n
            live[f"o{n % 50}"] = n
            live["inner"].pop(f"k{(n + 7) % 50}", None)
            live["items"].append(n)
            if n % 3000 == 0:
                live["items"].clear()

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(5000):
            snapshot(live, 1000)
            value_bytes(live)
    finally:
        stop.set()
        thread.join()


def test_the_size_of_a_long_list_is_taken_from_its_first_items():
    value = {"items": [{"a": i, "b": f"word {i}"} for i in range(100_000)]}
    exact = len(json.dumps(value, separators=(",", ":")))
    assert exact / 2 < value_bytes(value) < exact * 2
