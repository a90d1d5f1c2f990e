"""claude-agent-acp: names and parents in `_meta.claudeCode`, the code in a command's first line."""

from typing import Any

from acp_frames import ask, prompted, terminal, tool_call, turn, update


def meta(name: str, **more: Any) -> dict[str, Any]:
    return {"claudeCode": {"toolName": name, **more}}


def bash(**fields: Any) -> dict[str, Any]:
    """The first frame: "Terminal" with an empty input."""
    given = {"kind": "execute", "status": "pending", "title": "Terminal", "raw_input": {}, **fields}
    return tool_call("t1", name="Bash", meta=meta("Bash"), **given)


FILLED = update("t1", title="ls /x", raw_input={"command": "ls /x"}, meta=meta("Bash"))


def test_s16_a_call_filled_later_is_one_row() -> None:
    run = turn(bash(), FILLED, update("t1", status="completed", raw_output="ok"), profile="claude")
    row = run.call("t1")
    assert (row["command"], row["title"], row["output"]) == ("ls /x", "ls /x", "ok")


def test_a_failing_command_says_its_code_in_the_first_line_of_its_text() -> None:
    raw = "Exit code 2\nls: nope"
    run = turn(
        bash(),
        FILLED,
        update("t1", status="failed", raw_output=raw, content=f"```\n{raw}\n```"),
        profile="claude",
    )
    row = run.call("t1")
    assert (row["status"], row["exitCode"], row["output"]) == ("failed", 2, "ls: nope")


def test_a_succeeding_command_that_prints_such_a_line_printed_it() -> None:
    raw = "Exit code 2\nnot really"
    run = turn(bash(), FILLED, update("t1", status="completed", raw_output=raw), profile="claude")
    assert run.call("t1")["output"] == raw
    assert "exitCode" not in run.call("t1")


def test_the_markdown_fence_around_the_output_is_not_output() -> None:
    run = turn(
        bash(),
        FILLED,
        update("t1", status="completed", raw_output="a\n", content="```\na\n```"),
        profile="claude",
    )
    assert run.call("t1")["output"] == "a\n"


def test_the_words_for_no_output_are_no_output() -> None:
    words = "(Bash completed with no output)"
    run = turn(bash(), FILLED, update("t1", status="completed", raw_output=words), profile="claude")
    assert "output" not in run.call("t1")


def test_s12_terminal_output_comes_whole_and_the_code_from_the_terminal_exit() -> None:
    run = turn(
        bash(content=[terminal("t1")]),
        FILLED,
        update("t1", meta={"terminal_output": {"terminal_id": "t1", "data": "Exit code 2\r\nls: nope\r\n"}}),
        update(
            "t1", status="failed", meta={**meta("Bash"), "terminal_exit": {"exit_code": 2, "signal": None}}
        ),
        profile="claude",
    )
    row = run.call("t1")
    assert (row["status"], row["exitCode"]) == ("failed", 2)
    assert row["output"].endswith("ls: nope\r\n")


def test_s12_terminal_output_said_twice_is_not_doubled() -> None:
    whole = {"terminal_output": {"terminal_id": "t1", "data": "a\n"}}
    run = turn(
        bash(),
        FILLED,
        update("t1", meta=whole),
        update("t1", status="completed", meta=whole),
        profile="claude",
    )
    assert run.call("t1")["output"] == "a\n"


def test_a_refused_command_never_ran_and_has_no_output() -> None:
    run = prompted("claude").feed(bash(), FILLED, ask("t1", kind="execute", title="ls /x", content="Probe"))
    run.answer("denied")
    words = "User refused permission to run tool"
    run.feed(
        update("t1", status="failed", raw_output=words, meta=meta("Bash", nonExecutionKind="permission-rule"))
    ).answer_prompt()
    row = run.call("t1")
    assert (row["status"], row["approval"]["decision"], row["detail"]) == ("failed", "denied", words)
    assert not {"output", "exitCode"} & set(row)


def test_a_command_a_rule_refused_has_no_output_either() -> None:
    run = turn(
        bash(),
        FILLED,
        update(
            "t1",
            status="failed",
            raw_output="denied by rule",
            meta=meta("Bash", nonExecutionKind="permission-rule"),
        ),
        profile="claude",
    )
    assert "output" not in run.call("t1")
    assert run.call("t1")["detail"] == "denied by rule"


def test_a_subagents_calls_are_nested_under_it() -> None:
    child = meta("Bash", parentToolUseId="agent")
    run = turn(
        tool_call("agent", name="Agent", kind="think", title="Task", raw_input={}, meta=meta("Agent")),
        update("agent", title="Child job", raw_input={"description": "Child job"}, meta=meta("Agent")),
        tool_call("c1", name="Bash", kind="execute", title="ls", raw_input={"command": "ls"}, meta=child),
        update("c1", status="completed", raw_output="ok", meta=child),
        update("agent", status="completed", raw_output="done", meta=meta("Agent")),
        profile="claude",
    )
    row = run.call("agent")
    assert (row["kind"], row["label"], row["status"]) == ("delegation", "Child job", "completed")
    assert [found["providerItemId"] for found in row["children"]] == ["c1"]


def test_a_tool_keeps_the_protocols_name_before_the_vendors() -> None:
    run = turn(
        tool_call("t1", name="mcp__docs__find", kind="other", title="find", meta=meta("other")),
        profile="claude",
    )
    assert run.call("t1")["toolName"] == "mcp__docs__find"
