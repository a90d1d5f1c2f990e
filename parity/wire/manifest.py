"""`manifest.json`: what a cell says about itself.

Knows the fields of the manifest, their types, and the names a provider or a cell may have. Must not
know lanes or replays. Fields it does not know survive a load and a save, in the manifest and inside
``agent`` and ``ignored``.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any, Literal, cast

import msgspec

from parity.wire import json
from parity.wire.errors import InputError, unreadable
from parity.wire.framing import write_atomic_bytes
from parity.wire.lane_file import LANES, shape_problem

MANIFEST_FILE = "manifest.json"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_LONGEST_NAME = 200
"""Characters of a name: file systems take 255 bytes, and a temporary name is longer than its file's."""


class Agent(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The agent that was recorded. ``command`` is a shell line or an argv; ``extra`` unknown keys."""

    name: str | None = None
    version: str | None = None
    package: str | None = None
    command: str | list[str] | None = None
    extra: dict[str, Any] = msgspec.field(default_factory=dict)


class Ignored(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Recorded lines a replay may leave unanswered or unconsumed, and the reason."""

    method: str
    direction: str
    why: str
    extra: dict[str, Any] = msgspec.field(default_factory=dict)


class Manifest(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a cell says about itself; wire names are the camelCase of the attributes.

    ``origin``: ``live`` a real agent, ``imported`` a real agent under a foreign client,
    ``transcribed`` written by hand from documented frames. ``model``: who answered the agent.
    ``lines``: lines per lane. ``bridge_runs``: the bridge processes it spans. ``extra``: unknown keys.
    None or empty means the file does not say.
    """

    provider: str
    cell: str
    thread_id: str | None = None
    scope: Literal["thread", "process"] = "thread"
    agent: Agent | None = None
    protocol: str | int | None = None
    recorded_at: str | int | None = None
    origin: Literal["live", "imported", "transcribed"] | None = None
    model: Literal["scripted", "live"] | None = None
    description: str = ""
    lines: dict[str, int] = msgspec.field(default_factory=dict)
    bridge_runs: int | list[Any] | None = None
    ignored: list[Ignored] = msgspec.field(default_factory=list)
    extra: dict[str, Any] = msgspec.field(default_factory=dict)


def cell_name_problem(name: str) -> str | None:
    """Why a provider or cell may not have this name; None if it may.

    Names become directories and keys of pins, so: letters, digits, ``.``, ``_`` and ``-``, a letter
    or digit first, no ``..``, at most 200 characters.
    """
    if len(name) > _LONGEST_NAME:
        return f"a name has at most {_LONGEST_NAME} characters"
    if not _NAME.fullmatch(name):
        return "a name is letters, digits, '.', '_' and '-', and starts with a letter or digit"
    if ".." in name:
        return "a name may not hold '..'"
    return None


def check_cell_name(kind: Literal["provider", "cell"], name: str, path: Path | str) -> str:
    """The name itself, or InputError about the file or folder it came from."""
    problem = cell_name_problem(name)
    if problem is None:
        return name
    shown = name if len(name) <= _LONGEST_NAME else f"{name[:20]}…"
    raise InputError(path, None, f"{kind} name {shown!r} cannot be used ({problem})", "rename it")


def load_manifest(path: Path | str) -> Manifest:
    """Read a ``manifest.json``. ``provider`` and ``cell`` fall back to the names of its folders.

    Raises InputError naming the field for a wrong type or value, with the line where it is not JSON.
    """
    path = Path(path)
    try:
        data = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    except OSError as error:
        raise unreadable(path, error) from error
    try:
        document = json.decode(data)
    except json.JsonError as error:
        line = None if error.offset is None else data.count(b"\n", 0, error.offset) + 1
        raise InputError(path, line, f"not JSON ({error})", "repair it") from None
    if not isinstance(document, dict):
        raise InputError(path, None, "not a JSON object", "a manifest is one {...}")
    folder = path.resolve().parent
    defaults = {"provider": folder.parent.name, "cell": folder.name}
    try:
        manifest = _from_document(defaults | document)
    except msgspec.ValidationError as error:
        raise InputError(path, None, shape_problem(error), "correct the field") from None
    check_cell_name("provider", manifest.provider, path)
    check_cell_name("cell", manifest.cell, path)
    for at, entry in enumerate(manifest.ignored):
        if entry.direction not in LANES:
            what = f"ignored[{at}].direction: no lane is named {entry.direction!r}"
            raise InputError(path, None, what, f"write one of {', '.join(LANES)}")
    return manifest


def save_manifest(path: Path | str, manifest: Manifest) -> None:
    """Write a ``manifest.json`` atomically: indented by 2, known keys in their fixed order, unknown
    keys after them, UTF-8 unescaped, a final newline. What the manifest does not say is left out."""
    compact = json.encode(_to_document(manifest))
    write_atomic_bytes(path, msgspec.json.format(compact, indent=2) + b"\n")


def _from_document(document: dict[str, Any]) -> Manifest:
    """Types are checked on the known keys only; an unknown key called ``extra`` is data like any."""
    known = _with_extra_apart(document, Manifest)
    if isinstance(known.get("agent"), dict):
        known["agent"] = _with_extra_apart(known["agent"], Agent)
    if isinstance(known.get("ignored"), list):
        known["ignored"] = [
            _with_extra_apart(entry, Ignored) if isinstance(entry, dict) else entry
            for entry in known["ignored"]
        ]
    return msgspec.convert(known, Manifest)


def _with_extra_apart(document: dict[str, Any], struct: type[msgspec.Struct]) -> dict[str, Any]:
    names = _wire_names(struct)
    known = {key: value for key, value in document.items() if key in names}
    known["extra"] = {key: value for key, value in document.items() if key not in names}
    return known


def _to_document(struct: msgspec.Struct) -> dict[str, Any]:
    document: dict[str, Any] = {}
    for field in msgspec.structs.fields(type(struct)):
        value = getattr(struct, field.name)
        if field.name == "extra" or value is None or value in ("", [], {}):
            continue
        if isinstance(value, msgspec.Struct):
            value = _to_document(value)
        elif isinstance(value, list):
            value = [_to_document(v) if isinstance(v, msgspec.Struct) else v for v in value]
        document[field.encode_name] = value
    return document | cast("dict[str, Any]", getattr(struct, "extra"))  # noqa: B009


@functools.cache
def _wire_names(struct: type[msgspec.Struct]) -> frozenset[str]:
    return frozenset(f.encode_name for f in msgspec.structs.fields(struct) if f.name != "extra")
