"""What crosses a live bridge, kept as lane lines: appended to a recording's files, held in memory, or both.

Each line is written as it crosses, in one write, so a killed bridge leaves whole lines. Several bridge
processes in one folder, one after the other, continue its `run`; the folder is one process's at a time.
Lines are kept as they are, also what is no JSON and, above all, what is secret: nothing is redacted here.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable
from pathlib import Path

from parity.wire import (
    LANES,
    MAX_LINE_BYTES,
    RUNTIME_TO_BRIDGE,
    InputError,
    LaneLine,
    LineTooLong,
    encode,
    lane_file_name,
    read_lane,
)
from parity.wire.errors import unwritable

RECORD_DIR = "PARITY_RECORD_DIR"
"""The environment variable that names the folder to record into."""


def _now() -> int:
    return time.time_ns() // 1_000_000


class LaneRecorder:
    """Records one bridge process; `run` is its number in the recording."""

    def __init__(
        self, folder: Path | None = None, *, keep: bool | None = None, clock: Callable[[], int] = _now
    ) -> None:
        """Into a folder (made where it is not there) and, by default where there is none, into `lines`.

        `clock` gives milliseconds since the epoch. Raises InputError where the folder cannot be written, is
        recorded into by another process, or holds lane files that cannot be read.
        """
        self.lines: list[LaneLine] = []
        self.run = 1
        self._keep = folder is None if keep is None else keep
        self._clock = clock
        self._seq = 0
        self._files: dict[str, int] = {}
        if folder is not None:
            try:
                self._open(folder)
            except BaseException:
                self.close()
                raise

    def append(self, lane: str, line: str) -> LaneLine:
        """Keep one line of a lane.

        Raises LineTooLong, and keeps nothing, where no reader of the recording would take it.
        """
        entry = LaneLine(self._clock(), self.run, self._seq + 1, lane, line)
        if self._files:
            data = encode(entry)
            if len(data) > MAX_LINE_BYTES:
                raise LineTooLong(MAX_LINE_BYTES, [])
            _write(self._files[lane], data + b"\n")
        self._seq += 1
        if self._keep:
            self.lines.append(entry)
        return entry

    def close(self) -> None:
        """The process is over: another may record into the folder."""
        for fd in self._files.values():
            os.close(fd)
        self._files = {}

    def _open(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for lane in LANES:
                path = folder / lane_file_name(lane)
                self._files[lane] = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
            fcntl.flock(self._files[RUNTIME_TO_BRIDGE], fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(
                folder, None, "another bridge records into it", "wait for its end or name another folder"
            ) from None
        except OSError as error:
            raise unwritable(folder, error) from error
        for lane, fd in self._files.items():
            path = folder / lane_file_name(lane)
            for entry in read_lane(path, lane):
                self.run = max(self.run, entry.run + 1)
            size = os.fstat(fd).st_size
            if size and os.pread(fd, 1, size - 1) != b"\n":
                _write(fd, b"\n")


def _write(fd: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


def recorder_of(environment: str | None) -> LaneRecorder | None:
    """The recorder that `PARITY_RECORD_DIR` asks for; None where it is not set. Raises InputError."""
    return LaneRecorder(Path(environment)) if environment else None
