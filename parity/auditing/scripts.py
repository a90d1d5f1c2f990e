"""Scripts: how each family's agent opens a thread, a turn and a call, so that a stored row finds its place.

A script says what the agent's side of a connection says before and around a row; it never looks at what comes
of it. The vocabulary is each family's wire. What a script opens is the least the row itself needs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Protocol

from parity.auditing.exports import Stored
from parity.bridges import Message
from parity.bridges.claude_code import envelope
from parity.lanes.codex.pieces import PIECES

SESSION = "audit"
"""The agent's id of the thread a row is replayed in; a row's own is replaced by it."""

_COMMAND_FIELDS = frozenset(("command", "exitCode", "exit_code", "stderr", "stdout"))
"""Fields of raw input or output that only a command has."""


class Script(Protocol):
    """One family's agent. A script lives as long as its connection."""

    cumulative: ClassVar[bool]
    """Whether updates of a call repeat what was said before, so that only growth is new."""

    def answer(self, request: Message) -> Message | None:
        """The agent's answer to a request of the bridge; None: not now, or none is due."""

    def call_id(self, row: Stored) -> str | None:
        """The agent's id of the call the row is an update of."""

    def turn_id(self, row: Stored) -> str | None:
        """The agent's own id of the row's turn, where its wire says one."""

    def begin(self, turn_id: str) -> list[Message]:
        """What the agent says when its turn begins."""

    def end(self) -> list[Message]:
        """What the agent says when its turn ends."""

    def opening(self, row: Stored, call_id: str | None, item_type: str | None) -> tuple[list[Message], bool]:
        """What opens the row's call (and message), and whether it was assumed to be a command.

        `item_type` is what the export says the call was.
        """

    def message(self, row: Stored) -> Message | None:
        """The row as the agent said it; None where it is no message of this wire."""


class AcpScript:
    """An ACP agent."""

    cumulative: ClassVar[bool] = True

    def __init__(self) -> None:
        self._prompt: Any = None

    def answer(self, request: Message) -> Message | None:
        """Prompts wait for `end`; everything else is granted."""
        if "id" not in request or "method" not in request:
            return None
        if request["method"] == "session/prompt":
            self._prompt = request["id"]
            return None
        result: Message = {"sessionId": SESSION} if request["method"] == "session/new" else {}
        return {"jsonrpc": "2.0", "id": request["id"], "result": result}

    def call_id(self, row: Stored) -> str | None:
        """`toolCallId`."""
        return _text(_update(row), "toolCallId")

    def turn_id(self, row: Stored) -> str | None:
        """ACP names no turns."""
        return None

    def begin(self, turn_id: str) -> list[Message]:
        """Nothing: the prompt is enough."""
        return []

    def end(self) -> list[Message]:
        """The prompt's answer."""
        return [{"jsonrpc": "2.0", "id": self._prompt, "result": {"stopReason": "end_turn"}}]

    def opening(self, row: Stored, call_id: str | None, item_type: str | None) -> tuple[list[Message], bool]:
        """A `tool_call` for an update."""
        update = _update(row)
        if call_id is None or update.get("sessionUpdate", row.raw_type) != "tool_call_update":
            return [], False
        call: Message = {"sessionUpdate": "tool_call", "toolCallId": call_id, "status": "in_progress"}
        kind, assumed = _kind(update, item_type)
        if kind is not None:
            call["kind"] = kind
        return [self._update_message({"update": call})], assumed

    def message(self, row: Stored) -> Message | None:
        """The whole message, its params, or the update alone: older translators kept each of them."""
        raw = row.raw
        method = raw.get("method")
        if isinstance(method, str):
            params = raw.get("params")
            params = params if isinstance(params, dict) else {}
            return {**raw, "jsonrpc": "2.0", "params": _in_session(params)}
        if row.raw_type == "session/request_permission":
            return {
                "jsonrpc": "2.0",
                "id": "audit",
                "method": row.raw_type,
                "params": {**raw, "sessionId": SESSION},
            }
        if "sessionUpdate" not in raw and isinstance(raw.get("update"), dict):
            return self._update_message(raw)
        if "sessionUpdate" not in raw and "/" in row.raw_type:
            return {"jsonrpc": "2.0", "method": row.raw_type, "params": _in_session(raw)}
        return self._update_message({"update": {"sessionUpdate": row.raw_type, **raw}})

    def _update_message(self, params: Message) -> Message:
        return {"jsonrpc": "2.0", "method": "session/update", "params": {**params, "sessionId": SESSION}}


def _update(row: Stored) -> Message:
    """The update inside a stored row."""
    raw = row.raw
    for name in ("params", "update"):
        inner = raw.get(name)
        if "sessionUpdate" not in raw and isinstance(inner, dict):
            raw = inner
    return raw


def _in_session(params: Message) -> Message:
    return {**params, "sessionId": SESSION} if "sessionId" in params else params


def _kind(update: Message, item_type: str | None) -> tuple[str | None, bool]:
    """The kind to open the call of an update with, and whether that is only assumed.

    Said by the update: none is needed. Else what the export knows; else a command where a field shows one, or
    where nothing but running text is known: output on the way is what agents send of commands.
    """
    if isinstance(update.get("kind"), str) or isinstance(update.get("_meta"), dict):
        return None, False
    if item_type is not None:
        return ("execute" if item_type == "commandExecution" else "other"), False
    for name in ("rawInput", "rawOutput"):
        value = update.get(name)
        if isinstance(value, dict) and not _COMMAND_FIELDS.isdisjoint(value):
            return "execute", False
    content = update.get("content")
    blocks = content if isinstance(content, list) else []
    texts = [block for block in blocks if isinstance(block, dict) and block.get("type") == "content"]
    running = update.get("status") in (None, "in_progress") and bool(texts) and len(texts) == len(blocks)
    return ("execute", True) if running else (None, False)


