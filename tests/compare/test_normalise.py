"""Normalising: what identifies an entry, what is blanked."""

from __future__ import annotations

import json
from typing import Any

import pytest

from parity.compare import normalise


def item(event: str, number: int, type_: str = "agentMessage", **fields: Any) -> dict[str, Any]:
    return {
        "type": event,
        "threadId": "t",
        "scope": {"kind": "turn", "turnId": "turn-7"},
        "item": {"id": f"item-{number}", "type": type_, **fields},
    }


def delta(number: int, text: str) -> dict[str, Any]:
    return {
        "type": "item/agentMessage/delta",
        "threadId": "t",
        "scope": {"kind": "turn", "turnId": "turn-7"},
        "itemId": f"item-{number}",
        "delta": text,
    }


def line(message: Any, **fields: Any) -> dict[str, Any]:
    text = message if isinstance(message, str) else json.dumps(message)
    return {"ts": 1, "run": 1, "seq": 1, "dir": "bridge→runtime", "line": text, **fields}


def test_an_item_is_named_after_the_provider_key() -> None:
    (entry,) = normalise("events", [item("item/started", 3, "commandExecution", providerItemId="c1")])
    assert entry.doc["item"]["id"] == "item:c1"
    assert entry.identity == "item/started item:c1"
    assert entry.label == "item/started commandExecution c1"


def test_a_provider_key_used_again_gets_an_ordinal() -> None:
    docs = [item("item/started", n, "toolCall", providerItemId="c1") for n in (1, 2)]
    assert [e.doc["item"]["id"] for e in normalise("events", docs)] == ["item:c1", "item:c1#2"]


def test_an_item_without_a_provider_key_is_named_by_type_and_ordinal() -> None:
    docs = [item("item/started", 4), item("item/started", 9)]
    names = [e.doc["item"]["id"] for e in normalise("events", docs)]
    assert names == ["item:agentMessage#1", "item:agentMessage#2"]


def test_a_delta_refers_to_its_item_by_name() -> None:
    entries = normalise("events", [item("item/started", 4), delta(4, "a"), delta(4, "b")])
    assert entries[1].doc["itemId"] == "item:agentMessage#1"
    assert entries[2].identity == "item/agentMessage/delta item:agentMessage#1@2"


def test_a_turn_is_named_by_its_ordinal() -> None:
    (entry,) = normalise("events", [delta(1, "a")])
    assert entry.doc["scope"]["turnId"] == "turn#1"


def test_equal_ids_of_two_threads_are_two_things() -> None:
    other = {**item("item/started", 4), "threadId": "u"}
    entries = normalise("events", [item("item/started", 4), other])
    assert entries[0].doc["item"]["id"] != entries[1].doc["item"]["id"]


def test_a_provider_id_in_a_payload_is_kept() -> None:
    doc = {
        "type": "interaction/requested",
        "threadId": "t",
        "interactionId": "i-1",
        "payload": {"itemId": "call_1"},
    }
    (entry,) = normalise("events", [doc])
    assert entry.doc["payload"] == {"itemId": "call_1"}
    assert entry.doc["interactionId"] == "interaction#1"


def test_moments_are_blanked_and_durations_are_not() -> None:
    (entry,) = normalise("events", [{**item("item/completed", 1, durationMs=5), "timestamp": 1722}])
    assert entry.doc["timestamp"] == "<time>"
    assert entry.doc["item"]["durationMs"] == 5


def test_the_given_documents_stay_as_they_are() -> None:
    doc = {**item("item/completed", 1), "ts": 9}
    before = json.dumps(doc)
    normalise("events", [doc])
    assert json.dumps(doc) == before


def test_a_thread_delta_is_one_entry_per_delta() -> None:
    deltas = [
        {"kind": "item.open", "key": {"providerItemId": "c1"}},
        {"kind": "item.textDelta", "key": {"channel": "agentMessage"}, "text": "x"},
    ]
    docs = [line({"method": "thread/delta", "params": {"threadId": "t", "deltas": deltas}})]
    entries = normalise("bridge", docs)
    assert [e.label for e in entries] == ["item.open c1", "item.textDelta agentMessage"]
    assert entries[1].doc["params"] == {"threadId": "t", "delta": deltas[1]}
    assert [e.source for e in entries] == [0, 0]


def test_a_request_of_the_bridge_is_named_and_an_answer_keeps_its_id() -> None:
    docs = [line({"id": 41, "method": "session/prompt"}), line({"id": 41, "result": {}})]
    request, answer = normalise("provider", docs)
    assert request.doc["id"] == "session/prompt#1"
    assert answer.doc["id"] == 41


def test_a_line_that_is_not_json_is_an_entry() -> None:
    (entry,) = normalise("provider", [line("hello")])
    assert entry.doc == {"raw": "hello"}


def test_a_renamed_kind_does_not_change_the_identity_of_a_row_with_a_provider_key() -> None:
    (tool,) = normalise("rows", [{"id": "item-1", "kind": "tool", "providerItemId": "c1"}])
    (fetch,) = normalise("rows", [{"id": "item-4", "kind": "webFetch", "providerItemId": "c1"}])
    assert tool.identity == fetch.identity == "row:c1"


def test_a_row_is_labelled_with_kind_title_and_provider_key() -> None:
    row = {"id": "item-1", "kind": "command", "title": "ls /x", "providerItemId": "call_1"}
    (entry,) = normalise("rows", [row])
    assert entry.label == 'command "ls /x" (call_1)'


def test_a_newline_in_a_call_id_does_not_break_the_label() -> None:
    (entry,) = normalise("rows", [{"id": "i", "kind": "command", "providerItemId": "a\nb"}])
    assert "\n" not in entry.label


def test_a_grammar_drop_is_identified_by_rule_and_type() -> None:
    (entry,) = normalise("grammar", [{"drop": "turn/known:turn/completed", "count": 2}])
    assert entry.identity == "drop turn/known:turn/completed"


def test_an_unknown_layer_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown layer"):
        normalise("wire", [])
