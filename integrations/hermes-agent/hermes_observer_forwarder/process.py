"""What there is once a process, though the agent may load this package several times: once a profile.

It lives in `sys.modules` under a name of its own, since module globals exist once a load. Loads of another version have
senders of their own.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
import types

from .sender import EXIT_SECONDS, Sender
from .settings import Settings
from .version import VERSION

_NAME = "_hermes_observer_forwarder_process"


class Senders:
    """Senders by what they were asked for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._senders: dict[tuple, Sender] = {}
        self._closing: list[Sender] = []

    def use(self, settings: Settings) -> Sender:
        """The sender for these settings, made when it is the first use."""
        with self._lock:
            key = settings.key()
            sender = self._senders.get(key)
            if sender is None:
                sender = self._senders[key] = Sender(settings)
            sender.users += 1
            return sender

    def release(self, sender: Sender) -> None:
        """One user less; the last one closes it."""
        with self._lock:
            sender.users -= 1
            key = sender.settings.key()
            if sender.users > 0 or self._senders.get(key) is not sender:
                return
            del self._senders[key]
            self._closing.append(sender)
        sender.close(lambda: self._closing.remove(sender))

    def finish(self) -> None:
        """The process ends. All of them at once, so that the time is that of one."""
        senders = [*self._senders.values(), *self._closing]
        for sender in senders:
            sender.begin_finish()
        until = time.monotonic() + EXIT_SECONDS
        for sender in senders:
            sender.end_finish(until)

    def after_fork(self) -> None:
        self._lock = threading.Lock()
        self._closing = []
        for sender in list(self._senders.values()):
            sender.after_fork()


def senders() -> Senders:
    """Those of this process and this version."""
    holder = sys.modules.get(_NAME)
    if holder is None:
        holder = sys.modules.setdefault(_NAME, types.ModuleType(_NAME))
    by_version: dict = holder.__dict__.setdefault("senders", {})
    found = by_version.get(VERSION)
    if found is None:
        made = Senders()
        found = by_version.setdefault(VERSION, made)
        if found is made:
            atexit.register(made.finish)
            if hasattr(os, "register_at_fork"):
                os.register_at_fork(after_in_child=made.after_fork)
    return found
