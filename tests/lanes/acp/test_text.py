"""Messages and thoughts: verbatim text, and which chunk begins a new one."""

import pytest
from acp_frames import command, message, other, plan, prompted, thought, turn, update, user


def test_s13_chunks_whose_edges_look_alike_are_joined_verbatim() -> None:
    run = turn(message("|--|"), message("--|"))
    assert run.texts == ["|--|--|"]


def test_s13_an_equal_chunk_is_text_again() -> None:
    assert turn(message("ha"), message("ha"), message("ha")).texts == ["hahaha"]


def test_s13_white_space_and_line_ends_are_kept() -> None:
    assert turn(message(" a \r\n"), message("\n\t"), message(" b ")).texts == [" a \r\n\n\t b "]


def test_the_deltas_of_a_message_are_its_text() -> None:
    run = turn(message("a"), message("b"))
    deltas = [event["delta"] for event in run.events_of("item/agentMessage/delta")]
    assert deltas == ["a", "b"]


def test_s44_the_echo_of_the_prompt_is_dropped_while_the_prompt_is_open() -> None:
    run = turn(user("go"), message("on it"))
    assert run.texts == ["on it"]
    assert run.unhandled == []


def test_s44_an_echo_never_cuts_a_message_in_two() -> None:
    assert turn(message("a"), user("go"), message("b")).texts == ["ab"]


def test_s44_what_the_user_seems_to_say_with_no_prompt_open_is_kept_as_unhandled() -> None:
    run = turn()
    run.feed(user("who?"))
    assert run.unhandled[0]["rawType"] == "user_message_chunk"


def test_s47_a_changed_message_id_begins_a_new_message() -> None:
    run = turn(message("a", message_id="m1"), message("b", message_id="m1"), message("c", message_id="m2"))
    assert run.texts == ["ab", "c"]


@pytest.mark.parametrize("boundary", [command("t1"), plan("step"), thought("hm")])
def test_s47_without_ids_calls_plans_and_thoughts_are_the_boundaries(boundary: dict[str, object]) -> None:
    assert turn(message("a"), boundary, message("b")).texts == ["a", "b"]


def test_s47_news_of_a_running_call_is_no_boundary() -> None:
    run = turn(command("t1"), message("a"), update("t1", status="in_progress"), message("b"))
    assert run.texts == ["ab"]


@pytest.mark.parametrize(
    "quiet",
    [
        other("usage_update", used=1, size=2),
        other("available_commands_update", availableCommands=[]),
        other("current_mode_update", currentModeId="ask"),
        other("session_info_update", title="T"),
        message(""),
        thought(""),
    ],
)
def test_s47_what_is_no_work_is_no_boundary(quiet: dict[str, object]) -> None:
    assert turn(message("a"), quiet, message("b")).texts == ["ab"]


def test_s47_with_an_id_the_message_goes_on_after_a_call() -> None:
    run = turn(message("a", message_id="m1"), command("t1"), message("b", message_id="m1"))
    assert run.texts == ["ab"]


@pytest.mark.parametrize("empty", [message(""), thought(""), message("", message_id="m1")])
def test_s47_an_empty_chunk_opens_nothing(empty: dict[str, object]) -> None:
    run = turn(empty)
    assert run.work == []
    assert run.events_of("item/started") == []


def test_s47_a_thought_is_reasoning_of_its_own() -> None:
    run = turn(thought("hm"), thought("…"), message("so"))
    assert run.only("reasoning")["text"] == "hm…"
    assert run.texts == ["so"]


def test_a_chunk_that_is_no_text_is_named_in_the_message() -> None:
    link = {"sessionUpdate": "agent_message_chunk", "content": {"type": "resource_link", "uri": "file:///a"}}
    assert turn(message("see "), link).texts == ["see file:///a"]


def test_a_message_is_complete_before_its_turn_is() -> None:
    types = [event["type"] for event in turn(message("a")).events]
    assert types[-2:] == ["item/completed", "turn/completed"]


def test_messages_of_two_turns_are_two_messages_even_with_one_id() -> None:
    run = turn(message("a", message_id="m"))
    run.prompt()
    run.feed(message("b", message_id="m")).answer_prompt()
    assert run.texts == ["a", "b"]


def test_a_partial_message_of_a_cancelled_turn_is_kept() -> None:
    run = prompted().feed(message("half a sen"))
    run.stop()
    run.answer_prompt("cancelled")
    assert run.texts == ["half a sen"]
