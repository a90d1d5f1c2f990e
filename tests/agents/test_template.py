from __future__ import annotations

import pytest

from parity.agents.template import UnknownName, fill


def test_names_are_filled_inside_texts_and_braces_alone_stay() -> None:
    assert fill('{"a": "${x}/b", "$c": {}}', {"x": "1"}) == '{"a": "1/b", "$c": {}}'


def test_a_text_that_is_one_name_becomes_its_value() -> None:
    assert fill({"list": "${x}"}, {"x": [1, 2]}) == {"list": [1, 2]}


def test_a_list_is_made_of_each_entry() -> None:
    tree = {"each": "steps", "as": {"id": "${number}", "text": "${step}"}}
    filled = fill({"todos": tree}, {"steps": [{"step": "a"}, {"step": "b"}]})
    assert filled == {"todos": [{"id": "1", "text": "a"}, {"id": "2", "text": "b"}]}


def test_an_unknown_name_is_an_error_that_names_it() -> None:
    with pytest.raises(UnknownName, match="y"):
        fill(["${x}", "${y}"], {"x": ""})
