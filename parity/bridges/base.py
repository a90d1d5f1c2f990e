"""What every bridge is: a machine without I/O between the runtime and one agent connection.

Lines go in (`runtime`, `provider`, host results), messages come out. A bridge has no clock, thread, file or
process; whoever drives it (the replay, the live shell) carries its messages and performs its host calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

from msgspec import Struct

Message: TypeAlias = dict[str, Any]
"""One JSON-RPC message; deltas inside may be structs, the encoder knows them."""

METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
AGENT_GONE = INTERNAL_ERROR
"""JSON-RPC code of a request that an agent which is gone cannot answer."""


class ToRuntime(Struct, gc=False):
    """A message for the runtime."""

    message: Message


class ToProvider(Struct, gc=False):
    """A message for the agent."""

    message: Message


class HostCall(Struct, gc=False):
    """Something only the host can do (a file, a terminal); answer with `host_result` or `host_error`."""

    token: int
    request_id: Any
    method: str
    params: Any


Output: TypeAlias = ToRuntime | ToProvider | HostCall


class Envelope(Protocol):
    """How the messages of one agent connection are framed: what asks, what answers, what only tells."""

    withdrawing: str
    """The method by which the agent takes a request back; see `withdraws`."""

    def read(self, message: Message) -> tuple[str, str | None, Any]:
        """(`request` | `response` | `notification` | `noise`, method, id) of a message."""

    def readdress(self, message: Message, message_id: Any) -> Message:
        """A copy of a response under another id."""

    def withdraws(self, message: Message) -> Any:
        """The id of the request its sender takes back with this notification, or None."""


class JsonRpc:
    """JSON-RPC 2.0, with or without its `jsonrpc` member."""

    withdrawing = "$/cancel_request"

    def read(self, message: Message) -> tuple[str, str | None, Any]:
        """Requests have a method and an id, notifications no id, responses no method."""
        method = message.get("method")
        if isinstance(method, str):
            return ("request", method, message["id"]) if "id" in message else ("notification", method, None)
        return ("response", None, message["id"]) if "id" in message else ("noise", None, None)

    def readdress(self, message: Message, message_id: Any) -> Message:
        """The response with the other id."""
        return {**message, "id": message_id}

    def withdraws(self, message: Message) -> Any:
        """The id in a withdrawing notification, or None."""
        params = message.get("params") if message.get("method") == self.withdrawing else None
        return params.get("requestId") if isinstance(params, dict) else None


class Bridge(Protocol):
    """A bridge. Every method returns what the bridge says to it, in order."""

    noise: int
    """Messages of either side that nothing could be made of, so far."""

    envelope: Envelope
    """The framing of the agent's side."""

    def runtime(self, message: Any) -> Sequence[Output]:
        """Take one decoded message of the runtime."""

    def provider(self, message: Any) -> Sequence[Output]:
        """Take one decoded message of the agent."""

    def host_result(self, token: int, result: Any) -> Sequence[Output]:
        """A host call succeeded."""

    def host_error(self, token: int, error: Message) -> Sequence[Output]:
        """A host call failed with a JSON-RPC error object."""


def agent_gone(bridge: Bridge, reason: str) -> Sequence[Output]:
    """Tell a bridge that its agent is gone, and why: nothing comes of it any more, nothing can be told to it.

    First the runtime is told, by an `error` that names no thread; a recording shows the moment by it. Then
    comes what the bridge says. A bridge may have a method `agent_gone(reason)`, which settles what is open
    (turns fail with a `provider.error`, requests are answered with an error, questions withdrawn) and after
    which it refuses every request. One without it says nothing more.
    """
    told = {"jsonrpc": "2.0", "method": "error", "params": {"message": reason}}
    settle: Callable[[str], Sequence[Output]] | None = getattr(bridge, "agent_gone", None)
    return [ToRuntime(told), *(settle(reason) if settle is not None else ())]


class Foreign(Struct, gc=False):
    """What a foreign client's message means in the runtime protocol (see `parity import`).

    `runtime` is the request the runtime would have sent; `ignored` why our bridge makes no such call.
    """

    runtime: list[Message] | None = None
    ignored: str | None = None


class Client(Protocol):
    """The inverse of a bridge's provider side: reads a foreign client's traffic as runtime requests."""

    def client_message(self, message: Message) -> Foreign:
        """What the runtime would have sent where the foreign client sent this request or notification."""

    def agent_message(self, message: Message) -> None:
        """The agent said this: for what the client's next messages mean."""

    def answer(self, method: str, request: Message, response: Message) -> Message:
        """The runtime's response members (`result` or `error`) behind a client's response."""


def ok(request_id: Any, result: Any) -> Message:
    """A successful JSON-RPC response."""
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def failed(request_id: Any, code: int, message: str) -> Message:
    """A JSON-RPC error response."""
    return {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}}
