"""`parity allow`: put entries for what fails into the allowlist; `allowances` prunes and explains them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import typer
from msgspec import Struct
from rich.text import Text

from parity.checkouts.comparing import compare_pair
from parity.checkouts.running import Wanted, replay_sides
from parity.cli.cells import selection
from parity.cli.output import console, plural, write_json
from parity.compare import Difference
from parity.gates.allowance import SECTIONS
from parity.gates.allowlist import Allowlist
from parity.gates.allowlist_entry import ISSUE
from parity.gates.amending import JUDGED, beyond, proposed
from parity.gates.check import CellReport, check_cell
from parity.gates.counts import Counts, load_counts
from parity.gates.pins import STREAMS
from parity.gates.proposals import Proposal, propose
from parity.gates.settings import Settings
from parity.live.play import LAYERS, player_of
from parity.wire import Cell, InputError, find_cells

SHOWN = 10
"""Differences shown for an entry, or of what is left out."""


class Request(Struct, kw_only=True):
    """What the user asked for, as typed."""

    provider: str | None
    cell: str | None
    issue: str | None
    reason: str | None
    section: str | None
    broad: bool
    dry_run: bool
    as_json: bool
    wanted: Wanted | None = None
    """The two checkouts whose differences are meant; None for today's replay against the pins."""


def run(settings: Settings, request: Request, *, prune: bool, explain: bool, entry: str | None) -> int:
    """Do what was asked: add, prune or explain; returns the exit code. Raises InputError."""
    from parity.cli import allowances

    adding = (request.issue, request.reason, request.section, request.broad or None)
    if prune and explain:
        raise InputError("--prune", None, "not together with --explain", "explain first, then prune")
    if (prune or explain) and any(value is not None for value in adding):
        what = "--issue, --reason, --section and --broad are for adding entries"
        raise InputError("--prune" if prune else "--explain", None, what, "leave them out")
    if entry is not None and not explain:
        raise InputError(entry, None, "an entry is named without --explain", f"write --explain {entry}")
    if prune:
        return allowances.prune(settings, request)
    return allowances.explain(settings, request, entry) if explain else _add(settings, request)


# -- adding ----------------------------------------------------------------------------------------------


class Judged(Struct):
    """What fails now, and what would accept it."""

    count: int
    """Cells that were judged."""
    failing: list[str]
    """The `provider/cell` of those that fail."""
    propose: Callable[[str, str], tuple[list[tuple[str, dict[str, Any]]], Proposal]]
    """(issue, reason) → (the entries with their sections, what they leave out of the streams)."""
    left: list[str]
    """What fails and no entry of these sections can accept, a line each."""
    again: Callable[[Allowlist], list[str]]
    """Of the failing ones, those that still fail under another allowlist."""


def _add(settings: Settings, request: Request) -> int:
    """Propose entries for what fails, and write them; returns the exit code."""
    sections = _sections(request)
    ask = _asker(request)
    allowlist = Allowlist.load(settings.allowlist)
    if request.wanted is None:
        judged = _judge_pins(settings, request, sections, allowlist)
    else:
        judged = _judge_checkouts(settings, request, request.wanted, allowlist)
    if not judged.failing:
        if request.as_json:
            _write_document(passed=True, written=False)
        else:
            nothing = f"{plural(judged.count, 'cell')}: nothing fails, nothing to allow"
            console().print(Text(nothing, "bold green"))
        return 0
    found, streams = judged.propose(*ask())
    for section, entry in found:
        allowlist.add(section, entry)
    writes = bool(found) and not streams.whole and not request.dry_run
    still: list[str] = []
    if writes:
        allowlist.save()
        still = judged.again(Allowlist.load(settings.allowlist))
    failed = bool(streams.whole or judged.left or still)
    if request.as_json:
        said = [{"section": section, **entry} for section, entry in found]
        whole = [{"cell": cell, "difference": one} for cell, one in streams.whole]
        _write_document(not failed, writes, said, whole, judged.left, still)
        return int(failed)
    _print_entries(settings, found, writes)
    _print_left(streams.whole, judged.left)
    if writes:
        _print_check(len(judged.failing), still)
    return int(failed)


def _judge_pins(
    settings: Settings, request: Request, sections: Sequence[str], allowlist: Allowlist
) -> Judged:
    """Today's replay against the pins and counts."""
    cells = find_cells(settings.recordings, *selection(request.provider, request.cell))
    counts = load_counts(settings.row_counts)
    reports = [check_one(settings, cell, allowlist, counts) for cell in cells]
    failing = [report for report in reports if report.verdict == "failed"]
    touched = {report.key for report in failing}

    def entries(issue: str, reason: str) -> tuple[list[tuple[str, dict[str, Any]]], Proposal]:
        of, streams = proposed(failing, counts, sections, issue=issue, reason=reason, broad=request.broad)
        return [(section, entry) for section in JUDGED for entry in of[section]], streams

    def again(written: Allowlist) -> list[str]:
        checked = [check_one(settings, cell, written, counts) for cell in cells if cell.key in touched]
        return [report.key for report in checked if report.verdict == "failed"]

    return Judged(len(cells), [one.key for one in failing], entries, _left(failing, sections), again)


