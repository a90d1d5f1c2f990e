"""`parity coverage`: the vocabulary of each protocol, where it occurs, and what becomes of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from msgspec import Struct, to_builtins
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from parity.cli.output import console, plural, write_json
from parity.coverage.measure import entries, families_of, watch
from parity.coverage.model import HANDLED, IGNORED, PROTOCOLS, UNHANDLED, Entry
from parity.coverage.pins import REPIN, Move, load, moves, pin
from parity.gates.settings import Settings
from parity.wire import InputError, find_cells

EXAMPLES, EFFECTS = 2, 4
"""Cells and effects named per name; --json names all."""

_STYLES = {HANDLED: "green", IGNORED: "dim", UNHANDLED: "bold red"}


class Request(Struct, kw_only=True):
    """What was asked for."""

    provider: str | None
    unhandled: bool
    missing: bool
    pin: bool
    as_json: bool


def run(settings: Settings, request: Request) -> int:
    """Measure and show; returns the exit code: 1 where coverage fell below what is pinned."""
    if request.pin and request.provider is not None:
        raise InputError(
            "--pin", None, "one provider's cells say nothing of the others", "leave --provider out"
        )
    cells = find_cells(settings.recordings, request.provider)
    families = None if request.provider is None else families_of(cells)
    if families is not None and not families:
        what = f"{request.provider!r} speaks no protocol whose vocabulary is known"
        raise InputError("--provider", None, what, "name a provider of a built-in family")
    found = entries(watch(cells, settings.providers), families)
    if request.pin:
        return _pin(settings.coverage, found, as_json=request.as_json)
    pinned = load(settings.coverage) if request.provider is None else None
    moved = moves(pinned, found) if pinned is not None else []
    shown = [one for one in found if _is_shown(one, request)]
    if request.as_json:
        write_json({"passed": not _fell(moved), "entries": shown, "moved": _documents(moved)})
    else:
        _print(console(), shown, found)
        _print_moves(console(), moved)
    return int(_fell(moved))


def _is_shown(entry: Entry, request: Request) -> bool:
    if request.unhandled and entry.verdict != UNHANDLED:
        return False
    return not (request.missing and entry.cells)


def _fell(moved: Sequence[Move]) -> bool:
    return any(move.fell for move in moved)


def _documents(moved: Sequence[Move]) -> list[dict[str, Any]]:
    return [{**to_builtins(move), "key": move.key._asdict()} for move in moved]


def _pin(path: Path, found: Sequence[Entry], *, as_json: bool) -> int:
    """Write the pins and say what moved; a file that is new moved as a whole."""
    is_new = not path.is_file()
    moved = pin(path, found)
    if as_json:
        write_json({"moved": _documents(moved)})
        return 0
    out = console()
    if not moved:
        out.print(Text(f"re-pinned nothing: {path.name} says the same"))
    elif is_new:
        out.print(Text(f"pinned {plural(len(moved), 'name')} in {path.name}"))
    for move in [] if is_new else moved:
        out.print(Text(str(move), "red" if move.fell else ""))
    return 0


def _print(out: Console, shown: Sequence[Entry], found: Sequence[Entry]) -> None:
    for protocol, group in groupby(shown, key=lambda entry: entry.protocol):
        out.print(_table(PROTOCOLS[protocol], list(group)))
    for protocol, entries_ in groupby(found, key=lambda entry: entry.protocol):
        out.print(_summary(PROTOCOLS[protocol], list(entries_)))


def _table(title: str, group: Sequence[Entry]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=title, title_justify="left", title_style="bold")
    table.add_column("name", overflow="fold")
    table.add_column("cells", justify="right")
    table.add_column("for example", overflow="fold")
    table.add_column("verdict", no_wrap=True)
    table.add_column("becomes, or why nothing", overflow="fold")
    for category, members in groupby(group, key=lambda entry: entry.category):
        table.add_row(Text(category, "bold"))
        for one in members:
            name = Text(f"  {one.name}", "" if one.published else "italic")
            more = [f"and {len(one.becomes) - EFFECTS} more"] if len(one.becomes) > EFFECTS else []
            becomes = ", ".join([*one.becomes[:EFFECTS], *more]) or one.decision or ""
            cells = Text(str(len(one.cells)), "" if one.cells else "dim")
            where = ", ".join(one.cells[:EXAMPLES])
            table.add_row(name, cells, where, Text(one.verdict, _STYLES[one.verdict]), becomes)
    return table


def _summary(title: str, group: Sequence[Entry]) -> Text:
    counted = Counter(entry.verdict for entry in group)
    said = ", ".join(f"{counted[verdict]} {verdict}" for verdict in _STYLES if counted[verdict])
    occur = sum(bool(entry.cells) for entry in group)
    style = "bold red" if counted[UNHANDLED] else "bold green"
    return Text(f"{title}: {plural(len(group), 'name')}: {said} · {occur} occur in cells", style)


def _print_moves(out: Console, moved: Sequence[Move]) -> None:
    for move in moved:
        word = "fell" if move.fell else "moved"
        out.print(Text(f"{word}: {move}", "bold red" if move.fell else "yellow"))
    if moved:
        out.print(Text(f"{'if that is meant, ' if _fell(moved) else ''}{REPIN}", "yellow"))
