"""Stages: a bridge in the middle of a turn, to which the agent says one thing.

What a name becomes is found by saying it: a message with it against the same conversation without it. What
the bridge says only with it is what it becomes. A stage knows how its family's agent opens a session and a
turn; it judges nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from parity.bridges import Bridge, HostCall, Message, Output, ToProvider
from parity.bridges.claude_code import envelope
from parity.bridges.claude_code.bridge import ClaudeCodeBridge
from parity.bridges.codex.bridge import CodexBridge
from parity.coverage.effects import told

THREAD, SESSION, TURN = "coverage", "session-1", "turn-1"
CWD = "/home/user/workspace"
PROMPT = "go"

Told: TypeAlias = list[tuple[str, Any]]
"""(label, document) of what the bridge said."""


def difference(said: Told, without: Told) -> list[str]:
    """The labels of what was told with the name and not without it."""
    left = list(without)
    found: dict[str, None] = {}
    for one in said:
        if one in left:
            left.remove(one)
        else:
            found[one[0]] = None
    return list(found)


class Stage:
    """One connection. `answers` gives the agent's answer to a request of the bridge; None leaves it open."""

    def __init__(self, bridge: Bridge, answers: Callable[[Message], Message | None]) -> None:
        self.bridge = bridge
        self.asked: list[Message] = []
        """What the bridge asked of the agent, in order."""
        self._answers = answers
        self._requests = 0
        self.runtime("initialize", {})
        self.runtime("thread/start", {"threadId": THREAD, "cwd": CWD})

    def prompt(self) -> None:
        """The runtime begins a turn."""
        self.runtime("turn/start", {"threadId": THREAD, "input": [{"type": "text", "text": PROMPT}]})

    def runtime(self, method: str, params: Message) -> None:
        """A request of the runtime."""
        self._requests += 1
        request = {"jsonrpc": "2.0", "id": self._requests, "method": method, "params": params}
        self._take(self.bridge.runtime(request))

    def before(self, *messages: Message) -> None:
        """The agent says these, and nobody asks what comes of them."""
        for message in messages:
            self._take(self.bridge.provider(message))

    def agent(self, *messages: Message) -> Told:
        """The agent says these; what the bridge tells because of it."""
        return told([one for message in messages for one in self._take(self.bridge.provider(message))])

    def _take(self, outputs: Sequence[Output]) -> list[Output]:
        """Answer what asks for it; all that was said, answers' consequences included."""
        found = list(outputs)
        for output in outputs:
            if isinstance(output, HostCall):
                found += self._take(self.bridge.host_result(output.token, _host_result(output)))
            elif isinstance(output, ToProvider):
                self.asked.append(output.message)
                answer = self._answers(output.message)
                if answer is not None:
                    found += self._take(self.bridge.provider(answer))
        return found


def _host_result(call: HostCall) -> Message:
    """A host's answer: a terminal shows a line and is still at work."""
    if call.method == "terminal/output":
        return {"output": "text", "truncated": False}
    return {"content": "text"} if call.method == "fs/read_text_file" else {}


# -- codex -----------------------------------------------------------------------------------------------


def codex_stage(*, begun: bool = True) -> Stage:
    """In an open turn whose prompt was echoed; not begun: the turn is accepted and has not started."""

    def answers(request: Message) -> Message | None:
        results = {"thread/start": {"thread": {"id": SESSION}}, "turn/start": {"turn": {"id": TURN}}}
        if "method" not in request or "id" not in request:
            return None
        return {"id": request["id"], "result": results.get(request["method"], {})}

    stage = Stage(CodexBridge(), answers)
    stage.prompt()
    if begun:
        echo = {"type": "userMessage", "id": "echo", "content": [{"type": "text", "text": PROMPT}]}
        turn = {"id": TURN, "status": "inProgress", "items": []}
        stage.before(
            codex_notice("turn/started", turn=turn),
            codex_notice("item/started", turnId=TURN, item=echo),
            codex_notice("item/completed", turnId=TURN, item=echo),
        )
    return stage


def codex_notice(method: str, **params: Any) -> Message:
    """A notification about the stage's thread."""
    return {"method": method, "params": {"threadId": SESSION, **params}}


# -- Claude Code -----------------------------------------------------------------------------------------


def claude_stage(*, call_id: str | None = None) -> Stage:
    """In an open turn, with a call at work where one is named."""

    def answers(request: Message) -> Message | None:
        if request.get("type") != "control_request":
            return None
        return envelope.success(request["request_id"], {})

    stage = Stage(ClaudeCodeBridge(), answers)
    stage.prompt()
    stage.before({"type": "system", "subtype": "init", "session_id": SESSION, "cwd": CWD})
    if call_id is not None:
        use = {"type": "tool_use", "id": call_id, "name": "Bash", "input": {"command": "ls"}}
        stage.before(claude_message(use))
    return stage


def claude_message(*blocks: Any, role: str = "assistant") -> Message:
    """A whole message of these blocks."""
    return {"type": role, "message": {"id": "message-1", "role": role, "content": list(blocks)}}
