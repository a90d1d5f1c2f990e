"""The thread of a Claude Code process: its lane, its prompts on the way, what waits for a person.

States: *idle* · *in a turn* (the lane's) · *waiting* while prompts of ours stand behind a turn of the agent's
own. The bridge changes them; this file only names them.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from msgspec import Struct, field

from parity.bridges.base import Message
from parity.lanes.claude_code.calls import Call
from parity.lanes.claude_code.lane import ClaudeLane


class Prompt(Struct):
    """A prompt that was sent; `echo` is what the agent may show of it again: its texts and its uuid."""

    input: list[dict[str, Any]]
    client_request_id: str | None
    echo: list[str]


class Interaction(Struct):
    """A request that waits for a person: `can_use_tool` about a call, or an `elicitation`."""

    request_id: Any
    request: dict[str, Any]
    call: Call | None


class Session(Struct):
    """The one thread of a process."""

    thread_id: str
    lane: ClaudeLane
    session_id: str | None = None
    options: dict[str, Any] = field(default_factory=dict)
    waiting: list[Prompt] = field(default_factory=list)
    interactions: dict[int, Interaction] = field(default_factory=dict)

    def waits_for(self, request_id: Any) -> bool:
        """Whether this very request of the agent waits for a person already."""
        return any(
            one.request_id == request_id and type(one.request_id) is type(request_id)
            for one in self.interactions.values()
        )


def prompt_of(params: dict[str, Any]) -> Prompt | None:
    """The prompt of a runtime request; None where its input is no list of content blocks."""
    blocks = params.get("input")
    if not isinstance(blocks, list) or not blocks or not all(isinstance(block, dict) for block in blocks):
        return None
    client_request_id = params.get("clientRequestId")
    client_request_id = client_request_id if isinstance(client_request_id, str) else None
    echo = [block["text"] for block in blocks if isinstance(block.get("text"), str)]
    if client_request_id is not None:
        echo.append(client_request_id)
    return Prompt(blocks, client_request_id, echo)


def user_line(prompt: Prompt) -> Message:
    """The prompt as Claude Code reads it; a request id that is a uuid names it."""
    message: Message = {"type": "user", "session_id": "", "parent_tool_use_id": None}
    message["message"] = {"role": "user", "content": [_content(block) for block in prompt.input]}
    if _is_uuid(prompt.client_request_id):
        message["uuid"] = prompt.client_request_id
    return message


def _content(block: dict[str, Any]) -> dict[str, Any]:
    """A block of the runtime's input as the Messages API writes it; its own forms stay as they are."""
    if block.get("type") == "image" and isinstance(block.get("data"), str):
        source = {"type": "base64", "media_type": block.get("mimeType"), "data": block["data"]}
        return {"type": "image", "source": source}
    return block


def _is_uuid(text: str | None) -> bool:
    try:
        return text is not None and str(UUID(text)) == text.lower()
    except ValueError:
        return False
