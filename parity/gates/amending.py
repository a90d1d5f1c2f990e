"""Amending the allowlist: what fails a check, what each entry masks, and which entries mask nothing.

Knows how to check cells under an allowlist and what may be concluded. Must not know how it is asked for or
shown. `pinned` and `counts` are judged here; `checkouts` needs two checkouts, whose comparison is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from msgspec import Struct, field

from parity.compare import Difference
from parity.gates.allowance import GUARDED, Allowance
from parity.gates.allowlist import Allowlist, Considered
from parity.gates.check import CellReport
from parity.gates.counts import Counts
from parity.gates.pins import STREAMS
from parity.gates.proposals import Proposal, propose, propose_counts
from parity.wire import Cell

JUDGED = ("pinned", "counts")
"""The sections a check of cells uses; the other one is for two checkouts."""

KEPT = 1000
"""Masked differences kept for each entry; the number of all is known."""


class Masked(Struct):
    """What one entry masked: the number, and the first of them as (`provider/cell`, difference or text)."""

    allowance: Allowance
    number: int
    """Its place in the file, from 1."""
    count: int = 0
    first: list[tuple[str, Difference | str]] = field(default_factory=list)
    stale: bool | None = None
    """None: cannot be said of this run."""

    def add(self, cell: str, what: Difference | str) -> None:
        """One more."""
        self.count += 1
        if len(self.first) < KEPT:
            self.first.append((cell, what))


def proposed(
    reports: Sequence[CellReport],
    counts: dict[str, Counts],
    sections: Sequence[str],
    *,
    issue: str,
    reason: str,
    broad: bool,
) -> tuple[dict[str, list[dict[str, Any]]], Proposal]:
    """(section → entries for what fails in these reports, the proposal for the streams)."""
    found = {
        report.key: [difference for layer in STREAMS for difference in report.differences.get(layer, ())]
        for report in reports
        if report.differences
    }
    streams = propose(found if "pinned" in sections else {}, issue=issue, reason=reason, broad=broad)
    risen = {report.key: _risen(report, counts.get(report.key)) for report in reports if report.rises}
    entries = propose_counts(risen if "counts" in sections else {}, issue=issue, reason=reason)
    return {"pinned": streams.entries, "counts": entries}, streams


def _risen(report: CellReport, pinned: Counts | None) -> dict[str, int]:
    """The guarded counts that failed, with their value now."""
    now = report.counts
    return {
        name: now.value(name)
        for name in GUARDED
        if pinned is not None
        and now.value(name) > pinned.value(name)
        and any(message.startswith(f"{name} ") for message in report.rises)
    }


def beyond(report: CellReport) -> list[str]:
    """What fails in a report that no allowance can accept, a line each."""
    said = []
    for gate, problems in report.failures.items():
        said += [
            f"{report.key}: {gate}: {problem}"
            for problem in problems
            if problem not in report.rises and not problem.startswith("dropped ")
        ]
    return said


def explained(
    cells: Iterable[Cell],
    known: frozenset[str],
    allowlist: Allowlist,
    counts: dict[str, Counts],
    check: Callable[[Cell], CellReport],
    compare: Callable[[], Considered] | None = None,
) -> list[Masked]:
    """What each entry masks when these cells (of all `known` ones) are checked, and which are stale.

    `check` judges a cell under this allowlist, strictly; `compare` judges two checkouts under it, and says
    which cells it compared whole. Raises what they raise.
    """
    masked = [Masked(one, number) for number, one in enumerate(allowlist.allowances, 1)]
    by_entry = {id(one.allowance): one for one in masked}
    allowlist.on_masked = lambda one, cell, difference: by_entry[id(one)].add(cell, difference)
    reports = [check(cell) for cell in cells]
    compared = compare() if compare is not None else None
    allowlist.on_masked = None
    for report in reports:
        pinned = counts.get(report.key)
        if pinned is None:
            continue
        for allowance in allowlist.count_allowances(report.provider, report.cell):
            name = allowance.count or ""
            was, now = pinned.value(name), report.counts.value(name)
            if now > was and allowance.allows(name, now):
                by_entry[id(allowance)].add(report.key, f"{name}  {was} → {now}")
    considered = Considered(frozenset(report.key for report in reports), known)
    broken = [report for report in reports if _unjudged(report)]
    for one in masked:
        if one.count:
            one.stale = False
        elif one.allowance.section not in JUDGED:
            one.stale = True if compared is not None and compared.covers(one.allowance) else None
        elif considered.covers(one.allowance):
            hidden = any(one.allowance.concerns(report.provider, report.cell) for report in broken)
            one.stale = None if hidden else True
    return masked


def _unjudged(report: CellReport) -> bool:
    """Whether a cell is too broken to say that nothing is masked in it: it stalls, or lacks pins."""
    return "replay" in report.failures or any(layer in report.failures for layer in STREAMS)
