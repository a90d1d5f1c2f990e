"""ACP version 2 frames in a few words, and the run that speaks them.

The counterpart of `acp_frames` for the draft of protocol version 2: the same run, bridge and runtime; an
agent that agreed on version 2 behind it.
"""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from acp_frames import OPTIONS, AcpRun, Json, _fields

AGENT: Json = {
    "protocolVersion": 2,
    "info": {"name": "agent", "version": "1"},
    "capabilities": {"session": {}},
}
CONFIG: list[Json] = [
    {
        "type": "select",
        "configId": "how",
        "name": "Mode",
        "category": "mode",
        "currentValue": "ask",
        "options": [{"value": "ask", "name": "Ask"}, {"value": "plan", "name": "Plan"}],
    },
    {
        "type": "select",
        "configId": "model",
        "name": "Model",
        "category": "model",
        "currentValue": "small",
        "options": [
            {"groupId": "g", "name": "All", "options": [{"value": "small", "name": "Small"}]},
            {"groupId": "h", "name": "More", "options": [{"value": "big", "name": "Big"}]},
        ],
    },
]
PATCH = "diff --git a{path} b{path}\n--- a{path}\n+++ b{path}\n@@ -1 +1 @@\n-a\n+b\n"


def encoded(data: str | bytes) -> str:
    """Bytes, or the UTF-8 of a text, as base64."""
    return b64encode(data.encode() if isinstance(data, str) else data).decode()


# -- content -----------------------------------------------------------------------------------------------


def block(words: str) -> Json:
    return {"type": "text", "text": words}


def change(operation: str, path: str, **fields: Any) -> Json:
    return {"operation": operation, "path": path, **fields}


def diff(*changes: Json, patch: str | None = None) -> Json:
    block: Json = {"type": "diff", "changes": list(changes)}
    return block if patch is None else {**block, "patch": {"format": "git_patch", "text": patch}}


# -- updates -----------------------------------------------------------------------------------------------


def call(call_id: str, **fields: Any) -> Json:
    """A `tool_call_update`, which also creates; a field given as None is null on the wire."""
    return {"sessionUpdate": "tool_call_update", "toolCallId": call_id, **_fields(fields)}


def command(call_id: str, line: str = "make", **fields: Any) -> Json:
    return call(call_id, **{"kind": "execute", "title": line, "raw_input": {"command": line}, **fields})


def piece(call_id: str, content: Json) -> Json:
    """One more item of a call's content."""
    return {"sessionUpdate": "tool_call_content_chunk", "toolCallId": call_id, "content": content}


def chunk(message_id: str, words: str, role: str = "agent_message") -> Json:
    content = block(words)
    return {"sessionUpdate": f"{role}_chunk", "messageId": message_id, "content": content}


def whole(message_id: str, *words: str, role: str = "agent_message", **fields: Any) -> Json:
    """A message upsert with these blocks; `content=None` clears, `said=False` leaves the content out."""
    update: Json = {"sessionUpdate": role, "messageId": message_id}
    if fields.pop("said", True):
        update["content"] = [block(word) for word in words]
    return {**update, **fields}


def state(name: str, **fields: Any) -> Json:
    return {"sessionUpdate": "state_update", "state": name, **fields}


RUNNING = state("running")


def idle(reason: str | None = "end_turn") -> Json:
    return state("idle") if reason is None else state("idle", stopReason=reason)


def terminal(terminal_id: str, output: str | bytes | None = None, **fields: Any) -> Json:
    """A `terminal_update`; `output` is a snapshot."""
    update: Json = {"sessionUpdate": "terminal_update", "terminalId": terminal_id}
    if output is not None:
        update["output"] = {"data": encoded(output)}
    return {**update, **fields}


def printed(terminal_id: str, data: str | bytes) -> Json:
    return {"sessionUpdate": "terminal_output_chunk", "terminalId": terminal_id, "data": encoded(data)}


def plan(plan_id: str, *entries: Json | str) -> Json:
    steps = [
        {"content": entry, "status": "pending", "priority": "medium"} if isinstance(entry, str) else entry
        for entry in entries
    ]
    return {"sessionUpdate": "plan_update", "plan": {"type": "items", "planId": plan_id, "entries": steps}}


def ask(title: str = "May I?", subject: Json | None = None, **fields: Any) -> Json:
    """A permission request; the run mints its id."""
    params: Json = {"title": title, "options": OPTIONS, **fields}
    if subject is not None:
        params["subject"] = subject
    return {"method": "session/request_permission", "id": None, "params": params}


def about_call(call_id: str, **fields: Any) -> Json:
    return {"type": "tool_call", "toolCall": {"toolCallId": call_id, **_fields(fields)}}


def about_command(line: str, **fields: Any) -> Json:
    return {"type": "command", "command": line, "cwd": "/home/dev/app", **fields}


class AcpV2Run(AcpRun):
    """A run whose agent agreed on version 2."""

    def initialize(self, agent: Json | None = None) -> None:
        self.runtime("initialize", protocolVersion=2, clientInfo={"name": "test", "version": "1"})
        self.respond("initialize", AGENT if agent is None else agent)

    def accept(self) -> AcpV2Run:
        """The agent's answer to the newest prompt."""
        self.respond("session/prompt", {})
        return self


def prompted(profile: str | None = None, **run: Any) -> AcpV2Run:
    """A run whose first prompt was accepted and is being worked on."""
    started = AcpV2Run(profile, **run)
    started.prompt()
    started.accept().feed(RUNNING)
    return started


def turn(*frames: Json, reason: str | None = "end_turn") -> AcpV2Run:
    """A run of one whole turn."""
    run = prompted()
    run.feed(*frames, idle(reason))
    return run
