"""What is remembered of things that are over, up to a bound."""

from __future__ import annotations

import pytest
from session_truth import remembered
from thread_runs import TURN, ThreadRun, close_item, open_item

from parity.grammar import assembler, ordering
from parity.grammar.newest import Newest


def test_what_was_added_longest_ago_is_forgotten_and_told() -> None:
    newest: Newest[str] = Newest(2)
    assert [newest.add(value) for value in "abcd"] == [None, None, "a", "b"]
    assert [value in newest for value in "abcd"] == [False, False, True, True]


def test_what_is_added_again_is_the_newest() -> None:
    newest: Newest[str] = Newest(2)
    assert [newest.add(value) for value in "abac"] == [None, None, None, "b"]


def test_what_is_discarded_makes_room() -> None:
    newest: Newest[str] = Newest(2)
    newest.add("a")
    newest.discard("a")
    newest.discard("never")
    assert [newest.add(value) for value in "bc"] == [None, None]
    newest.clear()
    assert len(newest) == 0


def test_a_long_turn_remembers_only_its_newest_settled_items(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assembler, "REMEMBERED_ITEMS", 2)
    monkeypatch.setattr(ordering, "REMEMBERED_ITEMS", 2)
    run = ThreadRun(TURN, open_item("open"))
    names = [f"call-{number}" for number in range(5)]
    for name in names:
        run.feed(open_item(name), close_item(name))
    (thread,) = run.intake._threads.values()
    assert remembered(thread.assembler, {*names, "open"}) == {*names[-2:], "open"}
    assert len(thread.ordering._settled) == 2
    run.feed(close_item("call-4", "failed"), close_item("call-0", "failed"))
    assert run.drops == {
        "item/settles-once:item/completed": 1,
        "item/opens-before-delta:item/completed": 1,
    }


def test_an_item_that_is_reopened_is_not_forgotten_while_it_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assembler, "REMEMBERED_ITEMS", 1)
    run = ThreadRun(TURN, open_item("a"), close_item("a"), open_item("a", reopen=True))
    run.feed(open_item("b"), close_item("b"), open_item("c"), close_item("c"), close_item("a", "failed"))
    assert run.finish().row("a")["status"] == "failed"
    assert run.drops == {}
