"""Finding the cell a user named, `provider/cell` or a directory; what comes after a new one."""

from __future__ import annotations

import shlex
from difflib import get_close_matches
from pathlib import Path

from parity.gates.settings import COUNTS_KNOB, Settings, load_settings
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


def next_steps(cell: Cell) -> list[str]:
    """The commands that show a new cell, pin its streams and, where a project has it, its counts."""
    settings, root = load_settings(Path.cwd()), cell.path.absolute().parents[1]
    where = f"-p {cell.provider} -c {cell.name}"
    if root != settings.recordings:
        quoted = shlex.quote(str(cell.path))
        return [f"parity show {quoted}", f"rerecord --recordings {shlex.quote(str(root))} {where}"]
    steps = [f"parity show {cell.key}", f"rerecord {where}"]
    if settings.project:
        steps.append(f"{COUNTS_KNOB}=1 pytest {shlex.quote(_near(cell.path))}")
    return steps


def _near(path: Path) -> str:
    here = Path.cwd()
    return str(path.absolute().relative_to(here) if path.absolute().is_relative_to(here) else path)
