"""What a tool call costs that policy is asked about, and one that it is not: python tools/ask_cost.py [CALLS]

Talks to the service at HERMES_OBSERVER_SOCKET, which has to allow all calls. One line of JSON: microseconds.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "tests")]

from doubles import Context  # noqa: E402

import hermes_observer_forwarder as forwarder  # noqa: E402

ARGS = {"command": "git status --short && ls -la src", "timeout": 60, "workdir": "/home/user/project"}


def callback(policy: str):
    os.environ["HERMES_OBSERVER_POLICY"] = policy
    context = Context()
    forwarder.register(context)
    time.sleep(0.5)
    return context.hooks["pre_tool_call"][0]


def times(call, count: int, mark: str) -> list[float]:
    taken = []
    for number in range(count):
        ids = {"session_id": "s", "task_id": "s", "turn_id": "t", "tool_call_id": f"{mark}{number}", "api_request_id": "r"}
        begin = time.perf_counter()
        directive = call(tool_name="terminal", args=dict(ARGS), middleware_trace=[], **ids)
        taken.append(time.perf_counter() - begin)
        if directive is not None and directive["action"] == "block":
            sys.exit(directive["message"])
        # As far apart as calls of an agent are, at the least: the sender's thread is asleep again.
        time.sleep(0.002)
    return taken


def said(taken: list[float]) -> dict:
    taken = sorted(taken)
    return {name: round(taken[min(len(taken) - 1, int(len(taken) * part))] * 1e6) for name, part in (("p50", 0.5), ("p99", 0.99))}


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    off, on = callback("off"), callback("on")
    times(off, 50, "w"), times(on, 50, "v")
    together: list[float] = []
    result = {"off": said(times(off, count, "a")), "on": said(times(on, count, "b"))}
    threads = [threading.Thread(target=lambda n=n: together.extend(times(on, count // 8, f"c{n}-"))) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps({**result, "on, 8 threads": said(together)}))


main()
