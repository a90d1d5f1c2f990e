"""The control protocol: initialize, options, permissions, stops, and everything we do not know."""

from typing import Any

import pytest
from claude_frames import (
    CWD,
    SESSION,
    THREAD,
    ClaudeRun,
    Json,
    assistant,
    can_use,
    control,
    done,
    init,
    prompted,
    result_of,
    text,
    use,
)

QUESTIONS = [{"question": "Which?", "header": "Pick", "options": [{"label": "A"}, {"label": "B"}]}]
RULES = [{"type": "setMode", "mode": "acceptEdits", "destination": "session"}]


def asked(name: str = "Bash", value: Json | None = None, **more: Any) -> ClaudeRun:
    """A run that waits for a person about one call."""
    value = value or {"command": "make"}
    return prompted().feed(assistant(use("c1", name, **value)), can_use("r1", "c1", name, value, **more))


# -- sessions ----------------------------------------------------------------------------------------------


def test_initialize_is_answered_with_what_the_agent_says_of_itself() -> None:
    run = ClaudeRun(start=False)
    run.request("initialize", {})
    assert run.sent[-1]["request"] == {"subtype": "initialize", "hooks": None}
    run.answer("initialize", {"models": [{"value": "opus"}]})
    assert run.answers[-1]["result"] == {"models": [{"value": "opus"}]}
    run.request("model/list", {})
    assert run.answers[-1]["result"] == {"models": [{"value": "opus"}]}


def test_a_refused_initialize_is_an_error() -> None:
    run = ClaudeRun(start=False)
    run.request("initialize", {})
    run.answer("initialize", error="too old")
    assert run.answers[-1]["error"]["message"] == "too old"


def test_the_identity_of_a_started_thread_comes_with_the_agents_first_init() -> None:
    run = ClaudeRun()
    assert run.answers[-1]["result"] == {"threadId": THREAD}
    run.prompt().feed(init(), init())
    named = [m["params"]["providerThreadId"] for m in run.told if m["method"] == "thread/identity"]
    assert named == [SESSION]


def test_a_resumed_thread_has_its_identity_and_nothing_is_sent() -> None:
    run = ClaudeRun(start=False)
    run.request("thread/resume", {"threadId": THREAD, "providerThreadId": SESSION, "cwd": CWD})
    assert run.answers[-1]["result"] == {"threadId": THREAD, "providerThreadId": SESSION}
    assert run.sent == []
    run.prompt().feed(init())
    assert len([m for m in run.told if m["method"] == "thread/identity"]) == 1


def test_a_process_serves_one_thread_and_forks_none() -> None:
    run = ClaudeRun()
    for method in ("thread/start", "thread/fork"):
        run.request(method, {"threadId": "thread-b", "providerThreadId": SESSION, "cwd": CWD})
        assert run.answers[-1]["error"]["code"] == -32602


def test_options_of_a_thread_are_set_at_its_start_and_changed_with_a_turn() -> None:
    run = ClaudeRun(options={"mode": "plan", "model": "opus"})
    assert [m["request"] for m in run.sent] == [
        {"subtype": "set_permission_mode", "mode": "plan"},
        {"subtype": "set_model", "model": "opus"},
    ]
    run.prompt(options={"mode": "plan", "model": "haiku"})
    assert [m["request"] for m in run.sent_of("set_model")][1:] == [
        {"subtype": "set_model", "model": "haiku"}
    ]
    assert len(run.sent_of("set_permission_mode")) == 1


def test_an_option_the_agent_refuses_is_a_warning() -> None:
    run = ClaudeRun(options={"mode": "bypassPermissions"}).answer("set_permission_mode", error="not as root")
    assert run.events_of("provider/warning")[0]["message"] == "set_permission_mode failed: not as root"


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("thread/teleport", {}, -32601),
        ("thread/resume", {"threadId": "x"}, -32602),
        ("turn/start", {"threadId": "unknown", "input": [text("x")]}, -32602),
        ("turn/start", {"threadId": THREAD, "input": []}, -32602),
        ("turn/start", {"threadId": THREAD, "input": ["x"]}, -32602),
        ("turn/steer", {"threadId": THREAD, "input": [text("x")]}, -32602),
        ("thread/stop", {"threadId": THREAD, "intent": "explode"}, -32602),
    ],
)
def test_a_request_that_does_not_fit_is_refused_and_never_silent(
    method: str, params: Json, code: int
) -> None:
    run = ClaudeRun()
    run.request(method, params)
    assert run.answers[-1]["error"]["code"] == code


@pytest.mark.parametrize(
    "noise", [None, 3, [], {}, {"type": 4}, {"type": "control_response"}, {"type": "control_request"}]
)
def test_what_is_no_message_is_counted(noise: Any) -> None:
    run = ClaudeRun().feed(noise)
    assert run.bridge.noise == 1


