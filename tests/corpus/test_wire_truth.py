"""Truths about every committed cell, proved from the wire itself and not from the pins."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from parity_runs import RECORDINGS

from parity.gates.check import bridge_maker
from parity.gates.pins import KeepSink
from parity.grammar.rows import walk
from parity.replay.replay import replay
from parity.wire import BRIDGE_TO_PROVIDER, PROVIDER_TO_BRIDGE, Cell, find_cells

CELLS = find_cells(RECORDINGS)
_CODE = re.compile(r'"(?:exit_?[cC]ode|exit)\\?":\s?(-?\d+)|Exit [cC]ode:? (-?\d+)|exit_code:\*\* (-?\d+)')


class Seen:
    """A cell's replayed rows and events, and its wire."""

    def __init__(self, cell: Cell) -> None:
        sink = KeepSink(("rows", "events"))
        self.outcome = replay(cell, bridge_maker(cell), sink)
        self.rows = [row for top in sink.docs("rows") for row in walk(top)]
        self.events = [_with_thread(event) for event in sink.docs("events")]
        self.wire = [
            line.line for line in cell.lines() if line.dir in (PROVIDER_TO_BRIDGE, BRIDGE_TO_PROVIDER)
        ]

    def lines_about(self, call_id: str) -> Iterator[str]:
        """The wire lines that name a call."""
        name = json.dumps(call_id, ensure_ascii=False)
        return (line for line in self.wire if name in line)


@pytest.fixture(scope="module", params=CELLS, ids=lambda cell: cell.key)
def seen(request: pytest.FixtureRequest) -> Seen:
    return Seen(request.param)


def begun(seen: Seen) -> Counter[str]:
    """How often the wire begins each call: a `tool_call` naming it after it had settled counts anew (ACP),
    and so does an `item/started`, in each thread of its own (codex)."""
    counts: Counter[str] = Counter()
    settled: set[str] = set()
    for line in seen.wire:
        message = json.loads(line) if line.startswith("{") else {}
        params = message.get("params") if isinstance(message.get("params"), dict) else {}
        update = params.get("update") if isinstance(params.get("update"), dict) else {}
        call = update.get("toolCallId")
        if update.get("sessionUpdate") == "tool_call" and (call not in counts or call in settled):
            counts[call] += 1
            settled.discard(call)
        if update.get("status") in ("completed", "failed"):
            settled.add(call)
        if message.get("method") == "item/started":
            counts[params["item"]["id"]] += 1
    return counts


def test_the_cell_replays_without_stalls(seen: Seen) -> None:
    assert seen.outcome.stalls == []
    assert seen.outcome.unconsumed == []


def test_no_call_has_two_rows(seen: Seen) -> None:
    begins = begun(seen)
    rows = Counter(row["providerItemId"] for row in seen.rows if "providerItemId" in row)
    doubled = {call: count for call, count in rows.items() if count > max(1, begins[call])}
    assert doubled == {}


def test_every_row_of_a_call_names_a_call_of_the_wire(seen: Seen) -> None:
    for row in seen.rows:
        if "providerItemId" in row:
            assert any(seen.lines_about(row["providerItemId"])), row


def test_no_exit_code_is_invented(seen: Seen) -> None:
    for row in seen.rows:
        if row.get("exitCode") is None or "providerItemId" not in row:
            continue
        said = {
            int(next(code for code in match.groups() if code))
            for line in seen.lines_about(row["providerItemId"])
            if '"status":"in_progress"' not in line
            for match in _CODE.finditer(line)
        }
        assert row["exitCode"] in said, row


def test_a_command_whose_exit_code_is_not_zero_failed(seen: Seen) -> None:
    for row in seen.rows:
        if row.get("exitCode"):
            assert row["status"] == "failed", row


def test_no_list_of_numbers_reaches_a_row(seen: Seen) -> None:
    for row in seen.rows:
        assert not any(_is_numbers(value) for value in _values(row)), row


def test_the_final_output_is_what_was_streamed(seen: Seen) -> None:
    streamed: dict[str, str] = {}
    for event in seen.events:
        if event["type"] == "item/commandExecution/outputDelta":
            before = "" if event.get("reset") else streamed.get(event["itemId"], "")
            streamed[event["itemId"]] = before + event["delta"]
        elif event["type"] == "item/completed" and event["item"]["type"] == "commandExecution":
            final = event["item"].get("aggregatedOutput", "")
            assert streamed.get(event["item"]["id"], "") == final


def test_message_text_is_what_was_streamed(seen: Seen) -> None:
    streamed: dict[str, str] = {}
    for event in seen.events:
        if event["type"] == "item/agentMessage/delta":
            streamed[event["itemId"]] = streamed.get(event["itemId"], "") + event["delta"]
        elif event["type"] == "item/completed" and event["item"]["type"] == "agentMessage":
            assert streamed.get(event["item"]["id"], "") == event["item"]["text"]


def test_every_opened_item_settles_exactly_once_more_than_it_reopens(seen: Seen) -> None:
    open_items: set[str] = set()
    for event in seen.events:
        if event["type"] == "item/started":
            open_items.add(event["item"]["id"])
        elif event["type"] in (
            "item/completed",
            "item/delegation/completed",
            "item/backgroundTask/completed",
        ):
            assert event["item"]["id"] in open_items
            open_items.discard(event["item"]["id"])
    assert open_items == set()


def test_paths_are_absolute(seen: Seen) -> None:
    for row in seen.rows:
        for path in [row.get("path"), *(change["path"] for change in row.get("changes", ()))]:
            assert path is None or path.startswith("/"), row


def test_there_are_the_cells_there_should_be() -> None:
    acp = [cell for cell in CELLS if cell.provider.startswith("acp-")]
    assert len(acp) >= 54
    assert len({cell.provider for cell in acp}) == 8


def _with_thread(event: dict[str, Any]) -> dict[str, Any]:
    """Item ids are ordinals of their thread: make them unique in the cell."""
    thread = event["threadId"]
    if "itemId" in event:
        event = {**event, "itemId": f"{thread}/{event['itemId']}"}
    if isinstance(event.get("item"), dict):
        event = {**event, "item": {**event["item"], "id": f"{thread}/{event['item']['id']}"}}
    return event


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
