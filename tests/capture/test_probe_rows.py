"""Rows as they grow: what is told, and when."""

from __future__ import annotations

from typing import Any

from parity.capture.probe_rows import GrowingRows
from parity.grammar import deltas as d
from parity.grammar import items
from parity.grammar.intake import Intake


class Growing:
    """A thread whose rows are told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, int, str]] = []
        self.rows = GrowingRows(lambda what, depth, row: self.told.append((what, depth, _named(row))))
        self.finished: list[dict[str, Any]] = []
        self.intake = Intake(lambda event: None, self.finished.append, lambda: self.rows)

    def take(self, *deltas: d.Delta) -> list[tuple[str, int, str]]:
        """What is told because of these."""
        before = len(self.told)
        self.intake.deltas("t", list(deltas))
        return self.told[before:]


def _named(row: dict[str, Any]) -> str:
    word = row.get("command") or row.get("text") or row.get("label") or row.get("input")
    return f"{row['kind']} {word or row['title']}"


def key(call: str, parent: str | None = None) -> d.Key:
    return d.Key(call, None, parent)


def command(call: str, parent: str | None = None) -> d.Delta:
    return d.ItemOpen(key(call, parent), items.command(call))


def close(call: str, parent: str | None = None) -> d.Delta:
    return d.ItemClose(key(call, parent), "completed")


def say(text: str) -> list[d.Delta]:
    channel = d.Key(channel="agentMessage")
    return [d.TextDelta(channel, text), d.TextClose(channel)]


START = [d.TurnOpen(), d.InputAccepted([{"type": "text", "text": "go"}])]


def test_a_turn_is_told_once_its_prompt_is_known() -> None:
    growing = Growing()
    assert growing.take(START[0]) == []
    assert growing.take(START[1]) == [("opened", 0, "turn go")]


def test_work_is_told_when_it_settles_and_stands_below_until_then() -> None:
    growing = Growing()
    growing.take(*START, command("a"), command("b"))
    assert [_named(row) for _, row in growing.rows.growing()] == ["command a", "command b"]
    assert growing.take(close("b")) == [("settled", 1, "command b")]
    assert [_named(row) for _, row in growing.rows.growing()] == ["command a"]
    assert growing.take(close("a")) == [("settled", 1, "command a")]


def test_the_last_message_is_told_after_its_turn() -> None:
    growing = Growing()
    growing.take(*START)
    assert growing.take(*say("first")) == []
    assert growing.take(command("a"), close("a"))[0] == ("settled", 1, "message first")
    assert growing.take(*say("last")) == []
    ended = growing.take(d.TurnBoundary("completed"))
    assert ended == [("closed", 0, "turn go"), ("settled", 0, "message last")]


def test_what_stands_below_a_row_is_told_with_it() -> None:
    growing = Growing()
    delegation = {"type": "delegation", "label": "helper", "childRef": "c", "background": False}
    growing.take(*START, d.ItemOpen(key("h"), delegation))
    assert growing.take(command("a", "h"), close("a", "h")) == []
    assert growing.take(close("h")) == [("settled", 1, "delegation helper")]


def test_what_is_different_in_the_end_is_told_again() -> None:
    growing = Growing()
    growing.take(*START, command("a"), close("a"))
    growing.take(d.ItemOpen(key("a"), items.command("other"), reopen=True), close("a"))
    ended = growing.take(d.TurnBoundary("completed"))
    assert ("changed", 1, "command other") in ended


def test_what_is_never_settled_is_told_at_the_end() -> None:
    growing = Growing()
    growing.take(*START, command("a"))
    growing.intake.finish()
    assert growing.told == [("opened", 0, "turn go"), ("settled", 1, "command a"), ("closed", 0, "turn go")]
