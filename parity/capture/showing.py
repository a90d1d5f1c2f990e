"""Whether a recording shows what its scenario is about: rows it must have, each given by a part of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any


def missing_rows(wanted: Sequence[dict[str, Any]], rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those of `wanted` that no row of the timeline, at any depth, fits.

    A row fits where it has every member given: texts as a part of the row's text, mappings and lists likewise
    member by member, all else equal.
    """
    every = [row for top in rows for row in _all(top)]
    return [one for one in wanted if not any(fits(one, row) for row in every)]


def fits(part: Any, whole: Any) -> bool:
    """Whether `part` is a part of `whole`."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(
            name in whole and fits(value, whole[name]) for name, value in part.items()
        )
    if isinstance(part, list):
        return isinstance(whole, list) and all(any(fits(one, other) for other in whole) for one in part)
    if isinstance(part, str):
        return isinstance(whole, str) and part in whole
    return bool(part == whole)


def _all(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield row
    for child in row.get("children") or []:
        yield from _all(child)
