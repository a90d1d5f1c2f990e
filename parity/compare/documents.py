"""What two JSON documents have in common: canonical bytes, strict equality, pointers, printing.

Knows JSON values and nothing else. Must not know layers, providers or the meaning of any field.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

_ENCODER = msgspec.json.Encoder(order="sorted")
_CONTEXT = 20  # characters shown before the first differing one


def canonical(value: Any) -> bytes:
    """The value as compact JSON with sorted keys; 1, 1.0 and true stay three different values."""
    try:
        return _ENCODER.encode(value)
    except (OverflowError, UnicodeEncodeError):  # what msgspec cannot write, the slow path can
        return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def digest(value: Any) -> bytes:
    """16 bytes that stand for the value: equal exactly when `same` holds."""
    return hashlib.blake2b(canonical(value), digest_size=16).digest()


def same(a: Any, b: Any) -> bool:
    """Strict JSON equality: key order is ignored, 1 is not 1.0 and not true, absent is not null."""
    if a is b:
        return True
    if a is msgspec.UNSET or b is msgspec.UNSET or type(a) is not type(b):
        return False
    if isinstance(a, str):
        return bool(a == b)
    if isinstance(a, (dict, list)) and len(a) != len(b):
        return False
    return canonical(a) == canonical(b)


def pointer(tokens: Iterable[str | int]) -> str:
    """A JSON pointer (RFC 6901) of unescaped tokens; "" for none."""
    return "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in tokens)


def describe(value: Any, other: Any, width: int = 100) -> str:
    """One printable line for `value` that shows where it differs from `other`.

    Never longer than `width` characters. What is cut away is marked with "…"; a value that is not
    there is "(absent)".
    """
    if value is msgspec.UNSET:
        return "(absent)"
    if isinstance(value, str) and isinstance(other, str):
        return _window(value, other, width)
    text = _printed(value)
    if len(text) <= width:
        return text
    against = "" if other is msgspec.UNSET else _printed(other)
    start, stop = _span(text, against)
    return _cut(text, start, stop, width)


def _printed(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))


def _window(value: str, other: str, width: int) -> str:
    """The differing part of a string, JSON-escaped; only the part to be shown is ever escaped."""
    if len(value) <= width:
        text = _printed(value)
        if len(text) <= width:
            return text
    start, stop = _span(value, other)
    room = max(width - 4, 1)  # two quotes, two marks
    first = max(0, min(start - _CONTEXT, len(value) - room))
    last = min(len(value), first + room, stop + room)
    body = _printed(value[first:last])[1:-1]
    while len(body) > room and last - first > 1:  # escapes made it longer
        overshoot = max(1, (len(body) - room) // 6)
        if last > start + 1:
            last = max(start + 1, last - overshoot)
        else:
            first = min(last - 1, first + overshoot)
        body = _printed(value[first:last])[1:-1]
    head = "…" if first else ""
    tail = "…" if last < len(value) else ""
    return f'{head}"{body}"{tail}'[:width]


def _cut(text: str, start: int, stop: int, width: int) -> str:
    room = max(width - 2, 1)
    first = max(0, min(start - _CONTEXT, len(text) - room))
    last = min(len(text), first + room)
    return f"{'…' if first else ''}{text[first:last]}{'…' if last < len(text) else ''}"[:width]


def _span(text: str, other: str) -> tuple[int, int]:
    """Start and end, in `text`, of what differs from `other`."""
    limit = min(len(text), len(other))
    start = _agreeing(limit, lambda n: text[:n] == other[:n])
    rest = limit - start
    end = _agreeing(rest, lambda n: text[len(text) - n :] == other[len(other) - n :])
    return start, len(text) - end


def _agreeing(limit: int, agrees: Callable[[int], bool]) -> int:
    """The largest n <= limit for which the monotone predicate holds."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if agrees(middle):
            low = middle
        else:
            high = middle - 1
    return low
