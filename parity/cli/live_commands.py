"""Commands that talk to live processes: replay-agent.

Signatures only: each command's module is imported when it runs.
"""

from __future__ import annotations

from typing import Annotated

import typer

from parity.cli.app import (
    CellArgument,
    Recordings,
    app,
    settings_for,
)


@app.command(name="replay-agent")
def replay_agent(
    cell: CellArgument,
    run: Annotated[int, typer.Option("--run", metavar="N", help="Which bridge process of the cell.")] = 1,
    recordings: Recordings = None,
) -> None:
    """Play a cell's agent on standard input and output: start it with a bridge that you try by hand."""
    from parity.cli.replay_agent import run as play

    raise typer.Exit(play(settings_for(recordings), cell, run))
