"""grok: name and kind ride in `_meta`, outputs are byte arrays, `_x.ai/*` methods."""

from typing import Any

import pytest
from acp_frames import (
    CWD,
    AcpRun,
    ask,
    diff,
    message,
    notice,
    prompted,
    request,
    terminal,
    tool_call,
    turn,
    update,
)

from parity.lanes.acp.dialects import choose

CHILD = "session-child"


def meta(name: str, kind: str) -> dict[str, Any]:
    return {"x.ai/tool": {"version": 1, "name": name, "kind": kind, "label": name, "read_only": False}}


SHELL = meta("run_terminal_command", "execute")


def shell(call_id: str = "t1", line: str = "make") -> dict[str, Any]:
    """The first frame: the tool's name as title and no kind."""
    return tool_call(call_id, title="run_terminal_command", raw_input={"command": line}, meta=SHELL)


def bash(output: str, code: int | None, **fields: Any) -> dict[str, Any]:
    raw = {"type": "Bash", "output": list(output.encode()), "output_for_prompt": f"exit: {code}\n{output}"}
    return {**raw, "exit_code": code, "signal": None, "timed_out": False, **fields}


def test_name_and_kind_are_known_at_open() -> None:
    run = prompted("grok").feed(shell())
    assert (run.call("t1")["kind"], run.call("t1")["command"]) == ("command", "make")
    run.feed(update("t1", kind="execute", title="Execute `make`", content="Build it", meta=SHELL))
    assert len({event["item"]["type"] for event in run.item_events("t1")}) == 1


def test_a_tool_is_named_by_its_programmatic_name_whatever_the_later_title() -> None:
    run = turn(
        tool_call("t1", title="lookup", meta=meta("lookup", "custom")),
        update("t1", kind="other", title="Looking it up", meta=meta("lookup", "custom")),
        profile="grok",
    )
    assert (run.call("t1")["toolName"], run.call("t1")["title"]) == ("lookup", "Looking it up")


def test_s05_a_whole_streamed_command() -> None:
    run = turn(
        shell(),
        update("t1", kind="execute", title="Execute `make`", content="Build it", meta=SHELL),
        update("t1", status="in_progress", content="", raw_output=bash("", 0)),
        update("t1", status="in_progress", content="a\n", raw_output=bash("a\n", 0)),
        update("t1", status="in_progress", content="a\nb\n", raw_output=bash("a\nb\n", 0)),
        update("t1", status="completed", content="a\nb\n", raw_output=bash("a\nb\n", 2)),
        profile="grok",
    )
    row = run.call("t1")
    assert (row["status"], row["exitCode"], row["output"], row["detail"]) == (
        "failed",
        2,
        "a\nb\n",
        "Build it",
    )
    assert run.output_deltas() == [("a\n", False), ("b\n", False)]


def test_the_text_for_the_models_prompt_is_never_the_output() -> None:
    run = turn(
        shell(), update("t1", status="completed", content="ok\n", raw_output=bash("ok\n", 0)), profile="grok"
    )
    assert run.call("t1")["output"] == "ok\n"


def test_s08_a_command_ended_by_a_signal() -> None:
    raw = bash("a\n", -1, signal="SIGKILL")
    run = turn(shell(), update("t1", status="failed", content="a\n", raw_output=raw), profile="grok")
    assert (run.call("t1")["exitCode"], run.call("t1")["output"]) == (-1, "a\n[terminated by signal SIGKILL]")


def test_s15_byte_arrays_never_reach_a_row_as_numbers() -> None:
    run = turn(
        tool_call("t1", title="lookup", meta=meta("lookup", "custom")),
        update("t1", status="completed", raw_output={"type": "X", "output": list(b"caf\xc3\xa9\n")}),
        profile="grok",
    )
    assert run.call("t1")["output"] == {"type": "X", "output": "café\n"}


def test_s15_a_command_whose_close_has_only_bytes_shows_their_text() -> None:
    run = turn(shell(), update("t1", status="completed", raw_output=bash("done\n", 0)), profile="grok")
    assert (run.call("t1")["output"], run.call("t1")["exitCode"]) == ("done\n", 0)