# -- prompts -----------------------------------------------------------------------------------------------


def test_a_prompt_is_a_user_line() -> None:
    run = ClaudeRun().prompt("go", "not-a-uuid")
    assert run.sent == [
        {
            "type": "user",
            "session_id": "",
            "parent_tool_use_id": None,
            "message": {"role": "user", "content": [text("go")]},
        }
    ]
    accepted = run.events_of("turn/input/accepted")[0]
    assert (accepted["input"], accepted["clientRequestId"]) == ([text("go")], "not-a-uuid")


def test_a_request_id_that_is_a_uuid_names_the_line() -> None:
    uuid = "3b1f6f0e-7a55-4b1c-9e0c-0d5b3c1f2a11"
    assert ClaudeRun().prompt("go", uuid).sent[-1]["uuid"] == uuid


def test_a_picture_is_written_as_the_agent_wants_it() -> None:
    run = ClaudeRun()
    run.request(
        "turn/start",
        {"threadId": THREAD, "input": [{"type": "image", "data": "AA==", "mimeType": "image/png"}]},
    )
    source = {"type": "base64", "media_type": "image/png", "data": "AA=="}
    assert run.sent[-1]["message"]["content"] == [{"type": "image", "source": source}]


def test_a_second_turn_inside_one_is_refused_and_a_steer_is_another_line() -> None:
    run = prompted()
    run.prompt("more")
    assert "steer" in run.answers[-1]["error"]["message"]
    run.steer("and tea")
    assert [m["message"]["content"][0]["text"] for m in run.sent_of("user")] == ["go", "and tea"]
    run.feed(assistant(text("tea")), done("tea", queued_turn_count=0))
    assert len(run.events_of("turn/completed")) == 1


def test_a_steer_that_is_still_queued_keeps_the_turn_open() -> None:
    run = prompted().steer("and tea").feed(assistant(text("one")), done("one", queued_turn_count=1))
    assert run.events_of("turn/completed") == []
    run.feed(init(), assistant(text("tea"), message_id="msg-2"), done("tea", queued_turn_count=0))
    assert len(run.events_of("turn/started")) == len(run.events_of("turn/completed")) == 1


def test_a_prompt_during_a_turn_of_the_agents_own_has_its_turn_after_it() -> None:
    run = prompted().feed(done("ok"), assistant(text("news"), message_id="msg-2"))
    run.prompt("mine")
    assert run.sent_of("user")[-1]["message"]["content"] == [text("mine")]
    run.feed(done("news", origin={"kind": "task-notification"}))
    run.feed(assistant(text("yours"), message_id="msg-3"), done("yours"))
    turns = [row for row in run.rows if row["kind"] == "turn"]
    assert [(row.get("initiator"), row.get("input")) for row in turns] == [
        (None, "go"),
        ("agent", None),
        (None, "mine"),
    ]


# -- permissions -------------------------------------------------------------------------------------------


def test_an_approval_has_the_agents_reason_and_is_allowed_with_its_input() -> None:
    run = asked(decision_reason="\x1b[1mA variable\x1b[0m", display_name="Bash")
    payload = run.asked[-1]["params"]["payload"]
    assert (payload["kind"], payload["title"], payload["reason"]) == ("approval", "Bash", "A variable")
    assert [option["optionId"] for option in payload["options"]] == ["allow_once", "reject_once"]
    run.decide("allowed")
    answer = {"behavior": "allow", "updatedInput": {"command": "make"}}
    assert run.decisions == [{"subtype": "success", "request_id": "r1", "response": answer}]
    run.feed(result_of("c1", "ok"), done())
    assert run.row("command")["approval"] == {"decision": "allowed", "reason": "A variable"}


def test_an_input_a_person_changed_goes_to_the_agent_and_the_row() -> None:
    run = asked().decide("allowed", updatedInput={"command": "make test"})
    assert run.decisions[0]["response"]["updatedInput"] == {"command": "make test"}
    assert run.row("command")["command"] == "make test"


def test_always_takes_the_rules_the_agent_suggested() -> None:
    run = asked(permission_suggestions=RULES)
    assert len(run.asked[-1]["params"]["payload"]["options"]) == 3
    run.decide("allowed", optionId="allow_always")
    assert run.decisions[0]["response"]["updatedPermissions"] == RULES


def test_a_denied_call_is_one_row_denied_with_its_reason_and_the_turn_goes_on() -> None:
    run = asked().decide("denied", message="Not now.")
    assert run.decisions[0]["response"] == {"behavior": "deny", "message": "Not now."}
    run.feed(
        result_of("c1", "Not now.", error=True), assistant(text("Fine."), message_id="msg-2"), done("Fine.")
    )
    row = run.row("command")
    assert (row["status"], row["approval"]) == ("failed", {"decision": "denied", "reason": "Not now."})
    assert run.row("turn")["status"] == "completed"


