"""Reader for ACP protocol version 2 (draft): session updates and permission requests to frames.

Follows the published schema: an absent field is not said, null (and an empty collection) takes the value
back, any other value replaces it; a field of the wrong type is not said. Enums are open: a word this reader
does not know is passed on where it is a kind, and says nothing where it would be a status. No state.
"""

from __future__ import annotations

import binascii
from collections.abc import Callable
from typing import Any

from parity.lanes.acp import patches
from parity.lanes.acp.blocks import (
    block_text,
    integer_of,
    join_texts,
    meta_of,
    paths_of,
    steps_of,
    text_of,
)
from parity.lanes.acp.frames import (
    STATUSES_V2,
    AskFrame,
    ChunkFrame,
    Content,
    ContentFrame,
    Diff,
    Frame,
    MessageFrame,
    PlanFrame,
    StateFrame,
    TerminalFrame,
    ToolFrame,
    UnknownFrame,
)
from parity.lanes.acp.reader_v1 import read_info, read_quiet, read_usage

STATES = frozenset(("running", "idle", "requires_action"))
"""The states of a session's foreground work."""

_OPERATIONS = {"add": "add", "delete": "delete", "modify": "update", "move": "update", "copy": "add"}
"""File operation → kind of change; what a future one does is not known."""

_EMPTY: tuple[Any, ...] = (None, "", [], {})
"""Values that leave nothing to show: they take a field back, where null alone does not."""


def read_update(update: Any) -> Frame:
    """The frame of one `update` object; anything unreadable is an UnknownFrame."""
    if not isinstance(update, dict):
        return UnknownFrame("session/update")
    kind = update.get("sessionUpdate")
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    frame = reader(update) if reader is not None else None
    return frame if frame is not None else UnknownFrame(str(kind))


def read_ask(params: dict[str, Any]) -> AskFrame | None:
    """The frame of a permission request: its own words, and its subject where that can be read.

    A subject nobody knows leaves a request without one, which a person can still decide.
    """
    ask = AskFrame(None, text_of(params.get("title")), text_of(params.get("description")))
    subject = params.get("subject")
    if not isinstance(subject, dict):
        return ask
    if subject.get("type") == "tool_call" and isinstance(subject.get("toolCall"), dict):
        ask.call = read_tool(subject["toolCall"])
    elif subject.get("type") == "command":
        ask.command = text_of(subject.get("command"))
        ask.cwd = text_of(subject.get("cwd"))
        ask.terminal_id = text_of(subject.get("terminalId"))
        call_id = subject.get("toolCallId")
        if isinstance(call_id, str):
            ask.call = ToolFrame(call_id, begins=False, meta=meta_of(subject), patch=True)
    return ask


def read_tool(update: dict[str, Any]) -> ToolFrame | None:
    """The frame of a tool call; None without a `toolCallId`, which alone is required."""
    call_id = update.get("toolCallId")
    if not isinstance(call_id, str):
        return None
    frame = ToolFrame(call_id, begins=False, meta=meta_of(update), patch=True)
    cleared: set[str] = set()
    for member, field, read in _FIELDS:
        if member not in update:
            continue
        value = update[member]
        if value is None or (value in _EMPTY and field not in ("status", "raw_output")):
            cleared.add(field)
        else:
            setattr(frame, field, read(value))
    frame.name = text_of(update.get("name"))
    if cleared:
        frame.cleared = frozenset(cleared)
    return frame


def read_content(blocks: list[Any]) -> Content:
    """A content collection: its texts joined, its changed files, its terminal ids."""
    texts: list[str] = []
    diffs: list[Diff] = []
    terminals: list[str] = []
    for block in blocks:
        if not isinstance(block, dict):
            continue
        kind = block.get("type")
        if kind == "content":
            text = block_text(block.get("content"))
            if text is not None:
                texts.append(text)
        elif kind == "diff":
            diffs.extend(read_diff(block))
        elif kind == "terminal" and isinstance(block.get("terminalId"), str):
            terminals.append(block["terminalId"])
    return Content(join_texts(texts), diffs or None, terminals or None)


def read_diff(block: dict[str, Any]) -> list[Diff]:
    """The changed files of a `diff` block, each with its section of the patch.

    `changes` alone says which files and what was done to them; a patch in a foreign format is not shown.
    """
    changes = block.get("changes")
    known = [
        change
        for change in (changes if isinstance(changes, list) else [])
        if isinstance(change, dict) and isinstance(change.get("path"), str)
    ]
    patch = block.get("patch")
    text = patch.get("text") if isinstance(patch, dict) and patch.get("format") == "git_patch" else None
    names = [tuple({change["path"], str(change.get("oldPath") or change["path"])}) for change in known]
    parts = patches.assign(text, names) if isinstance(text, str) else [None] * len(known)
    return [_diff(change, part) for change, part in zip(known, parts, strict=True)]


def _diff(change: dict[str, Any], patch: str | None) -> Diff:
    operation, path = change.get("operation"), change["path"]
    diff = Diff(path, kind=_OPERATIONS.get(operation) if isinstance(operation, str) else None, patch=patch)
    if operation == "move" and isinstance(change.get("oldPath"), str):
        diff.path, diff.move_path = change["oldPath"], path
    return diff