def test_s51_target_file_and_fragment_diffs_are_resolved() -> None:
    run = turn(
        tool_call("r", title="read_file", raw_input={"target_file": "a.py"}, meta=meta("read_file", "read")),
        tool_call(
            "e", title="search_replace", raw_input={"file_path": "a.py"}, meta=meta("search_replace", "edit")
        ),
        update("e", kind="edit", locations=["a.py"], content=[diff(f"{CWD}/a.py", "x", "y")]),
        profile="grok",
    )
    assert (run.call("r")["kind"], run.call("r")["path"]) == ("fileRead", f"{CWD}/a.py")
    assert run.call("e")["changes"] == [
        {"path": f"{CWD}/a.py", "kind": "update", "oldText": "x", "newText": "y"}
    ]


def test_a_fetch_is_one_at_open() -> None:
    fetch = tool_call(
        "t1", title="web_fetch", raw_input={"url": "https://a.b"}, meta=meta("web_fetch", "web_fetch")
    )
    run = prompted("grok").feed(fetch)
    assert (run.call("t1")["kind"], run.call("t1")["url"]) == ("webFetch", "https://a.b")


def test_a_failed_tool_says_its_error_once() -> None:
    raw = {"error": "tool_execution_failed", "message": "no such task"}
    run = turn(
        tool_call("t1", title="lookup", meta=meta("lookup", "custom")),
        update("t1", status="failed", content="Tool failed: no such task", raw_output=raw),
        profile="grok",
    )
    assert run.call("t1")["error"] == "Tool failed: no such task"


def test_a_refused_edit_ends_the_whole_turn_as_cancelled() -> None:
    edit = meta("search_replace", "edit")
    run = prompted("grok").feed(
        tool_call("t1", title="search_replace", raw_input={"file_path": "a.py"}, meta=edit),
        ask("t1", kind="edit", title="Edit `a.py`", meta=edit),
    )
    run.answer("denied")
    run.feed(update("t1", status="failed", content="User rejected the execution")).answer_prompt("cancelled")
    row = run.call("t1")
    assert (row["kind"], row["status"], row["approval"]["decision"]) == ("fileChange", "failed", "denied")
    assert run.turn["status"] == "interrupted"


def test_s32_a_background_command_that_goes_on_after_the_answer_revives_nothing() -> None:
    run = turn(shell(), update("t1", status="completed", content="started"), profile="grok")
    before = run.call("t1")
    run.feed(update("t1", status="in_progress", content="bg 1\n", raw_output=bash("bg 1\n", 0)))
    assert run.call("t1") == before
    assert len(run.unhandled) == 1


def test_a_background_command_that_goes_on_inside_its_turn_stays_settled_and_gets_no_code() -> None:
    run = turn(
        shell(),
        update("t1", status="completed", content="started"),
        update("t1", status="in_progress", content="bg 1\n", raw_output=bash("bg 1\n", 0)),
        profile="grok",
    )
    assert run.call("t1")["status"] == "completed"
    assert "exitCode" not in run.call("t1")
    assert run.drops == {}


def delegating() -> AcpRun:
    task = meta("spawn_subagent", "task")
    raw = {"prompt": "count", "description": "Count files", "background": False}
    spawned = {"sessionUpdate": "subagent_spawned", "child_session_id": CHILD}
    return prompted("grok").feed(
        tool_call("sub", title="spawn_subagent", raw_input=raw, meta=task),
        notice("_x.ai/session_notification", update=spawned),
    )


def test_a_subagents_session_is_nested_under_the_delegation() -> None:
    run = delegating()
    run.feed(
        tool_call("c1", title="list_dir", raw_input={"target_directory": "."}, meta=meta("list_dir", "list")),
        update("c1", status="completed", raw_output={"type": "ListDir"}),
        message("child words"),
        session=CHILD,
    )
    run.feed(update("sub", status="completed", content="done"), message("parent words")).answer_prompt()
    row = run.call("sub")
    assert (row["kind"], row["label"], row["childRef"], row["background"]) == (
        "delegation",
        "Count files",
        CHILD,
        False,
    )
    assert [child["kind"] for child in row["children"]] == ["tool", "message"]
    assert [row["kind"] for row in run.rows] == ["turn", "message"]
    assert run.rows[-1]["text"] == "parent words"
    assert run.unhandled == []


