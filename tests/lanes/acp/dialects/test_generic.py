"""The generic dialect: the protocol and the spellings many agents share, no vendor's side channel."""

from typing import Any

import pytest
from acp_frames import command, notice, prompted, request, tool_call, turn, update


def test_a_tool_without_a_programmatic_name_gets_none() -> None:
    row = turn(tool_call("lookup__1", title="lookup", kind="other", meta={"toolName": "lookup"})).call(
        "lookup__1"
    )
    assert "toolName" not in row
    assert row["title"] == "lookup"


@pytest.mark.parametrize(
    "meta",
    [
        {"x.ai/tool": {"name": "shell", "kind": "execute"}},
        {"toolName": "run_shell_command"},
        {"claudeCode": {"toolName": "Bash", "parentToolUseId": "t0"}},
        {"parentToolCallId": "t0"},
    ],
)
def test_vendor_metadata_means_nothing(meta: dict[str, Any]) -> None:
    run = turn(tool_call("t0", name="agent"), tool_call("t1", title="T", meta=meta))
    assert (run.call("t1")["kind"], len(run.work)) == ("tool", 2)


@pytest.mark.parametrize(
    "text",
    [
        "terminal result\n- **output:** x\n- **exit_code:** 2",
        "Command: a\nDirectory: (root)\nOutput: x\nError: (none)\nExit Code: 2\nSignal: 0",
        "Exit code 2\nx",
    ],
)
def test_vendor_reports_are_plain_output(text: str) -> None:
    row = turn(command("t1"), update("t1", status="failed", content=text)).call("t1")
    assert row["output"] == text
    assert "exitCode" not in row


@pytest.mark.parametrize("line", ["ls -l", ["ls", "-l"]])
def test_a_command_is_a_line_or_a_list_of_words(line: Any) -> None:
    assert turn(tool_call("t1", kind="execute", raw_input={"command": line})).call("t1")["command"] == "ls -l"


@pytest.mark.parametrize("line", [None, "", [], 7, ["ls", 1], {"argv": []}])
def test_what_is_no_command_line_is_no_command(line: Any) -> None:
    row = turn(tool_call("t1", kind="execute", title="T", raw_input={"command": line})).call("t1")
    assert "command" not in row


def test_the_title_of_a_command_is_not_its_command() -> None:
    row = turn(tool_call("t1", kind="execute", title="Run the tests")).call("t1")
    assert "command" not in row
    assert row["title"] == "Run the tests"


def test_vendor_methods_of_others_are_unknown() -> None:
    run = prompted().feed(
        request("cursor/task", "q1", toolCallId="t1"), notice("cursor/update_todos", todos=[])
    )
    assert run.responses("q1")[0]["error"]["code"] == -32601
    assert [event["rawType"] for event in run.unhandled] == ["cursor/task", "cursor/update_todos"]
