"""`parity audit`: the table, the document, the exit codes, and memory that does not grow."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from parity_runs import RECORDINGS, parity
from unhandled_rows import ndjson, sqlite, stored, update

_PEAK = """
import sys, tracemalloc
from pathlib import Path
from parity.auditing.audit import audit
tracemalloc.start()
total = audit(Path(sys.argv[1])).total()
print(tracemalloc.get_traced_memory()[1], total.handled, total.after_turn, total.output_characters)
"""


def export(path: Path, rows: int) -> Path:
    """Of ten rows of each thread eight grow a call's output by two characters, one is late, one unknown."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(rows):
            place = number % 10
            raw = update(f"call-{number // 10}", "x\n" * (place + 1))
            row = stored(raw, threadId=f"thread-{number // 1000}", seq=number, turnSettled=place == 8)
            if place == 9:
                row = stored({"sessionUpdate": "mystery"}, threadId=f"thread-{number // 1000}")
            file.write(json.dumps(row) + "\n")
    return path


def test_the_table_has_a_line_for_each_raw_type(tmp_path: Path) -> None:
    run = parity("audit", export(tmp_path / "x", 100))
    lines = [line.split() for line in run.out.splitlines()]
    assert run.code == 0
    assert ["acp-grok", "tool_call_update", "90", "80", "160", "10", "0", "0"] in lines
    assert ["acp-grok", "mystery", "10", "0", "0", "0", "10", "0"] in lines
    assert "100 rows: 80 would now be handled" in run.out


def test_json_is_one_document(tmp_path: Path) -> None:
    run = parity("audit", export(tmp_path / "x", 20), "--json")
    document = json.loads(run.out)
    assert document["total"] == {
        "total": 20,
        "handled": 16,
        "quiet": 0,
        "outputCharacters": 32,
        "assumed": 16,
        "afterTurn": 2,
        "unhandled": 2,
        "malformed": 0,
    }
    assert [line["rawType"] for line in document["byType"]] == ["mystery", "tool_call_update"]


def test_bad_lines_are_counted_and_the_first_are_named(tmp_path: Path) -> None:
    path = ndjson(tmp_path / "x", stored(update()), *["{"] * 7)
    run = parity("audit", path)
    assert run.code == 1
    assert f"{path}:2: not JSON" in run.out
    assert "… and 2 more" in run.out
    assert "7 cannot be read" in run.out


def test_a_file_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    run = parity("audit", tmp_path)
    assert run.code == 2
    assert run.err.count("\n") == 1


def test_a_provider_nobody_serves_is_a_mistake(tmp_path: Path) -> None:
    run = parity("audit", export(tmp_path / "x", 1), "--provider", "acb-grok")
    assert run.code == 2
    assert "no bridge family serves 'acb-grok'" in run.err


def test_an_event_stream_needs_only_its_provider() -> None:
    run = parity(
        "audit", RECORDINGS / "acp-grok/background/runtime.current.ndjson", "-p", "acp-grok", "--json"
    )
    assert json.loads(run.out)["total"]["afterTurn"] == 1


def test_a_table_of_a_database_is_audited(tmp_path: Path) -> None:
    path = sqlite(tmp_path / "x.db", stored(update(text="ab"), threadId="t", turnSettled=False))
    run = parity("audit", path, "--query", "SELECT * FROM unhandled", "--json")
    assert json.loads(run.out)["total"]["outputCharacters"] == 2


@pytest.mark.parametrize("form", ["ndjson", "sqlite"])
def test_the_export_is_unchanged(tmp_path: Path, form: str) -> None:
    path = tmp_path / "x"
    if form == "ndjson":
        export(path, 200)
    else:
        sqlite(path, *[stored(update(text="a"), threadId="t")] * 200)
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    stat = path.stat()
    assert parity("audit", path).code == 0
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before
    assert path.stat().st_mtime_ns == stat.st_mtime_ns
    assert [entry.name for entry in tmp_path.iterdir()] == ["x"]


def test_memory_does_not_grow_with_the_export(tmp_path: Path) -> None:
    def measure(rows: int) -> list[int]:
        path = export(tmp_path / f"{rows}", rows)
        done = subprocess.run(
            [sys.executable, "-c", _PEAK, str(path)], capture_output=True, text=True, check=True
        )
        return [int(word) for word in done.stdout.split()]

    (small, *_), (large, *counts) = measure(2_000), measure(10_000)
    assert counts == [8_000, 1_000, 16_000]
    assert large < small * 1.5 + 1_000_000
