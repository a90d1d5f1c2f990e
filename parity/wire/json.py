"""JSON as agents really write it: strict, except that a lone surrogate never costs a line.

Knows JSON text and Python values. Must not know files, lanes or any protocol.

A JavaScript agent that cuts a string in the middle of an emoji writes ``"\\ud83d"``: legal JSON, but
no Unicode text. Such an escape becomes U+FFFD and is counted (situation S53). Everything else that is
not JSON (NaN, control characters, trailing text, invalid UTF-8) is refused.
"""

from __future__ import annotations

import re
from typing import Any, Protocol, TypeVar

import msgspec

REPLACEMENT = "\ufffd"
MAX_DEPTH = 256
"""How deep values may be nested: what was read can also be written again, inside other documents."""

_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode

# One match per surrogate escape. An even run of backslashes before it is text, not an escape;
# a high and a low half side by side are one character (group 2) and stay as they are.
_SURROGATE_ESCAPE = re.compile(
    rb"(?<!\\)((?:\\\\)*)"
    rb"\\u(?:[dD][89abAB][0-9a-fA-F]{2}(\\u[dD][c-fC-F][0-9a-fA-F]{2})|[dD][89a-fA-F][0-9a-fA-F]{2})"
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_BYTE_OFFSET = re.compile(r" \(byte (\d+)\)$")

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class JsonError(ValueError):
    """The text is not JSON, or the value cannot be written as JSON.

    ``offset`` is the byte (from 0, in the UTF-8 text) where reading failed, None where unknown.
    """

    def __init__(self, what: str, offset: int | None = None) -> None:
        super().__init__(what)
        self.offset = offset


class TypedDecoder(Protocol[T_co]):
    """What `decode_with` needs: a `msgspec.json.Decoder` of some type."""

    def decode(self, buf: str | bytes, /) -> T_co:
        """The value; raises ValueError or RecursionError."""


def decode(text: str | bytes) -> Any:
    """The value of one JSON text. Integers of any size survive; the last of two equal keys wins.

    Raises JsonError for anything that is not JSON, and for nesting deeper than `MAX_DEPTH`.
    """
    return decode_counted(text)[0]


def decode_counted(text: str | bytes) -> tuple[Any, int]:
    """`decode`, and how many lone surrogates became U+FFFD."""
    try:
        value, replaced = _decode(text), 0
    except (ValueError, RecursionError) as error:
        value, replaced = _decode_repaired(_decode, text, error)
    if len(text) > 2 * MAX_DEPTH and _is_deep(text, value):
        raise JsonError("nested too deeply")
    return value, replaced


def decode_with(decoder: TypedDecoder[T], text: str | bytes) -> tuple[T, int]:
    """`decode_counted` into the type of a `msgspec.json.Decoder`.

    Raises JsonError where the text is not JSON and msgspec.ValidationError where it is JSON of
    another shape.
    """
    try:
        return decoder.decode(text), 0
    except (ValueError, RecursionError) as error:
        return _decode_repaired(decoder.decode, text, error)


def encode(value: object) -> bytes:
    """Compact UTF-8 JSON of builtins and msgspec Structs: keys in the order given, no newline.

    A surrogate inside a string becomes U+FFFD; a NaN or an infinity becomes ``null`` (as
    ``JSON.stringify`` does). Raises JsonError for nesting deeper than the stack allows and TypeError
    for a value JSON has no word for.
    """
    try:
        return _encode(value)
    except UnicodeEncodeError:
        pass
    except RecursionError as error:
        raise JsonError("nested too deeply") from error
    try:
        return _encode(_without_surrogates(msgspec.to_builtins(value)))
    except RecursionError as error:
        raise JsonError("nested too deeply") from error


def _is_deep(text: str | bytes, value: Any) -> bool:
    """Whether a value is nested deeper than `MAX_DEPTH`; most texts have too few brackets for that."""
    marks: tuple[Any, Any] = ("[", "{") if isinstance(text, str) else (b"[", b"{")
    if text.count(marks[0]) + text.count(marks[1]) <= MAX_DEPTH:
        return False
    level = [value] if isinstance(value, (dict, list)) else []
    for _ in range(MAX_DEPTH):
        level = [
            member
            for holder in level
            for member in (holder.values() if type(holder) is dict else holder)
            if type(member) is dict or type(member) is list
        ]
        if not level:
            return False
    return True


class _Decode(Protocol[T_co]):
    def __call__(self, buf: str | bytes, /) -> T_co: ...


def _decode_repaired(decode_: _Decode[T], text: str | bytes, error: Exception) -> tuple[T, int]:
    """Second chance of a text that failed: replace its lone surrogates, if it has any."""
    repaired, count = _replace_lone_surrogates(text)
    if count:
        try:
            return decode_(repaired), count
        except (ValueError, RecursionError) as second:
            error = second
    if isinstance(error, msgspec.ValidationError) and decode_ is not _decode:
        raise error
    raise _json_error(error, repaired) from None


def _replace_lone_surrogates(text: str | bytes) -> tuple[bytes, int]:
    """The text as UTF-8 with U+FFFD for each lone surrogate, written as an escape or not."""
    count = 0
    if isinstance(text, str):
        text, count = _SURROGATE.subn(REPLACEMENT, text)
        text = text.encode("utf-8")

    def replace(match: re.Match[bytes]) -> bytes:
        nonlocal count
        if match[2] is not None:
            return match[0]
        count += 1
        return match[1] + rb"\ufffd"

    return _SURROGATE_ESCAPE.sub(replace, text), count


def _json_error(error: Exception, text: bytes) -> JsonError:
    if isinstance(error, RecursionError):
        return JsonError("nested too deeply")
    what = str(error)
    if what == "Input data was truncated":
        return JsonError("the text ends too early", len(text))
    place = _BYTE_OFFSET.search(what)
    offset = int(place[1]) if place else None
    what = _BYTE_OFFSET.sub("", what).removeprefix("JSON is malformed: ")
    return JsonError(what if offset is None else f"{what} at byte {offset}", offset)


def _without_surrogates(value: Any) -> Any:
    match value:
        case str():
            return _SURROGATE.sub(REPLACEMENT, value)
        case dict():
            return {_without_surrogates(key): _without_surrogates(v) for key, v in value.items()}
        case list() | tuple():
            return [_without_surrogates(item) for item in value]
        case _:
            return value
