"""`row-counts.json`: how many events, rows, unhandled and dropped things each cell has.

Knows the pins of the counts, what a change of a count means, and how to re-pin without harming
other cells. Must not know how things are counted. `events` and `rows` are exact; `unhandled` and
`grammarDrops` may fall, which is worth a re-pin, and never rise without a `counts` allowance.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec
from filelock import FileLock

from parity.gates.allowance import GUARDED, Allowance
from parity.wire import InputError, write_atomic_bytes

EXACT = ("events", "rows")
"""Counts where every change is a failure."""

FIELDS = (*EXACT, *GUARDED)
"""Counts of a cell, in the order of the file."""

MOST = 2**53
"""The most a count may be: up to here every reader of JSON agrees about a number."""

REPIN = "re-pin with UPDATE_PARITY_ROW_COUNTS=1 pytest"

_SPACE = re.compile(r"[ \t\r\n]*")
_NAME = re.compile(r"[^/\s]+/[^/\s]+")


class Counts(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The four counts of one cell; all are 0 or more."""

    events: int
    rows: int
    unhandled: int
    grammar_drops: int

    def value(self, name: str) -> int:
        """A count by its name in the file."""
        return int(getattr(self, "grammar_drops" if name == "grammarDrops" else name))


class CountFinding(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be said of one count of a cell."""

    verdict: Literal["fail", "note", "allowed", "unpinned"]
    """Only `fail` fails; `unpinned` fails where unpinned cells do."""
    count: str
    """The count's name; "" for `unpinned`, which is about the cell."""
    pinned: int | None
    actual: int | None
    message: str
    issue: str | None = None
    """`allowed`: the allowance's issue."""


class RefusedInCI(Exception):
    """A pin was to be rewritten where pins are only read."""


def load_counts(path: Path | str) -> dict[str, Counts]:
    """The pinned counts by `provider/cell`; a missing file has none. Raises InputError."""
    return {name: counts for name, (_, counts) in _read(Path(path)).items()}


def judge(pinned: Counts | None, actual: Counts, allowances: Sequence[Allowance] = ()) -> list[CountFinding]:
    """What to say of a cell's counts; [] when they are as pinned.

    `allowances` are the `counts` allowances of the cell; each that accepts a rise counts a hit.
    """
    if pinned is None:
        message = f"no counts are pinned; {REPIN}"
        return [CountFinding(verdict="unpinned", count="", pinned=None, actual=None, message=message)]
    findings = []
    for name in FIELDS:
        was, now = pinned.value(name), actual.value(name)
        if was != now:
            findings.append(_finding(name, was, now, allowances))
    return findings


def repin(
    path: Path | str,
    updates: Mapping[str, Counts],
    failed: Iterable[str],
    known_cells: Iterable[str],
    environ: Mapping[str, str] = os.environ,
) -> list[str]:
    """Pin the counts of `updates`; one line per cell that moved, was kept or is an orphan.

    Cells in `failed` keep their pins, cells outside `updates` keep theirs byte for byte, and no pin
    is ever dropped: one whose cell is not in `known_cells` is only named. Safe among processes.
    Raises RefusedInCI under CI and InputError where the file is not valid.
    """
    if environ.get("CI", "").strip().lower() in ("true", "1"):
        raise RefusedInCI(f"{path}: counts are not re-pinned under CI; re-pin locally and commit")
    path, failed, known = Path(path), set(failed), set(known_cells)
    report = []
    with FileLock(_lock_file(path)):
        texts = _read(path)
        moved = False
        for name in sorted(updates):
            if name in failed:
                report.append(f"{name}: failed, its pin is kept")
                continue
            old = texts[name][1] if name in texts else None
            if old != updates[name]:
                report.append(f"{name}: {_movement(old, updates[name])}")
                texts[name] = _text(updates[name]), updates[name]
                moved = True
        if moved:
            write_atomic_bytes(path, _file_text(texts))
    report.extend(
        f"{name}: pinned, but there is no such cell; remove it by hand if that is meant"
        for name in sorted(texts)
        if name not in known and name not in updates
    )
    return report


def _finding(name: str, was: int, now: int, allowances: Sequence[Allowance]) -> CountFinding:
    change = f"{name} {was} → {now}"
    if name in EXACT:
        return CountFinding(
            verdict="fail",
            count=name,
            pinned=was,
            actual=now,
            message=f"{change}; if that is meant, {REPIN}",
        )
    if now < was:
        return CountFinding(
            verdict="note", count=name, pinned=was, actual=now, message=f"{change} fell; {REPIN}"
        )
    accepting = [allowance for allowance in allowances if allowance.allows(name, now)]
    for allowance in accepting:
        allowance.hits += 1
    if accepting:
        return CountFinding(
            verdict="allowed",
            count=name,
            pinned=was,
            actual=now,
            message=f"{change} allowed by {accepting[0]}",
            issue=accepting[0].issue,
        )
    limits = [str(a.max) for a in allowances if a.count == name]
    above = f" (allowed up to {', '.join(limits)})" if limits else ""
    return CountFinding(
        verdict="fail",
        count=name,
        pinned=was,
        actual=now,
        message=f"{change} rose{above}; handle it, or add a counts allowance with its issue",
    )


def _movement(old: Counts | None, new: Counts) -> str:
    if old is None:
        return "pinned, " + ", ".join(f"{name} {new.value(name)}" for name in FIELDS)
    return ", ".join(
        f"{name} {old.value(name)} → {new.value(name)}"
        for name in FIELDS
        if old.value(name) != new.value(name)
    )


# -- the file --------------------------------------------------------------------------------------


def _text(counts: Counts) -> str:
    fields = {name: counts.value(name) for name in FIELDS}
    return json.dumps(fields, indent=2).replace("\n", "\n  ")


def _file_text(texts: Mapping[str, tuple[str, Counts]]) -> bytes:
    """The whole file: cells sorted, each with the text it came with."""
    cells = (f"  {json.dumps(name, ensure_ascii=False)}: {texts[name][0]}" for name in sorted(texts))
    return ("{\n" + ",\n".join(cells) + "\n}\n").encode()


def _lock_file(path: Path) -> Path:
    """Beside the system's temporary files, so that no lock is left in a working tree."""
    name = hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:16]
    user = os.getuid() if hasattr(os, "getuid") else 0
    return Path(tempfile.gettempdir()) / f"parity-counts-{user}-{name}.lock"


