"""Records straight to a file, for `hermes-observer replay`. Several processes may append to one file."""

from __future__ import annotations

import os

from .outbox import Outbox

_BLOCK_BYTES = 1_048_576


class FileTransport:
    is_ready = True
    has_rest = False

    def __init__(self, path: str) -> None:
        folder = os.path.dirname(path)
        if folder:
            os.makedirs(folder, mode=0o700, exist_ok=True)
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
        self._file = os.open(path, flags, 0o600)
        self._is_inside_line = self._ends_inside_line()

    def _ends_inside_line(self) -> bool:
        try:
            size = os.fstat(self._file).st_size
            return size > 0 and os.pread(self._file, 1, size - 1) != b"\n"
        except OSError:  # A pipe or a terminal.
            return False

    def step(self, outbox: Outbox, now: float) -> bool:
        progress = False
        while block := outbox.next_block(_BLOCK_BYTES, now):
            self._write(block)
            outbox.acknowledge_sent()
            progress = True
        return progress

    def _write(self, block: bytes) -> None:
        if self._is_inside_line:
            # A write broke off inside a line, on a full disk. The line is sent again, the piece must not take it along.
            block = b"\n" + block
        rest = memoryview(block)
        while rest:
            self._is_inside_line = len(rest) < len(block)
            rest = rest[os.write(self._file, rest) :]
        self._is_inside_line = False

    def close(self) -> None:
        os.close(self._file)
