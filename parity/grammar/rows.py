"""Rows: the timeline a person sees, projected from events.

One `turn` row per turn, its work as children in the order it began; the turn's last agent message, when
nothing follows it, stands after the turn as a `message` row; facts of the thread stand alone. One item is
one row, however often it was re-shaped, reopened or moved under a parent. A row says nothing the events
did not say, with one rule of its own: a command whose exit code is not zero failed, whatever the agent
called it.

The projector is incremental: a turn's row is handed out once the turn has settled and nothing in it is
open any more, and is then forgotten.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from parity.grammar import events as e
from parity.grammar.row_fields import Row, fields_of, title_of

__all__ = ["NEST", "Row", "RowProjector", "count_rows", "walk"]

NEST = 64
"""How deep items stand under one another."""


class _Node:
    """A row being built: the item's latest document, its children, what was streamed of it."""

    __slots__ = ("approval", "children", "doc", "id", "question", "text")

    def __init__(self, node_id: str, doc: dict[str, Any]) -> None:
        self.id = node_id
        self.doc = doc
        self.children: list[_Node] = []
        self.text: list[str] = []
        self.approval: dict[str, Any] | None = None
        self.question: dict[str, Any] | None = None

    def row(self) -> Row:
        """The row as it stands now."""
        doc = self.doc
        kind, fields = fields_of(doc, self.text)
        presentation = doc.get("presentation")
        title = detail = None
        if presentation is not None:
            if isinstance(presentation, dict):
                title, detail = presentation.get("title"), presentation.get("detail")
            else:
                title, detail = presentation.title, presentation.detail
        status = doc.get("status", "pending")
        if fields.get("exitCode"):
            status = "failed"
        if self.question is not None:
            kind, fields = "question", self.question
        row: Row = {"id": self.id, "kind": kind, "status": status}
        row["title"] = title or title_of(kind, fields, doc)
        if status == "failed" and kind != "tool":
            detail = doc.get("resultText") or detail
        if kind in _SAID and row["title"] != doc["title"]:
            detail = doc["title"]
        if detail:
            row["detail"] = detail
        if "providerItemId" in doc and kind not in ("message", "reasoning"):
            row["providerItemId"] = doc["providerItemId"]
        row.update(fields)
        approval = self.approval
        if doc.get("approvalStatus") == "denied":
            approval = {**(approval or {}), "decision": "denied"}
            if doc.get("resultText"):
                approval.setdefault("reason", doc["resultText"])
        if approval is not None and kind == "approval":
            row.update(approval)
        elif approval is not None:
            row["approval"] = approval
        if self.children:
            row["children"] = [child.row() for child in self.children]
        return row


