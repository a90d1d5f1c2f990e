"""The ordering rules of the event stream, checked one event at a time at intake.

    item/opens-before-delta   an item begins before anything is said about it
    item/settles-once         an item settles once for each time it was begun or reopened
    turn/starts-once          no turn begins inside another
    turn/settles-once         a turn settles once
    turn/known                what belongs to a turn names the open one, or is part of open work

An event that breaks a rule is dropped and counted under `rule:eventType`; the stream goes on. State: the
open turn, the ids of open items, and the newest of those settled in the current turn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from parity.grammar import events as e
from parity.grammar.assembler import REMEMBERED_ITEMS
from parity.grammar.newest import Newest

RULES = (
    "item/opens-before-delta",
    "item/settles-once",
    "turn/starts-once",
    "turn/settles-once",
    "turn/known",
)


class Ordering:
    """Admits or drops the events of one thread, in order."""

    def __init__(self) -> None:
        self.drops: Counter[str] = Counter()
        self._turn: str | None = None
        self._open: set[str] = set()
        self._settled: Newest[str] = Newest(REMEMBERED_ITEMS)
        self._last_turn: str | None = None

    def admit(self, event: e.Event) -> bool:
        """Whether the event keeps the rules; a dropped one is counted."""
        check = _CHECKS.get(type(event))
        if check is None:
            return True
        rule = check(self, event)
        if rule is None:
            return True
        self.drops[f"{rule}:{event.type}"] += 1
        return False

    def _delta(self, event: e.ItemDelta) -> str | None:
        return None if event.item_id in self._open else "item/opens-before-delta"

    def _start(self, event: e.ItemStarted) -> str | None:
        item_id = event.item["id"]
        turn_id = event.scope.turn_id
        if turn_id is None or turn_id != self._turn:
            if item_id in self._open:
                return None
            if event.item.get("parentItemId") not in self._open:
                return "turn/known"
        self._settled.discard(item_id)
        self._open.add(item_id)
        return None

    def _complete(
        self, event: e.ItemCompleted | e.BackgroundTaskCompleted | e.DelegationCompleted
    ) -> str | None:
        return self._settle(event.item["id"])

    def _begin(self, event: e.TurnStarted) -> str | None:
        if self._turn is not None:
            return "turn/starts-once"
        self._turn = event.turn_id
        return None

    def _settle(self, item_id: str) -> str | None:
        if item_id in self._open:
            self._open.discard(item_id)
            self._settled.add(item_id)
            return None
        return "item/settles-once" if item_id in self._settled else "item/opens-before-delta"

    def _end(self, event: e.TurnCompleted) -> str | None:
        if self._turn is None or event.turn_id != self._turn:
            return "turn/settles-once" if self._last_turn is not None else "turn/known"
        self._last_turn = self._turn
        self._turn = None
        self._settled.clear()
        return None


_CHECKS: dict[type[e.Event], Callable[[Ordering, Any], str | None]] = {
    e.TurnStarted: Ordering._begin,
    e.TurnCompleted: Ordering._end,
    e.ItemStarted: Ordering._start,
    e.ItemCompleted: Ordering._complete,
    e.BackgroundTaskCompleted: Ordering._complete,
    e.DelegationCompleted: Ordering._complete,
    e.AgentMessageDelta: Ordering._delta,
    e.ReasoningTextDelta: Ordering._delta,
    e.ReasoningSummaryDelta: Ordering._delta,
    e.PlanDelta: Ordering._delta,
    e.CommandOutputDelta: Ordering._delta,
    e.FileChangeOutputDelta: Ordering._delta,
    e.ToolCallProgress: Ordering._delta,
    e.BackgroundTaskProgress: Ordering._delta,
    e.DelegationProgress: Ordering._delta,
}
