"""Deltas: the semantic steps a lane takes out of provider traffic.

Each travels inside a `thread/delta` notification. The classes are the whole vocabulary between bridges
and the assembler; a delta says what the provider said and never when it said it.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from parity.grammar.items import Item


class Key(Struct, omit_defaults=True, rename="camel", frozen=True, gc=False):
    """What a delta is about: the provider's own item id, a text channel, the parent item's id."""

    provider_item_id: str | None = None
    channel: str | None = None
    parent_ref: str | None = None


class Presentation(Struct, omit_defaults=True, rename="camel", frozen=True, gc=False):
    """How the agent words an item for people; never used to decide what the item is."""

    title: str | None = None
    detail: str | None = None
    icon: str | None = None
    label: str | None = None


class Fallback(Struct, omit_defaults=True, rename="camel", frozen=True, gc=False):
    """The provider traffic to keep as `provider/unhandled` when a delta finds no open turn."""

    raw: Any
    raw_type: str


class Delta(Struct, omit_defaults=True, rename="camel", tag_field="kind", gc=False):
    """Base of all deltas."""


class InputAccepted(Delta, tag="input.accepted"):
    """The runtime's prompt is on its way to the agent."""

    input: list[dict[str, Any]] | None = None
    client_request_id: str | None = None


class InputProvider(Delta, tag="input.provider"):
    """Input that did not come from the runtime: the agent shows a prompt of its own."""

    text: str


class TurnOpen(Delta, tag="turn.open"):
    """A turn begins. `initiator` is "agent" where nobody asked for it."""

    initiator: str | None = None


class TurnBoundary(Delta, tag="turn.boundary"):
    """The open turn ends: completed, failed or interrupted.

    With no turn open it is dropped, unless `claimIfIdle` makes it a turn of its own.
    """

    status: str
    error: str | None = None
    claim_if_idle: bool = False


class ItemOpen(Delta, tag="item.open"):
    """An item begins, or (for an open one) turns out to be something better known.

    For a settled item it begins a new one, unless `reopen` continues the old one.
    """

    key: Key
    item: Item
    presentation: Presentation | None = None
    reopen: bool = False
    no_turn_fallback: Fallback | None = None


class ItemClose(Delta, tag="item.close"):
    """An item settles: completed, failed or interrupted. A missing `exitCode` was not reported."""

    key: Key
    status: str
    result_text: str | None = None
    exit_code: int | None = None
    aggregated_output: str | None = None
    approval_status: str | None = None
    presentation: Presentation | None = None


class ItemProgress(Delta, tag="item.progress"):
    """A note about an open item that changes none of its fields."""

    key: Key
    message: str


class TextDelta(Delta, tag="item.textDelta"):
    """Text appended to a channel; the first one opens the item."""

    key: Key
    text: str
    no_turn_fallback: Fallback | None = None


class TextClose(Delta, tag="item.textClose"):
    """A channel's text is whole. `text`, when given, is the whole of it and wins."""

    key: Key
    text: str | None = None


class OutputDelta(Delta, tag="item.outputDelta"):
    """Output appended to a command or file change."""

    key: Key
    text: str


class OutputSnapshot(Delta, tag="command.outputSnapshot"):
    """All the output the provider shows at this moment (a tail window, perhaps)."""

    key: Key
    text: str


class Usage(Delta, tag="usage"):
    """Tokens: of the `last` model call, in `total` since the thread began, or of this `turn`."""

    last: dict[str, Any] | None = None
    total: dict[str, Any] | None = None
    turn: dict[str, Any] | None = None


class ContextWindow(Delta, tag="contextWindow"):
    """Tokens in the context window (`used`) and its size, as the provider says them."""

    used: int | None = None
    size: int | None = None


class ContextCompacted(Delta, tag="context.compacted"):
    """The provider shortened its context."""


class ContextCleared(Delta, tag="context.cleared"):
    """The provider dropped its context."""


class TurnDiff(Delta, tag="turn.diff"):
    """The unified diff of all the turn changed so far."""

    diff: str


class ThreadStarted(Delta, tag="thread.started"):
    """The provider's session exists."""


class ThreadIdentity(Delta, tag="thread.identity"):
    """The provider's own id of the session."""

    provider_thread_id: str


class ThreadName(Delta, tag="thread.name"):
    """The provider named the session."""

    name: str


class ExtensionState(Delta, tag="extension.state"):
    """State a client may show that no other delta has a place for."""

    extension: str
    state: Any


class ProviderError(Delta, tag="provider.error"):
    """The provider reported an error; `settlesTurn` when the turn ends with it."""

    message: str
    settles_turn: bool = False
    will_retry: bool = False
    code: int | str | None = None


class ProviderWarning(Delta, tag="provider.warning"):
    """Something a person should know that stops nothing."""

    message: str


class ProviderRateLimits(Delta, tag="provider.rateLimits"):
    """The provider's rate limits, in its own words."""

    limits: Any


class ProviderModelFallback(Delta, tag="provider.modelFallback"):
    """The provider changed the model by itself."""

    model: str
    previous: str | None = None
    reason: str | None = None


class Unhandled(Delta, tag="unhandled"):
    """Traffic no lane knows.

    `vouchedTurn`: it surely belongs to the open turn. `onlyIfNoTurn`: it is left out while a turn is open.
    """

    raw: Any
    raw_type: str
    vouched_turn: bool = False
    only_if_no_turn: bool = False


class SessionReset(Delta, tag="session.reset"):
    """The provider began anew under the same thread."""


class SessionEnded(Delta, tag="session.ended"):
    """The provider's session is over; nothing of it remains open."""
