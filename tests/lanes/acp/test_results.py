"""What a settled command shows: exit codes and output as reported, never made up."""

from typing import Any

import pytest
from acp_frames import command, prompted, text, tool_call, turn, update


def test_s01_a_completed_command_with_a_non_zero_code_failed_with_its_error_output() -> None:
    raw = {"exitCode": 1, "stdout": "", "stderr": "x"}
    run = turn(command("t1"), update("t1", status="completed", raw_output=raw))
    row = run.call("t1")
    assert (row["kind"], row["status"], row["exitCode"], row["output"]) == ("command", "failed", 1, "x")
    assert run.events_of("item/completed")[0]["item"]["exitCode"] == 1


def test_s01_both_streams_are_the_output_standard_output_first() -> None:
    raw = {"exitCode": 0, "stdout": "out", "stderr": "err"}
    row = turn(command("t1"), update("t1", status="completed", raw_output=raw)).call("t1")
    assert (row["status"], row["output"]) == ("completed", "out\nerr")


@pytest.mark.parametrize("code", [0, 1, 2, 127, -1, 255])
@pytest.mark.parametrize("field", ["exitCode", "exit_code"])
def test_a_reported_exit_code_reaches_the_row_as_it_is(field: str, code: int) -> None:
    row = turn(command("t1"), update("t1", status="completed", raw_output={field: code})).call("t1")
    assert row["exitCode"] == code
    assert row["status"] == ("failed" if code else "completed")


@pytest.mark.parametrize("code", [True, "2", 2.5, None, [2]])
def test_what_is_no_integer_is_no_exit_code(code: Any) -> None:
    row = turn(command("t1"), update("t1", status="completed", raw_output={"exitCode": code})).call("t1")
    assert "exitCode" not in row


def test_s02_a_command_that_never_ran_has_neither_code_nor_output() -> None:
    run = turn(command("t1"), update("t1", status="completed"))
    row = run.call("t1")
    assert row["status"] == "completed"
    assert not {"exitCode", "output"} & set(row)
    assert not {"exitCode", "aggregatedOutput"} & set(run.events_of("item/completed")[0]["item"])


def test_s02_an_empty_content_list_says_no_more_than_none() -> None:
    row = turn(command("t1"), update("t1", status="completed", content=[])).call("t1")
    assert row["status"] == "completed"
    assert not {"exitCode", "output"} & set(row)


def test_s03_a_failure_without_a_code_gets_no_code() -> None:
    run = turn(command("t1"), update("t1", status="failed"))
    assert run.call("t1")["status"] == "failed"
    assert "exitCode" not in run.call("t1")
    assert "exitCode" not in run.events_of("item/completed")[0]["item"]


def test_s03_the_text_of_a_failed_command_is_its_output() -> None:
    row = turn(command("t1"), update("t1", status="failed", content="no such file")).call("t1")
    assert (row["status"], row["output"]) == ("failed", "no such file")
    assert "exitCode" not in row


def test_s04_a_command_that_printed_nothing_has_a_code_and_no_output() -> None:
    raw = {"exitCode": 3, "stdout": "", "stderr": ""}
    row = turn(command("t1"), update("t1", status="completed", raw_output=raw)).call("t1")
    assert (row["status"], row["exitCode"]) == ("failed", 3)
    assert "output" not in row


def test_s08_a_timeout_is_noted_on_its_own_line_after_the_output() -> None:
    raw = {"stdout": "tick", "stderr": "", "timed_out": True}
    row = turn(command("t1"), update("t1", status="failed", raw_output=raw)).call("t1")
    assert row["output"] == "tick\n[timed out]"
    assert "exitCode" not in row


def test_s08_a_terminating_signal_is_noted_after_the_output_and_a_reported_code_stays() -> None:
    raw = {"exit_code": -1, "stdout": "tick\n", "stderr": "", "signal": "SIGKILL"}
    row = turn(command("t1"), update("t1", status="failed", raw_output=raw)).call("t1")
    assert row["output"] == "tick\n[terminated by signal SIGKILL]"
    assert row["exitCode"] == -1


def test_s08_a_note_stands_alone_where_there_is_no_output() -> None:
    raw = {"stdout": "", "stderr": "", "signal": 15}
    row = turn(command("t1"), update("t1", status="failed", raw_output=raw)).call("t1")
    assert row["output"] == "[terminated by signal 15]"


def test_s08_a_note_after_streamed_output_is_streamed_as_growth() -> None:
    run = turn(
        command("t1"),
        update("t1", status="in_progress", content="tick\n"),
        update("t1", status="failed", raw_output={"timed_out": True}),
    )
    assert run.call("t1")["output"] == "tick\n[timed out]"
    assert run.output_deltas() == [("tick\n", False), ("[timed out]", False)]


@pytest.mark.parametrize("raw", [{"signal": None}, {"signal": 0}, {"timed_out": False}, {"signal": ""}])
def test_s08_no_signal_and_no_timeout_leave_no_note(raw: dict[str, Any]) -> None:
    raw = {"exitCode": 0, "stdout": "ok", **raw}
    assert turn(command("t1"), update("t1", status="completed", raw_output=raw)).call("t1")["output"] == "ok"


def test_standard_content_wins_over_the_raw_output() -> None:
    raw = {"exitCode": 2, "stdout": "raw", "stderr": ""}
    row = turn(command("t1"), update("t1", status="completed", content="seen", raw_output=raw)).call("t1")
    assert (row["output"], row["exitCode"]) == ("seen", 2)


def test_raw_output_that_is_a_text_is_the_output() -> None:
    row = turn(command("t1"), update("t1", status="completed", raw_output="plain\n")).call("t1")
    assert row["output"] == "plain\n"


def test_the_raw_envelope_never_reaches_the_row_of_a_command() -> None:
    raw = {"exitCode": 0, "stdout": "", "stderr": "", "vendor": {"secret": "words"}}
    row = turn(command("t1"), update("t1", status="completed", raw_output=raw)).call("t1")
    assert "secret" not in str(row)


def test_s09_vendor_metadata_says_nothing_to_another_dialect() -> None:
    raw = {"metadata": {"exit": 2, "output": "secret"}}
    row = turn(command("t1"), update("t1", status="completed", raw_output=raw)).call("t1")
    assert row["status"] == "completed"
    assert not {"exitCode", "output"} & set(row)


def test_s26_a_bare_terminal_update_changes_nothing_but_the_status() -> None:
    opened = tool_call("t1", kind="execute", title="Build", raw_input={"command": "make"}, name="shell")
    run = prompted().feed(opened)
    before = run.call("t1")
    run.feed(update("t1", status="completed")).answer_prompt()
    assert run.call("t1") == {**before, "status": "completed"}


def test_s26_output_said_while_running_stays_when_the_close_says_none() -> None:
    run = turn(
        command("t1"),
        update("t1", status="in_progress", content="built\n"),
        update("t1", status="completed"),
    )
    assert run.call("t1")["output"] == "built\n"


def test_s26_a_read_keeps_its_path_through_a_bare_close() -> None:
    run = turn(
        tool_call("t1", kind="read", title="Read", locations=["/etc/hosts"]), update("t1", status="completed")
    )
    row = run.call("t1")
    assert (row["kind"], row["path"], row["status"], row["title"]) == (
        "fileRead",
        "/etc/hosts",
        "completed",
        "Read",
    )


def test_several_text_blocks_are_one_output_on_lines_of_their_own() -> None:
    row = turn(command("t1"), update("t1", status="completed", content=[text("a"), text("b")])).call("t1")
    assert row["output"] == "a\nb"
