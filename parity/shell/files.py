"""The workspace's files for an agent: text read and written inside the workspace and nowhere else.

A path is walked from the workspace's folder one name at a time, each opened below the one before and never
through a symbolic link. So what was checked is what is opened, whatever is swapped in meanwhile; `..`, a path
outside, a link and what is no regular file are refused, and the file is not touched. Knows nothing of agents.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from parity.bridges.base import INVALID_PARAMS

REFUSED = -32000
"""JSON-RPC code of a host call that is not carried out."""

NOT_FOUND = -32002
"""JSON-RPC code of a host call about something that does not exist (ACP: resource not found)."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class HostRefused(Exception):
    """A host call is not carried out: a JSON-RPC error's `code` and `message`."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Workspace:
    """A folder whose files an agent may read and write; texts up to `limit` bytes."""

    def __init__(self, folder: Path, limit: int) -> None:
        """The folder must exist. An agent may name it as given or as its real path."""
        self.folder = folder.absolute()
        self._roots = (self.folder, self.folder.resolve())
        self._limit = limit

    def read(self, path: str, line: int | None, limit: int | None) -> str:
        """The text of a file, from `line` (counted from 1) on, at most `limit` lines. Raises HostRefused."""
        with self._opened(path, os.O_RDONLY) as fd, open(fd, "rb", closefd=False) as file:
            first = max((line or 1) - 1, 0)
            size, taken = 0, []
            for number, text in enumerate(islice(file, None if limit is None else first + limit)):
                if number >= first:
                    size += len(text)
                    taken.append(text)
                if size > self._limit:
                    raise HostRefused(
                        REFUSED, f"{path}: longer than {self._limit} bytes; read it in parts (line, limit)"
                    )
        try:
            return b"".join(taken).decode("utf-8")
        except UnicodeDecodeError:
            raise HostRefused(REFUSED, f"{path}: not UTF-8 text") from None

    def write(self, path: str, content: str) -> None:
        """Replace a file's text; the file and its folders are made where they are not there. Raises
        HostRefused."""
        data = content.encode("utf-8", "replace")
        if len(data) > self._limit:
            raise HostRefused(REFUSED, f"{path}: more than {self._limit} bytes")
        with self._opened(path, os.O_WRONLY | os.O_CREAT) as fd:
            os.ftruncate(fd, 0)
            with open(fd, "wb", closefd=False) as file:
                file.write(data)

    def folder_of(self, path: str) -> Path:
        """A folder of the workspace, to run something in. Raises HostRefused."""
        names = self._names(path)
        with _refusing(path):
            os.close(self._walk(path, names, make=False))
        return self.folder.joinpath(*names)

    @contextlib.contextmanager
    def _opened(self, path: str, flags: int) -> Iterator[int]:
        """The regular file of that path, opened."""
        names = self._names(path)
        if not names:
            raise HostRefused(REFUSED, f"{path}: is a folder")
        with _refusing(path):
            folder = self._walk(path, names[:-1], make=bool(flags & os.O_CREAT))
            try:
                fd = os.open(names[-1], flags | _FILE, 0o666, dir_fd=folder)
            finally:
                os.close(folder)
            try:
                if not stat.S_ISREG(os.fstat(fd).st_mode):
                    raise HostRefused(REFUSED, f"{path}: is no regular file")
                yield fd
            finally:
                os.close(fd)

    def _names(self, path: str) -> list[str]:
        """The names below the workspace that the path is made of."""
        if "\0" in path or not path:
            raise HostRefused(INVALID_PARAMS, "path must be a path")
        asked = Path(path)
        if ".." in asked.parts:
            raise HostRefused(REFUSED, f"{path}: a path with .. is refused")
        if not asked.is_absolute():
            return list(asked.parts)
        for root in self._roots:
            if asked.is_relative_to(root):
                return list(asked.relative_to(root).parts)
        raise HostRefused(REFUSED, f"{path}: outside the workspace {self.folder}")

    def _walk(self, path: str, names: list[str], *, make: bool) -> int:
        """The folder of these names below the workspace, opened."""
        folder = os.open(self._roots[1], os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for name in names:
                if make:
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(name, dir_fd=folder)
                try:
                    inner = os.open(name, _FOLDER, dir_fd=folder)
                except NotADirectoryError:
                    if stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                        raise HostRefused(REFUSED, f"{path}: {name} is a symbolic link") from None
                    raise
                os.close(folder)
                folder = inner
        except BaseException:
            os.close(folder)
            raise
        return folder


@contextlib.contextmanager
def _refusing(path: str) -> Iterator[None]:
    """Turn the system's refusals into ours."""
    try:
        yield
    except FileNotFoundError:
        raise HostRefused(NOT_FOUND, f"{path}: does not exist") from None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise HostRefused(REFUSED, f"{path}: is a symbolic link") from None
        raise HostRefused(REFUSED, f"{path}: {error.strerror}") from None