def _judge_checkouts(settings: Settings, request: Request, wanted: Wanted, allowlist: Allowlist) -> Judged:
    """Two checkouts over the same recordings."""
    cells = find_cells(settings.recordings, *selection(request.provider, request.cell))
    pairs = replay_sides(settings, cells, wanted).pairs
    results = [compare_pair(pair, allowlist) for pair in pairs]
    failing = [result for result in results if result.verdict == "failed"]
    skipped = [result for result in results if result.verdict == "skipped"]
    if len(skipped) == len(results):
        raise InputError("--old", None, f"nothing was compared: {skipped[0].skipped}", "see parity compare")

    def entries(issue: str, reason: str) -> tuple[list[tuple[str, dict[str, Any]]], Proposal]:
        found = {one.key: [each for group in one.classes for each in group.differences] for one in failing}
        streams = propose(found, issue=issue, reason=reason, broad=request.broad)
        return [("checkouts", entry) for entry in streams.entries], streams

    def again(written: Allowlist) -> list[str]:
        compared = [compare_pair(pair, written) for pair in pairs]
        return [result.key for result in compared if result.verdict == "failed"]

    left = [f"{one.key}: {' '.join(why.split())}" for one in failing for why in one.failures]
    return Judged(len(cells), [one.key for one in failing], entries, left, again)


def check_one(
    settings: Settings, cell: Cell, allowlist: Allowlist, counts: dict[str, Counts], *, strict: bool = False
) -> CellReport:
    """The verdict on a cell, as `parity check` gives it."""
    play = player_of(settings.providers, cell)
    layers = STREAMS if play is None else LAYERS
    strict = strict or settings.strict
    return check_cell(cell, allowlist, counts, strict=strict, play=play, layers=layers)


def _left(failing: Sequence[CellReport], sections: Sequence[str]) -> list[str]:
    """What fails and no entry of these sections can accept, a line each."""
    left = [line for report in failing for line in beyond(report)]
    for report in failing:
        if "counts" not in sections:
            left += [f"{report.key}: {rise}" for rise in report.rises]
        if "pinned" not in sections:
            left += [
                f"{report.key}: {layer}: {plural(len(differences), 'difference')}"
                for layer, differences in report.differences.items()
            ]
    return left


def _write_document(
    passed: bool,
    written: bool,
    entries: Sequence[dict[str, Any]] = (),
    whole: Sequence[dict[str, Any]] = (),
    left: Sequence[str] = (),
    failing: Sequence[str] = (),
) -> None:
    write_json(
        {
            "passed": passed,
            "written": written,
            "entries": entries,
            "whole": whole,
            "left": left,
            "failing": failing,
        }
    )


def _sections(request: Request) -> tuple[str, ...]:
    section, judged = request.section, JUDGED if request.wanted is None else ("checkouts",)
    if section is None:
        return judged
    if section == "checkouts" and request.wanted is None:
        what = "its differences come from comparing two checkouts"
        raise InputError("--section", None, what, "name the one before with --old REF")
    if section in SECTIONS and section not in judged:
        raise InputError("--section", None, f"--old is for checkouts, not for {section}", "leave one out")
    if section not in judged:
        raise InputError("--section", None, f"no section {section!r}", f"choose from {', '.join(SECTIONS)}")
    return (section,)


def _asker(request: Request) -> Callable[[], tuple[str, str]]:
    """Gives issue and reason, asked for when missing. Raises InputError at once where nobody can be asked."""
    for option, value, fix in (
        ("--issue", request.issue, 'give --issue "#12"'),
        ("--reason", request.reason, "give --reason TEXT"),
    ):
        if value is None and not sys.stdin.isatty():
            raise InputError(option, None, "missing", fix)
        if value is not None and not value.strip():
            raise InputError(option, None, "empty", fix)
    if request.issue is not None:
        _checked_issue(request.issue)

    def ask() -> tuple[str, str]:
        issue, reason = request.issue, request.reason
        if issue is None:
            issue = _checked_issue(str(typer.prompt("issue (#number or URL)", err=True)).strip())
        if reason is None:
            reason = str(typer.prompt("reason", err=True)).strip()
        return issue, reason

    return ask


def _checked_issue(issue: str) -> str:
    if not ISSUE.fullmatch(issue):
        raise InputError("--issue", None, f"{issue!r} is no issue", 'write "#123" or its full URL')
    return issue


def _print_entries(settings: Settings, found: Sequence[tuple[str, dict[str, Any]]], written: bool) -> None:
    out = console()
    if found:
        verb = "added to" if written else "proposed for"
        entries = f"{len(found)} {'entry' if len(found) == 1 else 'entries'}"
        out.print(Text(f"{entries} {verb} {settings.allowlist.name}", "bold"))
    for section, entry in found:
        fields = [f"{key}: {_shown(value)}" for key, value in entry.items() if key not in ("issue", "reason")]
        out.print(Text(f"  {section}: {', '.join(fields)}"))


def _shown(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return f"[{', '.join(value)}]"
    return str(value) if isinstance(value, str) and value.isprintable() and value else repr(value)


def _print_left(whole: Sequence[tuple[str, Difference]], left: Sequence[str]) -> None:
    out = console()
    if whole:
        said = f"{plural(len(whole), 'difference')} of whole entries: only a broad entry would accept"
        out.print(Text(f"{said} {'it' if len(whole) == 1 else 'them'}; nothing was written", "bold red"))
        for cell, one in whole[:SHOWN]:
            out.print(Text(f"  {cell}: {one.layer} {one.path} {one.change}: {one.label}"))
        if len(whole) > SHOWN:
            out.print(Text(f"  … and {len(whole) - SHOWN} more"))
        out.print(Text("  with --broad they are proposed with `broad: true`", "dim"))
    for line in left:
        out.print(Text(f"no allowance accepts this: {line}", "red"))


def _print_check(count: int, still: Sequence[str]) -> None:
    if still:
        console().print(Text(f"checked again: still failing: {', '.join(still)}", "bold red"))
    else:
        console().print(Text(f"checked again: {plural(count, 'cell')} passed", "bold green"))
