"""Exports: both forms are read in order and left alone; a bad row is named and the next one follows."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from parity_runs import snapshot
from unhandled_rows import event, ndjson, sqlite, stored, update

from parity.auditing.exports import Bad, Event, Skipped, Stored, read_export
from parity.wire import MAX_LINE_BYTES, InputError

ROW = stored(update())


def read(path: Path, provider: str | None = None, query: str | None = None) -> list[Any]:
    return list(read_export(path, provider, query))


@pytest.mark.parametrize(
    "fields",
    [
        {"threadId": "t", "turnId": "u", "callId": "c", "turnSettled": True},
        {"thread_id": "t", "turn_id": "u", "tool_call_id": "c", "turn_settled": 1},
        {"threadId": "t", "scope": {"turnId": "u"}, "toolCallId": "c", "turnSettled": True},
    ],
)
def test_a_rows_fields_have_both_spellings(tmp_path: Path, fields: dict[str, Any]) -> None:
    (row,) = read(ndjson(tmp_path / "x", {**ROW, **fields}))
    assert (row.thread_id, row.turn_id, row.call_id, row.settled) == ("t", "u", "c", True)


def test_a_raw_that_is_a_text_is_the_json_in_it(tmp_path: Path) -> None:
    (row,) = read(ndjson(tmp_path / "x", {**ROW, "raw": '{"sessionUpdate": "plan"}'}))
    assert row.raw == {"sessionUpdate": "plan"}


def test_events_are_rows_or_tell_of_turns(tmp_path: Path) -> None:
    one = event("provider/unhandled", raw=update(), rawType="tool_call_update")
    found = read(ndjson(tmp_path / "x", event("turn/started", "turn-1"), one), "acp-grok")
    assert [type(row) for row in found] == [Event, Stored]
    assert found[1].provider == "acp-grok"


def test_rows_of_other_providers_are_skipped_when_one_is_asked_for(tmp_path: Path) -> None:
    found = read(ndjson(tmp_path / "x", ROW, stored(update(), "codex")), "codex")
    assert [type(row) for row in found] == [Skipped, Stored]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("{", "not JSON"),
        ("", "empty line"),
        ("[]", "not an object"),
        ({"rawType": "x", "raw": {}}, "no provider"),
        ({"provider": 1, "rawType": "x", "raw": {}}, "provider is not a text"),
        ({"provider": "codex", "raw": {}}, "no rawType"),
        ({"provider": "codex", "rawType": "x"}, "no raw"),
        ({"provider": "codex", "rawType": "x", "raw": [1]}, "raw is not an object"),
        ({"provider": "codex", "rawType": "x", "raw": "{"}, "raw is a text, and no JSON"),
        ({**ROW, "turnSettled": "maybe"}, "turnSettled is neither"),
        ({**ROW, "turnId": []}, "turnId is not a text"),
    ],
)
def test_a_bad_line_is_named_and_the_next_one_follows(tmp_path: Path, line: Any, what: str) -> None:
    bad, good = read(ndjson(tmp_path / "x", line, ROW))
    assert isinstance(bad, Bad)
    assert bad.number == 1
    assert what in bad.what
    assert isinstance(good, Stored)


def test_a_line_that_is_too_long_is_passed_over(tmp_path: Path) -> None:
    bad, good = read(ndjson(tmp_path / "x", " " * (2 * MAX_LINE_BYTES + 5), ROW))
    assert (bad.number, good.number) == (1, 2)


def test_a_mark_at_the_start_carriage_returns_and_no_last_newline_are_fine(tmp_path: Path) -> None:
    path = ndjson(tmp_path / "x", ROW, ROW)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n").removesuffix(b"\r\n"))
    assert [type(row) for row in read(path)] == [Stored, Stored]


def test_a_table_is_read_in_the_order_stored(tmp_path: Path) -> None:
    rows = [stored(update(str(n)), threadId="t", turnSettled=bool(n % 2)) for n in range(3)]
    found = read(sqlite(tmp_path / "x.db", *rows))
    assert [row.raw["toolCallId"] for row in found] == ["0", "1", "2"]
    assert [row.settled for row in found] == [False, True, False]


def test_a_query_chooses_and_names_the_columns(tmp_path: Path) -> None:
    path = sqlite(tmp_path / "x y?.db", ROW, table="log")
    (row,) = read(path, "acp-qwen", "SELECT raw_type AS rawType, raw FROM log")
    assert (row.provider, row.raw_type) == ("acp-qwen", "tool_call_update")


@pytest.mark.parametrize(
    ("query", "what"),
    [
        ("SELECT raw FROM unhandled", "no column 'rawType'"),
        ("SELECT raw, raw_type FROM unhandled", "no column 'provider'"),
        ("SELECT * FROM nowhere", "no such table"),
        ("DELETE FROM unhandled", "not authorized"),
        ("ATTACH 'other.db' AS other", "not authorized"),
        ("SELECT", "incomplete input"),
    ],
)
def test_a_wrong_query_is_one_error(tmp_path: Path, query: str, what: str) -> None:
    path = sqlite(tmp_path / "x.db", ROW)
    before = snapshot(tmp_path)
    with pytest.raises(InputError, match=what):
        read(path, None, query)
    assert snapshot(tmp_path) == before


def test_a_table_is_left_as_it_is_with_nothing_beside_it(tmp_path: Path) -> None:
    path = sqlite(tmp_path / "x.db", *[ROW] * 50)
    before = snapshot(tmp_path)
    assert len(read(path)) == 50
    assert snapshot(tmp_path) == before


def test_rows_that_are_still_in_a_write_ahead_log_are_not_missed_silently(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode=wal")
    connection.execute("CREATE TABLE unhandled (provider, raw_type, raw)")
    connection.commit()
    with pytest.raises(InputError, match="not in the file yet"):
        read(path)
    connection.close()


def test_a_damaged_table_is_one_error(tmp_path: Path) -> None:
    path = sqlite(tmp_path / "x.db", *[ROW] * 500)
    path.write_bytes(path.read_bytes()[:9000])
    with pytest.raises(InputError, match="cannot be read"):
        read(path)


def test_a_query_needs_a_table(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no SQLite file"):
        read(ndjson(tmp_path / "x", ROW), None, "SELECT 1")


def test_a_missing_file_is_one_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        read(tmp_path / "none")
