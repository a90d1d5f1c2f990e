"""hermes: titles are "tool: subject", results are small markdown reports, asks have ids of their own."""

from typing import Any

from acp_frames import CWD, ask, diff, prompted, tool_call, turn, update


def shell(line: str = "ls /x") -> dict[str, Any]:
    return tool_call("t1", kind="execute", title=f"terminal: {line}", locations=[], content=f"$ {line}")


def report(output: str, code: int) -> str:
    return f"terminal result\n- **output:** {output}\n- **exit_code:** {code}"


def test_the_code_and_the_output_stand_in_the_report() -> None:
    run = turn(
        shell(), update("t1", kind="execute", status="failed", content=report("nope", 2)), profile="hermes"
    )
    row = run.call("t1")
    assert (row["command"], row["status"], row["exitCode"], row["output"]) == ("ls /x", "failed", 2, "nope")


def test_an_output_of_several_lines_is_whole() -> None:
    text = report("a\n- **exit_code:** 9\nb", 0)
    run = turn(shell(), update("t1", status="completed", content=text), profile="hermes")
    assert run.call("t1")["exitCode"] == 0
    assert run.call("t1")["output"] == "a\n- **exit_code:** 9\nb"


def test_the_echo_of_the_command_is_neither_output_nor_detail() -> None:
    run = turn(shell(), update("t1", status="completed", content=report("ok", 0)), profile="hermes")
    assert run.call("t1")["output"] == "ok"
    assert "detail" not in run.call("t1")


def test_a_text_that_is_no_report_is_the_output_and_gives_no_code() -> None:
    run = turn(shell(), update("t1", status="failed", content="connection lost"), profile="hermes")
    assert run.call("t1")["output"] == "connection lost"
    assert "exitCode" not in run.call("t1")


def edit(call_id: str, path: str) -> dict[str, Any]:
    return tool_call(call_id, kind="edit", title=f"write: {path}", locations=[path])


def test_s19_each_edit_approval_joins_its_edit_though_no_edit_is_ever_closed() -> None:
    run = prompted("hermes").feed(
        tool_call("r", kind="read", title="read: README.md", locations=["README.md"]),
        edit("e1", "calc.py"),
        ask("edit-approval-1", kind="edit", content=[diff("calc.py", "a", "b")]),
    )
    run.answer("allowed")
    run.feed(
        edit("e2", "notes.txt"), ask("edit-approval-2", kind="edit", content=[diff("notes.txt", None, "n")])
    )
    run.answer("denied")
    run.answer_prompt()
    assert [row["providerItemId"] for row in run.work] == ["r", "e1", "e2"]
    assert run.call("e1")["approval"]["decision"] == "allowed"
    assert run.call("e1")["changes"] == [
        {"path": f"{CWD}/calc.py", "kind": "update", "oldText": "a", "newText": "b"}
    ]
    assert (run.call("e2")["approval"]["decision"], run.call("e2")["status"]) == ("denied", "failed")


def test_s19_a_command_check_joins_its_command() -> None:
    run = prompted("hermes").feed(shell("rm -r x"), ask("perm-check-1", kind="execute", title="rm -r x"))
    run.answer("denied")
    run.feed(update("t1", kind="execute", status="failed", content="denied by the user")).answer_prompt()
    row = run.call("t1")
    assert (row["status"], row["approval"]["decision"]) == ("failed", "denied")
    assert run.calls("perm-check-1") == []


def test_s29_a_read_that_is_never_closed_is_interrupted_with_its_turn() -> None:
    run = turn(
        tool_call("r", kind="read", title="read: README.md", locations=["README.md"]), profile="hermes"
    )
    assert (run.call("r")["status"], run.call("r")["path"]) == ("interrupted", f"{CWD}/README.md")


def test_s34_a_cancel_answered_with_an_error_is_an_interrupted_turn() -> None:
    run = prompted("hermes").feed(shell("sleep 9"))
    run.stop()
    run.fail_prompt("cancelled")
    assert (run.turn["status"], run.call("t1")["status"]) == ("interrupted", "interrupted")
