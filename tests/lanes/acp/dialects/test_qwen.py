"""qwen: names, parents and usage in `_meta`; a command's text is a report for the model."""

from typing import Any

import pytest
from acp_frames import ask, message, notice, prompted, request, tool_call, turn, update

SHELL = {"toolName": "run_shell_command"}


def report(output: str, code: str, signal: str = "0") -> str:
    lines = [
        "Command: make",
        "Directory: (root)",
        f"Output: {output}",
        "Error: (none)",
        f"Exit Code: {code}",
        f"Signal: {signal}",
        "Process Group PGID: 7",
    ]
    return "\n".join(lines)


def shell(**fields: Any) -> dict[str, Any]:
    raw = {"command": "make", "description": "Build"}
    return tool_call("t1", kind="execute", title="Shell: make (Build)", raw_input=raw, meta=SHELL, **fields)


def test_015_reports_the_code_only_in_its_text_and_the_output_as_raw() -> None:
    run = turn(
        shell(status="in_progress"),
        update("t1", status="completed", content=report("boom", "2"), raw_output="boom"),
        profile="qwen",
    )
    row = run.call("t1")
    assert (row["status"], row["exitCode"], row["output"]) == ("failed", 2, "boom")


def test_015_a_command_without_output_has_a_code_and_no_output() -> None:
    run = turn(
        shell(status="in_progress"),
        update("t1", status="completed", content=report("(empty)", "0"), raw_output=""),
        profile="qwen",
    )
    assert run.call("t1")["exitCode"] == 0
    assert "output" not in run.call("t1")


def test_015_a_report_without_a_code_gives_none() -> None:
    run = turn(
        shell(),
        update("t1", status="failed", content=report("part", "(none)"), raw_output="part"),
        profile="qwen",
    )
    assert "exitCode" not in run.call("t1")
    assert run.call("t1")["output"] == "part"


def test_text_that_only_looks_like_a_report_is_the_output() -> None:
    run = turn(shell(), update("t1", status="completed", content="Exit Code: 2"), profile="qwen")
    assert run.call("t1")["output"] == "Exit Code: 2"
    assert "exitCode" not in run.call("t1")


def test_a_report_inside_a_commands_output_is_no_report() -> None:
    inner = report("inner", "7")
    run = turn(
        shell(),
        update("t1", status="completed", content=report(inner, "0"), raw_output=inner),
        profile="qwen",
    )
    assert (run.call("t1")["exitCode"], run.call("t1")["output"]) == (0, inner)


def test_024_reports_the_code_in_its_raw_output() -> None:
    raw = {"type": "shell_result", "version": 1, "exitCode": 2, "signal": None, "output": "boom"}
    run = turn(
        tool_call("t1", kind="execute", status="pending", title="Shell", raw_input={}, meta=SHELL),
        shell(status="in_progress"),
        update("t1", status="failed", content=report("boom", "2", "(none)"), raw_output=raw),
        profile="qwen",
    )
    row = run.call("t1")
    assert (row["command"], row["status"], row["exitCode"], row["output"]) == ("make", "failed", 2, "boom")


def test_024_a_cancelled_command_notes_its_signal() -> None:
    raw = {"type": "shell_result", "exitCode": 0, "signal": 15, "outcome": "cancelled", "output": "1\n"}
    run = prompted("qwen").feed(shell(status="in_progress"))
    run.stop()
    run.feed(update("t1", status="failed", content="cancelled", raw_output=raw)).answer_prompt("cancelled")
    row = run.call("t1")
    assert row["status"] == "failed"
    assert row["output"] == "1\n[terminated by signal 15]"


@pytest.mark.parametrize("first", [True, False])
def test_s21_children_name_their_parent(first: bool) -> None:
    child = tool_call(
        "child",
        kind="search",
        title="ListFiles",
        meta={"toolName": "list_directory", "parentToolCallId": "agent"},
    )
    agent = tool_call(
        "agent",
        kind="other",
        title="Agent: count",
        raw_input={"description": "Count"},
        meta={"toolName": "agent"},
    )
    run = turn(*([agent, child] if first else [agent, ask("child", kind="search"), child]), profile="qwen")
    assert [row["providerItemId"] for row in run.work] == ["agent"]
    assert run.call("agent")["kind"] == "delegation"
    assert [row["providerItemId"] for row in run.call("agent")["children"]] == ["child"]


def test_usage_rides_on_an_empty_chunk_that_opens_nothing() -> None:
    usage = {"inputTokens": 3, "outputTokens": 1}
    run = turn(message("a"), message("", meta={"usage": usage}), message("b"), profile="qwen")
    assert run.texts == ["ab"]
    assert run.events_of("thread/tokenUsage/updated")[0]["last"] == usage


def test_s20_an_asked_edit_has_no_tool_call_and_is_one_row() -> None:
    run = prompted("qwen").feed(ask("e1", kind="edit", title="calc.py", locations=["/w/calc.py"]))
    run.answer("allowed")
    run.feed(update("e1", status="completed", meta={"toolName": "edit"})).answer_prompt()
    assert (run.call("e1")["kind"], run.call("e1")["status"]) == ("fileChange", "completed")


def test_the_queue_question_is_refused_and_worth_no_row() -> None:
    run = prompted("qwen").feed(request("craft/drainMidTurnQueue", "q1"))
    assert run.responses("q1")[0]["error"]["code"] == -32601
    assert run.unhandled == []


def test_suggestions_for_the_client_are_no_news() -> None:
    run = turn(profile="qwen")
    run.feed(notice("qwen/notify/session/prompt-suggestion", suggestion="ok"))
    assert run.unhandled == []
