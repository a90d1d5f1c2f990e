"""`coverage.json`: what counts as a fall, what is only news, and a file that is whole or untouched."""

from __future__ import annotations

from pathlib import Path

import pytest

from parity.coverage.model import HANDLED, IGNORED, UNHANDLED, Entry
from parity.coverage.pins import load, moves, pin
from parity.wire import InputError


def entry(name: str = "plan", verdict: str = HANDLED, cells: int = 2) -> Entry:
    where = [f"acp-x/{number}" for number in range(cells)]
    return Entry(protocol="acp-v1", category="session update", name=name, verdict=verdict, cells=where)


@pytest.fixture
def pinned(tmp_path: Path) -> Path:
    path = tmp_path / "coverage.json"
    pin(path, [entry("plan"), entry("tool_call", IGNORED, 1)])
    return path


def told(path: Path, *entries: Entry) -> list[tuple[bool, str]]:
    return [(move.fell, str(move).rpartition(" · ")[2]) for move in moves(load(path) or {}, entries)]


def test_what_is_as_pinned_did_not_move(pinned: Path) -> None:
    assert told(pinned, entry("plan"), entry("tool_call", IGNORED, 1)) == []


@pytest.mark.parametrize(
    ("now", "fell", "what"),
    [
        ([entry(verdict=IGNORED)], True, "plan: handled in 2 cells → ignored in 2 cells"),
        ([entry(cells=1)], True, "plan: handled in 2 cells → handled in 1 cell"),
        ([], True, "plan: is gone"),
        ([entry(cells=3)], False, "plan: handled in 2 cells → handled in 3 cells"),
        ([entry(), entry("new", UNHANDLED, 1)], True, "new: is new, unhandled in 1 cell"),
        ([entry(), entry("new", HANDLED, 0)], False, "new: is new, handled in 0 cells"),
    ],
)
def test_a_worse_verdict_fewer_cells_and_an_unhandled_name_are_a_fall(
    pinned: Path, now: list[Entry], fell: bool, what: str
) -> None:
    assert told(pinned, *now, entry("tool_call", IGNORED, 1)) == [(fell, what)]


def test_a_better_verdict_in_fewer_cells_is_a_fall_all_the_same(pinned: Path) -> None:
    assert told(pinned, entry("plan"), entry("tool_call", HANDLED, 0))[0][0]


def test_a_pin_says_what_moved_and_leaves_an_equal_file_alone(pinned: Path) -> None:
    before = pinned.stat()
    assert pin(pinned, [entry("tool_call", IGNORED, 1), entry("plan")]) == []
    assert pinned.stat().st_ino == before.st_ino
    (move,) = pin(pinned, [entry("plan", cells=4), entry("tool_call", IGNORED, 1)])
    assert str(move).endswith("handled in 2 cells → handled in 4 cells")
    assert told(pinned, entry("plan", cells=4), entry("tool_call", IGNORED, 1)) == []


def test_a_name_is_a_line(pinned: Path) -> None:
    assert '      "plan": {"verdict": "handled", "cells": 2},\n' in pinned.read_text("utf-8")


def test_nothing_is_pinned_under_ci(pinned: Path) -> None:
    before = pinned.read_bytes()
    with pytest.raises(InputError, match="re-pin locally"):
        pin(pinned, [entry(cells=9)], {"CI": "true"})
    assert pinned.read_bytes() == before


def test_a_missing_file_has_no_pins(tmp_path: Path) -> None:
    assert load(tmp_path / "coverage.json") is None


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"acp-v1": 1}',
        '{"acp-v1": {"c": {"n": 1}}}',
        '{"acp-v1": {"c": {"n": {"verdict": "fine", "cells": 1}}}}',
        '{"acp-v1": {"c": {"n": {"verdict": "handled", "cells": -1}}}}',
        '{"acp-v1": {"c": {"n": {"verdict": "handled", "cells": true}}}}',
        '{"acp-v1": {"c": {"n": {"verdict": "handled"}}}}',
    ],
)
def test_a_wrong_file_is_one_line_that_names_it(tmp_path: Path, text: str) -> None:
    path = tmp_path / "coverage.json"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError) as wrong:
        load(path)
    assert "coverage.json" in str(wrong.value)
    assert "\n" not in str(wrong.value)
