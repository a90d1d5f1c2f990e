"""`parity show`: one cell as today's code sees it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.text import Text

from parity.cli.cells import named_cell
from parity.cli.output import console, write_json, write_line
from parity.cli.timeline import timeline
from parity.gates.check import bridge_maker, built_in
from parity.gates.pins import KeepSink
from parity.gates.settings import Settings
from parity.grammar.rows import Row
from parity.live.play import player_of
from parity.replay.provenance import LineId, replay_noting, with_provenance
from parity.wire import Cell, InputError

LAYERS = ("rows", "events", "bridge", "provider", "wire")

_LONG_ID = re.compile(r'"(?=[^"]*\d)([\w-]{8})[\w-]{12,}"(?!:)')

LINE_WIDTH = 110
"""Characters shown of a wire line."""
SHOWN_LINES = 12
"""Wire lines shown under a row; of more, the first ones and the last two."""


def run(settings: Settings, name: str, layer: str, *, provenance: bool = False, as_json: bool) -> int:
    """Show a layer; returns the exit code."""
    if layer not in LAYERS:
        raise InputError("--layer", None, f"no layer {layer!r}", f"choose from {', '.join(LAYERS)}")
    if provenance and layer != "rows":
        raise InputError("--provenance", None, f"{layer} have no provenance", "leave --layer out")
    cell = named_cell(settings, name)
    if provenance:
        return _rows_and_lines(settings, cell, as_json)
    if layer == "wire":
        return _wire(cell, as_json)
    sink = KeepSink((layer,))
    outcome = (player_of(settings.providers, cell) or built_in(cell))(cell, sink)
    if as_json or layer != "rows":
        for line in sink.lines[layer]:
            write_line(line)
        return 0
    out = console()
    out.print(Text(_heading(cell), "bold"))
    for text in timeline(sink.docs("rows")):
        out.print(text)
    for problem in (*outcome.stalls, *outcome.unconsumed):
        out.print(Text(f"! {problem}", "red"))
    return 0


def _rows_and_lines(settings: Settings, cell: Cell, as_json: bool) -> int:
    sink = KeepSink(("rows",))
    player = player_of(settings.providers, cell)
    if player is not None:
        outcome = player(cell, sink)
        lines = player.row_lines(cell)
    else:
        outcome, lines = replay_noting(cell, bridge_maker(cell), sink)
    rows = with_provenance(sink.docs("rows"), lines)
    if as_json:
        for row in rows:
            write_json(row)
        return 0
    named = {line_id for top in lines for row in top for line_id in row}
    texts: dict[LineId, str] = {}
    for line in cell.lines():
        line_id = (line.run, line.seq, line.dir)
        if line_id in named:
            texts[line_id] = f"{line.run}:{line.seq:<5} {line.dir:<16} {_shortened(line.line)}"

    def under(row: Row) -> Iterator[Text]:
        found = [texts[run, seq, lane] for run, seq, lane in row["provenance"]]
        more = len(found) - SHOWN_LINES
        if more > 0:
            found[SHOWN_LINES - 2 : -2] = [f"… {more} more"]
        for text in found:
            yield Text(f"← {text}", "cyan")

    out = console()
    out.print(Text(_heading(cell), "bold"))
    for text in timeline(rows, under=under):
        out.print(text)
    for problem in (*outcome.stalls, *outcome.unconsumed):
        out.print(Text(f"! {problem}", "red"))
    return 0


def _shortened(line: str) -> str:
    """A wire line in one line of a terminal: long ids cut, and without what every line begins with."""
    text = _LONG_ID.sub(r'"\1…"', line[: LINE_WIDTH * 8].replace('"jsonrpc":"2.0",', "", 1))
    return text if len(text) <= LINE_WIDTH else f"{text[: LINE_WIDTH - 1]}…"


def _wire(cell: Cell, as_json: bool) -> int:
    out = console()
    for line in cell.lines():
        if as_json:
            write_json(line)
        else:
            out.print(Text.assemble((f"{line.run}:{line.seq:<5} {line.dir:<16} ", "dim"), line.line))
    return 0


def _heading(cell: Cell) -> str:
    manifest = cell.manifest
    agent = manifest.agent
    said = " ".join(word for word in (agent.name, agent.version) if word) if agent else ""
    facts = [fact for fact in (said, manifest.origin, manifest.description) if fact]
    return f"{cell.key}" + (f"  ({' · '.join(facts)})" if facts else "")
