"""Records over the unix socket of the service. Nothing here waits: what cannot be sent now is sent at the next step."""

from __future__ import annotations

import socket

from .answers import Answers
from .outbox import Outbox

_BLOCK_BYTES = 262_144
_MOST_BLOCKS = 8
"""Blocks of one step, so that a large spool does not keep the thread from the queue."""
_ANSWER_BYTES = 65_536
_QUIET_STEPS = 5


class SocketTransport:
    """One connection. Raises OSError when it cannot be made, or at a step when it is lost."""

    is_ready = True

    def __init__(self, path: str, producer: str) -> None:
        if not hasattr(socket, "AF_UNIX"):
            raise OSError("no unix sockets here")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.setblocking(False)
            self._socket.connect(path)
        except OSError:
            self._socket.close()
            raise
        self._answers = Answers(producer)
        self._rest = memoryview(b"")
        self._quiet_steps = 0

    @property
    def has_rest(self) -> bool:
        """Bytes of a block that was begun wait to be sent."""
        return len(self._rest) > 0

    def step(self, outbox: Outbox, now: float) -> bool:
        """Sends and receives what can be at once. True when something went out or came in."""
        # First what came: an answer to what is sent now cannot be here yet. With nothing under way only a pause or an end can
        # have come, which is soon enough a little later.
        self._quiet_steps += 1
        is_due = outbox.awaits_answer or self._quiet_steps % _QUIET_STEPS == 0
        received = is_due and self._receive(outbox)
        return self._send(outbox, now) or received

    def _send(self, outbox: Outbox, now: float) -> bool:
        progress = False
        for _ in range(_MOST_BLOCKS):
            if not self._rest:
                if self._answers.is_paused:
                    break
                self._rest = memoryview(outbox.next_block(_BLOCK_BYTES, now))
                if not self._rest:
                    break
            try:
                count = self._socket.send(self._rest)
            except BlockingIOError:
                break
            progress = True
            self._rest = self._rest[count:]
        return progress

    def _receive(self, outbox: Outbox) -> bool:
        try:
            data = self._socket.recv(_ANSWER_BYTES)
        except BlockingIOError:
            return False
        if not data:
            raise ConnectionError("closed by the service")
        acked = self._answers.feed(data)
        for line in self._answers.take_refused():  # First, since an acknowledgement covers refused lines before it.
            outbox.refuse(line)
        outbox.acknowledge(acked)
        return True

    def close(self) -> None:
        self._socket.close()
