"""Facts of a thread: deltas that become one event and change nothing of its turn or items.

What the provider says of the thread itself stands in the thread's scope, whatever turn is open; what it says
of the work stands in the scope of the open turn, else in the thread's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from parity.grammar import deltas as d
from parity.grammar import events as e


def _input_accepted(thread_id: str, scope: e.Scope, delta: d.InputAccepted) -> e.Event:
    return e.TurnInputAccepted(thread_id, scope, delta.input, delta.client_request_id)


def _input_provider(thread_id: str, scope: e.Scope, delta: d.InputProvider) -> e.Event:
    text = [{"type": "text", "text": delta.text}]
    return e.TurnInputAccepted(thread_id, scope, text, origin="provider")


def _turn_diff(thread_id: str, scope: e.Scope, delta: d.TurnDiff) -> e.Event:
    return e.TurnDiffUpdated(thread_id, scope, delta.diff)


def _usage(thread_id: str, scope: e.Scope, delta: d.Usage) -> e.Event:
    return e.TokenUsageUpdated(thread_id, scope, delta.last, delta.total, delta.turn)


def _context_window(thread_id: str, scope: e.Scope, delta: d.ContextWindow) -> e.Event:
    return e.ContextWindowUpdated(thread_id, scope, delta.used, delta.size)


def _compacted(thread_id: str, scope: e.Scope, delta: d.ContextCompacted) -> e.Event:
    return e.ThreadCompacted(thread_id, scope)


def _cleared(thread_id: str, scope: e.Scope, delta: d.ContextCleared) -> e.Event:
    return e.ThreadContextCleared(thread_id, scope)


def _warning(thread_id: str, scope: e.Scope, delta: d.ProviderWarning) -> e.Event:
    return e.ProviderWarningEvent(thread_id, scope, delta.message)


def _model_fallback(thread_id: str, scope: e.Scope, delta: d.ProviderModelFallback) -> e.Event:
    return e.ModelFallbackEvent(thread_id, scope, delta.model, delta.previous, delta.reason)


def _name(thread_id: str, scope: e.Scope, delta: d.ThreadName) -> e.Event:
    return e.ThreadNameUpdated(thread_id, e.THREAD_SCOPE, delta.name)


def _identity(thread_id: str, scope: e.Scope, delta: d.ThreadIdentity) -> e.Event:
    return e.ThreadIdentity(thread_id, e.THREAD_SCOPE, delta.provider_thread_id)


def _started(thread_id: str, scope: e.Scope, delta: d.ThreadStarted) -> e.Event:
    return e.ThreadStarted(thread_id, e.THREAD_SCOPE)


def _extension(thread_id: str, scope: e.Scope, delta: d.ExtensionState) -> e.Event:
    return e.ExtensionStateUpdated(thread_id, e.THREAD_SCOPE, delta.extension, delta.state)


def _rate_limits(thread_id: str, scope: e.Scope, delta: d.ProviderRateLimits) -> e.Event:
    return e.RateLimitsUpdated(thread_id, e.THREAD_SCOPE, delta.limits)


FACTS: dict[type[d.Delta], Callable[[str, e.Scope, Any], e.Event]] = {
    d.InputAccepted: _input_accepted,
    d.InputProvider: _input_provider,
    d.TurnDiff: _turn_diff,
    d.Usage: _usage,
    d.ContextWindow: _context_window,
    d.ContextCompacted: _compacted,
    d.ContextCleared: _cleared,
    d.ProviderWarning: _warning,
    d.ProviderModelFallback: _model_fallback,
    d.ThreadName: _name,
    d.ThreadIdentity: _identity,
    d.ThreadStarted: _started,
    d.ExtensionState: _extension,
    d.ProviderRateLimits: _rate_limits,
}
"""From the delta to what makes its event of the thread's id, the scope of the open turn and the delta."""
