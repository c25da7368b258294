"""Profiles in one process, each with a turn of its own at the same time; then all are unloaded, loaded and unloaded.

Runs with the agent's interpreter and HERMES_HOME of the first profile. Prints one JSON object: sessions by profile, and what
was left after each unloading.
"""
import fcntl
import glob
import json
import os
import socket
import sys
import threading
import time

import hermes_bootstrap  # noqa: F401

from hermes_cli.plugins import get_plugin_manager
from hermes_constants import set_hermes_home_override
from run_agent import AIAgent

HOME = os.environ["HERMES_HOME"]
HOMES = {"default": HOME, **{name: os.path.join(HOME, "profiles", name) for name in ("garden", "orchard")}}
SOCKET = os.path.basename(os.environ["HERMES_OBSERVER_SOCKET"])  # Its folder has another name outside of the sandbox.
URL = f"http://127.0.0.1:{os.environ['MOCK_PORT']}/v1"
SPOOLS = os.path.join(os.environ["HERMES_OBSERVER_DATA"], "forwarder")


def as_profile(name, work):
    """Runs it on a thread whose home is the profile's, as a gateway of several profiles does."""
    found = []

    def run():
        set_hermes_home_override(HOMES[name])
        found.append(work())

    thread = threading.Thread(target=run)
    thread.start()
    return thread, found


def each(work):
    runs = {name: as_profile(name, lambda name=name: work(name)) for name in HOMES}
    for thread, _ in runs.values():
        thread.join()
    return {name: found[0] for name, (_, found) in runs.items()}


def load(name):
    get_plugin_manager().discover_and_load()
    return get_plugin_manager()


def talk(name):
    session = f"20260101_100000_{name}"
    agent = AIAgent(base_url=URL, api_key="mock-key", provider="custom", model="mock-large", platform="api_server",
                    session_id=session, quiet_mode=True, max_iterations=10, skip_context_files=True)
    agent.run_conversation(user_message="[[parallel]] Read both files.", conversation_history=[], task_id=session)
    return session


def descriptors():
    """Open files of this process that only a forwarder opens: spools, and connections to the service."""
    found = []
    for number in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{number}")
            if target.startswith("socket:"):
                with socket.socket(fileno=os.dup(int(number))) as one:
                    target = str(one.getpeername())
        except OSError:
            continue
        if SPOOLS in target or os.path.basename(target) == SOCKET:
            found.append(target)
    return sorted(found)


def locked(path):
    with open(path) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
    return False


def left():
    """Threads, open files and locks of forwarders; waits a little, since an agent does not wait for a plugin to end."""
    until = time.time() + 5
    while True:
        found = {
            "threads": [one.name for one in threading.enumerate() if one.name.startswith("hermes-observer")],
            "files": descriptors(),
            "locks": [path for path in glob.glob(f"{SPOOLS}/*.open") if locked(path)],
        }
        if time.time() > until or not any(found.values()):
            return found
        time.sleep(0.05)


managers = each(load)
hooks = {name: sorted(hook for hook in manager._hooks if manager._hooks[hook]) for name, manager in managers.items()}
running = [one.name for one in threading.enumerate() if one.name == "hermes-observer"]
sessions = each(talk)
connected = descriptors()
each(lambda name: get_plugin_manager().unload())
after_unload = left()
each(lambda name: get_plugin_manager().discover_and_load(force=True))
reloaded = [one.name for one in threading.enumerate() if one.name == "hermes-observer"]
each(lambda name: get_plugin_manager().unload())
after_reload = left()
print(json.dumps({"sessions": sessions, "hooks": {name: len(found) for name, found in hooks.items()}, "running": len(running), "connected": len(connected),
                  "reloaded": len(reloaded), "left": [after_unload, after_reload]}), file=sys.__stdout__, flush=True)
