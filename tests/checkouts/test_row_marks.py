"""Row marks: the rows that differ, in both timelines."""

from __future__ import annotations

from typing import Any

from parity.checkouts.row_marks import row_marks


def row(number: int, kind: str = "command", **fields: Any) -> dict[str, Any]:
    return {"id": f"item-{number}", "kind": kind, "status": "completed", "title": f"call {kind}", **fields}


def turn(*children: dict[str, Any]) -> dict[str, Any]:
    return row(0, "turn", children=list(children))


def test_equal_timelines_have_no_marks() -> None:
    rows = [turn(row(1), row(2)), row(3, "message", text="done")]
    assert row_marks(rows, rows) == ({}, {})


def test_a_row_that_differs_is_marked_with_its_fields_and_its_parent_is_not() -> None:
    old, new = [turn(row(1), row(2, exitCode=0))], [turn(row(1), row(2))]
    assert row_marks(old, new) == ({(0, 1): ["exitCode"]}, {(0, 1): ["exitCode"]})


def test_a_row_that_is_new_is_marked_with_all_below_it_and_moves_no_other() -> None:
    old = [turn(row(1, providerItemId="a"))]
    more = row(9, "delegation", providerItemId="b", children=[row(10)])
    new = [turn(more, row(1, providerItemId="a"))]
    assert row_marks(old, new) == ({}, {(0, 0): [], (0, 0, 0): []})


def test_the_numbers_of_rows_do_not_count() -> None:
    assert row_marks([row(1, providerItemId="a")], [row(7, providerItemId="a")]) == ({}, {})