def _tool(update: dict[str, Any]) -> Frame | None:
    return read_tool(update)


def _status(value: Any) -> str | None:
    return value if isinstance(value, str) and value in STATUSES_V2 else None


def _content(value: Any) -> Content | None:
    return read_content(value) if isinstance(value, list) else None


def _locations(value: Any) -> list[str] | None:
    return paths_of(value) if isinstance(value, list) else None


def _any(value: Any) -> Any:
    return value


_FIELDS: tuple[tuple[str, str, Callable[[Any], Any]], ...] = (
    ("title", "title", text_of),
    ("kind", "kind", text_of),
    ("status", "status", _status),
    ("content", "content", _content),
    ("locations", "locations", _locations),
    ("rawInput", "raw_input", _any),
    ("rawOutput", "raw_output", _any),
)
"""Member of a tool call → field of its frame, and how it is read."""


def _content_chunk(update: dict[str, Any]) -> Frame | None:
    call_id, block = update.get("toolCallId"), update.get("content")
    if not isinstance(call_id, str) or not isinstance(block, dict):
        return None
    return ContentFrame(call_id, read_content([block]), meta_of(update))


def _chunk(role: str) -> Callable[[dict[str, Any]], Frame | None]:
    def read(update: dict[str, Any]) -> Frame | None:
        message_id = text_of(update.get("messageId"))
        text = block_text(update.get("content")) or ""
        return ChunkFrame(role, text, message_id, meta_of(update), keeps=message_id is not None)

    return read


def _message(role: str) -> Callable[[dict[str, Any]], Frame | None]:
    def read(update: dict[str, Any]) -> Frame | None:
        message_id = update.get("messageId")
        if not isinstance(message_id, str):
            return None
        text: str | None = None
        content = update.get("content", False)
        if content is None:
            text = ""
        elif isinstance(content, list):  # the blocks of a message run on, as its chunks do
            text = "".join(block_text(block) or "" for block in content)
        return MessageFrame(role, text, message_id, meta_of(update))

    return read


def _state(update: dict[str, Any]) -> Frame | None:
    state = update.get("state")
    if not isinstance(state, str) or state not in STATES:
        return None
    reason, error = text_of(update.get("stopReason")), update.get("error")
    said = error if reason == "error" and isinstance(error, dict) else None
    return StateFrame(state, reason, meta_of(update), said)


def _terminal(update: dict[str, Any]) -> Frame | None:
    terminal_id = update.get("terminalId")
    if not isinstance(terminal_id, str):
        return None
    frame = TerminalFrame(terminal_id, command=text_of(update.get("command")), cwd=text_of(update.get("cwd")))
    output, ended = update.get("output"), update.get("exitStatus")
    if isinstance(output, dict):
        frame.output = _bytes(output.get("data"))
        if frame.output is None:
            return None
    if isinstance(ended, dict):
        frame.ended = True
        frame.exit_code, frame.signal = integer_of(ended.get("exitCode")), text_of(ended.get("signal"))
    members = (("command", "command"), ("cwd", "cwd"), ("output", "output"), ("exitStatus", "exit"))
    cleared = {field for member, field in members if update.get(member, False) is None}
    if cleared:
        frame.cleared = frozenset(cleared)
    return frame


def _terminal_chunk(update: dict[str, Any]) -> Frame | None:
    terminal_id, data = update.get("terminalId"), _bytes(update.get("data"))
    if not isinstance(terminal_id, str) or data is None:
        return None
    return TerminalFrame(terminal_id, data, appends=True)


def _bytes(data: Any) -> bytes | None:
    """What base64 text stands for; None where it is none."""
    try:
        return binascii.a2b_base64(data, strict_mode=True) if isinstance(data, str) else None
    except ValueError:
        return None


def _plan(update: dict[str, Any]) -> Frame | None:
    plan = update.get("plan")
    if not isinstance(plan, dict) or plan.get("type") != "items" or not isinstance(plan.get("planId"), str):
        return None
    entries = plan.get("entries")
    return PlanFrame(steps_of(entries if isinstance(entries, list) else []), plan["planId"])


_READERS: dict[str, Callable[[dict[str, Any]], Frame | None]] = {
    "user_message_chunk": _chunk("user"),
    "user_message": _message("user"),
    "agent_message_chunk": _chunk("agent"),
    "agent_message": _message("agent"),
    "agent_thought_chunk": _chunk("thought"),
    "agent_thought": _message("thought"),
    "state_update": _state,
    "tool_call_update": _tool,
    "tool_call_content_chunk": _content_chunk,
    "terminal_update": _terminal,
    "terminal_output_chunk": _terminal_chunk,
    "plan_update": _plan,
    "available_commands_update": read_quiet,
    "config_option_update": read_quiet,
    "session_info_update": read_info,
    "usage_update": read_usage,
}

UPDATES = tuple(_READERS)
"""The session updates this version reads."""
