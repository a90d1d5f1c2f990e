"""Token usage: what one turn used, told from running totals (S49).

A turn's use is the growth of the totals since it began. A repeated total adds nothing; a total that falls
is a new base and adds nothing; a thread whose earlier totals were never seen begins before its first
report's last call. Units: tokens, under the agent's own field names.
"""

from __future__ import annotations

from typing import Any, TypeAlias

Tokens: TypeAlias = dict[str, Any]


class UsageMeter:
    """The totals of one thread. Its only state: the last totals, and the growth in the open turn."""

    def __init__(self) -> None:
        self._total: dict[str, int] | None = None
        self._turn: dict[str, int] = {}

    def begin_turn(self) -> None:
        """What grows from here on belongs to a new turn."""
        self._turn = {}

    def update(self, total: Tokens, last: Tokens) -> Tokens:
        """Take a report; returns the open turn's use so far."""
        now = _counts(total)
        before = self._total
        if before is None:
            call = _counts(last)
            before = {name: max(0, count - call.get(name, 0)) for name, count in now.items()}
        fell = any(count < before.get(name, 0) for name, count in now.items())
        for name, count in now.items():
            grown = 0 if fell else count - before.get(name, 0)
            self._turn[name] = self._turn.get(name, 0) + grown
        self._total = now
        return dict(self._turn)


def _counts(tokens: Tokens) -> dict[str, int]:
    return {name: count for name, count in tokens.items() if type(count) is int}
