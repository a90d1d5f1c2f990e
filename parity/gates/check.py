"""Check: one cell replayed and held against its pins, counts and allowances.

A cell is replayed once, its streams compared with the pins as they come. Only a stream that differs is
replayed again, kept, aligned and diffed; what the allowlist masks is dropped, the rest are the findings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from msgspec import Struct, field

from parity.bridges import Bridge, bridge_for
from parity.compare import Difference, diff_docs
from parity.gates.allowance import GUARDED
from parity.gates.allowlist import Allowlist
from parity.gates.counts import Counts, judge
from parity.gates.pins import STREAMS, KeepSink, PinnedStream, PinSink, pinned_docs
from parity.redaction import sweep
from parity.replay.replay import Outcome, Sink, replay
from parity.wire import Cell, InputError

GATES = ("replay", *STREAMS, "grammar", "counts", "clean")
"""The gates of a cell: it replays without stalls, each stream is as pinned, drops and counts do not rise,
and no file of it holds anything personal or secret."""


Play: TypeAlias = Callable[[Cell, Sink], Outcome]
"""Plays a cell into a sink. It may be asked for the same cell twice and must then say the same."""


class CellReport(Struct, kw_only=True):
    """What the gates say of one cell."""

    provider: str
    cell: str
    outcome: Outcome
    unpinned: list[str] = field(default_factory=list)
    """What there is nothing to hold against: `streams`, `counts`."""
    failures: dict[str, list[str]] = field(default_factory=dict)
    """Failed gate → what is wrong, a line each (not for streams: see `differences`)."""
    differences: dict[str, list[Difference]] = field(default_factory=dict)
    """Failed stream gate → the differences no allowance masks."""
    masked: int = 0
    rises: list[str] = field(default_factory=list)
    """Guarded counts that rose without an allowance: no re-pin may hide them."""
    notes: list[str] = field(default_factory=list)

    @property
    def key(self) -> str:
        """`provider/cell`."""
        return f"{self.provider}/{self.cell}"

    @property
    def counts(self) -> Counts:
        """The cell's counts as they are now."""
        outcome = self.outcome
        return Counts(
            events=outcome.events,
            rows=outcome.rows,
            unhandled=outcome.unhandled,
            grammar_drops=outcome.grammar_drops,
        )

    @property
    def failed_gates(self) -> tuple[str, ...]:
        """The gates that failed, in order."""
        return tuple(gate for gate in GATES if gate in self.failures or gate in self.differences)

    @property
    def verdict(self) -> str:
        """passed, failed, or unpinned (nothing failed and there is nothing to hold it against)."""
        if self.failed_gates:
            return "failed"
        return "unpinned" if self.unpinned else "passed"


def check_cell(
    cell: Cell,
    allowlist: Allowlist,
    counts: dict[str, Counts],
    *,
    strict: bool = False,
    section: str = "pinned",
    play: Play | None = None,
    layers: tuple[str, ...] = STREAMS,
) -> CellReport:
    """Replay a cell and judge it. Raises InputError for a cell or pin that cannot be read.

    `play` replays it in another way than with the built-in bridge; only the streams of `layers` are judged.
    """
    if play is None:
        play = built_in(cell)
    sink = PinSink(cell)
    outcome = play(cell, sink)
    sink.end()
    streams = {layer: sink.streams[layer] for layer in layers}
    pinned = any(stream.pinned for stream in streams.values())
    report = CellReport(provider=cell.provider, cell=cell.name, outcome=outcome)
    if not pinned:
        report.unpinned.append("streams")
    as_pinned = pinned and all(stream.equal for stream in sink.streams.values())
    if found := sweep(cell, pins=not as_pinned):
        report.failures["clean"] = [str(finding) for finding in found]
    if outcome.crash is not None:
        report.failures["replay"] = [outcome.crash]
        return report
    if outcome.stalls or outcome.unconsumed:
        unconsumed = [f"never consumed: {line}" for line in outcome.unconsumed]
        report.failures["replay"] = [f"stall: {stall}" for stall in outcome.stalls] + unconsumed
    if pinned or strict:
        _judge_streams(cell, play, streams, report, allowlist, section)
    _judge_counts(report, counts.get(report.key), allowlist, strict)
    return report


def built_in(cell: Cell) -> Play:
    """Plays the cell with the bridge of its family. Raises InputError where no family serves its provider."""
    new_bridge = bridge_maker(cell)
    return lambda cell, sink: replay(cell, new_bridge, sink)


def bridge_maker(cell: Cell) -> Callable[[], Bridge]:
    """What makes the cell's bridge. Raises InputError where no family serves its provider."""
    agent = cell.manifest.agent
    command = agent.command if agent is not None else None
    words = command.split() if isinstance(command, str) else command
    try:
        bridge_for(cell.provider, words)
    except KeyError:
        raise InputError(
            cell.path, None, f"no bridge family serves {cell.provider!r}", "rename the provider"
        ) from None
    return lambda: bridge_for(cell.provider, words)


def _judge_streams(
    cell: Cell,
    play: Play,
    streams: dict[str, PinnedStream],
    report: CellReport,
    allowlist: Allowlist,
    section: str,
) -> None:
    differing = []
    for layer, stream in streams.items():
        if not stream.pinned:
            report.failures[layer] = [f"no pin {stream.path.name}; rerecord --provider {cell.provider}"]
        elif not stream.equal:
            differing.append(layer)
    if not differing:
        return
    kept = KeepSink(tuple(differing))
    play(cell, kept)
    for layer in differing:
        found = diff_docs(layer, pinned_docs(cell, layer), kept.docs(layer))
        left = allowlist.mask(section, cell.provider, cell.name, found)
        report.masked += len(found) - len(left)
        if left:
            report.differences[layer] = left
        elif not found:
            report.notes.append(f"{layer}: the bytes of the pin differ, its content does not; rerecord")


def _judge_counts(report: CellReport, pinned: Counts | None, allowlist: Allowlist, strict: bool) -> None:
    allowances = allowlist.count_allowances(report.provider, report.cell)
    for finding in judge(pinned, report.counts, allowances):
        gate = "grammar" if finding.count == "grammarDrops" else "counts"
        if finding.verdict == "fail" or (finding.verdict == "unpinned" and strict):
            report.failures.setdefault(gate, []).append(finding.message)
            if finding.count in GUARDED:
                report.rises.append(finding.message)
        elif finding.verdict == "unpinned":
            report.unpinned.append("counts")
        else:
            report.notes.append(finding.message)
    for rule in report.outcome.drops if "grammar" in report.failures else ():
        report.failures["grammar"].append(f"dropped {report.outcome.drops[rule]} × {rule}")
    for remark in report.outcome.remarks if "grammar" in report.failures else ():
        report.failures["grammar"].append(remark)


def as_document(report: CellReport) -> dict[str, Any]:
    """The report as a JSON document."""
    outcome = report.outcome
    return {
        "provider": report.provider,
        "cell": report.cell,
        "verdict": report.verdict,
        "lines": outcome.lines,
        "events": outcome.events,
        "rows": outcome.rows,
        "unhandled": outcome.unhandled,
        "grammarDrops": outcome.grammar_drops,
        "drops": outcome.drops,
        "noise": outcome.noise,
        "replacedSurrogates": outcome.replaced_surrogates,
        "failures": report.failures,
        "differences": {layer: list(found) for layer, found in report.differences.items()},
        "masked": report.masked,
        "notes": report.notes,
    }
