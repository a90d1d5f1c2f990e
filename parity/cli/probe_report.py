"""What a probe comes to, for people or as one document: the agent, what no lane knows of it, the cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Any

from rich.text import Text

from parity.capture.keeping import Kept
from parity.capture.probe import Probe
from parity.cli.cells import next_steps
from parity.cli.output import plural

_LISTED = 12
"""Names listed of one sort."""


def report(probe: Probe, log: Path | None, lanes: Path | None, kept: Kept | None) -> Iterator[Text]:
    """The lines of the report."""
    findings = probe.findings()
    name, version = probe.told_name()
    words = " ".join(word for word in (name, version) if word) or "said no name"
    protocol = f"protocol {probe.protocol}" if probe.protocol is not None else ""
    yield Text("")
    yield _line("agent", " · ".join(fact for fact in (words, protocol, probe.plan.provider) if fact))
    statuses = ", ".join(turn.status for turn in probe.turns)
    yield _line("turns", f"{len(probe.turns)}" + (f": {statuses}" if statuses else ""))
    yield from _counted("unhandled", findings.unhandled, "yellow")
    yield from _counted("dropped", findings.drops, "yellow")
    if findings.noise:
        yield _line("noise", f"{plural(findings.noise, 'line')} that made no sense", "yellow")
    yield from _counted("passed over", findings.passed_over)
    yield from _counted("unread", findings.unread)
    if not (findings.unhandled or findings.drops or findings.noise):
        yield _line("unhandled", "nothing")
    if log is not None and log.exists():
        yield _line("log", f"{log} (as it is: not redacted)")
    if lanes is not None:
        yield _line("lanes", f"{lanes} (as they are: not redacted)")
    if kept is not None:
        yield from _cell(kept)


def report_document(probe: Probe, failure: str | None, log: Path | None, kept: Kept | None) -> dict[str, Any]:
    """The same as one document; its `type` tells it from an event."""
    name, version = probe.told_name()
    document: dict[str, Any] = {
        "type": "probe/report",
        "provider": probe.plan.provider,
        "agent": {"name": name, "version": version},
        "protocol": probe.protocol,
        "turns": [turn.status for turn in probe.turns],
        "failure": failure,
        **probe.findings().document(),
        "log": str(log) if log is not None and log.exists() else None,
    }
    if kept is not None:
        outcome = kept.outcome
        document["cell"] = {
            "cell": kept.cell.key,
            "path": str(kept.cell.path),
            "lines": kept.cell.manifest.lines,
            "rows": outcome.rows,
            "events": outcome.events,
            "unhandled": outcome.unhandled,
            "redacted": kept.redacted,
            "problems": _problems(kept),
        }
    return document


def _problems(kept: Kept) -> list[str]:
    return [*kept.outcome.stalls, *(f"never consumed: {line}" for line in kept.outcome.unconsumed)]


def _cell(kept: Kept) -> Iterator[Text]:
    cell, outcome = kept.cell, kept.outcome
    yield _line("cell", f"{cell.path}: {plural(sum(cell.manifest.lines.values()), 'line')}")
    yield _line("", f"replays to {outcome.events} events, {outcome.rows} rows, {outcome.unhandled} unhandled")
    if kept.redacted:
        taken = ", ".join(f"{count} {kind}" for kind, count in sorted(kept.redacted.items()))
        yield _line("", f"redacted: {taken}")
    for problem in _problems(kept):
        yield _line("", problem, "red")
    if _problems(kept):
        yield _line("", "a cell that stalls is not pinned", "dim")
    else:
        for label, step in zip_longest(("next",), next_steps(cell), fillvalue=""):
            yield _line(label, step, "dim")


def _counted(label: str, counts: Mapping[str, int], style: str = "") -> Iterator[Text]:
    for name, count in sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:_LISTED]:
        yield _line(label, f"{count} × {name}", style)
        label = ""
    if len(counts) > _LISTED:
        yield _line(label, f"and {len(counts) - _LISTED} more", style)


def _line(label: str, text: str, style: str = "") -> Text:
    return Text.assemble((f"{label:<12}", "bold"), (text, style))
