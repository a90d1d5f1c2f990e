"""A codex rollout (`~/.codex/sessions/**/rollout-*.jsonl`), read as the log of the client that caused it.

A rollout is codex's own record of one thread: lines `{timestamp, type, payload}`, first the `session_meta`.
It becomes what a client and `codex app-server` would have said to each other: initialize, thread/start, and
per turn a turn/start, the notifications of what happened, turn/completed. What the rollout does not keep
(deltas, approvals, plan updates of failed calls) is not there. Records no table knows stay visible as
`rollout/…` notifications, which no lane knows either.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from parity.importing import rollout_items as items
from parity.importing.logs import AGENT, CLIENT, Entry
from parity.importing.rollout_items import Document, camel, text_of
from parity.wire import InputError, JsonError, decode, encode, read_ndjson

_SILENT_TYPES = frozenset(
    ("turn_context", "world_state", "token_usage_record", "ghost_snapshot", "inter_agent_communication")
)
_SILENT_EVENTS = frozenset(
    (
        "agent_message",
        "agent_reasoning",
        "agent_reasoning_raw_content",
        "agent_reasoning_section_break",
        "context_compacted",
        "thread_settings_applied",
        "turn_diff",
        "user_message",
    )
)
"""Records that repeat another one, or that no notification ever tells."""


def is_rollout(path: Path) -> bool:
    """Whether the file begins as a rollout does; an unreadable file is none."""
    try:
        _, first = next(iter(read_ndjson(path)))
        record = decode(first)
    except (InputError, JsonError, StopIteration):
        return False
    return (
        isinstance(record, dict)
        and record.get("type") == "session_meta"
        and isinstance(record.get("payload"), dict)
    )


def read_rollout(path: Path) -> list[Entry]:
    """The rollout as a log's entries. Raises InputError with the line for a line that is no record."""
    records = []
    for number, data in read_ndjson(path):
        try:
            record = decode(data)
        except JsonError as error:
            raise InputError(path, number, f"not JSON ({error})", "copy the rollout again")
        payload = record.get("payload") if isinstance(record, dict) else None
        if not isinstance(payload, dict) or not isinstance(record.get("type"), str):
            raise InputError(path, number, "not a rollout record", "expected {timestamp, type, payload}")
        records.append((number, record))
    reader = _Reader(records)
    try:
        reader.read()
    except (JsonError, RecursionError):
        raise InputError(path, reader.number, "nested too deeply to be read", "leave the record out")
    return reader.entries


