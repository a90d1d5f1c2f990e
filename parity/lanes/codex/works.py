"""The agent's items: opening, streaming, settling, each once.

A work is open from its first frame and settles with its `item/completed`, whatever status that carries
(S41), or with its turn. After that nothing revives it: a late delta that the aggregate covers says nothing
new, any other is kept as unhandled (S11, S32). Knows items and strands; no turns, no sub-agents.
"""

from __future__ import annotations

from typing import Any

from parity.grammar import deltas as d
from parity.grammar import items
from parity.lanes.codex.shapes import (
    SHAPED,
    Raw,
    changes_of,
    close_of,
    item_of,
    merge,
    presentation_of,
    text_of,
)
from parity.lanes.codex.strand import PART_BREAK, Strand, TextStream, Work
from parity.lanes.policy import UNREPORTED

TEXT_ITEMS = frozenset(("agentMessage", "plan", "reasoning"))
"""Item types whose text streams in channels."""


def started(strand: Strand, raw: Raw) -> list[d.Delta]:
    """`item/started`: a new work, or an open one better known (S16). Text opens with its first delta.

    One that comes late, or again after its item settled, says nothing; an id that is used again for other
    work is a new item (S24).
    """
    work = strand.works.get(raw["id"])
    if work is not None and work.settled and _is_same(work, raw):
        return []
    if work is None or work.settled:
        work = strand.works[raw["id"]] = Work(strand.key(raw["id"]), raw)
    else:
        work.raw = merge(work.raw, raw)
        work.begun = raw
    return shape(strand, work)


def _is_same(settled: Work, raw: Raw) -> bool:
    """Whether an item that begins is a settled one: but for its status, all it says is known already."""
    if raw["type"] in TEXT_ITEMS:
        return True
    known = (settled.raw, settled.begun)
    return any(merge(before, {**raw, "status": before.get("status")}) == before for before in known)


def completed(strand: Strand, raw: Raw) -> list[d.Delta]:
    """`item/completed`: the work settles; one that has already may learn more, but never lives again."""
    work = strand.works.get(raw["id"])
    if work is None:
        work = strand.works[raw["id"]] = Work(strand.key(raw["id"]), raw)
    merged = merge(work.raw, raw)
    if raw["type"] in TEXT_ITEMS:
        return [] if work.settled else _close_text(strand, work, merged)
    late = work.settled
    if late and merged == work.raw:
        return []
    work.raw = merged
    out = shape(strand, work, reopen=late)
    close = close_of(merged, work.key, "".join(work.output))
    if work.approval == "denied" and close.status == "failed":
        close.approval_status = "denied"
    work.aggregated = work.aggregated or text_of(merged, "aggregatedOutput") is not None
    strand.settle(work)
    out.append(close)
    return out


def shape(strand: Strand, work: Work, *, reopen: bool = False) -> list[d.Delta]:
    """Open the work's item, or say anew what it is where that changed."""
    if work.raw["type"] not in SHAPED:
        return []
    item = item_of(work.raw, strand.cwd)
    if strand.nest is not None:
        item["providerItemId"] = work.raw["id"]
    presentation = presentation_of(work.raw, work.detail)
    if not reopen and item == work.item and presentation == work.presentation:
        return []
    work.item, work.presentation = item, presentation
    return [d.ItemOpen(work.key, item, presentation, reopen=reopen)]


def known(strand: Strand, item_id: str, kind: str, method: str) -> tuple[Work, list[d.Delta]]:
    """The work a frame is about; one never opened gets a row with what the frame says (S25)."""
    work = strand.works.get(item_id)
    if work is not None:
        return work, []
    work = strand.works[item_id] = Work(strand.key(item_id), {"type": kind, "id": item_id})
    if kind in TEXT_ITEMS:
        return work, []
    warning = d.ProviderWarning(f"{method} for an item never opened: {item_id!r}")
    return work, [*shape(strand, work), warning]


def _unhandled(message: Any, method: str) -> list[d.Delta]:
    return [d.Unhandled(message, method, vouched_turn=True)]


# -- text ------------------------------------------------------------------------------------------------


def text(
    strand: Strand, work: Work, channel: str, piece: str, index: int | None, late: tuple[Any, str]
) -> list[d.Delta]:
    """One more piece of a channel; `late` is the message and method to keep when the text is over."""
    if work.settled:
        return [] if work.aggregated else _unhandled(*late)
    delta = _stream(strand, work, channel).append(piece, index)
    return [delta] if delta is not None else []


