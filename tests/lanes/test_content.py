"""Scrubbing, bounding and joining of values."""

import pytest

from parity.lanes.content import BOUND, DEPTH, bound, bound_text, resolve, scrub
from parity.wire import decode, encode


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("data:image/png;base64,AAAA", "data:image/png;base64,[3 bytes]"),
        ("data:image/png;base64,AAA=", "data:image/png;base64,[2 bytes]"),
        ("data:image/svg+xml;charset=utf-8;base64,AAAA", "data:image/svg+xml;charset=utf-8;base64,[3 bytes]"),
        ("data:;base64,AAAA", "data:;base64,[3 bytes]"),
        ("data:text/plain,hello", "data:text/plain,hello"),
        ("no url", "no url"),
    ],
)
def test_a_data_url_keeps_its_type_and_loses_its_payload(url: str, shown: str) -> None:
    assert scrub(f"<{url}>") == f"<{shown}>"


def test_every_data_url_of_a_text_is_scrubbed() -> None:
    one = "data:a/b;base64,AAAA"
    assert scrub(f"{one} {one}") == "data:a/b;base64,[3 bytes] data:a/b;base64,[3 bytes]"


def test_scrubbing_changes_no_other_value() -> None:
    value = {"a": [1, 2.5, None, True, "text"], "b": {}}
    assert scrub(value) == value


def test_scrubbing_never_changes_the_value_given() -> None:
    value = {"a": ["data:a/b;base64,AAAA"]}
    scrub(value)
    assert value == {"a": ["data:a/b;base64,AAAA"]}


@pytest.mark.parametrize("opening", ['{"a":', "["])
def test_what_lies_too_deep_becomes_text_and_is_scrubbed(opening: str) -> None:
    levels = 200
    url = '"data:a/b;base64,QUJD"'
    value = decode(opening * levels + url + ("}" if opening[0] == "{" else "]") * levels)
    shown = scrub(value)
    for _ in range(DEPTH):
        shown = shown["a"] if isinstance(shown, dict) else shown[0]
    assert isinstance(shown, str)
    assert "base64,[3 bytes]" in shown
    assert isinstance(bound(value), (dict, list))


def test_a_value_deeper_than_can_be_rendered_becomes_a_word_about_it() -> None:
    value: object = 1
    for _ in range(5000):
        value = [value]
    assert "nested too deeply" in encode(scrub(value)).decode()


def test_a_value_of_usual_depth_stays_as_it_is() -> None:
    value = decode('{"a":' * DEPTH + "1" + "}" * DEPTH)
    assert scrub(value) == value


@pytest.mark.parametrize("value", [None, True, 0, 2.5, "", [], {}, "x" * BOUND])
def test_a_value_within_the_bound_is_itself(value: object) -> None:
    assert bound(value) == value


def test_a_text_one_byte_over_the_bound_says_that_one_byte_is_gone() -> None:
    assert bound_text("x" * (BOUND + 1)) == "x" * BOUND + "\n[truncated: 1 more bytes]"


def test_a_bounded_text_is_scrubbed_first() -> None:
    assert bound_text("data:a/b;base64," + "A" * BOUND * 2) == f"data:a/b;base64,[{BOUND * 2 * 3 // 4} bytes]"


@pytest.mark.parametrize(
    ("path", "cwd", "joined"),
    [
        ("a", "/w", "/w/a"),
        ("../a", "/w", "/a"),
        ("/a", "/w", "/a"),
        ("a", None, "a"),
        ("~/a", "/w", "~/a"),
        ("D:\\a", "/w", "D:\\a"),
        ("\\\\host\\a", "/w", "\\\\host\\a"),
        ("https://a/b", "/w", "https://a/b"),
        ("a", "C:\\w", "C:\\w\\a"),
        (".", "C:\\w", "C:\\w"),
    ],
)
def test_a_path_is_joined_with_the_folder_only_where_it_is_relative(path: str, cwd: str, joined: str) -> None:
    assert resolve(path, cwd) == joined
