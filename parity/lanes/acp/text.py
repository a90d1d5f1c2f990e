"""Text streams of a session: which message or thought a piece continues.

One stream is open per parent (the session itself, or a child session's call). A chunk continues it when
channel and message id are the same; a changed id begins a new message; without ids, tool calls, plans and
the other channel are the boundaries (S47). Chunks are passed on verbatim (S13).

A message that is *kept* (protocol version 2) stays known until its turn ends: a later piece under its id
continues it, and `replace` says all of it anew. What was streamed of such a message may be less than it is
or something else; its close then carries the whole text.
"""

from __future__ import annotations

from parity.grammar import deltas as d
from parity.grammar.items import TEXT_TYPES


class _Kept:
    """A kept message: all its pieces, whether it is open, and whether its close must carry the text."""

    __slots__ = ("key", "open", "pieces", "whole")

    def __init__(self, key: d.Key) -> None:
        self.key = key
        self.pieces: list[str] = []
        self.open = True
        self.whole = False


class TextStreams:
    """The text streams of one session."""

    def __init__(self) -> None:
        self._open: dict[str | None, d.Key] = {}
        self._kept: dict[d.Key, _Kept] = {}

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
                self._close(out, key)
            key = self._open[parent] = d.Key(message_id, channel, parent)
        out.append(d.TextDelta(key, text))

    def append_kept(
        self, out: list[d.Delta], channel: str, text: str, message_id: str, parent: str | None
    ) -> None:
        """Append text to the message of that id, which is kept."""
        kept = self._keep(out, channel, message_id, parent)
        kept.pieces.append(text)
        if not kept.open:
            self._show(out, kept)
        elif not kept.whole:
            out.append(d.TextDelta(kept.key, text))

    def replace(
        self, out: list[d.Delta], channel: str, text: str, message_id: str, parent: str | None
    ) -> None:
        """Say all of a message anew; one that never had a text opens nothing."""
        known = self._kept.get(d.Key(message_id, channel, parent))
        if known is None:
            if text:
                self.append_kept(out, channel, text, message_id, parent)
            return
        before = "".join(known.pieces)
        if text == before:
            return
        known.pieces = [text]
        if known.open and not known.whole and text.startswith(before):
            out.append(d.TextDelta(known.key, text[len(before) :]))
        else:
            self._show(out, known)

    def boundary(self, out: list[d.Delta], parent: str | None, *, always: bool) -> None:
        """Other work begins: it ends a message without an id, or (`always`) any message."""
        key = self._open.get(parent)
        if key is not None and (key.provider_item_id is None or (always and key not in self._kept)):
            del self._open[parent]
            out.append(d.TextClose(key))

    def close_all(self, out: list[d.Delta]) -> None:
        """The turn ends: so does every message."""
        for key in self._open.values():
            if key not in self._kept:
                out.append(d.TextClose(key))
        self._open.clear()
        for kept in self._kept.values():
            if kept.open:
                self._settle(out, kept)
        self._kept.clear()

    # -- kept messages -------------------------------------------------------------------------------

    def _keep(self, out: list[d.Delta], channel: str, message_id: str, parent: str | None) -> _Kept:
        """The kept message of that id, now the parent's current one."""
        current = self._open.get(parent)
        if current is not None and current.provider_item_id == message_id and current.channel == channel:
            kept = self._kept.get(current)
            if kept is not None:
                return kept
        if current is not None:
            self._close(out, current)
        key = d.Key(message_id, channel, parent)
        kept = self._kept.get(key)
        if kept is None:
            kept = self._kept[key] = _Kept(key)
        self._open[parent] = kept.key
        return kept

    def _close(self, out: list[d.Delta], key: d.Key) -> None:
        """Another message begins. One that came back once stays open: it may come back again."""
        kept = self._kept.get(key)
        if kept is None:
            out.append(d.TextClose(key))
        elif kept.open and not kept.whole:
            self._settle(out, kept)

    def _settle(self, out: list[d.Delta], kept: _Kept) -> None:
        out.append(d.TextClose(kept.key, "".join(kept.pieces) if kept.whole else None))
        kept.open = False

    def _show(self, out: list[d.Delta], kept: _Kept) -> None:
        """The whole text as it is now: the item is opened with it, again where it was settled."""
        item = {"type": TEXT_TYPES[kept.key.channel or "agentMessage"], "text": "".join(kept.pieces)}
        out.append(d.ItemOpen(kept.key, item, reopen=True))
        kept.open = kept.whole = True
