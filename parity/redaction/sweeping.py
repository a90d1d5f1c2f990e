"""The sweep: what is personal or secret and stands in a cell all the same: in lanes, pins and manifest.

The same rules as the redactor's, so that a recording it made is clean, and one that was written by hand is
not trusted. Only lines that look odd (`rough`) are read closely: sweeping costs a fraction of a replay.
"""

from __future__ import annotations

import contextlib
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from parity.redaction.rough import is_odd, may_hold, places
from parity.redaction.streams import Stream, gather, join_roughly, may_hold_pieces
from parity.wire import (
    LANES,
    MANIFEST_FILE,
    PINS,
    Cell,
    InputError,
    JsonError,
    LaneLine,
    decode,
    encode,
    lane_file_name,
)

if TYPE_CHECKING:
    from parity.redaction.known import Known

_SHOWN = 4
"""Characters of a finding that are shown at most, and no more than a quarter of it."""

_RECORDED = frozenset(map(lane_file_name, LANES))
_LANE_FILES = _RECORDED | {PINS["bridge"], PINS["provider"]}
_harmless: set[bytes] = set()
"""Ends of lines, from a field on, that held nothing: catalogues cross again and again."""

_MOST = 20_000
_AT_ONCE = 8 * 1024 * 1024
_SLICE = 4 * 1024 * 1024
_OVERLAP = 200
"""How much is swept at a time: bytes, bytes of one file, lines that two slices share."""

_lane_line = msgspec.json.Decoder(LaneLine)


class Finding(msgspec.Struct, frozen=True):
    """What survives: its file, the line (from 1), the kind (`kinds.KINDS`) and its masked beginning."""

    file: Path
    line: int
    kind: str
    shown: str

    def __str__(self) -> str:
        return f"{self.file.name}:{self.line}: {self.kind}: {self.shown}"


def sweep(cell: Cell, known: Known | None = None, *, pins: bool = True) -> list[Finding]:
    """All that survives in a cell. With `known`, every line is read closely, for its names and folders too.

    Without, texts in pieces are joined in the recorded lanes only. `pins` may be left out where they are
    what the lanes replay to. A large file is read a slice at a time, so a text in pieces that goes on over
    more than `_OVERLAP` lines of two slices is joined in each of them only.

    Raises InputError for a file that cannot be read.
    """
    findings: dict[Finding, None] = {}
    for files in _groups(_paths(cell, pins)):
        findings.update(dict.fromkeys(_sweep_files(files, known)))
    return list(findings)


def _sweep_files(files: list[_File], known: Known | None) -> Iterator[Finding]:
    if known is None:
        _look_roughly(files)
    for file in files:
        lines = range(len(file.raw)) if known is not None else sorted(file.odd)
        if file.path.name != MANIFEST_FILE:
            is_cut = file.is_recorded and may_hold(file.joined().encode("utf-8", "replace"))
            if lines or is_cut:
                yield from _sweep_file(file, lines, file.streams(), known)
        elif lines:
            yield from _sweep_manifest(file, known)


def survivors(lines: Iterable[LaneLine], known: Known) -> list[tuple[int, str, str]]:
    """What survives in lines that are not in a cell yet: (line from 1, kind, masked beginning)."""
    listed = list(lines)
    watch = _Watch(known)
    pieces = watch.redactor.pieces([(line.dir, line.line) for line in listed])
    found = []
    for index, line in enumerate(listed):
        watch.found.clear()
        watch.redactor.line(line.line, pieces.get(index, {}))
        found += [(index + 1, kind, shown) for kind, shown in watch.found]
    return found


class _Watch:
    """A redactor whose work is thrown away and whose finds are kept. Most sweeps need none."""

    def __init__(self, known: Known | None) -> None:
        from parity.redaction.known import Known
        from parity.redaction.ledger import Ledger
        from parity.redaction.redactor import Redactor

        self.found: dict[tuple[str, str], None] = {}
        ledger = Ledger((), known.secrets if known is not None else ())
        ledger.settle()
        self.redactor = Redactor(known or Known(), ledger, (), self._keep)

    def _keep(self, kind: str, value: str) -> None:
        self.found[kind, masked(value) if kind != "catalogue" else " ".join(value.split())[:40]] = None


