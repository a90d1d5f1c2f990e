"""Writing to the terminal: one console, JSON lines, and how a difference reads."""

from __future__ import annotations

import os
import sys
from typing import Any

from msgspec import UNSET
from rich.console import Console
from rich.text import Text

from parity.compare import Difference, describe
from parity.wire import encode

_FILE_WIDTH = 120
"""Columns of a table written to a file."""


def console() -> Console:
    """A console that never wraps what a program might read and never interprets markup.

    Where no terminal sets the width (a file, a pipe), it is wide enough for every table.
    """
    made = Console(highlight=False, markup=False, soft_wrap=True)
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made.width = _FILE_WIDTH
    return made


def error_console() -> Console:
    """The console of standard error: progress, and what went wrong."""
    return Console(stderr=True, highlight=False, markup=False, soft_wrap=True)


def write_json(document: Any) -> None:
    """One JSON document, a line."""
    sys.stdout.write(encode(document).decode() + "\n")


def write_line(line: bytes) -> None:
    """One already encoded line."""
    sys.stdout.write(line.decode() + "\n")


def plural(count: int, noun: str) -> str:
    """`1 cell`, `2 cells`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def difference_lines(difference: Difference) -> list[Text]:
    """A difference for people: where, which path, old → new."""
    if difference.change == "changed":
        old, new = describe(difference.old, difference.new), describe(difference.new, difference.old)
        what = Text.assemble((old, "red"), " → ", (new, "green"))
    elif difference.change == "added":
        what = Text(describe(difference.new, UNSET), "green")
    else:
        what = Text(describe(difference.old, UNSET), "red")
    return [
        Text(f"    {difference.label}", "bold"),
        Text.assemble(f"      {difference.path}  {difference.change}  ", what),
    ]
