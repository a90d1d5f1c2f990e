"""One tool call: what is known of it, over all frames that spoke of it.

States: *open* from its first frame · *settled* with an item status once its result (or the turn's end) came.
An open call is *background* work when it outlives its turn. Merging never loses anything: an empty input
leaves the known one (S16, S26).
"""

from __future__ import annotations

from typing import Any

from parity.grammar.deltas import ItemClose, Key, Presentation
from parity.grammar.items import Item


class Call:
    """A call by its `tool_use` id."""

    __slots__ = (
        "background",
        "closed",
        "decision",
        "id",
        "input",
        "name",
        "parent",
        "partial",
        "reason",
        "settled",
        "shown",
    )

    def __init__(self, call_id: str, parent: str | None) -> None:
        self.id = call_id
        self.parent = parent
        self.name = ""
        self.input: dict[str, Any] = {}
        self.partial: list[str] = []  # pieces of the input's JSON while it streams
        self.shown: tuple[Item, Presentation | None, str | None] | None = None  # as last opened
        self.background = False
        self.decision: str | None = None  # a person's: allowed, denied, cancelled, answered
        self.reason: str | None = None  # why it was refused, in the words of who refused it
        self.settled: str | None = None
        self.closed: ItemClose | None = None

    @property
    def key(self) -> Key:
        """The key of its deltas."""
        return Key(self.id, None, self.parent)

    @property
    def denied(self) -> bool:
        """Whether a person, or a rule in a person's place, refused it."""
        return self.decision == "denied"

    def merge(self, name: str, value: dict[str, Any]) -> None:
        """Take a frame's word for what is called and with what."""
        self.name = name or self.name
        if value:
            self.input = value
