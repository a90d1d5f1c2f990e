"""Reader: a decoded line of Claude Code's output becomes a frame.

Pure and total: whatever the line holds, a frame comes back; a field of the wrong type reads as absent (S28).
It knows the wire's names and no state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from parity.lanes.claude_code import frames as f

API_ERROR = "API Error"
"""How the text of an API error begins in versions that do not mark the message."""

SYNTHETIC = "<synthetic>"
"""The model of a message the agent program wrote itself."""

_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")
OPAQUE_BLOCKS = {
    "redacted_thinking": "thoughts the vendor keeps to itself",
    "image": "a picture is nothing a text row could show",
    "document": "a file's content; what is done with it are calls of their own",
    "container_upload": "names a file in the vendor's container",
    "search_result": "material of the agent's own answer, which the answer quotes",
    "fallback": "marks where another model took over; `model_refusal_fallback` says so",
    "compaction": "a summary that could not be made: the context stays as it is",
    "mcp_tool_listing": "tools on offer are not work",
    "tool_addition": "tools on offer are not work",
    "tool_removal": "tools on offer are not work",
}
"""Content blocks that show nothing, each with the reason."""

QUIET_TYPES = {
    "keep_alive": "keeps the connection open",
    "tool_progress": "a running tool's elapsed time, nothing of its work",
    "tool_use_summary": "a summary of calls whose rows stand already",
    "prompt_suggestion": "a suggestion for what to type next",
    "command_lifecycle": "the state of a queued input; the turns say the same",
}
"""Types of messages that say nothing a row could show, each with the reason."""

QUIET_SYSTEM = {
    "hook_started": "a hook's bookkeeping; what it changed arrives with the call",
    "hook_progress": "a hook's bookkeeping; what it changed arrives with the call",
    "hook_response": "a hook's bookkeeping; what it changed arrives with the call",
    "background_tasks_changed": "a list of tasks; each task has messages of its own",
    "commands_changed": "commands on offer; no row shows them",
    "thinking_tokens": "a count of tokens that the usage has",
    "control_request_progress": "a control request is being worked on; its answer counts",
    "files_persisted": "a hint for file storage of the vendor",
    "memory_recall": "the agent's own memory, not part of the turn",
    "plugin_install": "a plugin of the agent was installed",
    "elicitation_complete": "belongs to a page to be opened, and such requests are declined",
    "worker_shutting_down": "the process ends; open work is settled when its stream does",
}
"""Subtypes of `system` messages that say nothing a row could show, each with the reason."""


def read(message: dict[str, Any]) -> f.Frame:
    """The frame of a line; control traffic is not for it."""
    kind = message.get("type")
    if not isinstance(kind, str):
        return f.Unknown("message")
    if kind == "system":
        return _system(message)
    if kind in QUIET_TYPES:
        return f.Quiet()
    reader = _READERS.get(kind)
    return reader(message) if reader is not None else f.Unknown(kind)


# -- messages --------------------------------------------------------------------------------------------


def _assistant(message: dict[str, Any]) -> f.Frame:
    body = _dict(message, "message")
    blocks = _blocks(body.get("content"))
    model = _str(body, "model")
    frame = f.Assistant(
        _str(body, "id"),
        blocks,
        model,
        body["usage"] if isinstance(body.get("usage"), dict) else None,
        _str(message, "parent_tool_use_id"),
    )
    text = "\n".join(block.text for block in blocks if isinstance(block, f.Text))
    marked = message.get("is_api_error_message") or message.get("isApiErrorMessage") or message.get("error")
    if marked or (model == SYNTHETIC and text.startswith(API_ERROR)):
        frame.error = text or _str(message, "error") or API_ERROR
        frame.error_status = _int(message, "api_error_status")
    return frame


def _user(message: dict[str, Any]) -> f.Frame:
    notes: dict[str, dict[str, Any]] = {}
    meta = message.get("tool_result_meta")
    for note in meta if isinstance(meta, list) else []:
        if isinstance(note, dict) and isinstance(note.get("id"), str):
            notes[note["id"]] = note
    return f.User(
        _blocks(_dict(message, "message").get("content")),
        _str(message, "parent_tool_use_id"),
        _str(message, "uuid"),
        message.get("isReplay") is True,
        message.get("tool_use_result"),
        notes,
    )


def _blocks(content: Any) -> list[f.Block]:
    if isinstance(content, str):
        return [f.Text("agentMessage", content)]
    if not isinstance(content, list):
        return []
    return [block_of(block) for block in content if isinstance(block, dict)]


def block_of(block: dict[str, Any]) -> f.Block:
    """One content block."""
    kind = block.get("type")
    if kind == "text":
        return f.Text("agentMessage", _str(block, "text") or "")
    if kind == "thinking":
        return f.Text("reasoningText", _str(block, "thinking") or "")
    if kind in _CALLS and isinstance(block.get("id"), str):
        server = _str(block, "server_name")
        name = _str(block, "name") or ""
        return f.ToolUse(block["id"], f"mcp__{server}__{name}" if server else name, _dict(block, "input"))
    if isinstance(kind, str) and kind.endswith("tool_result") and isinstance(block.get("tool_use_id"), str):
        return _tool_result(block)
    if kind == "compaction" and _str(block, "content"):
        return f.Compacted()
    if isinstance(kind, str) and kind in OPAQUE_BLOCKS:
        return f.Opaque(kind)
    return f.Foreign(kind if isinstance(kind, str) else "block", block)


def _tool_result(block: dict[str, Any]) -> f.ToolResult:
    content = block.get("content")
    failed = block.get("is_error") is True
    if isinstance(content, dict):  # a server tool's error
        failed = failed or "error_code" in content
        return f.ToolResult(block["tool_use_id"], _str(content, "error_code"), failed)
    return f.ToolResult(block["tool_use_id"], text_of(content), failed)


def text_of(content: Any) -> str | None:
    """The text of a tool result's content; a picture or file in it is named, never copied."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    parts: list[str] = []
    for block in content:
        if not isinstance(block, dict):
            continue
        if isinstance(block.get("text"), str):
            parts.append(block["text"])
        elif isinstance(block.get("title"), str) and isinstance(block.get("url"), str):
            parts.append(f"{block['title']}\n{block['url']}")
        elif block.get("type") in ("image", "document"):
            kind = _str(_dict(block, "source"), "media_type") or block["type"]
            parts.append(f"[{kind}]")
    return "\n".join(parts) if parts else None


