"""One question and its answer, over a connection that is kept for the next one. Waits, but never beyond a time."""

from __future__ import annotations

import json
import select
import socket
import time

from .answers import NonsenseError
from .http_response import HttpResponse
from .http_target import HttpTarget

LONGEST_ANSWER = 33_554_432
_NAP = 0.01
_IN, _OUT = getattr(select, "POLLIN", 1), getattr(select, "POLLOUT", 4)
_PROBE = b'{"op":"sync","id":"alive"}\n'


class ExpiredError(TimeoutError):
    """No answer came in time, and nothing else either."""


class LateError(TimeoutError):
    """No answer came in time, though somebody is there: it thinks, or a person does."""


class RefusedQuestionError(ValueError):
    """The service said that it cannot take this question, now or ever."""


class SocketConversation:
    """Over the unix socket. Raises OSError when nobody is there."""

    def __init__(self, path: str, until: float) -> None:
        if not hasattr(socket, "AF_UNIX"):
            raise OSError("no unix sockets here")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._rest = bytearray()
        self._lines = 0
        try:
            self._socket.setblocking(False)
            self._connect(path, until)
        except BaseException:
            self._socket.close()
            raise

    def _connect(self, path: str, until: float) -> None:
        while True:
            try:
                self._socket.connect(path)
                return
            except BlockingIOError:  # Too many others wait to be accepted.
                if time.monotonic() + _NAP > until:
                    raise ExpiredError from None
                time.sleep(_NAP)

    def ask(self, question: bytes, ask_id: str, until: float, probe_at: float) -> dict:
        """The line that answers `question`, which ends with a newline. At `probe_at` it is found out whether somebody is there
        at all. Times are of the monotonic clock.
        """
        _send(self._socket, question, until)
        self._lines += 1
        own_line, is_probed, is_alive = self._lines, False, False
        while True:
            line = self._line(until if is_probed else min(until, probe_at))
            if line is None:
                if is_probed:
                    raise LateError if is_alive else ExpiredError
                _send(self._socket, _PROBE, until)
                self._lines += 1
                is_probed = True
                continue
            value = _object(line)
            if value.get("answer") == ask_id:
                return value
            is_alive = is_alive or value.get("synced") == "alive"
            error = value.get("error")
            if type(error) is dict:
                if error.get("line") == own_line:
                    raise RefusedQuestionError(str(error.get("code"))[:64])
                if "line" not in error:
                    raise ConnectionError("the service is stopping")
            # Else a late answer to an old question, or news about records.

    def _line(self, until: float) -> bytes | None:
        """The next line without its end, None when none came until then."""
        looked = 0
        while True:
            end = self._rest.find(b"\n", looked)
            if end >= 0:
                line = bytes(self._rest[:end])
                del self._rest[: end + 1]
                return line
            looked = len(self._rest)
            if looked > LONGEST_ANSWER:
                raise NonsenseError("a line without an end")
            if not _is_ready(self._socket, _IN, until):
                return None
            try:
                data = self._socket.recv(262_144)
            except BlockingIOError:
                continue
            if not data:
                raise ConnectionError("closed by the service")
            self._rest += data

    def close(self) -> None:
        self._socket.close()


