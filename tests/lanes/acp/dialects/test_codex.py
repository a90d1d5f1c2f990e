"""codex-acp: commands classed by what they do, output in `_meta`, errors in the session's info."""

from typing import Any

from acp_frames import ask, command, message, other, prompted, terminal, tool_call, turn, update


def run_command(call_id: str = "t1", **fields: Any) -> dict[str, Any]:
    return tool_call(call_id, name="exec_command", status="in_progress", **fields)


def piece(data: str, call_id: str = "t1", key: str = "terminal_output") -> dict[str, Any]:
    return update(call_id, meta={key: {"data": data, "terminal_id": call_id}})


def test_a_listing_called_a_read_without_a_file_is_a_command() -> None:
    row = turn(
        run_command(kind="read", title="List files in 'x'"),
        update(
            "t1",
            status="failed",
            raw_output={"exit_code": 2},
            meta={"terminal_output_delta": {"data": "ls: nope\n", "terminal_id": "t1"}},
        ),
        profile="codex",
    ).call("t1")
    assert (row["kind"], row["status"], row["exitCode"], row["output"]) == (
        "command",
        "failed",
        2,
        "ls: nope\n",
    )
    assert row["title"] == "List files in 'x'"


def test_a_read_with_its_file_is_a_read() -> None:
    row = turn(
        run_command(kind="read", title="Read file", locations=["/w/a.md"]),
        update("t1", status="completed", raw_output={"exit_code": 0}),
        profile="codex",
    ).call("t1")
    assert (row["kind"], row["path"], row["status"]) == ("fileRead", "/w/a.md", "completed")


def test_s12_pieces_in_meta_are_appended_and_the_code_is_the_terminal_exits() -> None:
    run = turn(
        run_command(kind="execute", title="loop", content=[terminal("t1")], raw_input={"command": "loop"}),
        piece("2\r\n"),
        piece("3\r\n"),
        update("t1", status="completed", meta={"terminal_exit": {"exit_code": 0, "signal": None}}),
        profile="codex",
    )
    row = run.call("t1")
    assert (row["output"], row["exitCode"]) == ("2\r\n3\r\n", 0)
    assert run.output_deltas() == [("2\r\n", False), ("3\r\n", False)]


def test_s30_a_cancelled_command_that_goes_on_after_the_answer_revives_nothing() -> None:
    run = prompted("codex").feed(run_command(kind="execute", title="loop"), piece("1\n"))
    run.stop()
    run.answer_prompt("cancelled")
    before = run.call("t1")
    run.feed(
        piece("2\n"),
        update("t1", status="completed", meta={"terminal_exit": {"exit_code": 0, "signal": None}}),
    )
    assert run.call("t1") == before
    assert before["status"] == "interrupted"
    assert "exitCode" not in before
    assert len(run.unhandled) == 2


def test_an_ask_under_the_calls_id_with_a_lower_status_is_merged() -> None:
    run = prompted("codex").feed(
        run_command(kind="execute", title="touch x", raw_input={"command": "touch x", "cwd": "/w"}),
        ask(
            "t1",
            title="touch x",
            raw_input={"command": "touch x", "cwd": "/w"},
            kind="execute",
            status="pending",
        ),
    )
    run.answer("allowed")
    run.feed(update("t1", status="completed", meta={"terminal_exit": {"exit_code": 0}})).answer_prompt()
    row = run.call("t1")
    assert (row["command"], row["cwd"], row["status"]) == ("touch x", "/w", "completed")


def test_an_edit_keeps_its_changes_through_a_bare_close() -> None:
    block = {"type": "diff", "path": "/w/a", "oldText": "x", "newText": "y", "_meta": {"kind": "update"}}
    run = turn(
        tool_call("t1", kind="edit", title="Editing files", status="in_progress", content=[block]),
        update("t1", status="completed"),
        profile="codex",
    )
    row = run.call("t1")
    assert (row["status"], row["changes"][0]["newText"]) == ("completed", "y")


def test_the_error_of_the_model_in_the_session_info_is_a_warning() -> None:
    error = {"message": "Reconnecting... 1/1", "additionalDetails": "high demand"}
    run = turn(other("session_info_update", _meta={"codex": {"error": error}}), profile="codex")
    warning = run.events_of("provider/warning")[0]["message"]
    assert "Reconnecting... 1/1" in warning
    assert "high demand" in warning
    assert run.turn["status"] == "completed"


def test_a_started_subagent_is_delegated_work() -> None:
    raw = {"agentThreadId": "th-2", "agentPath": "/w/child", "activityKind": "started"}
    run = turn(
        tool_call("t1", kind="other", title="Start subagent child", status="in_progress", raw_input=raw),
        update("t1", status="completed"),
        profile="codex",
    )
    row = run.call("t1")
    assert (row["kind"], row["childRef"], row["label"]) == ("delegation", "th-2", "Start subagent child")


def test_s47_calls_separate_messages_even_where_ids_come_round_again() -> None:
    run = turn(message("a", message_id="m"), command("t1"), message("b", message_id="m"), profile="codex")
    assert run.texts == ["a", "b"]
