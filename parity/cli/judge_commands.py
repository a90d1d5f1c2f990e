"""Commands that judge: allow, compare, audit, conformance, coverage.

Signatures only: each command's module is imported when it runs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from parity.cli.app import (
    CellName,
    Html,
    Json,
    Provider,
    Recordings,
    app,
    settings_for,
)
from parity.wire import InputError

NewCheckout = Annotated[
    str | None, typer.Option("--new", metavar="REF|DIR", help="The one after; else this one as it is.")
]
OldPython = Annotated[
    str | None, typer.Option("--old-python", metavar="PATH", help="The old side's interpreter.")
]
NewPython = Annotated[
    str | None, typer.Option("--new-python", metavar="PATH", help="The new side's interpreter.")
]


@app.command()
def allow(
    entry: Annotated[
        str | None, typer.Argument(metavar="[N|:LINE]", help="With --explain: only this entry.")
    ] = None,
    issue: Annotated[
        str | None, typer.Option(metavar="#N|URL", help="The issue that explains the difference.")
    ] = None,
    reason: Annotated[str | None, typer.Option(metavar="TEXT", help="Why it is accepted.")] = None,
    provider: Provider = None,
    cell: CellName = None,
    section: Annotated[
        str | None,
        typer.Option(metavar="S", help="Only this section: pinned or counts."),
    ] = None,
    old: Annotated[
        str | None,
        typer.Option("--old", metavar="REF|DIR", help="Compare with this checkout: the section checkouts."),
    ] = None,
    new: NewCheckout = None,
    old_python: OldPython = None,
    new_python: NewPython = None,
    broad: Annotated[
        bool, typer.Option("--broad", help="Also accept whole added or removed entries.")
    ] = False,
    prune: Annotated[bool, typer.Option("--prune", help="Remove stale entries instead.")] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what each entry masks instead; change nothing.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the change, write nothing.")] = False,
    recordings: Recordings = None,
    as_json: Json = False,
) -> None:
    """Add the narrowest entries for what fails to the allowlist; or prune it, or explain it."""
    from parity.checkouts.running import Wanted
    from parity.cli import allow as tool

    wanted = None
    if old is not None:
        wanted = Wanted(old=old, new=new, old_python=old_python, new_python=new_python)
    elif any(value is not None for value in (new, old_python, new_python)):
        raise InputError("--old", None, "missing: the others are for comparing", "name the checkout before")
    request = tool.Request(
        provider=provider,
        cell=cell,
        issue=issue,
        reason=reason,
        section=section,
        broad=broad,
        dry_run=dry_run,
        as_json=as_json,
        wanted=wanted,
    )
    raise typer.Exit(tool.run(settings_for(recordings), request, prune=prune, explain=explain, entry=entry))


@app.command()
def compare(
    old: Annotated[
        str, typer.Option("--old", metavar="REF|DIR", help="The checkout before: a git ref, or a directory.")
    ],
    new: NewCheckout = None,
    provider: Provider = None,
    cell: CellName = None,
    log: Annotated[
        Path | None,
        typer.Option("--log", metavar="FILE", help="A client↔agent log instead of cells: two timelines."),
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", metavar="N", help="Processes per side.")] = 2,
    dump: Annotated[
        Path | None, typer.Option("--dump", metavar="DIR", help="Write both sides' normalised streams.")
    ] = None,
    old_python: OldPython = None,
    new_python: NewPython = None,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", help="Give up on a side that is silent so long.")
    ] = 30.0,
    recordings: Recordings = None,
    full: Annotated[bool, typer.Option("--full", help="Every difference, not one of each class.")] = False,
    html: Html = None,
    as_json: Json = False,
) -> None:
    """Replay the recordings with two checkouts, each with its own code, and show what differs."""
    from parity.checkouts.running import Wanted
    from parity.cli.compare import Request, run

    request = Request(
        wanted=Wanted(
            old=old, new=new, old_python=old_python, new_python=new_python, jobs=jobs, timeout=timeout
        ),
        provider=provider,
        cell=cell,
        log=log,
        dump=dump,
        html=html,
        full=full,
        as_json=as_json,
    )
    raise typer.Exit(run(settings_for(recordings), request))


@app.command()
def audit(
    export: Annotated[Path, typer.Argument(metavar="EXPORT", help="NDJSON or SQLite of stored rows.")],
    provider: Annotated[
        str | None,
        typer.Option("--provider", "-p", metavar="P", help="Of rows that name none; others are left out."),
    ] = None,
    query: Annotated[
        str | None, typer.Option(metavar="SQL", help="The rows of a SQLite export.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """Say what today's lanes would make of stored provider/unhandled rows; the export is only read."""
    from parity.cli.audit import run

    raise typer.Exit(run(export, provider, query, as_json=as_json))


@app.command()
def conformance(
    bridge: Annotated[
        str | None,
        typer.Option("--bridge", metavar="COMMAND", help="A bridge of your own, instead of the known ones."),
    ] = None,
    provider: Annotated[
        str | None, typer.Option("--provider", "-p", metavar="P", help="Only the bridge of P, and its cells.")
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option("--agent", metavar="A", help="The scripted agent: acp, claude-code or codex."),
    ] = None,
    rule: Annotated[
        list[str] | None, typer.Option("--rule", metavar="ID", help="Only this rule; may be repeated.")
    ] = None,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", help="Bounds each wait for the --bridge.")
    ] = 10.0,
    list_rules: Annotated[bool, typer.Option("--list", help="Show the rules and their sources.")] = False,
    recordings: Recordings = None,
    as_json: Json = False,
) -> None:
    """Judge bridges by rules: scripted sessions with a played agent, and what they make of recordings."""
    from parity.cli import conformance as tool
    from parity.conformance.candidates import Wanted

    if list_rules:
        raise typer.Exit(tool.list_rules(as_json=as_json))
    wanted = Wanted(bridge=bridge, provider=provider, agent=agent, timeout=timeout)
    raise typer.Exit(tool.run(settings_for(recordings), wanted, rule or [], as_json=as_json))


@app.command()
def coverage(
    provider: Provider = None,
    unhandled: Annotated[
        bool, typer.Option("--unhandled", help="Only what nothing comes of and no decision explains.")
    ] = False,
    missing: Annotated[bool, typer.Option("--missing", help="Only what occurs in no cell.")] = False,
    pin: Annotated[bool, typer.Option("--pin", help="Write coverage.json, and what moved.")] = False,
    recordings: Recordings = None,
    as_json: Json = False,
) -> None:
    """Show which of the protocols' vocabulary occurs in the cells, and what becomes of each name."""
    from parity.cli.coverage import Request, run

    request = Request(provider=provider, unhandled=unhandled, missing=missing, pin=pin, as_json=as_json)
    raise typer.Exit(run(settings_for(recordings), request))
