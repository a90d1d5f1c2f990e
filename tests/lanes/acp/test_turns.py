"""How a turn ends and what that means for what is open; work that belongs to no turn."""

from typing import Any

import pytest
from acp_frames import CWD, OPTIONS, ask, command, message, plan, prompted, request, tool_call, turn, update

from parity.grammar import deltas as d
from parity.lanes.acp.dialects import Dialect
from parity.lanes.acp.lane import AcpLane
from parity.lanes.acp.reader_v1 import read_update

UNREPORTED = "the agent ended the turn without reporting a result"


@pytest.mark.parametrize("fields", [{"kind": "execute", "title": "make"}, {"name": "x"}, {"title": "T"}])
def test_s29_a_call_still_open_at_the_end_of_its_turn_is_interrupted_and_says_why(fields: Any) -> None:
    run = turn(tool_call("t1", **fields))
    row = run.call("t1")
    assert (row["status"], row["detail"]) == ("interrupted", UNREPORTED)
    assert run.turn["status"] == "completed"


def test_s29_the_call_settles_before_its_turn() -> None:
    types = [event["type"] for event in turn(command("t1")).events]
    assert types[-2:] == ["item/completed", "turn/completed"]


def test_s29_output_shown_so_far_stays() -> None:
    run = turn(command("t1"), update("t1", status="in_progress", content="a\n"))
    assert (run.call("t1")["output"], run.call("t1")["status"]) == ("a\n", "interrupted")


def test_s30_open_calls_of_a_cancelled_prompt_are_interrupted() -> None:
    run = prompted().feed(command("t1"), update("t1", status="in_progress", content="a\n"))
    run.stop()
    run.answer_prompt("cancelled")
    assert (run.call("t1")["status"], run.turn["status"]) == ("interrupted", "interrupted")
    assert "exitCode" not in run.call("t1")
    assert run.call("t1").get("detail") != UNREPORTED


def test_s30_later_updates_of_a_cancelled_call_revive_nothing() -> None:
    run = prompted().feed(command("t1", status="in_progress"))
    run.stop()
    run.answer_prompt("cancelled")
    before = run.rows
    run.feed(
        update("t1", status="in_progress", content="late"),
        update("t1", status="completed", raw_output={"exitCode": 0}),
    )
    assert run.rows[: len(before)] == before
    assert [row["kind"] for row in run.rows[len(before) :]] == ["unhandled", "unhandled"]


def test_s30_updates_between_our_cancel_and_the_answer_still_count() -> None:
    run = prompted().feed(command("t1", status="in_progress"))
    run.stop()
    run.feed(update("t1", status="failed", content="^C")).answer_prompt("cancelled")
    assert (run.call("t1")["status"], run.call("t1")["output"]) == ("failed", "^C")


def test_s31_an_open_ask_is_answered_cancelled_at_once_and_its_row_closed() -> None:
    run = prompted().feed(command("t1"), ask("t1"))
    run.stop()
    assert run.responses(0)[0]["result"] == {"outcome": {"outcome": "cancelled"}}
    row = run.call("t1")
    assert (row["status"], row["approval"]["decision"]) == ("interrupted", "cancelled")
    assert run.events_of("interaction/resolved")[0]["decision"] == "cancelled"
    assert len(run.sent_of("session/cancel")) == 1


def test_s31_a_row_closed_by_the_stop_is_not_revived_by_the_turns_end() -> None:
    run = prompted().feed(command("t1"), ask("t1"))
    run.stop()
    run.answer_prompt("cancelled")
    assert run.call("t1")["status"] == "interrupted"
    assert len(run.events_of("item/completed")) == 1
    assert run.drops == {}


def test_s31_a_row_that_only_the_ask_opened_is_closed_too() -> None:
    run = prompted("gemini").feed(ask("run__1", kind="execute", title="make"))
    run.stop()
    assert run.call("run__1")["status"] == "interrupted"


def test_s31_an_ask_that_comes_after_our_cancel_is_answered_cancelled_and_bothers_nobody() -> None:
    run = prompted().feed(command("t1"))
    run.stop()
    run.feed(ask("t1"))
    assert run.responses(0)[0]["result"] == {"outcome": {"outcome": "cancelled"}}
    assert run.asked == []


def test_s31_an_ask_still_open_when_its_agent_ends_the_turn_is_answered_cancelled() -> None:
    run = prompted().feed(command("t1"), ask("t1")).answer_prompt()
    assert run.responses(0)[0]["result"] == {"outcome": {"outcome": "cancelled"}}
    assert run.call("t1")["approval"]["decision"] == "cancelled"


def test_s31_the_persons_late_answer_to_a_cancelled_ask_is_sent_nowhere() -> None:
    run = prompted().feed(command("t1"), ask("t1"))
    run.stop()
    run.answer("allowed")
    assert len(run.responses(0)) == 1
    assert run.call("t1")["approval"]["decision"] == "cancelled"


def test_s31_an_open_question_is_answered_cancelled_too() -> None:
    run = prompted("grok").feed(request("_x.ai/ask_user_question", questions=[{"question": "Which?"}]))
    run.stop()
    assert len(run.responses(0)) == 1
    assert run.only("question")["decision"] == "cancelled"


