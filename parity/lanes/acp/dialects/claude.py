"""claude-agent-acp: Claude Code behind ACP; `_meta.claudeCode` names the tool and its parent.

A command's content is its output in a markdown fence; `rawOutput` (or, for a client with terminal output,
`_meta.terminal_output`, which comes once and whole) is the text itself. A failing command's text begins
with a line "Exit code N", which is the only place the code stands without terminal output.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar

from parity.lanes.acp.calls import Call
from parity.lanes.acp.dialects.base import Dialect, Outcome
from parity.lanes.acp.frames import ToolFrame

_EXIT_LINE = re.compile(r"\AExit code (\d+)(?:\n|\Z)")
_NO_OUTPUT = "(Bash completed with no output)"


class Claude(Dialect):
    """claude-agent-acp 0.101."""

    id: ClassVar[str] = "claude"
    asks_by_call_id: ClassVar[bool] = True
    tools: ClassVar[dict[str, str]] = {
        "Bash": "execute",
        "Agent": "delegate",
        "Task": "delegate",
        "TodoWrite": "todo",
        "Glob": "find",
        "WebSearch": "web_search",
    }

    def tool_name(self, frame: ToolFrame) -> str | None:
        name = _meta(frame).get("toolName")
        return frame.name or (name if isinstance(name, str) else None)

    def parent(self, frame: ToolFrame) -> str | None:
        parent = _meta(frame).get("parentToolUseId")
        return parent if isinstance(parent, str) else None

    def never_ran(self, call: Call, frame: ToolFrame) -> bool:
        return isinstance(_meta(frame).get("nonExecutionKind"), str)

    def increment(self, frame: ToolFrame) -> str | None:
        return None

    def raw_output(self, frame: ToolFrame) -> Any:
        whole = frame.meta.get("terminal_output")
        if frame.raw_output is None and isinstance(whole, dict):
            return whole.get("data")
        return frame.raw_output

    def text(self, call: Call, text: str | None) -> str | None:
        return call.raw_output if isinstance(call.raw_output, str) else text

    def outcome(self, call: Call, text: str | None) -> Outcome:
        output = self.text(call, text)
        if output == _NO_OUTPUT:
            return Outcome(output="")
        exit_line = _EXIT_LINE.match(output) if output and call.status == "failed" else None
        if output is None or exit_line is None:
            return Outcome(output=output)
        return Outcome(output=output[exit_line.end() :], exit_code=int(exit_line[1]))


def _meta(frame: ToolFrame) -> dict[str, Any]:
    meta = frame.meta.get("claudeCode")
    return meta if isinstance(meta, dict) else {}
