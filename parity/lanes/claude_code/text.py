"""Text of a session's messages: streamed pieces and whole blocks become each block once, in order (S48).

A message streams block by block; each block comes again whole in a frame of its own, whose index is always 0.
So a whole block confirms the first block of its channel in its message that nothing has confirmed yet:

    streaming → confirmed (the whole came) | sealed (other work began, or the turn ended, without it)

A confirmed or sealed block takes nothing more. Messages are remembered until the turn, or the work they
belong to that outlives it, ends; in a long turn the newest of them.
"""

from __future__ import annotations

from collections.abc import Callable

from parity.grammar import deltas as d
from parity.grammar.newest import Newest
from parity.lanes.policy import REMEMBERED_CALLS


class _Block:
    __slots__ = ("channel", "confirmed", "key", "open", "pieces")

    def __init__(self, key: d.Key, channel: str) -> None:
        self.key = key
        self.channel = channel
        self.pieces: list[str] = []
        self.open = True
        self.confirmed = False


class _Message:
    __slots__ = ("blocks", "id", "indexed")

    def __init__(self, message_id: str) -> None:
        self.id = message_id
        self.blocks: list[_Block] = []
        self.indexed: dict[int, _Block] = {}


class TextBlocks:
    """The text and thinking blocks of one turn."""

    def __init__(self) -> None:
        self._messages: dict[tuple[str | None, str], _Message] = {}
        self._current: dict[str | None, _Message] = {}
        self._newest: Newest[tuple[str | None, str]] = Newest(REMEMBERED_CALLS)
        self._nameless = 0

    def begin(self, out: list[d.Delta], parent: str | None, message_id: str | None) -> None:
        """A message begins to stream; whatever streamed before it under the same parent is sealed."""
        message = self._message(out, parent, message_id)
        before = self._current.get(parent)
        if before is not None and before is not message:
            self._seal(out, before)
        self._current[parent] = message

    def start(self, out: list[d.Delta], parent: str | None, index: int, channel: str, text: str) -> None:
        """The streaming message's block `index` begins, also where an index is used again."""
        message = self._streaming(out, parent)
        message.indexed[index] = self._new(message, parent, channel)
        self.append(out, parent, index, channel, text)

    def append(self, out: list[d.Delta], parent: str | None, index: int, channel: str, text: str) -> None:
        """A piece of the streaming message's block `index`; an empty piece opens nothing."""
        message = self._streaming(out, parent)
        block = message.indexed.get(index)
        if block is None or block.channel != channel:
            block = message.indexed[index] = self._new(message, parent, channel)
        if block.open and text:
            block.pieces.append(text)
            out.append(d.TextDelta(block.key, text))

    def whole(
        self, out: list[d.Delta], parent: str | None, message_id: str | None, channel: str, text: str
    ) -> None:
        """A whole block: the end of what streamed of it, or all of it. It never doubles or shortens."""
        message = self._message(out, parent, message_id)
        block = _streamed(message, channel, text)
        if block is None:
            if not text:
                return
            block = self._new(message, parent, channel)
        block.confirmed = True
        if not block.open:
            return
        block.open = False
        before = "".join(block.pieces)
        if not before and not text:
            return
        if text.startswith(before):
            if len(text) > len(before):
                out.append(d.TextDelta(block.key, text[len(before) :]))
            out.append(d.TextClose(block.key))
        else:
            out.append(d.TextClose(block.key, None if before.startswith(text) else text))

    def close_all(self, out: list[d.Delta], late: Callable[[str | None], bool]) -> None:
        """The turn ends: so does every message, but for those of work that outlives it (`late`)."""
        ended = {parent for parent, _ in self._messages if not late(parent)}
        for key in [key for key in self._messages if key[0] in ended]:
            self._seal(out, self._messages.pop(key))
            self._newest.discard(key)
        for parent in ended:
            self._current.pop(parent, None)

    def _streaming(self, out: list[d.Delta], parent: str | None) -> _Message:
        message = self._current.get(parent)
        if message is None:
            message = self._current[parent] = self._message(out, parent, None)
        return message

    def _message(self, out: list[d.Delta], parent: str | None, message_id: str | None) -> _Message:
        if message_id is None:
            self._nameless += 1
            message_id = f"message-{self._nameless}"
        key = (parent, message_id)
        message = self._messages.get(key)
        if message is None:
            message = self._messages[key] = _Message(message_id)
            forgotten = self._newest.add(key)
            if forgotten is not None and self._current.get(forgotten[0]) is not self._messages[forgotten]:
                self._seal(out, self._messages.pop(forgotten))
        return message

    def _new(self, message: _Message, parent: str | None, channel: str) -> _Block:
        block = _Block(d.Key(f"{message.id}:{len(message.blocks)}", channel, parent), channel)
        message.blocks.append(block)
        return block

    def _seal(self, out: list[d.Delta], message: _Message) -> None:
        for block in message.blocks:
            if block.open:
                block.open = False
                if block.pieces:
                    out.append(d.TextClose(block.key))


def _streamed(message: _Message, channel: str, text: str) -> _Block | None:
    """The block a whole one confirms: the first whose pieces fit, else the first."""
    waiting = [block for block in message.blocks if block.channel == channel and not block.confirmed]
    for block in waiting:
        before = "".join(block.pieces)
        if before == text or (before and text and (text.startswith(before) or before.startswith(text))):
            return block
    return waiting[0] if waiting and text else None
