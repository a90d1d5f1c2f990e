"""The one-line form of an error about the user's files."""

import pickle

from parity.wire import InputError


def test_an_error_is_one_line_with_file_line_what_and_fix() -> None:
    assert str(InputError("a/b.ndjson", 3, "not JSON", "repair it")) == ("a/b.ndjson:3: not JSON; repair it")


def test_an_error_about_a_whole_file_has_no_line() -> None:
    assert str(InputError("a/b", None, "is gone", "look")) == "a/b: is gone; look"


def test_a_newline_in_a_file_name_does_not_break_the_line() -> None:
    assert str(InputError("a\nb", None, "is gone", "look")) == "a b: is gone; look"


def test_an_undecodable_file_name_can_be_printed() -> None:
    assert str(InputError("a\udcff", None, "is gone", "look")).encode("utf-8")


def test_an_error_survives_pickling() -> None:
    error = InputError("a", 3, "not JSON", "repair it")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
