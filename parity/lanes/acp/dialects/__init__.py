"""The dialects, and how one is chosen: by the provider's profile, else by the launched executable."""

from __future__ import annotations

from parity.lanes.acp.dialects.base import Dialect
from parity.lanes.acp.dialects.claude import Claude
from parity.lanes.acp.dialects.codex import Codex
from parity.lanes.acp.dialects.cursor import Cursor
from parity.lanes.acp.dialects.gemini import Gemini
from parity.lanes.acp.dialects.grok import Grok
from parity.lanes.acp.dialects.hermes import Hermes
from parity.lanes.acp.dialects.opencode import OpenCode
from parity.lanes.acp.dialects.qwen import Qwen

DIALECTS: dict[str, type[Dialect]] = {
    dialect.id: dialect for dialect in (Dialect, Claude, Codex, Cursor, Gemini, Grok, Hermes, OpenCode, Qwen)
}
_EXECUTABLES = {
    "claude-agent-acp": "claude",
    "codex-acp": "codex",
    "cursor-agent": "cursor",
    "hermes-acp": "hermes",
}


def choose(profile: str | None, command: list[str] | None = None) -> Dialect:
    """The dialect of a profile (`grok`, `acp-grok`), else of a launch command, else the generic one."""
    name = (profile or "").removeprefix("acp-")
    if name in DIALECTS:
        return DIALECTS[name]()
    for word in command or []:
        base = word.replace("\\", "/").rsplit("/", 1)[-1]
        found = _EXECUTABLES.get(base, base)
        if found in DIALECTS:
            return DIALECTS[found]()
    return Dialect()


__all__ = ["DIALECTS", "Dialect", "choose"]
