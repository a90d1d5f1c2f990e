"""Frames: what one ACP message says, read once into typed form, before any state is touched.

A reader (one per protocol version) makes frames; the call and turn state consumes them and never looks at
the message again. `None` always means "not said"; what a message takes back (null, in version 2) stands in
`cleared`. Values no frame has a place for stay in `meta`.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from msgspec import Struct

TERMINAL = {"completed": "completed", "failed": "failed", "cancelled": "interrupted"}
"""Statuses that end a tool call, and the item status they mean; any other status is still pending."""

STATUSES_V1 = frozenset(("pending", "in_progress", "completed", "failed"))
"""All statuses of version 1."""

STATUSES_V2 = STATUSES_V1 | {"cancelled"}
"""All statuses version 2 names."""

KINDS = frozenset(
    ("read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other")
)
"""All tool kinds of the protocol."""

NOTHING: frozenset[str] = frozenset()


class Diff(Struct, gc=False):
    """One changed file: by its texts (`old_text` None for a file that was not there), or by what was done.

    `kind` is add, update or delete where the agent says so, `move_path` where the file went, `patch` its
    section of a git patch.
    """

    path: str
    old_text: str | None = None
    new_text: str | None = None
    kind: str | None = None
    move_path: str | None = None
    patch: str | None = None


class Content(Struct, gc=False):
    """A tool call's content collection, its foreign blocks left out."""

    text: str | None = None
    diffs: list[Diff] | None = None
    terminals: list[str] | None = None


class ToolFrame(Struct, gc=False):
    """A `tool_call` (`begins`), a `tool_call_update`, or the call inside a permission request.

    With `patch` the frame also creates, its values replace what is known and `cleared` names the fields it
    empties; without, a value fills and nothing is ever taken back.
    """

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
    patch: bool = False
    cleared: frozenset[str] = NOTHING

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
            and not self.cleared
        )


class ContentFrame(Struct, gc=False):
    """One more item of a call's content."""

    id: str
    content: Content
    meta: dict[str, Any]


class AskFrame(Struct, gc=False):
    """A permission request: the call it is about, the words it is put in, the command it would run."""

    call: ToolFrame | None
    title: str | None = None
    reason: str | None = None
    command: str | None = None
    cwd: str | None = None
    terminal_id: str | None = None


class ChunkFrame(Struct, gc=False):
    """A piece of a message: `role` is user, agent or thought; `text` may be empty.

    With `keeps` the message stays known under its id: later pieces append to it, a MessageFrame replaces it.
    """

    role: str
    text: str
    message_id: str | None
    meta: dict[str, Any]
    keeps: bool = False


class MessageFrame(Struct, gc=False):
    """A message as a whole: `text` is all of it, None where the frame leaves it as it is."""

    role: str
    text: str | None
    message_id: str
    meta: dict[str, Any]


class StateFrame(Struct, gc=False):
    """The session's foreground work: `state` is running, idle or requires_action."""

    state: str
    stop_reason: str | None
    meta: dict[str, Any]
    error: dict[str, Any] | None = None
    """Why the work failed, as a JSON-RPC error object."""


class TerminalFrame(Struct, gc=False):
    """News of a terminal the agent owns: its output so far, or (`appends`) what it printed since.

    `ended` says that its command ended, with a code or a signal where the agent knows one.
    """

    id: str
    output: bytes | None = None
    appends: bool = False
    command: str | None = None
    cwd: str | None = None
    ended: bool = False
    exit_code: int | None = None
    signal: str | None = None
    cleared: frozenset[str] = NOTHING


class PlanFrame(Struct, gc=False):
    """A whole plan: entries {step, status?, priority?}; `id` where there can be several."""

    entries: list[dict[str, Any]]
    id: str | None = None


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
    ToolFrame
    | ContentFrame
    | ChunkFrame
    | MessageFrame
    | StateFrame
    | TerminalFrame
    | PlanFrame
    | UsageFrame
    | InfoFrame
    | ModeFrame
    | QuietFrame
    | UnknownFrame
)
HISTORY = (ToolFrame, ContentFrame, ChunkFrame, MessageFrame, StateFrame, TerminalFrame, PlanFrame)
"""The frames a resumed session repeats of its past."""
