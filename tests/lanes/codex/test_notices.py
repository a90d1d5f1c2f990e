"""What the agent tells outside its items: warnings, facts of the thread, and what is ignored by decision."""

from __future__ import annotations

from typing import Any

import pytest
from codex_frames import TURN, CodexRun, command

from parity.lanes.codex.known import HANDLED_NOTIFICATIONS, IGNORED_NOTIFICATIONS


@pytest.mark.parametrize(
    ("method", "params", "words"),
    [
        ("warning", {"message": "careful"}, "careful"),
        ("guardianWarning", {"message": "careful"}, "careful"),
        ("configWarning", {"summary": "bad key", "details": "line 3"}, "bad key: line 3"),
        ("configWarning", {"summary": "bad key", "path": "/c.toml"}, "bad key (/c.toml)"),
        ("deprecationNotice", {"summary": "old flag", "details": None}, "old flag"),
        ("modelProvider/authRecoveryStarted", {"message": "signing in again"}, "signing in again"),
        (
            "mcpServer/startupStatus/updated",
            {"name": "docs", "status": "failed", "error": "ENOENT"},
            "MCP server docs failed to start: ENOENT",
        ),
        (
            "hook/completed",
            {"run": {"eventName": "stop", "status": "blocked", "entries": [{"kind": "stop", "text": "no"}]}},
            "stop hook blocked: no",
        ),
        (
            "windows/worldWritableWarning",
            {"samplePaths": ["C:\\x"], "extraCount": 2},
            "directories anyone can write to are not protected: C:\\x and 2 more",
        ),
    ],
)
def test_a_notice_is_a_warning(method: str, params: dict[str, Any], words: str) -> None:
    run = CodexRun()
    run.tell(method, **params)
    assert [event["message"] for event in run.of("provider/warning")] == [words]


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("mcpServer/startupStatus/updated", {"name": "docs", "status": "ready"}),
        ("hook/completed", {"run": {"eventName": "stop", "status": "completed", "entries": []}}),
        ("warning", {"message": ""}),
    ],
)
def test_a_notice_that_all_is_well_says_nothing(method: str, params: dict[str, Any]) -> None:
    run = CodexRun()
    run.tell(method, **params)
    assert run.events == CodexRun().events


def test_a_warning_before_any_thread_is_told_to_the_first() -> None:
    run = CodexRun(opened=False)
    run.tell("configWarning", threadId=None, summary="no sandbox")
    run.open()
    assert run.row("warning")["title"] == "no sandbox"


def test_a_rerouted_model_is_a_fallback() -> None:
    run = CodexRun().turn()
    run.tell("model/rerouted", turnId=TURN, fromModel="big", toModel="small", reason="load")
    (event,) = run.of("provider/modelFallback")
    assert (event["model"], event["previous"], event["reason"]) == ("small", "big", "load")


def test_rate_limits_are_told_when_they_change() -> None:
    run = CodexRun()
    for used in (1, 1, 2):
        run.tell("account/rateLimits/updated", threadId=None, rateLimits={"used": used})
    assert [event["limits"]["used"] for event in run.of("provider/rateLimits/updated")] == [1, 2]


def test_a_name_and_a_goal_are_facts_of_the_thread() -> None:
    run = CodexRun()
    run.tell("thread/name/updated", threadName="Fix the build")
    run.tell("thread/goal/cleared")
    run.tell("thread/goal/updated", goal={"objective": "green"})
    run.tell("thread/goal/cleared")
    assert run.of("thread/name/updated")[0]["name"] == "Fix the build"
    assert [event["state"] for event in run.of("thread/extensionState/updated")] == [
        {"objective": "green"},
        None,
    ]


def test_why_an_automatic_review_refused_is_the_items_detail() -> None:
    run = CodexRun().turn()
    run.begin(command())
    review = {"status": "denied", "rationale": "deletes files"}
    run.tell("item/autoApprovalReview/completed", turnId=TURN, targetItemId="c1", review=review)
    run.end({**command(), "status": "declined"})
    run.over()
    row = run.row("command")
    assert (row["status"], row["detail"]) == ("failed", "the automatic review ended denied: deletes files")


def test_an_automatic_review_of_nothing_known_is_a_warning() -> None:
    run = CodexRun().turn()
    review = {"status": "timedOut", "rationale": None}
    run.tell("item/autoApprovalReview/completed", turnId=TURN, targetItemId=None, review=review)
    assert run.row("warning")["title"] == "the automatic review ended timedOut"


@pytest.mark.parametrize("method", sorted(IGNORED_NOTIFICATIONS))
def test_what_is_ignored_is_ignored_for_a_reason(method: str) -> None:
    run = CodexRun()
    before = len(run.events)
    run.tell(method)
    assert IGNORED_NOTIFICATIONS[method]
    assert len(run.events) == before


def test_s45_an_unknown_notification_is_kept() -> None:
    run = CodexRun().turn()
    run.tell("thread/mood/changed", turnId=TURN, mood="sunny")
    run.over()
    row = run.row("unhandled")
    assert row["title"] == "thread/mood/changed"


def test_nothing_is_both_handled_and_ignored() -> None:
    assert not HANDLED_NOTIFICATIONS & set(IGNORED_NOTIFICATIONS)