def _stream(message: dict[str, Any]) -> f.Frame:
    event = _dict(message, "event")
    kind = event.get("type")
    frame = f.Stream("", _str(message, "parent_tool_use_id"), index=_int(event, "index") or 0)
    if kind == "message_start":
        start = _dict(event, "message")
        frame.event, frame.message_id, frame.model = "start", _str(start, "id"), _str(start, "model")
        frame.usage = start["usage"] if isinstance(start.get("usage"), dict) else None
    elif kind == "content_block_start":
        frame.event, frame.block = "block", block_of(_dict(event, "content_block"))
    elif kind == "content_block_delta":
        _delta(frame, _dict(event, "delta"))
    elif kind == "content_block_stop":
        frame.event = "stop"
    elif kind == "message_delta" and isinstance(event.get("usage"), dict):
        frame.event, frame.usage = "usage", event["usage"]
    return frame if frame.event else f.Quiet()


def _delta(frame: f.Stream, delta: dict[str, Any]) -> None:
    for kind, channel, field in (
        ("text_delta", "agentMessage", "text"),
        ("thinking_delta", "reasoningText", "thinking"),
        ("input_json_delta", "json", "partial_json"),
    ):
        if delta.get("type") == kind and isinstance(delta.get(field), str):
            frame.event = "json" if channel == "json" else "text"
            frame.block = f.Text(channel, delta[field])


def _result(message: dict[str, Any]) -> f.Frame:
    errors = message.get("errors")
    denials = message.get("permission_denials")
    answered = message.get("user_message_uuids")
    return f.Result(
        _str(message, "subtype") or "",
        message.get("is_error") is True,
        _str(message, "result"),
        [error for error in errors if isinstance(error, str)] if isinstance(errors, list) else [],
        _int(message, "api_error_status"),
        _str(message, "api_error_type"),
        _str(message, "stop_reason"),
        _str(message, "terminal_reason"),
        _int(message, "num_turns"),
        _int(message, "queued_turn_count") or 0,
        _str(_dict(message, "origin"), "kind"),
        message["usage"] if isinstance(message.get("usage"), dict) else None,
        _dict(message, "modelUsage"),
        [
            denial["tool_use_id"]
            for denial in (denials if isinstance(denials, list) else [])
            if isinstance(denial, dict) and isinstance(denial.get("tool_use_id"), str)
        ],
        [uuid for uuid in answered if isinstance(uuid, str)] if isinstance(answered, list) else [],
    )


def _limits(message: dict[str, Any]) -> f.Frame:
    return f.Limits(message.get("rate_limit_info"))


def _auth(message: dict[str, Any]) -> f.Frame:
    error = _str(message, "error")
    return f.Warn(error) if error else f.Quiet()


def _cleared(message: dict[str, Any]) -> f.Frame:
    return f.Cleared()


def _goal(message: dict[str, Any]) -> f.Frame:
    goal = message.get("value")
    return f.Goal(goal) if goal is None or isinstance(goal, dict) else f.Unknown("active_goal")


# -- system ----------------------------------------------------------------------------------------------


