"""GitHub: annotations at the pins that no longer hold, and a summary of the job.

Knows check reports, pins and the syntax of workflow commands. Must not know Actions beyond that: it makes
texts, the CLI prints them.

GitHub shows ten errors of a step, so a failed gate is one annotation, with its first differences in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import UNSET

from parity.compare import Difference, align, describe, normalise
from parity.gates.allowance import Allowance
from parity.gates.check import CellReport, Play, built_in
from parity.gates.pins import STREAMS, KeepSink, pinned_docs
from parity.wire import Cell

SHOWN = 3
"""Differences told in one annotation."""
SUMMARY_FAILURES = 50
"""Failed cells with details in the summary; GitHub takes 1 MiB."""


def workflow_commands(
    cells: Sequence[Cell],
    reports: Sequence[CellReport],
    stale: Iterable[Allowance],
    base: Path,
    row_counts: Path,
    play_of: Callable[[Cell], Play | None] = lambda cell: None,
) -> Iterator[str]:
    """An error per failed gate and stale allowance, a warning per unpinned cell; one line each.

    Paths are given relative to `base`, the root of the checkout, where they lie in it.
    """
    for cell, report in zip(cells, reports, strict=True):
        for gate in report.failed_gates:
            if gate in report.differences:
                yield _at_pin(cell, report, gate, base, play_of)
            else:
                text = "\n".join(report.failures[gate][: SHOWN * 2])
                yield command("error", text, _gate_place(cell, report, gate, base, row_counts))
        if report.verdict == "unpinned":
            text = f"nothing is pinned; rerecord --provider {cell.provider} --cell {cell.name}"
            place = {"file": _relative(cell.path / "manifest.json", base), "title": report.key}
            yield command("warning", text, place)
    for allowance in stale:
        path, _, line = allowance.where.rpartition(":")
        place = {"file": _relative(Path(path), base), "line": line, "title": "stale allowance"}
        yield command(
            "error", f"{allowance.issue} {allowance.reason}: it masks nothing any more; remove it", place
        )


def command(name: str, message: str, properties: Mapping[str, str]) -> str:
    """A workflow command in one line, whatever the texts hold."""
    said = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{name} {said}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _at_pin(
    cell: Cell, report: CellReport, layer: str, base: Path, play_of: Callable[[Cell], Play | None]
) -> str:
    """An error at the pin's line of the most telling difference."""
    differences = sorted(report.differences[layer], key=lambda one: -one.path.count("/"))
    shown = [_told(one) for one in differences[:SHOWN]]
    if len(differences) > SHOWN:
        shown.append(f"and {len(differences) - SHOWN} more")
    shown.append(f"parity check -p {cell.provider} -c {cell.name} --full")
    line = _pin_line(cell, layer, differences[0], play_of)
    place = {
        "file": _relative(cell.pin(layer), base),
        "line": str(line or 1),
        "title": f"{report.key}: {layer}",
    }
    return command("error", "\n".join(shown), place)


def _told(difference: Difference) -> str:
    old, new = difference.old, difference.new
    if difference.change == "changed":
        what = f"{describe(old, new)} → {describe(new, old)}"
    else:
        what = describe(old if new is UNSET else new, UNSET)
    return f"{difference.label}\n  {difference.path} {difference.change}: {what}"


def _pin_line(
    cell: Cell, layer: str, difference: Difference, play_of: Callable[[Cell], Play | None]
) -> int | None:
    """The pin's line the difference is about; None where the pin has none (something was added)."""
    index = int(difference.path.split("/")[1])
    pinned = normalise(layer, pinned_docs(cell, layer))
    if difference.change == "removed" and difference.path.count("/") == 1:
        return pinned[index].source + 1 if index < len(pinned) else None
    if layer != "rows":
        known = {entry.identity: entry.source for entry in pinned}
        return known[difference.identity] + 1 if difference.identity in known else None
    kept = KeepSink((layer,))
    (play_of(cell) or built_in(cell))(cell, kept)
    pairs = align(pinned, normalise(layer, kept.docs(layer)))
    return next((i + 1 for i, j in pairs if j == index and i is not None), None)


