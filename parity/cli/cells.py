"""Finding the cell a user named: `provider/cell` in the recordings, or a directory."""

from __future__ import annotations

from pathlib import Path

from parity.gates.settings import Settings
from parity.wire import Cell, InputError, find_cells, open_cell


def named_cell(settings: Settings, name: str) -> Cell:
    """The cell. Raises InputError with the nearest names where there is none."""
    provider, _, cell = name.partition("/")
    is_key = provider and cell and "/" not in cell and ".." not in name
    if is_key and ((settings.recordings / name).is_dir() or not Path(name).is_dir()):
        return find_cells(settings.recordings, provider, cell)[0]
    if Path(name).is_dir():
        return open_cell(name)
    raise InputError(name, None, "no such cell", "name it provider/cell, or give its directory")
