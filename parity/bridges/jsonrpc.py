"""What all bridges share: who asked what, which answer is whose, and what waits for a person.

Two base classes without I/O. `RequestBridge` takes messages apart, whatever the agent's framing: a family's
bridge names its runtime methods and says what the agent's requests and notifications mean. `JsonRpcBridge`
also speaks JSON-RPC to the agent. Ids of the two sides never mix, and a request is answered under its own id,
value and type (S46). Knows no provider.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

from parity.bridges.base import (
    AGENT_GONE,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    Envelope,
    JsonRpc,
    Message,
    Output,
    ToProvider,
    ToRuntime,
    failed,
    ok,
)
from parity.grammar import deltas as d

Params: TypeAlias = dict[str, Any]
Then: TypeAlias = Callable[[Message], None]


class BadParams(Exception):
    """A runtime request whose params do not fit; becomes an INVALID_PARAMS answer."""


class RequestBridge:
    """A bridge between the runtime's JSON-RPC and an agent whose envelope tells requests from answers."""

    RUNTIME_METHODS: ClassVar[Mapping[str, Callable[[Any, Any, Params], None]]] = {}

    def __init__(self) -> None:
        self.noise = 0
        self.envelope: Envelope = JsonRpc()
        self._sent = 0
        self._pending: dict[Any, Then] = {}
        self._asked = 0
        self._waiting: dict[int, Then] = {}
        self._gone: str | None = None
        self._out: list[Output] = []

    # -- what a family says --------------------------------------------------------------------------

    def _agent_request(self, request_id: Any, method: str, params: Params, message: Message) -> None:
        """The agent asks for something."""
        raise NotImplementedError

    def _agent_notification(self, method: str, params: Params, message: Message) -> None:
        """The agent tells something."""
        raise NotImplementedError

    def _threads_lost(self, reason: str) -> None:
        """The agent is gone: `_lose` each thread."""
        raise NotImplementedError

    def _refusal(self, reason: str) -> Message:
        """The agent's answer to a request, had it refused it for this reason."""
        return {"error": {"code": AGENT_GONE, "message": reason}}

    # -- entry points --------------------------------------------------------------------------------

    def runtime(self, message: Any) -> Sequence[Output]:
        """Take one message of the runtime: a request, a notification, or its answer to a request."""
        self._out = []
        if not isinstance(message, dict):
            self.noise += 1
            return self._out
        method, request_id, params = message.get("method"), message.get("id"), message.get("params")
        if method is None:
            then = self._waiting.pop(request_id, None) if type(request_id) is int else None
            if then is not None:
                then(message)
            return self._out
        handler = self.RUNTIME_METHODS.get(method) if isinstance(method, str) else None
        if handler is None:
            self._refuse(request_id, METHOD_NOT_FOUND, f"unknown method {method!r}")
            return self._out
        if self._gone is not None:
            self._refuse(request_id, AGENT_GONE, self._gone)
            return self._out
        try:
            handler(self, request_id, params if isinstance(params, dict) else {})
        except BadParams as error:
            self._refuse(request_id, INVALID_PARAMS, str(error))
        return self._out

    def provider(self, message: Any) -> Sequence[Output]:
        """Take one message of the agent."""
        self._out = []
        if self._gone is not None:  # an agent that is gone says nothing
            self.noise += 1
            return self._out
        kind, method, message_id = (
            self.envelope.read(message) if isinstance(message, dict) else ("noise", None, None)
        )
        if kind == "response":
            then = self._pending.pop(message_id, None) if type(message_id) in (int, str) else None
            if then is None:
                self.noise += 1
            else:
                then(message)
        elif method is None:
            self.noise += 1
        else:
            params = message.get("params")
            params = params if isinstance(params, dict) else {}
            if kind == "request":
                self._agent_request(message_id, method, params, message)
            else:
                self._agent_notification(method, params, message)
        return self._out

    def host_result(self, token: int, result: Any) -> Sequence[Output]:
        """A host call succeeded; a bridge that makes none has nothing to say."""
        return []

    def host_error(self, token: int, error: Message) -> Sequence[Output]:
        """A host call failed; a bridge that makes none has nothing to say."""
        return []

    def agent_gone(self, reason: str) -> Sequence[Output]:
        """The agent is gone: settle what is open, and refuse every request from now on (see `base`)."""
        self._out = []
        self._gone = reason
        for asked in list(self._waiting):
            self._withdraw(asked)
        self._threads_lost(reason)
        told = self._out
        self._out = []
        while self._pending:
            self._pending.pop(next(iter(self._pending)))(self._refusal(reason))
        answers = (out for out in self._out if isinstance(out, ToRuntime) and "method" not in out.message)
        return [*told, *answers]

    def _lose(self, thread_id: str, reason: str, settling: Sequence[d.Delta] = ()) -> None:
        """A thread's agent is gone: its turn fails, and nothing of it stays open; `settling` is what its
        lane has to say of that."""
        ending = [d.ProviderError(reason, settles_turn=True), d.SessionEnded()]
        self._deltas(thread_id, [*settling, *ending])

    # -- to the runtime ------------------------------------------------------------------------------

    def _answer(self, request_id: Any, result: Any) -> None:
        if request_id is not None:
            self._out.append(ToRuntime(ok(request_id, result)))

    def _refuse(self, request_id: Any, code: int, text: str) -> None:
        if request_id is not None:
            self._out.append(ToRuntime(failed(request_id, code, text)))

    def _fail(self, request_id: Any, error: Any) -> None:
        """Pass an agent's error object on."""
        if request_id is not None:
            self._out.append(ToRuntime({"jsonrpc": "2.0", "id": request_id, "error": error}))

    def _tell(self, method: str, params: Params) -> None:
        self._out.append(ToRuntime({"jsonrpc": "2.0", "method": method, "params": params}))

    def _deltas(self, thread_id: str, deltas: list[d.Delta]) -> None:
        if deltas:
            params = {"threadId": thread_id, "deltas": deltas}
            self._out.append(ToRuntime({"jsonrpc": "2.0", "method": "thread/delta", "params": params}))

    def _ask(self, thread_id: str, item_id: str | None, payload: Params, then: Then) -> int:
        """Ask a person; `then` takes the runtime's answer. Returns the number that withdraws the question."""
        self._asked += 1
        self._waiting[self._asked] = then
        params: Params = {"threadId": thread_id, "interactionId": f"interaction-{self._asked}"}
        if item_id is not None:
            params["itemId"] = item_id
        params["payload"] = payload
        request = {"jsonrpc": "2.0", "id": self._asked, "method": "interaction/request", "params": params}
        self._out.append(ToRuntime(request))
        return self._asked

    def _withdraw(self, asked: int, *, tell: bool = True) -> None:
        """Nobody waits for the person's answer any more; a runtime that stopped the turn knows."""
        if self._waiting.pop(asked, None) is not None and tell:
            self._tell("$/cancel_request", {"requestId": asked})


