"""What a report is made of: one result per cell, the allowances, and what the two sides are called.

Knows nothing of HTML. `parity check` and `parity compare` fill it in; see `checked` for the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct, field

from parity.compare import Difference
from parity.gates.allowance import Allowance
from parity.grammar.rows import Row
from parity.wire import Cell

COUNTS = ("lines", "events", "rows", "unhandled", "grammarDrops")
"""The counts a report shows, in this order."""


class Masked(Struct, frozen=True):
    """A difference and the allowance that accepted it."""

    allowance: Allowance
    difference: Difference


class CellResult(Struct, kw_only=True):
    """What is to be shown of one cell."""

    cell: Cell
    """Its name, its manifest, and the wire lines."""
    verdict: str
    """`passed`, `failed`, `unpinned` or `skipped`."""
    old_rows: Sequence[Row] | None = None
    """Top-level rows of the old side; None where it has none to show (no pin)."""
    new_rows: Sequence[Row] | None = None
    """Top-level rows of the new side. Rows of either side may carry `provenance`, see
    `parity.replay.provenance.with_provenance`; a row without it shows the lines that name its call."""
    counts: dict[str, int] = field(default_factory=dict)
    """Any of `COUNTS`, new side."""
    old_counts: dict[str, int] = field(default_factory=dict)
    """Any of `COUNTS`, old side; a count that is not here is not compared."""
    gates: tuple[str, ...] = ()
    """The gates that were judged, in order; those with failures or differences failed."""
    failures: dict[str, list[str]] = field(default_factory=dict)
    """Gate → what is wrong, a line each: stalls, unconsumed lines, counts, drops."""
    differences: dict[str, list[Difference]] = field(default_factory=dict)
    """Layer → the differences no allowance accepts."""
    masked: list[Masked] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def key(self) -> str:
        """`provider/cell`."""
        return self.cell.key

    @property
    def failed_gates(self) -> list[str]:
        """The gates that failed, in order; gates that `gates` does not name come last."""
        failed = [gate for gate in self.gates if gate in self.failures or gate in self.differences]
        return failed + [gate for gate in (*self.failures, *self.differences) if gate not in self.gates]


class ReportData(Struct, kw_only=True):
    """A whole report."""

    cells: Iterable[CellResult]
    """Gone through once; a generator keeps only one cell in memory."""
    passed: bool
    command: str = "parity check"
    """The command that made the report, for people."""
    old_label: str = "Pinned"
    new_label: str = "Today"
    allowances: Sequence[Allowance] = ()
    """Those that were considered; `hits` says how many differences each accepted."""
    stale: Sequence[Allowance] = ()
    coverage: bool = False
    """Whether `coverage.html` lies beside the index (see `parity.report.coverage`)."""
