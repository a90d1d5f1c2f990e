"""Sub-agents: their work nests under one delegation row, and their turns are not the thread's (S38)."""

from __future__ import annotations

from typing import Any

import pytest
from codex_frames import CHILD, CHILD_TURN, CODEX, CodexRun, activity, command, message, ran, spawn


def child_works(run: CodexRun, child: str = CHILD, turn: str = CHILD_TURN, item: str = "c1") -> None:
    run.begin(command(item), turn, child)
    run.end(ran(item, output="seen", code=2), turn, child)


def child_begins(run: CodexRun, child: str = CHILD, turn: str = CHILD_TURN) -> None:
    run.tell("turn/started", threadId=child, turn={"id": turn})


def named_by_activity(run: CodexRun) -> None:
    run.begin(activity())
    run.end(activity())
    child_begins(run)


def named_at_the_end_of_the_call(run: CodexRun) -> None:
    run.begin(spawn())
    child_begins(run)
    run.end(spawn(receivers=[CHILD], status="completed"))


def named_before_it_begins(run: CodexRun) -> None:
    run.begin(spawn())
    run.end(spawn(receivers=[CHILD], status="completed"))
    child_begins(run)


def announced_by_the_agent(run: CodexRun) -> None:
    thread = {"id": CHILD, "parentThreadId": CODEX, "agentNickname": "Kid", "preview": ""}
    run.tell("thread/started", threadId=None, thread=thread)
    child_begins(run)


def announced_then_named(run: CodexRun) -> None:
    announced_by_the_agent(run)
    run.begin(activity())
    run.end(activity())


def heard_before_it_is_named(run: CodexRun) -> None:
    child_begins(run)
    run.begin(activity())
    run.end(activity())


WAYS = [
    named_by_activity,
    named_at_the_end_of_the_call,
    named_before_it_begins,
    announced_by_the_agent,
    announced_then_named,
    heard_before_it_is_named,
]


@pytest.mark.parametrize("way", WAYS)
def test_s38_a_childs_work_nests_under_one_delegation_and_ends_nothing_of_the_parent(way: Any) -> None:
    run = CodexRun().turn()
    way(run)
    child_works(run)
    run.over(turn=CHILD_TURN, thread=CHILD)
    assert run.of("turn/completed") == []
    run.end(message(text="all done"))
    run.over()
    row = run.row("delegation")
    assert [child["kind"] for child in row["children"]] == ["command"]
    assert (row["status"], row["childRef"]) == ("completed", CHILD)
    assert (row["children"][0]["status"], row["children"][0]["exitCode"]) == ("failed", 2)
    assert [row["status"] for row in run.all_rows("turn")] == ["completed"]
    assert len(run.of("turn/completed")) == 1
    assert run.all_rows("unhandled") == []
    assert run.drops == {}


def test_the_same_ids_in_parent_and_child_stay_apart() -> None:
    run = CodexRun().turn()
    named_by_activity(run)
    run.begin(command("same"), CHILD_TURN, CHILD)
    run.begin(command("same"))
    run.delta("same", "of the parent")
    run.delta("same", "of the child", turn=CHILD_TURN, threadId=CHILD)
    run.delta("m", "child says", "agentMessage/delta", turn=CHILD_TURN, threadId=CHILD)
    run.delta("m", "parent says", "agentMessage/delta")
    run.end(ran("same"))
    run.end(ran("same"), CHILD_TURN, CHILD)
    run.over(turn=CHILD_TURN, thread=CHILD)
    run.over()
    inside = run.row("delegation")["children"]
    assert [row.get("output", row.get("text")) for row in inside] == ["of the child", "child says"]
    assert inside[0]["providerItemId"] == "same"
    outside = [row for row in run.row("turn")["children"] if row["kind"] == "command"]
    assert [row["output"] for row in outside] == ["of the parent"]


@pytest.mark.parametrize(("status", "shown"), [("failed", "failed"), ("interrupted", "interrupted")])
def test_a_delegation_settles_as_the_childs_turn_did(status: str, shown: str) -> None:
    run = CodexRun().turn()
    named_by_activity(run)
    run.begin(command("c1"), CHILD_TURN, CHILD)
    run.over(status, CHILD_TURN, CHILD, error={"message": "no model"} if status == "failed" else None)
    run.over()
    row = run.row("delegation")
    assert (row["status"], row["children"][0]["status"]) == (shown, "interrupted")
    assert row.get("detail") == ("no model" if status == "failed" else None)
    assert run.row("turn")["status"] == "completed"


