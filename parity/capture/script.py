"""What a scripted model is to say: replies to prompts, and replies to the results of the calls it made.

Knows neither agents nor any model's wire format. Call ids are fixed, `call_<entry>_<reply>_<number>`, so that
two recordings of a scenario differ only in what the agent makes up itself.
"""

from __future__ import annotations

from typing import Any, Protocol

from msgspec import Struct, field


class Call(Struct, frozen=True):
    """A tool call in the agent's own words."""

    id: str
    name: str
    arguments: dict[str, Any]


class Refusal(Struct, frozen=True):
    """The model's service answers with an HTTP error."""

    status: int
    message: str


class Reply(Struct, frozen=True, kw_only=True):
    """One answer of the model: what it thinks, says and calls, or that it fails."""

    think: str = ""
    say: str = ""
    calls: list[Call] = field(default_factory=list)
    refusal: Refusal | None = None
    pace: int = 0
    """Milliseconds between two pieces of the answer."""


class Entry(Struct, frozen=True):
    """All that is said to one prompt: the first reply to it, each next to the results of the calls before."""

    prompt: str
    """Part of the last thing the user said."""
    replies: list[Reply]


class ModelFailed(Exception):
    """The scripted model did not start, or is gone; the text is one line."""


class ScriptedModel(Protocol):
    """A model that says what it is told to. It is started before the agent and stopped whatever happens."""

    async def start(self, script: list[Entry]) -> str:
        """Serve the script; the base URL, on loopback. Raises InputError and ModelFailed."""

    async def stop(self) -> None:
        """End it; nothing of it is left. May be called at any time, more than once."""
