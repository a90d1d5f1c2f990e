"""Row marks: which rows of two timelines differ, and in which fields.

Knows rows and how they are paired. Must not know how a timeline is printed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from parity.compare import Entry, align, normalise, same

Place = tuple[int, ...]
"""Where a row stands: its index among the top-level rows, then among its parent's children, and so on."""

Marks = dict[Place, list[str]]
"""The rows that differ: the fields they differ in, none for a row that the other timeline has not."""

_ABSENT = object()


def row_marks(old: Sequence[dict[str, Any]], new: Sequence[dict[str, Any]]) -> tuple[Marks, Marks]:
    """The marks of both timelines. A row is not marked for what its children differ in."""
    old_marks: Marks = {}
    new_marks: Marks = {}
    _mark(normalise("rows", old), normalise("rows", new), (), (), old_marks, new_marks)
    return old_marks, new_marks


def _mark(
    old: Sequence[Entry],
    new: Sequence[Entry],
    old_above: Place,
    new_above: Place,
    old_marks: Marks,
    new_marks: Marks,
) -> None:
    for i, j in align(old, new):
        if j is None:
            assert i is not None
            _mark_whole(old[i], (*old_above, i), old_marks)
        elif i is None:
            _mark_whole(new[j], (*new_above, j), new_marks)
        else:
            fields = _fields(old[i], new[j])
            if fields:
                old_marks[(*old_above, i)] = new_marks[(*new_above, j)] = fields
            below = (*old_above, i), (*new_above, j)
            _mark(old[i].children, new[j].children, *below, old_marks, new_marks)


def _mark_whole(entry: Entry, place: Place, marks: Marks) -> None:
    marks[place] = []
    for number, child in enumerate(entry.children):
        _mark_whole(child, (*place, number), marks)


def _fields(old: Entry, new: Entry) -> list[str]:
    """The fields of one row that differ; its id and a title that only repeats it do not count."""
    before, after = dict(old.doc), dict(new.doc)
    for doc in (before, after):
        if doc.get("title") == doc.get("id"):
            doc.pop("title", None)
        doc.pop("id", None)
        doc.pop("children", None)
    return [key for key in {**before, **after} if not same(before.get(key, _ABSENT), after.get(key, _ABSENT))]
