"""A turn of any length: of its settled calls only the newest are remembered, and what comes late is seen."""

from __future__ import annotations

import pytest
from acp_frames import command as acp_command
from acp_frames import message as acp_message
from acp_frames import prompted as acp_prompted
from acp_frames import update
from claude_frames import assistant, prompted, result_of, text, use
from codex_frames import CODEX, CodexRun, command, ran
from session_truth import remembered

from parity.lanes.acp import work as acp
from parity.lanes.claude_code import text as claude_text
from parity.lanes.claude_code import turn as claude_turn
from parity.lanes.claude_code import work as claude
from parity.lanes.codex import children, strand

NAMES = {f"call-{number}" for number in range(6)}
NEWEST = {"call-4", "call-5"}


@pytest.fixture(autouse=True)
def _two_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (acp, strand, children, claude, claude_text, claude_turn):
        monkeypatch.setattr(module, "REMEMBERED_CALLS", 2)


def test_an_acp_turn_forgets_its_oldest_calls_and_warns_of_their_late_updates() -> None:
    run = acp_prompted()
    for name in sorted(NAMES):
        run.feed(acp_command(name), update(name, status="completed"))
    assert remembered(run.bridge, NAMES) == NEWEST
    run.feed(update("call-5", title="Known"), update("call-0", title="Late"), acp_message("done"))
    run.answer_prompt()
    assert [row["title"] for row in run.calls("call-5")] == ["Known"]
    assert [row["status"] for row in run.calls("call-0")] == ["completed", "interrupted"]
    assert run.only("warning")["title"] == "tool_call_update for a call never opened: 'call-0'"
    assert run.drops == {}


def test_a_codex_turn_forgets_its_oldest_items_and_warns_of_their_late_pieces() -> None:
    run = CodexRun().turn()
    for name in sorted(NAMES):
        run.begin(command(name))
        run.end(ran(name, "out"))
    assert remembered(run.bridge, NAMES) == NEWEST
    run.delta("call-5", "out")
    run.delta("call-0", "late")
    run.over()
    assert run.row("warning")["title"].endswith("for an item never opened: 'call-0'")
    assert len(run.all_rows("command")) == len(NAMES) + 1
    assert run.drops == {}


def test_a_codex_thread_forgets_its_oldest_sub_agents() -> None:
    run = CodexRun().turn()
    kids = {f"kid-{number}" for number in range(5)}
    for kid in sorted(kids):
        run.tell("thread/started", threadId=None, thread={"id": kid, "parentThreadId": CODEX})
        run.tell("turn/started", threadId=kid, turn={"id": f"{kid}-turn"})
        run.over(turn=f"{kid}-turn", thread=kid)
    assert remembered(run.bridge, kids) == {"kid-3", "kid-4"}
    assert [row["status"] for row in run.all_rows("delegation")] == ["completed"] * len(kids)


def test_a_claude_turn_forgets_its_oldest_calls_and_keeps_their_late_results() -> None:
    run = prompted()
    for name in sorted(NAMES):
        run.feed(assistant(use(name), message_id=f"m-{name}"), result_of(name, "out"))
    assert remembered(run.bridge, NAMES) == NEWEST
    run.feed(result_of("call-5", "late"), result_of("call-0", "late"))
    assert [event["rawType"] for event in run.events_of("provider/unhandled")] == ["user/tool_result"]
    assert run.drops == {}


def test_a_claude_turn_forgets_its_oldest_messages() -> None:
    run = prompted()
    messages = {f"message-{number}" for number in range(6)}
    for name in sorted(messages):
        run.feed(assistant(text(name), message_id=name))
    assert remembered(run.bridge, messages) == {"message-4", "message-5"}
    assert len(run.events_of("item/completed")) == len(messages)
