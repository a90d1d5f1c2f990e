"""Strict equality, and printing the part that differs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from parity.compare import describe, pointer, same


@pytest.mark.parametrize(
    ("a", "b"), [(1, True), (1, 1.0), (None, UNSET), (0, False), ("1", 1), ([], {}), ([1], [True])]
)
def test_values_that_json_tells_apart_are_not_the_same(a: object, b: object) -> None:
    assert not same(a, b)


def test_key_order_is_no_difference() -> None:
    assert same({"a": 1, "b": [{}]}, {"b": [{}], "a": 1})


def test_integers_of_any_size_and_lone_surrogates_can_be_compared() -> None:
    assert same({"n": 10**40, "s": "\ud83d"}, {"s": "\ud83d", "n": 10**40})


def test_a_pointer_of_nothing_is_the_whole_document() -> None:
    assert pointer([]) == ""


def test_a_short_value_is_shown_whole() -> None:
    assert describe({"a": 1}, None) == '{"a": 1}'


def test_what_is_not_there_is_called_absent() -> None:
    assert describe(UNSET, None) == "(absent)"


def test_a_long_text_is_shown_around_what_differs() -> None:
    text = describe("x" * 10_000 + "HERE" + "y" * 10_000, "x" * 10_000 + "y" * 10_000)
    assert "HERE" in text
    assert text.startswith("…")
    assert text.endswith("…")


def test_a_long_object_is_shown_around_what_differs() -> None:
    assert "HERE" in describe({"a": "x" * 500 + "HERE"}, {"a": "x" * 500})


def test_a_long_text_of_newlines_stays_one_line() -> None:
    assert "\n" not in describe("\n" * 1000 + "a", "\n" * 1000 + "b")


words = st.text(max_size=400) | st.lists(st.text(max_size=30), max_size=20)


@given(words, words, st.integers(10, 120))
def test_a_description_is_never_wider_than_asked(value: object, other: object, width: int) -> None:
    assert len(describe(value, other, width)) <= width


@given(st.text(max_size=300), st.sampled_from("é\n\x00Z"), st.text(max_size=300))
def test_a_description_always_shows_the_inserted_character(head: str, mark: str, tail: str) -> None:
    shown = describe(f"{head}{mark * 2}{tail}", head + tail)
    assert {"\n": "\\n", "\x00": "\\u0000"}.get(mark, mark) in shown
