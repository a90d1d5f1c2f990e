"""Shapes: what grammar item an item of codex is, how it is worded, and how it closes.

Pure functions over the item as the agent sent it (frames of one id merged). Item text (agentMessage, plan,
reasoning), user messages and delegations are not here: the lane streams or nests those.
"""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Callable
from typing import Any, TypeAlias

from parity.grammar import deltas as d
from parity.grammar import items
from parity.grammar.items import Item
from parity.lanes.content import bound, bound_text, resolve

Raw: TypeAlias = dict[str, Any]
"""An item as the agent sent it."""

_SHELLS = {"sh", "bash", "zsh", "dash", "ksh", "fish"}
_DENIED = "declined"
_STATUSES = {"completed": "completed", "failed": "failed", "interrupted": "interrupted", _DENIED: "failed"}


def merge(before: Raw, frame: Raw) -> Raw:
    """A later frame over an earlier one: null is absent, and empty never erases (S18, S28)."""
    if before.get("type") != frame.get("type"):
        return frame
    merged = dict(before)
    for name, value in frame.items():
        empty = value is None or (value in ("", [], {}) and merged.get(name) not in (None, "", [], {}))
        if not empty:
            merged[name] = value
    return merged


def item_of(raw: Raw, cwd: str | None) -> Item:
    """The grammar item of a type in `SHAPED`."""
    item = _BUILDERS[raw["type"]](raw, cwd)
    duration = raw.get("durationMs")
    if item["type"] in ("command", "tool") and type(duration) is int and raw.get("type") != "sleep":
        item["durationMs"] = duration
    return item


def presentation_of(raw: Raw, detail: str | None) -> d.Presentation | None:
    """A command is titled by its script, without the shell around it; `detail` is why it was asked about."""
    command = text_of(raw, "command")
    title = script_of(command) if command is not None else None
    if title is None and detail is None:
        return None
    return d.Presentation(title, detail)


def script_of(command: str) -> str | None:
    """`ls` of `/bin/bash -lc 'ls'`; None where the command is no shell around a script."""
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    if len(words) == 3 and words[1] in ("-c", "-lc") and posixpath.basename(words[0]) in _SHELLS:
        return words[2]
    return None


def close_of(raw: Raw, key: d.Key, streamed: str) -> d.ItemClose:
    """The close of an item that is over, whatever its own status says (S41).

    The aggregate is the output, unless it is null or what was streamed already holds it (S10, S11).
    """
    status = _status(raw)
    close = d.ItemClose(key, status)
    if raw.get("status") == _DENIED:
        close.approval_status = "denied"
    if raw.get("type") == "commandExecution":
        code = raw.get("exitCode")
        close.exit_code = code if type(code) is int else None
        whole = text_of(raw, "aggregatedOutput")
        close.aggregated_output = whole if whole and not streamed.startswith(whole) else None
    elif raw.get("type") == "imageGeneration":
        close.result_text = _failure(raw)
    elif raw.get("type") in ("dynamicToolCall", "functionCallOutput", "mcpToolCall") and status != "failed":
        text = _result_text(raw)
        close.result_text = bound_text(text) if text else None
    return close


def _status(raw: Raw) -> str:
    said = _STATUSES.get(text_of(raw, "status") or "")
    if said is not None:
        return said
    if _failure(raw) is not None or raw.get("success") is False or raw.get("exitCode") not in (None, 0):
        return "failed"
    return "completed"


def _failure(raw: Raw) -> str | None:
    for field in ("error", "failure"):
        value = raw.get(field)
        if isinstance(value, dict):
            value = value.get("message")
        if isinstance(value, str) and value:
            return value
    return None


# -- one builder per type --------------------------------------------------------------------------------


def _command(raw: Raw, cwd: str | None) -> Item:
    return items.command(text_of(raw, "command"), cwd=text_of(raw, "cwd"))


def _file_change(raw: Raw, cwd: str | None) -> Item:
    return items.file_change(changes_of(raw.get("changes"), cwd))


def changes_of(changes: Any, cwd: str | None) -> list[dict[str, Any]]:
    """Changed files: an update has a unified diff; where a file is added or deleted, `diff` is its text."""
    told = []
    for change in changes if isinstance(changes, list) else []:
        path = text_of(change, "path") if isinstance(change, dict) else None
        if path is None:
            continue
        kind = change.get("kind")
        word = text_of(kind, "type") if isinstance(kind, dict) else text_of(change, "kind")
        move = text_of(kind, "move_path") if isinstance(kind, dict) else None
        text = text_of(change, "diff")
        if text is not None and move is not None:
            text = text.removesuffix(f"\n\nMoved to: {move}")
        field = {"add": "new_text", "delete": "old_text"}.get(word or "", "diff")
        told.append(
            items.change(
                resolve(path, cwd),
                word,
                move_path=resolve(move, cwd) if move is not None else None,
                **{field: text},
            )
        )
    return told


