"""Output of a running command: streamed as growth, reset where its window moved, never doubled."""

import pytest
from acp_frames import command, prompted, text, tool_call, turn, update


def running(call_id: str, shown: str, **fields: object) -> dict[str, object]:
    return update(call_id, status="in_progress", content=shown, **fields)


def test_s05_cumulative_output_is_streamed_as_growth() -> None:
    run = prompted().feed(command("t1"), running("t1", ""), running("t1", "a\n"), running("t1", "a\nb\n"))
    assert run.output_deltas() == [("a\n", False), ("b\n", False)]


def test_s05_a_repeated_snapshot_streams_nothing() -> None:
    run = prompted().feed(command("t1"), running("t1", "a\n"), running("t1", "a\n"))
    assert run.output_deltas() == [("a\n", False)]


def test_s05_the_code_of_a_running_command_is_ignored_and_the_closing_one_counts() -> None:
    run = prompted("grok").feed(command("t1"), running("t1", "a\n", raw_output={"exit_code": 0}))
    assert "exitCode" not in run.call("t1")
    run.feed(update("t1", status="completed", content="a\n", raw_output={"exit_code": 2})).answer_prompt()
    assert (run.call("t1")["exitCode"], run.call("t1")["status"]) == (2, "failed")


@pytest.mark.parametrize("status", ["pending", "in_progress", None, "vendor_running"])
def test_s05_a_code_said_before_the_close_never_becomes_the_exit_code(status: str | None) -> None:
    early = update("t1", status=status, raw_output={"exit_code": 0})
    run = turn(command("t1"), early, update("t1", status="completed"))
    assert run.call("t1")["status"] == "completed"
    assert "exitCode" not in run.call("t1")


def test_s05_a_command_cut_off_while_running_has_no_code() -> None:
    run = prompted("grok").feed(command("t1"), running("t1", "a\n", raw_output={"exit_code": 0}))
    run.stop()
    run.answer_prompt("cancelled")
    row = run.call("t1")
    assert (row["status"], row["output"]) == ("interrupted", "a\n")
    assert "exitCode" not in row


def test_s05_a_timeout_said_while_running_is_no_timeout_yet() -> None:
    early = running("t1", "a\n", raw_output={"timed_out": True, "signal": "SIGTERM"})
    assert turn(command("t1"), early, update("t1", status="completed")).call("t1")["output"] == "a\n"


def test_s06_a_moved_window_is_one_reset_and_then_growth_again() -> None:
    run = prompted().feed(
        command("t1"), running("t1", "1\n2\n"), running("t1", "2\n3\n"), running("t1", "2\n3\n4\n")
    )
    assert run.output_deltas() == [("1\n2\n", False), ("2\n3\n", True), ("4\n", False)]
    run.feed(update("t1", status="completed")).answer_prompt()
    assert run.call("t1")["output"] == "2\n3\n4\n"


def test_s06_the_final_output_is_the_closing_snapshot() -> None:
    run = turn(command("t1"), running("t1", "1\n2\n"), update("t1", status="completed", content="2\n3\n"))
    assert run.call("t1")["output"] == "2\n3\n"
    assert run.output_deltas() == [("1\n2\n", False), ("2\n3\n", True)]


def test_s06_a_closing_snapshot_that_grew_adds_only_its_growth() -> None:
    run = turn(command("t1"), running("t1", "1\n"), update("t1", status="completed", content="1\n2\n"))
    assert run.output_deltas() == [("1\n", False), ("2\n", False)]


def test_s07_a_description_before_the_run_is_not_output() -> None:
    run = turn(
        tool_call("t1", title="shell", raw_input={"command": "make"}),
        update("t1", kind="execute", title="Run `make`", content="Build the app"),
        update("t1", status="completed"),
        profile="grok",
    )
    row = run.call("t1")
    assert "output" not in row
    assert run.output_deltas() == []
    assert row["detail"] == "Build the app"


def test_s07_a_description_is_not_the_head_of_the_output_that_follows() -> None:
    run = turn(
        command("t1"),
        update("t1", content="Build the app"),
        running("t1", "cc main.c\n"),
        update("t1", status="completed", content="cc main.c\n"),
        profile="grok",
    )
    assert run.call("t1")["output"] == "cc main.c\n"
    assert run.output_deltas() == [("cc main.c\n", False)]


