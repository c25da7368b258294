"""What the forwarder costs an agent, beside a plugin that does nothing and the cheapest other plugins.

    python bench/python/run.py [--smoke] [--no-peers] [--json FILE]

One process a contestant; they take turns in a random order, round after round, so that what else the machine does meets
all of them. Figures are judged as differences and ratios of one run. `--smoke` runs everything briefly and judges nothing.
"""

import argparse
import json
import os
import platform
import random
import sys

from contestants import MASKED, OURS, PEERS, python_of_peers
from figures import at, median, speed, table
from process import Contestant, Sink, load_once
from turns import LARGE

LIMITS = {
    "net p50 of a callback, µs": 15,
    "net p99 of a callback, µs": 100,
    "net CPU of a turn beside the cheapest peer": 0.15,
    "slow-down of the agent's own work": 1.05,
    "callback with a large value, p99, ms": 5,
    "import and register, ms": 20,
    "import and register, MB": 1,
    "growth over 1,000 turns, MB": 1,
    "exit while the service is down, s": 0.25,
    "exit while it hangs, s": 1.0,
    "longest callback while it is down or hangs, ms": 5,
}


def measure_speed(names, python, sink, rounds, turns, pace, works):
    contestants = [Contestant(name, python, sink.url, sink.socket) for name in names]
    found = {name: [] for name in names}
    for contestant in contestants:
        contestant.ask("turns", 3, pace, works)
    for _ in range(rounds):
        for contestant in random.sample(contestants, len(contestants)):
            found[contestant.name].append(contestant.ask("turns", turns, pace, works))
    for contestant in contestants:
        contestant.leave()
    return {name: speed(results) for name, results in found.items()}


def measure_load(names, python, sink, rounds):
    found = {name: [] for name in names}
    for _ in range(rounds):
        for name in random.sample(names, len(names)):
            found[name].append(load_once(name, python, sink.url, sink.socket))
    return {
        name: {key: median([one[key] for one in results]) for key in ("ms", "mb")} for name, results in found.items()
    }


def measure_large(names, python, sink, count):
    """Callbacks with a large value among their arguments, in µs."""
    rows = {}
    for name in names:
        contestant = Contestant(name, python, sink.url, sink.socket)
        for kind in LARGE:
            found = contestant.ask("large", kind, count)
            rows[f"{name}: {kind}"] = {
                "call_p50": at(found["calls"], 0.5) / 1e3,
                "call_p99": at(found["calls"], 0.99) / 1e3,
            }
        contestant.leave()
    return rows


def measure_memory(names, python, sink, turns):
    rows = {}
    for name in names:
        rows[name] = {}
        for kind, ended in (("with ends", True), ("without", False)):
            contestant = Contestant(name, python, sink.url, sink.socket)
            answer = contestant.ask("memory", turns, ended)
            rows[name][kind] = (answer["after"] - answer["before"]) / 1e6
            contestant.leave()
    return rows


def measure_trouble(names, python, sink, rounds):
    """Longest callback in ms and exit in s, while the sink is down and while it hangs; medians of the rounds."""
    rows = {name: {} for name in names}
    for kind in ("down", "hangs"):
        if kind == "hangs":
            sink.set("hang")
        for name in names:
            longest, exits = [], []
            for _ in range(rounds):
                url, socket = (sink.url, sink.socket) if kind == "hangs" else ("http://127.0.0.1:9", sink.socket + "-none")
                contestant = Contestant(name, python, url, socket)
                calls = contestant.ask("turns", 5, 0.001, False)["calls"]
                longest.append(max(calls) / 1e6)
                exits.append(contestant.leave())
            rows[name][f"{kind}: longest, ms"] = min(longest)
            rows[name][f"{kind}: exit, s"] = median(exits)
    sink.set("ok")
    return rows


def judge(results, peers):
    """[(limit, who, value)]"""
    quiet, busy = results["speed"], results["work"]
    none = quiet["no-op"]
    for name in OURS:
        yield "net p50 of a callback, µs", name, quiet[name]["call_p50"] - none["call_p50"]
        yield "net p99 of a callback, µs", name, quiet[name]["call_p99"] - none["call_p99"]
        if peers:
            cheapest = min(quiet[peer]["turn_cpu"] for peer in peers) - none["turn_cpu"]
            yield (
                "net CPU of a turn beside the cheapest peer",
                name,
                (quiet[name]["turn_cpu"] - none["turn_cpu"]) / cheapest,
            )
        yield "slow-down of the agent's own work", name, busy[name]["work_wall"] / busy["no-op"]["work_wall"]
    for name, row in results["large"].items():
        if not name.startswith("no-op"):
            yield "callback with a large value, p99, ms", name, row["call_p99"] / 1e3
    yield "import and register, ms", "ours", results["load"]["ours"]["ms"]
    yield "import and register, MB", "ours", results["load"]["ours"]["mb"]
    for kind, growth in results["memory"]["ours"].items():
        yield "growth over 1,000 turns, MB", f"ours, {kind}", growth
    trouble = results["trouble"]["ours"]
    yield "exit while the service is down, s", "ours", trouble["down: exit, s"]
    yield "exit while it hangs, s", "ours", trouble["hangs: exit, s"]
    for kind in ("down", "hangs"):
        yield "longest callback while it is down or hangs, ms", f"ours, {kind}", trouble[f"{kind}: longest, ms"]


def main():
    parser = argparse.ArgumentParser(description="What the forwarder costs an agent.")
    parser.add_argument("--smoke", action="store_true", help="everything briefly, no judgement")
    parser.add_argument("--no-peers", action="store_true", help="without other plugins")
    parser.add_argument("--json", help="also write the figures to this file")
    options = parser.parse_args()
    smoke = options.smoke
    python = None if options.no_peers else python_of_peers()
    peers = list(PEERS) if python else []
    everyone = ["no-op", *OURS, *peers]
    sink = Sink()
    try:
        results = {
            "python": platform.python_version(),
            "cpus": os.cpu_count(),
            "speed": measure_speed(everyone, python, sink, 2 if smoke else 40, 1 if smoke else 3, 0.001, False),
            "work": measure_speed(["no-op", *OURS], python, sink, 2 if smoke else 30, 1 if smoke else 3, 0.001, True),
            "large": measure_large(["no-op", *OURS, *MASKED], python, sink, 3 if smoke else 40),
            "load": measure_load(["no-op", "ours", *peers], python, sink, 1 if smoke else 11),
            "memory": measure_memory(["no-op", "ours"] if smoke else ["no-op", *OURS, *peers], python, sink, 30 if smoke else 1000),
            "trouble": measure_trouble(["no-op", "ours"], python, sink, 1 if smoke else 5),
        }
    finally:
        sink.close()
    for part in ("speed", "work", "large", "load", "memory", "trouble"):
        print(f"\n{part}\n" + table([{"": name, **row} for name, row in results[part].items()]))
    verdicts = []
    for limit, who, value in judge(results, peers):
        kept = value <= LIMITS[limit]
        verdicts.append({"limit": limit, "who": who, "value": float(value), "most": LIMITS[limit], "kept": kept})
    results["verdicts"] = verdicts
    print("\nlimits\n" + table([{**v, "kept": "" if smoke else "yes" if v["kept"] else "NO"} for v in verdicts]))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=2)
    return 0 if smoke or all(verdict["kept"] for verdict in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
