"""The framing of Claude Code's stream-json: requests and answers ride in control messages.

    control_request  {request_id, request: {subtype, …}}                    a request; method: the subtype
    control_response {response: {subtype: success | error, request_id, …}}  its answer
    anything else    {type, …}                                              a notification; method: the type

Both sides ask. It is no JSON-RPC: an answer repeats the id inside `response`.
"""

from __future__ import annotations

from typing import Any

from parity.bridges.base import Message


class ControlEnvelope:
    """Reads the framing; see `parity.bridges.base.Envelope`."""

    withdrawing = "control_cancel_request"

    def read(self, message: Message) -> tuple[str, str | None, Any]:
        """(`request` | `response` | `notification` | `noise`, method, id) of a message."""
        kind = message.get("type")
        if not isinstance(kind, str):
            return "noise", None, None
        if kind == "control_request":
            request = message.get("request")
            method = request.get("subtype") if isinstance(request, dict) else None
            if not isinstance(method, str) or "request_id" not in message:
                return "noise", None, None
            return "request", method, message["request_id"]
        if kind == "control_response":
            response = message.get("response")
            if not isinstance(response, dict) or "request_id" not in response:
                return "noise", None, None
            return "response", None, response["request_id"]
        return "notification", kind, None

    def readdress(self, message: Message, message_id: Any) -> Message:
        """The answer under another id."""
        return {**message, "response": {**message["response"], "request_id": message_id}}

    def withdraws(self, message: Message) -> Any:
        """The id of the request that a `control_cancel_request` takes back, or None."""
        return message.get("request_id") if message.get("type") == "control_cancel_request" else None


def request(request_id: str, subtype: str, fields: dict[str, Any]) -> Message:
    """A control request."""
    body = {"subtype": subtype, **fields}
    return {"type": "control_request", "request_id": request_id, "request": body}


def success(request_id: Any, response: Any) -> Message:
    """The answer to a control request."""
    body = {"subtype": "success", "request_id": request_id, "response": response}
    return {"type": "control_response", "response": body}


def error(request_id: Any, text: str) -> Message:
    """The refusal of a control request."""
    body = {"subtype": "error", "request_id": request_id, "error": text}
    return {"type": "control_response", "response": body}


def outcome(message: Message) -> tuple[dict[str, Any], str | None]:
    """(result, error) of an answer; one of them is empty."""
    response = message["response"]
    if response.get("subtype") == "success":
        result = response.get("response")
        return (result if isinstance(result, dict) else {}), None
    text = response.get("error")
    return {}, text if isinstance(text, str) else "the agent refused without a reason"
