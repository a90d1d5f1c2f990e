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
from typing import Any, TypeAlias

from parity.grammar import events as e

Row: TypeAlias = dict[str, Any]
"""id, kind, status, title, detail?, providerItemId?, the fields of its kind, approval?, children?"""

TITLE_LENGTH = 80
"""Characters of a text shown as a title."""


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
        kind, fields = _FIELDS.get(doc["type"], _extension)(doc, self)
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
        row["title"] = title or _title(kind, fields, doc)
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
            text = " ".join(str(block["text"]) for block in event.input or [] if block.get("type") == "text")
            self._turn.doc["input"] = text

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
                self._homes[item_id].remove(node)
                self._place(node)
        self._open[item_id] = event.scope.turn_id or ""

    def _place(self, node: _Node) -> None:
        parent = self._items.get(node.doc.get("parentItemId", ""))
        if parent is not None and not self._is_below(parent, node):
            home = parent.children
        elif self._turn is not None:
            home = self._turn.children
        else:
            return
        home.append(node)
        self._homes[node.id] = home

    def _is_below(self, node: _Node | None, above: _Node) -> bool:
        """Whether a node is `above` itself or under it: children never hold their own parents."""
        while node is not None:
            if node is above:
                return True
            node = self._items.get(node.doc.get("parentItemId", "")) if node.id in self._homes else None
        return False

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


# -- fields of each kind ---------------------------------------------------------------------------------


def _pick(doc: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: doc[name] for name in names if doc.get(name) is not None}


def _turn(doc: dict[str, Any], node: _Node) -> tuple[str, Row]:
    return "turn", _pick(doc, "initiator", "input", "error")


def _command(doc: dict[str, Any], node: _Node) -> tuple[str, Row]:
    fields = _pick(doc, "command", "cwd", "exitCode", "durationMs")
    output = doc.get("aggregatedOutput") or "".join(node.text)
    if output:
        fields["output"] = output
    return "command", fields


def _tool(doc: dict[str, Any], node: _Node) -> tuple[str, Row]:
    fields: Row = {}
    for name, source in (("toolName", "tool"), ("server", "server"), ("toolArgs", "arguments")):
        if doc.get(source) is not None:
            fields[name] = doc[source]
    output = doc.get("resultText")
    if output is None:
        output = doc.get("result")
    if doc.get("error") is not None:
        fields["error"] = doc["error"]
        output = None if output == doc["error"] else output
    if output not in (None, ""):
        fields["output"] = output
    return "tool", fields


def _text_of(doc: dict[str, Any], node: _Node) -> str:
    text = doc.get("text")
    return text if isinstance(text, str) else "".join(node.text)


def _plan(doc: dict[str, Any], node: _Node) -> tuple[str, Row]:
    if doc["type"] == "plan":
        return "plan", {"text": _text_of(doc, node)}
    return "plan", _pick(doc, "steps", "explanation")


def _fields(kind: str, *names: str) -> Callable[[dict[str, Any], _Node], tuple[str, Row]]:
    def fields(doc: dict[str, Any], node: _Node) -> tuple[str, Row]:
        return kind, _pick(doc, *names)

    return fields


def _extension(doc: dict[str, Any], node: _Node) -> tuple[str, Row]:
    skip = ("id", "type", "status", "presentation", "providerItemId", "parentItemId", "resultText")
    return doc["type"], {k: v for k, v in doc.items() if k not in skip and k != "title"}


_FIELDS: dict[str, Callable[[dict[str, Any], _Node], tuple[str, Row]]] = {
    "turn": _turn,
    "commandExecution": _command,
    "toolCall": _tool,
    "fileChange": _fields("fileChange", "changes", "aggregatedOutput"),
    "fileRead": _fields("fileRead", "path", "cmd"),
    "search": _fields("search", "mode", "query", "path"),
    "webFetch": _fields("webFetch", "url", "prompt", "pattern"),
    "webSearch": _fields("webSearch", "queries"),
    "delegation": _fields("delegation", "label", "childRef", "background", "summary"),
    "planSteps": _plan,
    "plan": _plan,
    "agentMessage": lambda doc, node: ("message", {"text": _text_of(doc, node)}),
    "reasoning": lambda doc, node: ("reasoning", {"text": _text_of(doc, node)}),
    "contextCompaction": _fields("compaction"),
    "approval": _fields("approval"),
    "question": _fields("question"),
    "unhandled": _fields("unhandled"),
    "warning": _fields("warning"),
    "error": _fields("error"),
    "compaction": _fields("compaction"),
}
_TITLES = {"message": "Message", "reasoning": "Reasoning", "plan": "Plan", "fileChange": "Edit"}
_TITLE_FIELDS = {
    "command": ("command",),
    "tool": ("toolName",),
    "fileRead": ("path",),
    "search": ("query", "path"),
    "webFetch": ("url",),
    "delegation": ("label",),
    "turn": ("input",),
}


def _title(kind: str, fields: Row, doc: dict[str, Any]) -> str:
    for name in _TITLE_FIELDS.get(kind, ()):
        if fields.get(name):
            return _shorten(str(fields[name]))
    if kind == "fileChange" and fields.get("changes"):
        return ", ".join(str(change["path"]) for change in fields["changes"])
    if kind == "webSearch" and fields.get("queries"):
        return _shorten(str(fields["queries"][0]))
    return _shorten(str(doc.get("title") or _TITLES.get(kind, kind)))


def _shorten(text: str) -> str:
    line = text.strip().split("\n", 1)[0]
    return line if len(line) <= TITLE_LENGTH else line[: TITLE_LENGTH - 1] + "…"


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
