"""Intake: everything a bridge says to the runtime becomes events and rows.

One `Intake` serves one bridge connection with any number of threads. It reads the bridge's notifications
and requests and the runtime's answers to them, runs each thread's assembler, ordering rules and row
projector, and remembers only what is open. It knows the runtime protocol (design: runtime ↔ bridge) and no
provider.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from parity.grammar import deltas as d
from parity.grammar import events as e
from parity.grammar.assembler import Assembler
from parity.grammar.ordering import Ordering
from parity.grammar.rows import Row, RowProjector

DECISIONS = ("allowed", "denied", "cancelled", "answered")
"""What may become of an interaction."""


class _Thread:
    __slots__ = ("assembler", "ordering", "projector")

    def __init__(self, thread_id: str, projector: RowProjector) -> None:
        self.assembler = Assembler(thread_id)
        self.ordering = Ordering()
        self.projector = projector


class Intake:
    """The runtime's side of a bridge: hands events to `on_event` and finished rows to `on_row`.

    `new_projector` makes what projects the rows of one thread.
    """

    def __init__(
        self,
        on_event: Callable[[e.Event], None],
        on_row: Callable[[Row], None],
        new_projector: Callable[[], RowProjector] = RowProjector,
    ) -> None:
        self._on_event = on_event
        self._on_row = on_row
        self._new_projector = new_projector
        self._threads: dict[str, _Thread] = {}
        self._interactions: dict[Any, tuple[str, str]] = {}
        self._drops: Counter[str] = Counter()

    @property
    def drops(self) -> Counter[str]:
        """Grammar drops so far, by `rule:eventType`."""
        drops = Counter(self._drops)
        for thread in self._threads.values():
            drops.update(thread.ordering.drops)
        return drops

    def deltas(self, thread_id: str, deltas: list[d.Delta]) -> None:
        """Take the deltas of one `thread/delta` notification."""
        thread = self._threads.get(thread_id) or self._thread(thread_id)
        apply, admit, project = thread.assembler.apply, thread.ordering.admit, thread.projector.feed
        on_event, on_row = self._on_event, self._on_row
        for delta in deltas:
            for event in apply(delta):
                if self._interactions and type(event) is e.TurnCompleted:
                    self.stopped(thread_id)
                if admit(event):
                    on_event(event)
                    for row in project(event):
                        on_row(row)

    def request(self, request_id: Any, params: dict[str, Any]) -> None:
        """Take an `interaction/request` of the bridge."""
        thread_id = params["threadId"]
        thread = self._thread(thread_id)
        interaction_id = params["interactionId"]
        item_id = params.get("itemId")
        if item_id is not None:
            item_id = thread.assembler.item_id(item_id)
        self._interactions[request_id] = (thread_id, interaction_id)
        self._emit(
            thread,
            e.InteractionRequested(
                thread_id, thread.assembler.scope, interaction_id, params["payload"], item_id
            ),
        )

    def answer(self, request_id: Any, result: Any) -> None:
        """Take the runtime's answer to an `interaction/request`; an error answer is a cancellation."""
        known = self._interactions.pop(request_id, None)
        if known is None:
            return
        decision, answers = "cancelled", None
        if isinstance(result, dict):
            decision = result.get("decision", "answered")
            answers = result.get("answers")
        self._resolve(*known, decision, answers)

    def withdrawn(self, request_id: Any) -> None:
        """The bridge takes an `interaction/request` back: nobody needs to answer it any more."""
        known = self._interactions.pop(request_id, None)
        if known is not None:
            self._resolve(*known, "cancelled", None)

    def stopped(self, thread_id: str) -> None:
        """The thread's turn was stopped or ended: whatever waited for a person waits no more (S31)."""
        for request_id, known in list(self._interactions.items()):
            if known[0] == thread_id:
                del self._interactions[request_id]
                self._resolve(*known, "cancelled", None)

    def identity(self, thread_id: str, provider_thread_id: str) -> None:
        """Take a `thread/identity` notification."""
        self.deltas(thread_id, [d.ThreadIdentity(provider_thread_id)])

    def error(self, thread_id: str, message: str) -> None:
        """Take an `error` notification."""
        self.deltas(thread_id, [d.ProviderError(message)])

    def release(self, thread_id: str) -> None:
        """Forget a thread; its remaining rows are handed out."""
        thread = self._threads.pop(thread_id, None)
        waiting = [key for key, known in self._interactions.items() if known[0] == thread_id]
        for request_id in waiting:
            del self._interactions[request_id]
        if thread is not None:
            self._drops.update(thread.ordering.drops)
            for row in thread.projector.flush():
                self._on_row(row)

    def disconnected(self) -> None:
        """The bridge's process ended and another takes over: nothing of the threads stays open."""
        for thread_id in list(self._threads):
            self.stopped(thread_id)
            self.deltas(thread_id, [d.SessionEnded()])

    def finish(self) -> None:
        """End of input: hand out the rows that are still open."""
        for thread_id in list(self._threads):
            self.release(thread_id)

    def _resolve(self, thread_id: str, interaction_id: str, decision: str, answers: Any) -> None:
        thread = self._thread(thread_id)
        self._emit(
            thread,
            e.InteractionResolved(thread_id, thread.assembler.scope, interaction_id, decision, answers),
        )

    def _thread(self, thread_id: str) -> _Thread:
        thread = self._threads.get(thread_id)
        if thread is None:
            thread = self._threads[thread_id] = _Thread(thread_id, self._new_projector())
        return thread

    def _emit(self, thread: _Thread, event: e.Event) -> None:
        if thread.ordering.admit(event):
            self._on_event(event)
            for row in thread.projector.feed(event):
                self._on_row(row)
