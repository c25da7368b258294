"""A contestant's process. Reads commands, one JSON list a line, and answers with one JSON line each.

    ["turns", count, pace in seconds, with own work]    → figures of each callback and each turn
    ["large", kind, count]                               → figures of calls with a large value among the arguments
    ["memory", turns, ended]                             → resident bytes before and after
    ["leave"]                                            → a last line with the time, then a normal exit
"""

import gc
import json
import logging
import os
import sys
import time

logging.disable(logging.CRITICAL)

from contestants import load  # noqa: E402
from turns import LARGE, large_call, turn  # noqa: E402


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def own_work(rounds=6000):
    total = 0
    for i in range(rounds):
        total += i * i % 7
    return total


class Measure:
    def __init__(self, context):
        self.hooks = context.hooks
        self.number = 0

    def turns(self, count, pace, works):
        calls, turns, work = [], [], []
        cpu = time.process_time_ns()
        spent = 0
        for _ in range(count):
            # What builds the payloads is not what is measured.
            before = time.process_time_ns()
            events = list(turn(f"s{self.number // 20}", self.number, first=self.number % 20 == 0))
            spent += time.process_time_ns() - before
            self.number += 1
            wall = thread = worked = worked_wall = 0
            for hook, arguments in events:
                time.sleep(pace)
                for callback in self.hooks.get(hook, ()):
                    a, b = time.thread_time_ns(), time.perf_counter_ns()
                    callback(**arguments)
                    b, a = time.perf_counter_ns() - b, time.thread_time_ns() - a
                    calls.append(b)
                    wall += b
                    thread += a
                if works:
                    a, b = time.thread_time_ns(), time.perf_counter_ns()
                    own_work()
                    worked_wall += time.perf_counter_ns() - b
                    worked += time.thread_time_ns() - a
            turns.append([wall, thread])
            work.append([worked_wall, worked])
        time.sleep(0.03)
        process = time.process_time_ns() - cpu - spent
        return {"calls": calls, "turns": turns, "work": work, "process": process / count}

    def large(self, kind, count):
        value = LARGE[kind]()
        calls = []
        for number in range(count):
            time.sleep(0.03)
            hook, arguments = large_call(number, value)
            for callback in self.hooks.get(hook, ()):
                began = time.perf_counter_ns()
                callback(**arguments)
                calls.append(time.perf_counter_ns() - began)
        return {"calls": calls}

    def memory(self, count, ended):
        gc.collect()
        before = resident()
        for number in range(count):
            for hook, arguments in turn(f"m{number // 20}", number, first=number % 20 == 0, ended=ended):
                for callback in self.hooks.get(hook, ()):
                    callback(**arguments)
                time.sleep(0.0002)
        time.sleep(1.0)
        gc.collect()
        return {"before": before, "after": resident()}


def main():
    name = sys.argv[1]
    # Payloads and modules that any agent has are loaded before anything is weighed.
    list(turn("warm", 0, first=True))
    measure = Measure(load(name))
    for line in sys.stdin:
        command, *arguments = json.loads(line)
        if command == "leave":
            print(json.dumps({"at": time.time()}), flush=True)
            return
        print(json.dumps(getattr(measure, command)(*arguments)), flush=True)


if __name__ == "__main__":
    main()
