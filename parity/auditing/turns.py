"""Turns: what the order of an export says about which turns were over.

States of a thread, as far as the export tells: *unknown* until a row or event names a turn · *in turn* ·
*idle* after `turn/completed`. A turn is over once it was completed, or once a later turn of the same thread
was seen. Knows rows and events, and no wire. Bounded: the threads, turns and calls seen last.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import Any

from parity.auditing.exports import Event, Stored

THREADS = 512
"""Threads remembered."""

_CALLS = 256
_TURNS = 64


class _Thread:
    __slots__ = ("calls", "current", "ended", "idle")

    def __init__(self) -> None:
        self.current: str | None = None
        self.idle = False
        self.ended: deque[str] = deque(maxlen=_TURNS)
        self.calls: OrderedDict[str, tuple[str | None, str]] = OrderedDict()

    def began(self, turn_id: str) -> None:
        if self.current is not None and self.current != turn_id:
            self.over(self.current)
        self.current, self.idle = turn_id, False

    def over(self, turn_id: str) -> None:
        if turn_id not in self.ended:
            self.ended.append(turn_id)


class Turns:
    """All threads of an export."""

    def __init__(self) -> None:
        self._threads: OrderedDict[tuple[str | None, str], _Thread] = OrderedDict()

    def learn(self, event: Event) -> None:
        """Take an event that is no row: a turn begins or ends, a call belongs to a turn."""
        document = event.document
        thread_id, kind = document.get("threadId"), document.get("type")
        if not isinstance(thread_id, str):
            return
        thread = self._thread(event.provider, thread_id)
        turn_id = _turn_id(document)
        if kind == "turn/started" and turn_id is not None:
            thread.began(turn_id)
        elif kind == "turn/completed":
            if turn_id is not None:
                thread.over(turn_id)
            thread.current, thread.idle = None, True
        elif kind == "item/started":
            item = document.get("item")
            item = item if isinstance(item, dict) else {}
            call_id = item.get("providerItemId")
            if isinstance(call_id, str):
                thread.calls[call_id] = turn_id, str(item.get("type"))
                if len(thread.calls) > _CALLS:
                    thread.calls.popitem(last=False)

    def settled(self, row: Stored) -> bool:
        """Whether the row's turn was over when it came: as the row says, else as the order does.

        What a row says counts for that row alone.
        """
        if row.thread_id is None:
            return row.settled is True
        thread = self._thread(row.provider, row.thread_id)
        turn_id = row.turn_id
        if turn_id is None:
            turn_id = thread.calls.get(row.call_id or "", (None, ""))[0]
        if row.settled is not None:
            return row.settled
        if turn_id is None:
            return thread.idle
        if turn_id in thread.ended:
            return True
        thread.began(turn_id)
        return False

    def item_type(self, row: Stored) -> str | None:
        """The type of the item the row's call was, where the export has its beginning."""
        thread = self._threads.get((row.provider, row.thread_id or ""))
        known = thread.calls.get(row.call_id or "") if thread is not None else None
        return known[1] if known is not None else None

    def _thread(self, provider: str | None, thread_id: str) -> _Thread:
        key = provider, thread_id
        thread = self._threads.get(key)
        if thread is None:
            thread = self._threads[key] = _Thread()
            if len(self._threads) > THREADS:
                self._threads.popitem(last=False)
        else:
            self._threads.move_to_end(key)
        return thread


def _turn_id(document: dict[str, Any]) -> str | None:
    scope = document.get("scope")
    turn_id = document.get("turnId") or (scope.get("turnId") if isinstance(scope, dict) else None)
    return turn_id if isinstance(turn_id, str) and turn_id else None