def masked(value: str) -> str:
    """As much of a value as may be shown: `sk-p… (40 characters)`."""
    shown = value[: min(_SHOWN, len(value) // 4)]
    return f"{shown}… ({len(value)} characters)".replace("\n", " ")


class _File:
    """A file of a cell, or a slice of it after `first` lines: its lines, and which of them look odd."""

    def __init__(self, path: Path, data: bytes, first: int = 0) -> None:
        self.path = path
        self.first = first
        self.data = data
        self.raw = data.split(b"\n")
        self.odd: set[int] = set()
        self.is_recorded = path.name in _RECORDED
        self._is_lane = path.name in _LANE_FILES

    def line(self, index: int) -> str:
        """What crossed, or the whole line where the file is no lane."""
        if self._is_lane:
            with contextlib.suppress(ValueError, RecursionError):
                return _lane_line.decode(self.raw[index]).line
        return self.raw[index].decode("utf-8", "replace")

    def around(self, index: int) -> str | None:
        """A lane line without what crossed; None for a line of another file."""
        if not self._is_lane:
            return None
        try:
            document = decode(self.raw[index])
            document.pop("line")
        except (JsonError, AttributeError, KeyError):
            return None
        return encode(document).decode()

    def message(self, index: int) -> Any:
        """The message in a line; None for noise."""
        try:
            return decode(self.line(index))
        except JsonError:
            return None

    def lines_at(self, offsets: list[int]) -> dict[int, set[bytes]]:
        """The lines in which offsets (in order) lie, with what follows each in its line."""
        lines: dict[int, set[bytes]] = {}
        line, at = 0, 0
        for offset in offsets:
            line += self.data.count(b"\n", at, offset)
            at = offset
            end = self.data.find(b"\n", at)
            lines.setdefault(line, set()).add(self.data[at : end if end >= 0 else None])
        return lines

    def is_odd(self, index: int) -> bool:
        """Whether a field of the message in a line may have to go because of its name."""
        return is_odd(decode(self.data) if self.path.name == MANIFEST_FILE else self.message(index))

    def joined(self) -> str:
        """Roughly, the texts that cross in pieces, each joined."""
        if not may_hold_pieces(self.data):
            return ""
        return join_roughly(self.line(index) for index, raw in enumerate(self.raw) if may_hold_pieces(raw))

    def streams(self) -> list[Stream]:
        """The texts that cross in pieces."""
        if not may_hold_pieces(self.data):
            return []
        odd = [may_hold_pieces(raw) for raw in self.raw]
        return gather(("", self.message(index) if piece else None) for index, piece in enumerate(odd))


def _paths(cell: Cell, pins: bool) -> list[Path]:
    lanes = [cell.lane_path(lane) for lane in LANES]
    return [*lanes, *(cell.pin(name) for name in PINS if pins), cell.path / MANIFEST_FILE]


def _groups(paths: list[Path]) -> Iterator[list[_File]]:
    """Files, or slices of them, to be swept together: no more than about `_AT_ONCE` bytes."""
    group: list[_File] = []
    size = 0
    for path in paths:
        for file in _slices(path):
            if group and size + len(file.data) > _AT_ONCE:
                yield group
                group, size = [], 0
            group.append(file)
            size += len(file.data)
    if group:
        yield group


def _slices(path: Path) -> Iterator[_File]:
    """A file in slices of whole lines, each beginning with the last lines of the one before."""
    if not path.is_file():
        return
    try:
        with path.open("rb") as stream:
            first, before = 0, b""
            while data := stream.read(_SLICE):
                data = before + data + stream.readline()
                yield _File(path, data, first)
                if len(data) < _SLICE:
                    break
                kept = len(data) - 1
                for _ in range(_OVERLAP):
                    kept = data.rfind(b"\n", 0, max(kept, 0))
                first += data.count(b"\n", 0, kept + 1)
                before = data[kept + 1 :]
    except OSError as error:
        raise InputError(path, None, f"cannot be read ({error.strerror})", "check the file") from None


def _look_roughly(files: list[_File]) -> None:
    """Note the lines that are worth a closer look, of all files at once."""
    blob = b"\n".join(file.data for file in files)
    odd, fields = places(blob)
    if not odd and not fields:
        return
    starts = [0]
    for file in files:
        starts.append(starts[-1] + len(file.data) + 1)
    for offsets, sure in ((odd, True), (fields, False)):
        for number, inside in _by_file(sorted(offsets), starts):
            for index, tails in files[number].lines_at(inside).items():
                if sure or (not tails <= _harmless and files[number].is_odd(index)):
                    files[number].odd.add(index)
                elif len(_harmless) < _MOST:
                    _harmless.update(tails)


def _by_file(offsets: list[int], starts: list[int]) -> Iterator[tuple[int, list[int]]]:
    for number, (start, end) in enumerate(pairwise(starts)):
        here = offsets[bisect_left(offsets, start) : bisect_left(offsets, end)]
        if here:
            yield number, [offset - start for offset in here]


def _sweep_file(
    file: _File, lines: Sequence[int], streams: Sequence[Stream], known: Known | None
) -> list[Finding]:
    watch = _Watch(known)
    pieces: dict[int, Any] = {}
    found: set[tuple[int, str, str]] = set()
    for stream in streams:
        for index, said in _in_stream(watch, stream, pieces):
            found.add((index, *said))
    for index in lines:
        watch.found.clear()
        watch.redactor.line(file.line(index), pieces.get(index, {}))
        if (around := file.around(index)) is not None:
            watch.redactor.line(around)
        found.update((index, *said) for said in watch.found)
    return [Finding(file.path, file.first + index + 1, kind, shown) for index, kind, shown in sorted(found)]


def _in_stream(
    watch: _Watch, stream: Stream, pieces: dict[int, Any]
) -> Iterator[tuple[int, tuple[str, str]]]:
    watch.found.clear()
    changed = []
    for index, values in watch.redactor.places([stream]).items():
        for path, value in values.items():
            pieces.setdefault(index, {})[path] = None
            if value is not None:
                changed.append(index)
    for said in list(watch.found):
        yield min(changed, default=stream.places[0][0]), said


def _sweep_manifest(file: _File, known: Known | None) -> Iterator[Finding]:
    watch = _Watch(known)
    watch.redactor.line(file.data.decode("utf-8", "replace"))
    lines = file.data.decode("utf-8", "replace").split("\n")
    for kind, shown in watch.found:
        begin = shown.partition("…")[0]
        line = next((n for n, said in enumerate(lines, 1) if begin and begin in said), 1)
        yield Finding(file.path, line, kind, shown)
