"""`rerecord`: pins from today's code, only where they differ, never from a replay that stalls."""

from __future__ import annotations

from pathlib import Path

import pytest
from parity_runs import RECORDINGS, ROOT, copy_cells, parity, snapshot

CELL = "acp-opencode/turn-tools"


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    return copy_cells(tmp_path, CELL)


def test_the_committed_pins_are_what_the_code_says() -> None:
    before = snapshot(RECORDINGS)
    run = parity("rerecord", "--check", "--recordings", ROOT / "recordings")
    assert run.code == 0, run.out
    assert snapshot(RECORDINGS) == before


def test_twice_gives_identical_bytes(recordings: Path) -> None:
    parity("rerecord", "--recordings", recordings)
    first = snapshot(recordings)
    again = parity("rerecord", "--recordings", recordings)
    assert snapshot(recordings) == first
    assert "0 changed" in again.out


def test_check_changes_nothing_and_says_what_it_would(recordings: Path) -> None:
    pin = recordings / CELL / "rows.current.ndjson"
    pin.write_bytes(b"{}\n")
    before = snapshot(recordings)
    run = parity("rerecord", "--check", "--recordings", recordings)
    assert run.code == 1
    assert f"{CELL}: would change rows.current.ndjson" in run.out
    assert snapshot(recordings) == before


def test_a_replay_with_problems_is_refused_and_keeps_its_pins(recordings: Path) -> None:
    lane = recordings / CELL / "provider→bridge.ndjson"
    text = lane.read_text("utf-8")
    lane.write_text(text[: text.rindex('{"ts"')], "utf-8")  # the prompt's answer is gone
    before = snapshot(recordings)
    run = parity("rerecord", "--recordings", recordings)
    assert run.code == 1
    assert "no answer" in run.out
    assert snapshot(recordings) == before


def test_a_later_cell_that_cannot_be_read_leaves_the_earlier_ones_as_they_are(tmp_path: Path) -> None:
    recordings = copy_cells(tmp_path, CELL, "acp-qwen/turn-tools")
    (recordings / CELL / "rows.current.ndjson").write_bytes(b"{}\n")
    with (recordings / "acp-qwen/turn-tools/provider→bridge.ndjson").open("a") as file:
        file.write("cut off")
    before = snapshot(tmp_path)
    run = parity("rerecord", "--recordings", recordings)
    assert run.code == 2
    assert run.err.count("\n") == 1
    assert snapshot(tmp_path) == before


def test_the_way_to_pin_counts_is_told_for_recordings_of_no_project(tmp_path: Path) -> None:
    recordings = copy_cells(tmp_path, CELL)
    assert "in a project whose pyproject.toml has [tool.parity]" in unwrapped(recordings)
    (tmp_path / "pyproject.toml").write_text("[tool.parity]\n")
    assert "UPDATE_PARITY_ROW_COUNTS=1" in unwrapped(recordings)
    assert "in a project" not in unwrapped(recordings)


def unwrapped(recordings: Path) -> str:
    return " ".join(parity("check", "--recordings", recordings).out.split())
