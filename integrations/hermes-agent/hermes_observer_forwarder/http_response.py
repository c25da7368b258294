"""One HTTP/1.1 response out of bytes that come in pieces. Small and strict: what is odd is an error."""

from __future__ import annotations

from .answers import LONGEST_LINE, NonsenseError

_LONGEST_HEAD = 65_536


class HttpResponse:
    """`longest`: bytes of a body that are taken."""

    def __init__(self, longest: int = LONGEST_LINE) -> None:
        self._longest = longest
        self._buffer = bytearray()
        self._length: int | None = None
        self._is_chunked = False
        self._has_head = False
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""

    @property
    def keeps_connection(self) -> bool:
        return self.headers.get("connection", "").lower() != "close" and (self._is_chunked or self._length is not None)

    def feed(self, data: bytes) -> bool:
        """Takes bytes; True when the response is whole. No bytes mean that the connection was closed."""
        self._buffer += data
        if len(self._buffer) > self._longest + _LONGEST_HEAD:
            raise NonsenseError("a response that is too long")
        if not self._has_head and not self._read_head():
            if not data or len(self._buffer) > _LONGEST_HEAD:
                raise NonsenseError("no head of a response")
            return False
        if self._is_chunked:
            done = self._read_chunks()
        elif self._length is not None:
            done = len(self._buffer) >= self._length
            if done:
                self.body = bytes(self._buffer[: self._length])
        else:
            done = not data
            if done:
                self.body = bytes(self._buffer)
        if not done and not data:
            raise NonsenseError("closed inside a response")
        return done

    def _read_head(self) -> bool:
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            return False
        first, *lines = self._buffer[:end].decode("latin-1").split("\r\n")
        version, _, rest = first.partition(" ")
        code = rest[:3]
        if not version.startswith("HTTP/1.") or not code.isdigit():
            raise NonsenseError("not HTTP")
        del self._buffer[: end + 4]
        if code.startswith("1"):
            # Something like 100 Continue, which is followed by the response itself.
            return self._read_head()
        self.status = int(code)
        for line in lines:
            name, _, value = line.partition(":")
            self.headers[name.strip().lower()] = value.strip()
        self._is_chunked = "chunked" in self.headers.get("transfer-encoding", "").lower()
        length = self.headers.get("content-length")
        if length is not None and not self._is_chunked:
            if not length.isdigit() or len(length) > 8:
                raise NonsenseError("no length")
            self._length = int(length)
        self._has_head = True
        return True

    def _read_chunks(self) -> bool:
        """True when the last chunk is in. Small bodies: they are read from the start each time."""
        at = 0
        body = bytearray()
        while True:
            end = self._buffer.find(b"\r\n", at)
            if end < 0:
                return False
            try:
                size = int(self._buffer[at:end].split(b";")[0], 16)
            except ValueError as error:
                raise NonsenseError("no chunk") from error
            if size < 0:
                raise NonsenseError("no chunk")
            start = end + 2
            if size == 0:
                # No trailers are expected; an empty line ends it.
                if self._buffer.find(b"\r\n", start) < 0:
                    return False
                self.body = bytes(body)
                return True
            if len(self._buffer) < start + size + 2:
                return False
            body += self._buffer[start : start + size]
            at = start + size + 2
