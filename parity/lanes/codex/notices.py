"""Notices: what the agent tells outside any item, as warnings and facts of the thread.

Pure functions, one per method; a notice that says nothing to a person gives nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from parity.grammar import deltas as d
from parity.lanes.codex.shapes import text_of

_UNWELL = ("failed", "blocked", "stopped")


def error_text(error: Any) -> str:
    """A turn error in words: its message, and its details where they add something."""
    message = text_of(error, "message") or "the agent reported an error without a message"
    details = text_of(error, "additionalDetails")
    return f"{message}: {details}" if details and details not in message else message


def error_code(error: Any) -> int | str | None:
    """The HTTP status behind a turn error where one is reported, else the agent's word for it."""
    info = error.get("codexErrorInfo") if isinstance(error, dict) else None
    if isinstance(info, str):
        return info
    if not isinstance(info, dict) or len(info) != 1:
        return None
    ((word, told),) = info.items()
    status = told.get("httpStatusCode") if isinstance(told, dict) else None
    return status if type(status) is int else str(word)


def _message(params: dict[str, Any]) -> list[d.Delta]:
    message = text_of(params, "message")
    return [d.ProviderWarning(message)] if message else []


def _summary(params: dict[str, Any]) -> list[d.Delta]:
    summary, details = text_of(params, "summary"), text_of(params, "details")
    path = text_of(params, "path")
    words = [word for word in (summary, details) if word]
    if not words:
        return []
    return [d.ProviderWarning(": ".join(words) + (f" ({path})" if path else ""))]


def _hook(params: dict[str, Any]) -> list[d.Delta]:
    run = params.get("run")
    status = text_of(run, "status")
    if not isinstance(run, dict) or status not in _UNWELL:
        return []
    entries = run.get("entries")
    words = [text_of(run, "statusMessage")]
    words += [text_of(entry, "text") for entry in (entries if isinstance(entries, list) else [])]
    said = "; ".join(word for word in words if word)
    name = text_of(run, "eventName") or "a"
    return [d.ProviderWarning(f"{name} hook {status}" + (f": {said}" if said else ""))]


def _mcp_startup(params: dict[str, Any]) -> list[d.Delta]:
    if params.get("status") != "failed":
        return []
    name, error = text_of(params, "name"), text_of(params, "error")
    return [d.ProviderWarning(f"MCP server {name} failed to start" + (f": {error}" if error else ""))]


def _rerouted(params: dict[str, Any]) -> list[d.Delta]:
    model = text_of(params, "toModel")
    if model is None:
        return []
    return [d.ProviderModelFallback(model, text_of(params, "fromModel"), text_of(params, "reason"))]


def _writable(params: dict[str, Any]) -> list[d.Delta]:
    paths = params.get("samplePaths")
    paths = [path for path in paths if isinstance(path, str)] if isinstance(paths, list) else []
    extra = params.get("extraCount")
    more = f" and {extra} more" if type(extra) is int and extra > 0 else ""
    where = f": {', '.join(paths)}{more}" if paths else ""
    return [d.ProviderWarning(f"directories anyone can write to are not protected{where}")]


NOTICES: dict[str, Callable[[dict[str, Any]], list[d.Delta]]] = {
    "configWarning": _summary,
    "deprecationNotice": _summary,
    "guardianWarning": _message,
    "hook/completed": _hook,
    "mcpServer/startupStatus/updated": _mcp_startup,
    "model/rerouted": _rerouted,
    "modelProvider/authRecoveryStarted": _message,
    "warning": _message,
    "windows/worldWritableWarning": _writable,
}
"""Method → what it says; each takes the params."""