def test_a_denial_that_stops_the_turn_interrupts_it_and_keeps_the_persons_words() -> None:
    run = asked().decide("denied", message="Stop.", interrupt=True)
    assert run.decisions[0]["response"]["interrupt"] is True
    note = {"non_execution_kind": "user-rejected"}
    run.feed(result_of("c1", "The user doesn't want…", error=True, note=note))
    run.feed({"type": "result", "subtype": "error_during_execution", "is_error": True, "num_turns": 2})
    assert run.row("turn")["status"] == "interrupted"
    assert run.row("command")["approval"] == {"decision": "denied", "reason": "Stop."}


def test_a_denied_call_without_a_result_is_denied_when_the_turn_ends() -> None:
    row = asked().decide("denied", message="No.").feed(done()).row("command")
    assert (row["status"], row["approval"]["reason"]) == ("failed", "No.")


def test_a_question_is_answered_through_its_input() -> None:
    run = asked("AskUserQuestion", {"questions": QUESTIONS}, requires_user_interaction=True)
    assert run.asked[-1]["params"]["payload"] == {"kind": "user_question", "questions": QUESTIONS}
    run.decide("answered", answers={"Which?": "B"})
    answer = {"questions": QUESTIONS, "answers": {"Which?": "B"}}
    assert run.decisions[0]["response"] == {"behavior": "allow", "updatedInput": answer}
    run.feed(result_of("c1", "answered"), done())
    row = run.row("question")
    assert (row["title"], row["answers"], row["status"]) == ("Which?", {"Which?": "B"}, "completed")


def test_a_plan_is_put_to_a_person_from_the_call_where_the_request_lacks_it() -> None:
    run = prompted().feed(assistant(use("c1", "ExitPlanMode", plan="1. do it")))
    request = can_use("r1", "c1", "ExitPlanMode")
    request["request"]["input"] = {}
    run.feed(request)
    payload = run.asked[-1]["params"]["payload"]
    assert (payload["kind"], payload["plan"]) == ("plan_exit", "1. do it")
    run.decide("allowed").feed(result_of("c1", "approved"), done())
    row = run.row("plan")
    assert (row["text"], row["status"], row["approval"]) == ("1. do it", "completed", {"decision": "allowed"})


def test_a_request_that_names_no_call_is_a_row_of_its_own() -> None:
    run = prompted().feed(can_use("r1", None)).decide("allowed").feed(done())
    assert run.row("approval")["decision"] == "allowed"


def test_an_error_of_the_runtime_is_an_error_to_the_agent() -> None:
    run = asked()
    run._take(run.bridge.runtime({"id": run.asked[-1]["id"], "error": {"code": 1, "message": "no screen"}}))
    assert run.decisions == [{"subtype": "error", "request_id": "r1", "error": "no screen"}]


def test_a_request_the_agent_takes_back_is_withdrawn_and_a_late_answer_is_not_sent() -> None:
    run = asked().feed({"type": "control_cancel_request", "request_id": "r1"})
    assert run.told[-1] == {
        "jsonrpc": "2.0",
        "method": "$/cancel_request",
        "params": {"requestId": run.asked[-1]["id"]},
    }
    run.decide("allowed")
    assert run.decisions == []
    run.feed(result_of("c1", "ok"), done())
    row = run.row("command")
    assert (row["status"], row["approval"]["decision"]) == ("completed", "cancelled")


# -- stops -------------------------------------------------------------------------------------------------


def test_a_stop_is_an_interrupt_and_the_turn_ends_with_the_agents_result() -> None:
    run = prompted().feed(assistant(use("c1"))).stop()
    assert run.sent[-1]["request"] == {"subtype": "interrupt"}
    run.answer("interrupt", {"still_queued": []}).feed(result_of("c1", "The user doesn't want…", error=True))
    assert run.events_of("turn/completed") == []
    run.feed({"type": "result", "subtype": "error_during_execution", "is_error": True, "num_turns": 2})
    assert (run.row("turn")["status"], run.row("command")["status"]) == ("interrupted", "interrupted")


def test_s31_what_waits_for_a_person_is_refused_at_once_when_the_turn_is_stopped() -> None:
    run = asked().stop()
    assert [m["type"] for m in run.sent[-2:]] == ["control_request", "control_response"]
    assert run.decisions[0]["response"]["behavior"] == "deny"
    run.feed({"type": "control_cancel_request", "request_id": "r1"})
    run.feed(result_of("c1", "rejected", error=True), done("", is_error=True))
    row = run.row("command")
    assert (row["status"], row["approval"]["decision"]) == ("interrupted", "cancelled")


