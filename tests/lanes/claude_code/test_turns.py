"""Where a turn of Claude Code begins and ends, and how."""

import pytest
from claude_frames import (
    NOTIFIED,
    ClaudeRun,
    Json,
    assistant,
    done,
    init,
    message_start,
    prompted,
    result_of,
    system,
    text,
    turn,
    use,
    user,
)

API_ERROR: Json = {
    "model": "<synthetic>",
    "error": "authentication_failed",
    "is_api_error_message": True,
    "api_error_status": 401,
}


def turns(run: ClaudeRun) -> list[tuple[str, str | None]]:
    return [(row["status"], row.get("initiator")) for row in run.all_rows if row["kind"] == "turn"]


def test_a_result_that_went_well_completes_the_turn_and_its_last_message_stands_after_it() -> None:
    run = turn(assistant(text("Done.")), ending=done("Done."))
    assert [(row["kind"], row["status"]) for row in run.rows] == [
        ("turn", "completed"),
        ("message", "completed"),
    ]


def test_a_result_whose_text_nothing_said_is_the_answer() -> None:
    assert turn(ending=done("42", num_turns=1)).row("message")["text"] == "42"


def test_s29_a_call_without_a_result_is_interrupted_with_the_reason() -> None:
    row = turn(assistant(use("c1"))).row("command")
    assert row["status"] == "interrupted"
    assert row["detail"] == "the agent ended the turn without reporting a result"


def test_s32_what_a_finished_turn_still_says_is_unhandled_and_opens_nothing() -> None:
    late = [result_of("c1", "late"), assistant(text("late"), message_id="msg-1")]
    run = turn(assistant(use("c1"))).feed(*late)
    assert turns(run) == [("completed", None)]
    assert [row["title"] for row in run.rows if row["kind"] == "unhandled"] == [
        "user/tool_result",
        "assistant",
    ]


def test_s33_work_with_no_prompt_is_a_turn_of_the_agents_own() -> None:
    run = turn(assistant(text("started"))).feed(
        init(), assistant(text("news"), message_id="msg-2"), done("news", origin=NOTIFIED)
    )
    assert turns(run) == [("completed", None), ("completed", "agent")]
    assert len(run.events_of("turn/completed")) == 2
    assert run.drops == {}


def test_s33_a_streamed_answer_with_no_prompt_is_a_turn_of_the_agents_own() -> None:
    run = turn(assistant(text("x"))).feed(message_start("msg-2"), done("", origin=NOTIFIED))
    assert turns(run)[1] == ("completed", "agent")


def test_s39_a_result_of_the_agents_own_news_does_not_end_our_turn() -> None:
    run = prompted().feed(assistant(text("news")), done("news", origin=NOTIFIED))
    assert run.events_of("turn/completed") == []
    run.feed(assistant(text("answer"), message_id="msg-2"), done("answer"))
    assert turns(run) == [("completed", None)]


def test_s39_a_result_that_names_our_prompt_ends_our_turn_whatever_began_it() -> None:
    uuid = "3b1f6f0e-7a55-4b1c-9e0c-0d5b3c1f2a11"
    run = ClaudeRun().prompt("go", uuid).feed(init(), assistant(text("both")))
    run.feed(done("both", origin=NOTIFIED, user_message_uuids=[uuid]))
    assert turns(run) == [("completed", None)]


def test_s39_no_turns_before_any_work_is_not_the_end() -> None:
    run = prompted().feed(done("", num_turns=0))
    assert run.events_of("turn/completed") == []
    run.feed(assistant(text("answer")), done("answer"))
    assert turns(run) == [("completed", None)]


def test_s39_no_turns_after_a_command_of_the_agents_own_is_the_end() -> None:
    answer = assistant(text("Cost: 0"), model="<synthetic>")
    assert turns(prompted("/cost").feed(answer, done("Cost: 0", num_turns=0))) == [("completed", None)]


def test_s39_an_agent_that_says_it_is_idle_ends_a_turn_it_did_nothing_in() -> None:
    run = prompted().feed(done("", num_turns=0), system("session_state_changed", state="idle"))
    assert turns(run) == [("completed", None)]


