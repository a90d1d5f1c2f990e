"""Bytes to lines and lines to files (situation S52)."""

import itertools
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parity.wire import (
    MAX_LINE_BYTES,
    InputError,
    LineSplitter,
    LineTooLong,
    read_ndjson,
    write_atomic,
    write_atomic_bytes,
)

BOM = b"\xef\xbb\xbf"

stream_bytes = st.lists(
    st.sampled_from([b"\n", b"\r", b"\r\n", BOM, b"a", b"{}", "\u2028ä\x85".encode()]) | st.binary(max_size=4)
).map(b"".join)


def split(*chunks: bytes, max_bytes: int | None = None) -> list[bytes]:
    splitter = LineSplitter(max_bytes)
    lines = [line for chunk in chunks for line in splitter.feed(chunk)]
    return lines + splitter.flush()


def chunked(data: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [data[a:b] for a, b in itertools.pairwise(places)]


def names_in(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


@given(stream_bytes, st.lists(st.integers(0, 10_000)))
def test_the_chunks_never_change_the_lines(data: bytes, cuts: list[int]) -> None:
    assert split(*chunked(data, cuts)) == split(data)


@given(st.lists(st.binary().map(lambda raw: raw.replace(b"\n", b"")), max_size=20))
def test_no_byte_of_a_line_is_ever_lost(lines: list[bytes]) -> None:
    data = b"first\n" + b"".join(line + b"\n" for line in lines)
    assert split(data) == [b"first", *(line.removesuffix(b"\r") for line in lines)]


def test_unicode_line_separators_do_not_end_a_line() -> None:
    text = "a\u2028b\u2029c\x85d\x0b\x0c".encode()
    assert split(text + b"\n") == [text]


def test_one_carriage_return_at_the_end_goes() -> None:
    assert split(b"a\r\nb\r\r\nc\rd\n") == [b"a", b"b\r", b"c\rd"]


def test_a_carriage_return_and_its_newline_may_come_apart() -> None:
    assert split(b"a\r", b"\nb\n") == [b"a", b"b"]


def test_a_byte_order_mark_goes_at_the_start_only() -> None:
    assert split(BOM + b"a\n" + BOM + b"b\n") == [b"a", BOM + b"b"]


def test_a_byte_order_mark_may_come_in_pieces() -> None:
    assert split(b"\xef", b"\xbb", b"\xbfa\n") == [b"a"]


def test_a_stream_of_only_a_byte_order_mark_has_no_line() -> None:
    assert split(BOM) == []


def test_a_character_split_over_two_reads_is_whole() -> None:
    assert split(b"\xc3", b"\xa4\n") == ["ä".encode()]


def test_the_last_line_needs_no_newline() -> None:
    assert split(b"a\nb") == [b"a", b"b"]


def test_a_live_stream_keeps_empty_lines() -> None:
    assert split(b"a\n\nb\n") == [b"a", b"", b"b"]


def test_a_thirty_megabyte_line_in_small_chunks_is_one_line() -> None:
    splitter = LineSplitter()
    for _ in range(30_000):
        assert splitter.feed(b"x" * 1000) == []
    assert [len(line) for line in splitter.feed(b"\n")] == [30_000_000]


def test_a_line_of_just_the_limit_is_accepted() -> None:
    assert split(BOM + b"abcd\r", b"\n", max_bytes=4) == [b"abcd"]


def test_a_line_over_the_limit_is_refused_with_the_limit_named() -> None:
    with pytest.raises(LineTooLong, match="4 bytes"):
        split(b"abcde\n", max_bytes=4)


def test_a_line_over_the_limit_is_refused_before_its_newline_comes() -> None:
    splitter = LineSplitter(4)
    splitter.feed(b"abc")
    with pytest.raises(LineTooLong):
        splitter.feed(b"de")


@pytest.mark.parametrize("rest", [b"cdefg", b"cdefg\nh\n"])
def test_the_lines_before_a_long_one_are_not_lost(rest: bytes) -> None:
    with pytest.raises(LineTooLong) as caught:
        LineSplitter(4).feed(b"a\r\nb\n" + rest)
    assert caught.value.lines_before == [b"a", b"b"]


def test_a_splitter_that_refused_a_line_stays_refused() -> None:
    splitter = LineSplitter(1)
    with pytest.raises(LineTooLong):
        splitter.feed(b"abc")
    with pytest.raises(LineTooLong):
        splitter.feed(b"\na\n")


def test_a_file_is_read_as_numbered_lines(tmp_path: Path) -> None:
    file = tmp_path / "a.ndjson"
    file.write_bytes(BOM + b"{}\r\n[]\n1")
    assert list(read_ndjson(file)) == [(1, b"{}"), (2, b"[]"), (3, b"1")]


def test_an_empty_file_has_no_lines(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")
    assert list(read_ndjson(tmp_path / "a")) == []


def test_a_thirty_megabyte_line_of_a_file_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 30_000_000 + b"\n")
    with pytest.raises(InputError, match=f"a:1: line longer than {MAX_LINE_BYTES} bytes"):
        list(read_ndjson(tmp_path / "a"))


@pytest.mark.parametrize("empty", [b"\n", b"\r\n"])
def test_an_empty_line_of_a_file_is_an_error(tmp_path: Path, empty: bytes) -> None:
    file = tmp_path / "a.ndjson"
    file.write_bytes(b"{}\n" + empty + b"{}\n")
    with pytest.raises(InputError) as caught:
        list(read_ndjson(file))
    assert str(caught.value) == f"{file}:2: empty line; delete it"


def test_a_long_line_of_a_file_is_an_error_after_the_lines_before_it(tmp_path: Path) -> None:
    file = tmp_path / "a.ndjson"
    file.write_bytes(b"a\nb\nccccc\n")
    lines = read_ndjson(file, max_bytes=4)
    assert [next(lines), next(lines)] == [(1, b"a"), (2, b"b")]
    with pytest.raises(InputError) as caught:
        next(lines)
    assert str(caught.value).startswith(f"{file}:3: line longer than 4 bytes; ")


def test_the_default_limit_of_a_file_is_enforced(tmp_path: Path) -> None:
    file = tmp_path / "a.ndjson"
    with file.open("wb") as sparse:
        sparse.truncate(MAX_LINE_BYTES + 1)
    with pytest.raises(InputError, match=f"a.ndjson:1: line longer than {MAX_LINE_BYTES} bytes"):
        list(read_ndjson(file))


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="gone: does not exist; "):
        list(read_ndjson(tmp_path / "gone"))


def test_a_folder_is_not_a_file_of_lines(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        list(read_ndjson(tmp_path))


def test_written_lines_end_with_a_newline_each(tmp_path: Path) -> None:
    write_atomic(tmp_path / "a", [b"1", b"2"])
    assert (tmp_path / "a").read_bytes() == b"1\n2\n"


def test_bytes_are_written_as_they_are(tmp_path: Path) -> None:
    write_atomic_bytes(tmp_path / "a", b"{\n}")
    assert (tmp_path / "a").read_bytes() == b"{\n}"


def test_writing_leaves_no_other_file(tmp_path: Path) -> None:
    write_atomic(tmp_path / "a", [b"1"])
    assert names_in(tmp_path) == ["a"]


def test_what_a_killed_writer_left_goes_with_the_next_writer_of_the_file(tmp_path: Path) -> None:
    left, of_another, like_it = ".a.0123abcd.tmp", ".b.0123abcd.tmp", ".a.notes.tmp"
    for name in (left, of_another, like_it):
        (tmp_path / name).write_bytes(b"half")
    write_atomic(tmp_path / "a", [b"1"])
    assert names_in(tmp_path) == sorted([like_it, of_another, "a"])


@pytest.mark.skipif(os.name != "posix", reason="needs file locks")
def test_the_file_of_a_writer_that_is_at_work_is_not_taken_for_left_over(tmp_path: Path) -> None:
    def lines() -> Iterator[bytes]:
        yield b"outer"
        write_atomic(tmp_path / "a", [b"inner"])
        assert len(names_in(tmp_path)) == 2

    write_atomic(tmp_path / "a", lines())
    assert (tmp_path / "a").read_bytes() == b"outer\n"
    assert names_in(tmp_path) == ["a"]


def test_a_name_too_long_for_the_disk_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        write_atomic(tmp_path / ("x" * 300), [b"1"])


def test_a_failed_write_keeps_the_old_file_and_leaves_nothing_else(tmp_path: Path) -> None:
    def lines() -> Iterator[bytes]:
        yield b"new"
        raise RuntimeError("cut")

    (tmp_path / "a").write_bytes(b"old\n")
    with pytest.raises(RuntimeError, match="cut"):
        write_atomic(tmp_path / "a", lines())
    assert (names_in(tmp_path), (tmp_path / "a").read_bytes()) == (["a"], b"old\n")


def test_a_line_with_a_newline_inside_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="newline"):
        write_atomic(tmp_path / "a", [b"1\n2"])
    assert names_in(tmp_path) == []


def test_writing_keeps_the_mode_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")
    (tmp_path / "a").chmod(0o640)
    write_atomic(tmp_path / "a", [b"1"])
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640


def test_a_new_file_has_the_mode_of_an_ordinary_one(tmp_path: Path) -> None:
    (tmp_path / "ordinary").write_bytes(b"")
    write_atomic(tmp_path / "a", [b"1"])
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "ordinary").stat().st_mode


def test_writing_through_a_link_keeps_the_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"")
    (tmp_path / "link").symlink_to("real")
    write_atomic(tmp_path / "link", [b"1"])
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"1\n"


def test_writing_into_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        write_atomic(tmp_path / "gone" / "a", [b"1"])
    assert names_in(tmp_path) == []


def test_writing_over_a_folder_is_an_error_that_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(InputError, match="is no regular file"):
        write_atomic(tmp_path / "a", [b"1"])
    assert names_in(tmp_path) == ["a"]


def test_what_is_no_regular_file_is_never_replaced(tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for target in (pipe, link, tmp_path):
        with pytest.raises(InputError, match="is no regular file"):
            write_atomic(target, [b"x"])
    assert stat.S_ISFIFO(pipe.stat().st_mode)
