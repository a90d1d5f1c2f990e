"""Two timelines of one log, before and after, as markdown for a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from parity.checkouts.row_marks import Marks, Place, row_marks
from parity.cli.timeline import timeline
from parity.wire import encode

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]")

Rows = Sequence[dict[str, Any]]


def before_after(old_title: str, old: Rows, new_title: str, new: Rows) -> str:
    """Two fenced blocks; the lines of a row that differs begin with `-` in the first, `+` in the second."""
    old_marks, new_marks = row_marks(old, new)
    before = list(_marked(old, old_marks, "-", ()))
    after = list(_marked(new, new_marks, "+", ()))
    return f"**Before**: {old_title}\n\n{_fenced(before)}\n\n**After**: {new_title}\n\n{_fenced(after)}\n"


def _fenced(lines: list[str]) -> str:
    body = "\n".join(lines) or "  (no rows)"
    longest = max((len(run) for run in re.findall("`+", body)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}diff\n{body}\n{fence}"


def _marked(rows: Rows, marks: Marks, mark: str, above: Place) -> Iterator[str]:
    for number, row in enumerate(rows):
        place = (*above, number)
        sign = mark if place in marks else " "
        alone = {key: value for key, value in row.items() if key != "children"}
        shown = _shown(alone, len(above))
        fields = marks.get(place)
        if fields:
            shown[0] += f"  ({', '.join(fields)})"
        for line in shown:
            yield f"{sign} {line}".rstrip()
        yield from _marked(row.get("children") or (), marks, mark, place)


def _shown(row: dict[str, Any], indent: int) -> list[str]:
    """The row's lines; one that the timeline cannot read (an older checkout's) as JSON."""
    try:
        lines = [text.plain for text in timeline([row], indent)]
    except (KeyError, TypeError, AttributeError):
        lines = ["  " * indent + encode(row).decode()]
    return [_CONTROL.sub("", line.replace("\r", "")) for line in lines]
