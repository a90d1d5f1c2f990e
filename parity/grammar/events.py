"""Events: what the assembler makes of deltas, one JSON document each.

Every event has `type`, `threadId` and `scope` {kind: turn|thread, turnId?}. Ids minted here are ordinals
of the thread (`turn-1`, `item-3`), so equal input gives equal bytes.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct


class Scope(Struct, omit_defaults=True, rename="camel", frozen=True, gc=False):
    """Where an event belongs: a turn, or the thread as a whole."""

    kind: str
    turn_id: str | None = None


THREAD_SCOPE = Scope("thread")


class Event(Struct, omit_defaults=True, rename="camel", tag_field="type", gc=False):
    """Base of all events."""

    thread_id: str
    scope: Scope

    @property
    def type(self) -> str:
        """The event's type, as it stands in the document."""
        return str(self.__struct_config__.tag)


class TurnStarted(Event, tag="turn/started"):
    """A turn began; `initiator` is "agent" where nobody asked for it."""

    turn_id: str
    initiator: str | None = None


class TurnCompleted(Event, tag="turn/completed"):
    """A turn settled: completed, failed or interrupted."""

    turn_id: str
    status: str
    error: str | None = None


class TurnInputAccepted(Event, tag="turn/input/accepted"):
    """Input went to the agent; `origin` "provider" where it was not the runtime's."""

    input: list[dict[str, Any]] | None = None
    client_request_id: str | None = None
    origin: str | None = None


class TurnDiffUpdated(Event, tag="turn/diff/updated"):
    """The turn's whole diff so far."""

    diff: str


class ItemStarted(Event, tag="item/started"):
    """An item began, or is now better known (same id again)."""

    item: dict[str, Any]


class ItemCompleted(Event, tag="item/completed"):
    """An item settled, with all that is known of it."""

    item: dict[str, Any]


class ItemDelta(Event):
    """Base of events that add to an open item."""

    item_id: str


class AgentMessageDelta(ItemDelta, tag="item/agentMessage/delta"):
    """Text of the agent's answer."""

    delta: str


class ReasoningTextDelta(ItemDelta, tag="item/reasoning/textDelta"):
    """Text of the agent's reasoning."""

    delta: str


class ReasoningSummaryDelta(ItemDelta, tag="item/reasoning/summaryTextDelta"):
    """Text of a summary of the reasoning."""

    delta: str


class PlanDelta(ItemDelta, tag="item/plan/delta"):
    """Text of a plan."""

    delta: str


class CommandOutputDelta(ItemDelta, tag="item/commandExecution/outputDelta"):
    """Output of a command; `reset` replaces all that came before."""

    delta: str
    reset: bool = False


class FileChangeOutputDelta(ItemDelta, tag="item/fileChange/outputDelta"):
    """Output of applying a file change."""

    delta: str
    reset: bool = False


class ToolCallProgress(ItemDelta, tag="item/toolCall/progress"):
    """A note about a running tool."""

    message: str


class BackgroundTaskProgress(ItemDelta, tag="item/backgroundTask/progress"):
    """A note about a background task."""

    message: str


class DelegationProgress(ItemDelta, tag="item/delegation/progress"):
    """A note about delegated work."""

    message: str


class BackgroundTaskCompleted(Event, tag="item/backgroundTask/completed"):
    """A background task settled, whatever became of its turn."""

    item: dict[str, Any]


class DelegationCompleted(Event, tag="item/delegation/completed"):
    """Delegated background work settled, whatever became of its turn."""

    item: dict[str, Any]


class ThreadStarted(Event, tag="thread/started"):
    """The provider's session exists."""


class ThreadIdentity(Event, tag="thread/identity"):
    """The provider's own id of the session."""

    provider_thread_id: str


class ThreadNameUpdated(Event, tag="thread/name/updated"):
    """The provider named the session."""

    name: str


class ThreadCompacted(Event, tag="thread/compacted"):
    """The provider shortened its context."""


class ThreadContextCleared(Event, tag="thread/context/cleared"):
    """The provider dropped its context."""


class TokenUsageUpdated(Event, tag="thread/tokenUsage/updated"):
    """Tokens of the last call, of the thread, of the turn: what the provider says of each."""

    last: dict[str, Any] | None = None
    total: dict[str, Any] | None = None
    turn: dict[str, Any] | None = None


class ContextWindowUpdated(Event, tag="thread/contextWindowUsage/updated"):
    """Tokens in the context window and its size."""

    used: int | None = None
    size: int | None = None


class ExtensionStateUpdated(Event, tag="thread/extensionState/updated"):
    """State of an extension, whole."""

    extension: str
    state: Any


class InteractionRequested(Event, tag="interaction/requested"):
    """The agent waits for a person: an approval, a question, leaving plan mode."""

    interaction_id: str
    payload: dict[str, Any]
    item_id: str | None = None


class InteractionResolved(Event, tag="interaction/resolved"):
    """The wait is over: allowed, denied, cancelled or answered."""

    interaction_id: str
    decision: str
    answers: Any = None


class ProviderErrorEvent(Event, tag="provider/error"):
    """The provider reported an error."""

    message: str
    settles_turn: bool = False
    will_retry: bool = False
    code: int | str | None = None


class ProviderWarningEvent(Event, tag="provider/warning"):
    """Something a person should know that stops nothing."""

    message: str


class ProviderUnhandled(Event, tag="provider/unhandled"):
    """Provider traffic with nowhere to go, kept whole."""

    raw: Any
    raw_type: str


class RateLimitsUpdated(Event, tag="provider/rateLimits/updated"):
    """The provider's rate limits, in its own words."""

    limits: Any


class ModelFallbackEvent(Event, tag="provider/modelFallback"):
    """The provider changed the model by itself."""

    model: str
    previous: str | None = None
    reason: str | None = None
