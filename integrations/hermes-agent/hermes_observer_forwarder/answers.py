"""Lines from the service, of which nothing is trusted: a bounded buffer, and shapes that are checked."""

from __future__ import annotations

import json

LONGEST_LINE = 1_048_576


class NonsenseError(ConnectionError):
    """What came is not the protocol; the connection is given up."""


class Answers:
    """Bytes of one connection to what they say."""

    def __init__(self, producer: str) -> None:
        self._producer = producer
        self._rest = b""
        self.is_paused = False
        self._refused: list[int] = []

    def feed(self, data: bytes) -> int:
        """Highest number that was acknowledged by these bytes; 0 for none."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > LONGEST_LINE:
            raise NonsenseError("a line without an end")
        return max((self._read(line) for line in lines), default=0)

    def take_refused(self) -> list[int]:
        """Lines of this connection, counted from 1, that the service said it will never take."""
        refused, self._refused = self._refused, []
        return refused

    def _read(self, line: bytes) -> int:
        value = parse_object(line)
        if value is None:
            return 0
        if type(value.get("pause")) is bool:
            self.is_paused = value["pause"]
        error = value.get("error")
        if type(error) is dict and type(error.get("line")) is int:
            self._refused.append(error["line"])
        return ack_of(value.get("ack"), self._producer)


def parse_object(text: bytes) -> dict | None:
    if len(text) > LONGEST_LINE:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if type(value) is dict else None


def ack_of(ack: object, producer: str) -> int:
    """The number in `{"producer", "seq"}` if it is about this producer, else 0."""
    if type(ack) is not dict or ack.get("producer") != producer:
        return 0
    seq = ack.get("seq")
    return seq if type(seq) is int and seq > 0 else 0
