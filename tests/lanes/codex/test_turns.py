"""Turns of codex: who began them, how they ended, and what comes after the end."""

from __future__ import annotations

from typing import Any

import pytest
from codex_frames import TURN, CodexRun, command, message, ran


def failed(message: str, **info: Any) -> dict[str, Any]:
    return {"message": message, "codexErrorInfo": info or None, "additionalDetails": None}


def error(run: CodexRun, message: str, *, retry: bool, details: str | None = None, **info: Any) -> None:
    told = {**failed(message, **info), "additionalDetails": details}
    run.tell("error", error=told, willRetry=retry, turnId=TURN)


def test_a_turn_begins_with_the_agents_word_and_the_runtimes_input() -> None:
    run = CodexRun().turn("fix it")
    run.over()
    row = run.row("turn")
    assert (row["status"], row["input"]) == ("completed", "fix it")
    assert "initiator" not in row


def test_a_turn_may_begin_before_its_request_is_answered() -> None:
    run = CodexRun()
    run.runtime("turn/start", threadId="thread-a", input=[{"type": "text", "text": "go"}])
    run.tell("turn/started", turn={"id": TURN})
    run.answer({"turn": {"id": TURN}})
    run.over()
    assert run.row("turn")["input"] == "go"
    run.turn("more", "codex-turn-2")
    run.over(turn="codex-turn-2")
    assert [event["status"] for event in run.of("turn/completed")] == ["completed", "completed"]


def test_work_before_turn_started_begins_the_turn() -> None:
    run = CodexRun()
    run.runtime("turn/start", threadId="thread-a", input=[{"type": "text", "text": "go"}])
    run.answer({"turn": {"id": TURN}})
    run.end(message(text="hi"))
    run.tell("turn/started", turn={"id": TURN})
    run.over()
    assert len(run.of("turn/started")) == 1
    assert run.row("turn")["input"] == "go"


def test_a_turn_nobody_asked_for_is_the_agents() -> None:
    run = CodexRun()
    run.begin({"type": "userMessage", "id": "u1", "content": [{"type": "text", "text": "wake up"}]})
    run.end({"type": "userMessage", "id": "u1", "content": [{"type": "text", "text": "wake up"}]})
    run.end(message(text="done"))
    run.over()
    assert run.row("turn")["initiator"] == "agent"
    assert [event["origin"] for event in run.of("turn/input/accepted")] == ["provider"]


def test_s44_the_echo_of_the_prompt_is_dropped() -> None:
    run = CodexRun().turn("go")
    run.end({"type": "userMessage", "id": "u1", "content": [{"type": "text", "text": "go"}]})
    run.over()
    assert len(run.of("turn/input/accepted")) == 1
    assert run.row("turn").get("children", []) == []


def test_s37_an_error_that_is_retried_is_a_warning_and_the_turn_stays_open() -> None:
    run = CodexRun().turn()
    error(run, "Reconnecting... 1/5", retry=True, details="status 502")
    run.end(message(text="made it"))
    run.over()
    assert run.row("turn")["status"] == "completed"
    assert run.row("warning")["title"] == "Reconnecting... 1/5: status 502"
    assert run.all_rows("error") == []


def test_s37_any_other_error_fails_the_turn_with_its_message() -> None:
    run = CodexRun().turn()
    error(run, "status 401", retry=False, httpConnectionFailed={"httpStatusCode": 401})
    run.over("failed", error=failed("status 401"))
    row = run.row("turn")
    assert (row["status"], row["error"]) == ("failed", "status 401")
    assert run.of("provider/error")[0]["code"] == 401
    assert len(run.of("turn/completed")) == 1


def test_s37_an_error_fails_the_turn_even_where_its_end_does_not_repeat_it() -> None:
    run = CodexRun().turn()
    error(run, "boom", retry=False)
    run.over("completed")
    row = run.row("turn")
    assert (row["status"], row["error"]) == ("failed", "boom")


def test_s37_a_failed_end_alone_is_a_failed_turn() -> None:
    run = CodexRun().turn()
    run.over("failed", error=failed("no credit", usageLimitExceeded={}))
    assert run.row("turn")["error"] == "no credit"


def test_s35_an_end_of_an_unknown_kind_fails_with_the_agents_word() -> None:
    run = CodexRun().turn()
    run.over("paused")
    assert run.row("turn")["error"] == "the agent ended the turn: paused"


@pytest.mark.parametrize("status", ["completed", "failed", "interrupted", "inProgress", None])
def test_every_end_settles_the_turn_and_what_was_open(status: Any) -> None:
    run = CodexRun().turn()
    run.begin(command())
    run.over(status)
    assert run.row("command")["status"] == "interrupted"
    assert run.row("turn")["status"] in ("completed", "failed", "interrupted")


def test_s32_what_comes_after_an_interrupted_turn_revives_nothing_and_is_counted() -> None:
    run = CodexRun().turn()
    run.begin(command())
    run.delta("c1", "2\n")
    run.stop()
    run.answer({}, method="turn/interrupt")
    run.over("interrupted")
    run.delta("c1", "3\n")
    run.end(ran(output="1\n2\n3\n", code=0))
    rows = run.all_rows()
    assert [row["status"] for row in rows if row["kind"] == "turn"] == ["interrupted"]
    (row,) = [row for row in rows if row["kind"] == "command"]
    assert (row["status"], row["output"]) == ("interrupted", "2\n")
    assert "exitCode" not in row
    assert len([row for row in rows if row["kind"] == "unhandled"]) == 2
    assert run.drops == {}


def test_a_repeated_end_of_a_turn_ends_nothing() -> None:
    run = CodexRun().turn()
    run.over()
    run.over()
    run.turn("more", "codex-turn-2")
    run.over()
    run.over(turn="codex-turn-2")
    assert [row["status"] for row in run.all_rows("turn")] == ["completed", "completed"]
    assert run.drops == {}


def test_s34_a_turn_that_completes_after_the_stop_was_interrupted() -> None:
    run = CodexRun().turn()
    run.stop()
    run.answer({}, method="turn/interrupt")
    run.over("completed")
    assert run.row("turn")["status"] == "interrupted"


def test_a_stop_the_agent_refuses_changes_nothing() -> None:
    run = CodexRun().turn()
    asked = run.stop()
    run.answer(error={"code": -32600, "message": "no active turn"}, method="turn/interrupt")
    run.over("completed")
    assert run.reply(asked)["error"]["message"] == "no active turn"
    assert run.row("turn")["status"] == "completed"


def test_the_diff_of_a_turn_is_told_when_it_changes() -> None:
    run = CodexRun().turn()
    for diff in ("a", "a", "b"):
        run.tell("turn/diff/updated", turnId=TURN, diff=diff)
    assert [event["diff"] for event in run.of("turn/diff/updated")] == ["a", "b"]


def test_a_thread_the_agent_closes_leaves_nothing_open() -> None:
    run = CodexRun().turn()
    run.begin(command())
    run.tell("thread/closed")
    assert run.row("turn")["status"] == "interrupted"
    assert run.row("command")["status"] == "interrupted"
