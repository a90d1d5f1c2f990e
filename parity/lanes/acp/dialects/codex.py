"""codex-acp: codex behind ACP; commands run as the tool `exec_command`, whatever kind they read as.

It classifies a command by what the command does (an `ls` is kind read, titled "List files in …"), streams
output in `_meta`, and says a subagent's start as a call of kind other with `rawInput.activityKind`.
"""

from __future__ import annotations

from typing import ClassVar

from parity.lanes.acp.calls import Call
from parity.lanes.acp.dialects.base import Dialect
from parity.lanes.acp.frames import InfoFrame


class Codex(Dialect):
    """codex-acp 2.6."""

    id: ClassVar[str] = "codex"
    asks_by_call_id: ClassVar[bool] = True
    ids_repeat: ClassVar[bool] = True

    def shape(self, call: Call) -> str | None:
        if call.name == "exec_command":
            return "read" if call.kind == "read" and call.locations else "execute"
        if call.args.get("activityKind") == "started":
            return "delegate"
        return super().shape(call)

    def child_ref(self, call: Call) -> str | None:
        thread = call.args.get("agentThreadId")
        return thread if isinstance(thread, str) else None

    def info_warning(self, frame: InfoFrame) -> str | None:
        codex = frame.meta.get("codex")
        error = codex.get("error") if isinstance(codex, dict) else None
        if not isinstance(error, dict) or not isinstance(error.get("message"), str):
            return None
        detail = error.get("additionalDetails")
        return f"{error['message']}: {detail}" if isinstance(detail, str) else str(error["message"])
