"""The scripted Claude Code agent: stream-json with the control protocol; one process, one session."""

from __future__ import annotations

from typing import Any, ClassVar

from parity.bridges import Message
from parity.bridges.base import Envelope
from parity.bridges.claude_code import envelope
from parity.bridges.claude_code.envelope import ControlEnvelope
from parity.conformance.agents.base import REFUSAL, Prompt, ScriptedAgent, texts_of

_ONE = "one process of this agent serves one session, so one thread"
_LAUNCHED = "which session a process of this agent serves is a launch argument; no request opens it"
_UNREFUSED = "a prompt is no request to this agent: it cannot be refused"


class ClaudeCodeAgent(ScriptedAgent):
    """An agent that speaks stream-json."""

    provider = "claude-code"
    cannot: ClassVar = {
        "thread/refused": _LAUNCHED,
        "threads/do-not-mix": _ONE,
        "turn/refused": _UNREFUSED,
    }
    request_ids = ("1", "01")
    streams_output = False

    def __init__(self) -> None:
        super().__init__()
        self.sessions = ["claude-session-1"]
        self._minted = 0
        self._commands: dict[str, str] = {}

    def _envelope(self) -> Envelope:
        return ControlEnvelope()

    def _heard(self, method: str, message_id: Any, message: Message) -> list[Message]:
        session = self.sessions[-1]
        if method == "user":
            said = message.get("message")
            content = said.get("content") if isinstance(said, dict) else None
            self.prompts.append(Prompt(session, texts_of(content)))
            fields = {"cwd": "/home/user/workspace", "permissionMode": "default", "tools": ["Bash"]}
            return [{"type": "system", "subtype": "init", "session_id": session, **fields}]
        if message_id is None:
            return []
        if method == "initialize":
            self.initialized += 1
            if "initialize" in self.refuses:
                return [envelope.error(message_id, REFUSAL)]
        if method == "interrupt":
            self.stops.append(session)
        return [envelope.success(message_id, {})]

    def _decision(self, message: Message) -> str:
        result, error = envelope.outcome(message)
        if error is not None:
            return "error"
        return {"allow": "allowed", "deny": "denied"}.get(str(result.get("behavior")), "?")

    def expect(self, session: str) -> None:
        """The process was launched with `--resume` and this id."""
        self.sessions = [session]

    def text(self, session: str, *pieces: str) -> list[Message]:
        """A message in pieces, and the same whole."""
        self._minted += 1
        message_id = f"message-{self._minted}"
        begun = _stream("message_start", message={"id": message_id, "content": []})
        opened = _stream("content_block_start", index=0, content_block={"type": "text", "text": ""})
        deltas = [
            _stream("content_block_delta", index=0, delta={"type": "text_delta", "text": piece})
            for piece in pieces
        ]
        whole = self._assistant(message_id, {"type": "text", "text": "".join(pieces)})
        return [
            begun,
            opened,
            *deltas,
            whole,
            _stream("content_block_stop", index=0),
            _stream("message_stop"),
        ]

    def command(self, session: str, call: str, command: str) -> list[Message]:
        """A `tool_use` of Bash."""
        self._minted += 1
        self._commands[call] = command
        block = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}
        return [self._assistant(f"message-{self._minted}", block)]

    def output(self, session: str, call: str, whole: str, piece: str) -> list[Message]:
        """Nothing: the output comes with the result."""
        return []

    def settle(self, session: str, call: str, output: str, code: int) -> list[Message]:
        """A `tool_result` that is an error and names the code."""
        content = f"Exit code {code}\n{output}"
        block = {"type": "tool_result", "tool_use_id": call, "content": content, "is_error": True}
        line = {"type": "user", "message": {"role": "user", "content": [block]}, "parent_tool_use_id": None}
        return [{**line, "session_id": session, "tool_use_result": f"Error: {content}"}]

    def ask(self, session: str, call: str, command: str, request_id: Any) -> list[Message]:
        """`can_use_tool`."""
        fields = {"tool_name": "Bash", "input": {"command": command}, "tool_use_id": call}
        return [envelope.request(request_id, "can_use_tool", fields)]

    def end(self, session: str) -> list[Message]:
        """A `result` that went well."""
        return [self._result(session, stop_reason="end_turn", terminal_reason="completed")]

    def fail(self, session: str, text: str) -> list[Message]:
        """A `result` that is an error."""
        reasons = {"stop_reason": "stop_sequence", "terminal_reason": "api_error"}
        return [self._result(session, is_error=True, result=text, **reasons)]

    def stopped(self, session: str) -> list[Message]:
        """The `result` of an interrupted turn."""
        reasons = {"stop_reason": "tool_use", "terminal_reason": "aborted_tools"}
        return [self._result(session, subtype="error_during_execution", is_error=True, **reasons)]

    def unheard_of(self, session: str) -> list[Message]:
        """A message of an unknown type."""
        return [{"type": "unheard_of", "session_id": session, "text": "unheard-of news"}]

    def odd(self, session: str) -> list[Message]:
        """Messages without content, and content that is none."""
        contents: list[Any] = [None, 7, [7, None], [{"type": "text"}]]
        odd = [{"type": "assistant", "message": {"content": content}} for content in contents]
        return [*odd, {"type": "assistant"}, {"type": "user", "message": None}, {"type": 7}]

    def strange_request(self, session: str, request_id: Any) -> list[Message]:
        """A control request no client knows."""
        return [envelope.request(request_id, "unheard_of", {})]

    def stray_answers(self) -> list[Message]:
        """Unknown ids, one of them like the last request's."""
        like = [f"{self.requests[-1].get('request_id')}0"] if self.requests else []
        return [envelope.success(one, {}) for one in ("stray", *like)]

    def _assistant(self, message_id: str, *blocks: dict[str, Any]) -> Message:
        message = {"id": message_id, "role": "assistant", "content": list(blocks), "model": "scripted"}
        return {"type": "assistant", "message": message, "parent_tool_use_id": None}

    def _result(self, session: str, **fields: Any) -> Message:
        told = {"type": "result", "subtype": "success", "is_error": False, "num_turns": 1, "result": ""}
        return {**told, "session_id": session, **fields}


def _stream(event: str, **fields: Any) -> Message:
    return {"type": "stream_event", "event": {"type": event, **fields}, "parent_tool_use_id": None}
