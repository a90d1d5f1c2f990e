"""Settings: where recordings, counts and allowances are, from `[tool.parity]` of a pyproject.toml.

Knows the table's keys and how command-line options override them. Nothing here opens a recording.
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

from msgspec import Struct

from parity.wire import InputError

COUNTS_KNOB = "UPDATE_PARITY_ROW_COUNTS"
STREAMS_KNOB = "UPDATE_TRANSCRIPT_EXPECTATIONS"
_KNOB_PREFIXES = ("UPDATE_PARITY_", "UPDATE_TRANSCRIPT_")
_KEYS = ("recordings", "row-counts", "allowlist", "strict")
_ON, _OFF = ("1", "true", "yes"), ("", "0", "false", "no")


class Settings(Struct, frozen=True):
    """Paths are absolute. `strict`: a cell without pins fails."""

    recordings: Path
    row_counts: Path
    allowlist: Path
    strict: bool = False


class Knobs(Struct, frozen=True):
    """What the environment asks to be rewritten."""

    counts: bool = False
    streams: bool = False


def load_settings(
    start: Path, *, recordings: Path | None = None, strict: bool = False, environ: Any = os.environ
) -> Settings:
    """Settings of the nearest pyproject.toml at or above `start` that has `[tool.parity]`.

    With `recordings` given, the counts and the allowlist are the ones beside that folder. Under CI=true
    every run is strict. Raises InputError for a table that does not parse or has unknown keys.
    """
    strict = strict or in_ci(environ)
    if recordings is not None:
        folder = recordings.absolute()
        beside = folder.parent
        return Settings(folder, beside / "row-counts.json", beside / "allowlist.yaml", strict)
    found = find_table(start)
    if found is None:
        base = start.absolute()
        return Settings(base / "recordings", base / "row-counts.json", base / "allowlist.yaml", strict)
    base, table = found
    return Settings(
        base / table.get("recordings", "recordings"),
        base / table.get("row-counts", "row-counts.json"),
        base / table.get("allowlist", "allowlist.yaml"),
        strict or table.get("strict", False),
    )


def find_table(start: Path) -> tuple[Path, dict[str, Any]] | None:
    """The folder and content of the nearest `[tool.parity]`, checked; None where there is none."""
    start = start.absolute()
    for folder in (start, *start.parents):
        file = folder / "pyproject.toml"
        if not file.is_file():
            continue
        try:
            document = tomllib.loads(file.read_text("utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise InputError(file, None, f"not TOML: {error}", "mend the file")
        table = document.get("tool", {}).get("parity")
        if table is not None:
            _check(file, table)
            return folder, table
    return None


def _check(file: Path, table: Any) -> None:
    if not isinstance(table, dict):
        raise InputError(file, None, "[tool.parity] is no table", "write [tool.parity]")
    for key, value in table.items():
        if key not in _KEYS:
            known = ", ".join(_KEYS)
            raise InputError(file, None, f"[tool.parity] has no key {key!r}", f"known are: {known}")
        kind = bool if key == "strict" else str
        if not isinstance(value, kind):
            what = f"[tool.parity] {key} must be a {kind.__name__}, not {value!r}"
            raise InputError(file, None, what, "mend the value")


def in_ci(environ: Any = os.environ) -> bool:
    """Whether this is a CI run, in which pins are only read."""
    return str(environ.get("CI", "")).strip().lower() in ("true", "1")


def read_knobs(environ: Any = os.environ) -> Knobs:
    """The UPDATE_* knobs. Raises InputError for an unknown one or an odd value: none is ever ignored."""
    on = {}
    for name, value in environ.items():
        if not name.startswith(_KNOB_PREFIXES):
            continue
        if name not in (COUNTS_KNOB, STREAMS_KNOB):
            fix = f"known are {COUNTS_KNOB} and {STREAMS_KNOB}"
            raise InputError("environment", None, f"unknown variable {name}", fix)
        word = str(value).strip().lower()
        if word not in (*_ON, *_OFF):
            raise InputError("environment", None, f"{name}={value!r} is neither on nor off", "set it to 1")
        on[name] = word in _ON
    return Knobs(on.get(COUNTS_KNOB, False), on.get(STREAMS_KNOB, False))
