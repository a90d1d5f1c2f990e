"""Who waits for whom on a live bridge, told from what crosses its runtime side. No I/O.

The runtime waits for answers to its requests and for the ends of its turns; the agent waits for a person's
answer. So silence can be judged, and what an agent that is gone leaves open can be settled.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from parity.bridges.base import AGENT_GONE, Message, failed
from parity.grammar import deltas as d

_ENDS = (d.TurnBoundary, d.SessionEnded, d.SessionReset)


class Waiting:
    """What is open between a runtime and its bridge."""

    def __init__(self) -> None:
        self._requests: dict[Any, Any] = {}
        self._turns: dict[str, None] = {}
        self._questions: dict[Any, str] = {}

    @property
    def for_agent(self) -> bool:
        """Whether the runtime waits for the agent, and no person is asked."""
        return bool(self._requests or self._turns) and not self._questions

    @property
    def turns(self) -> list[str]:
        """The threads with an open turn."""
        return list(self._turns)

    def runtime(self, message: Any) -> None:
        """The runtime said this."""
        if not isinstance(message, dict) or not _is_id(message.get("id")):
            return
        if isinstance(message.get("method"), str):
            self._requests[message["id"]] = message["method"]
        elif "method" not in message:
            self._questions.pop(message["id"], None)
        params = message.get("params")
        if message.get("method") == "thread/stop" and isinstance(params, dict):
            self._drop_questions(params.get("threadId"))

    def bridge(self, message: Message) -> None:
        """The bridge said this to the runtime."""
        method, params = message.get("method"), message.get("params")
        if method is None:
            self._requests.pop(message.get("id"), None)
        elif not isinstance(params, dict):
            return
        elif method == "interaction/request":
            self._questions[message["id"]] = params["threadId"]
        elif method == "$/cancel_request":
            self._questions.pop(params.get("requestId"), None)
        elif method == "thread/delta":
            for delta in params["deltas"]:
                self._delta(params["threadId"], delta)

    def _delta(self, thread_id: str, delta: Any) -> None:
        if type(delta) is d.TurnOpen:
            self._turns[thread_id] = None
        elif type(delta) in _ENDS or (type(delta) is d.ProviderError and delta.settles_turn):
            self._turns.pop(thread_id, None)
            self._drop_questions(thread_id)

    def _drop_questions(self, thread_id: Any) -> None:
        self._questions = {k: v for k, v in self._questions.items() if v != thread_id}

    def settled(self, reason: str) -> Iterator[Message]:
        """What a bridge would say to its runtime of an agent that is gone, for all that is open now."""
        for request_id in list(self._questions):
            params: Message = {"requestId": request_id}
            yield {"jsonrpc": "2.0", "method": "$/cancel_request", "params": params}
        for thread_id in list(self._turns):
            deltas = [d.ProviderError(reason, settles_turn=True)]
            params = {"threadId": thread_id, "deltas": deltas}
            yield {"jsonrpc": "2.0", "method": "thread/delta", "params": params}
        for request_id in list(self._requests):
            yield failed(request_id, AGENT_GONE, reason)


def _is_id(value: Any) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)
