"""`parity compare`: two checkouts over the same recordings, or over one log as two timelines."""

from __future__ import annotations

import shlex
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from parity.checkouts.classes import DifferenceClass
from parity.checkouts.comparing import ROLES, Compared, compare_pair, considered, docs_of, dump
from parity.checkouts.running import Sides, Wanted, replay_sides
from parity.cli.before_after import before_after
from parity.cli.cells import selection
from parity.cli.output import console, difference_lines, plural, write_json
from parity.compare import LAYERS, Difference
from parity.gates.allowance import Allowance
from parity.gates.allowlist import Allowlist
from parity.gates.settings import Settings
from parity.importing.importer import ImportOptions, import_log
from parity.report import Masked, write_report
from parity.wire import InputError, cell_keys, find_cells

_STYLES = {"passed": "green", "failed": "bold red", "skipped": "yellow"}
_LAYERS = ("rows", "events", "bridge", "provider", "grammar")
"""In the order of what a person sees first."""


class Request(Struct, kw_only=True):
    """What the user asked for, as typed."""

    wanted: Wanted
    provider: str | None = None
    cell: str | None = None
    log: Path | None = None
    dump: Path | None = None
    html: Path | None = None
    full: bool = False
    as_json: bool = False


def run(settings: Settings, request: Request) -> int:
    """Compare; returns the exit code: 1 where anything differs, failed or is stale."""
    _check(request)
    if request.log is not None:
        return _run_log(settings, request.log, request)
    began = time.perf_counter()
    cells = find_cells(settings.recordings, *selection(request.provider, request.cell))
    allowlist = Allowlist.load(settings.allowlist)
    keep = LAYERS if request.dump is not None else ("rows",) if request.html is not None else ()
    sides = replay_sides(settings, cells, request.wanted, keep=keep, provenance=request.html is not None)
    if request.dump is not None:
        dump(sides.pairs, request.dump)
    masked: dict[str, list[Masked]] = {}

    def note(allowance: Allowance, cell: str, difference: Difference) -> None:
        masked.setdefault(cell, []).append(Masked(allowance, difference))

    allowlist.on_masked = note if request.html is not None else None
    results = [compare_pair(pair, allowlist) for pair in sides.pairs]
    known = cell_keys(settings.recordings)
    stale = allowlist.stale("checkouts", considered(results, known))
    compared = any(result.verdict != "skipped" for result in results)
    passed = compared and not stale and all(result.verdict != "failed" for result in results)
    if request.html is not None:
        _write_html(request, sides, results, masked, passed, allowlist.section("checkouts"), stale)
    if request.as_json:
        write_json(_document(passed, sides, results, stale, request.full))
        return int(not passed)
    out = console()
    for role in ROLES:
        out.print(Text(f"{role}  {sides.titles[role]}", "bold"))
    for line in _bridge_lines(sides):
        out.print(Text(line, "dim"))
    out.print(_table(results))
    _print_failures(out, results, request.full)
    for entry in stale:
        out.print(Text(f"stale allowance {entry}: it masks nothing any more; remove it", "bold red"))
    if not compared:
        out.print(Text("nothing was compared: every cell was skipped", "bold red"))
    out.print(_summary(results, stale, passed, time.perf_counter() - began))
    if request.html is not None:
        out.print(Text(f"report: {request.html / 'index.html'}", "dim"))
    return int(not passed)


def _check(request: Request) -> None:
    if request.log is not None:
        if request.provider is None:
            raise InputError("--log", None, "whose log it is is not said", "add --provider")
        if request.cell is not None or request.dump is not None:
            raise InputError("--log", None, "a log is no cell", "leave --cell and --dump away")
    dump_to = request.dump
    if dump_to is not None and dump_to.exists() and (not dump_to.is_dir() or any(dump_to.iterdir())):
        raise InputError(dump_to, None, "exists and is not empty", "name a new folder for --dump")


def _write_html(
    request: Request,
    sides: Sides,
    results: Sequence[Compared],
    masked: dict[str, list[Masked]],
    passed: bool,
    allowances: Sequence[Allowance] = (),
    stale: Sequence[Allowance] = (),
) -> None:
    from parity.checkouts.reported import reported

    assert request.html is not None
    wanted = request.wanted
    command = f"parity compare --old {wanted.old}"
    if wanted.new is not None:
        command += f" --new {wanted.new}"
    data = reported(
        sides.pairs,
        results,
        masked,
        titles=sides.titles,
        passed=passed,
        command=command,
        allowances=allowances,
        stale=stale,
    )
    write_report(request.html, data)


def _bridge_lines(sides: Sides) -> Iterator[str]:
    """What each side's bridge is, for providers whose bridge is a command somewhere."""
    for provider, commands in sides.bridges.items():
        said = [
            f"{role} {shlex.join(words) if words else 'its own code'}" for role, words in commands.items()
        ]
        if any(commands.values()):
            yield f"{provider}: {', '.join(said)}; compared: events, rows, drops"
        else:
            yield f"{provider}: no bridge is named in either side's tree; each runs its own code"


# -- a log ---------------------------------------------------------------------------------------------


