"""Items that begin late, or again after they ended: one settled row each."""

from __future__ import annotations

import pytest
from codex_frames import CodexRun, change, command, message, patch, ran, spawn


@pytest.mark.parametrize("late", [1, 3])
def test_an_item_that_begins_again_after_it_ended_is_the_same_row(late: int) -> None:
    run = CodexRun().turn()
    run.begin(command())
    run.end(ran(output="done"))
    for _ in range(late):
        run.begin(command())
    run.delta("c1", "one")
    run.end(ran(output="done"))
    run.over()
    assert (run.row("command")["output"], run.row("command")["status"]) == ("done", "completed")
    assert run.drops == {}


def test_an_item_whose_beginning_comes_after_its_end_is_one_settled_row() -> None:
    run = CodexRun().turn()
    run.end(ran(output="x"))
    run.begin(command())
    run.over()
    assert run.row("command")["status"] == "completed"


def test_a_patch_that_changed_while_it_ran_may_begin_again_after_it_ended() -> None:
    run = CodexRun().turn()
    run.begin(patch("p1", change("a")))
    run.end(patch("p1", change("b"), status="completed"))
    run.begin(patch("p1", change("a")))
    run.over()
    assert run.row("fileChange")["status"] == "completed"


def test_a_message_that_begins_again_after_it_ended_is_the_same_row() -> None:
    run = CodexRun().turn()
    run.end(message(text="hello"))
    run.begin(message(text="hel"))
    run.delta("m1", "hello", "agentMessage/delta")
    run.end(message(text="hello"))
    run.over()
    assert run.row("message")["text"] == "hello"


def test_a_call_that_started_no_sub_agent_may_begin_again_after_it_ended() -> None:
    run = CodexRun().turn()
    for _ in range(2):
        run.begin(spawn())
        run.end(spawn(status="failed"))
    run.over()
    assert run.row("delegation")["status"] == "failed"


def test_output_under_the_id_of_a_text_has_no_row_to_go_to() -> None:
    run = CodexRun().turn()
    run.delta("m1", "hello", "agentMessage/delta")
    run.delta("m1", "out")
    run.over()
    assert run.row("unhandled")["title"] == "item/commandExecution/outputDelta"
    assert run.drops == {}
