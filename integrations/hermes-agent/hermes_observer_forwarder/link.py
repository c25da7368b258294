"""The way to the service: the socket, else the address, or a file; made again after a failure, with pauses that grow."""

from __future__ import annotations

import os

from .autostart import Autostart
from .file_transport import FileTransport
from .http_target import HttpTarget
from .http_transport import HttpTransport
from .leftovers import Leftovers
from .outbox import Outbox
from .settings import Settings, read_token
from .socket_transport import SocketTransport

_FIRST_PAUSE = 0.05
_LONGEST_PAUSE = 2.0
_ANSWER_SECONDS = 10.0
"""A connection on which nothing is acknowledged for so long is given up."""


class Link:
    def __init__(self, settings: Settings, producer: str) -> None:
        self._settings = settings
        self._producer = producer
        self._transport: object = None
        self._pause = _FIRST_PAUSE
        self._next_try = 0.0
        self._acked = 0
        self._target: HttpTarget | None = None
        self._leftovers = Leftovers(f"{settings.data}/forwarder", producer) if settings.url else None
        self._autostart = Autostart() if settings.autostart and not settings.file else None
        self.failure = ""
        self.tries = 0

    @property
    def is_up(self) -> bool:
        return self._transport is not None and self._transport.is_ready  # type: ignore[attr-defined]

    @property
    def is_trying(self) -> bool:
        """A connection is being made."""
        return self._transport is not None and not self.is_up

    @property
    def has_rest(self) -> bool:
        return self._transport is not None and self._transport.has_rest  # type: ignore[attr-defined]

    def try_now(self) -> None:
        """The next step tries again, whatever the pause."""
        self._next_try = 0.0

    def step(self, outbox: Outbox, now: float) -> bool:
        """Connects, sends, receives, as far as it goes without waiting. True when something moved."""
        try:
            if self._transport is None:
                if now < self._next_try or (outbox.is_empty and not self._has_leftovers(now)):
                    return False
                self._transport = self._open(now)
            source: object = outbox
            if outbox.is_empty and isinstance(self._transport, HttpTransport) and self._leftovers is not None:
                source = self._leftovers.current(now) or outbox
            if source is outbox and outbox.is_empty and self.is_trying and not self.has_rest:
                return False  # A connection that ended while there was nothing to send.
            moved = self._transport.step(source, now)  # type: ignore[attr-defined]
            if outbox.unanswered_for(now) > _ANSWER_SECONDS:
                raise TimeoutError("no acknowledgement")
        except (OSError, ValueError) as error:
            self._lost(outbox, now, error)
            return False
        if outbox.acked > self._acked:
            # Only what the service keeps shows that it works: one that closes at once would be tried without a pause.
            self._acked = outbox.acked
            self._pause = _FIRST_PAUSE
            self.failure = ""
        return moved

    def _has_leftovers(self, now: float) -> bool:
        return self._leftovers is not None and self._leftovers.current(now) is not None

    def _open(self, now: float) -> object:
        self.tries += 1
        settings = self._settings
        if settings.file:
            return FileTransport(settings.file)
        try:
            return SocketTransport(settings.socket, self._producer)
        except OSError:
            if self._autostart is not None and self._autostart.start():
                self._pause = _FIRST_PAUSE
            if not settings.url:
                raise
        if self._target is None:
            self._target = HttpTarget(settings.url)
        return HttpTransport(self._target, read_token(settings), now)

    def _lost(self, outbox: Outbox, now: float, error: Exception) -> None:
        self._close_transport()
        outbox.rewind()
        if self._leftovers is not None:
            self._leftovers.close()
        self.failure = f"{type(error).__name__}: {error}"[:200]
        pause = getattr(error, "retry_after", None) or self._pause
        # Many processes may have lost the same service.
        self._next_try = now + pause * (0.8 + os.urandom(1)[0] / 640)
        self._pause = min(self._pause * 2, _LONGEST_PAUSE)

    def close(self) -> None:
        self._close_transport()
        if self._leftovers is not None:
            self._leftovers.close()

    def _close_transport(self) -> None:
        if self._transport is not None:
            try:
                self._transport.close()  # type: ignore[attr-defined]
            except OSError:
                pass
            self._transport = None
