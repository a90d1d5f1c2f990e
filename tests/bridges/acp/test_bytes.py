"""From the agent's bytes to rows: odd lines lose nothing (S52, S53)."""

import json

import pytest
from acp_frames import AcpRun, Json, message, prompted


def line(run: AcpRun, frame: Json, end: bytes = b"\n") -> bytes:
    return json.dumps(run.wire(frame), ensure_ascii=False).encode() + end


@pytest.mark.parametrize("odd", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c"])
def test_s52_other_line_ends_of_unicode_cut_no_line(odd: str) -> None:
    run = prompted()
    run.stream(line(run, message(f"a{odd}b")))
    assert run.texts == [f"a{odd}b"]
    assert run.noise == 0


def test_s52_a_character_split_over_two_reads_is_whole() -> None:
    run = prompted()
    whole = line(run, message("naïve 🦜"))
    cut = whole.index("🦜".encode()) + 2
    run.stream(whole[:cut], whole[cut:])
    assert run.texts == ["naïve 🦜"]


def test_s52_carriage_returns_end_lines_too_and_stay_inside_texts() -> None:
    run = prompted()
    run.stream(line(run, message("a\r\n"), b"\r\n"), line(run, message("b"), b"\r\n"))
    assert run.texts == ["a\r\nb"]


def test_s52_a_byte_order_mark_is_no_noise() -> None:
    run = prompted()
    run.stream(b"\xef\xbb\xbf" + line(run, message("a")))
    assert (run.texts, run.noise) == (["a"], 0)


def test_s52_a_last_line_without_its_newline_is_read() -> None:
    run = prompted()
    run.stream(line(run, message("a")), line(run, message("b"), b""))
    assert run.texts == ["ab"]


def test_s52_a_line_of_thirty_megabytes_is_one_line() -> None:
    run = prompted()
    whole = line(run, message("x" * 30_000_000))
    run.stream(*[whole[start : start + (1 << 20)] for start in range(0, len(whole), 1 << 20)])
    assert [len(text) for text in run.texts] == [30_000_000]


@pytest.mark.parametrize("banner", [b"Welcome to the agent v1!", b"{half a json", b"\x1b[1mbold\x1b[0m"])
def test_s52_a_line_that_is_no_json_is_counted_and_the_stream_goes_on(banner: bytes) -> None:
    run = prompted()
    run.stream(banner + b"\n", line(run, message("a")))
    assert (run.texts, run.noise) == (["a"], 1)


def test_s53_a_lone_surrogate_escape_is_replaced_counted_and_its_line_kept() -> None:
    run = prompted()
    run.stream(line(run, message("a PAIR b")).replace(b"PAIR", b"\\ud83d"))
    assert run.texts == ["a \ufffd b"]
    assert run.surrogates == 1


def test_s53_two_halves_in_two_chunks_are_two_replacements_and_nothing_else_changes() -> None:
    run = prompted()
    run.stream(
        line(run, message("a HALF")).replace(b"HALF", b"\\ud83d"),
        line(run, message("HALF b")).replace(b"HALF", b"\\ude00"),
    )
    assert run.texts == ["a \ufffd\ufffd b"]
    assert run.surrogates == 2