def test_a_command_that_failed_just_before_the_stop_took_hold_failed() -> None:
    run = prompted().feed(assistant(use("c1"))).stop()
    run.feed(result_of("c1", "Exit code 1\nx", error=True), done("", is_error=True))
    assert run.row("command")["exitCode"] == 1


def test_a_stop_of_an_idle_thread_ends_nothing() -> None:
    run = ClaudeRun().stop().answer("interrupt")
    run.prompt().feed(assistant(text("ok")), done("ok"))
    assert run.row("turn")["status"] == "completed"


def test_a_stop_ends_a_turn_the_agent_had_nothing_to_do_in() -> None:
    run = prompted().feed(done("", num_turns=0)).stop().answer("interrupt")
    assert run.row("turn")["status"] == "interrupted"


def test_a_refused_stop_is_a_warning_and_the_turn_goes_on() -> None:
    run = prompted().stop().answer("interrupt", error="busy").feed(assistant(text("ok")), done("ok"))
    assert run.row("warning")["title"] == "the agent did not stop: busy"
    assert run.row("turn")["status"] == "completed"


def test_a_released_thread_makes_room_for_another() -> None:
    run = ClaudeRun()
    run.request("thread/stop", {"threadId": THREAD, "intent": "release"})
    run.request("thread/start", {"threadId": "thread-b", "cwd": CWD})
    assert run.answers[-1]["result"] == {"threadId": "thread-b"}


# -- other requests of the agent ---------------------------------------------------------------------------


def test_a_hook_is_let_through() -> None:
    run = prompted().feed(control("h1", "hook_callback", callback_id="x"))
    assert run.decisions == [{"subtype": "success", "request_id": "h1", "response": {}}]


@pytest.mark.parametrize("subtype", ["mcp_message", "read_minds"])
def test_s45_any_other_request_is_refused_and_kept(subtype: str) -> None:
    request = control("x1", subtype, server_name="docs")
    run = prompted().feed(request)
    assert run.decisions[0]["subtype"] == "error"
    (event,) = run.events_of("provider/unhandled")
    assert (event["rawType"], event["raw"]) == (f"control_request/{subtype}", request)


def test_s46_ids_of_the_two_sides_do_not_mix() -> None:
    run = ClaudeRun(start=False)
    run.request("initialize", {})
    ours = run.sent[-1]["request_id"]
    run.request("thread/start", {"threadId": THREAD, "cwd": CWD})
    run.prompt().feed(can_use(ours, "c1")).answer("initialize", {"models": []})
    run.decide("allowed")
    assert run.decisions[0]["request_id"] == ours
    assert run.answers[0]["result"] == {"threadId": THREAD}


def test_an_answer_to_nothing_is_noise() -> None:
    run = ClaudeRun().feed(
        {"type": "control_response", "response": {"subtype": "success", "request_id": "req_9"}}
    )
    assert run.bridge.noise == 1


# -- requests that come late or again ----------------------------------------------------------------------


@pytest.mark.parametrize("request_id", ["r1", "r2"])
def test_a_request_that_comes_again_after_its_call_settled_is_answered_and_makes_no_row(
    request_id: str,
) -> None:
    run = asked("Bash").decide("allowed").feed(result_of("c1", "ok"), can_use(request_id, "c1"), done())
    assert [answer["response"]["behavior"] for answer in run.decisions] == ["allow", "deny"]
    assert len(run.asked) == 1
    assert [row["kind"] for row in run.all_rows if row["kind"] != "message"] == ["turn", "command"]
    assert run.row("command")["approval"] == {"decision": "allowed"}


def test_s32_a_request_about_a_call_of_an_ended_turn_opens_no_turn_and_no_row() -> None:
    run = asked("Bash").decide("allowed").feed(result_of("c1", "ok"), done(), can_use("r2", "c1"))
    assert run.decisions[-1]["response"]["behavior"] == "deny"
    assert len([row for row in run.all_rows if row["kind"] == "turn"]) == 1
    assert run.row("command")["status"] == "completed"


def test_a_request_that_comes_again_while_it_waits_is_put_to_a_person_once() -> None:
    run = asked("Bash").feed(can_use("r1", "c1"))
    assert len(run.asked) == 1
    run.decide("allowed")
    assert len(run.decisions) == 1


def test_what_waits_for_a_person_is_denied_when_its_thread_is_released() -> None:
    run = asked("Bash")
    run.request("thread/stop", {"threadId": THREAD, "intent": "release"})
    run.decide("allowed")
    assert [decision["response"]["behavior"] for decision in run.decisions] == ["deny"]
