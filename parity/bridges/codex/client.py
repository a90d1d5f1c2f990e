"""A foreign `codex app-server` client's traffic, read as the runtime requests that would have caused it.

The inverse of the bridge's provider side, for `parity import`. Calls our bridge never makes are named as
ignored. Also what tells the side of a bare message, and who the agent is.
"""

from __future__ import annotations

from typing import Any

from parity.bridges.base import Foreign, Message
from parity.bridges.codex.bridge import CodexBridge
from parity.bridges.jsonrpc import Params, members
from parity.lanes.codex import approvals
from parity.lanes.codex.known import HANDLED_NOTIFICATIONS, IGNORED_NOTIFICATIONS, SERVER_REQUESTS
from parity.lanes.codex.shapes import text_of

_OPENS = ("thread/start", "thread/resume", "thread/fork")
_OWN = ("threadId", "cwd", "excludeTurns")
_OWN_OF_TURN = ("threadId", "input", "clientUserMessageId", "expectedTurnId")
_HISTORY = "the runtime keeps the history of its threads itself"
_IGNORED = {
    "thread/archive": "the runtime keeps its own list of threads",
    "thread/delete": "the runtime never deletes an agent's thread",
    "thread/items/list": _HISTORY,
    "thread/list": "the runtime keeps its own list of threads",
    "thread/loaded/list": "the runtime keeps its own list of threads",
    "thread/name/set": "the runtime keeps the names of its threads itself",
    "thread/read": _HISTORY,
    "thread/readState/update": "the runtime keeps what was read itself",
    "thread/turns/list": _HISTORY,
}
_SIGNING_IN = "the bridge leaves signing in to the agent's own command"


def is_from_client(message: Message) -> bool | None:
    """Whose a bare message is: the agent's requests and notifications are a known list, and dated."""
    method = message.get("method")
    if not isinstance(method, str):
        return None
    told = method in SERVER_REQUESTS or method in HANDLED_NOTIFICATIONS or method in IGNORED_NOTIFICATIONS
    if told or "emittedAtMs" in message:
        return False
    if "id" in message or method == "initialized":
        return True
    return None


def agent_info(initialized: Params) -> tuple[str | None, str | None]:
    """(name, version) of the agent: its userAgent begins with the client's name and codex's version."""
    product = (text_of(initialized, "userAgent") or "").split(" ", 1)[0]
    _, slash, version = product.rpartition("/")
    return ("codex", version) if slash and version else (None, None)


class CodexClient:
    """Reads one recorded client; `messages` is all it sent and was sent."""

    def __init__(self, bridge: CodexBridge, messages: list[tuple[bool, Message]]) -> None:
        self._bridge = bridge
        self._threads = 0
        self._asked = 0

    def client_message(self, message: Message) -> Foreign:
        """What the runtime would have sent where this request or notification was sent."""
        method, params = message["method"], members(message, "params")
        if method == "initialize":
            names = (("clientInfo", "clientInfo"), ("clientCapabilities", "capabilities"))
            request = {ours: params[theirs] for ours, theirs in names if params.get(theirs) is not None}
            return self._request("initialize", request)
        if method == "initialized":
            return Foreign(runtime=[])
        if method == "model/list":
            return self._request("model/list", {})
        if method in _OPENS:
            return self._open(method, params)
        thread_id = self._bridge.thread_of(params.get("threadId"))
        if thread_id is not None:
            if method in ("turn/start", "turn/steer"):
                return self._turn(method, thread_id, params, message.get("id"))
            if method == "turn/interrupt":
                return self._request("thread/stop", {"threadId": thread_id, "intent": "interrupt"})
            if method == "thread/unsubscribe":
                return self._request("thread/stop", {"threadId": thread_id, "intent": "release"})
        if method.startswith("account/"):
            return Foreign(ignored=_SIGNING_IN)
        return Foreign(ignored=_IGNORED.get(method, "not a call of our bridge"))

    def agent_message(self, message: Message) -> None:
        """The bridge has heard it too, and knows all a client's next message can mean."""

    def answer(self, method: str, request: Message, response: Message) -> Message:
        """The runtime's response members behind the client's response to an agent's request."""
        if response.get("error") is not None:
            return {"error": response["error"]}
        return {"result": approvals.decode(method, members(request, "params"), response.get("result"))}

    # -- requests ------------------------------------------------------------------------------------

    def _request(self, method: str, params: Params) -> Foreign:
        self._asked += 1
        request = {"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params}
        return Foreign(runtime=[request])

    def _open(self, method: str, params: Params) -> Foreign:
        if method == "thread/resume" and self._bridge.thread_of(params.get("threadId")) is not None:
            return Foreign(ignored="the thread is open already")
        self._threads += 1
        request: Params = {"threadId": f"thread-{self._threads}"}
        if method != "thread/start":
            request["providerThreadId"] = params.get("threadId")
        if params.get("cwd") is not None:
            request["cwd"] = params["cwd"]
        options = {name: value for name, value in params.items() if name not in _OWN}
        if options:
            request["options"] = options
        return self._request(method, request)

    def _turn(self, method: str, thread_id: str, params: Params, request_id: Any) -> Foreign:
        request: Params = {"threadId": thread_id, "providerThreadId": params.get("threadId")}
        request["input"] = params.get("input")
        request["clientRequestId"] = text_of(params, "clientUserMessageId") or f"prompt-{request_id}"
        options = {name: value for name, value in params.items() if name not in _OWN_OF_TURN}
        if options:
            request["options"] = options
        return self._request(method, request)
