"""ACP version 2: messages and thoughts as chunks and as a whole, and plans by their ids."""

from acp_v2_frames import RUNNING, AcpV2Run, block, chunk, command, idle, plan, prompted, turn, whole
from acp_v2_frames import call as tool


def test_a_message_may_come_as_a_whole() -> None:
    assert turn(whole("m1", "one, ", "two")).texts == ["one, two"]


def test_a_whole_message_replaces_what_its_chunks_said() -> None:
    run = prompted().feed(chunk("m1", "wrong"), whole("m1", "right"))
    assert run.texts == ["right"]
    assert run.feed(idle()).texts == ["right"]


def test_chunks_append_to_a_whole_message() -> None:
    run = prompted().feed(chunk("m1", "x"), whole("m1", "one"), chunk("m1", ", two"), idle())
    assert run.texts == ["one, two"]


def test_a_whole_message_that_continues_its_chunks_streams_the_rest() -> None:
    run = prompted().feed(chunk("m1", "one"), whole("m1", "one, two"))
    said = [event["delta"] for event in run.events_of("item/agentMessage/delta")]
    assert said == ["one", ", two"]


def test_a_whole_message_without_content_changes_nothing_and_null_clears_it() -> None:
    run = prompted().feed(chunk("m1", "one"), whole("m1", said=False))
    assert run.texts == ["one"]
    run.feed(whole("m1", said=False, content=None), idle())
    assert run.texts == [""]


def test_a_cleared_message_that_never_was_opens_nothing() -> None:
    assert turn(whole("m1"), whole("m2", said=False)).texts == []


def test_a_message_is_settled_when_another_begins() -> None:
    run = prompted().feed(chunk("m1", "one"), chunk("m2", "two"))
    assert [row["status"] for row in run.kinds("message")] == ["completed", "pending"]


def test_an_earlier_message_is_replaced_in_its_place() -> None:
    run = prompted().feed(chunk("m1", "one"), chunk("m2", "two"), whole("m1", "first"))
    assert run.texts == ["first", "two"]
    assert run.feed(idle()).texts == ["first", "two"]


def test_pieces_of_two_messages_may_alternate() -> None:
    run = prompted()
    for number in range(4):
        run.feed(chunk("m1", f"a{number}"), chunk("m2", f"b{number}", "agent_thought"))
    run.feed(idle())
    assert run.texts == ["a0a1a2a3"]
    assert run.only("reasoning")["text"] == "b0b1b2b3"
    assert run.drops == {}


def test_a_message_and_a_thought_of_the_same_id_are_two() -> None:
    run = turn(chunk("m1", "said"), chunk("m1", "thought", "agent_thought"), chunk("m1", " more"))
    assert run.texts == ["said more"]
    assert run.only("reasoning")["text"] == "thought"


def test_a_tool_call_does_not_end_a_message_that_has_an_id() -> None:
    run = turn(chunk("m1", "one"), command("t1", status="completed"), chunk("m1", " two"))
    assert run.texts == ["one two"]


def test_ids_may_come_again_in_the_next_turn() -> None:
    run = turn(chunk("m1", "one"))
    run.prompt()
    run.accept().feed(RUNNING, chunk("m1", "two"), idle())
    assert run.texts == ["one", "two"]


def test_the_prompts_echo_shows_nothing_and_input_outside_a_turn_is_kept() -> None:
    run = AcpV2Run()
    run.prompt("go")
    run.accept().feed(whole("u1", "go", role="user_message"), chunk("u1", "go", "user_message"))
    assert not run.unhandled
    run.feed(RUNNING, idle(), whole("u2", "more", role="user_message"))
    assert [event["rawType"] for event in run.unhandled] == ["user_message"]


def test_an_unknown_content_block_costs_nothing_else() -> None:
    update = whole("m1", "a", "b")
    update["content"].insert(1, {"type": "_hologram", "data": 1})
    update["content"].append({**block("c"), "annotations": None})
    assert turn(update).texts == ["abc"]


def test_plans_have_a_row_each_by_their_ids_and_an_empty_one_clears() -> None:
    run = prompted().feed(plan("p1", "one"), plan("p2", "two"), plan("p1", "one", "more"))
    assert [[s["step"] for s in row["steps"]] for row in run.kinds("plan")] == [["one", "more"], ["two"]]
    run.feed(plan("p1"), idle())
    assert [row["steps"] == [] for row in run.kinds("plan")] == [True, False]
    assert {row["status"] for row in run.kinds("plan")} == {"completed"}


def test_a_plan_in_an_unknown_form_is_kept_as_unhandled() -> None:
    run = turn({"sessionUpdate": "plan_update", "plan": {"type": "_gantt", "planId": "p1"}})
    assert [event["rawType"] for event in run.unhandled] == ["plan_update"]


def test_messages_stay_apart_from_calls_that_share_their_id() -> None:
    run = turn(chunk("x", "said"), tool("x", kind="other", title="T", status="completed"), plan("x", "s"))
    assert run.texts == ["said"]
    assert run.call("x")["kind"] == "tool"
