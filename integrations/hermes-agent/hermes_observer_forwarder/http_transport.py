"""Records over HTTP, for a service that no socket reaches: one request at a time, each step without waiting."""

from __future__ import annotations

import errno
import socket

from .answers import ack_of, parse_object
from .http_response import HttpResponse
from .http_target import HttpTarget
from .leftovers import Leftover
from .outbox import Outbox

_LEAST_PAUSE = 0.05
"""Seconds between two requests: what comes in between shares one."""
_CONNECT_SECONDS = 5.0
_IDLE_SECONDS = 0.2
_MOST_RETRY_SECONDS = 30.0


class HttpTransport:
    """One connection, kept between requests. Raises OSError when it is lost or refused."""

    def __init__(self, target: HttpTarget, token: str, now: float) -> None:
        self._target = target
        self._token = token
        self._socket: socket.socket | None = None
        self._began = now
        self._next = 0.0
        self._out = memoryview(b"")
        self._response: HttpResponse | None = None
        self._source: Outbox | Leftover | None = None
        self._lines = 0
        self._body_bytes = 0
        self.is_ready = False

    @property
    def has_rest(self) -> bool:
        """A request waits for its end or its answer."""
        return self._response is not None

    def step(self, source: Outbox | Leftover, now: float) -> bool:
        """One piece of a request and its answer. A request that is under way stays with the source it began with."""
        if self.is_ready and self._response is None:
            self._notice_end(now)
        if not self.is_ready and not self._connect(now):
            return False
        if self._response is None:
            if now < self._next:
                return False
            body = source.next_block(self._target.body_bytes, now)
            if not body:
                return False
            self._out = memoryview(self._head(len(body)) + body)
            self._lines = body.count(b"\n")
            self._body_bytes = len(body)
            self._response = HttpResponse()
            self._source = source
        return self._send() | self._receive(self._source or source, now)

    def _notice_end(self, now: float) -> None:
        """Services close connections that are idle for some seconds; a request on one would be lost."""
        if now - self._next < _IDLE_SECONDS:
            return
        try:
            if self._socket.recv(1):  # type: ignore[union-attr]
                raise ConnectionError("an answer to no request")
        except OSError as error:
            if _would_wait(error):
                return
        self.close()
        self._began = now

    def _connect(self, now: float) -> bool:
        if self._socket is None:
            addresses = self._target.addresses()
            if addresses is None:
                return self._still_waiting(now)
            family, kind, protocol, _, address = addresses[0]
            connection = socket.socket(family, kind, protocol)
            connection.setblocking(False)
            code = connection.connect_ex(address)
            if code not in (0, errno.EINPROGRESS, errno.EWOULDBLOCK):
                connection.close()
                raise OSError(code, "connect")
            try:
                self._socket = connection
                self._socket = self._target.wrap(connection) if code == 0 else connection
            except OSError:
                connection.close()
                raise
        if not _is_writable(self._socket):
            return self._still_waiting(now)
        code = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if code != 0:
            raise OSError(code, "connect")
        if self._target.is_tls and not hasattr(self._socket, "do_handshake"):
            self._socket = self._target.wrap(self._socket)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.is_ready = True
        return True

    def _still_waiting(self, now: float) -> bool:
        if now - self._began > _CONNECT_SECONDS:
            raise OSError("no connection in time")
        return False

    def _head(self, length: int) -> bytes:
        lines = [
            f"POST {self._target.path} HTTP/1.1",
            f"Host: {self._target.host_header}",
            "Content-Type: application/x-ndjson",
            f"Content-Length: {length}",
        ]
        if self._token:
            lines.append(f"Authorization: Bearer {self._token}")
        return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace")

    def _send(self) -> bool:
        progress = False
        while self._out:
            try:
                count = self._socket.send(self._out)  # type: ignore[union-attr]
            except OSError as error:
                if _would_wait(error):
                    break
                raise
            progress = True
            self._out = self._out[count:]
        return progress

    def _receive(self, source: Outbox | Leftover, now: float) -> bool:
        try:
            data = self._socket.recv(65_536)  # type: ignore[union-attr]
        except OSError as error:
            if _would_wait(error):
                return False
            raise
        response = self._response
        if response is None or not response.feed(data):
            return True
        self._response = None
        self._out = memoryview(b"")
        self._answer(source, response)
        if not response.keeps_connection:
            self.close()
            self._began = now
        self._next = now + _LEAST_PAUSE
        return True

    def _answer(self, source: Outbox | Leftover, response: HttpResponse) -> None:
        if response.status == 413:
            self._shorten(source)
            return
        answer = parse_object(response.body) if response.status == 200 else None
        if answer is None or type(answer.get("acks")) is not list:
            raise RefusedError(response.status, _retry_after(response))
        # What is wrong with a line now will be so another time. `errors` names 100 of them at most, `records` counts the rest.
        taken = answer.get("records")
        refused = self._lines - taken if answer.get("errors") and type(taken) is int and 0 <= taken < self._lines else 0
        if refused == self._lines or any(ack_of(ack, source.producer) for ack in answer["acks"]):
            source.refuse_sent(refused)
        else:
            raise RefusedError(response.status, None)

    def _shorten(self, source: Outbox | Leftover) -> None:
        """Something on the way takes less than this: the next body is half as long; a line alone is given up."""
        if self._lines == 1:
            source.acknowledge_sent()
            source.give_up("too_long")
        else:
            self._target.body_bytes = max(1, self._body_bytes // 2)
            source.rewind()

    def close(self) -> None:
        self.is_ready = False
        if self._socket is not None:
            self._socket.close()
            self._socket = None


class RefusedError(ConnectionError):
    """The service did not take a request. `retry_after` is how long it wants to be left alone, in seconds."""

    def __init__(self, status: int, retry_after: float | None) -> None:
        super().__init__(f"status {status}")
        self.status = status
        self.retry_after = retry_after


def _retry_after(response: HttpResponse) -> float | None:
    text = response.headers.get("retry-after", "")
    return min(float(text), _MOST_RETRY_SECONDS) if text.isdigit() and len(text) < 6 else None


def _is_writable(connection: socket.socket) -> bool:
    import select

    if not hasattr(select, "poll"):
        return bool(select.select([], [connection], [], 0)[1])
    poll = select.poll()  # Unlike select(), for processes with many open files too.
    poll.register(connection, select.POLLOUT)
    return bool(poll.poll(0))


def _would_wait(error: OSError) -> bool:
    if isinstance(error, BlockingIOError):
        return True
    return type(error).__name__ in ("SSLWantReadError", "SSLWantWriteError")
