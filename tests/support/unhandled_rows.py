"""Stored unhandled rows for tests of the audit: rows, events and export files."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from parity.auditing.audit import Answer, Line, audit


def update(call_id: str = "call-1", text: str | None = None, **fields: Any) -> dict[str, Any]:
    """An ACP `tool_call_update` of a running call, as older translators kept it."""
    raw = {"sessionUpdate": "tool_call_update", "toolCallId": call_id, "status": "in_progress", **fields}
    if text is not None:
        raw["content"] = [{"type": "content", "content": {"type": "text", "text": text}}]
    return raw


def stored(
    raw: Any, provider: str = "acp-grok", raw_type: str | None = None, **fields: Any
) -> dict[str, Any]:
    """A stored row."""
    if raw_type is None:
        raw_type = raw.get("sessionUpdate") or raw.get("method")
    return {"provider": provider, "rawType": raw_type, "raw": raw, **fields}


def event(kind: str, turn_id: str | None = None, **fields: Any) -> dict[str, Any]:
    """An event of thread-1, as an event stream has it."""
    scope = {"kind": "turn", "turnId": turn_id} if turn_id else {"kind": "thread"}
    return {"type": kind, "threadId": "thread-1", "scope": scope, **fields}


def unhandled(raw: dict[str, Any], turn_id: str | None = None) -> dict[str, Any]:
    """A `provider/unhandled` event."""
    return event("provider/unhandled", turn_id, raw=raw, rawType=raw["sessionUpdate"])


def ndjson(path: Path, *rows: Any) -> Path:
    """An NDJSON export; a text stands for its own line."""
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("".join(line + "\n" for line in lines), "utf-8")
    return path


def sqlite(path: Path, *rows: dict[str, Any], table: str = "unhandled") -> Path:
    """A SQLite export with snake case columns."""
    with sqlite3.connect(path) as connection:
        connection.execute(
            f"CREATE TABLE {table} (provider TEXT, raw_type TEXT, raw TEXT, thread_id TEXT, turn_settled INT)"
        )
        for row in rows:
            values = (row["provider"], row["rawType"], json.dumps(row["raw"]))
            more = (row.get("threadId"), row.get("turnSettled"))
            connection.execute(f"INSERT INTO {table} VALUES (?, ?, ?, ?, ?)", (*values, *more))
    connection.close()
    return path


def audited(path: Path, *rows: Any, provider: str | None = None) -> Answer:
    """The answer for an export of these rows."""
    return audit(ndjson(path / "export.ndjson", *rows), provider)


def only(answer: Answer) -> Line:
    """The one line of an answer."""
    (line,) = answer.lines.values()
    return line