def test_a_subagents_words_never_mix_with_its_parents() -> None:
    run = delegating()
    run.feed(message("par"))
    run.feed(message("child"), session=CHILD)
    run.feed(message("ent")).answer_prompt()
    assert sorted(run.texts) == ["child", "parent"]


def test_a_subagent_may_ask_for_permission() -> None:
    run = delegating()
    run.feed(shell("c1"), ask("c1", kind="execute", title="make"), session=CHILD)
    run.answer("allowed")
    assert run.responses(0)[0]["result"]["outcome"]["optionId"] == "yes"
    row = run.call("c1")
    assert row["approval"]["decision"] == "allowed"
    assert [child["providerItemId"] for child in run.call("sub")["children"]] == ["c1"]


def test_an_ask_that_opens_a_subagents_row_is_nested_too() -> None:
    run = delegating()
    run.feed(ask("c1", kind="execute", title="make", meta=SHELL), session=CHILD)
    assert [row["providerItemId"] for row in run.work] == ["sub"]
    assert [child["providerItemId"] for child in run.call("sub")["children"]] == ["c1"]


def test_s14_a_subagents_command_in_a_client_terminal_has_its_output_and_code() -> None:
    run = delegating()
    run.feed(shell("c1"), update("c1", status="in_progress", content=[terminal("term-1")]), session=CHILD)
    run.terminal("output", "term-1", {"output": "a\n", "exitStatus": {"exitCode": 4}}, session=CHILD)
    run.feed(update("c1", status="completed"), session=CHILD)
    assert (run.call("c1")["output"], run.call("c1")["exitCode"]) == ("a\n", 4)


def test_the_vendors_notifications_are_no_news() -> None:
    run = turn(
        notice("_x.ai/queue/changed", entries=[]),
        notice("_x.ai/session_notification", update={"sessionUpdate": "response_completed"}),
        notice("_x.ai/session/setup", phase="auth"),
        profile="grok",
    )
    assert run.unhandled == []
    assert run.work == []


def test_a_question_is_the_row_of_its_call_and_is_answered_by_a_person() -> None:
    questions = [{"question": "Which colour?", "options": [{"label": "Red"}, {"label": "Blue"}]}]
    run = prompted("grok").feed(
        tool_call("t1", title="ask_user_question", meta=meta("ask_user_question", "ask_user")),
        request("_x.ai/ask_user_question", "q1", toolCallId="t1", questions=questions),
    )
    assert run.asked[0]["params"]["payload"] == {"kind": "user_question", "questions": questions}
    run.answer("answered", answers=["Red"])
    row = run.call("t1")
    assert (row["kind"], row["questions"], row["decision"], row["answers"]) == (
        "question",
        questions,
        "answered",
        ["Red"],
    )
    assert run.responses("q1")[0]["result"] == {"outcome": "accepted", "answers": ["Red"]}


@pytest.mark.parametrize(
    "result", [{"decision": "cancelled"}, {"decision": "answered", "answers": {"a": "b"}}]
)
def test_an_answer_to_a_question_reads_back_as_it_was_given(result: dict[str, Any]) -> None:
    grok = choose("grok")
    method = "_x.ai/ask_user_question"
    assert grok.decode_answer(method, grok.encode_answer(method, result)) == result


def test_leaving_plan_mode_waits_for_a_person() -> None:
    run = prompted("grok").feed(request("_x.ai/exit_plan_mode", "q1", planContent="1. do"))
    assert run.asked[0]["params"]["payload"] == {"kind": "plan_exit", "plan": "1. do"}
    run.answer("denied")
    assert len(run.responses("q1")) == 1
