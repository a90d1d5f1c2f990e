"""`rerecord`: rewrite the pins of cells from today's code, or say what would change."""

from __future__ import annotations

from msgspec import Struct
from rich.text import Text

from parity.cli.cells import selection
from parity.cli.output import console, plural, write_json
from parity.gates.check import built_in
from parity.gates.pins import STREAMS, KeepSink, is_pinned, write_pin
from parity.gates.settings import Settings
from parity.live.play import LAYERS, player_of
from parity.wire import Cell, find_cells


class Rerecorded(Struct):
    """What became of one cell: pins that changed (or would), and why it was refused."""

    cell: str
    changed: list[str]
    refused: list[str]


class _Replayed(Struct):
    """What a cell's pins would be: the streams that differ, or why there are none."""

    cell: Cell
    differing: dict[str, list[bytes]]
    refused: list[str]


def run(
    settings: Settings,
    provider: str | None,
    cell: str | None,
    *,
    check_only: bool,
    as_json: bool,
) -> int:
    """Rewrite or check the pins; returns the exit code.

    Every cell is replayed before the first pin is written: one that cannot be read leaves all as they are.
    """
    provider, cell = selection(provider, cell)
    cells = find_cells(settings.recordings, provider, cell)
    replayed = [_replay(one, settings) for one in cells]
    if not check_only:
        for one in replayed:
            for layer, lines in one.differing.items():
                write_pin(one.cell, layer, lines)
    results = [_result(one) for one in replayed]
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


def _replay(cell: Cell, settings: Settings) -> _Replayed:
    sink = KeepSink()
    external = player_of(settings.providers, cell)
    outcome = (external or built_in(cell))(cell, sink)
    problems = [*outcome.stalls, *outcome.unconsumed]
    layers = () if problems else STREAMS if external is None else LAYERS
    said = {layer: sink.lines[layer] for layer in layers}
    differing = {layer: lines for layer, lines in said.items() if not is_pinned(cell, layer, lines)}
    return _Replayed(cell, differing, problems)


def _result(replayed: _Replayed) -> Rerecorded:
    cell = replayed.cell
    return Rerecorded(cell.key, [cell.pin(layer).name for layer in replayed.differing], replayed.refused)
