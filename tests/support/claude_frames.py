"""Claude Code's lines in a few words, and a driver that runs them through bridge, assembler and rows.

`ClaudeRun` plays the runtime and the agent: it puts every message on the wire as JSON and collects events and
rows. It knows the public faces of the bridge and of the intake and nothing inside them.
"""

from __future__ import annotations

from typing import Any

from parity.bridges import ToProvider
from parity.bridges.base import agent_gone
from parity.bridges.claude_code.bridge import ClaudeCodeBridge
from parity.grammar import events as e
from parity.grammar.intake import Intake
from parity.grammar.rows import walk
from parity.wire import decode, encode

Json = dict[str, Any]

CWD = "/home/dev/app"
THREAD = "thread-a"
SESSION = "5f7d0f0e-1111-4222-8333-444455556666"


# -- blocks ------------------------------------------------------------------------------------------------


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def thinking(words: str) -> Json:
    return {"type": "thinking", "thinking": words, "signature": "c2ln"}


def use(call_id: str, name: str = "Bash", **value: Any) -> Json:
    """A tool call; a Bash without arguments runs `make`."""
    if name == "Bash" and not value:
        value = {"command": "make"}
    return {"type": "tool_use", "id": call_id, "name": name, "input": value}


# -- lines -------------------------------------------------------------------------------------------------


def init(**fields: Any) -> Json:
    return {
        "type": "system",
        "subtype": "init",
        "cwd": CWD,
        "session_id": SESSION,
        "permissionMode": "default",
        **fields,
    }


def assistant(*blocks: Json, message_id: str = "msg-1", parent: str | None = None, **more: Any) -> Json:
    """One frame of a message; the agent sends one for each block."""
    message: Json = {"id": message_id, "role": "assistant", "content": list(blocks)}
    message["model"] = more.pop("model", "claude-opus-5-5")
    if "usage" in more:
        message["usage"] = more.pop("usage")
    return {"type": "assistant", "message": message, "parent_tool_use_id": parent, **more}


def result_of(
    call_id: str,
    content: Any = "",
    *,
    error: bool = False,
    result: Any = None,
    note: Json | None = None,
    parent: str | None = None,
) -> Json:
    """A call's result: `result` is the structured one, `note` what the permission system says."""
    block: Json = {"type": "tool_result", "tool_use_id": call_id, "content": content}
    if error:
        block["is_error"] = True
    line: Json = {"type": "user", "message": {"role": "user", "content": [block]}}
    line["parent_tool_use_id"] = parent
    if result is not None:
        line["tool_use_result"] = result
    if note is not None:
        line["tool_result_meta"] = [{"id": call_id, **note}]
    return line


def user(words: str, *, parent: str | None = None, **more: Any) -> Json:
    content = [text(words)]
    return {
        "type": "user",
        "message": {"role": "user", "content": content},
        "parent_tool_use_id": parent,
        **more,
    }


def system(subtype: str, **fields: Any) -> Json:
    return {"type": "system", "subtype": subtype, **fields}


def task(event: str, task_id: str, call_id: str | None, **fields: Any) -> Json:
    named = {} if call_id is None else {"tool_use_id": call_id}
    return system(f"task_{event}", task_id=task_id, **named, **fields)


def done(words: str = "", **fields: Any) -> Json:
    """The result of a turn that went well, unless `fields` say otherwise."""
    return {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "num_turns": 1,
        "result": words,
        **fields,
    }


NOTIFIED = {"kind": "task-notification"}
"""The origin of a turn that news of background work began."""


def stream(event: str, *, parent: str | None = None, **fields: Any) -> Json:
    return {"type": "stream_event", "event": {"type": event, **fields}, "parent_tool_use_id": parent}


def message_start(message_id: str = "msg-1", **message: Any) -> Json:
    return stream("message_start", message={"id": message_id, "content": [], **message})


def block_start(index: int, block: Json) -> Json:
    return stream("content_block_start", index=index, content_block=block)


def block_delta(index: int, kind: str, field: str, value: str) -> Json:
    return stream("content_block_delta", index=index, delta={"type": kind, field: value})


def text_delta(index: int, words: str) -> Json:
    return block_delta(index, "text_delta", "text", words)


def block_stop(index: int) -> Json:
    return stream("content_block_stop", index=index)


def can_use(
    request_id: str, call_id: str | None, name: str = "Bash", value: Json | None = None, **more: Any
) -> Json:
    request: Json = {"subtype": "can_use_tool", "tool_name": name, "input": value or {"command": "make"}}
    if call_id is not None:
        request["tool_use_id"] = call_id
    return {"type": "control_request", "request_id": request_id, "request": {**request, **more}}


def control(request_id: str, subtype: str, **fields: Any) -> Json:
    return {"type": "control_request", "request_id": request_id, "request": {"subtype": subtype, **fields}}


# -- the driver --------------------------------------------------------------------------------------------