def _stream(strand: Strand, work: Work, channel: str) -> TextStream:
    stream = work.texts.get(channel)
    if stream is None:
        stream = work.texts[channel] = TextStream(strand.text_key(work.raw["id"], channel))
    return stream


def _close_text(strand: Strand, work: Work, raw: Raw) -> list[d.Delta]:
    work.raw = raw
    strand.settle(work)
    out: list[d.Delta] = []
    for channel, whole in _wholes(raw).items():
        if whole or channel in work.texts:
            out += _stream(strand, work, channel).close(whole)
            work.aggregated = work.aggregated or bool(whole)
    return out


def _wholes(raw: Raw) -> dict[str, str | None]:
    """Channel → its whole text, as the completed item says it."""
    if raw["type"] != "reasoning":
        channel = "plan" if raw["type"] == "plan" else "agentMessage"
        return {channel: text_of(raw, "text")}
    return {
        "reasoningSummary": _joined(raw.get("summary")),
        "reasoningText": _joined(raw.get("content")),
    }


def _joined(parts: Any) -> str | None:
    if not isinstance(parts, list):
        return None
    return PART_BREAK.join(part for part in parts if isinstance(part, str) and part) or None


# -- output, changes, notes ------------------------------------------------------------------------------


def output(work: Work, piece: str, late: tuple[Any, str]) -> list[d.Delta]:
    """One more piece of a command's or file change's output."""
    if work.settled:
        return [] if work.aggregated else _unhandled(*late)
    if not piece:
        return []
    work.output.append(piece)
    return [d.OutputDelta(work.key, piece)]


def patched(strand: Strand, work: Work, changes: Any, late: tuple[Any, str]) -> list[d.Delta]:
    """The changed files anew."""
    if work.settled:
        return _unhandled(*late)
    if changes_of(changes, strand.cwd):
        work.raw = {**work.raw, "changes": changes}
    return shape(strand, work)


def progress(work: Work, note: str, late: tuple[Any, str]) -> list[d.Delta]:
    """A note about a running item."""
    if work.settled:
        return _unhandled(*late)
    return [d.ItemProgress(work.key, note)] if note else []


def explained(strand: Strand, work: Work, why: str) -> list[d.Delta]:
    """Why the agent asks, or why it was refused: the detail of an open row."""
    if work.settled:
        return []
    work.detail = why
    return shape(strand, work)


# -- the end of a turn -----------------------------------------------------------------------------------


def settle_all(strand: Strand, status: str) -> list[d.Delta]:
    """The strand's turn ended with this status: what its agent left open settles, the plan closes."""
    out: list[d.Delta] = []
    for work in list(strand.works.values()):
        if work.settled:
            continue
        strand.settle(work)
        for stream in work.texts.values():
            out += stream.close(None)
        if work.item is not None:
            out.append(_abandoned(work, status))
    if strand.plan is not None:
        out.append(d.ItemClose(strand.plan_key, "completed"))
    return out


def _abandoned(work: Work, status: str) -> d.ItemClose:
    """A refused item failed; any other was interrupted, and a completed turn owes a word about it (S29)."""
    if work.approval == "denied":
        return d.ItemClose(work.key, "failed", approval_status="denied")
    close = d.ItemClose(work.key, "interrupted")
    if status == "completed":
        title = work.presentation.title if work.presentation is not None else None
        close.presentation = d.Presentation(title, UNREPORTED)
    return close


def plan_steps(strand: Strand, plan: Any, explanation: Any) -> list[d.Delta]:
    """The whole plan anew; an empty one clears, steps without a status are kept (S50)."""
    steps: list[dict[str, Any]] = []
    for entry in plan if isinstance(plan, list) else []:
        if isinstance(entry, dict) and isinstance(entry.get("step"), str):
            steps.append({name: entry[name] for name in ("step", "status") if entry.get(name) is not None})
    why = explanation if isinstance(explanation, str) and explanation else None
    if (steps, why) == strand.plan:
        return []
    strand.plan = (steps, why)
    item = items.plan_steps(steps, explanation=why)
    return [d.ItemOpen(strand.plan_key, item)]
