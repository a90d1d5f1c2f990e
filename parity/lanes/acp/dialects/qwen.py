"""qwen (`qwen --acp`): tool names, parents and usage in `_meta`; a command's text is a report for the model.

0.15 reports the exit code only inside that text ("Exit Code: 2") with plain stdout as rawOutput; 0.24 sends
`rawOutput {type: "shell_result", exitCode, signal, output}`.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar

from parity.lanes.acp.calls import Call
from parity.lanes.acp.dialects.base import Dialect, Notice, Outcome, raw_outcome
from parity.lanes.acp.frames import ChunkFrame, ToolFrame

_REPORT = re.compile(
    r"\ACommand: .*?\nDirectory: .*?\nOutput: (?P<output>.*)\nError: .*\nExit Code: (?P<code>-?\d+|\(none\))"
    r"\nSignal: ",
    re.DOTALL,
)
_NOTHING = "(empty)"


class Qwen(Dialect):
    """qwen-code 0.15 and 0.24."""

    id: ClassVar[str] = "qwen"
    asks_by_call_id: ClassVar[bool] = True
    tools: ClassVar[dict[str, str]] = {
        "agent": "delegate",
        "task": "delegate",
        "list_directory": "find",
        "glob": "find",
        "web_search": "web_search",
    }

    def tool_name(self, frame: ToolFrame) -> str | None:
        name = frame.meta.get("toolName")
        return frame.name or (name if isinstance(name, str) else None)

    def parent(self, frame: ToolFrame) -> str | None:
        parent = frame.meta.get("parentToolCallId")
        return parent if isinstance(parent, str) else None

    def outcome(self, call: Call, text: str | None) -> Outcome:
        outcome = raw_outcome(call.raw_output)
        report = _REPORT.match(text) if text else None
        if report is not None:
            if outcome.exit_code is None and report["code"] != "(none)":
                outcome.exit_code = int(report["code"])
            if outcome.output is None and report["output"] != _NOTHING:
                outcome.output = report["output"]
        elif text and outcome.output is None:
            outcome.output = text
        return outcome

    def usage(self, frame: ChunkFrame) -> dict[str, Any] | None:
        usage = frame.meta.get("usage")
        return usage if isinstance(usage, dict) else None

    def notification(self, method: str, params: dict[str, Any]) -> Notice | None:
        return Notice() if method in _ADVICE else super().notification(method, params)

    def declines(self, method: str) -> bool:
        return method == "craft/drainMidTurnQueue"


_ADVICE = ("qwen/notify/session/prompt-suggestion",)
"""Notifications that only suggest something to the client."""
