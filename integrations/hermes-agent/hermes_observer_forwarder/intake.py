"""The bounded queue between the agent's threads and the sender's thread.

Adding is `deque.append`, which no lock guards and nobody is woken by: waking a thread that waits is what a queue costs
its callers. The sender looks here every few milliseconds instead.
"""

from __future__ import annotations

import threading
from collections import deque

Entry = tuple
"""(hook, time in nanoseconds, profile, payload)"""


class Intake:
    """What was not taken out yet. Who adds looks at the limits first, and adds to `bytes` about what it added: an estimate, since
    threads may do so at once, which is set right whenever the queue is empty.
    """

    __slots__ = ("entries", "bytes", "most_records", "most_bytes", "_refused", "_counting")

    def __init__(self, most_records: int, most_bytes: int) -> None:
        self.entries: deque[Entry] = deque()
        self.bytes = 0
        self.most_records = most_records
        self.most_bytes = most_bytes
        self._refused: dict[str, int] = {}
        self._counting = threading.Lock()

    def refuse(self, reason: str) -> None:
        """Counts a record that is given up. The lock is held for a sum, never during a read or write."""
        with self._counting:
            self._refused[reason] = self._refused.get(reason, 0) + 1

    def take_refused(self) -> dict[str, int]:
        """What was given up since the last time, by reason."""
        if not self._refused:
            return {}
        with self._counting:
            refused, self._refused = self._refused, {}
        return refused

    def take(self) -> Entry | None:
        """The oldest entry, None when there is none."""
        try:
            return self.entries.popleft()
        except IndexError:
            self.bytes = 0
            return None

    def reset_after_fork(self) -> None:
        """Empties it in a child process: what is in it is the parent's to send, and the lock may be held by nobody left."""
        self.entries.clear()
        self.bytes = 0
        self._refused = {}
        self._counting = threading.Lock()