def test_s40_a_success_that_is_an_error_fails_the_turn_with_the_reported_error() -> None:
    ending = done("Invalid key", is_error=True, api_error_status=401, api_error_type="authentication_error")
    run = turn(ending=ending)
    assert run.row("turn")["error"] == "Invalid key (API error 401, authentication_error)"
    assert turns(run) == [("failed", None)]
    (error,) = run.events_of("provider/error")
    assert (error["message"], error["code"]) == ("Invalid key", 401)


def test_an_api_error_is_an_error_and_no_message_and_stands_once() -> None:
    run = turn(
        assistant(text("Invalid key"), **API_ERROR),
        ending=done("Invalid key", is_error=True, api_error_status=401),
    )
    assert [row["kind"] for row in run.all_rows] == ["turn", "error"]


def test_an_unmarked_api_error_is_told_by_its_words() -> None:
    run = turn(
        assistant(text("API Error: 500"), model="<synthetic>"), ending=done("API Error: 500", is_error=True)
    )
    assert [row["kind"] for row in run.all_rows] == ["turn", "error"]


def test_what_the_agent_program_says_itself_is_a_message() -> None:
    run = turn(assistant(text("Set model to haiku"), model="<synthetic>", usage={"input_tokens": 0}))
    assert run.row("message")["text"] == "Set model to haiku"


@pytest.mark.parametrize(
    ("ending", "error"),
    [
        (
            {"subtype": "error_max_turns", "errors": ["Reached maximum number of turns (1)"]},
            "the agent stopped: error_max_turns: Reached maximum number of turns (1)",
        ),
        ({"subtype": "error_during_execution"}, "the agent stopped: error_during_execution"),
        ({"subtype": "error_tomorrow", "errors": []}, "the agent stopped: error_tomorrow"),
    ],
)
def test_s35_any_other_ending_fails_with_the_agents_word(ending: Json, error: str) -> None:
    run = prompted().feed({"type": "result", "is_error": True, "num_turns": 2, **ending})
    assert run.row("turn")["error"] == error


@pytest.mark.parametrize("reason", ["max_tokens", "refusal"])
def test_s35_an_answer_cut_short_fails_with_the_stop_reason(reason: str) -> None:
    run = turn(assistant(text("half")), ending=done("half", stop_reason=reason))
    assert run.row("turn")["error"] == f"the agent stopped: {reason}"


def test_an_aborted_turn_is_interrupted_and_its_marks_are_no_messages() -> None:
    run = prompted().feed(
        assistant(use("c1")),
        result_of("c1", "refused", error=True, note={"non_execution_kind": "user-rejected"}),
        user("[Request interrupted by user for tool use]"),
        {
            "type": "result",
            "subtype": "error_during_execution",
            "is_error": True,
            "num_turns": 2,
            "terminal_reason": "aborted_tools",
        },
    )
    assert [(row["kind"], row["status"]) for row in run.all_rows] == [
        ("turn", "interrupted"),
        ("command", "interrupted"),
    ]


def test_s34_a_stopped_turn_is_interrupted_whatever_the_result_says() -> None:
    run = prompted().feed(assistant(text("x"))).stop().answer("interrupt").feed(done("x"))
    assert turns(run) == [("interrupted", None)]


def test_s44_our_prompt_is_not_shown_again() -> None:
    run = prompted("do it").feed(user("do it"), user("anything", isReplay=True), done())
    assert [event["type"] for event in run.events_of("turn/input/accepted")] == ["turn/input/accepted"]


def test_input_the_agent_gives_itself_is_told_apart() -> None:
    run = turn(user("skill text", isSynthetic=True))
    assert run.events_of("turn/input/accepted")[-1]["origin"] == "provider"
    assert run.drops == {}


def test_a_stray_error_is_told_and_opens_no_turn() -> None:
    run = ClaudeRun().feed(done("No such session", is_error=True, num_turns=0))
    assert [(row["kind"], row["title"]) for row in run.rows] == [("error", "No such session")]


def test_a_stray_result_of_nothing_is_silent_and_any_other_is_kept() -> None:
    run = ClaudeRun().feed(done("", num_turns=0), done("", origin=NOTIFIED), done("?"))
    assert [row["title"] for row in run.rows] == ["result"]
