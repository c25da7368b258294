"""One question and its answer over the socket, whose connection is kept for the next one. Waits, but never beyond a time."""

from __future__ import annotations

import json
import socket
import time

from .answers import NonsenseError
from .waiting import IN, NAP, ExpiredError, is_ready, send

LONGEST_ANSWER = 33_554_432
_PROBE = b'{"op":"sync","id":"alive"}\n'


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
                if time.monotonic() + NAP > until:
                    raise ExpiredError from None
                time.sleep(NAP)

    def ask(self, question: bytes, ask_id: str, until: float, probe_at: float) -> dict:
        """The line that answers `question`, which ends with a newline. At `probe_at` it is found out whether somebody is there
        at all. Times are of the monotonic clock.
        """
        send(self._socket, question, until)
        self._lines += 1
        own_line, is_probed, is_alive = self._lines, False, False
        while True:
            line = self._line(until if is_probed else min(until, probe_at))
            if line is None:
                if is_probed:
                    raise LateError if is_alive else ExpiredError
                send(self._socket, _PROBE, until)
                self._lines += 1
                is_probed = True
                continue
            value = object_of(line)
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
            if not is_ready(self._socket, IN, until):
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


def object_of(line: bytes) -> dict:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        value = None
    if type(value) is not dict:
        raise NonsenseError("not the protocol")
    return value
