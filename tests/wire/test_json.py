"""JSON text in and out: strict, but no line lost to a lone surrogate."""

import json as stdlib_json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parity.wire import JsonError, decode, decode_counted, decode_with, encode
from parity.wire.json import MAX_DEPTH

surrogates = st.integers(0xD800, 0xDFFF).map(chr)
any_text = st.lists(st.characters() | surrogates | st.sampled_from('\\"u/')).map("".join)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
documents = st.recursive(
    scalars.filter(lambda value: value not in (float("inf"), float("-inf"))),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(documents)
def test_a_document_never_changes_by_writing_and_reading(value: Any) -> None:
    assert decode(encode(value)) == value


@given(any_text)
def test_an_escaped_string_never_differs_from_its_text_but_for_lone_surrogates(text: str) -> None:
    written = stdlib_json.dumps(text)
    meant = stdlib_json.loads(written)
    lone = sum("\ud800" <= char <= "\udfff" for char in meant)
    expected = "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in meant)
    assert decode_counted(written) == (expected, lone)


@pytest.mark.parametrize("escape", [r"\ud83d", r"\uDE00", r"\uD83Dx", r"\ud83d\u0041"])
def test_a_lone_surrogate_escape_is_replaced_and_counted(escape: str) -> None:
    value, count = decode_counted(f'{{"text": "a{escape}"}}')
    assert (value["text"][:2], count) == ("a\ufffd", 1)


def test_a_surrogate_pair_is_one_character() -> None:
    assert decode_counted(r'"\ud83d\ude00"') == ("\U0001f600", 0)


def test_a_pair_after_a_lone_surrogate_stays() -> None:
    assert decode_counted(r'"\ud83d\ud83d\ude00"') == ("\ufffd\U0001f600", 1)


def test_an_escaped_backslash_before_ud83d_is_text() -> None:
    assert decode_counted(r'["\\ud83d", "\ud83d"]') == (["\\ud83d", "\ufffd"], 1)


def test_a_lone_surrogate_in_a_key_is_replaced() -> None:
    assert decode_counted(rb'{"\ud83d": 1}') == ({"\ufffd": 1}, 1)


def test_a_surrogate_in_the_text_itself_is_replaced_and_counted() -> None:
    assert decode_counted('"a\ud83d"') == ("a\ufffd", 1)


def test_decode_replaces_without_counting() -> None:
    assert decode(r'"\ud83d"') == "\ufffd"


def test_a_big_integer_survives() -> None:
    assert decode("123456789012345678901234567890") == 123456789012345678901234567890


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "NaN",
        "[Infinity]",
        "-Infinity",
        '{"a": 1} x',
        '"a\tb"',
        "1e999",
        "starting agent …",
    ],
)
def test_what_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(JsonError):
        decode(text)


def test_nan_is_refused_beside_a_lone_surrogate_too() -> None:
    with pytest.raises(JsonError):
        decode(r'["\ud83d", NaN]')


def test_invalid_utf8_is_refused() -> None:
    with pytest.raises(JsonError, match="UTF-8"):
        decode(b'"\xff"')


@pytest.mark.parametrize("inside", ["", r'"\ud83d"'])
def test_nesting_deeper_than_the_stack_is_refused(inside: str) -> None:
    with pytest.raises(JsonError, match="deep"):
        decode("[" * 100_000 + inside + "]" * 100_000)


@pytest.mark.parametrize("inside", ["null", r'"\ud83d"'])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_what_can_be_read_can_be_written_inside_other_documents(
    opening: str, closing: str, inside: str
) -> None:
    deepest = opening * MAX_DEPTH + inside + closing * MAX_DEPTH
    assert encode({"wrapped": [decode(deepest)]})
    for deeper in (opening + deepest + closing, (opening + deepest + closing).encode()):
        with pytest.raises(JsonError, match="deep"):
            decode(deeper)


def test_a_flat_value_with_many_brackets_is_not_deep() -> None:
    assert decode("[" + ",".join(["[[]]"] * MAX_DEPTH) + "]") == [[[]]] * MAX_DEPTH


def test_the_error_knows_the_byte_where_reading_failed() -> None:
    with pytest.raises(JsonError) as caught:
        decode('{"ä": x}')
    assert caught.value.offset == 7


class Point(msgspec.Struct):
    x: int
    name: str = ""


def test_a_typed_decoder_gets_the_same_repair() -> None:
    decoder = msgspec.json.Decoder(Point)
    assert decode_with(decoder, r'{"x": 1, "name": "\udfff"}') == (Point(1, "\ufffd"), 1)


def test_a_typed_decoder_tells_another_shape_from_bad_json() -> None:
    with pytest.raises(msgspec.ValidationError):
        decode_with(msgspec.json.Decoder(Point), '{"x": "1"}')


def test_encoding_is_compact_and_keeps_the_order_of_keys() -> None:
    assert encode({"b": 1, "a": ["→", None]}) == '{"b":1,"a":["→",null]}'.encode()


def test_encoding_replaces_surrogates_in_values_and_keys() -> None:
    value = {"k\ud800": ["a\udfff", 1]}
    assert encode(value) == '{"k\ufffd":["a\ufffd",1]}'.encode()


def test_encoding_replaces_surrogates_inside_a_struct() -> None:
    assert encode([Point(1, "\ud83d")]) == '[{"x":1,"name":"\ufffd"}]'.encode()


def test_encoding_refuses_nesting_deeper_than_the_stack() -> None:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises(JsonError, match="deep"):
        encode(value)
