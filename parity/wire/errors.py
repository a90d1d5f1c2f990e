"""The one error a user's files can cause.

Knows how such an error is printed: file, line, what is wrong, what to do, on one line.
Must not know any file format; the readers that raise it do.
"""

from __future__ import annotations

from pathlib import Path


class InputError(Exception):
    """A file or a name the user gave cannot be used.

    ``str()`` is one line, ``<path>:<line>: <what>; <fix>``, with ``:<line>`` left out where no single
    line is at fault. Lines are counted from 1. Survives pickling, so it may cross processes.
    """

    def __init__(self, path: Path | str, line: int | None, what: str, fix: str) -> None:
        super().__init__(path, line, what, fix)
        self.path = Path(path)
        self.line = line
        self.what = what
        self.fix = fix

    def __str__(self) -> str:
        where = f"{self.path}:{self.line}" if self.line is not None else str(self.path)
        return _one_printable_line(f"{where}: {self.what}; {self.fix}")


def unreadable(path: Path | str, error: OSError) -> InputError:
    """The InputError for a file or folder the system would not let us read."""
    if isinstance(error, FileNotFoundError):
        return InputError(path, None, "does not exist", "check the path")
    return InputError(path, None, f"cannot be read ({error.strerror})", "check what it is and its mode")


def unwritable(path: Path | str, error: OSError) -> InputError:
    """The InputError for a file or folder the system would not let us write."""
    return InputError(
        path, None, f"cannot be written ({error.strerror})", "check the folder, its mode and space"
    )


def _one_printable_line(text: str) -> str:
    """Names from the disk may hold newlines and undecodable bytes; neither may break the output."""
    return " ".join(text.splitlines()).encode("utf-8", "backslashreplace").decode("utf-8")
