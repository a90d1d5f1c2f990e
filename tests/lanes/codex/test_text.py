"""Messages, reasoning, plans: every text once, whole, in its channel."""

from __future__ import annotations

from typing import Any

import pytest
from codex_frames import TURN, CodexRun, command, message, ran
from hypothesis import given
from hypothesis import strategies as st

MESSAGE = "agentMessage/delta"
PLAN = "turn/plan/updated"


def told(*deltas: str, text: str) -> CodexRun:
    run = CodexRun().turn()
    run.begin(message())
    for delta in deltas:
        run.delta("m1", delta, MESSAGE)
    run.end(message(text=text))
    run.over()
    return run


@given(deltas=st.lists(st.text(max_size=5), max_size=5), tail=st.text(max_size=5))
def test_streamed_text_and_the_final_text_give_the_text_exactly_once(deltas: list[str], tail: str) -> None:
    whole = "".join(deltas) + tail
    run = told(*deltas, text=whole)
    assert [row["text"] for row in run.all_rows("message")] == ([whole] if whole else [])
    assert "".join(event["delta"] for event in run.of("item/agentMessage/delta")) == whole


def test_a_final_text_that_is_another_one_wins() -> None:
    assert told("helo", text="hello").row("message")["text"] == "hello"


@pytest.mark.parametrize("text", ["", "hel"])
def test_s11_a_shorter_final_text_takes_nothing_back(text: str) -> None:
    assert told("hello", text=text).row("message")["text"] == "hello"


def test_s11_a_late_delta_does_not_double_a_message() -> None:
    run = CodexRun().turn()
    run.end(message(text="ab"))
    run.delta("m1", "b", MESSAGE)
    run.over()
    assert run.row("message")["text"] == "ab"
    assert run.drops == {}


def test_s47_each_item_is_a_message_of_its_own_and_empty_ones_are_none() -> None:
    run = CodexRun().turn()
    for item_id, text in (("m1", "one"), ("m2", ""), ("m3", "two")):
        run.begin(message(item_id))
        run.delta(item_id, text, MESSAGE)
        run.end(message(item_id, text))
    run.over()
    assert [row["text"] for row in run.all_rows("message")] == ["one", "two"]


def test_a_message_before_a_command_stands_before_it() -> None:
    run = CodexRun().turn()
    run.begin(message())
    run.delta("m1", "Let me look.", MESSAGE)
    run.begin(command())
    run.end(ran())
    run.end(message(text="Let me look."))
    run.over()
    assert [row["kind"] for row in run.row("turn")["children"]] == ["message", "command"]


def test_a_message_cut_off_by_the_end_of_the_turn_keeps_its_text() -> None:
    run = CodexRun().turn()
    run.delta("m1", "half a sen", MESSAGE)
    run.over("interrupted")
    assert run.row("message")["text"] == "half a sen"


def reasoning(summary: list[str], content: list[str]) -> dict[str, Any]:
    return {"type": "reasoning", "id": "r1", "summary": summary, "content": content}


def test_reasoning_without_words_is_no_row() -> None:
    run = CodexRun().turn()
    run.begin(reasoning([], []))
    run.end(reasoning([], []))
    run.over()
    assert run.all_rows("reasoning") == []


def test_summary_and_content_are_channels_of_their_own() -> None:
    run = CodexRun().turn()
    run.begin(reasoning([], []))
    for index, text in ((0, "First"), (0, " part"), (1, "second")):
        run.tell("item/reasoning/summaryPartAdded", itemId="r1", turnId=TURN, summaryIndex=index)
        run.delta("r1", text, "reasoning/summaryTextDelta", summaryIndex=index)
    run.delta("r1", "raw", "reasoning/textDelta", contentIndex=0)
    run.end(reasoning(["First part", "second"], ["raw thought"]))
    run.over()
    assert [row["text"] for row in run.all_rows("reasoning")] == ["First part\n\nsecond", "raw thought"]
    streamed = [event["delta"] for event in run.of("item/reasoning/summaryTextDelta")]
    assert "".join(streamed) == "First part\n\nsecond"


def test_a_plan_in_prose_is_one_plan_row_with_the_final_text() -> None:
    run = CodexRun().turn()
    run.delta("p1", "1. look", "plan/delta")
    run.end({"type": "plan", "id": "p1", "text": "1. look around\n2. act"})
    run.over()
    assert run.row("plan")["text"] == "1. look around\n2. act"


def plan(run: CodexRun, *steps: tuple[str, str | None], explanation: str | None = None) -> None:
    told = [{"step": step, "status": status} for step, status in steps]
    run.tell(PLAN, turnId=TURN, plan=told, explanation=explanation)


def test_s50_each_plan_update_replaces_the_one_before() -> None:
    run = CodexRun().turn()
    plan(run, ("a", "pending"), ("b", None))
    plan(run, ("a", "completed"), ("b", "inProgress"), explanation="why")
    run.over()
    row = run.row("plan")
    assert row["steps"] == [{"step": "a", "status": "completed"}, {"step": "b", "status": "inProgress"}]
    assert (row["explanation"], row["status"]) == ("why", "completed")


def test_s50_an_empty_plan_clears_and_a_step_without_status_stays() -> None:
    run = CodexRun().turn()
    plan(run, ("a", None))
    assert run.of("item/started")[-1]["item"]["steps"] == [{"step": "a"}]
    plan(run)
    run.over()
    assert run.row("plan")["steps"] == []


def test_the_same_plan_again_says_nothing() -> None:
    run = CodexRun().turn()
    for _ in range(3):
        plan(run, ("a", "pending"))
    assert len(run.of("item/started")) == 1
