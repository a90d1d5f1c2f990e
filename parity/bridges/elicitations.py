"""Elicitations that no row can show: what is answered, and what a person is told.

MCP servers ask through their agent (`elicitation/create`, https://modelcontextprotocol.io). ACP, codex and
Claude Code pass the question on in a frame of their own and keep MCP's words: `mode` (`form`, `url`),
`message`, `url`. Rows have no form, and parity opens no page; so it declines, and says what was asked and
where.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

DECLINED = {"action": "decline"}
"""The answer to a question that no row can show."""

_MODES = {"form": "a form", "url": "a page"}


def declined(asked: Mapping[str, Any], server: str | None = None) -> str:
    """What a person is told of an elicitation that was declined; its URL is never left out."""
    url, message, mode = (_text(asked, name) for name in ("url", "message", "mode"))
    if mode is None:
        mode = "url" if url else "form"
    what = _MODES.get(mode, f"a question ({mode})")
    text = f"declined {what} of {server or 'the agent'}"
    return text + (f": {message}" if message else "") + (f" ({url})" if url else "")


def _text(asked: Mapping[str, Any], name: str) -> str | None:
    value = asked.get(name)
    return value if isinstance(value, str) else None
