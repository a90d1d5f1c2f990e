"""The scripted codex agent (`codex app-server`): threads, turns, items and approvals over bare JSON-RPC."""

from __future__ import annotations

from typing import Any

from parity.bridges import Message
from parity.bridges.base import METHOD_NOT_FOUND, Envelope
from parity.bridges.codex.session import CodexRpc
from parity.conformance.agents.base import REFUSAL, Prompt, ScriptedAgent, texts_of

Json = dict[str, Any]

_CWD = "/home/user/workspace"


class CodexAgent(ScriptedAgent):
    """An agent that speaks the app-server's protocol."""

    provider = "codex"

    def __init__(self) -> None:
        super().__init__()
        self._turns: dict[str, str] = {}
        self._old: set[str] = set()
        self._commands: dict[str, str] = {}
        self._minted = 0

    def _envelope(self) -> Envelope:
        return CodexRpc()

    def _heard(self, method: str, message_id: Any, message: Message) -> list[Message]:
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        session = str(params.get("threadId"))
        match method:
            case "initialize":
                self.initialized += 1
                if "initialize" in self.refuses:
                    return [_failed(message_id)]
                return [{"id": message_id, "result": {"userAgent": "scripted/1", "codexHome": "/home/user"}}]
            case "thread/start" | "thread/fork":
                if "session" in self.refuses:
                    return [_failed(message_id)]
                return self._opened(message_id, f"codex-thread-{len(self.sessions) + 1}")
            case "thread/resume":
                return self._opened(message_id, session) if session in self._old else [_failed(message_id)]
            case "turn/start":
                return self._prompted(session, message_id, params)
            case "turn/steer":
                self.prompts.append(Prompt(session, texts_of(params.get("input"))))
                return [{"id": message_id, "result": {"turnId": self._turns.get(session)}}]
            case "turn/interrupt":
                self.stops.append(session)
                return [{"id": message_id, "result": {}}]
            case "thread/unsubscribe":
                return [{"id": message_id, "result": {"status": "unsubscribed"}}]
            case "model/list":
                return [{"id": message_id, "result": {"data": []}}]
        return [] if message_id is None else [_failed(message_id, METHOD_NOT_FOUND)]

    def _opened(self, message_id: Any, session: str) -> list[Message]:
        self.sessions.append(session)
        thread = {"id": session, "turns": [], "preview": "", "cwd": _CWD}
        started = {"method": "thread/started", "params": {"thread": thread}}
        return [{"id": message_id, "result": {"thread": thread, "cwd": _CWD}}, started]

    def _prompted(self, session: str, message_id: Any, params: Json) -> list[Message]:
        self.prompts.append(Prompt(session, texts_of(params.get("input"))))
        if "prompt" in self.refuses:
            return [_failed(message_id)]
        turn = self._turns[session] = f"codex-turn-{len(self.prompts)}"
        told: Json = {"id": turn, "items": [], "status": "inProgress", "error": None}
        started = _note("turn/started", threadId=session, turn=told)
        return [{"id": message_id, "result": {"turn": told}}, started]

    def _decision(self, message: Message) -> str:
        if message.get("error") is not None:
            return "error"
        result = message.get("result")
        decision = result.get("decision") if isinstance(result, dict) else None
        return {"accept": "allowed", "decline": "denied", "cancel": "cancelled"}.get(str(decision), "?")

    def expect(self, session: str) -> None:
        """A thread that `thread/resume` finds."""
        self._old.add(session)

    def text(self, session: str, *pieces: str) -> list[Message]:
        """An agentMessage item, its deltas and its whole."""
        self._minted += 1
        item = {"type": "agentMessage", "id": f"message-{self._minted}", "text": ""}
        deltas = [
            self._about(session, "item/agentMessage/delta", itemId=item["id"], delta=piece)
            for piece in pieces
        ]
        whole = {**item, "text": "".join(pieces)}
        begun = self._about(session, "item/started", item=item)
        return [begun, *deltas, self._about(session, "item/completed", item=whole)]

    def command(self, session: str, call: str, command: str) -> list[Message]:
        """A commandExecution item begins."""
        self._commands[call] = command
        return [self._about(session, "item/started", item=self._item(call, "inProgress"))]

    def output(self, session: str, call: str, whole: str, piece: str) -> list[Message]:
        """An output delta."""
        return [self._about(session, "item/commandExecution/outputDelta", itemId=call, delta=piece)]

    def settle(self, session: str, call: str, output: str, code: int) -> list[Message]:
        """The item completes with its code."""
        item = {**self._item(call, "failed"), "aggregatedOutput": output, "exitCode": code}
        return [self._about(session, "item/completed", item=item)]

    def ask(self, session: str, call: str, command: str, request_id: Any) -> list[Message]:
        """`item/commandExecution/requestApproval`."""
        params = {"threadId": session, "turnId": self._turns.get(session), "itemId": call}
        told = {"command": command, "cwd": _CWD, "availableDecisions": ["accept", "decline", "cancel"]}
        method = "item/commandExecution/requestApproval"
        return [{"id": request_id, "method": method, "params": {**params, **told}}]

    def end(self, session: str) -> list[Message]:
        """The turn completes."""
        return [self._over(session, "completed")]

    def fail(self, session: str, text: str) -> list[Message]:
        """An error that is not retried, and the failed turn."""
        error = {"message": text, "codexErrorInfo": None, "additionalDetails": None}
        told = self._about(session, "error", error=error, willRetry=False)
        return [told, self._over(session, "failed", error)]

    def stopped(self, session: str) -> list[Message]:
        """The turn completes as interrupted."""
        return [self._over(session, "interrupted")]

    def unheard_of(self, session: str) -> list[Message]:
        """A notification of an unknown method."""
        return [self._about(session, "item/unheardOf/updated", text="unheard-of news")]

    def odd(self, session: str) -> list[Message]:
        """Notifications without params, and items that are none."""
        told: list[Any] = [None, [], {"threadId": session}, {"threadId": session, "item": 7}]
        return [{"method": "item/started", "params": params} for params in told]

    def strange_request(self, session: str, request_id: Any) -> list[Message]:
        """A request no client knows."""
        return [{"id": request_id, "method": "item/unheardOf", "params": {"threadId": session}}]

    def stray_answers(self) -> list[Message]:
        """An unknown id, and the last request's as a text."""
        like = [str(self.requests[-1]["id"])] if self.requests else []
        result = {"thread": {"id": "stray"}, "turn": {"id": "stray"}}
        return [{"id": one, "result": result} for one in (987654, "stray", *like)]

    def _over(self, session: str, status: str, error: Any = None) -> Message:
        told = {"id": self._turns.pop(session, "none"), "items": [], "status": status, "error": error}
        return _note("turn/completed", threadId=session, turn=told)

    def _item(self, call: str, status: str) -> Json:
        item = {"type": "commandExecution", "id": call, "command": self._commands.get(call, ""), "cwd": _CWD}
        return {**item, "status": status, "commandActions": [], "aggregatedOutput": None, "exitCode": None}

    def _about(self, session: str, method: str, **params: Any) -> Message:
        return _note(method, threadId=session, turnId=self._turns.get(session), **params)


def _note(method: str, **params: Any) -> Message:
    return {"method": method, "params": params, "emittedAtMs": 1}


def _failed(message_id: Any, code: int = -32000) -> Message:
    return {"id": message_id, "error": {"code": code, "message": REFUSAL}}