class ClaudeRun:
    """A bridge between a played runtime and a played agent. `rows` holds all rows so far."""

    def __init__(self, *, start: bool = True, options: Json | None = None) -> None:
        self.bridge = ClaudeCodeBridge()
        self.sent: list[Json] = []
        self.told: list[Json] = []
        self.answers: list[Json] = []
        self.asked: list[Json] = []
        self.structs: list[e.Event] = []
        self._rows: list[Json] = []
        self._intake = Intake(self.structs.append, self._rows.append)
        self._requests = 0
        if start:
            params: Json = {"threadId": THREAD, "cwd": CWD}
            self.request("thread/start", {**params, **({"options": options} if options else {})})

    def request(self, method: str, params: Json) -> int:
        """One request of the runtime; returns its id."""
        self._requests += 1
        message = {"jsonrpc": "2.0", "id": self._requests, "method": method, "params": params}
        self._take(self.bridge.runtime(decode(encode(message))))
        return self._requests

    def prompt(self, words: str = "go", request_id: str | None = None, **params: Any) -> ClaudeRun:
        named = {} if request_id is None else {"clientRequestId": request_id}
        self.request("turn/start", {"threadId": THREAD, "input": [text(words)], **named, **params})
        return self

    def steer(self, words: str) -> ClaudeRun:
        self.request("turn/steer", {"threadId": THREAD, "input": [text(words)]})
        return self

    def stop(self) -> ClaudeRun:
        """The runtime interrupts the turn."""
        self._intake.stopped(THREAD)
        self.request("thread/stop", {"threadId": THREAD, "intent": "interrupt"})
        return self

    def gone(self, reason: str) -> ClaudeRun:
        """The agent is no more."""
        self._take(agent_gone(self.bridge, reason))
        return self

    def decide(self, decision: str, *, index: int = -1, **members: Any) -> ClaudeRun:
        """A person answers an interaction, the newest unless told otherwise."""
        asked = self.asked[index]
        result = {"decision": decision, **members}
        self._intake.answer(asked["id"], result)
        self._take(self.bridge.runtime({"jsonrpc": "2.0", "id": asked["id"], "result": result}))
        return self

    def feed(self, *lines: Any) -> ClaudeRun:
        """Lines of the agent."""
        for line in lines:
            self._take(self.bridge.provider(decode(encode(line))))
        return self

    def answer(self, subtype: str, response: Json | None = None, *, error: str | None = None) -> ClaudeRun:
        """The agent's answer to our newest control request of that subtype."""
        request_id = self.sent_of(subtype)[-1]["request_id"]
        outcome: Json = {"subtype": "success", "response": response or {}}
        if error is not None:
            outcome = {"subtype": "error", "error": error}
        return self.feed({"type": "control_response", "response": {"request_id": request_id, **outcome}})

    def sent_of(self, kind: str) -> list[Json]:
        """What went to the agent: `user` lines, control requests by subtype, `control_response`."""
        named = [(m.get("request", {}).get("subtype") or m["type"], m) for m in self.sent]
        return [message for name, message in named if name == kind]

    @property
    def decisions(self) -> list[Json]:
        """The bodies of our answers to the agent's requests."""
        return [message["response"] for message in self.sent_of("control_response")]

    @property
    def events(self) -> list[Json]:
        return [decode(encode(event)) for event in self.structs]

    def events_of(self, *kinds: str) -> list[Json]:
        return [event for event in self.events if event["type"] in kinds]

    @property
    def drops(self) -> Json:
        return dict(self._intake.drops)

    @property
    def rows(self) -> list[Json]:
        """All rows so far, in reading order; ends the run."""
        self._intake.finish()
        return [decode(encode(row)) for row in self._rows]

    @property
    def all_rows(self) -> list[Json]:
        return [row for top in self.rows for row in walk(top)]

    def row(self, kind: str) -> Json:
        """The only row of that kind."""
        rows = [row for row in self.all_rows if row["kind"] == kind]
        assert len(rows) == 1, rows
        return rows[0]

    def _take(self, outputs: Any) -> None:
        for output in outputs:
            message = decode(encode(output.message))
            if isinstance(output, ToProvider):
                self.sent.append(message)
                continue
            method = message.get("method")
            params = output.message.get("params", {})
            if method is None:
                self.answers.append(message)
                continue
            self.told.append(message)
            if method == "thread/delta":
                self._intake.deltas(params["threadId"], params["deltas"])
            elif method == "interaction/request":
                self.asked.append(message)
                self._intake.request(message["id"], params)
            elif method == "thread/identity":
                self._intake.identity(params["threadId"], params["providerThreadId"])
            elif method == "$/cancel_request":
                self._intake.withdrawn(params["requestId"])


def prompted(words: str = "go", **run: Any) -> ClaudeRun:
    """A run whose first prompt is in flight and whose session is known."""
    return ClaudeRun(**run).prompt(words).feed(init())


def turn(*lines: Json, ending: Json | None = None) -> ClaudeRun:
    """A whole turn of these lines."""
    return prompted().feed(*lines, ending if ending is not None else done("ok"))


def called(block: Json, answer: Json | None = None) -> ClaudeRun:
    """A turn of one call and, if given, its result."""
    return turn(assistant(block), *([answer] if answer is not None else []))
