"""`parity check`: the table of cells, then what is wrong with each failing one."""

from __future__ import annotations

import os
import secrets
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from parity.cli.cells import selection
from parity.cli.output import console, difference_lines, plural, write_json
from parity.gates.allowance import Allowance
from parity.gates.allowlist import Allowlist, Considered
from parity.gates.check import CellReport, Play, as_document, check_cell
from parity.gates.counts import Counts, load_counts
from parity.gates.pins import STREAMS
from parity.gates.settings import COUNTS_KNOB, Settings
from parity.live.play import LAYERS, player_of
from parity.wire import Cell, cell_keys, find_cells

if TYPE_CHECKING:
    from parity.coverage.gate import Gate
    from parity.coverage.pins import Move

SHOWN = 3
"""Differences shown per layer without --full."""

_STYLES = {"passed": "green", "failed": "bold red", "unpinned": "yellow"}


def run(
    settings: Settings,
    provider: str | None,
    cell: str | None,
    *,
    full: bool,
    as_json: bool,
    html: Path | None = None,
    github: bool = False,
) -> int:
    """Check the cells; returns the exit code."""
    provider, cell = selection(provider, cell)
    cells = find_cells(settings.recordings, provider, cell)
    allowlist = Allowlist.load(settings.allowlist)
    counts = load_counts(settings.row_counts)
    wanted = provider is None and cell is None and (html is not None or settings.coverage.is_file())
    gate = _coverage_gate(settings.coverage) if wanted else None
    reports: list[CellReport] = []
    seconds: list[float] = []
    began = time.perf_counter()
    for one in cells:
        start = time.perf_counter()
        play: Play | None = player_of(settings.providers, one)
        layers = STREAMS if play is None else LAYERS
        if gate is not None and play is None:
            play = gate.play(one)
        reports.append(check_cell(one, allowlist, counts, strict=settings.strict, play=play, layers=layers))
        seconds.append(time.perf_counter() - start)
    ran = frozenset(report.key for report in reports)
    known = ran if provider is None and cell is None else cell_keys(settings.recordings)
    stale = stale_allowances(allowlist, Considered(ran, known))
    moved = gate.moves() if gate is not None else []
    fell = any(move.fell for move in moved)
    failed = any(report.verdict == "failed" for report in reports) or bool(stale) or fell
    if html is not None:
        _write_html(html, settings, cells, reports, allowlist, counts, stale, gate)
    if as_json:
        documents = [
            {**as_document(report), "seconds": round(took, 4)}
            for report, took in zip(reports, seconds, strict=True)
        ]
        document = {"passed": not failed, "cells": documents, "stale": [str(entry) for entry in stale]}
        if gate is not None:
            document["coverage"] = [{"what": str(move), "fell": move.fell} for move in moved]
        write_json(document)
    else:
        with _no_commands(github):
            _print_all(console(), reports, seconds, stale, full)
            for name in sorted(counts.keys() - known) if known == ran else ():
                what = f"{settings.row_counts.name}: {name} is pinned, but there is no such cell"
                console().print(Text(what, "yellow"))
            if moved:
                _print_coverage(console(), moved)
            console().print(_summary(reports, stale, time.perf_counter() - began, settings.project))
            if html is not None:
                console().print(Text(f"report: {html / 'index.html'}", "dim"))
    if github:
        _tell_github(settings, cells, reports, stale, sys.stderr if as_json else sys.stdout)
    return int(failed)


def _coverage_gate(pinned: Path) -> Gate:
    """What watches the cells for coverage; slow to import, and not every check needs it."""
    from parity.coverage.gate import Gate

    return Gate(pinned)


def _print_coverage(out: Console, moved: Sequence[Move]) -> None:
    fell = [move for move in moved if move.fell]
    for move in fell:
        out.print(Text(f"coverage fell: {move}", "bold red"))
    hint = "if that is meant, re-pin" if fell else "re-pin"
    out.print(Text(f"coverage: {plural(len(moved), 'name')} moved; {hint}: parity coverage --pin", "yellow"))


def _print_all(
    out: Console,
    reports: Sequence[CellReport],
    seconds: Sequence[float],
    stale: Sequence[Allowance],
    full: bool,
) -> None:
    out.print(_table(reports, seconds))
    for report in reports:
        if report.verdict == "failed":
            _print_failure(out, report, full)
        elif report.notes:
            out.print(Text(f"{report.key}: {'; '.join(report.notes)}", "yellow"))
    for entry in stale:
        out.print(Text(f"stale allowance {entry}: it masks nothing any more; remove it", "bold red"))


@contextmanager
def _no_commands(on_github: bool) -> Iterator[None]:
    """On GitHub, nothing printed within is taken for a command: it holds what was on a wire."""
    token = secrets.token_hex(16)
    if on_github:
        sys.stdout.write(f"::stop-commands::{token}\n")
    try:
        yield
    finally:
        if on_github:
            sys.stdout.write(f"::{token}::\n")


