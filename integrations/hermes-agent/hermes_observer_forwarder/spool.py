"""Records on disk while the service cannot take them: `<data>/forwarder/<producer>-<pid>-<n>.ndjson.open`.

Files are filled one after the other and read in the same order. A full one loses its `.open`; from then on the service
may take it over as well, so one that is gone has been delivered. Nothing is synced: a write survives the death of this
process, which is what a spool is for, not that of the machine.
"""

from __future__ import annotations

import os

from .encode import seq_of

Line = tuple
"""(seq, the line, when it was made on the monotonic clock)"""


class SpoolFull(Exception):
    """The limit of this process, or of the folder, is reached."""


class SpoolFile:
    __slots__ = ("path", "last_seq", "size")

    def __init__(self, path: str) -> None:
        self.path = path
        self.last_seq = 0
        self.size = 0


class Spool:
    """The files of one producer, oldest first, and how far they were read."""

    def __init__(self, folder: str, producer: str, most_bytes: int, most_folder_bytes: int, file_bytes: int) -> None:
        self._folder = folder
        self._prefix = f"{producer}-{os.getpid()}-"
        self._most_bytes = most_bytes
        self._most_folder_bytes = most_folder_bytes
        self._file_bytes = file_bytes
        self.group_bytes = min(1_048_576, file_bytes)
        self._files: list[SpoolFile] = []
        self._made = 0
        self._writing: int | None = None
        # Where reading goes on: the first file not read to its end, and the place in it.
        self._read_file = 0
        self._read_at = 0
        self._reading: int | None = None
        self.bytes = 0

    @property
    def is_empty(self) -> bool:
        return not self._files

    @property
    def is_read(self) -> bool:
        """All that is in it was read."""
        files = self._files
        if self._read_file < len(files) - 1:
            return False
        return self._read_file >= len(files) or self._read_at >= files[-1].size

    # Writing

    def append(self, lines: list[Line]) -> None:
        """Writes lines, all or none. Raises `SpoolFull`, or what the disk raises."""
        block = b"".join([line[1] for line in lines])
        if self.bytes + len(block) > self._most_bytes:
            raise SpoolFull
        if self._writing is not None and self._files[-1].size + len(block) > self._file_bytes:
            self.close_file()
        if self._writing is None:
            self._open_file(len(block))
        file = self._files[-1]
        try:
            rest = memoryview(block)
            while rest:
                rest = rest[os.write(self._writing, rest) :]  # type: ignore[arg-type]
        except OSError:
            # Half a line would spoil the next one.
            os.ftruncate(self._writing, file.size)  # type: ignore[arg-type]
            raise
        file.size += len(block)
        file.last_seq = lines[-1][0]
        self.bytes += len(block)

    def _open_file(self, first_bytes: int) -> None:
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        if self._folder_bytes() + first_bytes > self._most_folder_bytes:
            raise SpoolFull
        path = f"{self._folder}/{self._prefix}{self._made + 1:06d}.ndjson.open"
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
        self._writing = os.open(path, flags, 0o600)
        _lock(self._writing)
        self._made += 1
        self._files.append(SpoolFile(path))

    def _folder_bytes(self) -> int:
        """Bytes in the folder, of other processes too."""
        total = 0
        with os.scandir(self._folder) as entries:
            for entry in entries:
                try:
                    total += entry.stat().st_size
                except OSError:
                    continue
        return total

    def close_file(self) -> None:
        """Ends the file that is written to: full, or the process ends."""
        if self._writing is None:
            return
        os.close(self._writing)
        self._writing = None
        file = self._files[-1]
        closed = file.path[: -len(".open")]
        try:
            os.rename(file.path, closed)
            file.path = closed
        except OSError:
            # Gone or not ours to rename: the service finds it under its old name when this process has ended.
            pass

    # Reading

    def read(self, most_bytes: int) -> tuple[bytes, int]:
        """Whole lines from where reading stopped, and the last one's number. Empty when all was read."""
        while not self.is_read:
            file = self._files[self._read_file]
            if self._read_at >= file.size:
                self._next_file()
                continue
            block = self._read_block(file, most_bytes)
            end = block.rfind(b"\n") + 1
            if end == 0:
                self._let_go()
                continue
            self._read_at += end
            return block[:end], seq_of(block[block.rfind(b"\n", 0, end - 1) + 1 : end])
        return b"", 0

    def _read_block(self, file: SpoolFile, most_bytes: int) -> bytes:
        try:
            if self._reading is None:
                self._reading = os.open(file.path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
            block = os.pread(self._reading, min(most_bytes, file.size - self._read_at), self._read_at)
            if b"\n" not in block:  # One line longer than that.
                block = os.pread(self._reading, file.size - self._read_at, self._read_at)
                block = block[: block.find(b"\n") + 1]
            return block
        except OSError:
            return b""

    def _let_go(self) -> None:
        """The file cannot be read: the service took it over, or will when this process has ended."""
        self._close_reading()
        if self._writing is not None and self._read_file == len(self._files) - 1:
            self.close_file()
        self.bytes -= self._files[self._read_file].size
        del self._files[self._read_file]
        self._read_at = 0

    def _next_file(self) -> None:
        self._close_reading()
        self._read_file += 1
        self._read_at = 0

    def _close_reading(self) -> None:
        if self._reading is not None:
            os.close(self._reading)
            self._reading = None

    def rewind(self) -> None:
        """Everything that is in it is to be read again."""
        self._close_reading()
        self._read_file = 0
        self._read_at = 0

    def skip_to_end(self) -> None:
        """What is in it was sent already."""
        self._close_reading()
        self._read_file = max(0, len(self._files) - 1)
        self._read_at = self._files[-1].size if self._files else 0

    def release(self, acked: int) -> None:
        """Deletes the files whose records are all acknowledged."""
        files = self._files
        while files and files[0].last_seq <= acked:
            file = files[0]
            if self._writing is not None and len(files) == 1:
                os.close(self._writing)
                self._writing = None
            if self._read_file == 0:
                self._close_reading()
                self._read_at = 0
            else:
                self._read_file -= 1
            try:
                os.unlink(file.path)
            except OSError:
                pass
            self.bytes -= file.size
            del files[0]

    def forget(self) -> None:
        """Lets go of the descriptors, in a child process that inherited them."""
        self._close_reading()
        if self._writing is not None:
            os.close(self._writing)
            self._writing = None
        self._files = []


def _lock(descriptor: int) -> None:
    """Marks the file as one whose process lives; the mark goes with the process. See `leftovers.py`."""
    try:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        pass
