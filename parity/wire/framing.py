"""Lines in, lines out: how NDJSON is cut into lines and how it reaches the disk.

Knows bytes and files. Must not know JSON: what a line holds is the reader's business.

Rules, the same for a live stream and a file: only ``\\n`` ends a line (never U+2028, U+2029 or
U+0085), one trailing ``\\r`` goes, a byte order mark at the very start goes, a missing final newline
is accepted. Writers are atomic: a temporary file in the same folder, fsync, rename (situation S52). What a
killed writer leaves goes with the next writer of the same file.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path

from parity.wire.errors import InputError, unreadable, unwritable

try:
    import fcntl
except ImportError:  # Windows: what a killed writer leaves is removed by hand
    fcntl = None  # type: ignore[assignment]

MAX_LINE_BYTES = 16 * 1024 * 1024
"""Longest line a file may hold, in bytes. A live stream has no such limit (situation S52)."""

_BOM = b"\xef\xbb\xbf"
_CHUNK_BYTES = 64 * 1024


class LineTooLong(ValueError):
    """A line is longer than the limit of its `LineSplitter`.

    ``limit`` is in bytes. ``lines_before`` are the complete lines that came with the same chunk and
    before the long one: they are whole and not lost.
    """

    def __init__(self, limit: int, lines_before: list[bytes]) -> None:
        super().__init__(f"line longer than {limit} bytes")
        self.limit = limit
        self.lines_before = lines_before


class LineSplitter:
    """Cuts a byte stream into lines, whatever the chunks it comes in. No I/O.

    Time is linear in the bytes fed, also for one huge line in tiny chunks. A line over ``max_bytes``
    (None: no limit) raises LineTooLong as soon as the limit is passed, newline or not, so memory stays
    bounded; the splitter is then at its end, and every later call raises again.
    """

    def __init__(self, max_bytes: int | None = None) -> None:
        self._max_bytes = max_bytes
        self._partial = bytearray()
        self._at_start = True
        self._failed = False

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines this chunk completes, without their ``\\n`` or ``\\r\\n``. Raises LineTooLong."""
        self._refuse_after_failure()
        lines = chunk.split(b"\n")
        partial = self._partial
        if len(lines) == 1:
            partial += chunk
            self._check_partial([])
            return []
        if partial:
            partial += lines[0]
            lines[0] = bytes(partial)
        self._partial = bytearray(lines.pop())
        lines = self._finished(lines, b"\r" in chunk or lines[0].endswith(b"\r"))
        self._check_partial(lines)
        return lines

    def flush(self) -> list[bytes]:
        """At the end of the stream: the last line if it has no newline, else nothing."""
        self._refuse_after_failure()
        last = bytes(self._partial)
        self._partial.clear()
        if self._at_start and last == _BOM:
            return []
        return self._finished([last], True) if last else []

    def _finished(self, lines: list[bytes], any_return: bool) -> list[bytes]:
        if self._at_start:
            self._at_start = False
            lines[0] = lines[0].removeprefix(_BOM)
        if any_return:
            lines = [line[:-1] if line.endswith(b"\r") else line for line in lines]
        limit = self._max_bytes
        if limit is not None:
            for index, line in enumerate(lines):
                if len(line) > limit:
                    self._fail(limit, lines[:index])
        return lines

    def _check_partial(self, lines_before: list[bytes]) -> None:
        limit = self._max_bytes
        if limit is None or len(self._partial) <= limit:
            return
        # What may still be cut off at the end of the line is not its text.
        slack = 1 if self._partial.endswith(b"\r") else 0
        if self._at_start and self._partial.startswith(_BOM):
            slack += len(_BOM)
        if len(self._partial) - slack > limit:
            self._fail(limit, lines_before)

    def _fail(self, limit: int, lines_before: list[bytes]) -> None:
        self._failed = True
        self._partial.clear()
        raise LineTooLong(limit, lines_before)

    def _refuse_after_failure(self) -> None:
        if self._failed:
            self._fail(self._max_bytes or 0, [])


