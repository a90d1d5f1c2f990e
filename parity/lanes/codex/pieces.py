"""Pieces: the notifications that add something to an item that is already there.

A table: method → the item type it speaks of, and what it does to the work. Knows the fields of those
notifications and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from parity.grammar import deltas as d
from parity.lanes.codex import works
from parity.lanes.codex.shapes import text_of
from parity.lanes.codex.strand import Strand, Work

Late: TypeAlias = tuple[Any, str]
"""The message and its method, to be kept as unhandled where the item is over."""

Apply: TypeAlias = Callable[[Strand, Work, dict[str, Any], Late], list[d.Delta]]


def _text(channel: str, index: str | None = None) -> Apply:
    def apply(strand: Strand, work: Work, params: dict[str, Any], late: Late) -> list[d.Delta]:
        at = params.get(index) if index is not None else None
        piece = text_of(params, "delta") or ""
        return works.text(strand, work, channel, piece, at if type(at) is int else None, late)

    return apply


def _output(strand: Strand, work: Work, params: dict[str, Any], late: Late) -> list[d.Delta]:
    return works.output(work, text_of(params, "delta") or "", late)


def _note(field: str) -> Apply:
    def apply(strand: Strand, work: Work, params: dict[str, Any], late: Late) -> list[d.Delta]:
        return works.progress(work, text_of(params, field) or "", late)

    return apply


def _patched(strand: Strand, work: Work, params: dict[str, Any], late: Late) -> list[d.Delta]:
    return works.patched(strand, work, params.get("changes"), late)


def _part_added(strand: Strand, work: Work, params: dict[str, Any], late: Late) -> list[d.Delta]:
    return []  # the first delta under the new index begins the part


PIECES: dict[str, tuple[str, Apply]] = {
    "item/agentMessage/delta": ("agentMessage", _text("agentMessage")),
    "item/commandExecution/outputDelta": ("commandExecution", _output),
    "item/commandExecution/terminalInteraction": ("commandExecution", _note("stdin")),
    "item/fileChange/outputDelta": ("fileChange", _output),
    "item/fileChange/patchUpdated": ("fileChange", _patched),
    "item/mcpToolCall/progress": ("mcpToolCall", _note("message")),
    "item/plan/delta": ("plan", _text("plan")),
    "item/reasoning/summaryPartAdded": ("reasoning", _part_added),
    "item/reasoning/summaryTextDelta": ("reasoning", _text("reasoningSummary", "summaryIndex")),
    "item/reasoning/textDelta": ("reasoning", _text("reasoningText", "contentIndex")),
}
"""Method → (item type, what it does)."""
