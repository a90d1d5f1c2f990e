"""A foreign Claude Code client's traffic, read as the runtime requests that would have caused it.

The inverse of the bridge's provider side, for `parity import`: initialize → initialize, the first user
message → thread/start and turn/start, a later one → turn/start (turn/steer while a turn is open), interrupt →
thread/stop, an answer to `can_use_tool` or `elicitation` → the runtime's decision. The process holds one
session and the client never opens it, so the thread's cwd comes from the agent's first `system/init`. Calls
our bridge never makes are ignored.
"""

from __future__ import annotations

from typing import Any

from parity.bridges.base import Foreign, Message
from parity.bridges.claude_code import asking, envelope
from parity.bridges.claude_code.bridge import ClaudeCodeBridge

_SETTINGS = {"set_permission_mode": "mode", "set_model": "model"}
_AGENT_REQUESTS = frozenset(
    ("can_use_tool", "hook_callback", "mcp_message", "elicitation", "request_user_dialog")
)
_AGENT_TYPES = frozenset(("assistant", "system", "result", "stream_event", "control_cancel_request"))
_THREAD = "thread-1"


def is_from_client(message: Message) -> bool | None:
    """Whose message a bare one is, where its form tells."""
    kind = message.get("type")
    if not isinstance(kind, str):
        return None
    if kind in _AGENT_TYPES:
        return False
    if kind == "control_request" and isinstance(message.get("request"), dict):
        return _text(message["request"], "subtype") not in _AGENT_REQUESTS
    if kind == "control_response" and isinstance(message.get("response"), dict):
        body = message["response"].get("response")
        return isinstance(body, dict) and ("behavior" in body or body.get("action") in asking.ACTIONS)
    if kind == "user" and isinstance(message.get("message"), dict):
        return not message.get("session_id")
    return None


def agent_info(initialized: Message) -> tuple[str | None, str | None]:
    """The agent's (name, version), of its whole answer to `initialize`."""
    result, _ = envelope.outcome(initialized) if isinstance(initialized.get("response"), dict) else ({}, None)
    return "claude-code", _text(result, "claude_code_version")


class ClaudeCodeClient:
    """Reads one recorded client. `messages` is all it sent and was sent, for what must be known early."""

    def __init__(self, bridge: ClaudeCodeBridge, messages: list[tuple[bool, Message]]) -> None:
        self._asked = 0
        self._started = False
        self._prompting = 0
        self._cwd, self._resumed = _session(messages)
        self._early = _early_settings(messages)

    def client_message(self, message: Message) -> Foreign:
        """What the runtime would have sent where this request or notification was sent."""
        if message["type"] == "user":
            start = self._start()
            return Foreign(runtime=[*start, self._prompt(message)])
        if message["type"] != "control_request":
            return Foreign(ignored="not a message of our bridge")
        subtype = message["request"]["subtype"]
        if subtype == "initialize":
            return Foreign(runtime=[self._request("initialize", {})])
        if subtype == "interrupt":
            start = self._start()
            stop = self._request("thread/stop", {"threadId": _THREAD, "intent": "interrupt"})
            return Foreign(runtime=[*start, stop])
        if subtype in _SETTINGS:
            if _SETTINGS[subtype] in self._early:
                return Foreign(runtime=self._start())
            return Foreign(ignored="a change inside a thread; the bridge sets options when it starts one")
        return Foreign(ignored="not a call of our bridge")

    def agent_message(self, message: Message) -> None:
        """A result ends a prompt's turn, unless it answers news of the agent's own (S39)."""
        if message.get("type") != "result":
            return
        origin = message.get("origin")
        if not (isinstance(origin, dict) and origin.get("kind") == "task-notification"):
            queued = message.get("queued_turn_count")
            self._prompting = min(self._prompting, queued if type(queued) is int else 0)

    def answer(self, method: str, request: Message, response: Message) -> Message:
        """The runtime's response members behind the client's answer to a request."""
        result, error = envelope.outcome(response)
        if error is not None:
            return {"error": {"code": -32603, "message": error}}
        return {"result": asking.decode(result, request["request"])}

    # -- requests ------------------------------------------------------------------------------------

    def _request(self, method: str, params: dict[str, Any]) -> Message:
        self._asked += 1
        return {"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params}

    def _start(self) -> list[Message]:
        if self._started:
            return []
        self._started = True
        params: dict[str, Any] = {"threadId": _THREAD}
        if self._resumed is not None:
            params["providerThreadId"] = self._resumed
        params["cwd"] = self._cwd
        if self._early:
            params["options"] = self._early
        return [self._request("thread/start" if self._resumed is None else "thread/resume", params)]

    def _prompt(self, message: Message) -> Message:
        content = message["message"].get("content") if isinstance(message.get("message"), dict) else None
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        method = "turn/steer" if self._prompting else "turn/start"
        self._prompting += 1
        request = self._request(method, {"threadId": _THREAD, "input": blocks})
        request["params"]["clientRequestId"] = message.get("uuid") or f"prompt-{self._asked}"
        return request


def _text(document: Any, name: str) -> str | None:
    value = document.get(name) if isinstance(document, dict) else None
    return value if isinstance(value, str) else None


def _session(messages: list[tuple[bool, Message]]) -> tuple[str | None, str | None]:
    """(cwd, id of the resumed session): the client can name a session first only where it resumes one."""
    named = None
    for from_client, message in messages:
        if from_client and message.get("type") == "user" and named is None:
            named = message.get("session_id") or ""
        elif not from_client and message.get("type") == "system" and message.get("subtype") == "init":
            resumed = named if named and named == message.get("session_id") else None
            return _text(message, "cwd"), resumed
    return None, None


def _early_settings(messages: list[tuple[bool, Message]]) -> dict[str, Any]:
    """Mode and model set before the first prompt: options of the thread.

    One that changes again later is left out: a recording can ignore a method, not one of its messages.
    """
    early: dict[str, Any] = {}
    late: set[str] = set()
    prompted = False
    for from_client, message in messages:
        request = message.get("request")
        if not from_client or message.get("type") not in ("user", "control_request"):
            continue
        prompted = prompted or message["type"] == "user"
        option = _SETTINGS.get(_text(request, "subtype") or "")
        if option is None or not isinstance(request, dict):
            continue
        if prompted or option in early:
            late.add(option)
        else:
            early[option] = request.get(option)
    return {option: value for option, value in early.items() if option not in late}
