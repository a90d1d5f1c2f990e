"""`parity allow`: put entries for what fails into the allowlist, take stale ones out, explain the others."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import typer
from msgspec import Struct
from rich.text import Text

from parity.cli.cells import selection
from parity.cli.output import console, difference_lines, plural, write_json
from parity.compare import Difference
from parity.gates.allowlist import Allowlist
from parity.gates.allowlist_file import ISSUE
from parity.gates.amending import JUDGED, Masked, beyond, explained, proposed
from parity.gates.check import CellReport, check_cell
from parity.gates.counts import Counts, load_counts
from parity.gates.pins import STREAMS
from parity.gates.settings import Settings
from parity.live.play import LAYERS, player_of
from parity.wire import Cell, InputError, find_cells

SHOWN = 10
"""Differences shown for an entry, or of what is left out."""

_STALE = {True: "stale", False: "in use", None: "not judged"}


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


def run(settings: Settings, request: Request, *, prune: bool, explain: bool, entry: str | None) -> int:
    """Do what was asked: add, prune or explain; returns the exit code. Raises InputError."""
    adding = (request.issue, request.reason, request.section, request.broad or None)
    if prune and explain:
        raise InputError("--prune", None, "not together with --explain", "explain first, then prune")
    if (prune or explain) and any(value is not None for value in adding):
        what = "--issue, --reason, --section and --broad are for adding entries"
        raise InputError("--prune" if prune else "--explain", None, what, "leave them out")
    if entry is not None and not explain:
        raise InputError(entry, None, "an entry is named without --explain", f"write --explain {entry}")
    if prune:
        return _prune(settings, request)
    return _explain(settings, request, entry) if explain else _add(settings, request)


# -- adding ----------------------------------------------------------------------------------------------


def _add(settings: Settings, request: Request) -> int:
    """Propose entries for what fails, and write them; returns the exit code."""
    sections = _sections(request.section)
    ask = _asker(request)
    cells = find_cells(settings.recordings, *selection(request.provider, request.cell))
    allowlist, counts = Allowlist.load(settings.allowlist), load_counts(settings.row_counts)
    reports = [_check(settings, cell, allowlist, counts) for cell in cells]
    failing = [report for report in reports if report.verdict == "failed"]
    if not failing:
        if request.as_json:
            _write_document(passed=True, written=False)
        else:
            nothing = f"{plural(len(cells), 'cell')}: nothing fails, nothing to allow"
            console().print(Text(nothing, "bold green"))
        return 0
    issue, reason = ask()
    entries, streams = proposed(failing, counts, sections, issue=issue, reason=reason, broad=request.broad)
    found = [(section, entry) for section in JUDGED for entry in entries[section]]
    for section, entry in found:
        allowlist.add(section, entry)
    left = _left(failing, sections)
    writes = bool(found) and not streams.whole and not request.dry_run
    again: list[CellReport] = []
    if writes:
        allowlist.save()
        written = Allowlist.load(settings.allowlist)
        touched = {report.key for report in failing}
        again = [_check(settings, cell, written, counts) for cell in cells if cell.key in touched]
    still = [report.key for report in again if report.verdict == "failed"]
    failed = bool(streams.whole or left or still)
    if request.as_json:
        said = [{"section": section, **entry} for section, entry in found]
        whole = [{"cell": cell, "difference": one} for cell, one in streams.whole]
        _write_document(not failed, writes, said, whole, left, still)
        return int(failed)
    _print_entries(settings, found, writes)
    _print_left(streams.whole, left)
    if writes:
        _print_check(again, still)
    return int(failed)


def _check(
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


def _sections(section: str | None) -> tuple[str, ...]:
    if section is None:
        return JUDGED
    if section == "checkouts":
        what = "its differences come from comparing two checkouts"
        raise InputError("--section", None, what, "use parity compare")
    if section not in JUDGED:
        raise InputError("--section", None, f"no section {section!r}", f"choose from {', '.join(JUDGED)}")
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


def _print_check(again: Sequence[CellReport], still: Sequence[str]) -> None:
    if still:
        console().print(Text(f"checked again: still failing: {', '.join(still)}", "bold red"))
    else:
        console().print(Text(f"checked again: {plural(len(again), 'cell')} passed", "bold green"))


# -- explaining and pruning ------------------------------------------------------------------------------


def _explain(settings: Settings, request: Request, which: str | None) -> int:
    """Show what each entry masks; returns the exit code: 1 where one is stale."""
    allowlist = Allowlist.load(settings.allowlist)
    chosen = _chosen(allowlist, which)
    masked = [
        one for one in _explained(settings, request, allowlist) if chosen is None or one.number == chosen
    ]
    if request.as_json:
        write_json({"entries": [_document(one) for one in masked]})
    else:
        _print_explained(masked)
    return int(any(one.stale for one in masked))


def _prune(settings: Settings, request: Request) -> int:
    """Take stale entries out; returns the exit code."""
    if request.provider is not None or request.cell is not None:
        what = "a filtered run cannot tell which entries are stale"
        raise InputError("--prune", None, what, "leave out --provider and --cell")
    allowlist = Allowlist.load(settings.allowlist)
    masked = _explained(settings, request, allowlist)
    stale = [one.allowance for one in masked if one.stale]
    skipped = [one.allowance for one in masked if one.stale is None]
    writes = bool(stale) and not request.dry_run
    for allowance in stale:
        allowlist.remove(allowance)
    if writes:
        allowlist.save()
    if request.as_json:
        write_json(
            {
                "removed" if writes else "stale": [str(one) for one in stale],
                "notJudged": list(map(str, skipped)),
            }
        )
        return 0
    out = console()
    for allowance in stale:
        out.print(Text(f"{'removed' if writes else 'stale'}: {allowance}"))
    for allowance in skipped:
        why = "needs two checkouts" if allowance.section not in JUDGED else "a cell of it does not replay"
        out.print(Text(f"not judged ({why}): {allowance}", "dim"))
    if not stale:
        out.print(Text("no entry is stale", "bold green"))
    return 0


def _explained(settings: Settings, request: Request, allowlist: Allowlist) -> list[Masked]:
    provider, name = selection(request.provider, request.cell)
    cells = find_cells(settings.recordings, provider, name)
    filtered = provider is not None or name is not None
    known = frozenset(cell.key for cell in (find_cells(settings.recordings) if filtered else cells))
    counts = load_counts(settings.row_counts)
    return explained(
        cells, known, allowlist, counts, lambda cell: _check(settings, cell, allowlist, counts, strict=True)
    )


def _chosen(allowlist: Allowlist, which: str | None) -> int | None:
    """The number of the entry meant by its number (`2`) or line (`:14`, `allowlist.yaml:14`)."""
    if which is None:
        return None
    before, colon, number = which.rpartition(":")
    if not number.isdecimal() or (before and before != allowlist.path.name and before != str(allowlist.path)):
        raise InputError(
            "--explain", None, f"{which!r} names no entry", "write 2 (the second) or :14 (line 14)"
        )
    wanted = int(number)
    if not colon:
        if 1 <= wanted <= len(allowlist.allowances):
            return wanted
        what = f"there is no entry {wanted} of {len(allowlist.allowances)}"
        raise InputError("--explain", None, what, "a line is written :14")
    lines = [int(one.where.rpartition(":")[2]) for one in allowlist.allowances]
    at = max((line for line in lines if line <= wanted), default=None)
    if at is None:
        raise InputError("--explain", None, f"no entry begins at or above line {wanted}", "see --explain")
    return lines.index(at) + 1


def _print_explained(masked: Sequence[Masked]) -> None:
    out = console()
    if not masked:
        out.print(Text("the allowlist has no entries"))
    for one in masked:
        allowance = one.allowance
        style = {True: "bold red", False: "bold", None: "dim"}[one.stale]
        said = f"masks {plural(one.count, 'difference')}" if one.count else _STALE[one.stale]
        out.print(Text(f"{one.number}. {allowance.section} {allowance}: {said}", style))
        for cell, what in one.first[:SHOWN]:
            if isinstance(what, str):
                out.print(Text(f"    {cell}: {what}"))
                continue
            label, change = difference_lines(what)
            out.print(Text.assemble(f"    {cell} ", what.layer, " ", label.plain.strip()))
            out.print(change)
        if one.count > SHOWN:
            out.print(Text(f"    … and {one.count - SHOWN} more", "dim"))


def _document(one: Masked) -> dict[str, Any]:
    allowance = one.allowance
    return {
        "number": one.number,
        "where": allowance.where,
        "section": allowance.section,
        "issue": allowance.issue,
        "reason": allowance.reason,
        "masked": one.count,
        "stale": one.stale,
        "differences": [
            {"cell": cell, "count": what} if isinstance(what, str) else {"cell": cell, "difference": what}
            for cell, what in one.first
        ],
    }
