"""From recorded lines to a cell: redacted, swept, replayed, and only then written, in one step.

Everything is judged on a draft in a temporary folder, so a cell that is not worth keeping is never there.
Knows lines, manifests and replays; must not know who recorded them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from parity.gates.check import built_in
from parity.gates.pins import KeepSink
from parity.grammar.rows import Row
from parity.redaction import Known, redact, sweep
from parity.replay.replay import Outcome
from parity.wire import LANES, Cell, LaneLine, Manifest, create_cell

_TOLD = 20
"""Findings of the sweep that are named."""


class RecordingFailed(Exception):
    """Nothing was written. The text is one line; `details` are more lines, as the agent's last words."""

    def __init__(self, what: str, details: Sequence[str] = ()) -> None:
        super().__init__(what)
        self.details = list(details)


class Kept(Struct):
    """A new cell, what it replays to, and how much was taken out of it, by kind."""

    cell: Cell
    outcome: Outcome
    redacted: dict[str, int]


def keep(
    lines: Sequence[LaneLine],
    manifest: Manifest,
    known: Known,
    root: Path,
    *,
    replace: bool = False,
    judge: Callable[[list[Row]], None] = lambda rows: None,
) -> Kept:
    """Make a cell of the lines of all lanes. `judge` sees the rows and may raise RecordingFailed.

    A cell whose replay stalls is kept: its outcome says so. Raises RecordingFailed where something personal
    or secret survives or the lines do not replay at all, and InputError as `create_cell`.
    """
    redacted, counts = redact(lines, known)
    with tempfile.TemporaryDirectory(prefix="parity-draft-") as folder:
        draft = _create(Path(folder), manifest, redacted)
        found = sweep(draft, known)
        if found:
            told = [str(one) for one in found[:_TOLD]]
            raise RecordingFailed("something personal or secret is left in the recording", told)
        sink = KeepSink(("rows",))
        outcome = built_in(draft)(draft, sink)
        if outcome.crash is not None:
            raise RecordingFailed(f"the recording does not replay: {outcome.crash}")
        judge(sink.docs("rows"))
    return Kept(_create(root, manifest, redacted, replace), outcome, counts)


def _create(root: Path, manifest: Manifest, lines: Sequence[LaneLine], replace: bool = False) -> Cell:
    lanes = {lane: [line for line in lines if line.dir == lane] for lane in LANES}
    return create_cell(root, manifest, lanes, replace)
