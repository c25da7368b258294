"""Spool files of processes that are gone, for an agent that reaches its service over HTTP.

A service on the same machine takes them over itself. One on another machine does not see the folder, so the next process that
has a connection delivers them. A lock on the file tells whether its process lives; numbers of processes mean nothing in
containers. Two processes that deliver the same file do no harm: a record that comes twice changes nothing.
"""

from __future__ import annotations

import os
import time

_LOOK_SECONDS = 2.0
_SETTLED_SECONDS = 60.0
"""A closed file may be one that its own process is about to send; after so long it is not."""


class Leftover:
    """One file, as something to send from. Deleted when all of it was acknowledged."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.producer = os.path.basename(path).partition("-")[0]
        self._file = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        self._size = os.fstat(self._file).st_size
        self._at = 0
        self._next = 0

    def next_block(self, most_bytes: int, now: float) -> bytes:
        """The next whole lines; a last line that was cut when its process died is left out."""
        block = os.pread(self._file, min(most_bytes, self._size - self._at), self._at)
        end = block.rfind(b"\n") + 1
        if end == 0 and len(block) < self._size - self._at:
            block = os.pread(self._file, self._size - self._at, self._at)
            end = block.find(b"\n") + 1
        self._next = self._at + end
        if end == 0:
            self.close()
        return block[:end]

    def acknowledge_sent(self) -> None:
        self._at = self._next
        if self._at >= self._size:
            self.close()

    def refuse_sent(self, count: int) -> None:
        self.acknowledge_sent()

    def rewind(self) -> None:
        self._next = self._at

    def give_up(self, reason: str) -> None:
        """A line that the way to the service does not take; its producer is no more, so nobody counts it."""

    @property
    def is_done(self) -> bool:
        return self._file < 0

    def close(self) -> None:
        """Everything in it was delivered."""
        if self._file >= 0:
            self.abandon()
            try:
                os.unlink(self.path)
            except OSError:
                pass

    def abandon(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


class Leftovers:
    def __init__(self, folder: str, producer: str) -> None:
        self._folder = folder
        self._own = f"{producer}-"
        self._current: Leftover | None = None
        self._next_look = 0.0

    def current(self, now: float) -> Leftover | None:
        """The oldest file that nobody else looks after. Looks into the folder every 2 seconds at most."""
        if self._current is not None and not self._current.is_done:
            return self._current
        if self._current is None and now < self._next_look:
            return None
        self._current = self._find()
        self._next_look = now + _LOOK_SECONDS
        return self._current

    def _find(self) -> Leftover | None:
        try:
            names = sorted(os.listdir(self._folder))
        except OSError:
            return None
        for name in names:
            path = os.path.join(self._folder, name)
            if name.startswith(self._own) or not _is_left(path):
                continue
            try:
                return Leftover(path)
            except OSError:
                continue
        return None

    def close(self) -> None:
        if self._current is not None:
            self._current.abandon()
            self._current = None


def _is_left(path: str) -> bool:
    if path.endswith(".ndjson.open"):
        return not _is_locked(path)
    if not path.endswith(".ndjson"):
        return False
    try:
        return time.time() - os.stat(path).st_mtime > _SETTLED_SECONDS or not _is_running(path)
    except OSError:
        return False


def _is_running(path: str) -> bool:
    """Some process has the number in the name; in a container it may be another one."""
    number = os.path.basename(path).split("-")[1:2]
    if not number or not number[0].isdigit() or int(number[0]) == os.getpid():
        return False
    try:
        os.kill(int(number[0]), 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _is_locked(path: str) -> bool:
    try:
        import fcntl

        file = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    except (ImportError, OSError):
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(file)
    return False
