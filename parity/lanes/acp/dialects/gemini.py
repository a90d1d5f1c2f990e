"""gemini (`gemini --acp`): tool ids are `<tool>__<id>`, a command's title is the command itself.

It sends no rawInput and no rawOutput; an asked call has no `tool_call`; usage is in the answer's `_meta`.
"""

from __future__ import annotations

from typing import Any, ClassVar

from parity.lanes.acp.calls import Call
from parity.lanes.acp.dialects.base import Dialect
from parity.lanes.acp.frames import ToolFrame


class Gemini(Dialect):
    """gemini-cli 0.61."""

    id: ClassVar[str] = "gemini"
    asks_by_call_id: ClassVar[bool] = True
    tools: ClassVar[dict[str, str]] = {
        "run_shell_command": "execute",
        "list_directory": "find",
        "glob": "find",
        "google_web_search": "web_search",
    }

    def tool_name(self, frame: ToolFrame) -> str | None:
        name, mark, _ = frame.id.partition("__")
        return frame.name or (name if mark else None)

    def command(self, call: Call) -> str | None:
        return super().command(call) or (call.title or None)

    def query(self, call: Call) -> str | None:
        said = super().query(call)
        if said is not None or call.name == "list_directory" or not call.title:
            return said
        title = call.title
        quoted = len(title) > 1 and title[0] == title[-1] == "'"
        return title[1:-1] if quoted else title

    def turn_usage(self, result: dict[str, Any]) -> dict[str, Any] | None:
        meta = result.get("_meta")
        quota = meta.get("quota") if isinstance(meta, dict) else None
        count = quota.get("token_count") if isinstance(quota, dict) else None
        if not isinstance(count, dict):
            return super().turn_usage(result)
        names = {"input_tokens": "inputTokens", "output_tokens": "outputTokens"}
        return {names.get(str(key), str(key)): value for key, value in count.items()}
