"""Recordings of real agents, damaged: no lane breaks, and what settles, settles once."""

from __future__ import annotations

import pytest
from fuzz_runs import at_length, briefly
from hypothesis import strategies as st
from mutations import SORTS, Damage, damaged, gone
from parity_runs import RECORDINGS
from session_truth import check_lives, check_once, check_settling, check_streams

from parity.gates.check import bridge_maker
from parity.gates.pins import KeepSink
from parity.grammar.rows import walk
from parity.replay.replay import Replay, ignored_methods
from parity.wire import PROVIDER_TO_BRIDGE, Cell, find_cells

FAMILIES = {
    "acp": [cell for cell in find_cells(RECORDINGS) if cell.provider.startswith("acp-")],
    "codex": find_cells(RECORDINGS, provider="codex"),
    "claude-code": find_cells(RECORDINGS, provider="claude-code"),
}

damage = st.tuples(st.sampled_from(SORTS), st.integers(0, 200), st.integers(0, 200), st.integers(0, 15))


def sessions(family: str) -> st.SearchStrategy[tuple[Cell, list[Damage]]]:
    return st.tuples(st.sampled_from(FAMILIES[family]), st.lists(damage, min_size=1, max_size=8))


def check(session: tuple[Cell, list[Damage]]) -> None:
    """Replay a damaged recording until the agent is gone, and check what holds of any."""
    cell, damages = session
    sink = KeepSink(("rows", "events"))
    lines = damaged(cell, damages)
    run = Replay(bridge_maker(cell), sink, ignored_methods(cell))
    for line in lines:
        run.feed(line)
    run.feed(gone(lines[-1]))
    outcome = run.finish()
    assert not outcome.drops
    threads: dict[str, list[dict[str, object]]] = {}
    for event in sink.docs("events"):
        threads.setdefault(event["threadId"], []).append(event)
    for events in threads.values():
        check_settling(events)
        check_lives(events)
        check_streams(events)
    said = "\n".join(line.line for line in lines if line.dir == PROVIDER_TO_BRIDGE)
    for top in sink.docs("rows"):
        check_once(top)
    for row in (row for top in sink.docs("rows") for row in walk(top)):
        code = row.get("exitCode")
        assert code is None or str(code) in said, f"nobody said {code}"


@pytest.mark.parametrize("family", FAMILIES)
def test_a_damaged_recording_breaks_no_lane(family: str) -> None:
    briefly(check, sessions(family))


@pytest.mark.fuzz
@pytest.mark.parametrize("family", FAMILIES)
def test_many_damaged_recordings_break_no_lane(family: str, capsys: pytest.CaptureFixture[str]) -> None:
    at_length(f"damaged {family}", check, sessions(family), capsys)
