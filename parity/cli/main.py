"""Entry points `parity` and `rerecord`: the commands, and what a user's mistake looks like.

Exit codes: 0 clean, 1 differences or failed gates, 2 usage or unreadable input. A mistake is one line on
standard error, never a traceback.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer

from parity import __version__
from parity.gates.settings import Settings, load_settings
from parity.wire import InputError

app = typer.Typer(
    name="parity",
    help="Replay recorded agent traffic through translators and show where they lie.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
rerecord_app = typer.Typer(
    name="rerecord",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Recordings = Annotated[
    Path | None,
    typer.Option("--recordings", metavar="DIR", help="Recordings; counts and allowlist are beside it."),
]
Provider = Annotated[str | None, typer.Option("--provider", "-p", metavar="P", help="Only this provider.")]
CellName = Annotated[str | None, typer.Option("--cell", "-c", metavar="C", help="Only this cell.")]
Json = Annotated[bool, typer.Option("--json", help="JSON on standard output and nothing else.")]
Html = Annotated[
    Path | None, typer.Option("--html", metavar="DIR", help="Write a report for a browser into DIR.")
]
CellArgument = Annotated[str, typer.Argument(metavar="CELL", help="provider/cell or a directory.")]


def _settings(recordings: Path | None, strict: bool = False) -> Settings:
    return load_settings(Path.cwd(), recordings=recordings, strict=strict)


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

    settings = _settings(recordings, strict)
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

    raise typer.Exit(run(_settings(recordings), cell, layer, provenance=provenance, as_json=as_json))


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
    )
    raise typer.Exit(run(_settings(recordings), request, as_json=as_json))


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
    raise typer.Exit(tool.run(_settings(recordings), request, prune=prune, explain=explain, entry=entry))


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
    raise typer.Exit(run(_settings(recordings), request))


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


@app.command(name="replay-agent")
def replay_agent(
    cell: CellArgument,
    run: Annotated[int, typer.Option("--run", metavar="N", help="Which bridge process of the cell.")] = 1,
    recordings: Recordings = None,
) -> None:
    """Play a cell's agent on standard input and output: start it with a bridge that you try by hand."""
    from parity.cli.replay_agent import run as play

    raise typer.Exit(play(_settings(recordings), cell, run))


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

    raise typer.Exit(run(_settings(recordings), provider, cell, check_only=check_only, as_json=as_json))


app.command(name="rerecord")(rerecord)
rerecord_app.command()(rerecord)


def _version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"parity {__version__}\n")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options of `parity` itself."""


def _guarded(run: Callable[[], Any]) -> None:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal of an old encoding shows what it can
    try:
        run()
    except InputError as error:
        sys.stderr.write(f"parity: {error}\n")
        sys.exit(2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        sys.stderr.write(f"parity: {error}; check the place and its rights\n")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)


def main() -> None:
    """The `parity` command."""
    _guarded(app)


def rerecord_main() -> None:
    """The `rerecord` command."""
    _guarded(rerecord_app)


if __name__ == "__main__":
    main()
