"""Commands that judge differences: allow, compare, audit.

Signatures only: each command's module is imported when it runs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from parity.cli.app import (
    CellName,
    Json,
    Provider,
    Recordings,
    app,
    settings_for,
)


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
        str | None, typer.Option(metavar="S", help="Only this section: pinned or counts.")
    ] = None,
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
    from parity.cli import allow as tool

    request = tool.Request(
        provider=provider,
        cell=cell,
        issue=issue,
        reason=reason,
        section=section,
        broad=broad,
        dry_run=dry_run,
        as_json=as_json,
    )
    raise typer.Exit(tool.run(settings_for(recordings), request, prune=prune, explain=explain, entry=entry))


@app.command()
def compare(
    old: Annotated[
        str, typer.Option("--old", metavar="REF|DIR", help="The checkout before: a git ref, or a directory.")
    ],
    new: Annotated[
        str | None, typer.Option("--new", metavar="REF|DIR", help="The one after; else this one as it is.")
    ] = None,
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
    old_python: Annotated[
        str | None, typer.Option("--old-python", metavar="PATH", help="The old side's interpreter.")
    ] = None,
    new_python: Annotated[
        str | None, typer.Option("--new-python", metavar="PATH", help="The new side's interpreter.")
    ] = None,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", help="Give up on a side that is silent so long.")
    ] = 30.0,
    recordings: Recordings = None,
    full: Annotated[bool, typer.Option("--full", help="Every difference, not one of each class.")] = False,
    as_json: Json = False,
) -> None:
    """Replay the recordings with two checkouts, each with its own code, and show what differs."""
    from parity.cli.compare import Request, run

    request = Request(
        old=old,
        new=new,
        provider=provider,
        cell=cell,
        log=log,
        jobs=jobs,
        dump=dump,
        old_python=old_python,
        new_python=new_python,
        timeout=timeout,
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
