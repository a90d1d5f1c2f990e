"""`parity audit`: the table of stored unhandled rows, and what today's lanes would make of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich import box
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from parity.auditing.audit import NAMED, Answer, Line, audit
from parity.bridges import FAMILIES, family_of
from parity.cli.output import console, plural, write_json
from parity.wire import InputError

_WIDEST = 1000  # a table is never cut to the terminal
_COLUMNS = ("rows", "handled", "output chars", "after turn", "unhandled", "malformed")


def run(path: Path, provider: str | None, query: str | None, *, as_json: bool) -> int:
    """Audit an export; returns the exit code: 1 where some of its rows cannot be read."""
    if provider is not None and family_of(provider) is None:
        families = ", ".join(f"{name}-…" if name == "acp" else name for name in FAMILIES)
        raise InputError("--provider", None, f"no bridge family serves {provider!r}", f"use {families}")
    answer = audit(path, provider, query)
    if as_json:
        write_json(_document(path, answer))
    else:
        _print(path, answer)
    return int(bool(answer.bad))


def _document(path: Path, answer: Answer) -> dict[str, Any]:
    return {
        "export": str(path),
        "total": _numbers(answer.total()),
        "byType": sorted(answer.lines.values(), key=lambda line: (line.provider, line.raw_type)),
        "events": answer.events,
        "skipped": answer.skipped,
        "unserved": sorted(answer.unserved),
        "badRows": answer.bad,
        "bad": [{"line": bad.number, "what": bad.what} for bad in answer.named],
    }


def _numbers(line: Line) -> dict[str, int]:
    return {
        name: getattr(line, field)
        for field, name in zip(Line.__struct_fields__, Line.__struct_encode_fields__, strict=True)
        if field not in ("provider", "raw_type")
    }


def _print(path: Path, answer: Answer) -> None:
    out = console()
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("provider", no_wrap=True)
    table.add_column("raw type", no_wrap=True)
    for name in _COLUMNS:
        table.add_column(name, justify="right", no_wrap=True)
    for line in sorted(answer.lines.values(), key=lambda line: (line.provider, -line.total, line.raw_type)):
        table.add_row(Text(line.provider), Text(line.raw_type), *_cells(line))
    total = answer.total()
    table.add_section()
    table.add_row("all", "", *_cells(total), style="bold")
    natural = Measurement.get(out, out.options.update(max_width=_WIDEST), table).maximum
    out.width = max(out.width, natural)
    out.print(table)
    if total.assumed:
        what = f"{plural(total.assumed, 'row')} of calls of unknown kind, taken for commands as they print"
        out.print(Text(f"output chars include {what}", "dim"))
    if total.quiet:
        out.print(Text(f"handled includes {plural(total.quiet, 'row')} ignored by decision", "dim"))
    for provider in sorted(answer.unserved):
        out.print(Text(f"no built-in bridge serves {provider}: its rows stay unhandled", "yellow"))
    if answer.skipped:
        out.print(Text(f"{plural(answer.skipped, 'row')} of other providers left out", "dim"))
    for bad in answer.named:
        out.print(Text(f"{path}:{bad.number}: {bad.what}", "red"))
    if answer.bad > NAMED:
        out.print(Text(f"… and {answer.bad - NAMED} more that cannot be read", "red"))
    summary = f"{plural(total.total, 'row')}: {total.handled} would now be handled"
    unread = f", {answer.bad} cannot be read" if answer.bad else ""
    out.print(Text(summary + unread, "bold red" if answer.bad else "bold green"))


def _cells(line: Line) -> list[str]:
    numbers = (line.total, line.handled, line.output_characters)
    return [str(number) for number in (*numbers, line.after_turn, line.unhandled, line.malformed)]
