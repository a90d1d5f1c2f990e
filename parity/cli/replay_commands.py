"""Commands that replay recordings: check, show, import, rerecord.

Signatures only: each command's module is imported when it runs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from parity.cli.app import (
    CellArgument,
    CellName,
    Html,
    Json,
    Provider,
    Recordings,
    app,
    rerecord_app,
    settings_for,
)


@app.command()
def check(
    provider: Provider = None,
    cell: CellName = None,
    recordings: Recordings = None,
    strict: Annotated[bool, typer.Option("--strict", help="A cell without pins fails.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Show every difference, not the first few.")] = False,
    as_json: Json = False,
    html: Html = None,
    github: Annotated[
        bool, typer.Option("--github", help="GitHub annotations, and a job summary where GitHub takes one.")
    ] = False,
) -> None:
    """Replay everything and hold it against pins, allowlist and row counts: the main job."""
    from parity.cli.check import run

    settings = settings_for(recordings, strict)
    code = run(settings, provider, cell, full=full, as_json=as_json, html=html, github=github)
    raise typer.Exit(code)


@app.command()
def show(
    cell: CellArgument,
    layer: Annotated[
        str, typer.Option("--layer", "-l", help="rows, events, bridge, provider or wire.")
    ] = "rows",
    recordings: Recordings = None,
    provenance: Annotated[
        bool, typer.Option("--provenance", help="Under each row, the wire lines it came from.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show a cell as today's code sees it: its timeline as a person would read it, or another layer."""
    from parity.cli.show import run

    raise typer.Exit(run(settings_for(recordings), cell, layer, provenance=provenance, as_json=as_json))


@app.command(name="import")
def import_(
    log: Annotated[Path, typer.Argument(metavar="LOG", help="A client↔agent log.")],
    provider: Annotated[str, typer.Option("--provider", "-p", metavar="P", help="e.g. acp-grok")],
    cell: Annotated[str, typer.Option("--cell", "-c", metavar="C", help="Name of the new cell.")],
    recordings: Recordings = None,
    cwd: Annotated[
        str | None, typer.Option(metavar="DIR", help="The session's cwd; wins over the log's.")
    ] = None,
    description: Annotated[str, typer.Option(help="One sentence for the manifest.")] = "",
    origin: Annotated[str, typer.Option(help="live, imported or transcribed.")] = "imported",
    model: Annotated[str | None, typer.Option(help="scripted or live.")] = None,
    agent: Annotated[str | None, typer.Option(metavar="NAME@VERSION", help="If not in the log.")] = None,
    direction: Annotated[
        str | None,
        typer.Option(metavar="HOW", help="'markers' (lines begin with > or <) or 'field:NAME'."),
    ] = None,
    replace_text: Annotated[
        list[str] | None,
        typer.Option("--replace", metavar="OLD=NEW", help="Replace a text everywhere, e.g. a path."),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing cell.")] = False,
    redact: Annotated[
        bool, typer.Option("--redact/--no-redact", help="Take out what is personal or secret (default).")
    ] = True,
    as_json: Json = False,
) -> None:
    """Turn a foreign client↔agent log into a cell."""
    from parity.cli.importing import Request, run

    request = Request(
        log=log,
        provider=provider,
        cell=cell,
        cwd=cwd,
        description=description,
        origin=origin,
        model=model,
        agent=agent,
        direction=direction,
        replacements=replace_text or [],
        overwrite=overwrite,
        redact=redact,
    )
    raise typer.Exit(run(settings_for(recordings), request, as_json=as_json))


def rerecord(
    provider: Provider = None,
    cell: CellName = None,
    recordings: Recordings = None,
    check_only: Annotated[
        bool, typer.Option("--check", help="Change nothing; say what would change (exit 1 if any).")
    ] = False,
    as_json: Json = False,
) -> None:
    """Rewrite the *.current.ndjson pins from today's code."""
    from parity.cli.rerecord import run

    raise typer.Exit(run(settings_for(recordings), provider, cell, check_only=check_only, as_json=as_json))


app.command(name="rerecord")(rerecord)
rerecord_app.command()(rerecord)
