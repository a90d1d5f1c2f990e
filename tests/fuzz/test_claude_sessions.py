"""Claude Code as a grammar: whatever it says in whatever legal order, the invariants hold."""

from __future__ import annotations

from typing import Any

import pytest
from claude_player import WORDS, ClaudePlayer, Step
from fuzz_runs import at_length, briefly, finds
from hypothesis import strategies as st
from session_truth import check_session, remembered

from parity.lanes.claude_code import text
from parity.lanes.claude_code.work import Work

step = st.tuples(st.sampled_from(WORDS), st.integers(0, 11), st.integers(0, 7))
sessions = st.tuples(st.booleans(), st.lists(step, min_size=12, max_size=60))


def check(session: tuple[bool, list[Step]]) -> None:
    """Play a session, perhaps until the agent is gone, and check all invariants of it."""
    gone, told = session
    player = ClaudePlayer().play([("prompt", 0, 0), *told], gone=gone)
    run, truth = player.run, player.truth
    assert run.bridge.noise == 0
    assert not run.drops
    check_session(run.structs, truth, exact=True)
    player.questions.check()
    if not gone:
        assert not remembered(run.bridge, truth.ids), "state is left of a settled call"


def test_the_invariants_hold_in_any_session() -> None:
    briefly(check, sessions)


@pytest.mark.fuzz
def test_the_invariants_hold_in_many_sessions(capsys: pytest.CaptureFixture[str]) -> None:
    at_length("claude-code", check, sessions, capsys)


def _without_id_reuse(monkeypatch: pytest.MonkeyPatch) -> None:
    use = Work.use

    def again(self: Work, out: Any, block: Any, parent: str | None) -> Any:
        known = self._calls.get(block.id)
        return known if known is not None and known.settled is not None else use(self, out, block, parent)

    monkeypatch.setattr(Work, "use", again)


def _without_text_joining(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "_streamed", lambda message, channel, whole: None)


def _without_settlement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Work, "end_turn", lambda self, out, detail, late=False: self._calls.clear())


@pytest.mark.parametrize("remove", [_without_id_reuse, _without_text_joining, _without_settlement])
def test_a_rule_that_is_removed_is_missed_soon(remove: object, monkeypatch: pytest.MonkeyPatch) -> None:
    remove(monkeypatch)  # type: ignore[operator]
    assert finds(check, sessions)
