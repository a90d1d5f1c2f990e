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
