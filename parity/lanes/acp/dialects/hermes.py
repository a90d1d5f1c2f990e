"""hermes (`hermes-acp`): titles are "tool: subject", a command's result is a small markdown report.

It sends no rawInput with a call and no rawOutput; asks come under ids of their own; successful reads and
edits never get an update.
"""

from __future__ import annotations

import re
from typing import ClassVar

from parity.lanes.acp.calls import Call
from parity.lanes.acp.dialects.base import Dialect, Outcome
from parity.lanes.acp.frames import ToolFrame

_REPORT = re.compile(
    r"\Aterminal result(?:\n- \*\*output:\*\* (?P<output>.*?))?(?:\n- \*\*exit_code:\*\* (?P<code>-?\d+))"
    r"(?P<rest>(?:\n- \*\*\w+:\*\* .*)*)\Z",
    re.DOTALL,
)
_COMMAND = "terminal: "
_SEARCH = "search: "


class Hermes(Dialect):
    """hermes-agent 0.19."""

    id: ClassVar[str] = "hermes"

    def tool_name(self, frame: ToolFrame) -> str | None:
        if frame.name is not None:
            return frame.name
        raw = frame.raw_input
        if isinstance(raw, dict) and isinstance(raw.get("tool"), str):
            return str(raw["tool"])
        return None

    def command(self, call: Call) -> str | None:
        said = super().command(call)
        if said is None and call.title and call.title.startswith(_COMMAND):
            return call.title.removeprefix(_COMMAND)
        return said

    def query(self, call: Call) -> str | None:
        said = super().query(call)
        if said is None and call.title and call.title.startswith(_SEARCH):
            return call.title.removeprefix(_SEARCH)
        return said

    def outcome(self, call: Call, text: str | None) -> Outcome:
        report = _REPORT.match(text) if text else None
        if report is None:
            return super().outcome(call, text)
        return Outcome(output=report["output"], exit_code=int(report["code"]))
