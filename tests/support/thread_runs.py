"""Deltas in a few words, and a driver that runs one thread's deltas through intake to events and rows."""

from __future__ import annotations

from typing import Any

from parity.grammar import deltas as d
from parity.grammar import events as e
from parity.grammar import items
from parity.grammar.intake import Intake
from parity.grammar.rows import walk
from parity.wire import decode, encode

Json = dict[str, Any]
THREAD = "thread-a"
TURN = d.TurnOpen()
DONE = d.TurnBoundary("completed")


def key(item_id: str, parent: str | None = None) -> d.Key:
    return d.Key(item_id, None, parent)


def open_item(
    item_id: str, item: Json | None = None, *, parent: str | None = None, **more: Any
) -> d.ItemOpen:
    """An open; a command where no item is given."""
    return d.ItemOpen(key(item_id, parent), item or items.command("make"), **more)


def close_item(item_id: str, status: str = "completed", **more: Any) -> d.ItemClose:
    return d.ItemClose(key(item_id), status, **more)


def output(item_id: str, text: str) -> d.OutputDelta:
    return d.OutputDelta(key(item_id), text)


def snapshot(item_id: str, text: str) -> d.OutputSnapshot:
    return d.OutputSnapshot(key(item_id), text)


def say(text: str, message_id: str | None = None, channel: str = "agentMessage") -> d.TextDelta:
    return d.TextDelta(d.Key(message_id, channel), text)


def said(
    text: str | None = None, message_id: str | None = None, channel: str = "agentMessage"
) -> d.TextClose:
    return d.TextClose(d.Key(message_id, channel), text)


class ThreadRun:
    """One thread's deltas and interactions; `events` and `rows` are JSON documents."""

    def __init__(self, *deltas: d.Delta) -> None:
        self._events: list[e.Event] = []
        self._rows: list[Json] = []
        self.intake = Intake(self._events.append, self._rows.append)
        self.feed(*deltas)

    def feed(self, *deltas: d.Delta) -> ThreadRun:
        self.intake.deltas(THREAD, list(deltas))
        return self

    def ask(self, request_id: Any = 1, item_id: str | None = None, **payload: Any) -> ThreadRun:
        params: Json = {"threadId": THREAD, "interactionId": f"interaction-{request_id}"}
        if item_id is not None:
            params["itemId"] = item_id
        self.intake.request(request_id, {**params, "payload": {"kind": "approval", **payload}})
        return self

    def finish(self) -> ThreadRun:
        self.intake.finish()
        return self

    @property
    def events(self) -> list[Json]:
        return [decode(encode(event)) for event in self._events]

    def of(self, *types: str) -> list[Json]:
        return [event for event in self.events if event["type"] in types]

    @property
    def types(self) -> list[str]:
        return [event["type"] for event in self.events]

    @property
    def rows(self) -> list[Json]:
        """The rows handed out so far."""
        return decode(encode(self._rows))

    def row(self, item_id: str) -> Json:
        """The one row of the provider's item."""
        found = [row for top in self.rows for row in walk(top) if row.get("providerItemId") == item_id]
        assert len(found) == 1, f"{len(found)} rows for {item_id}"
        return found[0]

    @property
    def drops(self) -> Json:
        return dict(self.intake.drops)
