"""The thread of a Claude Code process: its lane, its prompts on the way, what waits for a person.

States: *idle* · *in a turn* (the lane's) · *waiting* while prompts of ours stand behind a turn of the agent's
own. The bridge changes them; this file only names them.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field

from parity.lanes.claude_code.calls import Call
from parity.lanes.claude_code.lane import ClaudeLane


class Prompt(Struct):
    """A prompt that was sent; `echo` is what the agent may show of it again: its texts and its uuid."""

    input: list[dict[str, Any]]
    client_request_id: str | None
    echo: list[str]


class Interaction(Struct):
    """A `can_use_tool` request that waits for a person."""

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
