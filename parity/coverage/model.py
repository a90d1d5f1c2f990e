"""What coverage is made of: names of a protocol's vocabulary, and what is known of each.

Knows no protocol and no file.
"""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct, field

UNHANDLED, IGNORED, HANDLED = "unhandled", "ignored", "handled"
VERDICTS = (UNHANDLED, IGNORED, HANDLED)
"""The verdicts, the worst first."""

PROTOCOLS = {
    "acp-v1": "ACP 1",
    "acp-v2": "ACP 2 (draft)",
    "codex": "codex app-server",
    "claude-code": "Claude Code stream-json",
}
"""Protocol → what people call it, in the order of the tables."""


class Key(NamedTuple):
    """A name of a protocol's vocabulary: `acp-v1`, `tool kind`, `execute`."""

    protocol: str
    category: str
    name: str

    def __str__(self) -> str:
        return f"{self.protocol} · {self.category} · {self.name}"


class Entry(Struct, kw_only=True):
    """What is known of one name."""

    protocol: str
    category: str
    name: str
    verdict: str
    """One of `VERDICTS`."""
    becomes: list[str] = field(default_factory=list)
    """What the bridge says because of it: deltas with their item type, answers, host calls."""
    decision: str | None = None
    """Why it may become nothing, where that is written down."""
    cells: list[str] = field(default_factory=list)
    """The cells it occurs in, `provider/cell`."""
    published: bool = True
    """Whether the protocol's own vocabulary has it; else only recordings do."""

    @property
    def key(self) -> Key:
        """Its name."""
        return Key(self.protocol, self.category, self.name)
