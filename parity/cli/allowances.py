"""`parity allow --explain` and `--prune`: what each entry masks, and those that mask nothing any more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.text import Text

from parity.checkouts.comparing import compare_pair, considered
from parity.checkouts.running import replay_sides
from parity.cli.allow import Request, check_one
from parity.cli.cells import selection
from parity.cli.output import console, difference_lines, plural, write_json
from parity.gates.allowlist import Allowlist, Considered
from parity.gates.amending import JUDGED, Masked, explained
from parity.gates.counts import load_counts
from parity.gates.settings import Settings
from parity.wire import InputError, cell_keys, find_cells

SHOWN = 10
"""Differences shown for an entry."""

_STALE = {True: "stale", False: "in use", None: "not judged"}


def explain(settings: Settings, request: Request, which: str | None) -> int:
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


def prune(settings: Settings, request: Request) -> int:
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
        needs_two = allowance.section not in JUDGED and request.wanted is None
        why = "needs two checkouts, see --old" if needs_two else "a cell of it does not replay"
        out.print(Text(f"not judged ({why}): {allowance}", "dim"))
    if not stale:
        out.print(Text("no entry is stale", "bold green"))
    return 0


def _explained(settings: Settings, request: Request, allowlist: Allowlist) -> list[Masked]:
    provider, name = selection(request.provider, request.cell)
    cells = find_cells(settings.recordings, provider, name)
    known = cell_keys(settings.recordings)
    counts = load_counts(settings.row_counts)

    def compare() -> Considered:
        assert request.wanted is not None
        pairs = replay_sides(settings, cells, request.wanted).pairs
        return considered([compare_pair(pair, allowlist) for pair in pairs], known)

    return explained(
        cells,
        known,
        allowlist,
        counts,
        lambda cell: check_one(settings, cell, allowlist, counts, strict=True),
        compare if request.wanted is not None else None,
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
