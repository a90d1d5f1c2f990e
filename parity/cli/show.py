"""`parity show`: one cell as today's code sees it."""

from __future__ import annotations

from rich.text import Text

from parity.cli.cells import named_cell
from parity.cli.output import console, write_json, write_line
from parity.cli.timeline import timeline
from parity.gates.check import bridge_maker
from parity.gates.pins import KeepSink
from parity.gates.settings import Settings
from parity.replay.replay import replay
from parity.wire import Cell, InputError

LAYERS = ("rows", "events", "bridge", "provider", "wire")


def run(settings: Settings, name: str, layer: str, *, as_json: bool) -> int:
    """Show a layer; returns the exit code."""
    if layer not in LAYERS:
        raise InputError("--layer", None, f"no layer {layer!r}", f"choose from {', '.join(LAYERS)}")
    cell = named_cell(settings, name)
    if layer == "wire":
        return _wire(cell, as_json)
    sink = KeepSink((layer,))
    outcome = replay(cell, bridge_maker(cell), sink)
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
