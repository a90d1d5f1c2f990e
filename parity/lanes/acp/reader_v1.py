"""Reader for ACP protocol version 1: `session/update` and `session/request_permission` to frames.

Follows the published schema: absent and null both mean "not said" (S28); a field of the wrong type is not
said either; one content block this reader does not know never loses the others. No state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from parity.lanes.acp.blocks import (
    NO_META,
    block_text,
    integer_of,
    join_texts,
    meta_of,
    paths_of,
    steps_of,
    text_of,
)
from parity.lanes.acp.frames import (
    STATUSES_V1,
    AskFrame,
    ChunkFrame,
    Content,
    Diff,
    Frame,
    InfoFrame,
    ModeFrame,
    PlanFrame,
    QuietFrame,
    ToolFrame,
    UnknownFrame,
    UsageFrame,
)


def read_update(update: Any) -> Frame:
    """The frame of one `update` object; anything unreadable is an UnknownFrame."""
    if not isinstance(update, dict):
        return UnknownFrame("session/update")
    kind = update.get("sessionUpdate")
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    frame = reader(update) if reader is not None else None
    return frame if frame is not None else UnknownFrame(str(kind))


def read_ask(params: dict[str, Any]) -> AskFrame | None:
    """The frame of a permission request; None where it names no readable call."""
    call = params.get("toolCall")
    frame = read_tool(call, begins=False) if isinstance(call, dict) else None
    if frame is None:
        return None
    return AskFrame(frame, reason=frame.content.text if frame.content is not None else None)


def read_tool(update: dict[str, Any], *, begins: bool) -> ToolFrame | None:
    """The frame of a tool call; None without a `toolCallId`, which alone is required."""
    get = update.get
    call_id = get("toolCallId")
    if not isinstance(call_id, str):
        return None
    status = get("status")
    return ToolFrame(
        call_id,
        begins,
        meta if isinstance(meta := get("_meta"), dict) else NO_META,
        name if isinstance(name := get("name"), str) else None,
        title if isinstance(title := get("title"), str) else None,
        kind if isinstance(kind := get("kind"), str) else None,
        status if isinstance(status, str) and status in STATUSES_V1 else None,
        read_content(content) if isinstance(content := get("content"), list) else None,
        paths_of(locations) if isinstance(locations := get("locations"), list) else None,
        get("rawInput"),
        get("rawOutput"),
    )


def read_content(blocks: list[Any]) -> Content:
    """A content collection: its texts joined, its diffs, its terminal ids."""
    if not blocks:
        return Content()
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
            path = block.get("path")
            if isinstance(path, str):
                diffs.append(Diff(path, text_of(block.get("oldText")), text_of(block.get("newText"))))
        elif kind == "terminal":
            terminal_id = block.get("terminalId")
            if isinstance(terminal_id, str):
                terminals.append(terminal_id)
    return Content(join_texts(texts), diffs or None, terminals or None)


def _chunk(role: str) -> Callable[[dict[str, Any]], Frame | None]:
    def read(update: dict[str, Any]) -> Frame | None:
        get = update.get
        content = get("content")
        text = content.get("text") if isinstance(content, dict) and content.get("type") == "text" else None
        return ChunkFrame(
            role,
            text if isinstance(text, str) else block_text(content) or "",
            message_id if isinstance(message_id := get("messageId"), str) else None,
            meta if isinstance(meta := get("_meta"), dict) else NO_META,
        )

    return read


def _plan(update: dict[str, Any]) -> Frame | None:
    entries = update.get("entries")
    return PlanFrame(steps_of(entries)) if isinstance(entries, list) else None


def read_usage(update: dict[str, Any]) -> Frame | None:
    """The frame of a `usage_update`."""
    return UsageFrame(integer_of(update.get("used")), integer_of(update.get("size")))


def read_info(update: dict[str, Any]) -> Frame | None:
    """The frame of a `session_info_update`; a title taken back leaves the name the thread has."""
    return InfoFrame(text_of(update.get("title")), meta_of(update))


def read_quiet(update: dict[str, Any]) -> Frame | None:
    """The frame of an update that is ignored by decision."""
    return QuietFrame(update["sessionUpdate"])


def _mode(update: dict[str, Any]) -> Frame | None:
    mode_id = text_of(update.get("currentModeId"))
    return ModeFrame(mode_id) if mode_id is not None else None


_READERS: dict[str, Callable[[dict[str, Any]], Frame | None]] = {
    "user_message_chunk": _chunk("user"),
    "agent_message_chunk": _chunk("agent"),
    "agent_thought_chunk": _chunk("thought"),
    "tool_call": lambda update: read_tool(update, begins=True),
    "tool_call_update": lambda update: read_tool(update, begins=False),
    "plan": _plan,
    "usage_update": read_usage,
    "session_info_update": read_info,
    "current_mode_update": _mode,
    "available_commands_update": read_quiet,
    "config_option_update": read_quiet,
}
