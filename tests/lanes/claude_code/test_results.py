"""How a call's result reads: exit codes, output, errors, refusals."""

import pytest
from claude_frames import assistant, called, done, prompted, result_of, system, turn, use

REFUSED = {"permission_decision": {"decision": "reject", "source": "user_reject"}}


def test_a_failing_command_has_the_code_of_its_first_line_and_the_output_after_it() -> None:
    run = called(
        use("c1"), result_of("c1", "Exit code 2\nls: no such file", error=True, result="Error: Exit…")
    )
    row = run.row("command")
    assert (row["status"], row["exitCode"], row["output"]) == ("failed", 2, "ls: no such file")


def test_s04_a_code_and_nothing_printed() -> None:
    row = called(use("c1"), result_of("c1", "Exit code 3", error=True)).row("command")
    assert row["exitCode"] == 3
    assert "output" not in row


@pytest.mark.parametrize(
    "content", ["Exit code two\nx", " Exit code 2\nx", "note\nExit code 2", "Exit code 2x"]
)
def test_s03_only_exactly_that_line_is_a_code(content: str) -> None:
    row = called(use("c1"), result_of("c1", content, error=True)).row("command")
    assert row["status"] == "failed"
    assert "exitCode" not in row
    assert row["detail"] == content


def test_a_command_that_went_well_and_prints_such_a_line_has_no_code() -> None:
    row = called(use("c1"), result_of("c1", "Exit code 2\nx")).row("command")
    assert (row["status"], row["output"]) == ("completed", "Exit code 2\nx")
    assert "exitCode" not in row


@pytest.mark.parametrize(
    ("stdout", "stderr", "output"),
    [("a\n", "", "a\n"), ("", "b", "b"), ("a", "b", "a\nb"), ("a\n", "b", "a\nb"), ("a\r\n", "", "a\r\n")],
)
def test_output_is_what_the_structured_result_holds(stdout: str, stderr: str, output: str) -> None:
    result = {"stdout": stdout, "stderr": stderr, "interrupted": False}
    assert called(use("c1"), result_of("c1", "…", result=result)).row("command")["output"] == output


@pytest.mark.parametrize("result", [None, {"stdout": "", "stderr": ""}])
def test_s02_a_silent_command_has_no_output_and_no_code(result: dict[str, str] | None) -> None:
    row = called(use("c1"), result_of("c1", "(Bash completed with no output)", result=result)).row("command")
    assert row["status"] == "completed"
    assert "output" not in row
    assert "exitCode" not in row


def test_a_command_whose_result_says_interrupted_is_interrupted_and_keeps_its_output() -> None:
    result = {"stdout": "half", "stderr": "", "interrupted": True}
    row = called(use("c1"), result_of("c1", "half", result=result)).row("command")
    assert (row["status"], row["output"]) == ("interrupted", "half")


def test_two_results_in_one_line_do_not_share_the_structured_one() -> None:
    line = result_of("c1", "one", result={"stdout": "one", "stderr": ""})
    line["message"]["content"].append({"type": "tool_result", "tool_use_id": "c2", "content": "two"})
    run = turn(assistant(use("c1"), use("c2")), line)
    assert [row["output"] for row in run.all_rows if row["kind"] == "command"] == ["one", "two"]


def test_a_call_refused_by_a_rule_is_denied_with_its_reason_and_the_turn_goes_on() -> None:
    run = turn(
        assistant(use("c1")),
        system("permission_denied", tool_use_id="c1", tool_name="Bash", message="not in this mode"),
        result_of("c1", "not in this mode", error=True, note={"non_execution_kind": "permission-rule"}),
        assistant({"type": "text", "text": "Then not."}, message_id="msg-2"),
    )
    row = run.row("command")
    assert (row["status"], row["approval"]) == (
        "failed",
        {"decision": "denied", "reason": "not in this mode"},
    )
    assert run.row("turn")["status"] == "completed"


def test_a_result_that_says_rejected_is_a_refusal() -> None:
    row = called(use("c1"), result_of("c1", "no", error=True, note=REFUSED)).row("command")
    assert row["approval"]["decision"] == "denied"
    assert row["detail"] == "no"
    assert "output" not in row


def test_a_refusal_only_the_turns_result_names_still_marks_the_call() -> None:
    run = prompted().feed(assistant(use("c1")), result_of("c1", "no", error=True))
    run.feed(done("ok", permission_denials=[{"tool_name": "Bash", "tool_use_id": "c1", "tool_input": {}}]))
    row = run.row("command")
    assert (row["status"], row["approval"]["decision"]) == ("failed", "denied")
    assert run.drops == {}


def test_a_call_stopped_while_it_ran_is_interrupted() -> None:
    note = {"non_execution_kind": "user-rejected"}
    assert (
        called(use("c1"), result_of("c1", "refused", error=True, note=note)).row("command")["status"]
        == "interrupted"
    )


def test_s25_a_result_of_a_call_nobody_made_is_kept() -> None:
    run = turn(result_of("ghost", "x"))
    assert run.row("unhandled")["title"] == "user/tool_result"


def test_s23_calls_that_cross_are_paired_by_id() -> None:
    run = turn(
        assistant(use("a", command="A")),
        assistant(use("b", command="B")),
        result_of("b", "b out"),
        result_of("a", "a out"),
    )
    rows = [row for row in run.all_rows if row["kind"] == "command"]
    assert [(row["command"], row["output"]) for row in rows] == [("A", "a out"), ("B", "b out")]


def test_s30_a_second_result_changes_nothing() -> None:
    run = turn(assistant(use("c1")), result_of("c1", "one"), result_of("c1", "two", error=True))
    assert run.row("command")["output"] == "one"
    assert run.drops == {}
