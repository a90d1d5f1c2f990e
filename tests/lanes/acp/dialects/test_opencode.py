"""opencode: the first title is the tool's name, `rawOutput.metadata` has the code."""

from typing import Any

from acp_frames import CWD, ask, prompted, tool_call, turn, update


def bash(**fields: Any) -> dict[str, Any]:
    return tool_call("t1", title="bash", kind="execute", status="pending", raw_input={"cwd": CWD}, **fields)


FILLED = update(
    "t1", status="in_progress", kind="execute", title="ls /x", raw_input={"command": "ls /x", "cwd": CWD}
)


def test_s09_a_failing_command_called_completed_has_its_code_in_the_metadata() -> None:
    raw = {"output": "nope\n", "metadata": {"exit": 2, "output": "nope\n"}}
    run = turn(bash(), FILLED, update("t1", status="completed", raw_output=raw), profile="opencode")
    row = run.call("t1")
    assert (row["command"], row["status"], row["exitCode"], row["output"]) == ("ls /x", "failed", 2, "nope\n")


def test_s09_standard_content_wins_over_the_metadata() -> None:
    raw = {"output": "raw", "metadata": {"exit": 0, "output": "meta"}}
    run = turn(
        bash(), FILLED, update("t1", status="completed", content="seen", raw_output=raw), profile="opencode"
    )
    assert (run.call("t1")["output"], run.call("t1")["exitCode"]) == ("seen", 0)


def test_s09_an_exit_of_null_is_no_code() -> None:
    text = "1\n\n<shell_metadata>\nUser aborted the command\n</shell_metadata>"
    raw = {"output": text, "metadata": {"output": "1\n", "exit": None}}
    run = prompted("opencode").feed(bash(), FILLED, update("t1", status="in_progress", content="1\n"))
    run.stop()
    run.feed(update("t1", status="completed", content=text, raw_output=raw)).answer_prompt("cancelled")
    assert "exitCode" not in run.call("t1")
    assert run.call("t1")["output"] == text
    assert run.turn["status"] == "interrupted"


def test_cumulative_content_is_streamed_as_growth() -> None:
    run = prompted("opencode").feed(
        bash(),
        FILLED,
        update("t1", status="in_progress", content="1\n"),
        update("t1", status="in_progress", content="1\n2\n"),
    )
    assert run.output_deltas() == [("1\n", False), ("2\n", False)]


def test_an_ask_under_the_calls_id_is_that_calls() -> None:
    run = prompted("opencode").feed(
        bash(), FILLED, ask("t1", kind="execute", title="ls /x", status="pending")
    )
    run.answer("denied")
    run.feed(update("t1", status="failed", content="The user rejected this")).answer_prompt()
    row = run.call("t1")
    assert (row["status"], row["approval"]["decision"], row["command"]) == ("failed", "denied", "ls /x")
    assert "output" not in row
    assert run.turn["status"] == "completed"


def test_a_tool_is_named_by_its_first_title() -> None:
    run = turn(
        tool_call("t1", title="docs_search", kind="other", status="pending", raw_input={}),
        update("t1", status="in_progress", title="Searching docs", raw_input={"q": "x"}),
        profile="opencode",
    )
    assert (run.call("t1")["toolName"], run.call("t1")["title"]) == ("docs_search", "Searching docs")


def test_todos_are_the_plan() -> None:
    todos = [{"content": "a", "status": "completed", "priority": "high"}]
    run = turn(
        tool_call("t1", title="todowrite", kind="other", status="pending", raw_input={}),
        update("t1", status="in_progress", raw_input={"todos": todos}),
        update("t1", status="completed", title="1 todos", content="[…]"),
        profile="opencode",
    )
    row = run.call("t1")
    assert (row["kind"], row["steps"]) == ("plan", [{"step": "a", "status": "completed", "priority": "high"}])


def test_file_arguments_are_read_in_opencodes_spelling() -> None:
    run = turn(tool_call("t1", title="read", kind="read", raw_input={"filePath": "a.py"}), profile="opencode")
    assert (run.call("t1")["kind"], run.call("t1")["path"]) == ("fileRead", f"{CWD}/a.py")
