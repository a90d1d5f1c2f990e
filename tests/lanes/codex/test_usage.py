"""Token usage: context from the last call, a turn's use from the totals (S49)."""

from __future__ import annotations

from codex_frames import CodexRun
from hypothesis import given
from hypothesis import strategies as st

from parity.lanes.codex.usage import UsageMeter


def used(run: CodexRun) -> list[int]:
    return [event["turn"]["totalTokens"] for event in run.of("thread/tokenUsage/updated")]


def test_s49_the_context_is_the_last_call() -> None:
    run = CodexRun().turn()
    run.usage(5000, 1200, window=258_400)
    (event,) = run.of("thread/contextWindowUsage/updated")
    assert (event["used"], event["size"]) == (1200, 258_400)


def test_s49_a_turns_use_is_the_difference_of_totals() -> None:
    run = CodexRun().turn()
    run.usage(100, 100)
    run.usage(250, 150)
    run.over()
    run.turn("more", "codex-turn-2")
    run.usage(300, 50, "codex-turn-2")
    assert used(run) == [100, 250, 50]


def test_s49_a_repeat_adds_nothing() -> None:
    run = CodexRun().turn()
    run.usage(100, 100)
    run.usage(100, 100)
    assert used(run) == [100, 100]


def test_s49_a_fall_is_a_new_base() -> None:
    run = CodexRun().turn()
    run.usage(100, 100)
    run.usage(40, 40)
    run.usage(70, 30)
    assert used(run) == [100, 100, 130]


def test_s49_the_first_report_of_a_resumed_thread_counts_its_last_call_only() -> None:
    run = CodexRun().turn()
    run.usage(9000, 300)
    assert used(run) == [300]


def test_usage_told_between_turns_is_the_base_of_the_next() -> None:
    run = CodexRun()
    run.usage(9000, 300, "an-old-turn")
    run.turn()
    run.usage(9100, 100)
    assert "turn" not in run.of("thread/tokenUsage/updated")[0]
    assert used_of_last(run) == 100


def used_of_last(run: CodexRun) -> int:
    total: int = run.of("thread/tokenUsage/updated")[-1]["turn"]["totalTokens"]
    return total


@given(st.lists(st.integers(0, 10_000), min_size=1))
def test_a_turns_use_never_falls(totals: list[int]) -> None:
    meter = UsageMeter()
    meter.begin_turn()
    uses = [meter.update({"totalTokens": total}, {"totalTokens": total})["totalTokens"] for total in totals]
    assert uses == sorted(uses)
    assert uses[0] >= 0