class _Reader:
    """One pass over the records. `_calls` are the calls that have begun, `_told` those an event settles."""

    def __init__(self, records: list[tuple[int, Document]]) -> None:
        self.entries: list[Entry] = []
        self._records = records
        self._at = 0
        self._ts = 0
        self._asked = 0
        self._thread = ""
        self._turn: str | None = None
        self._turns = 0
        self._calls: dict[str | None, Document] = {}
        payloads = [record["payload"] for _, record in records]
        self._marked = any(p.get("type") in ("task_started", "turn_started") for p in payloads)
        kept = [p.get("item") for p in payloads if p.get("type") == "item_completed"]
        self._finished = any(text_of(item, "type") in ("UserMessage", "AgentMessage") for item in kept)
        ends = [payload for payload in payloads if str(payload.get("type")).endswith("_end")]
        self._told = {text_of(payload, "call_id") for payload in ends}
        self._opened_by: list[Document] | None = None

    @property
    def number(self) -> int:
        """The line of the record that is being read, or was the last."""
        return self._records[self._at][0]

    def read(self) -> None:
        """Read all records; `entries` then has what they say. Raises JsonError, RecursionError."""
        for at, (_, record) in enumerate(self._records):
            self._at, self._ts = at, _time(record.get("timestamp"))
            self._record(record["type"], record["payload"])
        if self._turn is not None and not self._marked:
            self._end({})

    # -- what is said --------------------------------------------------------------------------------

    def _say(self, side: str, message: Document) -> None:
        self.entries.append(Entry(self._ts, side, encode(message).decode(), self.number))

    def _ask(self, method: str, params: Document, result: Document) -> None:
        self._asked += 1
        self._say(CLIENT, {"id": self._asked, "method": method, "params": params})
        self._say(AGENT, {"id": self._asked, "result": result})

    def _tell(self, method: str, params: Document) -> None:
        self._say(AGENT, {"method": method, "params": {"threadId": self._thread, **params}})

    def _item(self, method: str, item: Document) -> None:
        """An item outside any turn is none of a turn's: before the first one, or after an old file's end."""
        if self._turn is not None:
            told = {name: value for name, value in item.items() if value is not None}
            self._tell(method, {"turnId": self._turn, "item": told})

    # -- records -------------------------------------------------------------------------------------

    def _record(self, kind: str, payload: Document) -> None:
        if kind == "session_meta":
            self._session(payload)
        elif kind == "event_msg":
            self._event(payload)
        elif kind == "response_item":
            self._response(payload)
        elif kind == "compacted":
            if not self._finished:
                self._item("item/completed", {"type": "contextCompaction", "id": f"compaction-{self._at}"})
        elif kind not in _SILENT_TYPES:
            self._tell(f"rollout/{kind}", {"payload": payload})

    def _session(self, meta: Document) -> None:
        """The first one opens the thread; a fork's file repeats its parent's."""
        if self._thread:
            return
        self._thread = text_of(meta, "id") or "thread"
        cwd, version = text_of(meta, "cwd"), text_of(meta, "cli_version")
        client = {"name": text_of(meta, "originator") or "codex", "version": version or ""}
        self._ask("initialize", {"clientInfo": client}, {"userAgent": f"codex/{version}"} if version else {})
        self._say(CLIENT, {"method": "initialized"})
        opened = {"thread": {"id": self._thread, "turns": []}, "cwd": cwd}
        self._ask("thread/start", {"cwd": cwd} if cwd is not None else {}, opened)

    def _event(self, event: Document) -> None:
        kind = str(event.get("type"))
        handler = _EVENTS.get(kind)
        if kind == "user_message":
            self._user(event)
        elif handler is not None:
            handler(self, event)
        elif kind.endswith("_end") or kind == "view_image_tool_call":
            self._ended(kind, event)
        elif kind not in _SILENT_EVENTS and not kind.endswith(("_begin", "_delta")):
            self._tell(f"rollout/{kind}", {"payload": event})

    # -- turns ---------------------------------------------------------------------------------------

    def _begin(self, event: Document) -> None:
        if self._turn is not None:
            self._end({})
        self._turns += 1
        self._turn = text_of(event, "turn_id") or f"turn-{self._turns}"
        user = self._next_input()
        turn = {"id": self._turn, "items": [], "status": "inProgress"}
        if user is not None:
            self._ask("turn/start", {"threadId": self._thread, "input": user}, {"turn": turn})
        self._tell("turn/started", {"turn": turn})
        self._opened_by = user

    def _next_input(self) -> list[Document] | None:
        """The input of the turn that begins here: it is written after the turn's own record."""
        for _, record in self._records[self._at + 1 :]:
            payload = record["payload"]
            if payload.get("type") in ("task_started", "turn_started", "task_complete", "turn_aborted"):
                return None
            user = _input(payload)
            if user is not None:
                return user
        return None

    def _user(self, event: Document) -> None:
        """The person's words: those that opened the turn are told already, any more steered it."""
        user = _input(event)
        if user is None:
            return
        if self._marked and self._turn is not None:
            if user == self._opened_by:
                self._opened_by = None
                return
            params = {"threadId": self._thread, "expectedTurnId": self._turn, "input": user}
            self._ask("turn/steer", params, {"turnId": self._turn})
            return
        if self._turn is not None:
            self._end({})
        self._turns += 1
        self._turn = f"turn-{self._turns}"
        turn = {"id": self._turn, "items": [], "status": "inProgress"}
        self._ask("turn/start", {"threadId": self._thread, "input": user}, {"turn": turn})
        self._tell("turn/started", {"turn": turn})

    def _end(self, event: Document) -> None:
        error = camel(event.get("error"))
        turn: Document = {"id": self._turn, "items": [], "status": "failed" if error else "completed"}
        if error:
            turn["error"] = error
        self._finish(turn)

    def _aborted(self, event: Document) -> None:
        self._finish({"id": self._turn, "items": [], "status": "interrupted"})

    def _finish(self, turn: Document) -> None:
        if self._turn is not None:
            self._turn = None
            self._calls.clear()
            self._tell("turn/completed", {"turn": turn})

    # -- other events --------------------------------------------------------------------------------

    def _tokens(self, event: Document) -> None:
        info = event.get("info")
        if isinstance(info, dict):
            usage = {
                "total": camel(info.get("total_token_usage")),
                "last": camel(info.get("last_token_usage")),
                "modelContextWindow": info.get("model_context_window"),
            }
            self._tell("thread/tokenUsage/updated", {"turnId": self._turn, "tokenUsage": usage})
        if event.get("rate_limits") is not None:
            limits = camel(event["rate_limits"])
            self._say(AGENT, {"method": "account/rateLimits/updated", "params": {"rateLimits": limits}})

    def _error(self, event: Document) -> None:
        error = {"message": event.get("message"), "codexErrorInfo": camel(event.get("codex_error_info"))}
        self._tell("error", {"turnId": self._turn, "error": error, "willRetry": False})

    def _warning(self, event: Document) -> None:
        self._tell("warning", {"message": event.get("message")})

    def _item_completed(self, event: Document) -> None:
        item = event.get("item")
        if not isinstance(item, dict):
            return
        if item.get("type") == "UserMessage":
            self._user(event)
        self._item("item/completed", items.finished(item))

    def _ended(self, kind: str, event: Document) -> None:
        """How a call ended, where the model's own record says less."""
        if self._finished:
            return
        if kind == "exec_command_end":
            self._item("item/completed", items.command(event))
        elif kind == "patch_apply_end":
            self._item("item/completed", items.file_change(event))
        elif kind == "mcp_tool_call_end":
            self._item("item/completed", items.mcp(event))
        elif kind == "view_image_tool_call":
            told = {"type": "imageView", "id": event.get("call_id"), "path": event.get("path")}
            self._item("item/completed", told)
        elif kind != "web_search_end":
            self._tell(f"rollout/{kind}", {"payload": event})

    # -- the model's own records ---------------------------------------------------------------------

    def _response(self, record: Document) -> None:
        kind = text_of(record, "type") or ""
        call_id = text_of(record, "call_id") or text_of(record, "id")
        if kind == "function_call" and record.get("name") == "update_plan":
            self._calls[call_id] = items.call(record)
        elif kind == "function_call_output" and self._calls.get(call_id, {}).get("tool") == "update_plan":
            self._planned(self._calls.pop(call_id), record)
        elif self._finished:
            return
        elif kind in ("function_call", "custom_tool_call", "local_shell_call"):
            if call_id not in self._told:
                self._calls[call_id] = items.call(record)
                self._item("item/started", self._calls[call_id])
        elif kind in ("function_call_output", "custom_tool_call_output"):
            begun = self._calls.pop(call_id, None)
            if begun is not None:
                self._item("item/completed", items.answered(begun, record))
        elif kind == "reasoning":
            self._item("item/completed", {**items.reasoning(record), "id": self._named(record)})
        elif kind == "message":
            if record.get("role") == "assistant":
                self._item("item/completed", {**items.message(record), "id": self._named(record)})
        elif kind == "web_search_call":
            told = {"type": "webSearch", "query": "", "action": items.action(record.get("action"))}
            self._item("item/completed", {**told, "id": self._named(record)})
        elif kind not in _SILENT_TYPES:
            self._tell(f"rollout/{kind}", {"payload": record})

    def _named(self, record: Document) -> str:
        """The record's id; old rollouts keep none."""
        return text_of(record, "id") or f"record-{self._at}"

    def _planned(self, begun: Document, record: Document) -> None:
        """A plan the agent took; where it refused the call there is only the call."""
        args, output = begun.get("arguments"), record.get("output")
        plan = args.get("plan") if isinstance(args, dict) else None
        if output == "Plan updated" and isinstance(args, dict) and isinstance(plan, list):
            steps = [{**step, "status": _status(step)} for step in plan if isinstance(step, dict)]
            params = {"turnId": self._turn, "explanation": args.get("explanation"), "plan": steps}
            self._tell("turn/plan/updated", params)
        elif not self._finished:
            self._item("item/completed", items.answered(begun, record))