def _write_html(
    folder: Path,
    settings: Settings,
    cells: Sequence[Cell],
    reports: Sequence[CellReport],
    allowlist: Allowlist,
    counts: dict[str, Counts],
    stale: Sequence[Allowance],
    gate: Gate | None,
) -> None:
    from parity.report import write_report
    from parity.report.checked import checked

    data = checked(cells, reports, allowlist, counts, stale, partial(player_of, settings.providers))
    data.coverage = gate is not None
    write_report(folder, data)
    if gate is not None:
        from parity.coverage.model import PROTOCOLS
        from parity.report.coverage import write_coverage

        found = groupby(gate.entries(), key=lambda entry: entry.protocol)
        write_coverage(folder, {PROTOCOLS[protocol]: list(entries) for protocol, entries in found})


def _tell_github(
    settings: Settings,
    cells: Sequence[Cell],
    reports: Sequence[CellReport],
    stale: Sequence[Allowance],
    out: TextIO,
) -> None:
    """Annotations on `out`, and the job summary where GitHub names a file for it."""
    from parity.report.github import summary, workflow_commands

    base = Path(os.environ.get("GITHUB_WORKSPACE") or Path.cwd())
    play_of = partial(player_of, settings.providers)
    for line in workflow_commands(cells, reports, stale, base, settings.row_counts, play_of):
        out.write(line + "\n")
    out.flush()
    if named := os.environ.get("GITHUB_STEP_SUMMARY"):
        with Path(named).open("a", encoding="utf-8", errors="replace") as file:
            file.write(summary(reports, stale))


def stale_allowances(allowlist: Allowlist, considered: Considered) -> list[Allowance]:
    """Allowances for today's replay that had their chance and masked nothing."""
    return [*allowlist.stale("pinned", considered), *allowlist.stale("counts", considered)]


def _table(reports: Sequence[CellReport], seconds: Sequence[float]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=0, show_edge=False)
    table.add_column("cell", no_wrap=True)
    for name in ("lines", "events", "rows", "unhandled", "drops"):
        table.add_column(name, justify="right")
    table.add_column("verdict", no_wrap=True)
    table.add_column("ms", justify="right")
    for report, took in zip(reports, seconds, strict=True):
        outcome = report.outcome
        table.add_row(
            report.key,
            *(str(n) for n in (outcome.lines, outcome.events, outcome.rows)),
            str(outcome.unhandled),
            str(outcome.grammar_drops),
            Text(report.verdict, _STYLES[report.verdict]),
            f"{took * 1000:.0f}",
        )
    return table


def _print_failure(out: Console, report: CellReport, full: bool) -> None:
    out.print()
    out.print(Text(f"{report.key}: {', '.join(report.failed_gates)} failed", "bold red"))
    for gate, problems in report.failures.items():
        for problem in problems:
            out.print(Text(f"  {gate}: {problem}"))
    for layer in ("rows", "events", "bridge", "provider"):
        differences = report.differences.get(layer, [])
        if not differences:
            continue
        out.print(Text(f"  {layer}: {plural(len(differences), 'difference')}"))
        shown = differences if full else sorted(differences, key=_depth)[:SHOWN]
        for difference in shown:
            for line in difference_lines(difference):
                out.print(line)
    out.print(
        Text(
            f"  more: parity check -p {report.provider} -c {report.cell} --full · parity show {report.key}",
            "dim",
        )
    )


def _depth(difference: object) -> int:
    """The deepest path first: it says most precisely what changed."""
    return -str(getattr(difference, "path", "")).count("/")


def _summary(reports: Sequence[CellReport], stale: Sequence[Allowance], took: float, project: bool) -> Text:
    by_verdict = {name: sum(r.verdict == name for r in reports) for name in _STYLES}
    said = ", ".join(f"{count} {name}" for name, count in by_verdict.items() if count)
    if stale:
        said += f", {plural(len(stale), 'stale allowance')}"
    masked = sum(report.masked for report in reports)
    if masked:
        said += f", {plural(masked, 'difference')} allowed"
    lines = sum(report.outcome.lines for report in reports)
    style = "bold red" if by_verdict["failed"] or stale else "bold green"
    summary = Text(f"\n{plural(len(reports), 'cell')}: {said} · {lines} lines in {took:.2f} s", style)
    if by_verdict["unpinned"]:
        summary.append(f"\nunpinned: {_how_to_pin(reports, project)}", "yellow")
    return summary


def _how_to_pin(reports: Sequence[CellReport], project: bool) -> str:
    missing = {what for report in reports if report.verdict == "unpinned" for what in report.unpinned}
    counts = f"{COUNTS_KNOB}=1 pytest"
    if not project:
        counts += " in a project whose pyproject.toml has [tool.parity] for them"
    steps = {"streams": "rerecord -p PROVIDER -c CELL", "counts": counts}
    told = [f"{how} pins {what}" for what, how in steps.items() if what in missing]
    nothing = " or ".join(what for what in steps if what in missing)
    return f"no {nothing} to hold against; {'; '.join(told)}"
