"""The wire lines a page carries: those behind its rows, each bounded, as JSON that no line can break out of.

Knows lane lines and pairs of rows. Must not know HTML beyond what JSON inside a script element has to avoid.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from markupsafe import Markup

from parity.replay.provenance import LineId
from parity.report.timelines import Pair
from parity.wire import Cell, JsonError, decode, encode

LINE_BYTES = 4096
"""What a page holds of one line, at most."""
ROW_LINES = 200
"""Lines shown of one row, at most: the first ones, and the last quarter."""
NAMING_LINES = 40
"""Lines shown that name a row's call and changed nothing of it, at most."""

_STRING = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"')
_LONG_TEXT = 400
_LONG_LIST = 40


def embedded(cell: Cell, pairs: Iterable[Pair]) -> dict[str, Any]:
    """What a cell's page knows of the wire, as a document.

    `lines`: `run:seq lane` → {dir, text, bytes}; `bytes` is there where the text is not the whole line.
    `rows`: one entry per pair, {lines: [names], omitted, naming: [names]}; `naming` are lines that name the
    row's call and changed nothing of it.
    """
    pairs = list(pairs)
    behind = [frozenset(pair.lines) for pair in pairs]
    wanted: set[LineId] = set()
    rows: list[dict[str, Any]] = []
    for pair in pairs:
        lines = pair.lines
        omitted = max(0, len(lines) - ROW_LINES)
        if omitted:
            last = ROW_LINES // 4
            lines = [*lines[: ROW_LINES - last], *lines[-last:]]
        wanted.update(lines)
        rows.append({"lines": [_name(line) for line in lines], "omitted": omitted, "naming": []})
    calls: dict[str, list[int]] = defaultdict(list)
    for at, pair in enumerate(pairs):
        if pair.call:
            calls[encode(pair.call).decode()[1:-1]].append(at)
    texts: dict[str, Any] = {}
    for line in cell.lines():
        line_id = (line.run, line.seq, line.dir)
        naming = False
        for call in {call for call in _STRING.findall(line.line) if call in calls} if calls else ():
            for at in calls[call]:
                if line_id not in behind[at] and len(rows[at]["naming"]) < NAMING_LINES:
                    rows[at]["naming"].append(_name(line_id))
                    naming = True
        if naming or line_id in wanted:
            texts[_name(line_id)] = {"dir": line.dir, **_bounded(line.line)}
    return {"lines": texts, "rows": rows}


def script_safe(document: Any) -> Markup:
    """JSON to stand inside a script element: no text in it can end the element or begin a comment."""
    text = encode(document).decode()
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


def _name(line: LineId) -> str:
    run, seq, lane = line
    return f"{run}:{seq} {lane}"


def _bounded(text: str) -> dict[str, Any]:
    """The line; a long one with its long texts and lists shortened, so that its structure is still seen."""
    size = len(text.encode(errors="replace"))
    if size <= LINE_BYTES:
        return {"text": text}
    try:
        shortened = encode(_shortened(decode(text), 0)).decode()
    except (JsonError, RecursionError):
        shortened = text
    data = shortened.encode(errors="replace")
    if len(data) > LINE_BYTES:
        shortened = data[:LINE_BYTES].decode(errors="ignore") + "…"
    return {"text": shortened, "bytes": size}


def _shortened(value: Any, depth: int) -> Any:
    if isinstance(value, str) and len(value) > _LONG_TEXT:
        return f"{value[:_LONG_TEXT]}… [{len(value) - _LONG_TEXT} more characters]"
    if isinstance(value, dict):
        return {key: _shortened(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        kept = [_shortened(inner, depth + 1) for inner in value[:_LONG_LIST]]
        return [*kept, f"… [{len(value) - _LONG_LIST} more]"] if len(value) > _LONG_LIST else kept
    return value
