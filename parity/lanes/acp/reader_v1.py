"""Reader for ACP protocol version 1: `session/update` and `session/request_permission` to frames.

Follows the published schema: absent and null both mean "not said" (S28); a field of the wrong type is not
said either; one content block this reader does not know never loses the others. No state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from parity.lanes.acp.frames import (
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

_NO_META: dict[str, Any] = {}


def read_update(update: Any) -> Frame:
    """The frame of one `update` object; anything unreadable is an UnknownFrame."""
    if not isinstance(update, dict):
        return UnknownFrame("session/update")
    kind = update.get("sessionUpdate")
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    frame = reader(update) if reader is not None else None
    return frame if frame is not None else UnknownFrame(str(kind))


def read_tool(update: dict[str, Any], *, begins: bool) -> ToolFrame | None:
    """The frame of a tool call; None without a `toolCallId`, which alone is required."""
    get = update.get
    call_id = get("toolCallId")
    if not isinstance(call_id, str):
        return None
    return ToolFrame(
        call_id,
        begins,
        meta if isinstance(meta := get("_meta"), dict) else _NO_META,
        name if isinstance(name := get("name"), str) else None,
        title if isinstance(title := get("title"), str) else None,
        kind if isinstance(kind := get("kind"), str) else None,
        status if isinstance(status := get("status"), str) else None,
        read_content(content) if isinstance(content := get("content"), list) else None,
        _paths(locations) if isinstance(locations := get("locations"), list) else None,
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
                diffs.append(Diff(path, _text(block.get("oldText")), _text(block.get("newText"))))
        elif kind == "terminal":
            terminal_id = block.get("terminalId")
            if isinstance(terminal_id, str):
                terminals.append(terminal_id)
    return Content(_join(texts), diffs or None, terminals or None)


def block_text(block: Any) -> str | None:
    """What a content block says in words: text verbatim, others by what they name."""
    if not isinstance(block, dict):
        return None
    kind = block.get("type")
    if kind == "text":
        return _text(block.get("text"))
    if kind == "resource_link":
        return _text(block.get("uri"))
    if kind == "resource":
        resource = block.get("resource")
        if isinstance(resource, dict):
            return _text(resource.get("text")) or _text(resource.get("uri"))
    if kind in ("image", "audio"):
        return f"[{kind} {block.get('mimeType') or ''}".rstrip() + "]"
    return None


def _join(texts: list[str]) -> str | None:
    if not texts:
        return None
    joined = texts[0]
    for text in texts[1:]:
        joined += text if not joined or joined.endswith("\n") else f"\n{text}"
    return joined


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _int(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _meta(update: dict[str, Any]) -> dict[str, Any]:
    meta = update.get("_meta")
    return meta if isinstance(meta, dict) else _NO_META


def _paths(locations: list[Any]) -> list[str]:
    return [
        location["path"]
        for location in locations
        if isinstance(location, dict) and isinstance(location.get("path"), str)
    ]


def _chunk(role: str) -> Callable[[dict[str, Any]], Frame | None]:
    def read(update: dict[str, Any]) -> Frame | None:
        get = update.get
        content = get("content")
        text = content.get("text") if isinstance(content, dict) and content.get("type") == "text" else None
        return ChunkFrame(
            role,
            text if isinstance(text, str) else block_text(content) or "",
            message_id if isinstance(message_id := get("messageId"), str) else None,
            meta if isinstance(meta := get("_meta"), dict) else _NO_META,
        )

    return read


def _plan(update: dict[str, Any]) -> Frame | None:
    entries = update.get("entries")
    if not isinstance(entries, list):
        return None
    steps = []
    for entry in entries:
        if isinstance(entry, dict) and isinstance(entry.get("content"), str):
            step = {"step": entry["content"]}
            for name in ("status", "priority"):
                if isinstance(entry.get(name), str):
                    step[name] = entry[name]
            steps.append(step)
    return PlanFrame(steps)


def _usage(update: dict[str, Any]) -> Frame | None:
    return UsageFrame(_int(update.get("used")), _int(update.get("size")))


def _info(update: dict[str, Any]) -> Frame | None:
    return InfoFrame(_text(update.get("title")), _meta(update))


def _mode(update: dict[str, Any]) -> Frame | None:
    mode_id = _text(update.get("currentModeId"))
    return ModeFrame(mode_id) if mode_id is not None else None


def _quiet(update: dict[str, Any]) -> Frame | None:
    return QuietFrame(update["sessionUpdate"])


_READERS: dict[str, Callable[[dict[str, Any]], Frame | None]] = {
    "user_message_chunk": _chunk("user"),
    "agent_message_chunk": _chunk("agent"),
    "agent_thought_chunk": _chunk("thought"),
    "tool_call": lambda update: read_tool(update, begins=True),
    "tool_call_update": lambda update: read_tool(update, begins=False),
    "plan": _plan,
    "usage_update": _usage,
    "session_info_update": _info,
    "current_mode_update": _mode,
    "available_commands_update": _quiet,
    "config_option_update": _quiet,
}
