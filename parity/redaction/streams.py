"""Streams: texts that cross in pieces, so that a secret may be cut in two between messages.

Says which texts of a message are pieces, and to which stream they belong; joins them; and gives a changed
text back in pieces, each of which still is a message of its own. Knows the messages of all families and of
the runtime protocol by their fields only. Must not know what is secret.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Any, TypeAlias

from msgspec import Struct, field

from parity.redaction.document import Edit
from parity.redaction.values import bytes_of_text, text_of_bytes
from parity.wire import JsonError, decode

Path: TypeAlias = tuple[str | int, ...]

_LEAVES = (
    "text",
    "delta",
    "thinking",
    "partial_json",
    "signature",
    "data",
    "chunk",
    "output",
    "stdout",
    "stderr",
    "arguments_delta",
    "deltaBase64",
    "dataBase64",
)
_IDS = (
    "sessionId",
    "session_id",
    "threadId",
    "turnId",
    "itemId",
    "toolCallId",
    "tool_index",
    "terminalId",
    "terminal_id",
    "messageId",
    "message_id",
    "processId",
    "callId",
    "parent_tool_use_id",
    "index",
    "contentIndex",
    "summaryIndex",
    "stream",
    "channel",
    "type",
    "sessionUpdate",
    "key",
)

_LEAF = re.compile(rf'"({"|".join(_LEAVES)})":\s*"((?:[^"\\]|\\.)+)"')
_NAMED = re.compile(rf'"(?:{"|".join(_IDS)})":\s*("[^"]*"|\d+)')


class Piece(Struct):
    """A text in a message: the key of its stream, its place in the message, how it is written."""

    key: tuple[Any, ...]
    path: Path
    text: str
    base64: bool = False


class Stream(Struct):
    """The pieces of one stream, in order: (line, piece), and where the stream was interrupted."""

    places: list[tuple[int, Piece]] = field(default_factory=list)
    gaps: list[int] = field(default_factory=list)
    length: int = 0

    @property
    def text(self) -> str:
        """The pieces, joined."""
        return "".join(piece.text for _, piece in self.places)


def pieces(message: Any) -> Iterator[Piece]:
    """The pieces in a message (any JSON value)."""
    if not isinstance(message, dict):
        return
    kind, method, params = message.get("type"), message.get("method"), message.get("params")
    if kind == "stream_event":
        event = message.get("event")
        if isinstance(event, dict) and event.get("type") == "content_block_delta":
            yield from _leaves(event.get("delta"), ("event", "delta"), (*_ids(message), *_ids(event)))
    elif method == "thread/delta" and isinstance(params, dict):
        deltas = params.get("deltas")
        for index, delta in enumerate(deltas if isinstance(deltas, list) else ()):
            if isinstance(delta, dict) and str(delta.get("kind")).endswith("Delta"):
                key = (*_ids(params), delta["kind"], *_ids(delta))
                yield from _leaves(delta, ("params", "deltas", index), key)
    elif isinstance(method, str) and isinstance(params, dict):
        update = params.get("update")
        if isinstance(update, dict):
            yield from _update(update, ("params", "update"), (method, *_ids(params), *_ids(update)))
        elif "elta" in method:
            yield from _leaves(params, ("params",), (method, *_ids(params)))
    elif isinstance(kind, str) and "elta" in kind:
        yield from _leaves(message, (), (kind, *_ids(message)))


def may_hold_pieces(line: bytes) -> bool:
    """Whether a line is worth decoding for pieces."""
    return b"elta" in line or b"_chunk" in line or b"terminal_output" in line


def message_of(line: str) -> Any:
    """The message in a line that may hold pieces; None for any other."""
    if may_hold_pieces(line.encode("utf-8", "replace")):
        try:
            return decode(line)
        except JsonError:
            return None
    return None


def gather(messages: Iterable[tuple[str, Any]]) -> list[Stream]:
    """The streams in (lane, message) lines, in order."""
    streams: dict[Any, Stream] = {}
    ended: list[Stream] = []
    counts: dict[str, int] = {}
    last: dict[Any, int] = {}
    for index, (lane, message) in enumerate(messages):
        counts[lane] = counts.get(lane, 0) + 1
        for piece in pieces(message):
            key = (lane, *piece.key)
            if key in streams and _grows(streams[key].places[-1][1], piece):
                ended.append(streams.pop(key))
            stream = streams.setdefault(key, Stream())
            if stream.places and last[key] < counts[lane] - 1:
                stream.gaps.append(stream.length)
            last[key] = counts[lane]
            stream.places.append((index, piece))
            stream.length += len(piece.text)
    return [*ended, *streams.values()]


def join_roughly(lines: Iterable[str]) -> str:
    """The texts in pieces of message lines, each joined, one a line: for a look that need not be exact.

    Texts stand as they are written, escapes and all; what names a stream is read without regard to where.
    """
    joined: dict[tuple[str, ...], list[str]] = {}
    for line in lines:
        leaves = _LEAF.findall(line)
        if leaves:
            key = tuple(_NAMED.findall(line))
            for name, text in leaves:
                if name.endswith("Base64"):
                    text = _of_base64(text) or ""
                joined.setdefault((name, *key), []).append(text)
    return "\n".join("".join(texts) for texts in joined.values())


def in_pieces(stream: Stream, edits: Sequence[Edit]) -> Iterator[tuple[int, Piece, str]]:
    """(line, piece, its text with the edits of the joined text), for the pieces that change.

    What replaces a span that several pieces share is shared out in the same proportion, so that a piece that
    said something still does.
    """
    new: list[list[str]] = [[] for _ in stream.places]
    starts = [0]
    for _, piece in stream.places:
        starts.append(starts[-1] + len(piece.text))
    at = 0
    joined = stream.text
    narrowed = sorted(_narrowed(joined, edit) for edit in edits)
    for start, end, text in [*narrowed, (stream.length, stream.length, "")]:
        _copy(stream, starts, new, at, start)
        touched = [i for i in range(len(new)) if starts[i] < end and starts[i + 1] > start]
        lengths = [min(end, starts[i + 1]) - max(start, starts[i]) for i in touched]
        for i, share in zip(touched, _shared(text, lengths), strict=True):
            new[i].append(share)
        at = end
    for (line, piece), parts in zip(stream.places, new, strict=True):
        if (text := "".join(parts)) != piece.text:
            yield line, piece, text


def written(piece: Piece, text: str) -> str:
    """A piece's new text as its field holds it."""
    if not piece.base64:
        return text
    from base64 import b64encode

    return b64encode(bytes_of_text(text)).decode()


