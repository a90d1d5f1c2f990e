"""Projects for the tests of the report: copied cells with pins that are changed on purpose."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from parity_runs import ROOT, copy_cells

GROK = "acp-grok/turn-tools-no-terminal"
CURSOR = "acp-cursor/web-search"

HOSTILE = (
    "</script><script>document.title='taken'</script><!--<script>"
    "<img src=https://example.com/x onerror=alert(1)>"
    "\u2028\u2029'\"`{{7*7}}{%raw%}&lt;&#60; ]]> javascript:alert(1) ##[error]x ::error::y"
)
"""Text an agent might say."""


def project(folder: Path, *names: str) -> Path:
    """A folder with these cells and their counts; returns its recordings."""
    recordings = copy_cells(folder, *names)
    counts = json.loads((ROOT / "row-counts.json").read_text("utf-8"))
    (folder / "row-counts.json").write_text(
        json.dumps({name: counts[name] for name in names}, indent=2), "utf-8"
    )
    return recordings


def change_rows(recordings: Path, name: str, change: Callable[[list[dict[str, Any]]], None]) -> None:
    """Change the pinned rows of a cell, which then fails."""
    path = recordings / name / "rows.current.ndjson"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    change(rows)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


def break_exit_code(rows: list[dict[str, Any]]) -> None:
    """The pin says the command went well; a row is missing from it, and it has one that is gone."""
    children = rows[0]["children"]
    command = next(row for row in children if row["kind"] == "command")
    command.update(exitCode=0, status="completed")
    children.remove(next(row for row in children if row["kind"] == "search"))
    children.append(
        {
            "id": "x",
            "kind": "webFetch",
            "status": "completed",
            "title": "gone",
            "url": "https://example.com/gone",
        }
    )


def make_hostile(recordings: Path, name: str, said: str, text: str = HOSTILE) -> None:
    """Replace what an agent said in the recorded lines of a cell."""
    cell = recordings / name
    inner = json.dumps(text, ensure_ascii=False)[1:-1]
    for path in cell.glob("provider→bridge.ndjson"):
        lines = []
        for line in path.read_text("utf-8").split("\n"):
            if line:
                document = json.loads(line)
                document["line"] = document["line"].replace(said, inner)
                lines.append(json.dumps(document, ensure_ascii=False))
        path.write_text("\n".join(lines) + "\n", "utf-8")
