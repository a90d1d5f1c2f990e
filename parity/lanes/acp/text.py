"""Text streams of a session: which message or thought a chunk continues.

One stream is open per parent (the session itself, or a child session's call). A chunk continues it when
channel and message id are the same; a changed id begins a new message; without ids, tool calls, plans and
the other channel are the boundaries (S47). Chunks are passed on verbatim (S13).
"""

from __future__ import annotations

from parity.grammar import deltas as d


class TextStreams:
    """The open text streams of one session."""

    def __init__(self) -> None:
        self._open: dict[str | None, d.Key] = {}

    def append(
        self,
        out: list[d.Delta],
        channel: str,
        text: str,
        message_id: str | None,
        parent: str | None,
    ) -> None:
        """Append text, closing the stream before it if this is another message."""
        key = self._open.get(parent)
        if key is None or key.channel != channel or key.provider_item_id != message_id:
            if key is not None:
                out.append(d.TextClose(key))
            key = self._open[parent] = d.Key(message_id, channel, parent)
        out.append(d.TextDelta(key, text))

    def boundary(self, out: list[d.Delta], parent: str | None, *, always: bool) -> None:
        """Other work begins: it ends a message without an id, or (`always`) any message."""
        key = self._open.get(parent)
        if key is not None and (always or key.provider_item_id is None):
            del self._open[parent]
            out.append(d.TextClose(key))

    def close_all(self, out: list[d.Delta]) -> None:
        """The turn ends: so does every message."""
        for key in self._open.values():
            out.append(d.TextClose(key))
        self._open.clear()
