"""Pins: the committed streams of a cell, compared with a replay's as they come, or rewritten from it.

The comparison is of bytes, as often as a row is finished, so an unchanged cell costs one read of its pins.
Only when a stream differs is it kept and diffed (see `check`).
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from parity.wire import Cell, JsonError, decode, read_ndjson, write_atomic
from parity.wire.errors import InputError, unreadable

STREAMS = ("bridge", "provider", "events", "rows")
"""The pinned layers, in the order of the pipeline."""


class PinnedStream:
    """One pinned file, compared line by line with what a replay says."""

    def __init__(self, path: Path) -> None:
        self.path = path
        file = _opened(path)
        self.pinned = file is not None
        self.equal = self.pinned
        self._file: BinaryIO = file if file is not None else BytesIO()
        self._said: list[bytes] = []
        self.say = self._said.append
        """The replay says one line."""

    def end(self) -> None:
        """The replay said all."""
        self.compare()
        if self.equal and self._file.read(1):
            self.equal = False
        self._file.close()

    def compare(self) -> None:
        """Compare what was said since the last time, and forget it."""
        if self.equal and self._said:
            whole = b"\n".join(self._said) + b"\n"
            self.equal = self._file.read(len(whole)) == whole
        self._said.clear()


def _opened(path: Path) -> BinaryIO | None:
    """The pin, open; None where there is none. Raises InputError where there is one that cannot be read."""
    try:
        return path.open("rb")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise unreadable(path, error) from None


class PinSink:
    """A replay's sink that compares every stream with its pin."""

    def __init__(self, cell: Cell) -> None:
        self.streams = {layer: PinnedStream(cell.pin(layer)) for layer in STREAMS}
        self.bridge = self.streams["bridge"].say
        self.provider = self.streams["provider"].say
        self.event = self.streams["events"].say

    def row(self, line: bytes) -> None:
        """A row is finished: a good moment to compare what led to it."""
        self.streams["rows"].say(line)
        for stream in self.streams.values():
            stream.compare()

    def end(self) -> None:
        """The replay is over."""
        for stream in self.streams.values():
            stream.end()


class KeepSink:
    """A replay's sink that keeps the streams it is asked for."""

    def __init__(self, layers: tuple[str, ...] = STREAMS) -> None:
        self.lines: dict[str, list[bytes]] = {layer: [] for layer in layers}
        self.bridge = self._keeper("bridge")
        self.provider = self._keeper("provider")
        self.event = self._keeper("events")
        self.row = self._keeper("rows")

    def _keeper(self, layer: str) -> Any:
        return self.lines[layer].append if layer in self.lines else _drop

    def docs(self, layer: str) -> list[dict[str, Any]]:
        """The kept stream as documents."""
        return [decode(line) for line in self.lines[layer]]


def _drop(line: bytes) -> None:
    pass


def pinned_docs(cell: Cell, layer: str) -> list[dict[str, Any]]:
    """A pinned stream as documents. Raises InputError with the line for one that does not parse."""
    path = cell.pin(layer)
    docs = []
    for number, line in read_ndjson(path, None):
        try:
            doc = decode(line)
        except JsonError as error:
            raise InputError(path, number, f"a pin that is not JSON: {error}", "rerecord it")
        if not isinstance(doc, dict):
            raise InputError(path, number, "a pin that is no object", "rerecord it")
        docs.append(doc)
    return docs


def write_pin(cell: Cell, layer: str, lines: list[bytes]) -> bool:
    """Rewrite one pin whole; returns whether its bytes changed (an equal file is not touched)."""
    if is_pinned(cell, layer, lines):
        return False
    write_atomic(cell.pin(layer), lines)
    return True


def is_pinned(cell: Cell, layer: str, lines: list[bytes]) -> bool:
    """Whether the pin is exactly these lines. Raises InputError for one that cannot be read."""
    file = _opened(cell.pin(layer))
    if file is None:
        return False
    with file:
        return file.read() == b"".join(line + b"\n" for line in lines)
