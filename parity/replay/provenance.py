"""Provenance: which recorded lines a row came from.

A row owes to a line what the line's handling did to it: opened it, said more of it, streamed to it, asked a
person about it, settled it. So nothing is guessed from the text of a line; what the translators made of it
decides. A line that names a call and changes nothing of its row is not among the row's lines.

This is a replay that is watched from outside: the row projector is one that takes notes. A replay that
nobody watches does none of this, and what it says is the same to the byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

from parity.bridges import Bridge
from parity.grammar import events as e
from parity.grammar.rows import Row, RowProjector
from parity.replay.replay import Outcome, Replay, Sink, ignored_methods
from parity.wire import Cell, LaneLine

LineId: TypeAlias = tuple[int, int | float, str]
"""(run, seq, dir): a recorded line of a cell, as its lane file has it."""

RowLines: TypeAlias = list[list[LineId]]
"""The lines of one top-level row and of the rows below it, in the order of `parity.grammar.rows.walk`."""


class Noting:
    """The line that is being handled, and what was noted of the rows so far.

    A replay whose projectors are `projector`s fills `rows`: an entry for each top-level row, in the order of
    the sink's rows. Who feeds it says with `at` which line it is that is being handled.
    """

    def __init__(self) -> None:
        self.line: LineId = (0, 0, "")
        self.rows: list[RowLines] = []

    def at(self, line: LaneLine) -> None:
        """This line is handled from now on."""
        self.line = (line.run, line.seq, line.dir)

    def projector(self) -> RowProjector:
        """What projects the rows of one thread, and notes."""
        return _NotingProjector(self)


class _NotingProjector(RowProjector):
    """A row projector that notes, for each row it is building, the line that touched it.

    Nodes are told apart as objects: their ids are used again in other threads and after a release.
    """

    def __init__(self, reading: Noting) -> None:
        super().__init__()
        self._reading = reading
        self._noted: dict[int, tuple[object, list[LineId]]] = {}

    def feed(self, event: e.Event) -> Sequence[Row]:
        self._note(self._touched(event))  # before: a settling event may hand the row out
        rows = super().feed(event)
        if isinstance(event, (e.TurnStarted, e.ItemStarted)):
            self._note(self._touched(event))
        return rows

    def flush(self) -> list[Row]:
        nodes = list(self._top)
        rows = super().flush()
        self._reading.rows.extend([self._lines(node) for node in _walk(top)] for top in nodes)
        self._noted.clear()
        return rows

    def _touched(self, event: e.Event) -> Any:
        """The node an event is about, where there is one."""
        match event:
            case e.TurnStarted() | e.TurnCompleted() | e.TurnInputAccepted():
                return self._turn
            case e.ItemStarted() | e.ItemCompleted() | e.BackgroundTaskCompleted() | e.DelegationCompleted():
                return self._items.get(event.item["id"])
            case e.ItemDelta():
                return self._items.get(event.item_id)
            case e.InteractionRequested():
                return self._items.get(event.item_id or "")
            case e.InteractionResolved():
                return self._interactions.get(event.interaction_id)
        return None

    def _fact(self, kind: str, title: str, *, status: str = "completed", **doc: Any) -> Any:
        node = super()._fact(kind, title, status=status, **doc)
        self._note(node)
        return node

    def _note(self, node: object) -> None:
        if node is None:
            return
        _, lines = self._noted.setdefault(id(node), (node, []))
        if not lines or lines[-1] != self._reading.line:
            lines.append(self._reading.line)

    def _lines(self, node: object) -> list[LineId]:
        return self._noted[id(node)][1] if id(node) in self._noted else []


def _walk(node: Any) -> Iterator[Any]:
    yield node
    for child in node.children:
        yield from _walk(child)


def replay_noting(cell: Cell, new_bridge: Callable[[], Bridge], sink: Sink) -> tuple[Outcome, list[RowLines]]:
    """Replay a whole cell into a sink, noting the lines behind its rows.

    The second result has an entry for each top-level row, in the order of the sink's rows; see `RowLines`.
    """
    noting = Noting()
    run = Replay(new_bridge, sink, ignored_methods(cell), noting.projector)

    def noted() -> Iterator[LaneLine]:
        for line in cell.lines():
            noting.at(line)
            yield line

    return run.whole(noted()), noting.rows


def with_provenance(rows: Sequence[Row], lines: Sequence[RowLines]) -> list[Row]:
    """Copies of the rows in which each row, children included, has `provenance`: [[run, seq, dir], …]."""
    return [_marked(row, iter(found)) for row, found in zip(rows, lines, strict=True)]


def _marked(row: Row, lines: Iterator[list[LineId]]) -> Row:
    marked = {name: value for name, value in row.items() if name != "children"}
    marked["provenance"] = [list(line) for line in next(lines)]
    if "children" in row:
        marked["children"] = [_marked(child, lines) for child in row["children"]]
    return marked
