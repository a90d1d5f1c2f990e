"""An agent without a model on the official Python SDK, run as a script: one asked command, one message."""

from __future__ import annotations

import asyncio
from typing import Any

import acp
from acp.schema import (
    AgentMessageChunk,
    Implementation,
    PermissionOption,
    TextContentBlock,
    ToolCallProgress,
    ToolCallStart,
    ToolCallUpdate,
)

COMMAND = "cat missing.txt"
OPTIONS = [
    PermissionOption(option_id="yes", name="Yes", kind="allow_once"),
    PermissionOption(option_id="no", name="No", kind="reject_once"),
]


class SdkAgent(acp.Agent):
    """Serves any number of sessions."""

    client: Any = None
    sessions = 0

    def on_connect(self, conn: Any) -> None:
        self.client = conn

    async def initialize(self, protocol_version: int, **_: Any) -> acp.InitializeResponse:
        info = Implementation(name="sdk-agent", version="1.2.3")
        return acp.InitializeResponse(protocol_version=min(protocol_version, 1), agent_info=info)

    async def new_session(self, cwd: str, **_: Any) -> acp.NewSessionResponse:
        self.sessions += 1
        return acp.NewSessionResponse(session_id=f"s{self.sessions}")

    async def prompt(self, session_id: str, prompt: list[Any], **_: Any) -> acp.PromptResponse:
        call = {"tool_call_id": "call-1", "title": COMMAND, "kind": "execute"}
        start = ToolCallStart(
            session_update="tool_call", status="pending", raw_input={"command": COMMAND}, **call
        )
        await self.client.session_update(session_id, start)
        answer = await self.client.request_permission(
            session_id=session_id, tool_call=ToolCallUpdate(**call), options=OPTIONS
        )
        allowed = answer.outcome.outcome == "selected" and answer.outcome.option_id == "yes"
        end = ToolCallProgress(
            session_update="tool_call_update",
            tool_call_id="call-1",
            status="completed" if allowed else "failed",
            raw_output={"exitCode": 1, "stdout": "", "stderr": "no such file"} if allowed else None,
        )
        await self.client.session_update(session_id, end)
        chunk = AgentMessageChunk(
            session_update="agent_message_chunk",
            content=TextContentBlock(type="text", text=f"You said: {prompt[0].text}"),
            field_meta={"mood": "calm"},
        )
        await self.client.session_update(session_id, chunk)
        return acp.PromptResponse(stop_reason="end_turn")


if __name__ == "__main__":
    asyncio.run(acp.run_agent(SdkAgent()))
