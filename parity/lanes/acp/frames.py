"""Frames: what one ACP message says, read once into typed form, before any state is touched.

A reader (one per protocol version) makes frames; the call and turn state consumes them and never looks at
the message again. `None` always means "not said". Values no frame has a place for stay in `meta`.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from msgspec import Struct

TERMINAL = {"completed": "completed", "failed": "failed"}
"""ACP statuses that end a tool call, and the item status they mean; any other status is still pending."""


STATUSES = frozenset(("pending", "in_progress", *TERMINAL))
"""All statuses of the protocol."""

KINDS = frozenset(
    ("read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other")
)
"""All tool kinds of the protocol."""


class Diff(Struct, gc=False):
    """One `diff` block: `old_text` None for a file that was not there."""

    path: str
    old_text: str | None
    new_text: str | None


class Content(Struct, gc=False):
    """A tool call's content collection, its foreign blocks left out."""

    text: str | None = None
    diffs: list[Diff] | None = None
    terminals: list[str] | None = None


class ToolFrame(Struct, gc=False):
    """A `tool_call` (`begins`), a `tool_call_update`, or the call inside a permission request."""

    id: str
    begins: bool
    meta: dict[str, Any]
    name: str | None = None
    title: str | None = None
    kind: str | None = None
    status: str | None = None
    content: Content | None = None
    locations: list[str] | None = None
    raw_input: Any = None
    raw_output: Any = None

    @property
    def only_output(self) -> bool:
        """Whether the frame says nothing about what the call is, only how it goes."""
        return (
            not self.meta
            and self.title is None
            and self.kind is None
            and self.raw_input is None
            and self.locations is None
            and self.name is None
            and (self.content is None or (self.content.diffs is None and self.content.terminals is None))
        )


class ChunkFrame(Struct, gc=False):
    """A piece of a message: `role` is user, agent or thought; `text` may be empty."""

    role: str
    text: str
    message_id: str | None
    meta: dict[str, Any]


class PlanFrame(Struct, gc=False):
    """The agent's whole plan: entries {step, status?, priority?}."""

    entries: list[dict[str, Any]]


class UsageFrame(Struct, gc=False):
    """The context window: tokens used and its size."""

    used: int | None
    size: int | None


class InfoFrame(Struct, gc=False):
    """Facts about the session: its title, and whatever the agent adds in `_meta`."""

    title: str | None
    meta: dict[str, Any]


class ModeFrame(Struct, gc=False):
    """The session's mode changed."""

    mode_id: str


class QuietFrame(Struct, gc=False):
    """An update every client may ignore by decision (see the lane's documentation)."""

    kind: str


class UnknownFrame(Struct, gc=False):
    """An update this reader does not know."""

    kind: str


Frame: TypeAlias = (
    ToolFrame | ChunkFrame | PlanFrame | UsageFrame | InfoFrame | ModeFrame | QuietFrame | UnknownFrame
)
