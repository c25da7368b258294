"""One question and its answer over HTTP, whose connection is kept for the next one. Waits, but never beyond a time."""

from __future__ import annotations

import socket
import time

from .answers import NonsenseError
from .conversation import LONGEST_ANSWER, LateError, RefusedQuestionError, object_of
from .http_response import HttpResponse
from .http_target import HttpTarget
from .waiting import NAP, OUT, ExpiredError, is_ready, receive, send


class HttpConversation:
    """`POST /v1/ask`. Raises OSError when nobody is there or the token is not taken."""

    def __init__(self, target: HttpTarget, token: str, until: float) -> None:
        self._target = target
        self._token = token
        self._socket = _connected(target, until)

    def ask(self, question: bytes, ask_id: str, until: float, probe_at: float) -> dict:
        """As over the socket. What is probed is `/healthz`, over a connection of its own."""
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
        value = object_of(response.body)
        if value.get("answer") != ask_id:
            raise NonsenseError("the answer to another question")
        return value

    @property
    def is_closed(self) -> bool:
        return self._socket.fileno() < 0

    def _exchange(self, request: bytes, until: float) -> HttpResponse:
        send(self._socket, request, until)
        response = HttpResponse(LONGEST_ANSWER)
        while not response.feed(receive(self._socket, until)):
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


def _connected(target: HttpTarget, until: float) -> socket.socket:
    while True:
        addresses = target.addresses()
        if addresses is not None:
            break
        if time.monotonic() + NAP > until:
            raise ExpiredError
        time.sleep(NAP)
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
            if not is_ready(connection, OUT, until):
                raise ExpiredError from None
            code = connection.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if code != 0:
                raise OSError(code, "connect") from None
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return target.wrap(connection)
    except BaseException:
        connection.close()
        raise
