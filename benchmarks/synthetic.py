"""A synthetic ACP recording of any length: turns of text, streamed commands, reads, edits and asks.

Deterministic: the same number of lines gives the same bytes. The traffic has the mix, shapes and sizes of
the committed ACP recordings: for every six tool calls about twelve updates of them, nine pieces of text, 25
vendor notifications, six lists of commands on offer, session info and usage.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from parity.wire import (
    BRIDGE_TO_PROVIDER,
    BRIDGE_TO_RUNTIME,
    LANES,
    PROVIDER_TO_BRIDGE,
    RUNTIME_TO_BRIDGE,
    Cell,
    LaneLine,
    Manifest,
    open_cell,
    save_manifest,
    write_lane,
)

SESSION = "7d0a3c52-3b1e-4a7e-9a51-0d2f6b8c4e10"
META = {
    "totalTokens": 1240,
    "eventId": f"{SESSION}-5",
    "agentTimestampMs": 1796073587432,
    "promptId": "b52c58ce-98a0-49b4-9342-7645023c0da8",
    "updateType": "ToolCallUpdate",
}


OFFER = {
    "availableCommands": [
        {"name": f"command-{n}", "description": "What it does, in a sentence of usual length.", "input": None}
        for n in range(12)
    ]
}


def _update(update: dict[str, object]) -> dict[str, object]:
    params = {"sessionId": SESSION, "update": update, "_meta": META}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}


def _text(text: str) -> list[dict[str, object]]:
    return [{"type": "content", "content": {"type": "text", "text": text}}]


def _conversation() -> Iterator[tuple[str, dict[str, object]]]:
    """An endless session: (lane, message)."""
    yield RUNTIME_TO_BRIDGE, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}
    yield BRIDGE_TO_PROVIDER, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}
    yield PROVIDER_TO_BRIDGE, {"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": 1}}
    start = {"threadId": "thread-1", "cwd": "/home/user/workspace"}
    yield RUNTIME_TO_BRIDGE, {"jsonrpc": "2.0", "id": 2, "method": "thread/start", "params": start}
    yield BRIDGE_TO_PROVIDER, {"jsonrpc": "2.0", "id": 2, "method": "session/new", "params": {}}
    yield PROVIDER_TO_BRIDGE, {"jsonrpc": "2.0", "id": 2, "result": {"sessionId": SESSION}}
    turn = 0
    while True:
        turn += 1
        yield from _turn(turn)


def _turn(turn: int) -> Iterator[tuple[str, dict[str, object]]]:
    prompt = turn + 2
    asked = {"threadId": "thread-1", "input": [{"type": "text", "text": f"step {turn}"}]}
    yield RUNTIME_TO_BRIDGE, {"jsonrpc": "2.0", "id": prompt, "method": "turn/start", "params": asked}
    yield BRIDGE_TO_PROVIDER, {"jsonrpc": "2.0", "id": prompt, "method": "session/prompt", "params": {}}
    yield PROVIDER_TO_BRIDGE, _update({"sessionUpdate": "session_info_update", "title": f"step {turn}"})
    yield from _text_pieces(turn, 3)
    for n, kind in enumerate(("execute", "read", "edit", "execute", "read", "edit")):
        yield from _noise(turn, 4)
        yield PROVIDER_TO_BRIDGE, _update({"sessionUpdate": "available_commands_update", **OFFER})
        yield from _call(f"call_{turn}_{n}", kind, turn)
    yield from _noise(turn, 1)
    yield from _text_pieces(turn, 6)
    for used in (1200, 1500):
        yield PROVIDER_TO_BRIDGE, _update({"sessionUpdate": "usage_update", "used": used, "size": 128000})
    yield PROVIDER_TO_BRIDGE, {"jsonrpc": "2.0", "id": prompt, "result": {"stopReason": "end_turn"}}


def _text_pieces(turn: int, count: int) -> Iterator[tuple[str, dict[str, object]]]:
    for n in range(count):
        chunk = {"type": "text", "text": f"word {n} of step {turn} "}
        yield PROVIDER_TO_BRIDGE, _update({"sessionUpdate": "agent_message_chunk", "content": chunk})


def _noise(turn: int, count: int) -> Iterator[tuple[str, dict[str, object]]]:
    """What a vendor tells its own clients."""
    for n in range(count):
        update = {
            "sessionUpdate": "tool_call_delta_chunk",
            "tool_index": n,
            "arguments_delta": f'"step {turn}',
        }
        params = {"sessionId": SESSION, "update": update, "_meta": META}
        yield (
            PROVIDER_TO_BRIDGE,
            {"jsonrpc": "2.0", "method": "_vendor/session_notification", "params": params},
        )


def _call(call_id: str, kind: str, turn: int) -> Iterator[tuple[str, dict[str, object]]]:
    args = {
        "execute": {"command": f"make step-{turn}", "description": "Build one step"},
        "read": {"path": f"src/module_{turn}.py"},
        "edit": {"path": f"src/module_{turn}.py"},
    }[kind]
    first = {"sessionUpdate": "tool_call", "toolCallId": call_id, "title": kind, "kind": kind}
    yield PROVIDER_TO_BRIDGE, _update({**first, "status": "pending", "rawInput": args})
    frame = {"sessionUpdate": "tool_call_update", "toolCallId": call_id}
    if kind == "edit":
        ask = {"sessionId": SESSION, "toolCall": {"toolCallId": call_id}}
        ask["options"] = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]
        request = {"jsonrpc": "2.0", "id": call_id, "method": "session/request_permission", "params": ask}
        yield PROVIDER_TO_BRIDGE, request
        yield BRIDGE_TO_RUNTIME, {"jsonrpc": "2.0", "id": call_id, "method": "interaction/request"}
        answer = {"decision": "allowed", "optionId": "yes"}
        yield RUNTIME_TO_BRIDGE, {"jsonrpc": "2.0", "id": call_id, "result": answer}
        yield BRIDGE_TO_PROVIDER, {"jsonrpc": "2.0", "id": call_id, "result": {}}
        diff = {"type": "diff", "path": f"src/module_{turn}.py", "oldText": "a - b\n", "newText": "a + b\n"}
        yield PROVIDER_TO_BRIDGE, _update({**frame, "status": "completed", "content": [diff]})
        return
    output = f"step {turn}\n"
    for n in range(3 if kind == "execute" else 0):
        output += f"compiling unit {n} of step {turn}\n"
        running = {**frame, "status": "in_progress", "content": _text(output)}
        yield PROVIDER_TO_BRIDGE, _update(running)
    done = {**frame, "status": "completed", "content": _text(output)}
    yield PROVIDER_TO_BRIDGE, _update({**done, "rawOutput": {"exit_code": 0}} if kind == "execute" else done)


def conversation_lines() -> Iterator[LaneLine]:
    """The lines of an endless session."""
    for count, (lane, message) in enumerate(_conversation(), 1):
        text = json.dumps(message, separators=(",", ":"))
        yield LaneLine(1767225600000 + count, 1, count, lane, text)


def write_cell(folder: Path, lines: int) -> Cell:
    """Write a recording of about `lines` lines (whole turns) and open it."""
    folder.mkdir(parents=True, exist_ok=True)
    save_manifest(folder / "manifest.json", Manifest(provider="acp-generic", cell=folder.name))
    kept: dict[str, list[LaneLine]] = {lane: [] for lane in LANES}
    for line in conversation_lines():
        kept[line.dir].append(line)
        if line.seq >= lines and "stopReason" in line.line:
            break
    for lane, entries in kept.items():
        write_lane(folder / f"{lane}.ndjson", entries)
    return open_cell(folder)
