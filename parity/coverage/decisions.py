"""Decisions: why a name may become nothing, as the lanes have it written down.

The tables are the lanes'; here is only which of them speaks of which category.
"""

from __future__ import annotations

from parity.coverage.model import Key
from parity.lanes.acp import decisions as acp
from parity.lanes.claude_code import decisions as claude_code
from parity.lanes.codex import known as codex

_ACP_MESSAGES = ("session update", "client method")
_CLAUDE_HEADS = {
    "block delta": "stream_event content_block_delta ",
    "content block": "block ",
    "control request": "control_request ",
    "message": "",
    "result": "result ",
    "stream event": "stream_event ",
}
"""Category → how the lane's table names what is in it."""


def decision_of(key: Key) -> str | None:
    """The written reason; None where there is none."""
    if key.protocol == "codex":
        return _codex(key)
    if key.protocol == "claude-code":
        return claude_code.reason(_CLAUDE_HEADS[key.category] + key.name.replace("/", " "))
    if key.category in _ACP_MESSAGES:
        return acp.reason(key.name) or acp.reason(key.name.partition(" ")[0])
    return acp.WORDS.get(f"{key.category} {key.name}")


def _codex(key: Key) -> str | None:
    if key.category == "notification":
        return codex.IGNORED_NOTIFICATIONS.get(key.name) or codex.QUIET.get(key.name)
    if key.category == "server request":
        answer = codex.SERVER_REQUESTS.get(key.name, "")
        return answer if answer.startswith("refused") else None
    return None
