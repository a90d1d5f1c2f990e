"""The merge cache: what is known of one tool call, over all frames that spoke of it.

States of a call: *open* from its first frame, *settled* with `status` once a frame (or the turn) ended it.
Merging never loses anything: absent, null and empty leave what is known (S16, S18, S26), a status never
goes back, and what an ask says fills gaps only. A patch (protocol version 2) does what it says instead: its
values replace, and what it clears is gone; only an ended call stays ended.
"""

from __future__ import annotations

from typing import Any

from parity.grammar.deltas import ItemClose, Presentation
from parity.grammar.items import Item
from parity.lanes.acp.frames import TERMINAL, Content, Diff, ToolFrame


class Ask:
    """A permission request joined to a call, and what became of it."""

    __slots__ = ("decision", "reason")

    def __init__(self, reason: str | None) -> None:
        self.reason = reason
        self.decision: str | None = None


class Call:
    """One tool call."""

    __slots__ = (
        "alias",
        "ask",
        "asked_first",
        "began",
        "child_ref",
        "closed",
        "command",
        "cwd",
        "diffs",
        "exit_code",
        "hint",
        "id",
        "item",
        "kind",
        "locations",
        "name",
        "note_text",
        "opened_under",
        "output",
        "parent_ref",
        "patched",
        "pieces",
        "presentation",
        "raw_input",
        "raw_output",
        "raw_reported",
        "refused",
        "server",
        "settled",
        "signal",
        "status",
        "streamed",
        "terminals",
        "text",
        "title",
        "updated",
        "url",
    )

    def __init__(self, call_id: str) -> None:
        self.id = call_id
        self.began = False  # a `tool_call` named it
        self.updated = False  # a `tool_call` or `tool_call_update` named it
        self.asked_first = False
        self.alias: str | None = None  # the id it was asked about under
        self.patched = False  # its frames replace and take back
        self.settled: str | None = None
        self.name: str | None = None
        self.title: str | None = None
        self.kind: str | None = None
        self.hint: str | None = None  # the kind the dialect knows while the protocol has not said one
        self.server: str | None = None
        self.status: str | None = None
        self.raw_input: Any = None
        self.raw_output: Any = None
        self.raw_reported = False  # a closing (or late) frame said it: its code counts (S05)
        self.diffs: list[Diff] | None = None
        self.terminals: list[str] | None = None
        self.locations: list[str] | None = None
        self.parent_ref: str | None = None
        self.child_ref: str | None = None
        self.url: str | None = None
        self.command: str | None = None  # what its terminal, or a permission request, says it runs
        self.cwd: str | None = None
        self.ask: Ask | None = None
        self.note_text: str | None = None  # content said before the call ran: a description
        self.text: str | None = None  # content said while running or at the end: the result
        self.pieces: list[str] | None = None  # `text` and what was appended to it since; see `collect`
        self.output: str | None = None  # the last snapshot of a running command's output
        self.streamed: list[str] | None = None  # increments of it, where the agent sends those
        self.exit_code: int | None = None  # from a terminal, real or in `_meta`
        self.signal: str | None = None
        self.refused = False  # the agent says it was never run
        self.item: Item | None = None  # as last opened
        self.opened_under: str | None = None
        self.presentation: Presentation | None = None
        self.closed: ItemClose | None = None

    @property
    def running(self) -> bool:
        """Whether the agent said the call is at work."""
        return self.status == "in_progress"

    @property
    def denied(self) -> bool:
        """Whether a person refused it."""
        return self.ask is not None and self.ask.decision == "denied"

    @property
    def effective_kind(self) -> str | None:
        """The protocol's kind; where it says none or only `other`, the dialect's."""
        return self.kind if self.kind not in (None, "other") else self.hint or self.kind

    @property
    def args(self) -> dict[str, Any]:
        """The arguments, where they are an object."""
        return self.raw_input if isinstance(self.raw_input, dict) else {}

    def merge(self, frame: ToolFrame) -> None:
        """Take what a `tool_call` or `tool_call_update` says."""
        if frame.patch:
            self._patch(frame)
            return
        if frame.begins:
            self.began = True
        self.updated = True
        if frame.name:
            self.name = frame.name
        if frame.title:
            self.title = frame.title
        if frame.kind:
            self.kind = frame.kind
        if frame.raw_input not in (None, "", {}, []):
            self.raw_input = frame.raw_input
        if frame.locations:
            self.locations = frame.locations
        content = frame.content
        if content is not None:
            if content.diffs:
                self.diffs = content.diffs
            if content.terminals:
                self.terminals = content.terminals
        status = frame.status  # the reader leaves out an unknown one: it is still pending (S28)
        if (
            status is not None
            and self.status not in TERMINAL
            and (status != "pending" or self.status is None)
        ):
            self.status = status
        if frame.raw_output is not None and (self.settled is None or status != "in_progress"):
            self.raw_output = frame.raw_output
            self.raw_reported = status in TERMINAL or (status is None and self.settled is not None)

    def _patch(self, frame: ToolFrame) -> None:
        """Take values as replacements, and take back what is cleared."""
        self.updated = self.patched = True
        for field in frame.cleared:
            if field == "content":
                self._replace(Content())
                self.note_text = None
            elif field != "status":
                setattr(self, field, None)
            elif self.status not in TERMINAL:
                self.status = None
        for field in ("name", "title", "kind", "locations", "raw_input"):
            value = getattr(frame, field)
            if value is not None:
                setattr(self, field, value)
        status = frame.status
        if status is not None and self.status not in TERMINAL:
            self.status = status
        if frame.content is not None:
            self._replace(frame.content)
        if frame.raw_output is not None:
            self.raw_output = frame.raw_output
            self.raw_reported = status in TERMINAL or (status is None and self.settled is not None)

    def _replace(self, content: Content) -> None:
        """The content anew; its text is told apart by what the call does (see the lane).

        What was said of the call before it ran still describes it while it runs.
        """
        self.diffs, self.terminals = content.diffs, content.terminals
        self.text = self.pieces = None
        if self.status in (None, "pending"):
            self.note_text = None

    def append(self, text: str) -> str:
        """One more text of the content; returns what it adds, a line of its own."""
        if self.pieces is None:
            self.pieces = [self.text] if self.text else []
        last = self.pieces[-1] if self.pieces else "\n"
        added = text if last.endswith("\n") else f"\n{text}"
        if added:
            self.pieces.append(added)
        return added

    def collect(self) -> None:
        """Make `text` all that was appended to it."""
        if self.pieces is not None:
            self.text, self.pieces = "".join(self.pieces), None

    def merge_ask(self, frame: ToolFrame) -> None:
        """Take what a permission request says (S18, S22).

        It fills gaps and never replaces, but for the title under the call's own id: that is an update. A
        patch is one altogether, but says nothing of how the call goes.
        """
        if frame.patch:
            updated, status = self.updated, self.status
            self._patch(frame)
            self.updated, self.status = updated, status
            if frame.content is not None:
                self.note_text = frame.content.text
            return
        self.name = self.name or frame.name
        if frame.title and (frame.id == self.id or not self.title):
            self.title = frame.title
        if frame.kind and self.kind in (None, "other"):
            self.kind = frame.kind
        if isinstance(frame.raw_input, dict):
            if isinstance(self.raw_input, dict):
                self.raw_input = {**frame.raw_input, **self.raw_input}
            elif self.raw_input is None and frame.raw_input:
                self.raw_input = frame.raw_input
        elif self.raw_input is None:
            self.raw_input = frame.raw_input
        self.locations = self.locations or frame.locations
        if frame.content is not None:
            self.diffs = self.diffs or frame.content.diffs
            self.terminals = self.terminals or frame.content.terminals
