"""The example bridge in Node: it passes its own cells, with our rows, and a bug in it is found."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from live_bridges import as_pinned, play
from parity_runs import RECORDINGS, ROOT, parity

from parity.gates.check import built_in
from parity.gates.pins import KeepSink
from parity.gates.settings import ProviderSettings
from parity.wire import find_cells

EXAMPLE = ROOT / "examples" / "node-bridge"

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not on PATH")


def example_with(folder: Path, old: str, new: str) -> Path:
    """The recordings of a copy of the example whose bridge has one line changed."""
    copy = shutil.copytree(EXAMPLE, folder / "example")
    text = (copy / "bridge.js").read_text("utf-8")
    assert text.count(old) == 1
    (copy / "bridge.js").write_text(text.replace(old, new), "utf-8")
    return Path(copy) / "recordings"


@needs_node
def test_it_passes_every_cell_it_claims() -> None:
    run = parity("check", "--strict", "--json", "--recordings", EXAMPLE / "recordings")
    assert run.code == 0, run.out
    cells = json.loads(run.out)["cells"]
    assert len(cells) >= 5
    assert {cell["verdict"] for cell in cells} == {"passed"}


def test_its_pins_are_what_the_built_in_bridge_says() -> None:
    for cell in find_cells(EXAMPLE / "recordings"):
        sink = KeepSink()
        built_in(cell)(cell, sink)
        for layer in ("events", "rows"):
            assert cell.pin(layer).read_bytes() == b"".join(line + b"\n" for line in sink.lines[layer])


@needs_node
def test_a_bug_in_it_is_named_by_row_and_path(tmp_path: Path) -> None:
    bug = "if (Number.isInteger(code)) delta.exitCode = code;"
    recordings = example_with(tmp_path, bug, "")
    run = parity("check", "-p", "acp-example", "--recordings", recordings)
    assert run.code == 1
    assert 'command "Run the tests" (c1)' in run.out
    assert "/0/children/3/exitCode  removed  2" in run.out


@needs_node
def test_a_crash_of_it_fails_the_cell_with_the_reason(tmp_path: Path) -> None:
    recordings = example_with(tmp_path, 'case "plan":', 'case "plan":\n      throw new Error("no plan");')
    run = parity("check", "-p", "acp-example", "--recordings", recordings)
    assert run.code == 1
    assert "exit code 1" in run.out
    assert "no plan" in run.out


@needs_node
def test_a_cell_beyond_it_differs_and_does_not_stall() -> None:
    bridge = ProviderSettings(["node", "bridge.js"], EXAMPLE)
    name = "acp-cursor/web-search"
    outcome, sink = play(bridge, name)
    assert not outcome.stalls
    assert not as_pinned(sink, name, "rows")
    assert (RECORDINGS / name).is_dir()
