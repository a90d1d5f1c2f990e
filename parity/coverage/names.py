"""The names in a message: which words of its protocol's vocabulary it uses.

One reader per family. A reader is total: whatever is no name is passed over. It knows the wire's own words
and nothing of what becomes of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

Message: TypeAlias = dict[str, Any]
Name: TypeAlias = tuple[str, str]
"""(category, name)."""

LONGEST = 120
"""Characters of a name; what is longer is cut."""

WHOLE = frozenset(
    (
        "block delta",
        "client method",
        "control request",
        "item type",
        "message",
        "notification",
        "result",
        "server request",
        "session update",
        "stream event",
    )
)
"""Categories that name a whole message: what becomes of the message becomes of the name."""


def family_of_protocol(protocol: str) -> str:
    """The bridge family that speaks it."""
    return "acp" if protocol.startswith("acp-") else protocol


def version_said(message: Message) -> int | None:
    """The protocol version an agent's answer to `initialize` says."""
    version = _dict(message, "result").get("protocolVersion")
    return version if type(version) is int else None


# -- ACP -------------------------------------------------------------------------------------------------


def acp_names(message: Message) -> Iterator[Name]:
    """The names in one message of an ACP agent."""
    method, params = message.get("method"), _dict(message, "params")
    if not isinstance(method, str):
        yield from _word("stop reason", _dict(message, "result"), "stopReason")
        return
    update = _dict(params, "update")
    if method == "session/update":
        yield from _word("session update", update, "sessionUpdate")
        yield from _acp_update(update)
        return
    kind = update.get("sessionUpdate")
    yield "client method", _name(f"{method} {kind}" if isinstance(kind, str) else method)
    if method == "session/request_permission":
        subject = _dict(params, "subject")
        yield from _word("permission subject", subject, "type")
        for call in (params.get("toolCall"), subject.get("toolCall")):
            if isinstance(call, dict):
                yield from _acp_update(call)
        for option in _dicts(params.get("options")):
            yield from _word("permission option", option, "kind")


def _acp_update(update: Message) -> Iterator[Name]:
    kind, content = update.get("sessionUpdate"), update.get("content")
    if kind == "state_update":
        yield from _word("state", update, "state")
        yield from _word("stop reason", update, "stopReason")
    plan = _dict(update, "plan")
    yield from _word("plan content", plan, "type")
    for entry in _dicts(update.get("entries")) + _dicts(plan.get("entries")):
        yield from _word("plan status", entry, "status")
        yield from _word("plan priority", entry, "priority")
    if "toolCallId" not in update:
        blocks = [content] if isinstance(content, dict) else _dicts(content)
        for block in blocks:
            yield from _word("content block", block, "type")
        return
    yield from _word("tool kind", update, "kind")
    yield from _word("tool status", update, "status")
    for block in [content] if isinstance(content, dict) else _dicts(content):
        yield from _word("tool content", block, "type")
        yield from _word("content block", _dict(block, "content"), "type")
        for change in _dicts(block.get("changes")):
            yield from _word("diff change", change, "operation")


# -- codex -----------------------------------------------------------------------------------------------


def codex_names(message: Message) -> Iterator[Name]:
    """The names in one message of `codex app-server`."""
    method = message.get("method")
    if isinstance(method, str):
        yield "server request" if "id" in message else "notification", _name(method)
        if method in ("item/started", "item/completed"):
            yield from _word("item type", _dict(_dict(message, "params"), "item"), "type")


# -- Claude Code -----------------------------------------------------------------------------------------


def claude_names(message: Message) -> Iterator[Name]:
    """The names in one line of Claude Code."""
    kind, subtype = message.get("type"), message.get("subtype")
    if not isinstance(kind, str):
        return
    if kind == "control_request":
        yield from _word("control request", _dict(message, "request"), "subtype")
        return
    if kind == "stream_event":
        yield from _stream_names(_dict(message, "event"))
        return
    yield "message", _name(f"{kind}/{subtype}" if kind == "system" and isinstance(subtype, str) else kind)
    if kind == "result":
        yield from _word("result", message, "subtype")
    elif kind in ("assistant", "user"):
        for block in _dicts(_dict(message, "message").get("content")):
            yield from _word("content block", block, "type")


def _stream_names(event: Message) -> Iterator[Name]:
    yield from _word("stream event", event, "type")
    yield from _word("content block", _dict(event, "content_block"), "type")
    if event.get("type") == "content_block_delta":
        yield from _word("block delta", _dict(event, "delta"), "type")


NAMES: dict[str, Callable[[Message], Iterator[Name]]] = {
    "acp": acp_names,
    "claude-code": claude_names,
    "codex": codex_names,
}
"""Family → its reader."""


def _word(category: str, value: Message, member: str) -> Iterator[Name]:
    word = value.get(member)
    if isinstance(word, str):
        yield category, _name(word)


def _name(word: str) -> str:
    """A name as it may be shown: bounded, and on one line; an agent may say anything."""
    return word if word.isprintable() and len(word) <= LONGEST else repr(word[:LONGEST])[1:-1]


def _dict(value: Message, member: str) -> Message:
    found = value.get(member)
    return found if isinstance(found, dict) else {}


def _dicts(value: Any) -> list[Message]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