class RowProjector:
    """Events of one thread in, finished top-level rows out."""

    def __init__(self) -> None:
        self._top: deque[_Node] = deque()
        self._turn: _Node | None = None
        self._items: dict[str, _Node] = {}
        self._homes: dict[str, list[_Node]] = {}
        self._open: dict[str, str] = {}
        self._interactions: dict[str, _Node] = {}
        self._facts = 0

    def feed(self, event: e.Event) -> Sequence[Row]:
        """The top-level rows that are finished with this event (usually none)."""
        handler = _HANDLERS.get(type(event))
        if handler is None:
            return ()
        handler(self, event)
        return self._finished() if self._turn is None else ()

    def flush(self) -> list[Row]:
        """All remaining rows, finished or not, in order."""
        rows = [node.row() for node in self._top]
        self._top.clear()
        return rows

    # -- turns and items -----------------------------------------------------------------------------

    def _turn_started(self, event: e.TurnStarted) -> None:
        doc: dict[str, Any] = {"type": "turn", "status": "pending", "title": event.turn_id}
        if event.initiator is not None:
            doc["initiator"] = event.initiator
        self._turn = _Node(event.turn_id, doc)
        self._top.append(self._turn)

    def _turn_completed(self, event: e.TurnCompleted) -> None:
        turn = self._turn
        if turn is None:
            return
        turn.doc["status"] = event.status
        if event.error is not None:
            turn.doc["error"] = event.error
        if turn.children and turn.children[-1].doc["type"] == "agentMessage":
            self._top.append(turn.children.pop())
        self._turn = None

    def _input_accepted(self, event: e.TurnInputAccepted) -> None:
        if self._turn is not None and event.origin is None and "input" not in self._turn.doc:
            self._turn.doc["input"] = " ".join(_texts(event.input))

    def _item_started(self, event: e.ItemStarted) -> None:
        doc = event.item
        item_id = doc["id"]
        node = self._items.get(item_id)
        if node is None:
            node = self._items[item_id] = _Node(item_id, doc)
            self._place(node)
        else:
            moved = doc.get("parentItemId") != node.doc.get("parentItemId")
            node.doc = doc
            if moved:
                home = self._homes.pop(item_id, None)
                if home is not None and node in home:
                    home.remove(node)
                self._place(node)
        self._open[item_id] = event.scope.turn_id or ""

    def _place(self, node: _Node) -> None:
        parent = self._parent_of(node)
        if parent is not None:
            home = parent.children
        elif self._turn is not None:
            home = self._turn.children
        else:
            return
        home.append(node)
        self._homes[node.id] = home

    def _parent_of(self, node: _Node) -> _Node | None:
        """The item a node belongs under. None where that is the node itself or stands below it, for an agent
        may name parents in a circle, and where it stands so deep that nothing more is put under it."""
        parent = above = self._items.get(node.doc.get("parentItemId", ""))
        for _ in range(NEST):
            if above is node:
                return None
            if above is None or above.id not in self._homes:
                return parent
            above = self._items.get(above.doc.get("parentItemId", ""))
        return None

    def _item_completed(
        self, event: e.ItemCompleted | e.BackgroundTaskCompleted | e.DelegationCompleted
    ) -> None:
        node = self._items.get(event.item["id"])
        if node is not None:
            node.doc = event.item
            node.text = []
        self._open.pop(event.item["id"], None)

    def _finished(self) -> list[Row]:
        """Rows at the head of the timeline that nothing can change any more."""
        if self._open or self._interactions:
            return []
        rows = self.flush()
        self._items.clear()
        self._homes.clear()
        self._interactions.clear()
        return rows

    # -- streams -------------------------------------------------------------------------------------

    def _text(
        self,
        event: e.AgentMessageDelta | e.ReasoningTextDelta | e.ReasoningSummaryDelta | e.PlanDelta,
    ) -> None:
        node = self._items.get(event.item_id)
        if node is not None:
            node.text.append(event.delta)

    def _output(self, event: e.CommandOutputDelta | e.FileChangeOutputDelta) -> None:
        node = self._items.get(event.item_id)
        if node is not None:
            if event.reset:
                node.text = []
            node.text.append(event.delta)

    # -- interactions --------------------------------------------------------------------------------

    def _requested(self, event: e.InteractionRequested) -> None:
        payload = event.payload
        node = self._items.get(event.item_id or "")
        asks_question = payload.get("kind") == "user_question"
        if node is None:
            kind = "question" if asks_question else "approval"
            node = self._fact(kind, str(payload.get("title") or kind), status="pending")
        if asks_question:
            node.question = {"questions": payload.get("questions", [])}
        else:
            node.approval = {"decision": "pending"}
            if payload.get("reason"):
                node.approval["reason"] = payload["reason"]
        self._interactions[event.interaction_id] = node

    def _resolved(self, event: e.InteractionResolved) -> None:
        node = self._interactions.pop(event.interaction_id, None)
        if node is None:
            return
        if node.question is not None:
            node.question = {**node.question, "decision": event.decision}
            if event.answers is not None:
                node.question["answers"] = event.answers
        if node.approval is not None:
            node.approval["decision"] = event.decision
        if node.doc["type"] in ("approval", "question"):
            node.doc["status"] = _DECIDED.get(event.decision, "completed")

    # -- facts ---------------------------------------------------------------------------------------

    def _fact(self, kind: str, title: str, *, status: str = "completed", **doc: Any) -> _Node:
        self._facts += 1
        node = _Node(f"{kind}-{self._facts}", {"type": kind, "status": status, "title": title, **doc})
        if self._turn is not None:
            self._turn.children.append(node)
        else:
            self._top.append(node)
        return node

    def _unhandled(self, event: e.ProviderUnhandled) -> None:
        turn, self._turn = self._turn, self._turn if event.scope.kind == "turn" else None
        self._fact("unhandled", event.raw_type)
        self._turn = turn

    def _warning(self, event: e.ProviderWarningEvent) -> None:
        self._fact("warning", event.message)

    def _error(self, event: e.ProviderErrorEvent) -> None:
        self._fact("error", event.message, status="failed")

    def _compacted(self, event: e.ThreadCompacted) -> None:
        self._fact("compaction", "Context compacted")


_SAID = ("warning", "error")
"""Facts whose title is what was said; where that is too long for a title, the detail has it whole."""
_DECIDED = {"denied": "failed", "cancelled": "interrupted"}


def _texts(blocks: Any) -> list[str]:
    """The texts of a turn's input; any block may be in it, also one that is none."""
    told = [block for block in blocks if isinstance(block, dict)] if isinstance(blocks, list) else []
    return [
        block["text"] for block in told if block.get("type") == "text" and isinstance(block.get("text"), str)
    ]


def count_rows(row: Row) -> int:
    """The row and all rows below it."""
    return 1 + sum(count_rows(child) for child in row.get("children", ()))


def walk(row: Row) -> Iterator[Row]:
    """The row and all rows below it, in reading order."""
    yield row
    for child in row.get("children", ()):
        yield from walk(child)


_HANDLERS: dict[type[e.Event], Callable[[RowProjector, Any], None]] = {
    e.TurnStarted: RowProjector._turn_started,
    e.TurnCompleted: RowProjector._turn_completed,
    e.TurnInputAccepted: RowProjector._input_accepted,
    e.ItemStarted: RowProjector._item_started,
    e.ItemCompleted: RowProjector._item_completed,
    e.BackgroundTaskCompleted: RowProjector._item_completed,
    e.DelegationCompleted: RowProjector._item_completed,
    e.AgentMessageDelta: RowProjector._text,
    e.ReasoningTextDelta: RowProjector._text,
    e.ReasoningSummaryDelta: RowProjector._text,
    e.PlanDelta: RowProjector._text,
    e.CommandOutputDelta: RowProjector._output,
    e.FileChangeOutputDelta: RowProjector._output,
    e.InteractionRequested: RowProjector._requested,
    e.InteractionResolved: RowProjector._resolved,
    e.ProviderUnhandled: RowProjector._unhandled,
    e.ProviderWarningEvent: RowProjector._warning,
    e.ProviderErrorEvent: RowProjector._error,
    e.ThreadCompacted: RowProjector._compacted,
}
