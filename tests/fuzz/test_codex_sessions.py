"""A `codex app-server` as a grammar: whatever it says in whatever legal order, the invariants hold."""

from __future__ import annotations

import pytest
from codex_player import WORDS, CodexPlayer, Step
from fuzz_runs import at_length, briefly, finds
from hypothesis import strategies as st
from session_truth import check_session, remembered

from parity.grammar.assembler import Assembler
from parity.lanes.codex import works

step = st.tuples(st.sampled_from(WORDS), st.integers(0, 11), st.integers(0, 7))
sessions = st.tuples(st.booleans(), st.lists(step, min_size=12, max_size=60))


def check(session: tuple[bool, list[Step]]) -> None:
    """Play a session, perhaps until the agent is gone, and check all invariants of it."""
    gone, told = session
    player = CodexPlayer().play([("prompt", 0, 0), *told], gone=gone)
    run, truth = player.run, player.truth
    assert run.bridge.noise == 0
    assert not run.drops
    check_session(run.structs, truth, exact=True)
    if not gone:
        assert not remembered(run.bridge, truth.ids), "state is left of a settled item"


def test_the_invariants_hold_in_any_session() -> None:
    briefly(check, sessions)


@pytest.mark.fuzz
def test_the_invariants_hold_in_many_sessions(capsys: pytest.CaptureFixture[str]) -> None:
    at_length("codex", check, sessions, capsys)


def _without_id_reuse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(works, "_is_same", lambda settled, raw: True)


def _without_output_joining(monkeypatch: pytest.MonkeyPatch) -> None:
    def settle(self: Assembler, tracked: object, whole: str) -> None:
        self._emit_output(tracked, "", whole, False)  # type: ignore[arg-type]
        tracked.output = whole  # type: ignore[attr-defined]

    monkeypatch.setattr(Assembler, "_settle_output", settle)


def _without_settlement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(works, "settle_all", lambda strand, status: [])


@pytest.mark.parametrize("remove", [_without_id_reuse, _without_output_joining, _without_settlement])
def test_a_rule_that_is_removed_is_missed_soon(remove: object, monkeypatch: pytest.MonkeyPatch) -> None:
    remove(monkeypatch)  # type: ignore[operator]
    assert finds(check, sessions)