@pytest.mark.parametrize(
    "late",
    [
        command("t9"),
        update("t1", status="completed"),
        update("t1", status="in_progress", content="x"),
        message("by the way"),
        plan("more"),
    ],
)
def test_s32_work_after_the_answer_is_unhandled_and_neither_opens_nor_revives(late: Any) -> None:
    run = turn(command("t1"), update("t1", status="completed"))
    before = run.rows
    run.feed(late)
    assert run.rows[:-1] == before
    assert run.rows[-1]["kind"] == "unhandled"
    event = run.unhandled[0]
    assert event["scope"] == {"kind": "thread"}
    assert event["raw"] == late
    assert len(run.events_of("turn/started")) == 1


def test_s32_after_a_provider_error_too() -> None:
    run = prompted().feed(command("t1")).fail_prompt()
    run.feed(update("t1", status="completed"))
    assert len(run.unhandled) == 1
    assert run.call("t1")["status"] == "interrupted"


def test_s32_late_updates_stay_out_of_the_next_turn_until_it_begins() -> None:
    run = turn(command("t1"), update("t1", status="completed"))
    run.feed(update("t1", status="in_progress"))
    run.prompt()
    run.feed(message("hi")).answer_prompt()
    assert run.turns[1].get("children", []) == []
    assert run.texts == ["hi"]


def test_s33_work_with_no_prompt_in_flight_is_unhandled() -> None:
    run = turn()
    run.feed(message("I went on by myself"), command("t1"))
    assert [event["rawType"] for event in run.unhandled] == ["agent_message_chunk", "tool_call"]
    assert len(run.turns) == 1


def test_s33_a_dialect_whose_agent_starts_turns_gets_an_agent_initiated_turn() -> None:
    class SelfStarting(Dialect):
        starts_turns = True

    lane = AcpLane(SelfStarting(), CWD)
    update_object = message("I went on by myself")
    deltas = lane.frame(read_update(update_object), update_object)
    assert deltas[0] == d.TurnOpen(initiator="agent")
    assert [type(delta) for delta in deltas[1:]] == [d.TextDelta]


@pytest.mark.parametrize("stop_reason", ["end_turn", "cancelled", "refusal", "max_tokens"])
def test_s34_after_our_cancel_the_turn_is_interrupted_whatever_the_answer(stop_reason: str) -> None:
    run = prompted().feed(message("a"))
    run.stop()
    run.answer_prompt(stop_reason)
    assert run.turn["status"] == "interrupted"
    assert "error" not in run.turn


def test_s34_a_cancel_answered_with_an_error_is_interrupted() -> None:
    run = prompted()
    run.stop()
    run.fail_prompt()
    assert run.turn["status"] == "interrupted"


def test_s34_the_cancel_of_one_turn_says_nothing_about_the_next() -> None:
    run = prompted()
    run.stop()
    run.answer_prompt("cancelled")
    run.prompt()
    run.answer_prompt()
    assert [row["status"] for row in run.turns] == ["interrupted", "completed"]


@pytest.mark.parametrize("word", ["max_tokens", "max_turn_requests", "refusal", "out_of_ideas"])
def test_s35_any_other_stop_reason_fails_the_turn_with_the_original_word(word: str) -> None:
    run = turn(command("t1"), stop_reason=word)
    assert run.turn["status"] == "failed"
    assert word in run.turn["error"]
    assert word in run.events_of("turn/completed")[0]["error"]
    assert run.call("t1")["status"] == "interrupted"


@pytest.mark.parametrize("reason", [None, 7, {}])
def test_s35_an_answer_without_a_stop_reason_fails_the_turn(reason: Any) -> None:
    assert prompted().answer_prompt(reason).turn["status"] == "failed"


def test_s36_an_error_answer_is_a_provider_error_and_fails_the_turn() -> None:
    run = prompted().feed(message("a"), command("t1")).fail_prompt("model is down", -32001)
    error = run.events_of("provider/error")[0]
    assert (error["message"], error["code"]) == ("model is down", -32001)
    assert (run.turn["status"], run.turn["error"]) == ("failed", "model is down")
    assert run.call("t1")["status"] == "interrupted"
    assert run.texts == ["a"]


def test_s36_the_details_of_an_error_are_told() -> None:
    run = prompted()
    error = {"code": -32603, "message": "Internal error", "data": {"details": "quota exceeded"}}
    run.respond("session/prompt", error=error)
    assert "quota exceeded" in run.turn["error"]


@pytest.mark.parametrize("error", ["boom", None, {}, {"code": 1}])
def test_s36_a_malformed_error_still_fails_the_turn(error: Any) -> None:
    run = prompted()
    run.provider({"jsonrpc": "2.0", "id": run.sent_of("session/prompt")[0]["id"], "error": error})
    assert run.turn["status"] == "failed"


def test_a_refused_call_whose_whole_turn_is_cancelled_is_denied_not_interrupted() -> None:
    run = prompted("grok").feed(command("t1"), ask("t1", options=OPTIONS))
    run.answer("denied")
    run.feed(update("t1", status="failed", content="User rejected the execution")).answer_prompt("cancelled")
    assert (run.call("t1")["status"], run.turn["status"]) == ("failed", "interrupted")
    assert "output" not in run.call("t1")


def test_the_turns_usage_is_an_event_of_the_turn() -> None:
    run = prompted().answer_prompt(usage={"inputTokens": 5, "outputTokens": 2})
    usage = run.events_of("thread/tokenUsage/updated")[0]
    assert usage["turn"] == {"inputTokens": 5, "outputTokens": 2}
    assert usage["scope"] == {"kind": "turn", "turnId": "turn-1"}
