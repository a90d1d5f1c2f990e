"""The assembler: deltas of one thread in, events out.

Theory of operation
-------------------
A thread has at most one open turn. A turn holds items; an item is *open* from its first `item.open` (or
first text) to its close, then *settled*, and stays known until its turn settles, so that a late detail can
reopen it. Only these steps change state:

    turn.open        idle → turn open            turn.boundary    open → idle; every item left open settles
    item.open        unknown → open; open → open (better known); settled → open (only with `reopen`)
    item.textDelta   unknown → open (text items) item.textClose   open → settled
    item.close       open → settled

A fact of the thread (`facts.py`) is one event and changes nothing here. Whatever else arrives produces an
event that names nothing known; the ordering rules drop and count it.

Output of a command is kept as one text per open item, so that a snapshot becomes the growth since the last
one, and a close never doubles or shortens what was streamed (situations S05, S06, S10, S11).

It knows no wire, no clock and no provider. State is bounded by what is open plus the newest
`REMEMBERED_ITEMS` settled items of the open turn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from parity.grammar import deltas as d
from parity.grammar import events as e
from parity.grammar.facts import FACTS
from parity.grammar.items import EVENT_TYPES, TEXT_TYPES
from parity.grammar.newest import Newest
from parity.grammar.tracked import Tracked

REMEMBERED_ITEMS = 16_384
"""Settled items of the open turn that are still known; a lane remembers fewer calls (see `lanes.policy`)."""
OUTPUT_EVENTS = {
    "commandExecution": e.CommandOutputDelta,
    "fileChange": e.FileChangeOutputDelta,
}
TEXT_EVENTS: dict[str, Callable[..., e.Event]] = {
    "agentMessage": e.AgentMessageDelta,
    "reasoningText": e.ReasoningTextDelta,
    "reasoningSummary": e.ReasoningSummaryDelta,
    "plan": e.PlanDelta,
}
PROGRESS_EVENTS: dict[str, Callable[..., e.Event]] = {
    "backgroundTask": e.BackgroundTaskProgress,
    "delegation": e.DelegationProgress,
}
LATE_EVENTS: dict[str, Callable[..., e.Event]] = {
    "backgroundTask": e.BackgroundTaskCompleted,
    "delegation": e.DelegationCompleted,
}
"""Item types whose work may outlive its turn, and the event that then settles them.

