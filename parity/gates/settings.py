"""Settings: where recordings, counts and allowances are, from `[tool.parity]` of a pyproject.toml.

Knows the table's keys and how command-line options override them. Nothing here opens a recording.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from parity.wire import InputError
from parity.wire.errors import unreadable

COUNTS_KNOB = "UPDATE_PARITY_ROW_COUNTS"
STREAMS_KNOB = "UPDATE_TRANSCRIPT_EXPECTATIONS"
_KNOB_PREFIXES = ("UPDATE_PARITY_", "UPDATE_TRANSCRIPT_")
_PATHS = {"recordings": "recordings", "row-counts": "row-counts.json", "allowlist": "allowlist.yaml"}
_KEYS = (*_PATHS, "strict", "providers")
_PROVIDER_KEYS = ("bridge", "env", "timeout")
_PROVIDER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_ON, _OFF = ("1", "true", "yes"), ("", "0", "false", "no")


class ProviderSettings(Struct, frozen=True):
    """A provider's external bridge: its command, variables added to its environment, where it runs.

    `timeout`: seconds that bound each wait for it.
    """

    bridge: list[str]
    folder: Path
    env: dict[str, str] = field(default_factory=dict)
    timeout: float = 10.0


class Settings(Struct, frozen=True):
    """Paths are absolute. `strict`: a cell without pins fails. `providers`: the external bridges."""

    recordings: Path
    row_counts: Path
    allowlist: Path
    strict: bool = False
    providers: Mapping[str, ProviderSettings] = field(default_factory=dict)
    project: bool = False
    """Whether a `[tool.parity]` names these recordings: only then does pytest collect and re-pin them."""

    @property
    def coverage(self) -> Path:
        """The pinned coverage, beside the counts; without the file nothing is gated."""
        return self.row_counts.with_name("coverage.json")


class Knobs(Struct, frozen=True):
    """What the environment asks to be rewritten."""

    counts: bool = False
    streams: bool = False


def load_settings(
    start: Path, *, recordings: Path | None = None, strict: bool = False, environ: Any = os.environ
) -> Settings:
    """Settings of the nearest pyproject.toml at or above `start` that has `[tool.parity]`.

    With `recordings` given, the counts and the allowlist are the ones beside that folder, and of the table
    nearest to it only `providers` counts. Under CI=true every run is strict. Raises InputError for a table
    that does not parse or has unknown keys.
    """
    strict = strict or in_ci(environ)
    if recordings is not None:
        folder = recordings.absolute()
        beside = folder.parent
        near = find_table(beside)
        bridges = _providers(*near) if near is not None else {}
        project = near is not None and _named(*near, "recordings") == Path(os.path.normpath(folder))
        counts, allowlist = beside / "row-counts.json", beside / "allowlist.yaml"
        return Settings(folder, counts, allowlist, strict, bridges, project)
    found = find_table(start)
    if found is None:
        base = start.absolute()
        return Settings(base / "recordings", base / "row-counts.json", base / "allowlist.yaml", strict)
    base, table = found
    recordings, counts, allowlist = (_named(base, table, key) for key in _PATHS)
    strict = strict or table.get("strict", False)
    return Settings(recordings, counts, allowlist, strict, _providers(base, table), True)


def _named(base: Path, table: dict[str, Any], key: str) -> Path:
    """The path a key of the table names, or its default."""
    return Path(os.path.normpath(base / table.get(key, _PATHS[key])))


def find_table(start: Path) -> tuple[Path, dict[str, Any]] | None:
    """The folder and content of the nearest `[tool.parity]`, checked; None where there is none."""
    start = start.absolute()
    for folder in (start, *start.parents):
        file = folder / "pyproject.toml"
        try:
            if not file.is_file():
                continue
            document = tomllib.loads(file.read_text("utf-8"))
        except OSError as error:
            raise unreadable(file, error) from None
        except (ValueError, RecursionError) as error:
            what = " ".join(f"not TOML: {error}".split())
            raise InputError(file, None, what, "mend the file") from None
        tools = document.get("tool", {})
        if not isinstance(tools, dict):
            raise InputError(file, None, "tool is no table", "write [tool.parity]")
        table = tools.get("parity")
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
        if key == "providers":
            _check_providers(file, value)
            continue
        kind = bool if key == "strict" else str
        if not isinstance(value, kind) or "\0" in str(value):
            what = f"[tool.parity] {key} must be a {'bool' if kind is bool else 'path'}, not {value!r}"
            raise InputError(file, None, what, "mend the value")


def _check_providers(file: Path, providers: Any) -> None:
    where = "[tool.parity.providers]"
    if not isinstance(providers, dict):
        raise InputError(file, None, f"{where} is no table", f'write {where[:-1]}."acp-mine"]')
    for provider, table in providers.items():
        where = f"[tool.parity.providers.{provider}]"
        if not _PROVIDER.fullmatch(provider):
            raise InputError(file, None, f"{provider!r} is no provider", "name the folder of its recordings")
        if not isinstance(table, dict):
            raise InputError(file, None, f"{where} is no table", f"write {where}")
        for key in table:
            if key not in _PROVIDER_KEYS:
                known = ", ".join(_PROVIDER_KEYS)
                raise InputError(file, None, f"{where} has no key {key!r}", f"known are: {known}")
        command, env, timeout = table.get("bridge"), table.get("env", {}), table.get("timeout", 10)
        if not isinstance(command, list) or not command or not all(isinstance(w, str) for w in command):
            what = f"{where} bridge must be a list of words, not {command!r}"
            raise InputError(file, None, what, 'e.g. ["node", "bridge.js"]')
        if not isinstance(env, dict) or not all(isinstance(value, str) for value in env.values()):
            raise InputError(file, None, f"{where} env must be a table of texts", "put the values in quotes")
        number = isinstance(timeout, int | float) and not isinstance(timeout, bool)
        if not number or not 0 < timeout < float("inf"):
            what = f"{where} timeout must be seconds above 0, not {timeout!r}"
            raise InputError(file, None, what, "mend the value")


def _providers(folder: Path, table: dict[str, Any]) -> dict[str, ProviderSettings]:
    return {
        provider: ProviderSettings(
            bridge["bridge"], folder, bridge.get("env", {}), float(bridge.get("timeout", 10))
        )
        for provider, bridge in table.get("providers", {}).items()
    }


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
