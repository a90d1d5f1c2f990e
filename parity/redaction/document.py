"""JSON text with places: what a text holds and where, so that one value can be changed where it stands.

A redacted line keeps every byte that is not redacted (spacing, key order, the way numbers are written), also
where the JSON is a string inside other JSON. So nothing is decoded and written anew: the text is scanned,
values are replaced where they stand. Knows JSON text. Must not know what is secret.
"""

from __future__ import annotations

import json
import json.decoder
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import TypeAlias

from msgspec import Struct

Edit: TypeAlias = tuple[int, int, str]
"""(start, end, text): what stands there instead."""

_string: Callable[[str, int, bool], tuple[str, int]] = json.decoder.scanstring  # type: ignore[attr-defined]
_SPACES = frozenset(" \t\n\r")
_SCALAR = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_WIDE_ESCAPE = re.compile(r"\\u(?!00[0-7])[0-9a-fA-F]{4}")
_SURROGATE = re.compile("[\ud800-\udfff]")


class Node(Struct):
    """A value and its place: `text[start:end]` is its JSON."""

    start: int
    end: int
    kind: str
    """object, array, string or scalar."""
    value: str = ""
    """The text of a string, decoded; of a scalar, as written."""
    members: list[tuple[Node, Node]] = []
    """(key, value) of an object, in order."""
    items: list[Node] = []


def scan(text: str) -> Node | None:
    """The value of a JSON text; None for anything that is not JSON, or is nested too deeply to walk."""
    try:
        node = _value(text, _space(text, 0))
    except (ValueError, IndexError, RecursionError):
        return None
    return node if _space(text, node.end) == len(text) else None


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits made; they do not overlap."""
    parts: list[str] = []
    at = 0
    for start, end, new in sorted(edits):
        parts += text[at:start], new
        at = end
    return "".join((*parts, text[at:]))


def quoted(value: str, before: str) -> str:
    """The value as a JSON string, escaped in the manner of the literal it replaces."""
    ascii_only = _WIDE_ESCAPE.search(before) is not None or _SURROGATE.search(value) is not None
    return json.dumps(value, ensure_ascii=ascii_only)


def without_items(text: str, items: list[Node], kept: list[int]) -> Iterator[Edit]:
    """Edits that take items out of an array, with the commas before them; the first one is among the kept."""
    for index, (before, item) in enumerate(pairwise(items), 1):
        if index not in kept:
            yield before.end, item.end, ""


def _space(text: str, at: int) -> int:
    while text[at : at + 1] in _SPACES:
        at += 1
    return at


def _value(text: str, at: int) -> Node:
    first = text[at]
    if first == '"':
        value, end = _string(text, at + 1, True)
        return Node(at, end, "string", value)
    if first == "{":
        return _object(text, at)
    if first == "[":
        return _array(text, at)
    scalar = _SCALAR.match(text, at)
    if scalar is None:
        raise ValueError(at)
    return Node(at, scalar.end(), "scalar", scalar[0])


def _object(text: str, start: int) -> Node:
    members: list[tuple[Node, Node]] = []
    at = _space(text, start + 1)
    if text[at] == "}":
        return Node(start, at + 1, "object", members=members)
    while True:
        key = _value(text, at)
        at = _space(text, key.end)
        if key.kind != "string" or text[at] != ":":
            raise ValueError(at)
        value = _value(text, _space(text, at + 1))
        members.append((key, value))
        at = _space(text, value.end)
        if text[at] == "}":
            return Node(start, at + 1, "object", members=members)
        if text[at] != ",":
            raise ValueError(at)
        at = _space(text, at + 1)


def _array(text: str, start: int) -> Node:
    items: list[Node] = []
    at = _space(text, start + 1)
    if text[at] == "]":
        return Node(start, at + 1, "array", items=items)
    while True:
        item = _value(text, at)
        items.append(item)
        at = _space(text, item.end)
        if text[at] == "]":
            return Node(start, at + 1, "array", items=items)
        if text[at] != ",":
            raise ValueError(at)
        at = _space(text, at + 1)