Work of any other type outlives its turn where its item says `background: true`, or where it is part of such
work."""


class Assembler:
    """Turns the deltas of one thread into events; ids are ordinals, so equal input gives equal events."""

    def __init__(self, thread_id: str) -> None:
        self.thread_id = thread_id
        self._turns = 0
        self._minted = 0
        self._turn: e.Scope | None = None
        self._items: dict[str, Tracked] = {}
        self._background: dict[str, Tracked] = {}
        self._settled: Newest[Tracked] = Newest(REMEMBERED_ITEMS)
        self._streaming_key: d.Key | None = None  # the text item of the last text, found by its key
        self._streaming: Tracked | None = None
        self._out: list[e.Event] = []

    @property
    def turn_open(self) -> bool:
        """Whether a turn is open."""
        return self._turn is not None

    def apply(self, delta: d.Delta) -> list[e.Event]:
        """The events of one delta, in order."""
        self._out = []
        handler = _HANDLERS.get(type(delta))
        if handler is not None:
            handler(self, delta)
            return self._out
        fact = FACTS.get(type(delta))
        return [] if fact is None else [fact(self.thread_id, self.scope, delta)]

    def item_id(self, provider_item_id: str) -> str | None:
        """The minted id of the provider's item, while it is known."""
        tracked = self._find(provider_item_id)
        return tracked.id if tracked is not None else None

    @property
    def scope(self) -> e.Scope:
        """The open turn, else the thread."""
        return self._turn if self._turn is not None else e.THREAD_SCOPE

    # -- turns ---------------------------------------------------------------------------------------

    def _turn_open(self, delta: d.TurnOpen) -> None:
        if self._turn is None:
            self._turns += 1
            self._turn = e.Scope("turn", f"turn-{self._turns}")
        turn_id = self._turn.turn_id or ""
        self._out.append(e.TurnStarted(self.thread_id, self._turn, turn_id, delta.initiator))

    def _turn_boundary(self, delta: d.TurnBoundary) -> None:
        if self._turn is None:
            if not delta.claim_if_idle:
                self._out.append(
                    e.TurnCompleted(self.thread_id, e.THREAD_SCOPE, "", delta.status, delta.error)
                )
                return
            self._turn_open(d.TurnOpen(initiator="agent"))
        assert self._turn is not None
        late = self._late_items()
        for tracked in list(self._items.values()):
            if tracked.id in late:
                self._background[tracked.key] = tracked
            elif tracked.open:
                self._settle(tracked, "interrupted")
        self._items = {}
        self._settled.clear()
        scope = self._turn
        self._turn = None
        self._out.append(
            e.TurnCompleted(self.thread_id, scope, scope.turn_id or "", delta.status, delta.error)
        )

    def _late_items(self) -> set[str]:
        """The ids of open items that outlive the turn: work that says so, and what is part of such work."""
        waiting = [tracked.id for tracked in self._background.values() if tracked.open]
        parts: dict[str, list[str]] = {}  # a part may have begun before what it is part of
        for tracked in self._items.values():
            if not tracked.open:
                continue
            parent = self._find(tracked.parent_ref) if tracked.parent_ref is not None else None
            parent_id = parent.id if parent is not None else tracked.doc.get("parentItemId", "")
            parts.setdefault(parent_id, []).append(tracked.id)
            if tracked.doc.get("background", tracked.doc["type"] in LATE_EVENTS):
                waiting.append(tracked.id)
        late: set[str] = set()
        while waiting:
            late.add(waiting[-1])
            waiting += parts.pop(waiting.pop(), ())
        return late

    def _find(self, key: str) -> Tracked | None:
        return self._items.get(key) or self._background.get(key)

    def _track(self, key: str, scope: e.Scope, doc: dict[str, Any]) -> Tracked:
        self._minted += 1
        tracked = Tracked(key, f"item-{self._minted}", scope, doc)
        self._items[key] = tracked
        return tracked

    def _home(self, key: d.Key) -> e.Scope | None:
        """Where a new item belongs: the open turn, else the turn of the open work it is part of."""
        if self._turn is not None:
            return self._turn
        parent = self._find(key.parent_ref) if key.parent_ref is not None else None
        return parent.scope if parent is not None and parent.open else None

    def _item_open(self, delta: d.ItemOpen) -> None:
        home = self._home(delta.key)
        if home is None and self._homeless(delta.no_turn_fallback):
            return
        key = _key(delta.key)
        tracked = self._find(key)
        if tracked is None or not (tracked.open or delta.reopen):
            if home is None:
                self._out.append(e.ItemStarted(self.thread_id, e.THREAD_SCOPE, {"id": key, **delta.item}))
                return
            tracked = self._track(key, home, {})
        if not tracked.open:
            tracked.open = True
            self._settled.discard(tracked)
        showed = tracked.doc.get("type") in OUTPUT_EVENTS
        tracked.doc = self._document(tracked, delta)
        shows = tracked.doc["type"] in OUTPUT_EVENTS
        self._out.append(e.ItemStarted(self.thread_id, tracked.scope, tracked.doc))
        if showed and not shows:
            tracked.shown = tracked.output
        elif shows and not showed:
            whole, tracked.output, tracked.shown = tracked.output, tracked.shown, None
            if whole is not None:
                self._settle_output(tracked, whole)

    def _document(self, tracked: Tracked, delta: d.ItemOpen) -> dict[str, Any]:
        item = delta.item
        kind = item["type"]
        doc: dict[str, Any] = {
            "id": tracked.id,
            "type": EVENT_TYPES.get(kind, kind),
            "status": "pending",
        }
        if delta.key.provider_item_id is not None:
            doc["providerItemId"] = delta.key.provider_item_id
        if delta.key.parent_ref is not None:
            parent = self._find(delta.key.parent_ref)
            tracked.parent_ref = delta.key.parent_ref if parent is None else None
            if parent is not None:
                doc["parentItemId"] = parent.id
        elif "parentItemId" in tracked.doc:
            doc["parentItemId"] = tracked.doc["parentItemId"]
        for name, value in item.items():
            if name != "type":
                doc["arguments" if name == "args" else name] = value
        if delta.presentation is not None:
            doc["presentation"] = delta.presentation
        elif "presentation" in tracked.doc:
            doc["presentation"] = tracked.doc["presentation"]
        return doc

    def _item_close(self, delta: d.ItemClose) -> None:
        key = _key(delta.key)
        tracked = self._find(key)
        if tracked is None or not tracked.open:
            item_id = tracked.id if tracked is not None else key
            unknown = {"id": item_id, "status": delta.status}
            self._out.append(e.ItemCompleted(self.thread_id, self.scope, unknown))
            return
        doc = dict(tracked.doc)
        tracked.doc = doc
        if delta.presentation is not None:
            doc["presentation"] = delta.presentation
        if delta.exit_code is not None:
            doc["exitCode"] = delta.exit_code
        if delta.result_text is not None:
            doc["resultText"] = delta.result_text
        if delta.approval_status is not None:
            doc["approvalStatus"] = delta.approval_status
        if delta.aggregated_output is not None:
            self._settle_output(tracked, delta.aggregated_output)
        self._settle(tracked, delta.status)
        self._background.pop(key, None)

    def _settle(self, tracked: Tracked, status: str) -> None:
        tracked.open = False
        forgotten = self._settled.add(tracked)
        if forgotten is not None and self._items.get(forgotten.key) is forgotten:
            del self._items[forgotten.key]
        doc = tracked.doc = {**tracked.doc, "status": status}
        if tracked.output:
            doc["aggregatedOutput"] = tracked.output
        if tracked.text is not None:
            doc["text"] = "".join(tracked.text)
            tracked.text = None
        late = LATE_EVENTS.get(doc["type"], e.BackgroundTaskCompleted if doc.get("background") else None)
        if late is not None and tracked.scope is not self._turn:
            self._out.append(late(self.thread_id, tracked.scope, doc))
        else:
            self._out.append(e.ItemCompleted(self.thread_id, tracked.scope, doc))

    def _item_progress(self, delta: d.ItemProgress) -> None:
        tracked = self._find(_key(delta.key))
        kind = tracked.doc["type"] if tracked is not None else ""
        item_id = tracked.id if tracked is not None else _key(delta.key)
        event = PROGRESS_EVENTS.get(kind, e.ToolCallProgress)
        if event is e.ToolCallProgress and tracked is not None and tracked.doc.get("background"):
            event = e.BackgroundTaskProgress
        scope = tracked.scope if tracked is not None else self.scope
        self._out.append(event(self.thread_id, scope, item_id, delta.message))

    # -- text ----------------------------------------------------------------------------------------

    def _text_delta(self, delta: d.TextDelta) -> None:
        tracked = self._streaming if delta.key is self._streaming_key else None
        if tracked is None or not tracked.open:
            tracked = self._text_item(delta)
            if tracked is None:
                return
            self._streaming_key, self._streaming = delta.key, tracked
        if delta.text and tracked.text is not None:
            tracked.text.append(delta.text)
            event = TEXT_EVENTS[tracked.channel or "agentMessage"]
            self._out.append(event(self.thread_id, tracked.scope, tracked.id, delta.text))

    def _text_item(self, delta: d.TextDelta) -> Tracked | None:
        """The open item a text belongs to; None, with what is to be said of it, where there can be none."""
        home = self._home(delta.key)
        if home is None and self._homeless(delta.no_turn_fallback):
            return None
        channel = delta.key.channel or "agentMessage"
        key = _key(delta.key)
        tracked = self._find(key)
        if tracked is not None and tracked.open:
            return tracked
        if home is None:
            self._out.append(TEXT_EVENTS[channel](self.thread_id, e.THREAD_SCOPE, key, delta.text))
            return None
        tracked = self._track(key, home, {})
        tracked.channel = channel
        tracked.text = []
        opening = d.ItemOpen(delta.key, {"type": TEXT_TYPES.get(channel, channel)})
        tracked.doc = self._document(tracked, opening)
        self._out.append(e.ItemStarted(self.thread_id, tracked.scope, tracked.doc))
        return tracked

    def _text_close(self, delta: d.TextClose) -> None:
        key = _key(delta.key)
        tracked = self._find(key)
        if tracked is None or not tracked.open:
            if delta.text:
                self._text_delta(d.TextDelta(delta.key, delta.text))
                tracked = self._find(key)
            if tracked is None or not tracked.open:
                return
        if delta.text is not None:
            self._settle_text(tracked, delta.text)
        self._settle(tracked, "completed")
        self._background.pop(key, None)

    def _settle_text(self, tracked: Tracked, whole: str) -> None:
        """The whole text is the agent's last word; what of its end was never streamed is streamed now."""
        streamed = "".join(tracked.text or ())
        tracked.text = [whole]
        if len(whole) > len(streamed) and whole.startswith(streamed):
            event = TEXT_EVENTS[tracked.channel or "agentMessage"]
            self._out.append(event(self.thread_id, tracked.scope, tracked.id, whole[len(streamed) :]))

    # -- output --------------------------------------------------------------------------------------

    def _output_delta(self, delta: d.OutputDelta) -> None:
        tracked = self._find(_key(delta.key))
        if tracked is None or not tracked.open:
            self._emit_output(tracked, _key(delta.key), delta.text, False)
            return
        if delta.text:
            tracked.output = (tracked.output or "") + delta.text
            self._emit_output(tracked, tracked.id, delta.text, False)

    def _output_snapshot(self, delta: d.OutputSnapshot) -> None:
        tracked = self._find(_key(delta.key))
        if tracked is None or not tracked.open:
            self._emit_output(tracked, _key(delta.key), delta.text, False)
            return
        self._settle_output(tracked, delta.text)

    def _settle_output(self, tracked: Tracked, whole: str) -> None:
        """Make the streamed output equal `whole`: growth where it grew, one reset where it did not."""
        before = tracked.output or ""
        if whole == before:
            return
        tracked.output = whole
        if whole.startswith(before):
            self._emit_output(tracked, tracked.id, whole[len(before) :], False)
        else:
            self._emit_output(tracked, tracked.id, whole, True)

    def _emit_output(self, tracked: Tracked | None, item_id: str, text: str, reset: bool) -> None:
        kind = tracked.doc["type"] if tracked is not None else "commandExecution"
        event = OUTPUT_EVENTS.get(kind)
        if event is None:
            return
        scope = tracked.scope if tracked is not None else self.scope
        if tracked is not None:
            item_id = tracked.id
        self._out.append(event(self.thread_id, scope, item_id, text, reset))

    # -- errors, what is unhandled, the end ----------------------------------------------------------

    def _homeless(self, fallback: d.Fallback | None) -> bool:
        if fallback is None:
            return False
        self._out.append(e.ProviderUnhandled(self.thread_id, e.THREAD_SCOPE, fallback.raw, fallback.raw_type))
        return True

    def _unhandled(self, delta: d.Unhandled) -> None:
        if delta.only_if_no_turn and self._turn is not None:
            return
        scope = self.scope if delta.vouched_turn else e.THREAD_SCOPE
        self._out.append(e.ProviderUnhandled(self.thread_id, scope, delta.raw, delta.raw_type))

    def _error(self, delta: d.ProviderError) -> None:
        self._out.append(
            e.ProviderErrorEvent(
                self.thread_id,
                self.scope,
                delta.message,
                delta.settles_turn,
                delta.will_retry,
                delta.code,
            )
        )
        if delta.settles_turn and self._turn is not None:
            self._turn_boundary(d.TurnBoundary("failed", delta.message))

    def _session_gone(self, delta: d.Delta) -> None:
        """A reset or ended session leaves nothing open: its turn is interrupted, its late work settled."""
        if self._turn is not None:
            self._turn_boundary(d.TurnBoundary("interrupted"))
        for tracked in (*self._items.values(), *self._background.values()):
            if tracked.open:
                self._settle(tracked, "interrupted")
        self._items = {}
        self._background = {}
        self._settled.clear()


def _key(key: d.Key) -> str:
    if key.channel is None:
        return key.provider_item_id or ""
    return f"{key.channel}\n{key.provider_item_id or ''}\n{key.parent_ref or ''}"


_HANDLERS: dict[type[d.Delta], Callable[[Assembler, Any], None]] = {
    d.TurnOpen: Assembler._turn_open,
    d.TurnBoundary: Assembler._turn_boundary,
    d.ItemOpen: Assembler._item_open,
    d.ItemClose: Assembler._item_close,
    d.ItemProgress: Assembler._item_progress,
    d.TextDelta: Assembler._text_delta,
    d.TextClose: Assembler._text_close,
    d.OutputDelta: Assembler._output_delta,
    d.OutputSnapshot: Assembler._output_snapshot,
    d.ProviderError: Assembler._error,
    d.Unhandled: Assembler._unhandled,
    d.SessionReset: Assembler._session_gone,
    d.SessionEnded: Assembler._session_gone,
}
