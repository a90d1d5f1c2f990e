"""`parity import`: a foreign log becomes a cell; says what it replays to."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from msgspec import Struct
from rich.text import Text

from parity.cli.cells import next_steps
from parity.cli.output import console, plural, write_json
from parity.gates.settings import Settings
from parity.importing.cleaning import Cleaning
from parity.importing.importer import ImportOptions, Model, Origin, import_log
from parity.redaction import this_machine
from parity.wire import Agent, InputError


class Request(Struct, kw_only=True):
    """What the user asked for, as typed."""

    log: Path
    provider: str
    cell: str
    cwd: str | None
    description: str
    origin: str
    model: str | None
    agent: str | None
    direction: str | None
    replacements: list[str]
    overwrite: bool
    redact: bool


def run(settings: Settings, request: Request, *, as_json: bool) -> int:
    """Import the log; returns the exit code: 1 where the new cell does not replay cleanly."""
    cleaning = Cleaning(this_machine(), redact=request.redact)
    options = ImportOptions(
        cwd=request.cwd,
        description=request.description,
        origin=cast(Origin, _one_of("--origin", request.origin, ("live", "imported", "transcribed"))),
        model=cast(Model, _one_of("--model", request.model, ("scripted", "live", None))),
        agent=_agent(request.agent),
        direction=request.direction,
        replacements=[_pair(text) for text in request.replacements],
        replace=request.overwrite,
        cleaning=cleaning,
    )
    cell, outcome = import_log(request.log, request.provider, request.cell, settings.recordings, options)
    problems = [*outcome.stalls, *outcome.unconsumed]
    ignored = [entry.method for entry in cell.manifest.ignored]
    if as_json:
        write_json(
            {
                "cell": cell.key,
                "path": str(cell.path),
                "lines": cell.manifest.lines,
                "ignored": ignored,
                "rows": outcome.rows,
                "events": outcome.events,
                "unhandled": outcome.unhandled,
                "problems": problems,
                "redacted": cleaning.counts,
            }
        )
        return int(bool(problems))
    out = console()
    out.print(Text(f"{cell.path}: {sum(cell.manifest.lines.values())} lines", "bold"))
    out.print(
        Text(f"  replays to {outcome.events} events, {outcome.rows} rows, {outcome.unhandled} unhandled")
    )
    if cleaning.counts:
        said = ", ".join(f"{count} {kind}" for kind, count in cleaning.counts.items())
        out.print(Text(f"  redacted: {said}"))
    if ignored:
        out.print(Text(f"  calls our bridge does not make, ignored: {', '.join(ignored)}"))
    for problem in problems:
        out.print(Text(f"  {problem}", "red"))
    if outcome.noise:
        out.print(Text(f"  {plural(outcome.noise, 'line')} of noise (not JSON), kept"))
    if problems:
        out.print(Text("  next: see the problems above; a cell that stalls is not pinned", "dim"))
    else:
        out.print(Text("  next: " + "\n        ".join(next_steps(cell)), "dim"))
    return int(bool(problems))


def _one_of(option: str, value: str | None, allowed: tuple[str | None, ...]) -> str | None:
    if value not in allowed:
        words = ", ".join(word for word in allowed if word)
        raise InputError(option, None, f"{value!r} is none of its values", f"choose from {words}")
    return value


def _agent(text: str | None) -> Agent | None:
    if text is None:
        return None
    name, mark, version = text.rpartition("@")
    if not mark or not name or not version:
        raise InputError("--agent", None, f"{text!r} is no NAME@VERSION", "write e.g. my-agent@1.2")
    return Agent(name=name, version=version)


def _pair(text: str) -> tuple[str, str]:
    old, mark, new = text.partition("=")
    if not mark or not old:
        raise InputError("--replace", None, f"{text!r} is no OLD=NEW", "write e.g. /tmp/x=/home/user")
    return old, new
