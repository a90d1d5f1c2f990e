"""One codex thread inside a runtime thread: the thread itself, or a sub-agent's nested under its delegation.

States of a strand: *idle* · *in turn* while `turn` names one; a turn that has ended stays known by its id
(bounded), so that its late frames are told from a new turn's. States of a work (one item of the agent):
*open* · *settled*, for good. The lane moves them; this file holds them and names their keys.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from parity.grammar import deltas as d
from parity.grammar.items import Item
from parity.grammar.newest import Newest
from parity.lanes.codex.shapes import Raw
from parity.lanes.codex.usage import UsageMeter
from parity.lanes.policy import PLAN_KEY, REMEMBERED_CALLS

ENDED_TURNS = 256
"""Ended turns of a thread whose late frames are still recognised."""

PART_BREAK = "\n\n"
"""Between two parts of a reasoning summary, streamed and whole."""


class TextStream:
    """The text of one channel of an item, as streamed so far."""

    __slots__ = ("closed", "index", "key", "parts")

    def __init__(self, key: d.Key) -> None:
        self.key = key
        self.parts: list[str] = []
        self.index: int | None = None
        self.closed = False

    def append(self, text: str, index: int | None) -> d.TextDelta | None:
        """The delta of one more piece; None for an empty one. A new index begins a new part."""
        if not text:
            return None
        if self.parts and index != self.index:
            text = PART_BREAK + text
        self.index = index
        self.parts.append(text)
        return d.TextDelta(self.key, text)

    def close(self, whole: str | None) -> list[d.Delta]:
        """Close the channel: what of the whole was not streamed is, and nothing is ever taken back (S11)."""
        streamed = "".join(self.parts)
        if self.closed or not (whole or streamed):
            return []
        self.closed = True
        if not whole or streamed.startswith(whole):
            return [d.TextClose(self.key)]
        if not whole.startswith(streamed):
            return [d.TextClose(self.key, whole)]
        self.parts.append(whole[len(streamed) :])
        return [d.TextDelta(self.key, self.parts[-1]), d.TextClose(self.key)]


class Work:
    """One item of the agent, from its first frame on."""

    __slots__ = (
        "aggregated",
        "approval",
        "begun",
        "detail",
        "item",
        "key",
        "output",
        "presentation",
        "raw",
        "settled",
        "texts",
    )

    def __init__(self, key: d.Key, raw: Raw) -> None:
        self.key = key
        self.raw = raw
        self.begun = raw  # as the last frame that began it said
        self.item: Item | None = None
        self.presentation: d.Presentation | None = None
        self.detail: str | None = None
        self.approval: str | None = None
        self.output: list[str] = []
        self.aggregated = False
        self.settled = False
        self.texts: dict[str, TextStream] = {}


class Strand:
    """A codex thread. `parent` is None for the runtime's own, else the strand whose agent started it."""

    def __init__(self, thread_id: str, parent: Strand | None, label: str | None = None) -> None:
        self.thread_id = thread_id
        self.parent = parent
        self.label = label
        self.cwd: str | None = parent.cwd if parent is not None else None
        self.turn: str | None = None
        self.ended: deque[str] = deque(maxlen=ENDED_TURNS)
        self.works: dict[str, Work] = {}
        self._settled: Newest[Work] = Newest(REMEMBERED_CALLS)
        self.meter = UsageMeter()
        self.plan: tuple[Any, Any] | None = None
        self.diff: str | None = None
        self.error: str | None = None
        self.compacted = False
        self.delegation: Work | None = None

    @property
    def nest(self) -> str | None:
        """The key of the delegation this strand's work nests under."""
        return self.delegation.key.provider_item_id if self.delegation is not None else None

    def key(self, item_id: str) -> d.Key:
        """The key of an item. Ids are unique per codex thread only, so a sub-agent's are qualified."""
        nest = self.nest
        return d.Key(item_id if nest is None else f"{nest}/{item_id}", None, nest)

    def text_key(self, item_id: str, channel: str) -> d.Key:
        """The key of a text channel of an item."""
        return d.Key(item_id, channel, self.nest)

    @property
    def plan_key(self) -> d.Key:
        """The key of the strand's plan."""
        nest = self.nest
        return PLAN_KEY if nest is None else d.Key(None, PLAN_KEY.channel, nest)

    def settle(self, work: Work) -> None:
        """The work is over; of the works of a long turn only the newest stay known."""
        work.settled = True
        forgotten = self._settled.add(work)
        if forgotten is not None and self.works.get(forgotten.raw["id"]) is forgotten:
            del self.works[forgotten.raw["id"]]

    def end_turn(self) -> None:
        """The turn is over and its works are settled."""
        if self.turn is not None:
            self.ended.append(self.turn)
        self.turn = None
        self.works = {}
        self._settled.clear()
        self.plan = None
        self.diff = None
        self.error = None
        self.compacted = False