class HttpConversation:
    """`POST /v1/ask`. Raises OSError when nobody is there or the token is not taken."""

    def __init__(self, target: HttpTarget, token: str, until: float) -> None:
        self._target = target
        self._token = token
        self._socket = _connected(target, until)

    def ask(self, question: bytes, ask_id: str, until: float, probe_at: float) -> dict:
        """As above. What is probed is `/healthz`, over a connection of its own."""
        try:
            response = self._exchange(self._head("POST", "/v1/ask", len(question)) + question, min(until, probe_at))
        except ExpiredError:
            if self._is_alive(until):
                raise LateError from None
            raise
        if response.status in (400, 413, 415):
            raise RefusedQuestionError(f"status {response.status}")
        if response.status in (401, 403, 404, 405):
            raise NonsenseError(f"status {response.status}")
        if response.status != 200:
            raise ConnectionError(f"status {response.status}")
        if not response.keeps_connection:
            self.close()
        value = _object(response.body)
        if value.get("answer") != ask_id:
            raise NonsenseError("the answer to another question")
        return value

    @property
    def is_closed(self) -> bool:
        return self._socket.fileno() < 0

    def _exchange(self, request: bytes, until: float) -> HttpResponse:
        _send(self._socket, request, until)
        response = HttpResponse(LONGEST_ANSWER)
        while not response.feed(_receive(self._socket, until)):
            pass
        return response

    def _is_alive(self, until: float) -> bool:
        try:
            other = HttpConversation(self._target, "", until)
        except OSError:
            return False
        try:
            return other._exchange(other._head("GET", "/healthz", 0), until).status == 200
        except OSError:
            return False
        finally:
            other.close()

    def _head(self, method: str, path: str, length: int) -> bytes:
        lines = [
            f"{method} {self._target.prefix}{path} HTTP/1.1",
            f"Host: {self._target.host_header}",
            *([f"Content-Type: application/json\r\nContent-Length: {length}"] if length else []),
            *([f"Authorization: Bearer {self._token}"] if self._token else []),
        ]
        return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace")

    def close(self) -> None:
        self._socket.close()


def _object(line: bytes) -> dict:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        value = None
    if type(value) is not dict:
        raise NonsenseError("not the protocol")
    return value


def _connected(target: HttpTarget, until: float) -> socket.socket:
    while True:
        addresses = target.addresses()
        if addresses is not None:
            break
        if time.monotonic() + _NAP > until:
            raise ExpiredError
        time.sleep(_NAP)
    *others, last = addresses
    for address in others:
        try:
            return _connected_to(target, address, until)
        except OSError:
            continue
    return _connected_to(target, last, until)


def _connected_to(target: HttpTarget, found: tuple, until: float) -> socket.socket:
    family, kind, protocol, _, address = found
    connection = socket.socket(family, kind, protocol)
    try:
        connection.setblocking(False)
        try:
            connection.connect(address)
        except BlockingIOError:
            if not _is_ready(connection, _OUT, until):
                raise ExpiredError from None
            code = connection.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if code != 0:
                raise OSError(code, "connect") from None
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return target.wrap(connection)
    except BaseException:
        connection.close()
        raise


def _send(connection: socket.socket, data: bytes, until: float) -> None:
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[connection.send(rest) :]
        except OSError as error:
            _wait_after(connection, error, _OUT, until)


def _receive(connection: socket.socket, until: float) -> bytes:
    while True:
        try:
            return connection.recv(262_144)
        except OSError as error:
            _wait_after(connection, error, _IN, until)


def _wait_after(connection: socket.socket, error: OSError, usual: int, until: float) -> None:
    """Waits for what a socket that gave this error waits for. Any other error is raised on."""
    name = type(error).__name__
    if name == "SSLWantReadError":
        is_ready = _is_ready(connection, _IN, until)
    elif name == "SSLWantWriteError":
        is_ready = _is_ready(connection, _OUT, until)
    elif isinstance(error, BlockingIOError):
        is_ready = _is_ready(connection, usual, until)
    else:
        raise error
    if not is_ready:
        raise ExpiredError


def _is_ready(connection: socket.socket, event: int, until: float) -> bool:
    left = until - time.monotonic()
    if left <= 0:
        return False
    if hasattr(select, "poll"):  # Unlike select(), for processes with many open files too.
        poll = select.poll()
        poll.register(connection, event)
        return bool(poll.poll(left * 1000))
    is_reading = event == _IN
    ready = select.select([connection] if is_reading else [], [] if is_reading else [connection], [], left)
    return bool(ready[0] or ready[1])
