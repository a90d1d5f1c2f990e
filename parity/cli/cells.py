"""Finding the cell a user named: `provider/cell` in the recordings, or a directory."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from parity.gates.settings import Settings
from parity.wire import Cell, InputError, cell_keys, find_cells, open_cell


def selection(provider: str | None, cell: str | None) -> tuple[str | None, str | None]:
    """The provider and cell to select; a cell may be named whole, `provider/cell`."""
    if provider is None and cell is not None and cell.count("/") == 1:
        provider, cell = cell.split("/")
    return provider, cell


def named_cell(settings: Settings, name: str) -> Cell:
    """The cell. Raises InputError with the nearest names where there is none."""
    provider, _, cell = name.partition("/")
    is_key = provider and cell and "/" not in cell and ".." not in name
    if is_key and ((settings.recordings / name).is_dir() or not Path(name).is_dir()):
        return find_cells(settings.recordings, provider, cell)[0]
    if Path(name).is_dir():
        return open_cell(name)
    known = sorted(cell_keys(settings.recordings)) if settings.recordings.is_dir() else []
    alike = [key for key in known if key.endswith(f"/{name}")] or get_close_matches(name, known)
    fix = f"did you mean {', '.join(alike[:5])}?" if alike else "name it provider/cell, or give its directory"
    raise InputError(name, None, "no such cell", fix)
