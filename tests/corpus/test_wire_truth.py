"""Truths about every committed cell, proved from the wire itself and not from the pins."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from parity_runs import RECORDINGS

from parity.conformance import wire_truth
from parity.conformance.recorded import Seen
from parity.gates.check import built_in
from parity.wire import find_cells

CELLS = find_cells(RECORDINGS)


@pytest.fixture(scope="module", params=CELLS, ids=lambda cell: cell.key)
def seen(request: pytest.FixtureRequest) -> Seen:
    return Seen(request.param, built_in(request.param))


def test_the_cell_replays_without_stalls(seen: Seen) -> None:
    assert seen.outcome.stalls == []
    assert seen.outcome.unconsumed == []


def test_no_call_has_two_rows(seen: Seen) -> None:
    assert wire_truth.doubled(seen.rows, seen.wire) == {}


def test_every_row_of_a_call_names_a_call_of_the_wire(seen: Seen) -> None:
    assert wire_truth.unnamed(seen.rows, seen.wire) == []


def test_no_exit_code_is_invented(seen: Seen) -> None:
    assert wire_truth.invented_codes(seen.rows, seen.wire) == []


def test_a_command_whose_exit_code_is_not_zero_failed(seen: Seen) -> None:
    for row in seen.rows:
        if row.get("exitCode"):
            assert row["status"] == "failed", row


def test_no_list_of_numbers_reaches_a_row(seen: Seen) -> None:
    for row in seen.rows:
        assert not any(_is_numbers(value) for value in _values(row)), row


def test_the_final_output_is_what_was_streamed(seen: Seen) -> None:
    assert wire_truth.torn_outputs(seen.events) == []


def test_message_text_is_what_was_streamed(seen: Seen) -> None:
    assert wire_truth.torn_texts(seen.events) == []


def test_every_opened_item_settles_exactly_once_more_than_it_reopens(seen: Seen) -> None:
    assert wire_truth.unsettled(seen.events) == set()


def test_paths_are_absolute(seen: Seen) -> None:
    for row in seen.rows:
        for path in [row.get("path"), *(change["path"] for change in row.get("changes", ()))]:
            assert path is None or path.startswith("/"), row


def test_there_are_the_cells_there_should_be() -> None:
    acp = [cell for cell in CELLS if cell.provider.startswith("acp-")]
    assert len(acp) >= 54
    assert len({cell.provider for cell in acp}) == 10


def _values(value: Any) -> Iterator[Any]:
    yield value
    if isinstance(value, dict):
        for item in value.values():
            yield from _values(item)
    elif isinstance(value, list):
        for item in value:
            yield from _values(item)


def _is_numbers(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 3 and all(type(item) is int for item in value)
