"""From what two checkouts said to a report: both timelines of each cell, side by side.

Knows pairs, verdicts, allowances and the report's model. Must not know how anything is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from parity.checkouts.comparing import ROLES, Compared, Pair, docs_of
from parity.checkouts.side import Replayed
from parity.compare import Difference
from parity.gates.allowance import Allowance
from parity.grammar.rows import Row
from parity.replay.provenance import with_provenance
from parity.report.model import CellResult, Masked, ReportData
from parity.wire import JsonError


def reported(
    pairs: Sequence[Pair],
    results: Sequence[Compared],
    masked: Mapping[str, Sequence[Masked]],
    *,
    titles: Mapping[str, str],
    passed: bool,
    command: str,
    allowances: Sequence[Allowance] = (),
    stale: Sequence[Allowance] = (),
) -> ReportData:
    """The report of a comparison. `results` are those of `pairs`, in the same order, whose rows were kept;
    `masked` has what was accepted in each `provider/cell`."""
    return ReportData(
        cells=_cells(pairs, results, masked),
        passed=passed,
        command=command,
        old_label=titles["old"],
        new_label=titles["new"],
        allowances=allowances,
        stale=stale,
    )


def _cells(
    pairs: Sequence[Pair], results: Sequence[Compared], masked: Mapping[str, Sequence[Masked]]
) -> Iterator[CellResult]:
    for pair, result in zip(pairs, results, strict=True):
        yield _cell(pair, result, masked.get(result.key, ()))


def _cell(pair: Pair, result: Compared, masked: Sequence[Masked]) -> CellResult:
    differences: dict[str, list[Difference]] = {}
    for group in result.classes:
        differences.setdefault(group.layer, []).extend(group.differences)
    old, new = (pair.sides[role] for role in ROLES)
    notes = [*result.notes, f"skipped: {result.skipped}"] if result.skipped is not None else result.notes
    return CellResult(
        cell=pair.cell,
        verdict=result.verdict,
        old_rows=_rows(old),
        new_rows=_rows(new),
        counts=_counts(new),
        old_counts=_counts(old),
        gates=("replay", *pair.layers) if result.skipped is None else (),
        failures={"replay": result.failures} if result.failures else {},
        differences=differences,
        masked=list(masked),
        notes=notes,
    )


def _rows(side: Replayed) -> list[Row] | None:
    """The rows, each with the lines behind it where the side told them; None where there is no result."""
    if side.outcome is None:
        return None
    try:
        rows = docs_of(side, "rows")
    except (JsonError, TypeError):  # the verdict says so
        return None
    if side.row_lines is None:
        return rows
    try:
        return with_provenance(rows, side.row_lines)
    except (ValueError, StopIteration, TypeError):  # what an odd side told fits no row
        return rows


def _counts(side: Replayed) -> dict[str, int]:
    outcome = side.outcome
    if outcome is None:
        return {}
    return {
        "lines": outcome.lines,
        "events": outcome.events,
        "rows": outcome.rows,
        "unhandled": outcome.unhandled,
        "grammarDrops": outcome.grammar_drops,
    }
