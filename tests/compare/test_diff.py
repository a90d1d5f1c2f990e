"""Differences: an inserted or removed document is one difference, and a changed field is one."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from parity.compare import Difference, diff_docs
from parity.compare.diff import diff_values

TYPES = ("agentMessage", "reasoning", "commandExecution")


@st.composite
def events(draw: st.DrawFn) -> dict[str, Any]:
    number = draw(st.integers(1, 4))
    doc: dict[str, Any] = {
        "threadId": "t",
        "scope": {"kind": "turn", "turnId": f"turn-{draw(st.integers(1, 3))}"},
    }
    match draw(st.sampled_from(("started", "completed", "delta", "turn", "ask"))):
        case "delta":
            text = draw(st.sampled_from(("a", "b", "the")))
            return {
                "type": "item/agentMessage/delta",
                **doc,
                "itemId": f"item-{number}",
                "delta": text,
            }
        case "turn":
            return {"type": "turn/started", **doc, "turnId": doc["scope"]["turnId"]}
        case "ask":
            return {"type": "interaction/requested", **doc, "interactionId": f"ask-{number}"}
        case word:
            item = {"id": f"item-{number}", "type": draw(st.sampled_from(TYPES))}
            if draw(st.booleans()):
                item["providerItemId"] = f"call_{number}"
            return {"type": f"item/{word}", **doc, "item": item}


streams = st.lists(events(), max_size=20)


def shown(differences: list[Difference]) -> list[tuple[str, str]]:
    return [(d.change, d.path) for d in differences]


def agent_turn(turn: int, first_item: int, text: str) -> list[dict[str, Any]]:
    """A turn with a message and a command, ids numbered from `first_item`."""
    doc = {"threadId": "t", "scope": {"kind": "turn", "turnId": f"turn-{turn}"}}
    message, command = f"item-{first_item}", f"item-{first_item + 1}"
    return [
        {"type": "turn/started", **doc, "turnId": f"turn-{turn}"},
        {"type": "item/started", **doc, "item": {"id": message, "type": "agentMessage"}},
        {"type": "item/agentMessage/delta", **doc, "itemId": message, "delta": text},
        {
            "type": "item/completed",
            **doc,
            "item": {
                "id": command,
                "type": "commandExecution",
                "providerItemId": f"call-{text}",
                "exitCode": 0,
            },
        },
        {"type": "turn/completed", **doc, "turnId": f"turn-{turn}", "status": "completed"},
    ]


@given(streams)
def test_a_stream_never_differs_from_itself(stream: list[dict[str, Any]]) -> None:
    assert diff_docs("events", stream, copy.deepcopy(stream)) == []


@given(streams, events(), st.data())
def test_an_inserted_event_is_exactly_one_difference(
    stream: list[dict[str, Any]], event: dict[str, Any], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(stream)))
    (difference,) = diff_docs("events", stream, [*stream[:at], event, *stream[at:]])
    assert difference.change == "added"
    assert difference.path.count("/") == 1
    assert difference.old is UNSET


@given(streams, events(), st.data())
def test_a_removed_event_is_exactly_one_difference(
    stream: list[dict[str, Any]], event: dict[str, Any], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(stream)))
    (difference,) = diff_docs("events", [*stream[:at], event, *stream[at:]], stream)
    assert difference.change == "removed"
    assert difference.new is UNSET


def test_an_inserted_event_is_reported_at_its_place() -> None:
    old = agent_turn(1, 1, "x") + agent_turn(2, 3, "y")
    event = {"type": "thread/compacted", "threadId": "t", "scope": {"kind": "thread"}}
    assert shown(diff_docs("events", old, [*old[:3], event, *old[3:]])) == [("added", "/3")]


def test_an_inserted_turn_renumbers_nothing_after_it() -> None:
    old = agent_turn(1, 1, "one") + agent_turn(2, 3, "two")
    new = agent_turn(1, 1, "one") + agent_turn(2, 3, "mid") + agent_turn(3, 5, "two")
    assert shown(diff_docs("events", old, new)) == [("added", f"/{at}") for at in range(5, 10)]


def test_an_inserted_turn_renumbers_nothing_when_all_turns_changed_as_well() -> None:
    old = agent_turn(1, 1, "one") + agent_turn(2, 3, "two")
    new = agent_turn(1, 1, "mid") + agent_turn(2, 3, "one") + agent_turn(3, 5, "two")
    new[8]["item"]["exitCode"] = new[13]["item"]["exitCode"] = 1
    assert shown(diff_docs("events", old, new)) == [
        *(("added", f"/{at}") for at in range(5)),
        ("changed", "/8/item/exitCode"),
        ("changed", "/13/item/exitCode"),
    ]


def test_minted_ids_alone_are_no_difference() -> None:
    assert diff_docs("events", agent_turn(1, 1, "x"), agent_turn(4, 70, "x")) == []


def test_a_changed_field_has_its_path_and_both_values() -> None:
    old, new = agent_turn(1, 1, "x"), agent_turn(1, 1, "x")
    new[3]["item"]["exitCode"] = 2
    (difference,) = diff_docs("events", old, new)
    assert (difference.path, difference.old, difference.new) == ("/3/item/exitCode", 0, 2)
    assert difference.label == "item/completed commandExecution call-x"


def test_a_field_that_was_absent_is_added_and_differs_from_null() -> None:
    old, new = agent_turn(1, 1, "x"), agent_turn(1, 1, "x")
    new[4]["error"] = None
    (difference,) = diff_docs("events", old, new)
    assert (difference.change, difference.old, difference.new) == ("added", UNSET, None)


def test_regrouped_deltas_are_no_difference() -> None:
    deltas = [{"kind": "turn.open"}, {"kind": "turn.boundary", "status": "completed"}]

    def lane(*groups: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [
            {"line": json.dumps({"method": "thread/delta", "params": {"deltas": group}})} for group in groups
        ]

    assert diff_docs("bridge", lane(deltas), lane(deltas[:1], deltas[1:])) == []


def test_an_inserted_request_renumbers_no_other_request() -> None:
    def lane(*texts: str) -> list[dict[str, Any]]:
        return [
            {"line": json.dumps({"id": at, "method": "session/prompt", "params": {"text": text}})}
            for at, text in enumerate(texts)
        ]

    assert shown(diff_docs("provider", lane("a", "b"), lane("a", "new", "b"))) == [("added", "/1")]


def row(number: int, kind: str, call: str | None = None, **fields: Any) -> dict[str, Any]:
    doc = {"id": f"item-{number}", "kind": kind, "status": "completed", **fields}
    return {**doc, "providerItemId": call} if call else doc


def turn_row(number: int, *children: dict[str, Any]) -> dict[str, Any]:
    return row(0, "turn", children=list(children)) | {
        "id": f"turn-{number}",
        "title": f"turn-{number}",
    }


def test_a_changed_field_of_a_child_row_has_a_path_through_its_parent() -> None:
    old = [turn_row(1, row(1, "message", text="m"), row(2, "command", "c1", exitCode=0))]
    new = [turn_row(1, row(1, "message", text="m"), row(2, "command", "c1", exitCode=3))]
    assert shown(diff_docs("rows", old, new)) == [("changed", "/0/children/1/exitCode")]


def test_an_inserted_child_row_shifts_no_sibling() -> None:
    old = [turn_row(1, row(1, "command", "c1"), row(2, "message", text="m"))]
    new = [turn_row(1, row(1, "warning"), row(2, "command", "c1"), row(3, "message", text="m"))]
    assert shown(diff_docs("rows", old, new)) == [("added", "/0/children/0")]


def test_a_renamed_row_kind_is_one_change() -> None:
    old, new = [turn_row(1, row(1, "tool", "c1"))], [turn_row(1, row(1, "webFetch", "c1"))]
    assert shown(diff_docs("rows", old, new)) == [("changed", "/0/children/0/kind")]


def test_a_title_that_repeats_a_minted_id_is_no_difference() -> None:
    assert diff_docs("rows", [turn_row(1)], [turn_row(2)]) == []


def test_an_inserted_turn_row_shifts_no_changed_turn() -> None:
    old = [turn_row(1, row(1, "command", "c1", exitCode=0), row(2, "message", text="long text"))]
    new = [
        turn_row(1, row(1, "message", text="another text")),
        turn_row(2, row(2, "command", "c1", exitCode=1), row(3, "message", text="long text")),
    ]
    assert shown(diff_docs("rows", old, new)) == [
        ("added", "/0"),
        ("changed", "/1/children/0/exitCode"),
    ]


def test_all_children_gone_are_removed_rows() -> None:
    old, new = [turn_row(1, row(1, "command", "c1"))], [turn_row(1)]
    assert shown(diff_docs("rows", old, new)) == [("removed", "/0/children/0")]


def test_a_changed_drop_count_is_one_difference() -> None:
    (difference,) = diff_docs(
        "grammar", [{"drop": "turn/known:x", "count": 1}], [{"drop": "turn/known:x", "count": 2}]
    )
    assert difference.path == "/0/count"


def test_pointers_escape_tilde_and_slash() -> None:
    (difference,) = diff_docs("events", [{"type": "x", "a~/b": 1}], [{"type": "x", "a~/b": 2}])
    assert difference.path == "/0/a~0~1b"


def test_an_element_inserted_into_a_list_is_one_difference() -> None:
    old = {"changes": [{"path": "a"}, {"path": "b"}]}
    new = {"changes": [{"path": "n"}, {"path": "a"}, {"path": "b"}]}
    assert diff_values(old, new) == [(["changes", 0], "added", UNSET, {"path": "n"})]


def test_an_element_removed_from_a_list_is_named_by_its_old_index() -> None:
    assert diff_values([1, 2, 3], [1, 3]) == [([1], "removed", 2, UNSET)]


def test_keys_that_look_private_are_compared() -> None:
    assert diff_values({"__typename": "a"}, {"__typename": "b"}) == [(["__typename"], "changed", "a", "b")]


def test_one_is_neither_true_nor_one_point_zero() -> None:
    assert len(diff_values({"a": 1, "b": 1}, {"a": True, "b": 1.0})) == 2


def test_minus_zero_is_not_zero() -> None:
    assert len(diff_values({"a": -0.0}, {"a": 0.0})) == 1


def test_long_texts_are_kept_whole_in_the_difference() -> None:
    old, new = "line\n" * 5000, "line\n" * 5000 + "end"
    assert diff_values({"t": old}, {"t": new}) == [(["t"], "changed", old, new)]


def test_values_nested_past_the_depth_that_is_looked_into_are_compared_whole() -> None:
    def nest(leaf: int) -> Any:
        value: Any = leaf
        for _ in range(300):
            value = [value]
        return value

    (found,) = diff_values(nest(1), nest(2))
    assert found[1] == "changed"


values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=12,
)


@given(values, values)
def test_unequal_values_never_come_out_as_equal(old: Any, new: Any) -> None:
    differ = json.dumps(old, sort_keys=True) != json.dumps(new, sort_keys=True)
    assert bool(diff_values(old, new)) == differ
