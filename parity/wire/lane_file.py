"""One recorded lane: the names of the lanes, one line of a lane, a lane file read and written.

Knows the line format ``{"ts", "run", "seq", "dir", "line"}`` and its rules. Must not know cells,
manifests or what the raw lines say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NoReturn

import msgspec

from parity.wire import json
from parity.wire.errors import InputError, unreadable
from parity.wire.framing import read_ndjson, write_atomic

RUNTIME_TO_BRIDGE = "runtime→bridge"
BRIDGE_TO_RUNTIME = "bridge→runtime"
PROVIDER_TO_BRIDGE = "provider→bridge"
BRIDGE_TO_PROVIDER = "bridge→provider"

LANES = (RUNTIME_TO_BRIDGE, BRIDGE_TO_RUNTIME, PROVIDER_TO_BRIDGE, BRIDGE_TO_PROVIDER)
"""Every lane, in the order they are listed and written."""


class LaneLine(msgspec.Struct, gc=False):
    """One recorded line and where it stood.

    ``ts`` milliseconds since the epoch; ``run`` the bridge process; ``seq`` one counter across the
    lanes of that process (an integer when recorded, a fraction in rewritten lanes); ``dir`` the lane;
    ``line`` the raw line as text, unparsed, JSON or not. Unknown keys of the file are ignored.
    """

    ts: int
    run: int
    seq: int | float
    dir: str
    line: str


_decoder = msgspec.json.Decoder(LaneLine)


def lane_file_name(lane: str) -> str:
    """The file of a lane inside its cell."""
    return f"{lane}.ndjson"


def read_lane(
    path: Path | str, lane: str, on_replaced: Callable[[int], object] | None = None
) -> Iterator[LaneLine]:
    """The lines of a lane file, in file order, as a stream.

    ``on_replaced`` is called with the number of lone surrogates replaced in a line that had any.
    Raises InputError with the line for: not JSON, cut off, not the shape of a lane line, invalid
    UTF-8, a ``dir`` other than ``lane``, a (run, seq) that does not rise.
    """
    path = Path(path)
    decode_line = _decoder.decode
    last_run: int | None = None
    last_seq: int | float = 0
    for number, raw in read_ndjson(path):
        try:
            entry = decode_line(raw)
        except (ValueError, RecursionError):
            entry = _repaired(path, number, raw, on_replaced)
        if entry.dir != lane:
            raise InputError(
                path, number, f'dir is "{entry.dir}", not "{lane}"', "move the line to its own file"
            )
        run = entry.run
        seq = entry.seq
        if run == last_run:
            if seq <= last_seq:
                _refuse_order(path, number, entry, last_run, last_seq)
        elif last_run is not None and run < last_run:
            _refuse_order(path, number, entry, last_run, last_seq)
        last_run = run
        last_seq = seq
        yield entry


def write_lane(path: Path | str, lines: Iterable[LaneLine]) -> None:
    """Replace a lane file atomically; keys in the order ts, run, seq, dir, line.

    A surrogate in a raw line becomes U+FFFD. Errors as `write_atomic`.
    """
    write_atomic(path, map(json.encode, lines))


def _repaired(path: Path, number: int, raw: bytes, on_replaced: Callable[[int], object] | None) -> LaneLine:
    """A line the fast decoder refused: its lone surrogates replaced, or the error it deserves."""
    try:
        entry, replaced = json.decode_with(_decoder, raw)
    except (json.JsonError, msgspec.ValidationError) as error:
        _refuse_line(path, number, raw, error)
    if on_replaced is not None:
        on_replaced(replaced)
    return entry


def _refuse_line(path: Path, number: int, raw: bytes, error: Exception) -> NoReturn:
    try:
        raw.decode("utf-8")
        json.decode(raw)
    except UnicodeDecodeError as broken:
        raise InputError(
            path, number, f"invalid UTF-8 at byte {broken.start}", "save the file as UTF-8"
        ) from None
    except json.JsonError as broken:
        if _is_cut_off(path, number):
            raise InputError(
                path, number, "the last line looks truncated", "delete it or record the cell again"
            ) from None
        raise InputError(
            path, number, f"not JSON ({broken})", "repair the line or record the cell again"
        ) from None
    raise InputError(
        path,
        number,
        f"not a lane line ({shape_problem(error)})",
        'a lane line is {"ts", "run", "seq", "dir", "line"}',
    ) from None


def shape_problem(error: Exception) -> str:
    """A msgspec.ValidationError as a person would say it: ``ts: expected `int`, got `str` ``."""
    what, _, place = str(error).partition(" - at `$")
    field = place.rstrip("`").lstrip(".")
    what = what[:1].lower() + what[1:]
    return f"{field}: {what}" if field else what


def _refuse_order(path: Path, number: int, entry: LaneLine, last_run: int, last_seq: float) -> NoReturn:
    here, before = f"(run {entry.run}, seq {entry.seq})", f"(run {last_run}, seq {last_seq})"
    if (entry.run, entry.seq) == (last_run, last_seq):
        raise InputError(path, number, f"duplicate {here}", "remove one of the two lines")
    raise InputError(path, number, f"{here} goes backwards after {before}", "sort the file by run, then seq")


def _is_cut_off(path: Path, number: int) -> bool:
    """Whether this line is the last of its file and has no newline."""
    newlines = 0
    try:
        with path.open("rb") as file:
            while chunk := file.read(1024 * 1024):
                newlines += chunk.count(b"\n")
    except OSError as error:
        raise unreadable(path, error) from error
    return newlines == number - 1