def _system(message: dict[str, Any]) -> f.Frame:
    subtype = _str(message, "subtype")
    if subtype in QUIET_SYSTEM:
        return f.Quiet()
    reader = _SYSTEM.get(subtype) if subtype is not None else None
    frame = reader(message) if reader is not None else None
    return frame if frame is not None else f.Unknown(f"system/{subtype}")


def _init(message: dict[str, Any]) -> f.Frame:
    return f.Init(
        _str(message, "session_id"),
        _str(message, "cwd"),
        _str(message, "model"),
        _str(message, "permissionMode"),
    )


def _status(message: dict[str, Any]) -> f.Frame:
    error = _str(message, "compact_error")
    if message.get("compact_result") == "failed":
        return f.Warn(f"compacting the context failed: {error}" if error else "compacting the context failed")
    mode = _str(message, "permissionMode")
    return f.Mode(mode) if mode is not None else f.Quiet()


def _retry(message: dict[str, Any]) -> f.Frame:
    status, error = _int(message, "error_status"), _str(message, "error")
    what = " ".join(str(part) for part in ("API error", status, f"({error})" if error else None) if part)
    attempt, most = _int(message, "attempt"), _int(message, "max_retries")
    if attempt is None:
        return f.Warn(f"{what}, retrying")
    return f.Warn(f"{what}, retry {attempt}" + (f" of {most}" if most is not None else ""))


def _task(message: dict[str, Any]) -> f.Frame | None:
    task_id = _str(message, "task_id")
    if task_id is None:
        return None
    patch = _dict(message, "patch")
    background = message.get("is_backgrounded", patch.get("is_backgrounded"))
    return f.Task(
        str(message["subtype"]).removeprefix("task_"),
        task_id,
        _str(message, "tool_use_id"),
        _str(message, "task_type"),
        _str(message, "description"),
        background if isinstance(background, bool) else None,
        _str(message, "status"),
        _str(message, "summary"),
        message.get("skip_transcript") is True or message.get("ambient") is True,
    )


def _denied(message: dict[str, Any]) -> f.Frame | None:
    call_id = _str(message, "tool_use_id")
    if call_id is None:
        return None
    return f.Denied(call_id, _str(message, "decision_reason") or _str(message, "message"))


def _state(message: dict[str, Any]) -> f.Frame:
    return f.Idle() if message.get("state") == "idle" else f.Quiet()


def _notice(field: str) -> Callable[[dict[str, Any]], f.Frame | None]:
    def read_notice(message: dict[str, Any]) -> f.Frame | None:
        text = _str(message, field)
        if message.get("level") == "info":
            return f.Quiet()
        return f.Warn(text) if text else None

    return read_notice


def _unsaved(message: dict[str, Any]) -> f.Frame | None:
    lost, code = message.get("lost"), _str(message, "error_code")
    what = ", ".join(one for one in lost if isinstance(one, str)) if isinstance(lost, list) else ""
    if not (what or code):
        return None
    return f.Warn("could not save" + (f" {what}" if what else "") + (f": {code}" if code else ""))


def _said(message: dict[str, Any]) -> f.Frame | None:
    text = _str(message, "content")
    return f.Said(text) if text is not None else None


def _fallback(message: dict[str, Any]) -> f.Frame | None:
    model = _str(message, "fallback_model")
    if model is None:
        return None
    return f.Fallback(model, _str(message, "original_model"), _str(message, "content"))


def _compacted(message: dict[str, Any]) -> f.Frame:
    return f.Compacted()


_READERS: dict[str, Callable[[dict[str, Any]], f.Frame]] = {
    "assistant": _assistant,
    "user": _user,
    "stream_event": _stream,
    "result": _result,
    "rate_limit_event": _limits,
    "auth_status": _auth,
    "conversation_reset": _cleared,
    "active_goal": _goal,
}
_SYSTEM: dict[str, Callable[[dict[str, Any]], f.Frame | None]] = {
    "init": _init,
    "status": _status,
    "api_retry": _retry,
    "compact_boundary": _compacted,
    "task_started": _task,
    "task_progress": _task,
    "task_updated": _task,
    "task_notification": _task,
    "permission_denied": _denied,
    "session_state_changed": _state,
    "informational": _notice("content"),
    "notification": _notice("text"),
    "model_refusal_no_fallback": _notice("content"),
    "model_refusal_fallback": _fallback,
    "mirror_error": _notice("error"),
    "session_writes_lost": _unsaved,
    "local_command_output": _said,
}


def _str(document: dict[str, Any], name: str) -> str | None:
    value = document.get(name)
    return value if isinstance(value, str) else None


def _int(document: dict[str, Any], name: str) -> int | None:
    value = document.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _dict(document: dict[str, Any], name: str) -> dict[str, Any]:
    value = document.get(name)
    return value if isinstance(value, dict) else {}
