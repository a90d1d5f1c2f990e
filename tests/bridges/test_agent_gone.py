"""Every bridge, told that its agent is gone: what is open fails, the agent is told nothing."""

from __future__ import annotations

from typing import Any

import pytest

from parity.bridges import ToProvider, ToRuntime, bridge_for
from parity.bridges.base import agent_gone
from parity.grammar import deltas as d

WHY = "the agent ended with exit code 3"

INITIALIZE = {"jsonrpc": "2.0", "id": "i", "method": "initialize", "params": {}}
START = {"jsonrpc": "2.0", "id": "s", "method": "thread/start", "params": {"threadId": "t", "cwd": "/w"}}
PROMPT = {
    "jsonrpc": "2.0",
    "id": "p",
    "method": "turn/start",
    "params": {"threadId": "t", "input": [{"type": "text", "text": "go"}]},
}

OPEN: dict[str, list[tuple[str, Any]]] = {
    "acp-fake": [
        ("runtime", START),
        ("provider", {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s1"}}),
        ("runtime", PROMPT),
        (
            "provider",
            {
                "jsonrpc": "2.0",
                "id": "q",
                "method": "session/request_permission",
                "params": {"sessionId": "s1", "toolCall": {"toolCallId": "c"}, "options": []},
            },
        ),
    ],
    "codex": [
        ("runtime", START),
        ("provider", {"id": 1, "result": {"thread": {"id": "c1"}}}),
        ("runtime", PROMPT),
        ("provider", {"id": 2, "result": {"turn": {"id": "u1"}}}),
        ("provider", {"method": "turn/started", "params": {"threadId": "c1", "turn": {"id": "u1"}}}),
        (
            "provider",
            {
                "id": 0,
                "method": "item/commandExecution/requestApproval",
                "params": {"threadId": "c1", "turnId": "u1", "itemId": "x", "command": "ls"},
            },
        ),
    ],
    "claude-code": [
        ("runtime", START),
        ("runtime", PROMPT),
        (
            "provider",
            {
                "type": "control_request",
                "request_id": "q",
                "request": {"subtype": "can_use_tool", "tool_name": "Bash", "input": {}, "tool_use_id": "c"},
            },
        ),
    ],
}


REFUSED = {"acp-fake": [], "codex": [("failed", "denied")], "claude-code": [("failed", "denied")]}
"""How the refused call settles; with the first, nothing but the question told of the call, and its answer
settled it."""


def told(outputs: Any) -> list[Any]:
    assert not any(isinstance(output, ToProvider) for output in outputs)
    return [output.message for output in outputs if isinstance(output, ToRuntime)]


def deltas(messages: list[Any]) -> list[Any]:
    return [delta for m in messages if m.get("method") == "thread/delta" for delta in m["params"]["deltas"]]


@pytest.mark.parametrize("provider", OPEN)
def test_an_open_turn_fails_and_its_question_is_withdrawn(provider: str) -> None:
    bridge = bridge_for(provider)
    for side, message in OPEN[provider]:
        getattr(bridge, side)(message)
    messages = told(agent_gone(bridge, WHY))
    assert messages[0] == {"jsonrpc": "2.0", "method": "error", "params": {"message": WHY}}
    withdrawn = [m["params"] for m in messages if m.get("method") == "$/cancel_request"]
    assert withdrawn == [{"requestId": 1}]
    closed, *ended = deltas(messages)
    assert isinstance(closed, d.ItemClose)
    assert closed.status == "interrupted"
    assert ended == [d.ProviderError(WHY, settles_turn=True), d.SessionEnded()]


@pytest.mark.parametrize("provider", OPEN)
def test_a_call_that_was_refused_and_is_still_open_failed(provider: str) -> None:
    bridge = bridge_for(provider)
    for side, message in OPEN[provider]:
        getattr(bridge, side)(message)
    bridge.runtime({"jsonrpc": "2.0", "id": 1, "result": {"decision": "denied"}})
    closes = [delta for delta in deltas(told(agent_gone(bridge, WHY))) if isinstance(delta, d.ItemClose)]
    assert [(close.status, close.approval_status) for close in closes] == REFUSED[provider]


@pytest.mark.parametrize("provider", OPEN)
def test_a_request_that_waits_is_answered_and_any_later_one_refused(provider: str) -> None:
    bridge = bridge_for(provider)
    bridge.runtime(INITIALIZE)
    messages = told(agent_gone(bridge, WHY))
    assert messages[1:] == [{"jsonrpc": "2.0", "id": "i", "error": {"code": -32603, "message": WHY}}]
    later = told(bridge.runtime(START))
    assert later == [{"jsonrpc": "2.0", "id": "s", "error": {"code": -32603, "message": WHY}}]
    unknown = told(bridge.runtime({"jsonrpc": "2.0", "id": 9, "method": "no/such"}))
    assert unknown[0]["error"]["code"] == -32601


def test_a_turn_asked_for_before_its_session_opened_fails_too() -> None:
    bridge = bridge_for("acp-fake")
    bridge.runtime(START)
    opened = told(bridge.runtime(PROMPT))
    assert any(isinstance(delta, d.TurnOpen) for delta in deltas(opened))
    messages = told(agent_gone(bridge, WHY))
    assert deltas(messages) == [d.ProviderError(WHY, settles_turn=True), d.SessionEnded()]
    assert [m["id"] for m in messages if "method" not in m] == ["s"]


def test_a_prompt_behind_the_agents_own_turn_fails_as_a_turn_of_its_own() -> None:
    bridge = bridge_for("claude-code")
    bridge.runtime(START)
    text = {"role": "assistant", "id": "m", "content": [{"type": "text", "text": "by myself"}]}
    bridge.provider({"type": "assistant", "message": text, "session_id": "s", "parent_tool_use_id": None})
    bridge.runtime(PROMPT)
    kinds = [type(delta) for delta in deltas(told(agent_gone(bridge, WHY)))]
    lost = [d.ProviderError, d.SessionEnded]
    assert kinds == [*lost, d.TurnOpen, d.InputAccepted, *lost]
