"""Results: how a settled call closes: output, exit code, notes, result text.

What was reported is taken from where the agent put it (terminal exit, content, raw output, the client's
terminal); what was not reported is absent (S01–S04). A timeout or signal is noted on a line of its own after
the output (S08). A call that never ran has no output: its text is why it did not run.
"""

from __future__ import annotations

from parity.grammar import deltas as d
from parity.lanes.acp.calls import Call
from parity.lanes.acp.dialects import Dialect
from parity.lanes.acp.terminals import Terminals
from parity.lanes.content import bound_text

TIMED_OUT = "[timed out]"
SIGNALLED = "[terminated by signal {}]"


def close_of(
    call: Call, key: d.Key, dialect: Dialect, status: str, text: str | None, terminals: Terminals
) -> d.ItemClose:
    """The close of a call with this item status; `text` is the content of the frame that settled it."""
    approval = "denied" if call.denied else None
    if call.refused or call.item is None or call.item["type"] != "command":
        return d.ItemClose(key, status, result_text=result_text(call, dialect), approval_status=approval)
    outcome = dialect.outcome(call, text)
    if call.raw_output is not None and not call.raw_reported:  # said before the end: no result yet (S05)
        outcome.exit_code, outcome.signal, outcome.timed_out = None, None, False
    if outcome.output is None:
        outcome.output = call.text
    output, exit_code, signal = terminals.result(call)
    if outcome.output is not None:
        output = outcome.output
    for code in (outcome.exit_code, call.exit_code):
        exit_code = code if code is not None else exit_code
    signal = call.signal or outcome.signal or signal
    notes = [TIMED_OUT] if outcome.timed_out else []
    if signal:
        notes.append(SIGNALLED.format(signal))
    if notes:
        output = _noted(output if output is not None else _streamed(call), notes)
    return d.ItemClose(
        key,
        status,
        exit_code=exit_code,
        aggregated_output=output or None,
        approval_status=approval,
    )


def result_text(call: Call, dialect: Dialect) -> str | None:
    """What the call's result says in words, scrubbed and bounded; the raw error where there are none."""
    text = dialect.text(call, call.text) or raw_error(call)
    return bound_text(text) if text else None


def raw_error(call: Call) -> str | None:
    """What a raw output says went wrong: {error, message?}, or the text itself where the call failed."""
    raw = call.raw_output
    if isinstance(raw, str) and call.status == "failed":
        return raw
    if not isinstance(raw, dict):
        return None
    for field in ("message", "error"):
        if isinstance(raw.get("error"), str) and isinstance(raw.get(field), str):
            return str(raw[field])
    return None


def _streamed(call: Call) -> str:
    return call.output if call.output is not None else "".join(call.streamed or ())


def _noted(output: str, notes: list[str]) -> str:
    head = output if not output or output.endswith("\n") else f"{output}\n"
    return head + "\n".join(notes)
