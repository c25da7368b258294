"""All records of a producer that are encoded and not acknowledged, in the order of their numbers.

Older ones may be on disk, newer ones are in memory. On one connection records are sent once, in order; when it is lost,
sending starts again at the first that was not acknowledged. Only the sender's thread comes here.
"""

from __future__ import annotations

from collections import deque

from .encode import seq_of
from .spool import Spool, SpoolFull

FLIGHT_BYTES = 4_194_304
"""Most bytes that are sent and not acknowledged; then sending waits."""
_DISK_REST = 1.0
"""Seconds after a failed write before the disk is tried again."""


class Outbox:
    def __init__(self, producer: str, spool: Spool | None, most_bytes: int) -> None:
        self.producer = producer
        self._spool = spool
        self._most_bytes = most_bytes
        self._sent: deque = deque()
        self._unsent: deque = deque()
        self._bytes = 0
        # What is under way on this connection: (last number, bytes, when).
        self._flight: deque = deque()
        self._flight_bytes = 0
        # Numbers of the same records one by one, and how many lines were sent before the first of them.
        self._pending: deque[int] = deque()
        self._lines_before = 0
        self._refused: set[int] = set()
        self._reports: set[int] = set()
        self._last_sent = 0
        self._disk_at = 0.0
        self._disk_reason = "disk"
        self.acked = 0
        self.dropped: dict[str, int] = {}

    # State

    @property
    def is_empty(self) -> bool:
        """Everything is acknowledged."""
        return not self._sent and not self._unsent and (self._spool is None or self._spool.is_empty)

    @property
    def has_unsent(self) -> bool:
        return bool(self._unsent) or (self._spool is not None and not self._spool.is_read)

    @property
    def has_spool(self) -> bool:
        return self._spool is not None

    @property
    def in_memory(self) -> int:
        """Records that only memory holds."""
        return len(self._sent) + len(self._unsent)

    @property
    def has_room(self) -> bool:
        """A short record more would not be given up."""
        return self._bytes + 1024 <= self._most_bytes

    @property
    def awaits_answer(self) -> bool:
        """Records are under way."""
        return bool(self._flight)

    def unanswered_for(self, now: float) -> float:
        """Seconds since the oldest record under way was sent."""
        return now - self._flight[0][2] if self._flight else 0.0

    # In

    def add(self, seq: int, line: bytes, now: float, is_report: bool = False) -> None:
        """`is_report`: it tells of losses, so its own is none to tell of."""
        if is_report:
            self._reports.add(seq)
        self._unsent.append((seq, line, now))
        self._bytes += len(line)

    # Out

    def next_block(self, most_bytes: int, now: float) -> bytes:
        """The next lines to send on this connection, at least one. Empty when there is none, or too much is under way."""
        if self._flight_bytes >= FLIGHT_BYTES:
            return b""
        block, last = b"", 0
        if self._spool is not None and not self._spool.is_read:
            block, last = self._spool.read(most_bytes)
            self._pending.extend(map(seq_of, block.split(b"\n")[:-1]))
        if not block and self._unsent:
            block, last = self._take_unsent(most_bytes)
        if block:
            self._last_sent = max(last, self._last_sent)
            self._flight.append((last, len(block), now))
            self._flight_bytes += len(block)
        return block

    def _take_unsent(self, most_bytes: int) -> tuple[bytes, int]:
        lines = []
        size = 0
        while self._unsent and (not lines or size + len(self._unsent[0][1]) <= most_bytes):
            line = self._unsent.popleft()
            self._sent.append(line)
            self._pending.append(line[0])
            lines.append(line[1])
            size += len(line[1])
        return b"".join(lines), self._sent[-1][0]

    def acknowledge(self, seq: int) -> None:
        """Lets go of records up to `seq`. One that was never sent cannot be acknowledged: that is ignored."""
        if seq > self._last_sent or seq <= self.acked:
            return
        pending = self._pending
        while pending and (pending[0] <= seq or pending[0] in self._refused):
            seq = max(seq, pending[0])
            self._settled(pending.popleft())
        self.acked = seq
        while self._sent and self._sent[0][0] <= seq:
            self._bytes -= len(self._sent.popleft()[1])
        while self._flight and self._flight[0][0] <= seq:
            self._flight_bytes -= self._flight.popleft()[1]
        if self._spool is not None:
            self._spool.release(seq)

    def _settled(self, seq: int) -> None:
        self._lines_before += 1
        self._refused.discard(seq)
        self._reports.discard(seq)

    def refuse(self, line: int) -> None:
        """The service takes the record in this line of the connection never, so it is given up. Later ones may be
        acknowledged before it; where none comes, it is let go of here.
        """
        at = line - self._lines_before - 1
        if not 0 <= at < len(self._pending):
            return
        seq = self._pending[at]
        if seq not in self._refused:
            self._refused.add(seq)
            if seq not in self._reports:
                self.give_up("refused")
        if self._pending[0] in self._refused:
            self.acknowledge(self._pending[0])

    def acknowledge_sent(self) -> None:
        """All that is under way arrived, for carriers that know at once."""
        self.acknowledge(self._last_sent)

    def refuse_sent(self, count: int) -> None:
        """The same, where so many of them will never be taken. Which ones does not matter, unless it is a report alone."""
        is_report = len(self._pending) == count and self._reports.issuperset(self._pending)
        self.acknowledge_sent()
        if count > 0 and not is_report:
            self.give_up("refused", count)

    def rewind(self) -> None:
        """The connection is gone: what was not acknowledged is to be sent again."""
        self._unsent.extendleft(reversed(self._sent))
        self._sent.clear()
        self._flight.clear()
        self._flight_bytes = 0
        self._pending.clear()
        self._lines_before = 0
        self._last_sent = self.acked
        if self._spool is not None:
            self._spool.rewind()

    # Disk

    def to_disk(self, now: float) -> bool:
        """Puts what only memory holds on disk, so that it outlives this process. False when some could not be."""
        spool = self._spool
        if spool is not None and now >= self._disk_at:
            try:
                if self._sent:
                    self._write(spool, self._sent)
                    spool.skip_to_end()
                self._write(spool, self._unsent)
            except SpoolFull:
                self._disk_reason = "spool_full"
                self._disk_at = now + _DISK_REST
            except OSError:
                self._disk_reason = "disk"
                self._disk_at = now + _DISK_REST
        self.bound()
        return self.in_memory == 0

    def _write(self, spool: Spool, lines: deque) -> None:
        while lines:
            group = []
            size = 0
            for line in lines:
                if group and size + len(line[1]) > spool.group_bytes:
                    break
                group.append(line)
                size += len(line[1])
            spool.append(group)
            for _ in group:
                lines.popleft()
            self._bytes -= size

    def bound(self) -> None:
        """Gives up the newest records in memory over the limit, and counts them."""
        while self._bytes > self._most_bytes and self._unsent:
            self._bytes -= len(self._unsent.pop()[1])
            self.give_up(self._disk_reason)

    def give_up(self, reason: str, count: int = 1) -> None:
        self.dropped[reason] = self.dropped.get(reason, 0) + count

    def close_files(self) -> None:
        if self._spool is not None:
            self._spool.close_file()

    def forget(self) -> None:
        if self._spool is not None:
            self._spool.forget()
