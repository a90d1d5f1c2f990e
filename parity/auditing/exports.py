"""Exports: files of stored `provider/unhandled` rows, read one row at a time and never changed.

Knows the two forms of a file (NDJSON, SQLite) and the names of a row's fields. Must not know lanes. A row
that cannot be read is a `Bad`, with where and why, and the next one follows. Memory is that of one row.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from io import BufferedReader
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import Struct

from parity.wire import MAX_LINE_BYTES, InputError, JsonError, decode
from parity.wire.errors import unreadable

DEFAULT_QUERY = "SELECT * FROM unhandled ORDER BY rowid"
"""The rows of a SQLite export, unless a query says others."""

_SQLITE = b"SQLite format 3\x00"
_BOM = b"\xef\xbb\xbf"
_NAME = 200  # characters of a name that is kept as it is
_TYPE = "provider/unhandled"
_READS = frozenset(
    (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
)


class Stored(Struct, gc=False):
    """One stored row."""

    number: int
    """The line of the file, or the row of the query, from 1."""
    provider: str
    raw_type: str
    raw: dict[str, Any]
    size: int
    """Bytes of the line or column it came in."""
    thread_id: str | None = None
    turn_id: str | None = None
    call_id: str | None = None
    settled: bool | None = None
    """Whether its turn was over when it came; None where the export does not say."""


class Event(Struct, gc=False):
    """Another event of an event stream: it tells which turns were open."""

    provider: str | None
    document: dict[str, Any]


class Bad(Struct, gc=False):
    """A row that cannot be read; provider and raw type where at least these can."""

    number: int
    what: str
    provider: str | None = None
    raw_type: str | None = None


class Skipped(Struct, gc=False):
    """A row of a provider that was not asked for."""


Read: TypeAlias = Stored | Event | Bad | Skipped


class _Unfit(Exception):
    """A row's fields do not fit; the message says how."""


def read_export(path: Path, provider: str | None = None, query: str | None = None) -> Iterator[Read]:
    """Every row of the export, in the order stored.

    `provider` is that of rows that name none; rows that name another are skipped. `query` is for SQLite only.
    Raises InputError for a file or query that cannot be read.
    """
    try:
        with path.open("rb") as file:
            if not file.peek(len(_SQLITE)).startswith(_SQLITE):
                if query is not None:
                    raise InputError(
                        path, None, "no SQLite file, so there is nothing to query", "omit --query"
                    )
                yield from _lines(file, provider)
                return
    except OSError as error:
        raise unreadable(path, error) from error
    yield from _table(path, provider, query or DEFAULT_QUERY)


# -- NDJSON ----------------------------------------------------------------------------------------------


def _lines(file: BufferedReader, provider: str | None) -> Iterator[Read]:
    number = 0
    while line := file.readline(MAX_LINE_BYTES + 1):
        number += 1
        if len(line) > MAX_LINE_BYTES and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = file.readline(MAX_LINE_BYTES)
            yield Bad(number, f"longer than {MAX_LINE_BYTES} bytes")
            continue
        if number == 1:
            line = line.removeprefix(_BOM)
        try:
            document = decode(line)
        except JsonError as error:
            yield Bad(number, f"not JSON: {error}" if line.strip() else "empty line")
            continue
        if not isinstance(document, dict):
            yield Bad(number, "not an object")
        else:
            yield _read(number, document, provider, len(line))


# -- SQLite ----------------------------------------------------------------------------------------------


def _table(path: Path, provider: str | None, query: str) -> Iterator[Read]:
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size:
        what = f"{log.name} holds rows that are not in the file yet"
        raise InputError(path, None, what, "checkpoint it, or export with sqlite3's .backup")
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
        connection.text_factory = bytes
        connection.set_authorizer(
            lambda action, *_: sqlite3.SQLITE_OK if action in _READS else sqlite3.SQLITE_DENY
        )
        try:
            rows = connection.execute(query)
            names = [column[0] for column in rows.description or ()]
            for aliases in (("rawType", "raw_type"), ("raw",), ("provider",) if provider is None else ()):
                if aliases and not any(name in names for name in aliases):
                    fix = "select it" if aliases[0] != "provider" else "select it, or give --provider"
                    raise InputError(path, None, f"the query has no column {aliases[0]!r}", fix)
            for number, row in enumerate(rows, 1):
                yield _row(number, dict(zip(names, row, strict=True)), provider)
        finally:
            connection.close()
    except sqlite3.Error as error:
        fix = f"check the file and the query: {query}"
        raise InputError(path, None, f"cannot be read ({error})", fix) from error


def _row(number: int, columns: dict[str, Any], provider: str | None) -> Read:
    size = len(columns["raw"]) if isinstance(columns.get("raw"), bytes) else 0
    document: dict[str, Any] = {}
    for name, value in columns.items():
        if value is None:
            continue
        try:
            document[name] = value.decode() if isinstance(value, bytes) else value
        except UnicodeDecodeError:
            return Bad(number, f"column {name!r} is not UTF-8")
    return _read(number, document, provider, size)


# -- a row's fields --------------------------------------------------------------------------------------


def _read(number: int, document: dict[str, Any], provider: str | None, size: int) -> Read:
    own, kind, raw_type = document.get("provider"), document.get("type"), None
    if own is not None and not isinstance(own, str):
        return Bad(number, "provider is not a text")
    if own is not None and provider is not None and own != provider:
        return Skipped()
    own = own or provider
    if isinstance(kind, str) and kind != _TYPE and "rawType" not in document and "raw_type" not in document:
        return Event(own, document)
    try:
        raw_type = _text(document, "rawType", "raw_type")
        if own is None:
            raise _Unfit("no provider; give --provider")
        if raw_type is None:
            raise _Unfit("no rawType")
        scope = document.get("scope")
        scope = scope if isinstance(scope, dict) else {}
        return Stored(
            number,
            _name(own),
            _name(raw_type),
            _raw(document),
            size,
            _text(document, "threadId", "thread_id"),
            _text(document, "turnId", "turn_id") or _text(scope, "turnId"),
            _text(document, "callId", "call_id", "toolCallId", "tool_call_id"),
            _settled(document),
        )
    except _Unfit as unfit:
        return Bad(number, str(unfit), own and _name(own), raw_type and _name(raw_type))


def _raw(document: Mapping[str, Any]) -> dict[str, Any]:
    """The stored message, where it is a text the object it holds."""
    raw = document.get("raw")
    if isinstance(raw, str):
        try:
            raw = decode(raw)
        except JsonError:
            raise _Unfit("raw is a text, and no JSON") from None
    if not isinstance(raw, dict):
        raise _Unfit("no raw" if raw is None else "raw is not an object")
    return raw


def _settled(document: Mapping[str, Any]) -> bool | None:
    value = document.get("turnSettled", document.get("turn_settled"))
    if value is None:
        return None
    if value not in (0, 1):
        raise _Unfit("turnSettled is neither true nor false")
    return bool(value)


def _text(document: Mapping[str, Any], *names: str) -> str | None:
    """The first of the fields that is there; a number is taken as its digits."""
    for name in names:
        value = document.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if value is not None and not isinstance(value, str):
            raise _Unfit(f"{name} is not a text")
        if value:
            return _name(value)
    return None


def _name(value: str) -> str:
    """A name short enough to be kept; of a very long one, its beginning and a digest."""
    if len(value) <= _NAME:
        return value
    return f"{value[: _NAME // 2]}…{blake2b(value.encode(), digest_size=8).hexdigest()}"
