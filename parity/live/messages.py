"""What an external bridge says to the runtime, read into the grammar's types, whatever it is.

Knows the runtime protocol's messages (JSON-RPC; `docs/bridges.md`) and the deltas. Nothing a bridge writes
may crash its reader: a line that is no message, a message without what it needs and a delta nobody knows are
each told to the caller in words. Must not know processes or recordings.
"""

from __future__ import annotations

from typing import Any, TypeAlias, get_args

import msgspec
from msgspec import Struct

from parity.bridges import Message
from parity.grammar import deltas as d
from parity.grammar.items import TEXT_TYPES
from parity.wire import JsonError, decode

RULE = "delta/known"
"""The rule that an unknown or malformed delta breaks; counted as `delta/known:<kind>`."""

_KIND_LENGTH = 60


class Malformed(ValueError):
    """A message that lacks what its method needs; says so in one line."""


class _DeltaParams(Struct, rename="camel"):
    thread_id: str
    deltas: list[Any]


class _AskParams(Struct, rename="camel"):
    thread_id: str
    interaction_id: str
    payload: dict[str, Any]
    item_id: str | None = None


class _IdentityParams(Struct, rename="camel"):
    thread_id: str
    provider_thread_id: str


class _ErrorParams(Struct, rename="camel"):
    message: str
    thread_id: str | None = None


class _CancelParams(Struct, rename="camel"):
    request_id: int | str


_PARAMS: dict[str, type[Struct]] = {
    "interaction/request": _AskParams,
    "thread/identity": _IdentityParams,
    "error": _ErrorParams,
    "$/cancel_request": _CancelParams,
}
"""Method → what its params must be; other methods may say what they like."""


class _Change(Struct, rename="camel"):
    path: str
    kind: str | None = None
    move_path: str | None = None
    diff: str | None = None
    old_text: str | None = None
    new_text: str | None = None


class _Step(Struct):
    step: str
    status: str | None = None


class _Item(Struct, rename="camel"):
    """The types of the fields an item may have; fields not named here may be anything."""

    type: str
    command: str | None = None
    cwd: str | None = None
    exit_code: int | None = None
    changes: list[_Change] | None = None
    tool: str | None = None
    server: str | None = None
    error: str | None = None
    path: str | None = None
    cmd: str | None = None
    mode: str | None = None
    query: str | None = None
    url: str | None = None
    prompt: str | None = None
    pattern: str | None = None
    queries: list[str] | None = None
    child_ref: str | None = None
    label: str | None = None
    background: bool | None = None
    summary: str | None = None
    steps: list[_Step] | None = None
    explanation: str | None = None


AnyDelta: TypeAlias = (
    d.InputAccepted
    | d.InputProvider
    | d.TurnOpen
    | d.TurnBoundary
    | d.ItemOpen
    | d.ItemClose
    | d.ItemProgress
    | d.TextDelta
    | d.TextClose
    | d.OutputDelta
    | d.OutputSnapshot
    | d.Usage
    | d.ContextWindow
    | d.ContextCompacted
    | d.ContextCleared
    | d.TurnDiff
    | d.ThreadStarted
    | d.ThreadIdentity
    | d.ThreadName
    | d.ExtensionState
    | d.ProviderError
    | d.ProviderWarning
    | d.ProviderRateLimits
    | d.ProviderModelFallback
    | d.Unhandled
    | d.SessionReset
    | d.SessionEnded
)
"""Every delta."""

_BY_KIND: dict[Any, type[d.Delta]] = {kind.__struct_config__.tag: kind for kind in get_args(AnyDelta)}


def read_message(line: bytes) -> Message:
    """The message in a line. Raises Malformed for one that is no JSON object, or lacks what its method needs.

    The deltas of a `thread/delta` are left as they are: see `read_deltas`.
    """
    try:
        message = decode(line)
    except (JsonError, UnicodeDecodeError):
        raise Malformed(f"a line that is not JSON: {_shown(line)}") from None
    if not isinstance(message, dict):
        raise Malformed(f"a line that is no JSON-RPC message: {_shown(line)}")
    method = message.get("method")
    if "id" in message and not isinstance(message["id"], int | str):
        raise Malformed(f"an id that is neither a number nor a text: {_shown(line)}")
    if method is None and "id" not in message:
        raise Malformed(f"a message with neither method nor id: {_shown(line)}")
    if method == "interaction/request" and "id" not in message:
        raise Malformed("interaction/request without an id: it must be a request")
    if method is not None and not isinstance(method, str):
        raise Malformed(f"a method that is no text: {_shown(line)}")
    params = _PARAMS.get(method) if method is not None else None
    if method == "thread/delta":
        params = _DeltaParams
    if params is not None:
        try:
            msgspec.convert(message.get("params"), params)
        except msgspec.ValidationError as error:
            raise Malformed(f"{method}: {error}") from None
    return message


def read_deltas(said: list[Any]) -> tuple[list[d.Delta], list[tuple[str, str]]]:
    """The deltas that are some, in order, and (kind, what is wrong) of each that is not."""
    known: list[d.Delta] = []
    wrong: list[tuple[str, str]] = []
    for document in said:
        try:
            delta = _delta(document)
        except msgspec.ValidationError as error:
            wrong.append((_kind(document), str(error)))
        else:
            known.append(delta)
    return known, wrong


def _delta(document: Any) -> d.Delta:
    """One delta; its class is found by its kind first, for msgspec takes long to tell so many apart.

    Raises msgspec.ValidationError.
    """
    kind = document.get("kind") if isinstance(document, dict) else None
    known = _BY_KIND.get(kind) if isinstance(kind, str) else None
    delta: d.Delta = msgspec.convert(document, AnyDelta if known is None else known)
    _check(delta)
    return delta


def _check(delta: d.Delta) -> None:
    """What the types of the deltas do not say: items of the right shape, text on a known channel."""
    if isinstance(delta, d.ItemOpen):
        msgspec.convert(delta.item, _Item)
    elif isinstance(delta, d.TextDelta | d.TextClose):
        channel = delta.key.channel or "agentMessage"
        if channel not in TEXT_TYPES:
            known = ", ".join(TEXT_TYPES)
            raise msgspec.ValidationError(f"no text channel {channel!r}; there are {known}")


def _kind(document: Any) -> str:
    kind = document.get("kind") if isinstance(document, dict) else None
    return kind[:_KIND_LENGTH] if isinstance(kind, str) and kind else "?"


def _shown(line: bytes) -> str:
    """The beginning of a line, for a message of one line."""
    text = line[:120].decode("utf-8", "replace")
    return repr(text) + ("…" if len(line) > 120 else "")
