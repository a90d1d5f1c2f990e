"""Frames: one line of Claude Code's output as typed values, without judgement.

They name what the wire says (`claude -p --output-format stream-json`, type declarations of the agent SDK
0.3.332). Missing and null are the same here: None. What no frame knows stays an `Unknown` with its type.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from msgspec import Struct, field


class Text(Struct):
    """A text or thinking block; `channel` is agentMessage or reasoningText."""

    channel: str
    text: str


class ToolUse(Struct):
    """A tool call; `input` is `{}` while it still streams."""

    id: str
    name: str
    input: dict[str, Any]


class ToolResult(Struct):
    """What came of a call. `text` joins its text blocks; None when there was no content at all."""

    call_id: str
    text: str | None
    is_error: bool


class Opaque(Struct):
    """A block that holds nothing for people (redacted thinking, an image, a document)."""

    kind: str


class Foreign(Struct):
    """A block no reader knows."""

    kind: str
    raw: Any


class Compacted(Struct):
    """The context was shortened: as a message of the agent program, or as a block of the model's API."""


Block: TypeAlias = Text | ToolUse | ToolResult | Opaque | Foreign | Compacted


class Assistant(Struct):
    """A message or (while streaming) one block of it; `error` when it is no model's but an API error."""

    message_id: str | None
    blocks: list[Block]
    model: str | None = None
    usage: dict[str, Any] | None = None
    parent: str | None = None
    error: str | None = None
    error_status: int | None = None


class User(Struct):
    """Input the agent shows: tool results, its own notes, our prompt again (`replay`).

    `result` is the tool's structured output (an object) or its error (a string); `notes` holds, by call
    id, what the permission system says of each result.
    """

    blocks: list[Block]
    parent: str | None = None
    uuid: str | None = None
    replay: bool = False
    result: Any = None
    notes: dict[str, dict[str, Any]] = field(default_factory=dict)


class Stream(Struct):
    """A streaming event: start, block, text, json, stop, usage; other events are not frames."""

    event: str
    parent: str | None = None
    message_id: str | None = None
    index: int = 0
    block: Block | None = None
    usage: dict[str, Any] | None = None
    model: str | None = None


class Result(Struct):
    """The end of what the agent calls a turn."""

    subtype: str
    is_error: bool = False
    text: str | None = None
    errors: list[str] = field(default_factory=list)
    error_status: int | None = None
    error_type: str | None = None
    stop_reason: str | None = None
    terminal_reason: str | None = None
    num_turns: int | None = None
    queued: int = 0
    origin: str | None = None
    usage: dict[str, Any] | None = None
    model_usage: dict[str, Any] = field(default_factory=dict)
    denials: list[str] = field(default_factory=list)
    answered: list[str] = field(default_factory=list)


class Init(Struct):
    """The session as the agent sets it out before each of its turns."""

    session_id: str | None
    cwd: str | None
    model: str | None
    mode: str | None


class Mode(Struct):
    """The permission mode changed."""

    mode: str


class Task(Struct):
    """News of a task: started, progress, updated, notification."""

    event: str
    id: str
    call_id: str | None = None
    type: str | None = None
    description: str | None = None
    background: bool | None = None
    status: str | None = None
    summary: str | None = None
    hidden: bool = False


class Denied(Struct):
    """A call was refused without asking anybody."""

    call_id: str
    reason: str | None


class Warn(Struct):
    """Something a person should know that stops nothing."""

    text: str


class Said(Struct):
    """Output of a command of the agent's own (`/cost`)."""

    text: str


class Fallback(Struct):
    """The agent changed the model by itself."""

    model: str
    previous: str | None
    reason: str | None


class Limits(Struct):
    """Rate limits in the provider's words."""

    limits: Any


class Goal(Struct):
    """What the agent is to reach before it stops, in its own words; None where there is none any more."""

    goal: dict[str, Any] | None


class Cleared(Struct):
    """The conversation was dropped for a new one."""


class Idle(Struct):
    """The agent says that it works on nothing."""


class Quiet(Struct):
    """Traffic that is understood and says nothing for a timeline."""


class Unknown(Struct):
    """A type (`system/<subtype>`) no reader knows."""

    kind: str


Frame: TypeAlias = (
    Assistant
    | User
    | Stream
    | Result
    | Init
    | Mode
    | Task
    | Denied
    | Warn
    | Said
    | Fallback
    | Limits
    | Goal
    | Compacted
    | Cleared
    | Idle
    | Quiet
    | Unknown
)