def _read(path: Path) -> dict[str, tuple[str, Counts]]:
    """Each cell's text in the file, as it stands, and its counts."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return {}
    except UnicodeDecodeError:
        raise InputError(path, None, "not UTF-8", "restore it from git, or re-pin") from None
    except OSError as error:
        raise InputError(
            path, None, f"cannot be read ({error.strerror})", "check the path and its mode"
        ) from None
    try:
        return _cells(path, text)
    except json.JSONDecodeError as error:
        raise InputError(path, error.lineno, error.msg, "restore it from git, or re-pin") from None


def _cells(path: Path, text: str) -> dict[str, tuple[str, Counts]]:
    decoder = json.JSONDecoder(object_pairs_hook=_once)
    cells: dict[str, tuple[str, Counts]] = {}
    at = _expect(text, _skip(text, 0), "{")
    if text[at : at + 1] == "}":
        at += 1
    else:
        while True:
            line = text.count("\n", 0, at) + 1
            if text[at : at + 1] != '"':
                raise json.JSONDecodeError("a cell's name must be a text", text, at)
            name, end = decoder.raw_decode(text, at)
            if not _NAME.fullmatch(name):
                raise InputError(path, line, f"{name!r} is no cell", "write provider/cell")
            if name in cells:
                raise InputError(path, line, f"{name!r} is pinned twice", "keep one of the two")
            start = _expect(text, _skip(text, end), ":")
            try:
                value, end = decoder.raw_decode(text, start)
            except json.JSONDecodeError:
                raise
            except _TwiceError as error:
                raise InputError(
                    path, line, f"{name}: {error} is given twice", "keep one of the two"
                ) from None
            except (ValueError, RecursionError):
                what = f"{name}: a number too long, or nested too deeply"
                raise InputError(path, line, what, "restore it from git, or re-pin") from None
            cells[name] = text[start:end], _checked(path, line, name, value)
            at = _skip(text, end)
            if text[at : at + 1] != ",":
                break
            at = _skip(text, at + 1)
        at = _expect(text, at, "}", skip=False)
    if _skip(text, at) != len(text):
        raise json.JSONDecodeError("text after the end", text, _skip(text, at))
    return cells


class _TwiceError(Exception):
    """A key occurs twice in one object."""


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value: dict[str, object] = {}
    for key, inner in pairs:
        if key in value:
            raise _TwiceError(repr(key))
        value[key] = inner
    return value


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return at if space is None else space.end()


def _expect(text: str, at: int, mark: str, skip: bool = True) -> int:
    if text[at : at + 1] != mark:
        raise json.JSONDecodeError(f"expected {mark!r}", text, at)
    return _skip(text, at + 1) if skip else at + 1


def _checked(path: Path, line: int, name: str, value: object) -> Counts:
    fix = f"write {', '.join(FIELDS)} as whole numbers, 0 or more, or re-pin"
    if not isinstance(value, dict):
        raise InputError(path, line, f"{name} is not an object", fix)
    for key in value:
        if key not in FIELDS:
            raise InputError(path, line, f"{name}: unknown count {key!r}", fix)
    for key in FIELDS:
        count = value.get(key)
        if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= MOST:
            what = f"{name}: no {key}" if key not in value else f"{name}: {key} is {repr(count)[:60]}"
            raise InputError(path, line, what, fix)
    return Counts(
        events=value["events"],
        rows=value["rows"],
        unhandled=value["unhandled"],
        grammar_drops=value["grammarDrops"],
    )
