"""The scripted ACP agent (protocol version 1): sessions, prompts, tool calls, permission requests."""

from __future__ import annotations

from typing import Any

from parity.bridges import Message
from parity.bridges.base import METHOD_NOT_FOUND, Envelope, JsonRpc, failed, ok
from parity.conformance.agents.base import REFUSAL, Prompt, ScriptedAgent, texts_of

_OPTIONS = (
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
)


class AcpAgent(ScriptedAgent):
    """An agent that speaks ACP over JSON-RPC."""

    provider = "acp"

    def __init__(self) -> None:
        super().__init__()
        self._open: dict[str, Any] = {}
        self._old: set[str] = set()

    def _envelope(self) -> Envelope:
        return JsonRpc()

    def _heard(self, method: str, message_id: Any, message: Message) -> list[Message]:
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        session = str(params.get("sessionId"))
        match method:
            case "initialize":
                self.initialized += 1
                if "initialize" in self.refuses:
                    return [failed(message_id, -32000, REFUSAL)]
                capabilities = {"loadSession": True, "promptCapabilities": {"image": True}}
                told = {"protocolVersion": 1, "agentCapabilities": capabilities, "authMethods": []}
                return [ok(message_id, {**told, "agentInfo": {"name": "scripted", "version": "1"}})]
            case "session/new":
                if "session" in self.refuses:
                    return [failed(message_id, -32000, REFUSAL)]
                self.sessions.append(f"session-{len(self.sessions) + 1}")
                return [ok(message_id, {"sessionId": self.sessions[-1]})]
            case "session/load" | "session/resume":
                if session not in self._old:
                    return [failed(message_id, -32002, "no such session")]
                self.sessions.append(session)
                history = self.text(session, "long ago") if method == "session/load" else []
                return [*history, ok(message_id, {})]
            case "session/prompt":
                self.prompts.append(Prompt(session, texts_of(params.get("prompt"))))
                if "prompt" in self.refuses:
                    return [failed(message_id, -32000, REFUSAL)]
                self._open[session] = message_id
                return []
            case "session/cancel":
                self.stops.append(session)
                return []
            case "session/set_mode" | "session/set_config_option" | "authenticate":
                return [ok(message_id, {})]
        if message_id is None:
            return []
        return [failed(message_id, METHOD_NOT_FOUND, f"Method not found: {method}")]

    def _decision(self, message: Message) -> str:
        if message.get("error") is not None:
            return "error"
        result = message.get("result")
        outcome = result.get("outcome") if isinstance(result, dict) else None
        outcome = outcome if isinstance(outcome, dict) else {}
        if outcome.get("outcome") == "cancelled":
            return "cancelled"
        return {"yes": "allowed", "no": "denied"}.get(str(outcome.get("optionId")), "?")

    def expect(self, session: str) -> None:
        """A session that `session/load` finds, with a history."""
        self._old.add(session)

    def text(self, session: str, *pieces: str) -> list[Message]:
        """Message chunks."""
        return [
            self._update(session, "agent_message_chunk", content={"type": "text", "text": piece})
            for piece in pieces
        ]

    def command(self, session: str, call: str, command: str) -> list[Message]:
        """A `tool_call` of kind `execute`."""
        told = {
            "title": command,
            "kind": "execute",
            "status": "in_progress",
            "rawInput": {"command": command},
        }
        return [self._update(session, "tool_call", toolCallId=call, **told)]

    def output(self, session: str, call: str, whole: str, piece: str) -> list[Message]:
        """A `tool_call_update` with all the output so far."""
        return [self._call(session, call, status="in_progress", content=_shown(whole))]

    def settle(self, session: str, call: str, output: str, code: int) -> list[Message]:
        """The closing `tool_call_update`."""
        raw = {"exitCode": code}
        return [self._call(session, call, status="failed", content=_shown(output), rawOutput=raw)]

    def ask(self, session: str, call: str, command: str, request_id: Any) -> list[Message]:
        """`session/request_permission`."""
        tool = {"toolCallId": call, "title": command, "kind": "execute", "rawInput": {"command": command}}
        params = {"sessionId": session, "toolCall": tool, "options": list(_OPTIONS)}
        return [_request(request_id, "session/request_permission", params)]

    def end(self, session: str) -> list[Message]:
        """The prompt is answered with `end_turn`."""
        return [ok(self._open.pop(session, None), {"stopReason": "end_turn"})]

    def fail(self, session: str, text: str) -> list[Message]:
        """The prompt is answered with an error."""
        return [failed(self._open.pop(session, None), -32603, text)]

    def stopped(self, session: str) -> list[Message]:
        """The prompt is answered with `cancelled`."""
        return [ok(self._open.pop(session, None), {"stopReason": "cancelled"})]

    def unheard_of(self, session: str) -> list[Message]:
        """A `sessionUpdate` of an unknown kind."""
        return [self._update(session, "unheard_of", text="unheard-of news")]

    def odd(self, session: str) -> list[Message]:
        """Updates without an update, and notifications without params."""
        updates: list[Any] = [
            None,
            7,
            {"sessionUpdate": 7},
            {"sessionUpdate": "agent_message_chunk", "content": None},
            {"sessionUpdate": "plan", "entries": 7},
        ]
        told: list[Any] = [
            *({"sessionId": session, "update": update} for update in updates),
            {"sessionId": 7},
            None,
            [],
        ]
        return [{"jsonrpc": "2.0", "method": "session/update", "params": params} for params in told]

    def strange_request(self, session: str, request_id: Any) -> list[Message]:
        """A request no client knows."""
        return [_request(request_id, "session/unheard_of", {"sessionId": session})]

    def stray_answers(self) -> list[Message]:
        """An unknown id, and the last request's as a text."""
        like = [str(self.requests[-1]["id"])] if self.requests else []
        return [ok(one, {"sessionId": "stray", "stopReason": "end_turn"}) for one in (987654, "stray", *like)]

    def _call(self, session: str, call: str, /, **fields: Any) -> Message:
        return self._update(session, "tool_call_update", toolCallId=call, **fields)

    def _update(self, session: str, said: str, /, **fields: Any) -> Message:
        params = {"sessionId": session, "update": {"sessionUpdate": said, **fields}}
        return {"jsonrpc": "2.0", "method": "session/update", "params": params}


def _request(request_id: Any, method: str, params: dict[str, Any]) -> Message:
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}


def _shown(text: str) -> list[dict[str, Any]]:
    return [{"type": "content", "content": {"type": "text", "text": text}}]
