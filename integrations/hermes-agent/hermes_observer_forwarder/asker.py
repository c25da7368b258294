"""Puts questions to the service on the agent's threads: as many at once as there are threads, each over a connection of its own
that is kept for the next one. A question is asked again while the service is started anew; it knows it by its ids.
"""

from __future__ import annotations

import itertools
import os
import time
from collections import deque

from .answers import NonsenseError
from .conversation import LateError, SocketConversation
from .http_conversation import HttpConversation
from .http_target import HttpTarget
from .settings import Settings, read_token
from .waiting import ExpiredError

_MOST_IDLE = 8
_RESTART_SECONDS = 5.0
"""A service that was there a moment ago is waited for so long."""
_RECENT_SECONDS = 60.0
_FIRST_PAUSE = 0.02
_LONGEST_PAUSE = 0.25
_LONGEST_RESERVE = 1.0


class UnreachableError(ConnectionError):
    """Nobody that speaks the protocol answered. Says why; `is_late` when it took all the time there was."""

    def __init__(self, reason: str, is_late: bool = False) -> None:
        super().__init__(reason)
        self.is_late = is_late


class Asker:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._restart = os.urandom(6).hex()
        self._numbers = itertools.count(1)
        # Appending and popping are one step each, so that no lock can be left held by a thread that is gone after a fork.
        self._idle: deque = deque()
        self._seen_at: float | None = None

    def ask(self, hook: str, payload: bytes, seconds: float) -> dict:
        """The answer to a question whose payload is JSON. Raises UnreachableError, or what `conversation.py` says of a service
        that is there and does not answer. Never waits longer than `seconds`.
        """
        begin = time.monotonic()
        until = begin + seconds
        reserve = min(_LONGEST_RESERVE, seconds / 5)
        patience = _RESTART_SECONDS if self._is_expected(begin) else 0.0
        failed_at: float | None = None
        pause = _FIRST_PAUSE
        while True:
            conversation, is_kept = self._take()
            had_one = conversation is not None
            try:
                if conversation is None:
                    conversation = self._open(until)
                    had_one = True
                # Another name each time, so that an answer to an earlier try is not taken for this one's.
                ask_id = f"{self._restart}-{next(self._numbers)}"
                left = max(1, int((until - time.monotonic() - 1.5 * reserve) * 1000))
                head = f'{{"op":"ask","id":"{ask_id}","hook":"{hook}","deadline_ms":{left},"payload":'
                answer = conversation.ask(head.encode() + payload + b"}\n", ask_id, until, until - reserve)
                self._seen_at = time.monotonic()
                self._keep(conversation)
                conversation = None
                return answer
            except NonsenseError as error:
                raise UnreachableError(str(error)) from error
            except ExpiredError as error:
                raise UnreachableError("no answer in time", is_late=True) from error
            except LateError:
                raise
            except OSError as error:
                if had_one:
                    patience = _RESTART_SECONDS
                if is_kept:  # It may have been closed long ago.
                    continue
                now = time.monotonic()
                failed_at = failed_at or now
                if now - failed_at + pause > patience or now + pause > until:
                    raise UnreachableError(f"{type(error).__name__}: {error}"[:200], now + pause > until) from error
            finally:
                if conversation is not None:
                    conversation.close()
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)

    def _is_expected(self, now: float) -> bool:
        return self._settings.autostart or (self._seen_at is not None and now - self._seen_at < _RECENT_SECONDS)

    def _take(self) -> tuple[SocketConversation | HttpConversation | None, bool]:
        try:
            return self._idle.pop(), True
        except IndexError:
            return None, False

    def _keep(self, conversation: SocketConversation | HttpConversation) -> None:
        if len(self._idle) >= _MOST_IDLE or getattr(conversation, "is_closed", False):
            conversation.close()
        else:
            self._idle.append(conversation)

    def _open(self, until: float) -> SocketConversation | HttpConversation:
        """The socket first; the address only if the socket does not answer."""
        settings = self._settings
        try:
            return SocketConversation(settings.socket, until)
        except ExpiredError:
            raise
        except OSError:
            if not settings.url:
                raise
        try:
            return HttpConversation(HttpTarget(settings.url), read_token(settings), until)
        except ValueError as error:
            raise ConnectionError("not an address") from error

    def close(self) -> None:
        """Closes what is kept: also of a parent, in a child process, where it is not this one's to use."""
        while self._idle:
            conversation, _ = self._take()
            if conversation is not None:
                conversation.close()