class CodexScript:
    """`codex app-server`."""

    cumulative: ClassVar[bool] = False

    def __init__(self) -> None:
        self._turn = ""

    def answer(self, request: Message) -> Message | None:
        """Every request is granted; the turn gets the id it was begun for."""
        if "id" not in request or "method" not in request:
            return None
        results: dict[str, Message] = {
            "thread/start": {"thread": {"id": SESSION}},
            "turn/start": {"turn": {"id": self._turn}},
        }
        return {"id": request["id"], "result": results.get(request["method"], {})}

    def call_id(self, row: Stored) -> str | None:
        """`itemId`, or the id of the item."""
        params = _params(row)
        item = params.get("item")
        return _text(params, "itemId") or (_text(item, "id") if isinstance(item, dict) else None)

    def turn_id(self, row: Stored) -> str | None:
        """`turnId`, or the id of the turn."""
        params = _params(row)
        turn = params.get("turn")
        return _text(params, "turnId") or (_text(turn, "id") if isinstance(turn, dict) else None)

    def begin(self, turn_id: str) -> list[Message]:
        """`turn/started`."""
        self._turn = turn_id
        return [self._of_turn("turn/started", "inProgress")]

    def end(self) -> list[Message]:
        """`turn/completed`."""
        return [self._of_turn("turn/completed", "completed")]

    def _of_turn(self, method: str, status: str) -> Message:
        turn = {"id": self._turn, "status": status, "items": []}
        return {"method": method, "params": {"threadId": SESSION, "turn": turn}}

    def opening(self, row: Stored, call_id: str | None, item_type: str | None) -> tuple[list[Message], bool]:
        """`item/started` of the type a piece is of."""
        piece = PIECES.get(_method(row))
        if call_id is None or piece is None:
            return [], False
        item = {"type": piece[0], "id": call_id, "status": "inProgress"}
        params = {"threadId": SESSION, "turnId": self._turn, "item": item}
        return [{"method": "item/started", "params": params}], False

    def message(self, row: Stored) -> Message | None:
        """The whole message, or its params under the method the raw type names."""
        params = _params(row)
        if "threadId" in params:
            params = {**params, "threadId": SESSION}
        head = row.raw if isinstance(row.raw.get("method"), str) else {}
        return {**head, "method": _method(row), "params": params}


def _method(row: Stored) -> str:
    method = row.raw.get("method")
    return method if isinstance(method, str) else row.raw_type.split(" ")[0]


def _params(row: Stored) -> Message:
    if not isinstance(row.raw.get("method"), str):
        return row.raw
    params = row.raw.get("params")
    return params if isinstance(params, dict) else {}


class ClaudeScript:
    """Claude Code's stream-json."""

    cumulative: ClassVar[bool] = False

    def answer(self, request: Message) -> Message | None:
        """Every control request succeeds."""
        if request.get("type") != "control_request":
            return None
        return envelope.success(request["request_id"], {})

    def call_id(self, row: Stored) -> str | None:
        """The call of the first tool result."""
        return next((_text(block, "tool_use_id") for block in _results(self._whole(row))), None)

    def turn_id(self, row: Stored) -> str | None:
        """The wire names no turns."""
        return None

    def begin(self, turn_id: str) -> list[Message]:
        """Nothing: the prompt is enough."""
        return []

    def end(self) -> list[Message]:
        """The turn's result."""
        return [{"type": "result", "subtype": "success", "is_error": False, "num_turns": 1, "result": ""}]

    def opening(self, row: Stored, call_id: str | None, item_type: str | None) -> tuple[list[Message], bool]:
        """The message a frame is of, and a `tool_use` for each result."""
        whole = self._whole(row)
        structured = whole.get("tool_use_result")
        name = "Bash" if isinstance(structured, dict) and "stdout" in structured else "tool"
        uses = [
            {"type": "tool_use", "id": called, "name": name, "input": {}}
            for called in (_text(block, "tool_use_id") for block in _results(whole))
            if called is not None
        ]
        body = whole.get("message")
        message_id = _text(body, "id") if isinstance(body, dict) else None
        if not uses and message_id is None:
            return [], False
        opened = {"id": message_id or f"of {call_id}", "role": "assistant", "content": uses}
        return [{"type": "assistant", "message": opened}], False

    def message(self, row: Stored) -> Message | None:
        """The whole message; of a row that holds one block, the message around it."""
        return self._whole(row)

    def _whole(self, row: Stored) -> Message:
        head, slash, block = row.raw_type.partition("/")
        if slash and head in ("assistant", "user") and row.raw.get("type") != head:
            content = [{"type": block, **row.raw}]
            return {"type": head, "message": {"role": head, "content": content}}
        return row.raw if isinstance(row.raw.get("type"), str) else {**row.raw, "type": head}


def _results(message: Message) -> list[Message]:
    body = message.get("message")
    content = body.get("content") if isinstance(body, dict) else None
    blocks = content if isinstance(content, list) else []
    return [block for block in blocks if isinstance(block, dict) and block.get("type") == "tool_result"]


def _text(value: Message, name: str) -> str | None:
    found = value.get(name)
    return found if isinstance(found, str) and found else None


SCRIPTS: dict[str, Callable[[], Script]] = {
    "acp": AcpScript,
    "claude-code": ClaudeScript,
    "codex": CodexScript,
}
"""Family → its script."""
