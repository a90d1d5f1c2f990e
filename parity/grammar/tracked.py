"""What is known of one item while it may still change: its document, its output or text so far."""

from __future__ import annotations

from typing import Any

from parity.grammar import events as e


class Tracked:
    """One item the assembler knows: its document, its output or text so far, whether it is open.

    `shown` is the output that was streamed, while the item is of a type that shows none; `parent_ref` names a
    parent that was not known when the item was opened.
    """

    __slots__ = ("channel", "doc", "id", "key", "open", "output", "parent_ref", "scope", "shown", "text")

    def __init__(self, key: str, item_id: str, scope: e.Scope, doc: dict[str, Any]) -> None:
        self.key = key
        self.id = item_id
        self.scope = scope
        self.doc = doc
        self.open = True
        self.parent_ref: str | None = None
        self.output: str | None = None
        self.shown: str | None = None
        self.text: list[str] | None = None
        self.channel: str | None = None