def _mcp(raw: Raw, cwd: str | None) -> Item:
    failed = _status(raw) == "failed"
    error = (_failure(raw) or _result_text(raw)) if failed else None
    return items.tool(
        text_of(raw, "tool"),
        server=text_of(raw, "server"),
        args=bound(raw.get("arguments")),
        result=_result(raw),
        error=bound_text(error) if error else None,
    )


def _dynamic(raw: Raw, cwd: str | None) -> Item:
    text = _result_text(raw)
    failed = raw.get("success") is False or raw.get("status") == "failed"
    return items.tool(
        text_of(raw, "tool") or text_of(raw, "name"),
        server=text_of(raw, "namespace"),
        args=bound(raw.get("arguments")),
        error=bound_text(text) if failed and text else None,
    )


def _blocks(raw: Raw) -> list[Any]:
    result = raw.get("result")
    blocks: Any = raw.get("contentItems") or raw.get("output")
    if isinstance(result, dict):
        blocks = result.get("content")
    return blocks if isinstance(blocks, list) else []


def _result_text(raw: Raw) -> str | None:
    """The result in words, where it is words only."""
    output = raw.get("output")
    if isinstance(output, str):
        return output
    texts = [block.get("text") if isinstance(block, dict) else None for block in _blocks(raw)]
    if not texts or not all(isinstance(text, str) for text in texts):
        return None
    return "\n".join(str(text) for text in texts)


def _result(raw: Raw) -> Any:
    """A result that is more than words: the structured one, else its blocks without their bytes."""
    result = raw.get("result")
    if not isinstance(result, dict) or _result_text(raw) is not None:
        return None
    structured = result.get("structuredContent")
    return bound(structured if structured is not None else [_without_bytes(b) for b in _blocks(raw)] or None)


def _without_bytes(block: Any) -> Any:
    if isinstance(block, dict) and isinstance(block.get("data"), str):
        return {**block, "data": f"[{len(block['data'].rstrip('=')) * 3 // 4} bytes]"}
    return block


def _collab(raw: Raw, cwd: str | None) -> Item:
    """A call about sub-agents that starts none: wait, send, close …"""
    args = {name: raw[name] for name in ("receiverThreadIds", "prompt") if raw.get(name)}
    return items.tool(text_of(raw, "tool"), args=bound(args) or None, result=bound(raw.get("agentsStates")))


def _web(raw: Raw, cwd: str | None) -> Item:
    action = raw.get("action")
    action = action if isinstance(action, dict) else {}
    url = text_of(action, "url")
    if action.get("type") in ("openPage", "findInPage") and url is not None:
        return items.web_fetch(url, pattern=text_of(action, "pattern"))
    told = action.get("queries")
    queries = [query for query in told if isinstance(query, str)] if isinstance(told, list) else []
    query = text_of(action, "query") or text_of(raw, "query")
    return items.web_search(queries or ([query] if query else []))


def _image_view(raw: Raw, cwd: str | None) -> Item:
    path = text_of(raw, "path")
    if path is None:
        return {"type": "imageView"}
    return {"type": "imageView", "path": resolve(path, cwd), "title": path}


def _image_generation(raw: Raw, cwd: str | None) -> Item:
    """The picture itself (`result`, base64) never reaches a row; the file it was saved to does."""
    item: Item = {"type": "imageGeneration"}
    for name, field in (("prompt", "revisedPrompt"), ("path", "savedPath")):
        value = text_of(raw, field)
        if value:
            item[name] = value
    return {**item, "title": item.get("prompt") or "Generated image"}


def _sleep(raw: Raw, cwd: str | None) -> Item:
    return items.tool("sleep", args={"durationMs": raw.get("durationMs")})


def _review(title: str) -> Callable[[Raw, str | None], Item]:
    def build(raw: Raw, cwd: str | None) -> Item:
        payload = {"phase": raw["type"], "review": bound(text_of(raw, "review"))}
        return {"type": "extension", "kind": "review", "title": title, "payload": payload}

    return build


def _compaction(raw: Raw, cwd: str | None) -> Item:
    return {"type": "compaction", "title": "Context compacted"}


def text_of(value: Any, name: str) -> str | None:
    """A member that is a string; None for anything else."""
    member = value.get(name) if isinstance(value, dict) else None
    return member if isinstance(member, str) else None


_BUILDERS: dict[str, Callable[[Raw, str | None], Item]] = {
    "collabAgentToolCall": _collab,
    "commandExecution": _command,
    "contextCompaction": _compaction,
    "dynamicToolCall": _dynamic,
    "enteredReviewMode": _review("Review started"),
    "exitedReviewMode": _review("Review finished"),
    "fileChange": _file_change,
    "functionCallOutput": _dynamic,
    "imageGeneration": _image_generation,
    "imageView": _image_view,
    "mcpToolCall": _mcp,
    "sleep": _sleep,
    "webSearch": _web,
}
SHAPED = frozenset(_BUILDERS)
"""Item types this module gives a shape."""