def _run_log(settings: Settings, log: Path, request: Request) -> int:
    with tempfile.TemporaryDirectory(prefix="parity-log-") as folder:
        cell, _ = import_log(log, str(request.provider), "log", Path(folder), ImportOptions())
        html = request.html is not None
        sides = replay_sides(settings, [cell], request.wanted, keep=("rows",), provenance=html)
        pair = sides.pairs[0]
        result = compare_pair(pair, None)
        if result.skipped is not None:
            raise InputError("--provider", None, result.skipped, "rename the provider")
        if html:
            _write_html(request, sides, [result], {}, result.verdict == "passed")
    complete = all(pair.sides[role].outcome is not None for role in ROLES)
    rows = {role: docs_of(pair.sides[role], "rows") if complete else [] for role in ROLES}
    if request.as_json:
        document = _cell_document(result, request.full)
        write_json({"passed": result.verdict == "passed", **sides.titles, **document, "rows": rows})
        return int(result.verdict != "passed")
    if complete:
        titles, both = [sides.titles[role] for role in ROLES], [rows[role] for role in ROLES]
        sys.stdout.write(before_after(titles[0], both[0], titles[1], both[1]))
    for line in (*_bridge_lines(sides), *result.failures, *map(str, result.classes)):
        sys.stderr.write(f"{line}\n")
    return int(result.verdict != "passed")


# -- printing ------------------------------------------------------------------------------------------


def _table(results: Sequence[Compared]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("provider", no_wrap=True)
    for name in ("cells", *_STYLES):
        table.add_column(name, justify="right")
    for provider, counts in _by_provider(results).items():
        cells = [Text(str(counts[name]), style if counts[name] else "dim") for name, style in _STYLES.items()]
        table.add_row(provider, str(sum(counts.values())), *cells)
    return table


def _by_provider(results: Sequence[Compared]) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for result in results:
        found.setdefault(result.provider, Counter(dict.fromkeys(_STYLES, 0)))[result.verdict] += 1
    return found


def _print_failures(out: Console, results: Sequence[Compared], full: bool) -> None:
    of_sides = Counter(why for result in results if result.given_up for why in result.failures)
    for why, count in of_sides.items():
        out.print(Text(f"{_indented(why, '  ')}\n  so {plural(count, 'cell')} failed", "bold red"))
    for why, count in Counter(r.skipped for r in results if r.skipped is not None).items():
        out.print(Text(f"{plural(count, 'cell')} skipped: {why}", "yellow"))
    failed = [result for result in results if result.verdict == "failed" and not result.given_up]
    for result in failed:
        out.print(Text(f"{result.key}: failed", "bold red"))
        for why in result.failures:
            out.print(Text(f"  {_indented(why, '      ')}"))
        for group in sorted(result.classes, key=_order):
            _print_class(out, group, full)
        out.print()
    for result in results:
        if result.notes:
            out.print(Text(f"{result.key}: {'; '.join(result.notes)}", "yellow"))
    if sum(bool(result.classes) for result in failed) > 1:
        _print_totals(out, failed)


def _print_class(out: Console, group: DifferenceClass, full: bool) -> None:
    out.print(Text.assemble("  ", (str(group), "bold"), "  ", (group.path, "dim")))
    for difference in group.differences if full else group.differences[:1]:
        label, what = difference_lines(difference)
        out.print(Text.assemble(label, "\n", what))


def _print_totals(out: Console, failed: Sequence[Compared]) -> None:
    """Each class over all cells."""
    counts: Counter[tuple[str, str, str]] = Counter()
    cells: Counter[tuple[str, str, str]] = Counter()
    for result in failed:
        here = Counter[tuple[str, str, str]]()
        for group in result.classes:
            here[group.layer, group.name, group.change] += len(group.differences)
        counts += here
        cells.update(here.keys())
    out.print(Text("all cells together", "bold"))
    for key in sorted(counts, key=lambda key: _LAYERS.index(key[0])):
        out.print(Text(f"  {' '.join(key)} ×{counts[key]} in {plural(cells[key], 'cell')}"))
    out.print()


def _order(group: DifferenceClass) -> int:
    return _LAYERS.index(group.layer)


def _indented(text: str, by: str) -> str:
    return text.replace("\n", f"\n{by}")


def _summary(results: Sequence[Compared], stale: Sequence[Allowance], passed: bool, took: float) -> Text:
    by_verdict = Counter(result.verdict for result in results)
    said = ", ".join(f"{by_verdict[name]} {name}" for name in _STYLES if by_verdict[name])
    if stale:
        said += f", {plural(len(stale), 'stale allowance')}"
    masked = sum(result.masked for result in results)
    if masked:
        said += f", {plural(masked, 'difference')} allowed"
    style = "bold green" if passed else "bold red"
    return Text(f"{plural(len(results), 'cell')}: {said} in {took:.2f} s", style)


# -- JSON ----------------------------------------------------------------------------------------------


def _document(
    passed: bool, sides: Sides, results: Sequence[Compared], stale: Sequence[Allowance], full: bool
) -> dict[str, Any]:
    return {
        "passed": passed,
        **sides.titles,
        "bridges": sides.bridges,
        "providers": _by_provider(results),
        "cells": [_cell_document(result, full) for result in results],
        "stale": [str(entry) for entry in stale],
    }


def _cell_document(result: Compared, full: bool) -> dict[str, Any]:
    return {
        "provider": result.provider,
        "cell": result.cell,
        "verdict": result.verdict,
        "failures": result.failures,
        "skipped": result.skipped,
        "classes": [_class_document(group, full) for group in result.classes],
        "masked": result.masked,
        "notes": result.notes,
    }


def _class_document(group: DifferenceClass, full: bool) -> dict[str, Any]:
    document: dict[str, Any] = {
        "layer": group.layer,
        "name": group.name,
        "path": group.path,
        "change": group.change,
        "count": len(group.differences),
        "example": group.differences[0],
    }
    return {**document, "differences": group.differences} if full else document
