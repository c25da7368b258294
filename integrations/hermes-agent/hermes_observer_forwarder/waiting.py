"""Sending and receiving on sockets that never block, but wait until a time of the monotonic clock."""

from __future__ import annotations

import select
import socket
import time

NAP = 0.01
IN, OUT = getattr(select, "POLLIN", 1), getattr(select, "POLLOUT", 4)


class ExpiredError(TimeoutError):
    """No answer came in time, and nothing else either."""


def send(connection: socket.socket, data: bytes, until: float) -> None:
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[connection.send(rest) :]
        except OSError as error:
            _wait_after(connection, error, OUT, until)


def receive(connection: socket.socket, until: float) -> bytes:
    while True:
        try:
            return connection.recv(262_144)
        except OSError as error:
            _wait_after(connection, error, IN, until)


def _wait_after(connection: socket.socket, error: OSError, usual: int, until: float) -> None:
    """Waits for what a socket that gave this error waits for. Any other error is raised on."""
    name = type(error).__name__
    if name == "SSLWantReadError":
        ready = is_ready(connection, IN, until)
    elif name == "SSLWantWriteError":
        ready = is_ready(connection, OUT, until)
    elif isinstance(error, BlockingIOError):
        ready = is_ready(connection, usual, until)
    else:
        raise error
    if not ready:
        raise ExpiredError


def is_ready(connection: socket.socket, event: int, until: float) -> bool:
    left = until - time.monotonic()
    if left <= 0:
        return False
    if hasattr(select, "poll"):  # Unlike select(), for processes with many open files too.
        poll = select.poll()
        poll.register(connection, event)
        return bool(poll.poll(left * 1000))
    is_reading = event == IN
    ready = select.select([connection] if is_reading else [], [] if is_reading else [connection], [], left)
    return bool(ready[0] or ready[1])
