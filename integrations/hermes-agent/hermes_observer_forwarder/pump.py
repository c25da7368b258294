"""Everything between the queue and the service, one step at a time. No thread and no lock: see `sender.py`."""

from __future__ import annotations

import os
import time

from .encode import encode_record
from .guard import DECISION
from .intake import Intake
from .link import Link
from .outbox import Outbox
from .projection import Reduction, reduction
from .settings import Settings
from .spool import Spool

LONGEST_LINE = 16_777_216 - 1024
"""Bytes of one record; the service takes no longer line."""
_STUCK_SECONDS = 0.1
"""What could not be sent for so long goes to disk."""
_HUNG_SECONDS = 1.0
"""A service that answered nothing for so long may never read what it was sent."""
_REPORT_SECONDS = 1.0
_MOST_AT_ONCE = 2048
_ACK_SECONDS = 0.02
_HEALTHY_SECONDS = 0.2
_EXIT_UP_SECONDS = 0.6
_EXIT_TRYING_SECONDS = 0.15
_NAP = 0.001

HELLO = "observer_hello"
DROPPED = "observer_dropped"


class Pump:
    """One producer: its id, its numbers, its records."""

    def __init__(self, settings: Settings, intake: Intake, hellos: list[tuple[str | None, dict, int]], is_child: bool) -> None:
        self.producer = os.urandom(8).hex()
        self._intake = intake
        self._hellos = hellos
        self._greeted = 0
        # A forked child that calls no hook is not worth a hello.
        self._greets_first = not is_child
        self._pid = os.getpid()
        # Its own records are no hooks of the agent.
        self._reductions: dict[str, Reduction] = {HELLO: dict, DROPPED: dict, DECISION: dict}
        self._capture = settings.capture
        self._seq = 0
        self._real = 0
        spool = None
        if not settings.file:
            spool = Spool(
                f"{settings.data}/forwarder",
                self.producer,
                settings.spool_bytes,
                settings.spool_folder_bytes,
                settings.spool_file_bytes,
            )
        self.outbox = Outbox(self.producer, spool, settings.queue_bytes)
        self.link = Link(settings, self.producer)
        self._stuck_since: float | None = None
        self._reported_at = 0.0
        self.dropped = 0
        self.lost_for = ""

    @property
    def is_sending(self) -> bool:
        """Something could go out and has not."""
        return (self.link.is_up or self.link.is_trying) and (self.outbox.has_unsent or self.link.has_rest)

    # One step

    def step(self) -> bool:
        """Takes what is queued, sends what can be sent, puts on disk what cannot. True when something moved."""
        now = time.monotonic()
        took = self._take(now)
        moved = self.link.step(self.outbox, now)
        self._settle(now)
        if self.outbox.dropped and self.outbox.has_room and now - self._reported_at >= _REPORT_SECONDS:
            self._report(now)
        return took or moved

    def _take(self, now: float) -> bool:
        if self._greets_first or self._intake.entries:
            self._greets_first = True
            self._greet(now)
        refused = self._intake.take_refused()
        take = self._intake.take
        count = 0
        while count < _MOST_AT_ONCE:
            entry = take()
            if entry is None:
                break
            count += 1
            hook, when, profile, payload = entry
            self._add(hook, when, profile, payload, now)
            self._real += 1
        for reason, lost in refused.items():
            # They have no number of their own; the gap shows where they would have been.
            self._seq += lost
            self.outbox.give_up(reason, lost)
        return count > 0

    def _greet(self, now: float) -> None:
        while self._greeted < len(self._hellos):
            profile, payload, when = self._hellos[self._greeted]
            self._greeted += 1
            self._add(HELLO, when, profile, {**payload, "pid": self._pid}, now)

    def _add(self, hook: str, when: int, profile: str | None, payload: dict, now: float) -> None:
        self._seq += 1
        try:
            reduce = self._reductions.get(hook)
            if reduce is None:
                reduce = self._reductions[hook] = reduction(hook, self._capture)
            line = encode_record(self._seq, self.producer, hook, when, profile, reduce(payload))
        except BaseException:  # Whatever a payload does, the next record is not its fault.
            self.outbox.give_up("unencodable")
            return
        if len(line) > LONGEST_LINE:
            self.outbox.give_up("too_long")
            return
        self.outbox.add(self._seq, line, now, is_report=hook == DROPPED)

    def _settle(self, now: float) -> None:
        """Decides what has to be on disk: all that no living connection has taken."""
        outbox = self.outbox
        if not outbox.in_memory:
            self._stuck_since = None
            return
        if not (self.link.is_up or self.link.is_trying) or outbox.unanswered_for(now) > _HUNG_SECONDS:
            self._to_disk(now)
            return
        if not (outbox.has_unsent or self.link.has_rest):
            self._stuck_since = None
        elif self._stuck_since is None:
            self._stuck_since = now
        elif now - self._stuck_since > _STUCK_SECONDS:
            self._to_disk(now)
        outbox.bound()

    def _to_disk(self, now: float) -> None:
        # A process that only said hello is not worth a file.
        if self._real or not self.outbox.has_spool:
            self.outbox.to_disk(now)

    def _report(self, now: float) -> None:
        """One `observer_dropped` a reason; only while there is room, since one that is given up would count as one."""
        self._reported_at = now
        dropped, self.outbox.dropped = self.outbox.dropped, {}
        for reason, count in dropped.items():
            self.dropped += count
            self.lost_for = reason
            self._add(DROPPED, time.time_ns(), None, {"count": count, "reason": reason}, now)

    # Ends

    def hand_over(self) -> None:
        """Makes what is queued outlive this process: with the service, and on disk unless it is acknowledged at once."""
        self.step()
        end = time.monotonic() + _ACK_SECONDS
        outbox = self.outbox
        while outbox.in_memory and self.link.is_up:
            now = time.monotonic()
            # One that has not answered for a while will not do so now.
            if now > end or outbox.unanswered_for(now) > _HEALTHY_SECONDS:
                break
            if not self.step():
                time.sleep(_NAP)
        if outbox.in_memory:
            self._to_disk(time.monotonic())

    def finish(self) -> None:
        """The process ends: sends what it can in a bounded time, and leaves the rest on disk. May be called again."""
        self.link.try_now()
        begin = time.monotonic()
        outbox = self.outbox
        while True:
            moved = self.step()
            now = time.monotonic()
            if outbox.dropped and outbox.has_room:
                self._report(now)
            elif outbox.is_empty and not self._intake.entries:
                break
            if self.link.is_up:
                hung = outbox.unanswered_for(begin) > 2 * _HEALTHY_SECONDS
                if now - begin > _EXIT_UP_SECONDS or (hung and not self._intake.entries):
                    break
            elif not self.link.is_trying or now - begin > _EXIT_TRYING_SECONDS:
                break
            if not moved:
                time.sleep(_NAP)
        self._to_disk(now)
        outbox.close_files()

    def close(self) -> None:
        self.link.close()
        self.outbox.close_files()

    def forget(self) -> None:
        """In a child process: closes what was inherited, and nothing else."""
        self.link.close()
        self.outbox.forget()
