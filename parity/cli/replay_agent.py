"""`parity replay-agent`: a cell's recorded agent on standard input and output, to try a bridge by hand."""

from __future__ import annotations

import sys

from parity.cli.cells import named_cell
from parity.gates.settings import Settings
from parity.live.agent import play_agent
from parity.live.play import envelope_of


def run(settings: Settings, name: str, number: int) -> int:
    """Play until the input ends; returns the exit code."""
    cell = named_cell(settings, name)
    play_agent(cell, envelope_of(cell.provider), number, sys.stdin.buffer, sys.stdout.buffer)
    return 0