def _narrowed(joined: str, edit: Edit) -> Edit:
    """The edit without what it leaves as it is at its beginning and its end."""
    start, end, text = edit
    same = _same(joined[start:end], text)
    start, text = start + same, text[same:]
    same = _same(joined[start:end][::-1], text[::-1])
    return start, end - same, text[: len(text) - same]


def _same(one: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _copy(stream: Stream, starts: list[int], new: list[list[str]], start: int, end: int) -> None:
    for i, (_, piece) in enumerate(stream.places):
        if starts[i] < end and starts[i + 1] > start:
            new[i].append(piece.text[max(start - starts[i], 0) : end - starts[i]])


def _shared(text: str, lengths: list[int]) -> Iterator[str]:
    total, taken, past = sum(lengths), 0, 0
    for left, length in zip(range(len(lengths) - 1, -1, -1), lengths, strict=True):
        past += length
        upto = (
            len(text) if not left else min(max(round(len(text) * past / total), taken + 1), len(text) - left)
        )
        upto = max(upto, taken)
        yield text[taken:upto]
        taken = upto


def _grows(before: Piece, piece: Piece) -> bool:
    """Whether a piece says all of the last one again: a snapshot, not a piece."""
    return len(before.text) > 3 and len(piece.text) > len(before.text) and piece.text.startswith(before.text)


def _ids(holder: dict[str, Any]) -> Iterator[Any]:
    for name in _IDS:
        value = holder.get(name)
        if isinstance(value, dict):
            yield str(value)
        elif value is not None and not isinstance(value, list):
            yield value


def _update(update: dict[str, Any], path: Path, key: tuple[Any, ...]) -> Iterator[Piece]:
    kind = update.get("sessionUpdate")
    if isinstance(kind, str) and ("chunk" in kind or "elta" in kind):
        yield from _leaves(update, path, key)
        yield from _leaves(update.get("content"), (*path, "content"), key)
    meta = update.get("_meta")
    for name in ("terminal_output", "terminal_output_delta"):
        if not isinstance(meta, dict):
            break
        yield from _leaves(meta.get(name), (*path, "_meta", name), (*key, name))


def _leaves(holder: Any, path: Path, key: tuple[Any, ...]) -> Iterator[Piece]:
    if not isinstance(holder, dict):
        return
    for name in _LEAVES:
        value = holder.get(name)
        if not isinstance(value, str) or not value:
            continue
        if name.endswith("Base64"):
            text = _of_base64(value)
            if text is not None:
                yield Piece((*key, name), (*path, name), text, base64=True)
        else:
            yield Piece((*key, name), (*path, name), value)


def _of_base64(value: str) -> str | None:
    import base64
    import binascii

    try:
        return text_of_bytes(base64.b64decode(value, validate=True))
    except binascii.Error:
        return None
