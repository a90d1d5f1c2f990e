"""Entry points `parity` and `rerecord`: the commands, and what a user's mistake looks like.

Exit codes: 0 clean, 1 differences or failed gates, 2 usage or unreadable input. A mistake is one line on
standard error, never a traceback.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from io import TextIOWrapper
from typing import Annotated, Any

import typer

from parity import __version__

from parity.cli import replay_commands, judge_commands, live_commands  # isort: skip  the order of the help
from parity.cli.app import app, rerecord_app
from parity.wire import InputError

__all__ = ["judge_commands", "live_commands", "main", "replay_commands", "rerecord_main"]


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


_command = functools.cache(typer.main.get_command)
"""An application as a command; making it takes longer than to start a replay, and tests start hundreds."""


def main() -> None:
    """The `parity` command."""
    _guarded(_command(app))


def rerecord_main() -> None:
    """The `rerecord` command."""
    _guarded(_command(rerecord_app))


if __name__ == "__main__":
    main()
