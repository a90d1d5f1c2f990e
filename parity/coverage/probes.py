"""Probes: what becomes of each name of a vocabulary, by saying it to a bridge in an open turn.

The instances are the published vocabulary's. Knows how a codex and a Claude Code agent say a thing; ACP has a
file of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from parity.bridges import Message
from parity.coverage import stages
from parity.coverage.acp_probes import AcpProbes
from parity.coverage.stages import SESSION, TURN, Stage, Told, difference

Becomes: TypeAlias = Callable[[str, str, list[Any]], list[str]]
"""(category, name, instances) → labels of what the bridge says because of it."""

_TOOL_USE = "text"  # what every instance has for the id of a call


def _codex(category: str, name: str, samples: list[Any]) -> list[str]:
    found: dict[str, None] = {}
    for sample in samples or [{}]:
        stage = stages.codex_stage(begun=name != "turn/started")
        if category == "item type":
            told = _codex_item(stage, {**sample, "type": name})
        elif category == "server request":
            told = stage.agent({"id": "asked-1", "method": name, "params": _codex_placed(sample)})
        else:
            stage.before(*_CODEX_BEFORE.get(name, ()))
            told = stage.agent({"method": name, "params": {"threadId": SESSION, **_codex_placed(sample)}})
        found.update(dict.fromkeys(difference(told, [])))
    return list(found)


def _codex_item(stage: Stage, item: Message) -> Told:
    """An item that begins and is over; begun alone says nothing of a text."""
    notices = [
        stages.codex_notice(method, turnId=TURN, item={**item, "id": "item-1"})
        for method in ("item/started", "item/completed")
    ]
    return stage.agent(*notices)


def _codex_placed(params: Any) -> Message:
    """Params about the stage's thread and turn."""
    if not isinstance(params, dict):
        return {}
    ids = {"threadId": SESSION, "conversationId": SESSION, "turnId": TURN}
    placed: Message = {name: ids.get(name, value) for name, value in params.items()}
    if isinstance(placed.get("turn"), dict):
        placed["turn"] = {**placed["turn"], "id": TURN}
    if isinstance(placed.get("item"), dict):
        placed["item"] = {**placed["item"], "id": "item-1"}
    return placed


_CODEX_BEFORE: dict[str, list[Message]] = {
    "serverRequest/resolved": [
        {
            "id": "text",
            "method": "item/commandExecution/requestApproval",
            "params": {"threadId": SESSION, "turnId": TURN, "itemId": "item-1"},
        }
    ],
    "thread/goal/cleared": [stages.codex_notice("thread/goal/updated", goal={"objective": "text"})],
}
"""What must have been said before a notification can be news."""


def _claude(category: str, name: str, samples: list[Any]) -> list[str]:
    found: dict[str, None] = {}
    for sample in samples or [{}]:
        said, without = _claude_lines(category, name, sample)
        told = _claude_stage(category, name).agent(*said)
        alone = _claude_stage(category, name).agent(*without) if without else []
        found.update(dict.fromkeys(difference(told, alone)))
    return list(found)


def _claude_stage(category: str, name: str) -> Stage:
    """With the call at work that results and notices speak of, unless the turn must have done nothing."""
    calls = category != "stream event" and name != "system/session_state_changed"
    stage = stages.claude_stage(call_id=_TOOL_USE if calls else None)
    stage.before(*_CLAUDE_BEFORE.get(name, ()))
    return stage


_CLAUDE_BEFORE: dict[str, list[Message]] = {
    "control_cancel_request": [
        {
            "type": "control_request",
            "request_id": "text",
            "request": {
                "subtype": "can_use_tool",
                "tool_name": "Bash",
                "input": {},
                "tool_use_id": _TOOL_USE,
            },
        }
    ],
    "system/task_notification": [
        {
            "type": "system",
            "subtype": "task_started",
            "task_id": "text",
            "tool_use_id": _TOOL_USE,
            "is_backgrounded": True,
        }
    ],
    "system/session_state_changed": [
        {"type": "result", "subtype": "success", "is_error": False, "num_turns": 0, "result": ""}
    ],
}
"""What must have been said before a message can be news."""


def _claude_lines(category: str, name: str, sample: Any) -> tuple[list[Message], list[Message]]:
    """The lines with a name, and the same without it."""
    match category:
        case "content block":
            role = "user" if name.endswith("tool_result") else "assistant"
            block = {**sample, "id": "call-2"} if "id" in sample else sample
            return [stages.claude_message(block, role=role)], [stages.claude_message(role=role)]
        case "control request":
            return [{"type": "control_request", "request_id": "asked-1", "request": sample}], []
        case "block delta":
            start = _stream({"type": "message_start", "message": {"id": "message-2", "content": []}})
            kind = {"thinking_delta": "thinking", "input_json_delta": "tool_use"}.get(name, "text")
            block = {"type": kind, "id": "call-2", "name": "Bash", "input": {}, "text": "", "thinking": ""}
            opened = _stream({"type": "content_block_start", "index": 0, "content_block": block})
            delta = {**sample, "partial_json": "{}"} if name == "input_json_delta" else sample
            piece = _stream({"type": "content_block_delta", "index": 0, "delta": delta})
            return [start, opened, piece], [start, opened]
        case "stream event":
            start = _stream({"type": "message_start", "message": {"id": "message-2", "content": []}})
            if name == "message_start":
                return [_stream(sample)], []
            return [start, _stream(sample)], [start]
        case "result":
            return [{**sample, "type": "result", "subtype": name}], []
        case _:
            return [{**sample, "parent_tool_use_id": None}], []


def _stream(event: Any) -> Message:
    return {"type": "stream_event", "event": event, "parent_tool_use_id": None}


BECOMES: dict[str, Becomes] = {
    "acp-v1": AcpProbes(1).becomes,
    "acp-v2": AcpProbes(2).becomes,
    "claude-code": _claude,
    "codex": _codex,
}
"""Protocol → its probe."""
