"""Rows as they grow: what of a timeline is settled can be shown for good, the rest while it changes.

A row projector that also tells. *Opened*: a turn began; *settled*: a row that stands in a turn, or alone, is
as it will be; *closed*: the turn ended; *changed*: a row that was settled is something else after all, told
when its turn is handed out. A turn's last message, which stands after it, is told after it. Rows are told in
the order in which they settle; what stands below a row is told with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, TypeAlias

from parity.grammar import events as e
from parity.grammar.rows import Row, RowProjector

Told: TypeAlias = Literal["opened", "settled", "closed", "changed"]

_STREAMS = (e.ItemDelta,)


class GrowingRows(RowProjector):
    """Projects the rows of one thread and hands each to `tell` (what, depth, row)."""

    def __init__(self, tell: Callable[[Told, int, Row], None]) -> None:
        super().__init__()
        self._tell = tell
        self._told: dict[int, tuple[Any, int, Row | None]] = {}
        self._taken: dict[int, int] = {}
        self._pending: list[tuple[Any, Any]] = []
        self._ended: set[int] = set()

    def feed(self, event: e.Event) -> Sequence[Row]:
        """As ever; what has settled with this event is told."""
        rows = super().feed(event)
        if not isinstance(event, _STREAMS) and not rows:
            self._look()
        return rows

    def flush(self) -> list[Row]:
        """As ever; what was not told yet is told now, as it is, and what is different by now again."""
        self._look()
        for parent, node in self._waiting():
            self._show(parent, node)
        for node, depth, shown in list(self._told.values()):
            row = node.row() if shown is not None else None
            if row != shown and row is not None:
                self._tell("changed", depth, row)
        for node in self._top:
            if node.doc["type"] == "turn" and id(node) not in self._ended:
                self._tell("closed", 0, _alone(node.row()))
        self._told.clear()
        self._taken.clear()
        self._pending.clear()
        self._ended.clear()
        return super().flush()

    def growing(self) -> list[tuple[int, Row]]:
        """(depth, row) of what is not settled yet, as it stands."""
        return [(0 if parent is None else 1, node.row()) for parent, node in self._waiting()]

    def _look(self) -> None:
        for top in self._top:
            if top.doc["type"] != "turn":
                if id(top) not in self._told and id(top) not in self._taken:
                    self._taken[id(top)] = 0
                    self._pending.append((None, top))
                continue
            if id(top) not in self._told and self._is_known(top):
                self._told[id(top)] = top, 0, None
                self._tell("opened", 0, _alone(top.row()))
            at = self._taken.get(id(top), 0)
            self._pending.extend((top, child) for child in top.children[at:])
            self._taken[id(top)] = len(top.children)
        for parent, node in list(self._waiting()):
            if parent is not None and self._is_settled(node) and not self._may_end_the_turn(parent, node):
                self._show(parent, node)
        for top in self._top:
            ends = top.doc["type"] == "turn" and top is not self._turn
            if ends and id(top) not in self._ended and not any(one is top for one, _ in self._pending):
                self._ended.add(id(top))
                self._tell("closed", 0, _alone(top.row()))
        for parent, node in list(self._waiting()):
            if parent is None and self._is_settled(node):
                self._show(parent, node)

    def _waiting(self) -> Iterator[tuple[Any, Any]]:
        """What is pending and still stands where it was seen."""
        self._pending = [
            (parent, node)
            for parent, node in self._pending
            if id(node) not in self._told and (parent is None or self._stands_in(parent, node))
        ]
        yield from self._pending

    def _is_known(self, turn: Any) -> bool:
        """Whether what began the turn is known: the input comes right after the turn's begin."""
        doc = turn.doc
        return "input" in doc or "initiator" in doc or bool(turn.children) or turn is not self._turn

    def _stands_in(self, parent: Any, node: Any) -> bool:
        if any(top is node for top in self._top):  # the turn's last message, which stands after it
            return False
        home = self._homes.get(node.id)
        return home is None or home is parent.children

    def _may_end_the_turn(self, parent: Any, node: Any) -> bool:
        turn: Any = self._turn
        return parent is turn and turn.children[-1] is node and node.doc["type"] == "agentMessage"

    def _show(self, parent: Any, node: Any) -> None:
        depth, row = 0 if parent is None else 1, node.row()
        self._told[id(node)] = node, depth, row
        self._tell("settled", depth, row)

    def _is_settled(self, node: Any) -> bool:
        if node.id in self._open or any(waits is node for waits in self._interactions.values()):
            return False
        return all(self._is_settled(child) for child in node.children)


def _alone(row: Row) -> Row:
    """The row without what stands below it."""
    return {name: value for name, value in row.items() if name != "children"}
