"""opencode (`opencode acp`): the first frame's title is the tool's name; `rawOutput.metadata` has the code.

A failing command is `completed` on the wire with `rawOutput.metadata.exit`; todos are a `todowrite` call.
"""

from __future__ import annotations

from typing import ClassVar

from parity.lanes.acp.calls import Call
from parity.lanes.acp.dialects.base import Dialect, Outcome, integer
from parity.lanes.acp.frames import ToolFrame

_NAMES = frozenset(
    [
        "bash",
        "edit",
        "glob",
        "grep",
        "list",
        "patch",
        "read",
        "skill",
        "task",
        "todoread",
        "todowrite",
        "webfetch",
        "websearch",
        "write",
    ]
)


class OpenCode(Dialect):
    """OpenCode 1.18."""

    id: ClassVar[str] = "opencode"
    asks_by_call_id: ClassVar[bool] = True
    tools: ClassVar[dict[str, str]] = {
        "glob": "find",
        "list": "find",
        "task": "delegate",
        "todowrite": "todo",
        "websearch": "web_search",
    }

    def tool_name(self, frame: ToolFrame) -> str | None:
        if frame.name is not None:
            return frame.name
        if not frame.begins or not frame.title:
            return None
        unfilled = isinstance(frame.raw_input, dict) and not set(frame.raw_input) - {"cwd"}
        return frame.title if unfilled or frame.title in _NAMES else None

    def outcome(self, call: Call, text: str | None) -> Outcome:
        outcome = super().outcome(call, text)
        raw = call.raw_output
        metadata = raw.get("metadata") if isinstance(raw, dict) else None
        if isinstance(metadata, dict):
            outcome.exit_code = integer(metadata.get("exit"))
            if not text and isinstance(metadata.get("output"), str):
                outcome.output = metadata["output"]
        return outcome