def read_ndjson(path: Path | str, max_bytes: int | None = MAX_LINE_BYTES) -> Iterator[tuple[int, bytes]]:
    """Each line of a file with its number from 1, read in pieces (never the whole file).

    Raises InputError, with the line, for a file that cannot be read, an empty line and a line over
    ``max_bytes``; all lines before the bad one are given first.
    """
    path = Path(path)
    number = 0
    for lines in _line_batches(path, LineSplitter(max_bytes)):
        for line in lines:
            number += 1
            if not line:
                raise InputError(path, number, "empty line", "delete it")
            yield number, line
        if isinstance(lines, _LastBatch):
            raise InputError(
                path,
                number + 1,
                f"line longer than {lines.limit} bytes",
                "cut the line down or remove it",
            )


class _LastBatch(list[bytes]):
    """The lines before one that is too long."""

    def __init__(self, error: LineTooLong) -> None:
        super().__init__(error.lines_before)
        self.limit = error.limit


def _line_batches(path: Path, splitter: LineSplitter) -> Iterator[list[bytes]]:
    try:
        with path.open("rb", buffering=0) as file:
            while chunk := file.read(_CHUNK_BYTES):
                yield splitter.feed(chunk)
            yield splitter.flush()
    except LineTooLong as error:
        yield _LastBatch(error)
    except OSError as error:
        raise unreadable(path, error) from error


def write_atomic(path: Path | str, lines: Iterable[bytes]) -> None:
    """Replace a file by these lines, each with ``\\n`` after it, in one step and as a stream.

    Readers see the old file or the new one. If anything fails (an exception of ``lines`` included)
    the old file stays and nothing is left behind. An existing file keeps its mode; a symbolic link is
    followed. Raises InputError if the system refuses, ValueError for a line with a newline inside.
    """
    _replace_file(Path(path), _terminated(lines))


def write_atomic_bytes(path: Path | str, data: bytes) -> None:
    """`write_atomic` for content that is not lines: the bytes as they are."""
    _replace_file(Path(path), (data,))


def _terminated(lines: Iterable[bytes]) -> Iterator[bytes]:
    for line in lines:
        if b"\n" in line:
            raise ValueError("a line to write holds a newline")
        yield line + b"\n"


def _replace_file(path: Path, parts: Iterable[bytes]) -> None:
    target = Path(os.path.realpath(path))
    try:
        if target.exists() and not target.is_file():
            raise InputError(path, None, "is no regular file", "name a file")
        _remove_left(target)
        temporary, descriptor = _new_temporary(target)
        try:
            with os.fdopen(descriptor, "wb", buffering=_CHUNK_BYTES) as file:
                with contextlib.suppress(FileNotFoundError):
                    os.chmod(temporary, target.stat().st_mode & 0o7777)
                file.writelines(parts)
                file.flush()
                os.fsync(file.fileno())
                if fcntl is not None:  # while it is locked, nobody takes it for left over
                    os.replace(temporary, target)
            if fcntl is None:
                os.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
    except OSError as error:
        raise unwritable(path, error) from error
    sync_directory(target.parent)


def _new_temporary(target: Path) -> tuple[Path, int]:
    """A new file beside the target, open and locked: the lock says that somebody is writing it."""
    while True:
        temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
        # 0o666 under the umask, as an ordinary open would; tempfile's 0o600 would hide committed pins.
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        if lock(descriptor) is not False and temporary.exists():
            return temporary, descriptor
        os.close(descriptor)  # taken for left over before it was locked


def _remove_left(target: Path) -> None:
    """Remove what writers of this file that were killed have left: temporary files that nobody has locked."""
    name = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{8}}\.tmp")
    for temporary in target.parent.iterdir():
        if name.fullmatch(temporary.name):
            with contextlib.suppress(OSError):
                descriptor = os.open(temporary, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
                try:
                    if lock(descriptor) is True:
                        temporary.unlink()
                finally:
                    os.close(descriptor)


def lock(descriptor: int) -> bool | None:
    """Lock an open file or folder until it is closed, unless somebody else has (False); None where there are
    no locks."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # some network file systems
        return None
    return True


def sync_directory(path: Path) -> None:
    """Make a rename in this directory durable, where the file system can.

    By now the new content is in place, so a file system without this is not an error.
    """
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
