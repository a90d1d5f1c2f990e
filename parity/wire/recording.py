"""Recorded cells on disk: open one, find them all, create one.

Knows the layout ``recordings/<provider>/<cell>/``, with cells that guard a mended fault apart in
``recordings/regressions/``, and which files a cell may hold. Must not know what
the recorded lines say, nor how pins are made: it only knows where they lie.
"""

from __future__ import annotations

import contextlib
import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import msgspec

from parity.wire.errors import InputError, unreadable, unwritable
from parity.wire.folders import new_folder, remove_left
from parity.wire.lane_file import (
    BRIDGE_TO_PROVIDER,
    BRIDGE_TO_RUNTIME,
    LANES,
    PROVIDER_TO_BRIDGE,
    RUNTIME_TO_BRIDGE,
    LaneLine,
    lane_file_name,
    read_lane,
    write_lane,
)
from parity.wire.manifest import (
    MANIFEST_FILE,
    Manifest,
    check_cell_name,
    load_manifest,
    save_manifest,
)
from parity.wire.merge import merge_lanes

__all__ = [
    "BRIDGE_TO_PROVIDER",
    "BRIDGE_TO_RUNTIME",
    "LANES",
    "PINS",
    "PROVIDER_TO_BRIDGE",
    "REGRESSIONS",
    "RUNTIME_TO_BRIDGE",
    "Cell",
    "LaneLine",
    "cell_keys",
    "create_cell",
    "find_cells",
    "lane_file_name",
    "open_cell",
    "write_lane",
]

PINS = {
    "bridge": "bridge→runtime.current.ndjson",
    "provider": "bridge→provider.current.ndjson",
    "events": "runtime.current.ndjson",
    "rows": "rows.current.ndjson",
}
"""Pinned file of each layer."""

REGRESSIONS = "regressions"
"""Folder inside a recordings folder with more cells, ``<provider>/<cell>/`` below it like the others."""

_KNOWN_FILES = (*map(lane_file_name, LANES), *PINS.values())


@dataclass(frozen=True)
class Cell:
    """One recorded scenario: its folder, its names, its manifest. The lanes are read on demand."""

    path: Path
    provider: str
    name: str
    manifest: Manifest
    _replaced: dict[str, int] = field(default_factory=dict, compare=False, repr=False)

    @property
    def key(self) -> str:
        """``provider/cell``, as pins and reports name it."""
        return f"{self.provider}/{self.name}"

    @property
    def replaced_surrogates(self) -> int:
        """Lone surrogates replaced in the last pass over each lane (of the entries themselves; those
        inside a raw line show when that line is decoded)."""
        return sum(self._replaced.values())

    def lane_path(self, lane: str) -> Path:
        """Where the file of a lane lies; a lane without lines may have none."""
        if lane not in LANES:
            raise ValueError(f"unknown lane {lane!r}; lanes are {', '.join(LANES)}")
        return self.path / lane_file_name(lane)

    def lane(self, lane: str) -> Iterator[LaneLine]:
        """The lines of one lane as a stream; none if it has no file. Raises InputError (`read_lane`)."""
        path = self.lane_path(lane)
        self._replaced[lane] = 0
        if not path.exists():
            return iter(())
        return read_lane(path, lane, partial(self._count_replaced, lane))

    def lines(self) -> Iterator[LaneLine]:
        """The lines of all lanes in the order they crossed, as a stream.

        Raises InputError as `lane`, and for a (run, seq) that two lanes share.
        """
        self._replaced.clear()
        lanes = [(self.lane_path(lane), lane) for lane in LANES]
        return merge_lanes([pair for pair in lanes if pair[0].exists()], self._count_replaced)

    def pin(self, name: str) -> Path:
        """Where a pin lies, by layer (a key of `PINS`) or file name; it need not exist."""
        file = PINS.get(name, name)
        if file not in PINS.values():
            raise ValueError(f"unknown pin {name!r}; pins are {', '.join(PINS)}")
        return self.path / file

    def _count_replaced(self, lane: str, count: int) -> None:
        self._replaced[lane] = self._replaced.get(lane, 0) + count


def open_cell(path: Path | str) -> Cell:
    """Open the cell in a folder; its names are those of its manifest. Lines are not read yet.

    Raises InputError for no such folder, an ``.ndjson`` file no cell has, a missing or wrong
    manifest, and a cell whose lanes are all empty. Other files (a README) are nobody's business.
    """
    path = Path(path)
    names = sorted(entry.name for entry in _entries(path))
    if not names:
        raise InputError(path, None, "empty cell directory", "record the cell or delete the directory")
    for name in names:
        if name.endswith(".ndjson") and name not in _KNOWN_FILES:
            known = ", ".join(_KNOWN_FILES)
            raise InputError(path / name, None, "not a file of a recording", f"rename it to one of {known}")
    if MANIFEST_FILE not in names:
        raise InputError(path / MANIFEST_FILE, None, "missing", 'write one: {"provider": …, "cell": …}')
    manifest = load_manifest(path / MANIFEST_FILE)
    if not any(_has_bytes(path / lane_file_name(lane)) for lane in LANES):
        raise InputError(path, None, "no lane has a line", "record the cell again")
    return Cell(path, manifest.provider, manifest.cell, manifest)


