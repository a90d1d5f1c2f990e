"""The timeline: rows as a person reads them, one line each and what belongs under it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from rich.text import Text

from parity.grammar.rows import Row

_MARKS = {
    "completed": ("✓", "green"),
    "failed": ("✗", "red"),
    "interrupted": ("■", "yellow"),
    "pending": ("…", "cyan"),
}
OUTPUT_LINES = 12
"""Lines of output, text or result shown under a row."""


def timeline(
    rows: list[Row], indent: int = 0, under: Callable[[Row], Iterable[Text]] = lambda row: ()
) -> Iterator[Text]:
    """The lines of a timeline; `under` says what else belongs under a row."""
    for row in rows:
        yield from _row(row, indent, under)


def _row(row: Row, indent: int, under: Callable[[Row], Iterable[Text]]) -> Iterator[Text]:
    mark, style = _MARKS.get(row["status"], ("?", "magenta"))
    kind = row["kind"]
    pad = "  " * indent
    line = Text.assemble(f"{pad}", (f"{mark} ", style), (f"{kind:<11}", "bold"), " ", _subject(row))
    facts = list(_facts(row))
    if facts:
        line.append("  ")
        line.append(" · ".join(facts), "dim")
    yield line
    for text in _below(row):
        lines = text.rstrip("\n").split("\n")
        for shown in lines[:OUTPUT_LINES]:
            yield Text(f"{pad}    {shown}", "dim" if kind != "message" else "")
        if len(lines) > OUTPUT_LINES:
            yield Text(f"{pad}    … {len(lines) - OUTPUT_LINES} more lines", "dim italic")
    for line in under(row):
        yield Text.assemble(f"{pad}    ", line)
    yield from timeline(row.get("children", []), indent + 1, under)


def _subject(row: Row) -> str:
    for name in ("command", "path", "url", "label"):
        if isinstance(row.get(name), str):
            return str(row[name]).split("\n", 1)[0]
    if row["kind"] == "tool" and row.get("toolName"):
        return str(row["toolName"])
    if row["kind"] == "message":
        return ""
    if row["kind"] in ("warning", "error"):
        return str(row.get("detail") or row["title"])
    return str(row["title"])


def _facts(row: Row) -> Iterator[str]:
    if "exitCode" in row:
        yield f"exit {row['exitCode']}"
    if row.get("initiator"):
        yield f"started by the {row['initiator']}"
    approval = row.get("approval")
    if approval:
        reason = approval.get("reason")
        yield f"{approval['decision']}: {_short(reason)}" if reason else str(approval["decision"])
    if "decision" in row:
        yield str(row["decision"])
    detail = row.get("detail")
    if (
        detail
        and row["kind"] not in ("warning", "error")
        and (not approval or detail != approval.get("reason"))
    ):
        yield _short(detail)
    for change in row.get("changes", ()):
        yield f"{change.get('kind', 'change')} {change['path']}"
    if row.get("error") and row["kind"] != "tool":
        yield _short(str(row["error"]))


def _below(row: Row) -> Iterator[str]:
    for name in ("text", "output", "error"):
        value = row.get(name)
        if name == "error" and row["kind"] != "tool":
            continue
        if value not in (None, ""):
            yield value if isinstance(value, str) else _compact(value)
    for step in row.get("steps", ()):
        yield f"[{step.get('status', ' ')}] {step.get('step')}"


def _compact(value: Any) -> str:
    from parity.wire import encode

    return encode(value).decode()


def _short(text: Any) -> str:
    line = " ".join(str(text).split())
    return line if len(line) <= 100 else f"{line[:99]}…"
