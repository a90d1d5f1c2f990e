"""The timeline: rows as a person reads them, one line each and what belongs under it, in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from rich.text import Text

from parity.grammar.rows import Row
from parity.report.reading import read

_MARKS = {
    "completed": ("✓", "green"),
    "failed": ("✗", "red"),
    "interrupted": ("■", "yellow"),
    "pending": ("…", "cyan"),
}
OUTPUT_LINES = 12
"""Lines of output, text or result shown under a row."""

_FACTS = frozenset(
    ("exitCode", "initiator", "approval", "decision", "detail", "changes", "error", "background")
)
_BLOCKS = frozenset(("text", "output", "error"))
"""What of a reading a terminal shows; `parity show --json` has the rest."""


def timeline(
    rows: list[Row], indent: int = 0, under: Callable[[Row], Iterable[Text]] = lambda row: ()
) -> Iterator[Text]:
    """The lines of a timeline; `under` says what else belongs under a row."""
    for row in rows:
        yield from _row(row, indent, under)


def _row(row: Row, indent: int, under: Callable[[Row], Iterable[Text]]) -> Iterator[Text]:
    reading = read(row)
    mark, style = _MARKS.get(reading.status, ("?", "magenta"))
    pad = "  " * indent
    line = Text.assemble(f"{pad}", (f"{mark} ", style), (f"{reading.kind:<11}", "bold"))
    if reading.subject:
        line.append(" " + reading.subject.split("\n", 1)[0])
    facts = [fact.text for fact in reading.facts if fact.field in _FACTS]
    if facts:
        line.append("  ")
        line.append(" · ".join(facts), "dim")
    yield line
    for block in reading.blocks:
        if block.field not in _BLOCKS:
            continue
        lines = block.text.split("\n")
        for shown in lines[:OUTPUT_LINES]:
            yield Text(f"{pad}    {shown}", "dim" if reading.kind != "message" else "")
        if len(lines) > OUTPUT_LINES:
            yield Text(f"{pad}    … {len(lines) - OUTPUT_LINES} more lines", "dim italic")
    for status, step in reading.steps:
        yield Text(f"{pad}    [{status}] {step}", "dim")
    for line in under(row):
        yield Text.assemble(f"{pad}    ", line)
    yield from timeline(row.get("children", []), indent + 1, under)