def _status(step: Document) -> Any:
    return "inProgress" if step.get("status") == "in_progress" else step.get("status")


def _input(payload: Document) -> list[Document] | None:
    """The person's input in a record, in the app-server's form."""
    item = payload.get("item")
    if payload.get("type") == "item_completed" and text_of(item, "type") == "UserMessage":
        content = item.get("content") if isinstance(item, dict) else None
        return content if isinstance(content, list) and content else None
    if payload.get("type") != "user_message" or text_of(payload, "message") is None:
        return None
    told: list[Document] = [{"type": "text", "text": payload["message"], "text_elements": []}]
    told += [{"type": "image", "url": url} for url in _listed(payload, "images")]
    return told + [{"type": "localImage", "path": path} for path in _listed(payload, "local_images")]


def _listed(document: Document, name: str) -> list[Any]:
    value = document.get(name)
    return value if isinstance(value, list) else []


def _time(timestamp: Any) -> int:
    try:
        return int(datetime.fromisoformat(str(timestamp).replace("Z", "+00:00")).timestamp() * 1000)
    except ValueError:
        return 0


_EVENTS: dict[str, Callable[[_Reader, Document], None]] = {
    "error": _Reader._error,
    "item_completed": _Reader._item_completed,
    "stream_error": _Reader._warning,
    "task_complete": _Reader._end,
    "task_started": _Reader._begin,
    "token_count": _Reader._tokens,
    "turn_aborted": _Reader._aborted,
    "turn_complete": _Reader._end,
    "turn_started": _Reader._begin,
    "warning": _Reader._warning,
}
