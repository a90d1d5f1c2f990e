"""Playing committed cells through the fake bridge, and asking what is left of a process."""

from __future__ import annotations

import sys
from pathlib import Path

from parity_runs import RECORDINGS

from parity.gates.pins import KeepSink
from parity.gates.settings import ProviderSettings
from parity.live.play import Player
from parity.replay.replay import Outcome
from parity.wire import Cell, find_cells

FAKE = Path(__file__).with_name("fake_bridge.py")


def fake(mode: str = "good", note: object = "", *, timeout: float = 10.0) -> ProviderSettings:
    """The fake bridge in a mode."""
    return ProviderSettings([sys.executable, str(FAKE), mode, str(note)], FAKE.parent, {}, timeout)


def cell(name: str, recordings: Path = RECORDINGS) -> Cell:
    """A cell by `provider/cell`."""
    return find_cells(recordings, *name.split("/"))[0]


def play(bridge: ProviderSettings, name: str | Cell) -> tuple[Outcome, KeepSink]:
    """What a cell comes to with a bridge, and all it said."""
    sink = KeepSink()
    outcome = Player(bridge)(cell(name) if isinstance(name, str) else name, sink)
    return outcome, sink


def as_pinned(sink: KeepSink, name: str, layer: str) -> bool:
    """Whether a stream is byte for byte the committed one."""
    return cell(name).pin(layer).read_bytes() == b"".join(line + b"\n" for line in sink.lines[layer])


def is_running(pid: int) -> bool:
    """Whether a process runs; one that only waits to be reaped does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
