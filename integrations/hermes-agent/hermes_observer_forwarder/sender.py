"""The one thread that sends, and what the agent's threads may ask of it.

The agent's threads never take the lock that is held while something is sent or written: they append to the intake, and at
the end of a one-shot run they wait a bounded time on a lock of their own.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

from .guard import HOOK as GUARDED
from .guard import Guard
from .intake import Intake
from .observer import Leaving, observer
from .pump import Pump
from .settings import Settings

_POLL = 0.02
_IDLE_POLL = 0.05
_IDLE_STEPS = 100
_HAND_OVER_SECONDS = 0.1
_DEPART_SECONDS = 0.05
EXIT_SECONDS = 0.9
"""The most that the end of a process waits for all of this."""


class Sender:
    """One a process and configuration, shared by all profiles; a fork makes a new producer of it."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.intake = Intake(settings.queue_records, settings.queue_bytes)
        self._hellos: list[tuple[str | None, dict, int]] = []
        self.users = 0
        self.faults = 0
        self._leaving = Leaving()
        self._problem_shown = False
        self._guard = Guard(self) if settings.policy else None
        self._reset(is_child=False)

    def _reset(self, is_child: bool) -> None:
        self.is_running = False
        self._is_closing = False
        self._is_late = False
        self._pumping = threading.Lock()
        self._starting = threading.Lock()
        # Held while there is nothing to hurry for; released to wake the thread before its time.
        self._hurry = threading.Lock()
        self._hurry.acquire()
        self._waiting: deque = deque()
        self._departing: deque = deque()
        self._thread: threading.Thread | None = None
        self._retry_start = 0.0
        self.pump = Pump(self.settings, self.intake, self._hellos, is_child)

    def observer(self, hook: str, profile: str | None) -> Callable[..., dict | None]:
        """The callback of one hook. Made here, so that all of a sender is of one load of this package."""
        observe = observer(hook, self, profile, self._leaving)
        if self._guard is not None:
            if hook == GUARDED:
                return self._guard.callback(observe, profile)
            return self._guard.watch(hook, observe, profile)
        return observe

    # From the agent's threads

    def greet(self, profile: str | None, payload: dict) -> None:
        """A profile begins to use this sender."""
        self._hellos.append((profile, payload, time.time_ns()))
        self.wake()

    def add_own(self, hook: str, profile: str | None, payload: dict) -> None:
        """A record of this plugin's own, beside the hook calls."""
        if len(self.intake.entries) >= self.intake.most_records:
            self.intake.refuse("queue_full")
            return
        self.intake.entries.append((hook, time.time_ns(), profile, payload))
        if not self.is_running:
            self.wake()

    def wake(self) -> None:
        """Starts the thread, where it does not run yet. After the process has begun to end, does its work here."""
        if self._is_late:
            self._pump_here()
            return
        if self.is_running or self._is_closing or not self._starting.acquire(blocking=False):
            return
        try:
            if self.is_running or time.monotonic() < self._retry_start:
                return
            thread = threading.Thread(target=self._run, name="hermes-observer", daemon=True)
            thread.start()
            self._thread = thread
            self.is_running = True
        except RuntimeError:
            # No threads left, or the interpreter is shutting down. The queue has a bound.
            self._retry_start = time.monotonic() + 1.0
        finally:
            self._starting.release()

    def hand_over(self) -> None:
        """Waits, at most 0.1 s, until what is queued would outlive this process."""
        self._wait_among(self._waiting, _HAND_OVER_SECONDS)

    def depart(self) -> None:
        """Waits, at most 0.05 s, until what is queued is on its way to the service, or on disk: what the service is told next,
        over another connection, comes behind it.
        """
        self._wait_among(self._departing, _DEPART_SECONDS)

    def _wait_among(self, waiting, seconds) -> None:
        if not self.is_running or self._is_late:
            self.wake()
            if not self.is_running:
                return
        done = threading.Lock()
        done.acquire()
        waiting.append(done)
        self.nudge()
        done.acquire(timeout=seconds)

    def nudge(self) -> None:
        try:
            self._hurry.release()
        except RuntimeError:  # Somebody else did.
            pass

    # The thread

    def _run(self) -> None:
        idle = 0
        hurry = self._hurry
        while not self._is_closing:
            moved = False
            with self._pumping:
                waiting = [self._waiting.popleft() for _ in range(len(self._waiting))]
                departing = len(self._departing)
                try:
                    if waiting:
                        self.pump.hand_over()
                    moved = self.pump.step()
                except Exception:  # A fault here must not end the thread: what is queued later still has to go out.
                    self.faults += 1
            for done in waiting:
                done.release()
            if departing and not self.pump.is_sending:
                for _ in range(departing):
                    self._departing.popleft().release()
            self._show_problem()
            idle = 0 if moved else idle + 1
            hurry.acquire(timeout=_POLL if idle < _IDLE_STEPS else _IDLE_POLL)
        self._finish_here()

    def _show_problem(self) -> None:
        """One line in the agent's log, the first time that something is lost or was asked for in vain."""
        if self._problem_shown:
            return
        text = "; ".join(self.settings.problems)
        if not text and self.pump.dropped:
            text = f"{self.pump.dropped} records given up ({self.pump.link.failure or self.pump.lost_for})"
        if text:
            self._problem_shown = True
            import logging

            logging.getLogger("hermes_observer").warning("hermes-observer: %s", text)

    # Ends

    def finish(self, seconds: float = EXIT_SECONDS) -> None:
        """The process ends, or nobody uses this any more: what is queued goes out or to disk, in a bounded time."""
        self.begin_finish()
        self.end_finish(time.monotonic() + seconds)

    def begin_finish(self) -> None:
        self._is_closing = True
        self.nudge()

    def end_finish(self, until: float) -> None:
        """Waits for what `begin_finish` began, until a time of the monotonic clock."""
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(max(0.0, until - time.monotonic()))
        if not self._is_late:  # It never ran, or hangs in a write to a disk.
            self._finish_here()

    def _finish_here(self) -> None:
        if self._pumping.acquire(timeout=_HAND_OVER_SECONDS):
            try:
                if not self._is_late:
                    self.pump.finish()
            except Exception:
                self.faults += 1
            finally:
                self._is_late = True
                self._pumping.release()
        self.is_running = False
        if self.intake.entries:
            self._pump_here()

    def _pump_here(self) -> None:
        """After the end: other exit handlers of the agent still call hooks."""
        if not self._pumping.acquire(timeout=_HAND_OVER_SECONDS):
            return
        try:
            self.pump.hand_over()
            self.pump.outbox.close_files()
        except Exception:
            self.faults += 1
        finally:
            self._pumping.release()

    def close(self, closed: Callable[[], None]) -> None:
        """Like `finish`, in the background, then `closed()`: an agent that unloads a plugin goes on."""

        def work() -> None:
            self.finish()
            with self._pumping:
                self.pump.close()
            if self._guard is not None:
                self._guard.asker.close()
            closed()

        try:
            threading.Thread(target=work, name="hermes-observer-close", daemon=True).start()
        except RuntimeError:
            work()

    def after_fork(self) -> None:
        """In a child process: a new producer with an empty queue, whose thread starts with its first record."""
        old = self.pump
        now = time.time_ns()
        self._hellos[:] = [(profile, payload, now) for profile, payload, _ in self._hellos]
        self.intake.reset_after_fork()
        if self._guard is not None:
            self._guard.after_fork()
        self._reset(is_child=True)
        try:
            old.forget()
        except Exception:
            self.faults += 1
