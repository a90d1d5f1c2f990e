"""One allowance: its fields, and which differences it accepts.

Knows JSON pointer patterns and differences. Must not know YAML or files.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET

from parity.compare import Difference, same

SECTIONS = ("pinned", "checkouts", "counts")
"""The sections of an allowlist, in the order of the file."""

GUARDED = ("unhandled", "grammarDrops")
"""Counts that may fall and never rise without an allowance."""

_WHOLES = frozenset({"item", "params", "delta", "children"})


@dataclass(slots=True, eq=False)
class Allowance:
    """One entry of the allowlist. `hits` counts what it accepted in this process."""

    section: str
    where: str
    """`<path>:<line>`."""
    issue: str
    reason: str
    providers: frozenset[str] | None
    """None: every provider."""
    cells: frozenset[str] | None
    """None: every cell."""
    layer: str | None = None
    path: str | None = None
    """JSON pointer pattern: `*` one level, `**` any depth, none included."""
    change: str | None = None
    old: Any = UNSET
    """The only old value accepted; UNSET accepts any, None only null."""
    new: Any = UNSET
    count: str | None = None
    max: int | None = None
    """`counts`: the highest value accepted; None accepts any."""
    hits: int = 0
    _pattern: re.Pattern[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._pattern = compile_pattern(self.path or "/**")

    def __str__(self) -> str:
        return f"{self.where}: {self.issue} {self.reason}"

    def concerns(self, provider: str, cell: str) -> bool:
        """Whether the cell is in the allowance's scope."""
        return (self.providers is None or provider in self.providers) and (
            self.cells is None or cell in self.cells
        )

    def matches(self, difference: Difference) -> bool:
        """Whether the allowance accepts this difference of a cell in its scope."""
        return (
            self.layer == difference.layer
            and (self.change is None or self.change == difference.change)
            and self._pattern.fullmatch(difference.path) is not None
            and (self.old is UNSET or same(self.old, difference.old))
            and (self.new is UNSET or same(self.new, difference.new))
        )

    def allows(self, count: str, value: int) -> bool:
        """Whether a guarded count of a cell in the allowance's scope may be this high."""
        return self.count == count and (self.max is None or value <= self.max)


def compile_pattern(path: str) -> re.Pattern[str]:
    """The regular expression of a path pattern that begins with `/`; other segments are literal."""
    parts = []
    for segment in path.split("/")[1:]:
        if segment == "**":
            parts.append("(?:/[^/]*)*")
        elif segment == "*":
            parts.append("/[^/]*")
        else:
            parts.append("/" + re.escape(segment))
    return re.compile("".join(parts), re.DOTALL)


def is_broad(path: str) -> bool:
    """Whether the pattern accepts a whole document, item, message or row at once."""
    segments = path.split("/")[1:]
    if len(segments) == 1 or all(segment in ("*", "**") for segment in segments):
        return True
    last, before = segments[-1], segments[-2]
    if last == "**" or last in _WHOLES:
        return True
    return (last == "*" and before in _WHOLES) or before == "children"
