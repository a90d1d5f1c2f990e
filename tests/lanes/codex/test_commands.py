"""Commands of codex: one row, what was reported and nothing else, output exactly once."""

from __future__ import annotations

import pytest
from codex_frames import CWD, CodexRun, command, ran
from hypothesis import given
from hypothesis import strategies as st

OUTPUT = "item/commandExecution/outputDelta"


def streamed(run: CodexRun) -> str:
    """What somebody who only follows the stream has seen."""
    text = ""
    for event in run.of(OUTPUT):
        text = event["delta"] if event.get("reset") else text + event["delta"]
    return text


def command_row(
    *deltas: str, output: str | None = None, code: int | None = 0
) -> tuple[CodexRun, dict[str, object]]:
    run = CodexRun().turn()
    run.begin(command())
    for delta in deltas:
        run.delta("c1", delta)
    run.end(ran(output=output, code=code))
    run.over()
    return run, run.row("command")


def test_a_failing_command_is_one_failed_row_with_its_code_and_output() -> None:
    _, row = command_row(output="ls: cannot access '/x'\n", code=2)
    assert (row["status"], row["exitCode"], row["output"]) == ("failed", 2, "ls: cannot access '/x'\n")
    assert row["cwd"] == CWD


def test_a_command_is_titled_by_its_script() -> None:
    _, row = command_row()
    assert (row["title"], row["command"]) == ("make", "/bin/bash -lc 'make'")


def test_a_command_that_is_no_shell_script_is_titled_by_itself() -> None:
    run = CodexRun().turn()
    run.begin({**command(), "command": "git status 'unclosed"})
    run.over()
    assert run.row("command")["title"] == "git status 'unclosed"


def test_s02_a_command_that_reports_nothing_has_no_code_and_no_output() -> None:
    _, row = command_row(code=None)
    assert row["status"] == "completed"
    assert "exitCode" not in row
    assert "output" not in row


def test_the_duration_is_the_agents() -> None:
    run = CodexRun().turn()
    run.begin(command())
    run.end(ran(durationMs=5925))
    run.over()
    assert run.row("command")["durationMs"] == 5925


def test_s10_with_a_null_aggregate_the_output_is_the_joined_deltas() -> None:
    run, row = command_row("a", "b\n", output=None)
    assert row["output"] == "ab\n" == streamed(run)


def test_s10_an_empty_aggregate_takes_nothing_back() -> None:
    assert command_row("a", output="")[1]["output"] == "a"


def test_s11_a_late_delta_never_doubles_the_text() -> None:
    run = CodexRun().turn()
    run.begin(command())
    run.delta("c1", "a")
    run.end(ran(output="ab"))
    run.delta("c1", "b")
    run.over()
    assert run.row("command")["output"] == "ab" == streamed(run)
    assert run.drops == {}
    assert run.all_rows("unhandled") == []


def test_a_late_delta_that_no_aggregate_covers_is_kept_as_unhandled() -> None:
    run = CodexRun().turn()
    run.begin(command())
    run.delta("c1", "a")
    run.end(ran(output=None))
    run.delta("c1", "b")
    run.over()
    assert run.row("command")["output"] == "a"
    assert run.row("unhandled")["title"] == OUTPUT


def test_a_lost_first_chunk_is_put_right_by_the_aggregate() -> None:
    run, row = command_row("2\n", "3\n", output="1\n2\n3\n")
    assert row["output"] == "1\n2\n3\n" == streamed(run)
    assert [event.get("reset", False) for event in run.of(OUTPUT)] == [False, False, True]


def test_an_aggregate_shorter_than_the_stream_takes_nothing_back() -> None:
    run, row = command_row("abc", output="ab")
    assert row["output"] == "abc" == streamed(run)


@given(deltas=st.lists(st.text(max_size=6), max_size=6), lost=st.integers(0, 6), tail=st.text(max_size=6))
def test_streamed_text_and_aggregate_give_the_aggregate_exactly_once(
    deltas: list[str], lost: int, tail: str
) -> None:
    whole = "".join(deltas) + tail
    run, row = command_row(*deltas[lost:], output=whole)
    assert row.get("output", "") == whole == streamed(run)


@pytest.mark.parametrize("status", ["inProgress", "", "somethingNew"])
def test_s41_item_completed_is_the_end_whatever_the_items_own_status(status: str) -> None:
    run = CodexRun().turn()
    run.begin(command())
    run.end(ran(status=status))
    run.over()
    assert run.row("command")["status"] == "completed"


def test_s41_an_unfinished_status_with_a_code_fails_by_the_code() -> None:
    run = CodexRun().turn()
    run.begin(command())
    run.end(ran(code=3, status="inProgress"))
    run.over()
    row = run.row("command")
    assert (row["status"], row["exitCode"]) == ("failed", 3)


def test_an_item_that_is_only_completed_is_one_settled_row() -> None:
    run = CodexRun().turn()
    run.end(ran(output="x"))
    run.over()
    assert run.row("command")["output"] == "x"


def test_s16_a_second_started_of_an_open_id_is_the_same_row() -> None:
    run = CodexRun().turn()
    run.begin({**command(), "command": ""})
    run.begin(command())
    run.end(ran())
    run.over()
    assert run.row("command")["title"] == "make"


def test_s23_two_open_commands_are_told_apart_by_id() -> None:
    run = CodexRun().turn()
    run.begin(command("a"))
    run.begin(command("b"))
    run.end(ran("b", output="of b"))
    run.end(ran("a", output="of a"))
    run.over()
    assert [row["output"] for row in run.all_rows("command")] == ["of a", "of b"]


def test_s24_an_id_used_again_is_a_new_row() -> None:
    run = CodexRun().turn()
    for script, output in (("make", "first"), ("make test", "second")):
        run.begin(command(script=script))
        run.end(ran(output=output, command=command(script=script)["command"]))
    run.over()
    assert [(row["title"], row["output"]) for row in run.all_rows("command")] == [
        ("make", "first"),
        ("make test", "second"),
    ]


def test_s25_output_of_an_item_never_opened_gets_a_row_and_a_warning() -> None:
    run = CodexRun().turn()
    run.delta("ghost", "boo")
    run.over()
    row = run.row("command")
    assert (row["output"], row["status"]) == ("boo", "interrupted")
    assert "command" not in row
    assert "ghost" in run.row("warning")["title"]


def test_s27_a_second_completed_enriches_and_does_not_double() -> None:
    run = CodexRun().turn()
    run.begin(command())
    run.end(ran(output="a"))
    run.end(ran(output="a"))
    run.end(ran(output="ab", durationMs=7))
    run.over()
    row = run.row("command")
    assert (row["output"], row["durationMs"], row["status"]) == ("ab", 7, "completed")
    assert run.drops == {}


def test_s29_a_command_left_open_is_interrupted_with_a_word_about_it() -> None:
    run = CodexRun().turn()
    run.begin(command())
    run.over()
    row = run.row("command")
    assert row["status"] == "interrupted"
    assert row["detail"] == "the agent ended the turn without reporting a result"
    assert row["title"] == "make"


def test_input_to_a_running_command_is_a_note() -> None:
    run = CodexRun().turn()
    run.begin(command())
    for stdin in ("", "yes\n"):
        run.tell("item/commandExecution/terminalInteraction", itemId="c1", turnId="codex-turn-1", stdin=stdin)
    assert [event["message"] for event in run.of("item/toolCall/progress")] == ["yes\n"]
