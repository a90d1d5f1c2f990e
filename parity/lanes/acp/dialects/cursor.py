"""cursor (`cursor-agent acp`): titles stand for names, `cursor/*` methods, asks under ids of their own.

From published reports: a command's title is the command in backticks; a fetch says its URL only in the
permission request; MCP calls are titled "MCP: tool" and their ask "server-tool: tool"; delegated work is
kind other with `rawInput {_toolName: "task"}` and a later request `cursor/task` that wants `{}`.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar

from parity.lanes.acp.calls import Call
from parity.lanes.acp.dialects.base import Acknowledgement, Dialect, Notice, Question
from parity.lanes.acp.frames import ToolFrame

_URL = re.compile(r"https?://[^\s<>\"'`)\]]+")
_MCP = "MCP: "
_MCP_ASK = re.compile(r"(?P<server>.+)-(?P<tool>.+): (?P=tool)\Z")
_TITLES = {
    "Read File": "read",
    "Edit File": "edit",
    "Web Fetch": "fetch",
    "Delete File": "delete",
}


class Cursor(Dialect):
    """cursor-agent 2026.08."""

    id: ClassVar[str] = "cursor"
    tools: ClassVar[dict[str, str]] = {"task": "delegate"}

    def tool_name(self, frame: ToolFrame) -> str | None:
        if frame.name is not None:
            return frame.name
        if isinstance(frame.raw_input, dict) and isinstance(frame.raw_input.get("_toolName"), str):
            return str(frame.raw_input["_toolName"])
        if frame.title and frame.title.startswith(_MCP):
            return frame.title.removeprefix(_MCP)
        return None

    def kind_hint(self, frame: ToolFrame, call: Call) -> str | None:
        return _TITLES.get(call.title or "")

    def command(self, call: Call) -> str | None:
        said = super().command(call)
        title = call.title or ""
        if said is None and len(title) > 2 and title[0] == title[-1] == "`":
            return title[1:-1]
        return said

    def ask_url(self, frame: ToolFrame) -> str | None:
        for text in (frame.title, frame.content.text if frame.content is not None else None):
            found = _URL.search(text) if text else None
            if found is not None:
                return found[0].rstrip(".,;")
        return None

    def ask_server(self, frame: ToolFrame, call: Call) -> str | None:
        named = _MCP_ASK.match(frame.title or "")
        return named["server"] if named is not None and named["tool"] == call.name else None

    def notification(self, method: str, params: dict[str, Any]) -> Notice | None:
        if method == "cursor/update_todos":
            return Notice(plan=_steps(params))
        return Notice() if method.startswith("cursor/") else super().notification(method, params)

    def question(self, method: str, params: dict[str, Any]) -> Question | None:
        call_id = _text(params.get("toolCallId"))
        if method == "cursor/ask_question":
            payload = {"kind": "user_question", "questions": params.get("questions") or []}
            if _text(params.get("title")):
                payload["title"] = params["title"]
            return Question(payload, call_id)
        if method == "cursor/create_plan":
            payload = {"kind": "plan_exit"}
            if _text(params.get("plan")):
                payload["plan"] = params["plan"]
            return Question(payload, call_id)
        return None

    def encode_answer(self, method: str, result: dict[str, Any]) -> Any:
        decision = result.get("decision")
        if method == "cursor/create_plan":
            words = {"allowed": "accepted", "denied": "rejected"}
            return {"outcome": {"outcome": words.get(str(decision), "cancelled")}}
        if decision != "answered":
            return {"outcome": {"outcome": "cancelled" if decision == "cancelled" else "skipped"}}
        return {"outcome": {"outcome": "answered", "answers": result.get("answers") or []}}

    def decode_answer(self, method: str, result: Any) -> dict[str, Any]:
        outcome = result.get("outcome") if isinstance(result, dict) else None
        if not isinstance(outcome, dict):
            outcome = {}
        word = outcome.get("outcome")
        decisions = {"accepted": "allowed", "rejected": "denied", "skipped": "denied"}
        if word == "answered":
            return {"decision": "answered", "answers": outcome.get("answers") or []}
        return {"decision": decisions.get(str(word), "cancelled")}

    def acknowledge(self, method: str, params: dict[str, Any]) -> Acknowledgement | None:
        if method == "cursor/task":
            return Acknowledgement(
                {},
                _text(params.get("toolCallId")),
                label=_text(params.get("description")),
                child_ref=_text(params.get("agentId")),
            )
        if method == "cursor/update_todos":
            return Acknowledgement({}, plan=_steps(params))
        return None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _steps(params: dict[str, Any]) -> list[dict[str, Any]]:
    todos = params.get("todos")
    return [
        {"step": todo["content"], **({"status": todo["status"]} if "status" in todo else {})}
        for todo in (todos if isinstance(todos, list) else [])
        if isinstance(todo, dict) and isinstance(todo.get("content"), str)
    ]
