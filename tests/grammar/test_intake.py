"""Intake: threads apart, interactions resolved, drops counted, threads released."""

from typing import Any

import pytest
from thread_runs import DONE, THREAD, TURN, ThreadRun, close_item, open_item, say

from parity.grammar.intake import Intake


def approval(thread: str, number: int, item_id: str | None = None) -> dict[str, Any]:
    params: dict[str, Any] = {"threadId": thread, "interactionId": f"interaction-{number}"}
    if item_id is not None:
        params["itemId"] = item_id
    return {**params, "payload": {"kind": "approval"}}


def test_threads_never_mix() -> None:
    rows: list[dict[str, Any]] = []
    intake = Intake(lambda event: None, rows.append)
    intake.deltas("a", [TURN, open_item("x")])
    intake.deltas("b", [TURN, open_item("x"), close_item("x"), DONE])
    intake.deltas("a", [close_item("x", "failed"), DONE])
    assert [row["children"][0]["status"] for row in rows] == ["completed", "failed"]
    assert not intake.drops


def test_an_interaction_names_its_item_by_the_minted_id() -> None:
    run = ThreadRun(TURN, open_item("x")).ask(1, "x")
    event = run.of("interaction/requested")[0]
    assert (event["itemId"], event["interactionId"]) == ("item-1", "interaction-1")
    assert event["scope"] == {"kind": "turn", "turnId": "turn-1"}


def test_an_interaction_of_an_unknown_item_names_none() -> None:
    assert "itemId" not in ThreadRun(TURN).ask(1, "x").of("interaction/requested")[0]


@pytest.mark.parametrize(
    ("result", "decision"),
    [
        ({"decision": "allowed"}, "allowed"),
        ({"decision": "denied", "optionId": "no"}, "denied"),
        ({"answers": ["a"]}, "answered"),
        (None, "cancelled"),
        ("odd", "cancelled"),
    ],
)
def test_an_answer_resolves_the_interaction(result: Any, decision: str) -> None:
    run = ThreadRun(TURN).ask(1)
    run.intake.answer(1, result)
    event = run.of("interaction/resolved")[0]
    assert (event["interactionId"], event["decision"]) == ("interaction-1", decision)


def test_a_second_answer_and_an_answer_to_nothing_change_nothing() -> None:
    run = ThreadRun(TURN).ask(1)
    run.intake.answer(1, {"decision": "allowed"})
    before = run.events
    run.intake.answer(1, {"decision": "denied"})
    run.intake.answer(2, {"decision": "denied"})
    assert run.events == before


def test_s31_the_end_of_a_turn_cancels_what_waits_for_a_person() -> None:
    run = ThreadRun(TURN, open_item("x")).ask(1, "x").feed(DONE)
    assert run.of("interaction/resolved")[0]["decision"] == "cancelled"
    assert run.types.index("interaction/resolved") < run.types.index("turn/completed")
    assert run.row("x")["approval"]["decision"] == "cancelled"


def test_s31_a_stop_cancels_only_its_own_threads_interactions() -> None:
    events: list[Any] = []
    intake = Intake(events.append, lambda row: None)
    for thread, number in (("a", 1), ("b", 2)):
        intake.deltas(thread, [TURN])
        intake.request(number, approval(thread, number))
    intake.stopped("a")
    resolved = [event for event in events if event.type == "interaction/resolved"]
    assert [event.thread_id for event in resolved] == ["a"]


def test_two_interactions_of_one_call_are_two_and_the_last_one_shows() -> None:
    run = ThreadRun(TURN, open_item("x")).ask(1, "x")
    run.intake.answer(1, {"decision": "allowed"})
    run.ask(2, "x")
    run.intake.answer(2, {"decision": "denied"})
    run.feed(close_item("x", "failed"), DONE)
    assert len(run.of("interaction/resolved")) == 2
    assert run.row("x")["approval"]["decision"] == "denied"


def test_an_identity_and_an_error_of_the_bridge_are_events() -> None:
    run = ThreadRun()
    run.intake.identity(THREAD, "session-a")
    run.intake.error(THREAD, "the agent is gone")
    assert [event["type"] for event in run.events] == ["thread/identity", "provider/error"]


def test_a_released_thread_hands_out_its_rows_and_is_forgotten() -> None:
    run = ThreadRun(TURN, open_item("x"))
    run.intake.release(THREAD)
    assert run.row("x")["status"] == "pending"
    run.feed(TURN, say("a"), DONE)
    assert run.of("turn/started")[-1]["turnId"] == "turn-1"


def test_the_drops_of_a_released_thread_are_still_counted() -> None:
    run = ThreadRun(TURN, close_item("nobody"))
    run.intake.release(THREAD)
    run.feed(TURN, close_item("nobody"))
    assert run.drops == {"item/opens-before-delta:item/completed": 2}


def test_a_dropped_event_reaches_neither_events_nor_rows() -> None:
    run = ThreadRun(TURN, TURN, DONE)
    assert run.types == ["turn/started", "turn/completed"]
    assert len(run.rows) == 1


def test_releasing_an_unknown_thread_is_nothing() -> None:
    run = ThreadRun()
    run.intake.release("nobody")
    assert run.rows == []


def test_an_answer_that_comes_after_the_release_changes_nothing() -> None:
    run = ThreadRun(TURN).ask(1)
    run.intake.release(THREAD)
    before = run.events
    run.intake.answer(1, {"decision": "allowed"})
    assert run.events == before


def test_nothing_stays_open_of_a_bridge_whose_process_ended() -> None:
    run = ThreadRun(TURN, open_item("c1")).ask(1, "c1")
    run.intake.disconnected()
    assert run.feed(TURN, DONE).drops == {}
    assert run.of("interaction/resolved")[0]["decision"] == "cancelled"
    assert [turn["status"] for turn in run.of("turn/completed")] == ["interrupted", "completed"]
    assert run.row("c1")["status"] == "interrupted"