def test_a_childs_error_is_not_the_parents() -> None:
    run = CodexRun().turn()
    named_by_activity(run)
    told = {"message": "child broke"}
    run.tell("error", threadId=CHILD, turnId=CHILD_TURN, error=told, willRetry=False)
    run.over("failed", CHILD_TURN, CHILD, error=told)
    run.over()
    assert run.all_rows("error") == []
    assert run.row("turn")["status"] == "completed"
    assert run.row("delegation")["detail"] == "child broke"


def test_a_childs_usage_and_diff_are_not_the_threads() -> None:
    run = CodexRun().turn()
    named_by_activity(run)
    run.tell("turn/diff/updated", threadId=CHILD, turnId=CHILD_TURN, diff="x")
    usage = {"total": {"totalTokens": 9}, "last": {"totalTokens": 9}}
    run.tell("thread/tokenUsage/updated", threadId=CHILD, turnId=CHILD_TURN, tokenUsage=usage)
    assert run.of("turn/diff/updated") == run.of("thread/tokenUsage/updated") == []


def test_a_child_may_outlive_the_turn_that_began_it() -> None:
    run = CodexRun().turn()
    named_by_activity(run)
    run.begin(command("before"), CHILD_TURN, CHILD)
    run.delta("m", "he", "agentMessage/delta", turn=CHILD_TURN, threadId=CHILD)
    run.over()
    run.end(ran("before", output="late"), CHILD_TURN, CHILD)
    run.delta("m", "llo", "agentMessage/delta", turn=CHILD_TURN, threadId=CHILD)
    run.turn("more", "codex-turn-2")
    child_works(run, item="meanwhile")
    run.over(turn="codex-turn-2")
    run.over(turn=CHILD_TURN, thread=CHILD)
    run.end(activity("subagent-completed-1", "completed"))
    row = run.row("delegation")
    assert [child.get("output", child.get("text")) for child in row["children"]] == ["late", "hello", "seen"]
    assert row["status"] == "completed"
    assert [row["status"] for row in run.all_rows("turn")] == ["completed", "completed"]
    assert run.all_rows("unhandled") == []
    assert run.drops == {}


def test_a_child_that_works_again_continues_its_row() -> None:
    run = CodexRun().turn()
    named_by_activity(run)
    child_works(run)
    run.over(turn=CHILD_TURN, thread=CHILD)
    child_begins(run, turn="child-turn-2")
    child_works(run, turn="child-turn-2", item="c2")
    run.over(turn="child-turn-2", thread=CHILD)
    run.over()
    assert len(run.row("delegation")["children"]) == 2
    assert run.drops == {}


def test_a_grandchild_nests_under_the_child() -> None:
    run = CodexRun().turn()
    named_by_activity(run)
    run.begin(activity("deeper", child="grandchild"), CHILD_TURN, CHILD)
    child_works(run, "grandchild", "gt1")
    run.over(turn="gt1", thread="grandchild")
    run.over(turn=CHILD_TURN, thread=CHILD)
    run.over()
    outer, inner = run.all_rows("delegation")
    assert [row["id"] for row in outer["children"]] == [inner["id"]]
    assert [row["kind"] for row in inner["children"]] == ["command"]
    assert inner["providerItemId"] == "deeper"


def test_late_frames_of_a_childs_ended_turn_are_unhandled() -> None:
    run = CodexRun().turn()
    named_by_activity(run)
    run.over("interrupted", CHILD_TURN, CHILD)
    child_works(run)
    run.over()
    assert "children" not in run.row("delegation")
    assert len(run.all_rows("unhandled")) == 2


def test_a_spawn_that_failed_is_a_failed_delegation() -> None:
    run = CodexRun().turn()
    run.begin(spawn())
    run.end(spawn(status="failed"))
    run.over()
    assert run.row("delegation")["status"] == "failed"


def test_what_a_wait_says_settles_a_child_nobody_hears() -> None:
    run = CodexRun().turn()
    run.end(spawn(receivers=[CHILD], status="completed"))
    states = {CHILD: {"status": "completed", "message": "found it"}}
    run.end({**spawn("w1", [CHILD]), "tool": "wait", "agentsStates": states, "status": "completed"})
    run.over()
    row = run.row("delegation")
    assert (row["status"], row["summary"]) == ("completed", "found it")


def test_a_child_nobody_ever_names_is_unhandled_when_the_turn_ends() -> None:
    run = CodexRun().turn()
    child_works(run)
    assert run.of("provider/unhandled") == []
    run.over()
    assert len(run.of("provider/unhandled")) == 2
    assert run.drops == {}


def test_a_late_word_about_a_sub_agent_nobody_began_is_unhandled() -> None:
    run = CodexRun()
    run.end(activity(kind="completed"))
    assert run.row("unhandled")["title"] == "item/completed subAgentActivity"
