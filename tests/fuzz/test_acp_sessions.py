"""An ACP agent as a grammar: whatever it says in whatever legal order, the invariants hold.

The generic agent's frames mean what the protocol says, so its rows are known exactly; of a dialect nothing is
asked but that it shows no more than was said.
"""

from __future__ import annotations

import pytest
from acp_player import WORDS, AcpPlayer, Step
from fuzz_runs import at_length, briefly, finds
from hypothesis import strategies as st
from session_truth import check_session, remembered

from parity.grammar.assembler import Assembler
from parity.lanes.acp.calls import Call
from parity.lanes.acp.lane import AcpLane

PROFILES = ["cursor", "grok", "gemini", "qwen", "opencode", "hermes", "claude", "codex"]

step = st.tuples(st.sampled_from(WORDS), st.integers(0, 11), st.integers(0, 7))
steps = st.lists(step, min_size=12, max_size=60)
sessions = st.tuples(st.none() | st.sampled_from(PROFILES), st.booleans(), steps)


def check(session: tuple[str | None, bool, list[Step]]) -> None:
    """Play a session, perhaps until the agent is gone, and check all invariants of it."""
    profile, gone, told = session
    player = AcpPlayer(profile).play([("prompt", 0, 0), *told], gone=gone)
    run, truth = player.run, player.truth
    assert run.noise == 0
    assert not run.drops
    check_session(run.structs, truth, exact=profile is None)
    if not gone:
        assert not remembered(run.bridge, truth.ids), "state is left of a settled call"


def test_the_invariants_hold_in_any_session() -> None:
    briefly(check, sessions)


@pytest.mark.fuzz
def test_the_invariants_hold_in_many_sessions(capsys: pytest.CaptureFixture[str]) -> None:
    at_length("acp", check, sessions, capsys)


class _NeverBegan(Call):
    """A call that does not know whether a `tool_call` began it: an id used again is no new call."""

    __slots__ = ()
    began = property(lambda self: False, lambda self, value: None)  # type: ignore[assignment]


def _without_id_reuse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parity.lanes.acp.work.Call", _NeverBegan)


def _without_snapshot_diff(monkeypatch: pytest.MonkeyPatch) -> None:
    def settle(self: Assembler, tracked: object, whole: str) -> None:
        self._emit_output(tracked, "", whole, False)  # type: ignore[arg-type]
        tracked.output = whole  # type: ignore[attr-defined]

    monkeypatch.setattr(Assembler, "_settle_output", settle)


def _without_settlement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AcpLane, "_abandon", lambda self, call, detail: None)


@pytest.mark.parametrize("remove", [_without_id_reuse, _without_snapshot_diff, _without_settlement])
def test_a_rule_that_is_removed_is_missed_soon(remove: object, monkeypatch: pytest.MonkeyPatch) -> None:
    remove(monkeypatch)  # type: ignore[operator]
    assert finds(check, sessions)
