"""The names in a message: every word of the vocabulary in it, whatever else it holds."""

from __future__ import annotations

from typing import Any

import pytest

from parity.coverage.names import LONGEST, NAMES


def acp(**update: Any) -> set[tuple[str, str]]:
    return set(NAMES["acp"]({"method": "session/update", "params": {"sessionId": "s", "update": update}}))


def test_a_call_names_its_kind_status_and_content() -> None:
    blocks = [
        {"type": "content", "content": {"type": "image"}},
        {"type": "diff", "changes": [{"operation": "add"}]},
        {"type": "terminal"},
    ]
    said = acp(sessionUpdate="tool_call", toolCallId="c", kind="edit", status="pending", content=blocks)
    assert said == {
        ("session update", "tool_call"),
        ("tool kind", "edit"),
        ("tool status", "pending"),
        ("tool content", "content"),
        ("tool content", "diff"),
        ("tool content", "terminal"),
        ("content block", "image"),
        ("diff change", "add"),
    }


def test_the_answer_to_a_prompt_names_the_stop_reason() -> None:
    assert set(NAMES["acp"]({"id": 3, "result": {"stopReason": "refusal"}})) == {("stop reason", "refusal")}


def test_version_2_says_stop_reasons_states_and_plans_in_updates() -> None:
    idle = acp(sessionUpdate="state_update", state="idle", stopReason="end_turn")
    assert {("state", "idle"), ("stop reason", "end_turn")} <= idle
    entries = [{"content": "x", "status": "cancelled", "priority": "low"}]
    plan = acp(sessionUpdate="plan_update", plan={"type": "items", "planId": "p", "entries": entries})
    assert {("plan content", "items"), ("plan status", "cancelled"), ("plan priority", "low")} <= plan


def test_a_permission_request_names_the_call_and_the_options() -> None:
    params = {"toolCall": {"toolCallId": "c", "kind": "fetch"}, "options": [{"kind": "allow_once"}]}
    said = set(NAMES["acp"]({"id": 1, "method": "session/request_permission", "params": params}))
    assert {("tool kind", "fetch"), ("permission option", "allow_once")} <= said


def test_a_line_of_claude_code_names_its_blocks_and_the_piece_that_streams() -> None:
    read = NAMES["claude-code"]
    blocks = [{"type": "thinking"}, {"type": "tool_use"}]
    assert set(read({"type": "assistant", "message": {"content": blocks}})) == {
        ("message", "assistant"),
        ("content block", "thinking"),
        ("content block", "tool_use"),
    }
    event = {"type": "content_block_delta", "delta": {"type": "text_delta"}}
    assert set(read({"type": "stream_event", "event": event})) == {
        ("stream event", "content_block_delta"),
        ("block delta", "text_delta"),
    }


@pytest.mark.parametrize("family", NAMES)
@pytest.mark.parametrize("value", [None, 1, "x", [], {}, [None], {"type": {}}])
def test_a_value_of_the_wrong_type_names_nothing_and_breaks_nothing(family: str, value: Any) -> None:
    members = ("params", "result", "update", "message", "event", "request", "item", "type", "subtype")
    for head in ({}, {"method": "session/update"}, {"method": "item/started"}, {"type": "user"}):
        for member in members:
            found = list(NAMES[family]({**head, member: value}))
            assert all(isinstance(word, str) for name in found for word in name)


def test_a_name_is_short_and_on_one_line_whatever_the_agent_says() -> None:
    (_, (_, kind)) = sorted(acp(sessionUpdate="tool_call", toolCallId="c", kind="a\n\x1b[31m" + "b" * 9999))
    assert "\n" not in kind
    assert "\x1b" not in kind
    assert len(kind) < 2 * LONGEST
