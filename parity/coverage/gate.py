"""The gate: what is watched in a check that runs anyway, held against `coverage.json`.

Only a run of all cells can say that something occurs nowhere, so a filtered one is not gated, and neither is
a project without the file.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from parity.coverage.measure import entries, measure
from parity.coverage.model import Entry
from parity.coverage.pins import Move, load, moves
from parity.coverage.watching import Seen, watched
from parity.gates.check import Play
from parity.gates.settings import Settings
from parity.wire import Cell


class Gate:
    """Watches the cells of one check. Raises InputError for a pin that is not valid."""

    def __init__(self, path: Path) -> None:
        self._pins = load(path)
        self._seen = Seen()
        self._entries: list[Entry] | None = None

    def play(self, cell: Cell) -> Play | None:
        """Plays a cell as the check would, watched; None where there is nothing to watch."""
        return watched(cell, self._seen)

    def moves(self) -> list[Move]:
        """What moved, after all cells; nothing where nothing is pinned."""
        return moves(self._pins, self.entries()) if self._pins is not None else []

    def entries(self) -> list[Entry]:
        """What is known of every name, after all cells."""
        if self._entries is None:
            self._entries = entries(self._seen)
        return self._entries


def coverage_moves(settings: Settings, cells: Iterable[Cell]) -> list[Move]:
    """What moved, by a pass of its own over all cells. Raises InputError for what cannot be read."""
    return moves(load(settings.coverage) or {}, measure(cells, settings.providers))
