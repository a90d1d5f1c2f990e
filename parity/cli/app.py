"""The command line's applications and the options its commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from parity.gates.settings import Settings, load_settings

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


def settings_for(recordings: Path | None, strict: bool = False) -> Settings:
    """The settings of the current directory; raises InputError."""
    return load_settings(Path.cwd(), recordings=recordings, strict=strict)
