"""`rerecord`: rewrite the pins of cells from today's code, or say what would change."""

from __future__ import annotations

from msgspec import Struct
from rich.text import Text

from parity.cli.cells import selection
from parity.cli.output import console, plural, write_json
from parity.gates.check import built_in
from parity.gates.pins import STREAMS, KeepSink, write_pin
from parity.gates.settings import Settings
from parity.live.play import LAYERS, player_of
from parity.wire import Cell, find_cells


class Rerecorded(Struct):
    """What became of one cell: pins that changed (or would), and why it was refused."""

    cell: str
    changed: list[str]
    refused: list[str]


def run(
    settings: Settings, provider: str | None, cell: str | None, *, check_only: bool, as_json: bool
) -> int:
    """Rewrite or check the pins; returns the exit code."""
    provider, cell = selection(provider, cell)
    cells = find_cells(settings.recordings, provider, cell)
    results = [_rerecord(one, settings, check_only) for one in cells]
    changed = [result for result in results if result.changed]
    refused = [result for result in results if result.refused]
    if as_json:
        write_json({"check": check_only, "cells": results})
    else:
        out = console()
        for result in results:
            if result.refused:
                why = "; ".join(result.refused)
                out.print(Text(f"{result.cell}: not rerecorded, its replay has problems: {why}", "red"))
            elif result.changed:
                verb = "would change" if check_only else "rewrote"
                out.print(Text(f"{result.cell}: {verb} {', '.join(result.changed)}"))
        verb = "would change" if check_only else "changed"
        out.print(
            Text(f"{plural(len(cells), 'cell')}: {len(changed)} {verb}, {len(refused)} refused", "bold")
        )
    return int(bool(refused) or (check_only and bool(changed)))


def _rerecord(cell: Cell, settings: Settings, check_only: bool) -> Rerecorded:
    sink = KeepSink()
    external = player_of(settings.providers, cell)
    outcome = (external or built_in(cell))(cell, sink)
    problems = [*outcome.stalls, *outcome.unconsumed]
    changed: list[str] = []
    if not problems:
        for layer in STREAMS if external is None else LAYERS:
            lines = sink.lines[layer]
            if check_only:
                path = cell.pin(layer)
                whole = b"".join(line + b"\n" for line in lines)
                if not path.is_file() or path.read_bytes() != whole:
                    changed.append(path.name)
            elif write_pin(cell, layer, lines):
                changed.append(cell.pin(layer).name)
    return Rerecorded(cell.key, changed, problems)