class JsonRpcBridge(RequestBridge):
    """A bridge to an agent that speaks JSON-RPC; `AGENT_MEMBERS` is what the messages to it begin with."""

    AGENT_MEMBERS: ClassVar[Message] = {"jsonrpc": "2.0"}

    def _send(self, method: str, params: Params, then: Then) -> None:
        """Ask the agent; `then` takes its whole answer."""
        self._sent += 1
        self._pending[self._sent] = then
        request = {**self.AGENT_MEMBERS, "id": self._sent, "method": method, "params": params}
        self._out.append(ToProvider(request))

    def _tell_agent(self, method: str, params: Params | None = None) -> None:
        message: Message = {**self.AGENT_MEMBERS, "method": method}
        if params is not None:
            message["params"] = params
        self._out.append(ToProvider(message))

    def _answer_agent(self, request_id: Any, result: Any) -> None:
        self._out.append(ToProvider({**self.AGENT_MEMBERS, "id": request_id, "result": result}))

    def _refuse_agent(self, request_id: Any, code: int, text: str) -> None:
        error = {"code": code, "message": text}
        self._out.append(ToProvider({**self.AGENT_MEMBERS, "id": request_id, "error": error}))


def string(params: Params, name: str) -> str:
    """A param that must be a string; BadParams otherwise."""
    value = params.get(name)
    if not isinstance(value, str):
        raise BadParams(f"{name} must be a string")
    return value


def members(params: Params, name: str) -> Params:
    """A param that is an object; empty where it is absent or something else."""
    value = params.get(name)
    return value if isinstance(value, dict) else {}


def content_blocks(params: Params) -> list[Any]:
    """The `input` of a turn; BadParams where there is none."""
    blocks = params.get("input")
    if not isinstance(blocks, list) or not blocks:
        raise BadParams("input must be a list of content blocks")
    return blocks


def error_text(error: Any) -> str:
    """A JSON-RPC error object in words."""
    return str(error["message"]) if isinstance(error, dict) and "message" in error else str(error)
