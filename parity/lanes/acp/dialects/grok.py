"""grok (`grok agent stdio`): name and kind ride in `_meta["x.ai/tool"]`; `_x.ai/*` methods.

Its first `tool_call` has no kind and the tool's name as title; `rawOutput` holds byte arrays; content is
the command's real output while `output_for_prompt` may begin with an `exit:` line and is not used.
"""

from __future__ import annotations

from typing import Any, ClassVar

from parity.lanes.acp.calls import Call
from parity.lanes.acp.dialects.base import Dialect, Notice, Outcome, Question, raw_outcome
from parity.lanes.acp.frames import ToolFrame

_KINDS = {
    "execute": "execute",
    "read": "read",
    "edit": "edit",
    "write": "edit",
    "search": "search",
    "web_fetch": "fetch",
    "web_search": "search",
}
_BYTE_FIELDS = ("output", "stdout", "stderr")


class Grok(Dialect):
    """grok 1.0."""

    id: ClassVar[str] = "grok"
    asks_by_call_id: ClassVar[bool] = True
    tools: ClassVar[dict[str, str]] = {
        "spawn_subagent": "delegate",
        "web_search": "web_search",
    }

    def tool_name(self, frame: ToolFrame) -> str | None:
        tool = _tool(frame)
        name = tool.get("name")
        return frame.name or (name if isinstance(name, str) else None)

    def kind_hint(self, frame: ToolFrame, call: Call) -> str | None:
        kind = _tool(frame).get("kind")
        return _KINDS.get(kind) if isinstance(kind, str) else None

    def result(self, call: Call) -> Any:
        raw = call.raw_output
        if not isinstance(raw, dict):
            return raw
        return {key: _readable(key, value) for key, value in raw.items()}

    def outcome(self, call: Call, text: str | None) -> Outcome:
        outcome = raw_outcome(self.result(call))
        if text:
            outcome.output = text
        return outcome

    def notification(self, method: str, params: dict[str, Any]) -> Notice | None:
        update = params.get("update")
        if method == "_x.ai/session_notification" and isinstance(update, dict):
            child = update.get("child_session_id")
            if update.get("sessionUpdate") == "subagent_spawned" and isinstance(child, str):
                return Notice(child_session=child)
        return super().notification(method, params)

    def question(self, method: str, params: dict[str, Any]) -> Question | None:
        call_id = params.get("toolCallId")
        call_id = call_id if isinstance(call_id, str) else None
        if method == "_x.ai/ask_user_question":
            questions = params.get("questions")
            payload = {"kind": "user_question", "questions": questions or []}
            return Question(payload, call_id)
        if method == "_x.ai/exit_plan_mode":
            plan = params.get("plan") or params.get("planContent")
            payload = {"kind": "plan_exit"}
            if isinstance(plan, str):
                payload["plan"] = plan
            return Question(payload, call_id)
        return None

    def encode_answer(self, method: str, result: dict[str, Any]) -> Any:
        """A question's answer is tagged by `outcome`; grok refuses one without (seen with grok 1.0.41)."""
        if method != "_x.ai/ask_user_question":
            return result
        if result.get("decision") != "answered":
            return {"outcome": "cancelled"}
        return {"outcome": "accepted", "answers": result.get("answers") or {}}

    def decode_answer(self, method: str, result: Any) -> dict[str, Any]:
        if method == "_x.ai/ask_user_question" and isinstance(result, dict) and "outcome" in result:
            if result["outcome"] != "accepted":
                return {"decision": "cancelled"}
            return {"decision": "answered", "answers": result.get("answers") or {}}
        return super().decode_answer(method, result)


def _tool(frame: ToolFrame) -> dict[str, Any]:
    tool = frame.meta.get("x.ai/tool")
    return tool if isinstance(tool, dict) else {}


def _readable(key: str, value: Any) -> Any:
    if key in _BYTE_FIELDS and isinstance(value, list):
        try:
            return bytes(value).decode("utf-8", "replace")
        except (TypeError, ValueError):
            return value
    return value
