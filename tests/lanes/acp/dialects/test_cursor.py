"""cursor: titles stand for names, asks come under ids of their own, `cursor/*` methods."""

from typing import Any

import pytest
from acp_frames import AcpRun, ask, notice, prompted, request, tool_call, turn, update

CALL = "call-7f-0\nfc_7f_0"


def in_three_frames(call_id: str, raw_output: Any, **fields: Any) -> list[dict[str, Any]]:
    return [
        tool_call(call_id, status="pending", **fields),
        update(call_id, status="in_progress"),
        update(call_id, status="completed", raw_output=raw_output),
    ]


def cursor(*frames: dict[str, Any]) -> AcpRun:
    return turn(*frames, profile="cursor")


def test_a_failing_command_called_completed_failed_with_its_code_and_both_streams() -> None:
    raw = {"exitCode": 2, "stdout": "out\n", "stderr": "ls: nope"}
    frames = in_three_frames(CALL, raw, kind="execute", title="`ls /x`", raw_input={"command": "ls /x"})
    row = cursor(*frames).call(CALL)
    assert (row["command"], row["status"], row["exitCode"]) == ("ls /x", "failed", 2)
    assert row["output"] == "out\nls: nope"


def test_a_command_in_backticks_is_the_command_where_no_input_says_it() -> None:
    row = cursor(tool_call(CALL, kind="execute", title="`make all`", raw_input={})).call(CALL)
    assert row["command"] == "make all"


def test_the_title_in_words_is_never_the_command() -> None:
    row = cursor(tool_call(CALL, kind="execute", title="Terminal", raw_input={})).call(CALL)
    assert "command" not in row


def test_a_read_without_a_path_shows_what_was_read() -> None:
    frames = in_three_frames(CALL, {"content": "# Demo\n"}, kind="read", title="Read File", raw_input={})
    row = cursor(*frames).call(CALL)
    assert (row["kind"], row["title"], row["output"]) == ("tool", "Read File", {"content": "# Demo\n"})


def test_the_kind_of_a_titled_call_is_known_at_open() -> None:
    run = prompted("cursor").feed(tool_call(CALL, title="Edit File", kind="other", locations=["/a"]))
    assert run.call(CALL)["kind"] == "fileChange"


def test_s22_a_fetch_takes_its_address_from_an_ask_under_another_id() -> None:
    run = prompted("cursor").feed(
        tool_call(CALL, kind="fetch", title="Web Fetch", status="pending", raw_input={}),
        ask("web_fetch_0", kind="fetch", title="Web Fetch", content="Fetch https://example.org/doc."),
    )
    run.answer("allowed")
    run.feed(update(CALL, status="completed", raw_output={"success": True})).answer_prompt()
    row = run.call(CALL)
    assert (row["kind"], row["url"], row["approval"]["decision"]) == (
        "webFetch",
        "https://example.org/doc",
        "allowed",
    )


def test_the_text_of_an_ask_is_the_only_reason_given() -> None:
    run = prompted("cursor").feed(
        tool_call(CALL, kind="execute", title="`make`", raw_input={"command": "make"}),
        ask("shell-permission", kind="execute", title="`make`", content="Not in allowlist: make"),
    )
    assert run.call(CALL)["approval"]["reason"] == "Not in allowlist: make"
    assert run.calls("shell-permission") == []


def test_an_mcp_call_is_named_by_its_tool_and_served_by_whom_the_ask_names() -> None:
    run = prompted("cursor").feed(
        tool_call(CALL, kind="other", title="MCP: search_docs", raw_input={"q": "acp"}),
        ask("mcp_0", kind="other", title="docs-server-search_docs: search_docs"),
    )
    run.answer("allowed")
    run.feed(update(CALL, status="completed", raw_output={"hits": 1})).answer_prompt()
    row = run.call(CALL)
    assert (row["toolName"], row["server"], row["toolArgs"]) == ("search_docs", "docs-server", {"q": "acp"})
    assert len(run.work) == 1


def test_delegated_work_is_told_by_a_request_that_wants_an_empty_answer() -> None:
    run = prompted("cursor").feed(
        tool_call(CALL, kind="other", title="Task: Subagent task", raw_input={"_toolName": "task"}),
        request(
            "cursor/task", "q1", toolCallId=CALL, description="Count files", prompt="count", agentId="ag-1"
        ),
        update(CALL, status="completed", raw_output={"success": True}),
    )
    assert run.responses("q1")[0]["result"] == {}
    row = run.call(CALL)
    assert (row["kind"], row["label"], row["childRef"]) == ("delegation", "Count files", "ag-1")


def test_a_command_like_approval_of_a_file_write_is_answered_even_when_it_joins_nothing() -> None:
    run = prompted("cursor").feed(
        tool_call(CALL, kind="edit", title="Edit File", locations=["/w/a"]),
        ask("write_0", kind="execute", title="`/w`"),
    )
    run.answer("allowed")
    assert run.responses(0)[0]["result"]["outcome"]["outcome"] == "selected"


def test_todos_told_by_request_are_the_plan() -> None:
    todos = [{"id": "1", "content": "a", "status": "completed"}, {"id": "2", "content": "b"}]
    run = prompted("cursor").feed(request("cursor/update_todos", "q1", todos=todos))
    assert run.responses("q1")[0]["result"] == {}
    assert run.only("plan")["steps"] == [{"step": "a", "status": "completed"}, {"step": "b"}]


def test_a_question_waits_for_a_person_and_is_answered_in_cursors_form() -> None:
    questions = [{"id": "q", "prompt": "Which?"}]
    run = prompted("cursor").feed(request("cursor/ask_question", "q1", title="Choose", questions=questions))
    assert run.asked[0]["params"]["payload"] == {
        "kind": "user_question",
        "questions": questions,
        "title": "Choose",
    }
    run.answer("answered", answers=[{"id": "q", "value": "red"}])
    outcome = run.responses("q1")[0]["result"]["outcome"]
    assert outcome == {"outcome": "answered", "answers": [{"id": "q", "value": "red"}]}
    assert run.only("question")["decision"] == "answered"


@pytest.mark.parametrize(("decision", "word"), [("allowed", "accepted"), ("denied", "rejected")])
def test_a_plan_is_accepted_or_rejected(decision: str, word: str) -> None:
    run = prompted("cursor").feed(request("cursor/create_plan", "q1", plan="1. do"))
    assert run.asked[0]["params"]["payload"] == {"kind": "plan_exit", "plan": "1. do"}
    run.answer(decision)
    assert run.responses("q1")[0]["result"] == {"outcome": {"outcome": word}}


def test_other_notifications_of_cursor_are_no_news() -> None:
    run = turn(notice("cursor/telemetry", n=1), profile="cursor")
    assert run.unhandled == []
