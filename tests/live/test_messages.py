"""Reading what an external bridge says: messages and deltas, or what is wrong with them in one line."""

from __future__ import annotations

import contextlib
from typing import get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parity.grammar import deltas as d
from parity.live.messages import AnyDelta, Malformed, read_deltas, read_message
from parity.wire import encode


def test_every_delta_of_the_grammar_is_known() -> None:
    assert set(get_args(AnyDelta)) == set(d.Delta.__subclasses__())


def test_a_delta_is_read_as_the_lanes_would_have_made_it() -> None:
    said = [
        {"kind": "item.open", "key": {"providerItemId": "c"}, "item": {"type": "command", "command": "ls"}},
        {"kind": "item.close", "key": {"providerItemId": "c"}, "status": "failed", "exitCode": 2},
    ]
    key = d.Key("c")
    known = [d.ItemOpen(key, {"type": "command", "command": "ls"}), d.ItemClose(key, "failed", exit_code=2)]
    assert read_deltas(said) == (known, [])


def test_unknown_fields_of_a_delta_are_no_mistake_and_those_of_an_item_survive() -> None:
    said = [{"kind": "item.open", "key": {}, "item": {"type": "hologram", "glow": 3}, "later": 1}]
    assert read_deltas(said) == ([d.ItemOpen(d.Key(), {"type": "hologram", "glow": 3})], [])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"oops", "not JSON"),
        (b"[]", "no JSON-RPC message"),
        (b"{}", "neither method nor id"),
        (b'{"id":{},"result":1}', "an id that"),
        (b'{"method":3}', "a method that"),
        (b'{"method":"error","params":{"threadId":"t"}}', "message"),
        (b'{"method":"thread/delta","params":{"threadId":"t","deltas":{}}}', "deltas"),
        (b"\xff" * 500, "not JSON"),
    ],
)
def test_a_malformed_message_is_named_in_one_line(line: bytes, said: str) -> None:
    with pytest.raises(Malformed) as caught:
        read_message(line)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600


_KINDS = [delta.__struct_config__.tag for delta in d.Delta.__subclasses__()]


@pytest.mark.parametrize("kind", [*_KINDS, "?", 3, {}])
def test_a_delta_is_read_and_refused_as_by_the_type_of_any(kind: object) -> None:
    said = {"kind": kind, "key": 5, "message": 5, "settlesTurn": 5, "initiator": 5, "error": 5, "diff": "x"}
    known, wrong = read_deltas([said])
    assert (known, [what for _, what in wrong]) == _as_any(said)


def _as_any(said: object) -> tuple[list[d.Delta], list[str]]:
    try:
        return [msgspec.convert(said, AnyDelta)], []
    except msgspec.ValidationError as error:
        return [], [str(error)]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=50)
@given(st.lists(_JSON, max_size=4))
def test_no_delta_crashes_its_reader(said: list[object]) -> None:
    known, wrong = read_deltas(said)
    assert len(known) + len(wrong) == len(said)


@settings(max_examples=50)
@given(_JSON)
def test_no_message_crashes_its_reader(message: object) -> None:
    with contextlib.suppress(Malformed):
        read_message(encode(message))