def _gate_place(cell: Cell, report: CellReport, gate: str, base: Path, row_counts: Path) -> dict[str, str]:
    place = {"file": _relative(cell.path / "manifest.json", base), "title": f"{report.key}: {gate}"}
    if gate in STREAMS:
        place["file"] = _relative(cell.pin(gate), base)
    elif gate in ("counts", "grammar") and row_counts.is_file():
        place["file"] = _relative(row_counts, base)
        text = row_counts.read_text("utf-8", errors="replace")
        at = text.find(f'"{report.key}"')
        if at >= 0:
            place["line"] = str(text.count("\n", 0, at) + 1)
    return place


def _relative(path: Path, base: Path) -> str:
    path, base = path.absolute(), base.absolute()
    return path.relative_to(base).as_posix() if path.is_relative_to(base) else path.as_posix()


# -- the job summary ---------------------------------------------------------------------------------------


def summary(reports: Sequence[CellReport], stale: Sequence[Allowance]) -> str:
    """Markdown for $GITHUB_STEP_SUMMARY: the outcome, and a row per cell that did not simply pass."""
    failed = [report for report in reports if report.verdict == "failed"]
    verdicts = {
        name: sum(one.verdict == name for one in reports) for name in ("passed", "failed", "unpinned")
    }
    said = ", ".join(f"{count} {name}" for name, count in verdicts.items() if count) or "no cells"
    mark = "❌" if failed or stale else "✅"
    parts = [f"## {mark} parity: {said}", ""]
    notable = [one for one in reports if one.verdict != "passed" or one.notes or one.masked]
    if notable:
        parts += [
            "| cell | verdict | failed gates | lines | events | rows | unhandled | drops |",
            "|---|---|---|--:|--:|--:|--:|--:|",
        ]
        parts += [_table_row(report) for report in notable]
        parts.append("")
    for report in failed[:SUMMARY_FAILURES]:
        parts += [
            f"<details><summary>{markdown(report.key)}</summary>",
            "",
            *_details(report),
            "</details>",
            "",
        ]
    if len(failed) > SUMMARY_FAILURES:
        parts += [f"… and {len(failed) - SUMMARY_FAILURES} more failed cells", ""]
    parts += [f"- stale allowance {markdown(str(entry))}" for entry in stale]
    return "\n".join(parts).rstrip("\n") + "\n\n"


def _table_row(report: CellReport) -> str:
    counts, gates = report.counts, ", ".join(report.failed_gates)
    numbers = (report.outcome.lines, counts.events, counts.rows, counts.unhandled, counts.grammar_drops)
    allowed = f" ({report.masked} allowed)" if report.masked else ""
    cells = (markdown(report.key), report.verdict + allowed, gates, *map(str, numbers))
    return f"| {' | '.join(cells)} |"


def _details(report: CellReport) -> Iterator[str]:
    for gate, problems in report.failures.items():
        for problem in problems[: SHOWN * 2]:
            yield f"- {gate}: {markdown(problem)}"
    for layer, differences in report.differences.items():
        for difference in sorted(differences, key=lambda one: -one.path.count("/"))[:SHOWN]:
            yield f"- {layer}: {markdown(_told(difference))}"
        if len(differences) > SHOWN:
            yield f"- {layer}: and {len(differences) - SHOWN} more"
    yield ""


_TELLING = re.compile(r"[!#$&*.:<>?@\[\\\]^_`{|}~]")


def markdown(text: str) -> str:
    """The text, in one line, as text: no character of it means anything to Markdown or HTML."""
    line = " ".join(text.split())
    return _TELLING.sub(lambda found: f"&#{ord(found[0])};", line)
