"""From what `parity check` found to a report: each cell replayed once more, with the lines behind its rows.

Knows the gates' reports, pins and allowances. Must not know how anything is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from parity.compare import diff_docs
from parity.gates.allowance import Allowance
from parity.gates.allowlist import Allowlist
from parity.gates.check import GATES, CellReport, bridge_maker
from parity.gates.counts import FIELDS, Counts
from parity.gates.pins import STREAMS, KeepSink, pinned_docs
from parity.live.play import LAYERS, Player
from parity.replay.provenance import replay_noting, with_provenance
from parity.report.model import CellResult, Masked, ReportData
from parity.wire import Cell


def checked(
    cells: Sequence[Cell],
    reports: Iterable[CellReport],
    allowlist: Allowlist,
    counts: Mapping[str, Counts],
    stale: Sequence[Allowance] = (),
    player_of: Callable[[Cell], Player | None] = lambda cell: None,
) -> ReportData:
    """The report of a check. `reports` are those of `cells`, in the same order.

    Cells are replayed when they are written. Raises InputError, then, for what cannot be read. `player_of`
    gives what plays a cell through an external bridge; None where the built-in one does.
    """
    reports = list(reports)
    return ReportData(
        cells=_results(cells, reports, allowlist, counts, player_of),
        passed=not stale and all(report.verdict != "failed" for report in reports),
        allowances=[*allowlist.section("pinned"), *allowlist.section("counts")],
        stale=stale,
    )


def _results(
    cells: Sequence[Cell],
    reports: Sequence[CellReport],
    allowlist: Allowlist,
    counts: Mapping[str, Counts],
    player_of: Callable[[Cell], Player | None],
) -> Iterator[CellResult]:
    for cell, report in zip(cells, reports, strict=True):
        pinned = counts.get(report.key)
        yield _result(cell, report, allowlist, pinned, player_of(cell))


def _result(
    cell: Cell, report: CellReport, allowlist: Allowlist, pinned: Counts | None, player: Player | None
) -> CellResult:
    kept, layers = KeepSink(), STREAMS if player is None else LAYERS
    if player is not None:
        player(cell, kept)
        lines = player.row_lines(cell)
    else:
        _, lines = replay_noting(cell, bridge_maker(cell), kept)
    return CellResult(
        cell=cell,
        verdict=report.verdict,
        old_rows=pinned_docs(cell, "rows") if cell.pin("rows").is_file() else None,
        new_rows=with_provenance(kept.docs("rows"), lines),
        counts={"lines": report.outcome.lines} | {name: report.counts.value(name) for name in FIELDS},
        old_counts={name: pinned.value(name) for name in FIELDS} if pinned is not None else {},
        gates=tuple(
            gate for gate in GATES if gate in report.failures or _is_judged(gate, cell, pinned, layers)
        ),
        failures=report.failures,
        differences=report.differences,
        masked=list(_masked(cell, report, allowlist, kept, layers)) if report.masked else [],
        notes=report.notes,
    )


def _is_judged(gate: str, cell: Cell, pinned: Counts | None, layers: Collection[str]) -> bool:
    """Whether there is something to hold the gate against."""
    if gate in STREAMS:
        return gate in layers and cell.pin(gate).is_file()
    return pinned is not None or gate not in ("counts", "grammar")


def _masked(
    cell: Cell, report: CellReport, allowlist: Allowlist, kept: KeepSink, layers: Collection[str]
) -> Iterator[Masked]:
    """What the allowances accepted; asking does not count as a hit."""
    allowances = [one for one in allowlist.section("pinned") if one.concerns(cell.provider, cell.name)]
    for layer in layers:
        if not any(one.layer == layer for one in allowances) or not cell.pin(layer).is_file():
            continue
        for difference in diff_docs(layer, pinned_docs(cell, layer), kept.docs(layer)):
            for allowance in allowances:
                if allowance.matches(difference):
                    yield Masked(allowance, difference)
