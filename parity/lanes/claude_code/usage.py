"""Token usage: Claude's counters under the names that every lane uses.

A message's usage comes with each of its blocks, and the last record is the true one (S48); a result holds the
turn's usage and, by model, the session's totals.
"""

from __future__ import annotations

from typing import Any

from parity.grammar import deltas as d

_TURN = {
    "input_tokens": "inputTokens",
    "output_tokens": "outputTokens",
    "cache_read_input_tokens": "cachedReadTokens",
    "cache_creation_input_tokens": "cachedWriteTokens",
}
_TOTAL = {
    "inputTokens": "inputTokens",
    "outputTokens": "outputTokens",
    "cacheReadInputTokens": "cachedReadTokens",
    "cacheCreationInputTokens": "cachedWriteTokens",
}


class MessageUsage:
    """The usage of the main thread's message that is being written, held until it is whole."""

    def __init__(self) -> None:
        self._id: str | None = None
        self._record: dict[str, int] = {}
        self._model: str | None = None
        self._used: int | None = None

    def record(
        self, out: list[d.Delta], message_id: str | None, usage: dict[str, Any], model: str | None
    ) -> None:
        """A record of a message; another message's first one means that the one before is whole."""
        if message_id != self._id:
            self.flush(out)
            self._id = message_id
        self._record = {**self._record, **_renamed(usage, _TURN)}
        self._model = model or self._model

    def more(self, usage: dict[str, Any]) -> None:
        """A later record of the message that streams."""
        self._record = {**self._record, **_renamed(usage, _TURN)}

    def flush(self, out: list[d.Delta]) -> None:
        """The message is whole: its usage, once, unless it used nothing."""
        record, self._record, self._id = self._record, {}, None
        if any(record.values()):
            self._used = sum(record.values())
            out.append(d.Usage(last=record))

    def of_result(self, out: list[d.Delta], usage: dict[str, Any], by_model: dict[str, Any]) -> None:
        """What a result says: the turn's usage, the session's total, the context window."""
        self.flush(out)
        turn = _renamed(usage, _TURN)
        total: dict[str, int] = {}
        for counters in by_model.values():
            for name, value in _renamed(counters, _TOTAL).items():
                total[name] = total.get(name, 0) + value
        if any(turn.values()) or any(total.values()):
            out.append(d.Usage(turn=turn or None, total=total or None))
        size = by_model.get(self._model or "")
        size = size.get("contextWindow") if isinstance(size, dict) else None
        if isinstance(size, int) and self._used is not None:
            out.append(d.ContextWindow(self._used, size))


def _renamed(counters: Any, names: dict[str, str]) -> dict[str, int]:
    if not isinstance(counters, dict):
        return {}
    return {
        name: counters[theirs]
        for theirs, name in names.items()
        if isinstance(counters.get(theirs), int) and not isinstance(counters[theirs], bool)
    }
