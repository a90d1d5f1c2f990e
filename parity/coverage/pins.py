"""`coverage.json`: the verdict of every name and the number of cells it occurs in.

Knows the file, what a change means, and how to re-pin. Coverage *fell* where a verdict is worse, a name
occurs in fewer cells or is gone, or a new name is unhandled. Everything else that moved is good news, which a
re-pin writes down.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from parity.coverage.model import UNHANDLED, VERDICTS, Entry, Key
from parity.gates.settings import in_ci
from parity.wire import InputError, JsonError, decode, write_atomic_bytes

FILE = "coverage.json"
"""Its name; it lies beside the row counts."""

REPIN = "re-pin with parity coverage --pin"
_FIX = "restore it from git, or re-pin (parity coverage --pin)"


class Pinned(Struct, frozen=True):
    """What is pinned of one name."""

    verdict: str
    cells: int


class Move(Struct, frozen=True):
    """One name that is not as pinned."""

    key: Key
    fell: bool
    what: str

    def __str__(self) -> str:
        return f"{self.key}: {self.what}"


def pinned_of(entry: Entry) -> Pinned:
    """What a pin of the entry says."""
    return Pinned(entry.verdict, len(entry.cells))


def load(path: Path) -> dict[Key, Pinned] | None:
    """The pins; None where there is no file: then nothing is gated. Raises InputError for a wrong one."""
    try:
        document = decode(path.read_bytes())
    except FileNotFoundError:
        return None
    except JsonError as error:
        raise InputError(path, None, f"not JSON: {error}", _FIX) from None
    except OSError as error:
        raise InputError(path, None, f"cannot be read ({error.strerror})", "check its mode") from None
    return {
        Key(protocol, category, name): _checked(path, Key(protocol, category, name), value)
        for protocol, categories in _table(path, "the file", document).items()
        for category, names in _table(path, protocol, categories).items()
        for name, value in _table(path, category, names).items()
    }


def moves(pinned: Mapping[Key, Pinned], entries: Iterable[Entry]) -> list[Move]:
    """What moved, what fell first; empty where everything is as pinned."""
    now = {entry.key: entry for entry in entries}
    found = [Move(key, True, "is gone") for key in pinned if key not in now]
    for key, entry in now.items():
        is_now, was = pinned_of(entry), pinned.get(key)
        if was is None:
            fell = entry.verdict == UNHANDLED
            found.append(Move(key, fell, f"is new, {_in_words(is_now)}"))
        elif was != is_now:
            worse = VERDICTS.index(is_now.verdict) < VERDICTS.index(was.verdict)
            fell = worse or is_now.cells < was.cells
            found.append(Move(key, fell, f"{_in_words(was)} → {_in_words(is_now)}"))
    return sorted(found, key=lambda move: not move.fell)


def pin(path: Path, entries: Iterable[Entry], environ: Mapping[str, str] = os.environ) -> list[Move]:
    """Write the pins, whole and at once; returns what moved, all of it new where nothing was pinned.

    An equal file is not touched. Raises InputError under CI, and where the file is not valid.
    """
    if in_ci(environ):
        raise InputError(
            path, None, "pins are not rewritten under CI=true", "re-pin locally, look, and commit"
        )
    entries = list(entries)
    moved = moves(load(path) or {}, entries)
    if moved:
        write_atomic_bytes(path, _text(entries).encode())
    return moved


def _in_words(pinned: Pinned) -> str:
    return f"{pinned.verdict} in {pinned.cells} {'cell' if pinned.cells == 1 else 'cells'}"


def _text(entries: Iterable[Entry]) -> str:
    """The file: a name a line, so that a change shows as what it is."""
    tree: dict[str, dict[str, list[str]]] = {}
    for entry in sorted(entries, key=lambda entry: entry.key):
        pinned = pinned_of(entry)
        value = f'{{"verdict": {json.dumps(pinned.verdict)}, "cells": {pinned.cells}}}'
        names = tree.setdefault(entry.protocol, {}).setdefault(entry.category, [])
        names.append(f"      {json.dumps(entry.name, ensure_ascii=False)}: {value}")
    protocols = []
    for protocol, categories in tree.items():
        parts = [
            f"    {json.dumps(category, ensure_ascii=False)}: {{\n" + ",\n".join(names) + "\n    }"
            for category, names in categories.items()
        ]
        protocols.append(f"  {json.dumps(protocol)}: {{\n" + ",\n".join(parts) + "\n  }")
    return "{\n" + ",\n".join(protocols) + "\n}\n"


def _table(path: Path, what: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(path, None, f"{what} is no object", _FIX)
    return value


def _checked(path: Path, key: Key, value: Any) -> Pinned:
    if isinstance(value, dict) and set(value) == {"verdict", "cells"}:
        verdict, cells = value["verdict"], value["cells"]
        if verdict in VERDICTS and type(cells) is int and cells >= 0:
            return Pinned(verdict, cells)
    raise InputError(path, None, f"{key} is no verdict and number of cells: {value!r}", _FIX)
