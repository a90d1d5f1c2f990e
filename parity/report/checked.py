"""From what `parity check` found to a report: each cell replayed once more, with the lines behind its rows.

Knows the gates' reports, pins and allowances. Must not know how anything is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from parity.compare import diff_docs
from parity.gates.allowance import Allowance
from parity.gates.allowlist import Allowlist
from parity.gates.check import GATES, CellReport, Play, bridge_maker
from parity.gates.counts import FIELDS, Counts
from parity.gates.pins import STREAMS, KeepSink, pinned_docs
from parity.replay.provenance import replay_noting, with_provenance
from parity.report.model import CellResult, Masked, ReportData
from parity.wire import Cell


def checked(
    cells: Sequence[Cell],
    reports: Iterable[CellReport],
    allowlist: Allowlist,
    counts: Mapping[str, Counts],
    stale: Sequence[Allowance] = (),
    play_of: Callable[[Cell], Play | None] = lambda cell: None,
) -> ReportData:
    """The report of a check. `reports` are those of `cells`, in the same order.

    Cells are replayed when they are written. Raises InputError, then, for what cannot be read. `play_of`
    gives what plays a cell in another way than with the built-in bridge; its rows have no provenance.
    """
    reports = list(reports)
    return ReportData(
        cells=_results(cells, reports, allowlist, counts, play_of),
        passed=not stale and all(report.verdict != "failed" for report in reports),
        allowances=[*allowlist.section("pinned"), *allowlist.section("counts")],
        stale=stale,
    )


def _results(
    cells: Sequence[Cell],
    reports: Sequence[CellReport],
    allowlist: Allowlist,
    counts: Mapping[str, Counts],
    play_of: Callable[[Cell], Play | None],
) -> Iterator[CellResult]:
    for cell, report in zip(cells, reports, strict=True):
        pinned = counts.get(report.key)
        yield _result(cell, report, allowlist, pinned, play_of(cell))


def _result(
    cell: Cell, report: CellReport, allowlist: Allowlist, pinned: Counts | None, play: Play | None
) -> CellResult:
    kept = KeepSink()
    if play is not None:
        play(cell, kept)
        rows = kept.docs("rows")
    else:
        _, lines = replay_noting(cell, bridge_maker(cell), kept)
        rows = with_provenance(kept.docs("rows"), lines)
    return CellResult(
        cell=cell,
        verdict=report.verdict,
        old_rows=pinned_docs(cell, "rows") if cell.pin("rows").is_file() else None,
        new_rows=rows,
        counts={"lines": report.outcome.lines} | {name: report.counts.value(name) for name in FIELDS},
        old_counts={name: pinned.value(name) for name in FIELDS} if pinned is not None else {},
        gates=tuple(gate for gate in GATES if gate in report.failures or _is_judged(gate, cell, pinned)),
        failures=report.failures,
        differences=report.differences,
        masked=list(_masked(cell, report, allowlist, kept)) if report.masked else [],
        notes=report.notes,
    )


def _is_judged(gate: str, cell: Cell, pinned: Counts | None) -> bool:
    """Whether there is something to hold the gate against."""
    if gate in STREAMS:
        return cell.pin(gate).is_file()
    return pinned is not None or gate not in ("counts", "grammar")


def _masked(cell: Cell, report: CellReport, allowlist: Allowlist, kept: KeepSink) -> Iterator[Masked]:
    """What the allowances accepted; asking does not count as a hit."""
    allowances = [one for one in allowlist.section("pinned") if one.concerns(cell.provider, cell.name)]
    for layer in STREAMS:
        if not any(one.layer == layer for one in allowances) or not cell.pin(layer).is_file():
            continue
        for difference in diff_docs(layer, pinned_docs(cell, layer), kept.docs(layer)):
            for allowance in allowances:
                if allowance.matches(difference):
                    yield Masked(allowance, difference)
