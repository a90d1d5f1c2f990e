"""Results: how a call closes: status, output, exit code, the text of its result.

What was reported is taken from where Claude Code puts it: a command's output from the structured result, a
failing command's code from the line "Exit code N" that begins its text, and nowhere else. What was not
reported is absent (S02, S03). A call that never ran has no output: its text is why (S20, denied calls).
"""

from __future__ import annotations

import re
from typing import Any

from parity.grammar import deltas as d
from parity.grammar.items import Item
from parity.lanes.claude_code import frames as f
from parity.lanes.claude_code.calls import Call
from parity.lanes.claude_code.plan import TaskList
from parity.lanes.claude_code.shapes import item_of, tool_item
from parity.lanes.content import bound_text

_EXIT_LINE = re.compile(r"\AExit code (\d+)(?:\n|\Z)")
_NO_OUTPUT = "(Bash completed with no output)"
_ERROR_TAG = re.compile(r"\A<tool_use_error>(.*)</tool_use_error>\Z", re.DOTALL)
_STOPPED = "user-rejected"
"""The `non_execution_kind` of a call that was stopped while it ran."""


def refused(note: dict[str, Any]) -> bool:
    """Whether the permission system says that the call was not allowed."""
    decision = note.get("permission_decision")
    return isinstance(decision, dict) and decision.get("decision") == "reject"


def background_task(result: Any) -> str | None:
    """The id of the task a structured result hands the call's work over to, or None."""
    if not isinstance(result, dict):
        return None
    task = result.get("backgroundTaskId")
    if task is None and result.get("status") in ("async_launched", "remote_launched"):
        task = result.get("agentId") or result.get("taskId") or ""
    return task if isinstance(task, str) else None


def status_of(call: Call, block: f.ToolResult, result: Any, note: dict[str, Any], interrupting: bool) -> str:
    """The item status of a call with this result."""
    said = result if isinstance(result, dict) else {}
    if not block.is_error:
        undone = said.get("interrupted") is True or said.get("staged") is True
        return "interrupted" if undone or said.get("detachedToolCall") is True else "completed"
    if call.denied:
        return "failed"
    exited = _EXIT_LINE.match(block.text or "") is not None
    if call.decision == "cancelled" or (interrupting and not exited):
        return "interrupted"
    return "interrupted" if note.get("non_execution_kind") == _STOPPED else "failed"


def settle(
    call: Call, block: f.ToolResult, result: Any, status: str, cwd: str | None, tasks: TaskList
) -> tuple[Item, d.ItemClose]:
    """The item with all that is known of it, and its close."""
    done = status == "completed"
    item = item_of(call, cwd, tasks, (result if result is not None else {}) if done else None)
    text = _plain((call.reason if call.denied else None) or block.text)
    approval = "denied" if call.denied else None
    if item["type"] == "command" and not call.denied:
        return item, _command_close(call, block, result, status)
    if done and item["type"] == "delegation" and "summary" not in item and text:
        item = {**item, "summary": text}
    if item["type"] == "planSteps" and not done and "steps" in item and call.name.startswith("Task"):
        item = tool_item(call)
    if item["type"] == "tool" and status == "failed":
        return {**item, **({"error": text} if text else {})}, d.ItemClose(
            call.key, status, approval_status=approval, result_text=text if call.denied else None
        )
    wanted = text if item["type"] == "tool" or status == "failed" else None
    return item, d.ItemClose(call.key, status, result_text=wanted, approval_status=approval)


def _command_close(call: Call, block: f.ToolResult, result: Any, status: str) -> d.ItemClose:
    close = d.ItemClose(call.key, status)
    if isinstance(result, dict) and ("stdout" in result or "stderr" in result):
        close.aggregated_output = bound_text(_joined(result.get("stdout"), result.get("stderr"))) or None
        return close
    exit_line = _EXIT_LINE.match(block.text or "") if block.is_error else None
    if exit_line is not None:
        close.exit_code = int(exit_line[1])
        close.aggregated_output = bound_text((block.text or "")[exit_line.end() :]) or None
    elif status == "failed":
        close.result_text = _plain(block.text)
    elif status == "completed" and block.text != _NO_OUTPUT:
        close.aggregated_output = bound_text(block.text) if block.text else None
    return close


def _joined(stdout: Any, stderr: Any) -> str:
    out = stdout if isinstance(stdout, str) else ""
    err = stderr if isinstance(stderr, str) else ""
    return f"{out}\n{err}" if out and err and not out.endswith("\n") else out + err


def _plain(text: str | None) -> str | None:
    if not text:
        return None
    tagged = _ERROR_TAG.match(text)
    return bound_text(tagged[1] if tagged is not None else text)