def find_cells(root: Path | str, provider: str | None = None, cell: str | None = None) -> list[Cell]:
    """The cells under ``root/<provider>/<cell>/`` and ``root/regressions/…``, sorted by (provider, cell), all
    or filtered.

    Here the folders give the names: they are unique, and they are what filters and pins speak of.
    Hidden folders and loose files are passed over. Raises InputError for a root that is missing or
    holds no cell, a filter that matches nothing (with names close to it), a name in both places, and as
    `open_cell`; cells that the filter leaves out are not opened.
    """
    root = Path(root)
    places = _places(root, provider)
    known = sorted({name for _, name in places})
    cells = set(_filtered(root if provider is None else root / provider, "cell", cell, known))
    return [_open_named(path, *key) for key, path in sorted(places.items()) if key[1] in cells]


def cell_keys(root: Path | str) -> frozenset[str]:
    """``provider/cell`` of each cell that `find_cells` would find; none is opened. Raises InputError."""
    return frozenset(f"{provider}/{name}" for provider, name in _places(Path(root)))


def _places(root: Path, provider: str | None = None) -> dict[tuple[str, str], Path]:
    """The folder of each cell, of all providers or one."""
    folders = [root / name for name in _folder_names(root) if name != REGRESSIONS]
    if (root / REGRESSIONS).is_dir():
        folders += [root / REGRESSIONS / name for name in _folder_names(root / REGRESSIONS)]
    chosen = _filtered(root, "provider", provider, sorted({folder.name for folder in folders}))
    places: dict[tuple[str, str], Path] = {}
    for folder in folders:
        for name in _folder_names(folder) if folder.name in chosen else ():
            other = places.setdefault((folder.name, name), folder / name)
            if other != folder / name:
                raise InputError(folder / name, None, f"{other} has the same name", "rename one of them")
    return places


def create_cell(
    root: Path | str,
    manifest: Manifest,
    lanes: Mapping[str, Sequence[LaneLine]],
    replace: bool = False,
) -> Cell:
    """Write a whole cell ``root/<provider>/<cell>/`` in one step and open it.

    It is written and read back in a hidden folder beside its place and then renamed, so half a cell
    never exists; what a killed writer of the same cell left goes. ``lines`` of the manifest is counted
    here. A cell that exists is refused unless ``replace``; then all its files go, pins too, for they
    belong to the old recording. Raises InputError for that, for a bad name and for lines that
    `Cell.lines` would refuse.
    """
    root = Path(root)
    check_cell_name("provider", manifest.provider, root)
    check_cell_name("cell", manifest.cell, root)
    for lane in lanes:
        if lane not in LANES:
            raise ValueError(f"unknown lane {lane!r}; lanes are {', '.join(LANES)}")
    place = root / manifest.provider / manifest.cell
    remove_left(place)
    if place.exists() and not replace:
        raise InputError(place, None, "the cell exists", "choose another name, or replace it (--overwrite)")
    manifest = msgspec.structs.replace(
        manifest, lines={lane: len(lanes[lane]) for lane in LANES if lanes.get(lane)}
    )
    made = _make_folders(place.parent)
    try:
        with new_folder(place) as temporary:
            _write_cell(temporary, place, manifest, lanes)
    except BaseException:
        with contextlib.suppress(OSError):
            for folder in made:
                folder.rmdir()
        raise
    return Cell(place, manifest.provider, manifest.cell, manifest)


def _write_cell(
    temporary: Path, place: Path, manifest: Manifest, lanes: Mapping[str, Sequence[LaneLine]]
) -> None:
    """Fill the temporary folder and read it back; errors speak of the place it is meant for."""
    try:
        for lane in LANES:
            if lanes.get(lane):
                write_lane(temporary / lane_file_name(lane), lanes[lane])
        save_manifest(temporary / MANIFEST_FILE, manifest)
        for _ in open_cell(temporary).lines():
            pass
    except InputError as error:
        meant = place / error.path.relative_to(temporary)
        raise InputError(meant, error.line, error.what, error.fix) from error
    except OSError as error:
        raise unwritable(place, error) from error


def _make_folders(folder: Path) -> list[Path]:
    """Make a folder and its parents; those that were not there, innermost first."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(folder, error) from error
    return missing


def _open_named(path: Path, provider: str, cell: str) -> Cell:
    check_cell_name("provider", provider, path.parent)
    check_cell_name("cell", cell, path)
    opened = open_cell(path)
    return Cell(path, provider, cell, opened.manifest)


def _filtered(place: Path, kind: str, wanted: str | None, names: list[str]) -> list[str]:
    """The names a filter leaves; InputError, with the names it may have meant, if none."""
    if not names:
        raise InputError(place, None, "holds no cells", "check the path or record one")
    if wanted is None:
        return names
    if wanted in names:
        return [wanted]
    close = difflib.get_close_matches(wanted, names)
    hint = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(names)}"
    raise InputError(place, None, f"no {kind} named {wanted!r}", hint)


def _folder_names(path: Path) -> list[str]:
    try:
        return sorted(e.name for e in path.iterdir() if e.is_dir() and not e.name.startswith("."))
    except OSError as error:
        raise unreadable(path, error) from error


def _entries(path: Path) -> list[Path]:
    try:
        return list(path.iterdir())
    except OSError as error:
        raise unreadable(path, error) from error


def _has_bytes(path: Path) -> bool:
    try:
        return path.is_file() and path.stat().st_size > 0
    except OSError as error:
        raise unreadable(path, error) from error
