"""The runtime's side of a live bridge, in this process: requests, turns, questions, events, rows.

What a program (or a person at a terminal) does with an agent: ask and wait, answer what the agent asks, watch
the timeline. Each wait is bounded. Knows the runtime protocol; must not know agents.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from msgspec import Struct

from parity.bridges import Message
from parity.grammar import events as e
from parity.grammar.intake import Intake
from parity.grammar.rows import Row, RowProjector
from parity.shell.live_bridge import LiveBridge

Question: TypeAlias = dict[str, Any]
"""The payload of an `interaction/request`."""

Answer: TypeAlias = dict[str, Any] | None
"""The result of an `interaction/request`, `{"decision": …, …}`; None leaves it open."""


class RuntimeRefused(Exception):
    """A request was answered with a JSON-RPC error; `error` is its object."""

    def __init__(self, error: Any) -> None:
        text = error.get("message") if isinstance(error, dict) else None
        super().__init__(text if isinstance(text, str) else str(error))
        self.error = error


class Turn(Struct):
    """How a turn ended."""

    id: str
    status: str
    error: str | None = None


async def _nobody(thread_id: str, payload: Question) -> Answer:
    """Nobody is there to ask."""
    return {"decision": "cancelled"}


class Runtime:
    """One runtime over one live bridge; set its callbacks before the bridge starts.

    `on_event` and `on_row` take events and finished top-level rows as they come. `on_question` answers an
    `interaction/request` of a thread.
    """

    def __init__(
        self,
        live: LiveBridge,
        *,
        on_event: Callable[[e.Event], None] = lambda event: None,
        on_row: Callable[[Row], None] = lambda row: None,
        on_question: Callable[[str, Question], Awaitable[Answer]] = _nobody,
        new_projector: Callable[[], RowProjector] = RowProjector,
    ) -> None:
        self.on_event = on_event
        self.on_row = on_row
        self.on_question = on_question
        self.live = live
        self.identities: dict[str, str] = {}
        """The agent's own id of each thread."""
        self._ids = itertools.count(1)
        self._intake = Intake(self._event, lambda row: self.on_row(row), new_projector)
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._questions: dict[Any, tuple[str, asyncio.Task[None]]] = {}
        self._turns: dict[str, asyncio.Queue[Turn]] = {}
        self._ours: dict[str, str | None] = {}
        live.to_runtime = self._take

    @property
    def drops(self) -> dict[str, int]:
        """Events the ordering rules dropped, by `rule:eventType`."""
        return dict(self._intake.drops)

    async def start(self) -> None:
        """Start the agent. Raises InputError where it cannot be started."""
        await self.live.start()

    async def stop(self) -> None:
        """End the agent; rows that are still open are handed out."""
        for _, task in self._questions.values():
            task.cancel()
        self._questions.clear()
        try:
            await self.live.stop()
        finally:
            self._intake.finish()
            for future in self._answers.values():
                future.cancel()

    # -- requests ------------------------------------------------------------------------------------

    async def request(self, method: str, params: Message | None = None, timeout: float = 60.0) -> Any:
        """Ask the bridge and wait for its result. Raises RuntimeRefused for an error and TimeoutError."""
        request_id = next(self._ids)
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._answers[request_id] = future
        self.live.runtime({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params or {}})
        try:
            return await asyncio.wait_for(future, timeout)
        finally:
            self._answers.pop(request_id, None)

    async def start_turn(
        self, thread_id: str, text: str | list[Message], timeout: float = 60.0, **more: Any
    ) -> None:
        """Ask for a turn: `text` is a prompt or content blocks, `more` are params (`clientRequestId`)."""
        self._turns[thread_id] = asyncio.Queue()
        self._ours.pop(thread_id, None)
        params = {"threadId": thread_id, "input": _blocks(text), **more}
        await self.request("turn/start", params, timeout)

    async def turn_end(self, thread_id: str, timeout: float) -> Turn:
        """Wait for the end of the turn asked for last; after `timeout` seconds the agent is given up."""
        ends = self._turns[thread_id]
        try:
            return await asyncio.wait_for(ends.get(), timeout)
        except TimeoutError:
            self.live.fail(f"the turn did not end within {timeout:g} s")
            return ends.get_nowait() if not ends.empty() else Turn("", "failed", self.live.failure)

    async def turn(self, thread_id: str, text: str | list[Message], timeout: float, **more: Any) -> Turn:
        """Ask for a turn and wait for its end. Raises RuntimeRefused where there is none."""
        await self.start_turn(thread_id, text, timeout, **more)
        return await self.turn_end(thread_id, timeout)

    async def steer(self, thread_id: str, text: str | list[Message], timeout: float = 60.0) -> None:
        """More input for the open turn."""
        await self.request("turn/steer", {"threadId": thread_id, "input": _blocks(text)}, timeout)

    async def interrupt(self, thread_id: str, timeout: float = 60.0) -> None:
        """Stop the open turn; what waits for a person waits no more."""
        self._intake.stopped(thread_id)
        self._drop_questions(thread_id)
        await self.request("thread/stop", {"threadId": thread_id, "intent": "interrupt"}, timeout)

    async def release(self, thread_id: str, timeout: float = 60.0) -> None:
        """Let go of a thread."""
        self._drop_questions(thread_id)
        try:
            await self.request("thread/stop", {"threadId": thread_id, "intent": "release"}, timeout)
        finally:
            self._intake.release(thread_id)

    # -- what the bridge says ------------------------------------------------------------------------

    def _take(self, message: Message, line: bytes) -> None:
        method, params = message.get("method"), message.get("params") or {}
        if method is None:
            self._answered(message)
        elif method == "thread/delta":
            self._intake.deltas(params["threadId"], params["deltas"])
        elif method == "thread/identity":
            self.identities[params["threadId"]] = params["providerThreadId"]
            self._intake.identity(params["threadId"], params["providerThreadId"])
        elif method == "interaction/request":
            self._intake.request(message["id"], params)
            task = asyncio.create_task(self._ask(message["id"], params["threadId"], params["payload"]))
            self._questions[message["id"]] = params["threadId"], task
        elif method == "$/cancel_request":
            self._withdrawn(params["requestId"])
            self._intake.withdrawn(params["requestId"])
        elif method == "error" and "threadId" in params:
            self._intake.error(params["threadId"], params["message"])
        elif method == "error":  # the agent is gone; a turn that is open is settled first
            asyncio.get_running_loop().call_soon(self._lost, params["message"])

    def _answered(self, message: Message) -> None:
        future = self._answers.get(message.get("id", 0))
        if future is None or future.done():
            return
        if message.get("error") is not None:
            future.set_exception(RuntimeRefused(message["error"]))
        else:
            future.set_result(message.get("result"))

    def _event(self, event: e.Event) -> None:
        if type(event) is e.TurnInputAccepted:
            self._ours[event.thread_id] = event.scope.turn_id
        elif type(event) is e.TurnCompleted:
            self._drop_questions(event.thread_id)
            if event.thread_id in self._turns and self._ours.get(event.thread_id) == event.turn_id:
                self._turns[event.thread_id].put_nowait(Turn(event.turn_id, event.status, event.error))
        self.on_event(event)

    def _lost(self, reason: str) -> None:
        for ends in self._turns.values():
            ends.put_nowait(Turn("", "failed", reason))

    # -- questions -----------------------------------------------------------------------------------

    async def _ask(self, request_id: Any, thread_id: str, payload: Question) -> None:
        answer = await self.on_question(thread_id, payload)
        if self._questions.pop(request_id, None) is None or answer is None:
            return
        self._intake.answer(request_id, answer)
        self.live.runtime({"jsonrpc": "2.0", "id": request_id, "result": answer})

    def _withdrawn(self, request_id: Any) -> None:
        known = self._questions.pop(request_id, None)
        if known is not None:
            known[1].cancel()

    def _drop_questions(self, thread_id: str) -> None:
        for request_id, (asked_by, _) in list(self._questions.items()):
            if asked_by == thread_id:
                self._withdrawn(request_id)


def _blocks(text: str | list[Message]) -> list[Message]:
    return [{"type": "text", "text": text}] if isinstance(text, str) else text
