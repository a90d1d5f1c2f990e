"""The end of a turn: what a `result` frame says of it.

`subtype` alone is not the answer: a result that calls itself a success can hold an error (S40), and an
aborted one is an error only in form. The word of the agent stands in the error (S35).
"""

from __future__ import annotations

from parity.lanes.claude_code import frames as f

_CUT_SHORT = ("max_tokens", "refusal", "model_context_window_exceeded")
"""Stop reasons of a model call that mean the answer is not all there (S35)."""


def ending_of(frame: f.Result, interrupted: bool) -> tuple[str, str | None]:
    """(turn status, error); `interrupted` says that we asked the agent to stop (S34)."""
    aborted = (frame.terminal_reason or "").startswith("aborted")
    if interrupted or (aborted and frame.subtype == "error_during_execution"):
        return "interrupted", None
    if frame.subtype == "success" and not frame.is_error:
        if frame.stop_reason in _CUT_SHORT:
            return "failed", f"the agent stopped: {frame.stop_reason}"
        return "completed", None
    return "failed", error_of(frame)


def error_of(frame: f.Result) -> str:
    """The reported error with the API's status, else the agent's word for how it ended."""
    text = "\n".join(frame.errors) or frame.text
    if frame.subtype not in ("success", ""):
        return f"the agent stopped: {frame.subtype}" + (f": {text}" if text else "")
    if frame.error_status is None:
        return text or "the agent reported an error without a text"
    status = f"API error {frame.error_status}" + (f", {frame.error_type}" if frame.error_type else "")
    return f"{text} ({status})" if text else status