def test_s07_content_of_a_pending_call_is_a_description_too() -> None:
    run = turn(
        command("t1", status="pending", content="Build the app"),
        update("t1", status="in_progress"),
        update("t1", status="completed"),
    )
    assert "output" not in run.call("t1")


def test_s12_increments_in_meta_are_appended_with_their_line_ends() -> None:
    def piece(data: str) -> dict[str, object]:
        return update("t1", meta={"terminal_output_delta": {"terminal_id": "t1", "data": data}})

    end = update("t1", status="completed", meta={"terminal_exit": {"exit_code": 0, "signal": None}})
    run = turn(command("t1", status="in_progress"), piece("a\r\n"), piece("b\r\n"), end)
    assert run.output_deltas() == [("a\r\n", False), ("b\r\n", False)]
    assert (run.call("t1")["output"], run.call("t1")["exitCode"]) == ("a\r\nb\r\n", 0)


def test_s12_two_equal_increments_are_two_pieces_of_output() -> None:
    piece = update("t1", meta={"terminal_output_delta": {"data": "same\n"}})
    assert turn(command("t1"), piece, piece).call("t1")["output"] == "same\nsame\n"


def test_s12_the_exit_code_comes_from_the_terminal_exit() -> None:
    end = update("t1", status="failed", meta={"terminal_exit": {"exit_code": 2, "signal": None}})
    assert turn(command("t1"), end).call("t1")["exitCode"] == 2


def test_s12_a_terminal_exit_by_signal_is_noted_after_the_output() -> None:
    run = turn(
        command("t1"),
        update("t1", meta={"terminal_output_delta": {"data": "a\n"}}),
        update("t1", status="failed", meta={"terminal_exit": {"exit_code": None, "signal": "SIGINT"}}),
    )
    assert run.call("t1")["output"] == "a\n[terminated by signal SIGINT]"
    assert "exitCode" not in run.call("t1")


def test_s12_a_terminal_exit_before_the_close_is_the_exit_code() -> None:
    run = turn(
        command("t1"),
        update("t1", meta={"terminal_exit": {"exit_code": 4}}),
        update("t1", status="completed"),
    )
    assert run.call("t1")["exitCode"] == 4


def test_s12_the_last_increment_may_come_with_the_close() -> None:
    run = turn(
        command("t1", status="in_progress"),
        update("t1", meta={"terminal_output_delta": {"data": "a\n"}}),
        update(
            "t1",
            status="completed",
            meta={"terminal_output_delta": {"data": "b\n"}, "terminal_exit": {"exit_code": 0}},
        ),
    )
    assert run.call("t1")["output"] == "a\nb\n"


def test_s17_output_said_before_the_kind_is_known_is_kept() -> None:
    run = turn(
        tool_call("t1", title="Job", status="in_progress"),
        update("t1", status="in_progress", content="a\n"),
        update("t1", kind="execute", raw_input={"command": "make"}),
        update("t1", status="completed"),
    )
    row = run.call("t1")
    assert (row["kind"], row["output"]) == ("command", "a\n")


def test_s17_increments_said_before_the_kind_is_known_are_kept() -> None:
    run = turn(
        tool_call("t1", title="Job", status="in_progress"),
        update("t1", meta={"terminal_output_delta": {"data": "a\n"}}),
        update("t1", kind="execute", raw_input={"command": "make"}),
        update("t1", meta={"terminal_output_delta": {"data": "b\n"}}),
        update("t1", status="completed"),
    )
    assert run.call("t1")["output"] == "a\nb\n"


def test_s28_an_unknown_status_while_running_does_not_end_the_running() -> None:
    run = turn(
        command("t1", status="in_progress"),
        running("t1", "a\n"),
        update("t1", status="vendor_paused", content="a\nb\n"),
        update("t1", status="completed"),
    )
    assert run.call("t1")["output"] == "a\nb\n"
    assert "detail" not in run.call("t1")


def test_the_streamed_output_and_the_final_output_are_one_text() -> None:
    run = turn(command("t1"), running("t1", "a"), update("t1", status="completed", content=[text("ab")]))
    streamed = "".join(delta for delta, _ in run.output_deltas())
    assert streamed == run.call("t1")["output"] == "ab"


def test_a_snapshot_that_empties_the_window_empties_the_output() -> None:
    run = prompted().feed(command("t1"), running("t1", "progress 10%"), running("t1", ""))
    assert run.output_deltas()[-1] == ("", True)
    run.feed(update("t1", status="completed")).answer_prompt()
    assert "output" not in run.call("t1")
