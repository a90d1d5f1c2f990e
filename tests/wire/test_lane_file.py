"""One lane file: every rule of the recording format that a single file can break."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parity.wire import (
    BRIDGE_TO_RUNTIME,
    PROVIDER_TO_BRIDGE,
    InputError,
    LaneLine,
    read_lane,
    write_lane,
)

LANE = PROVIDER_TO_BRIDGE

surrogates = st.integers(0xD800, 0xDFFF).map(chr)
raw_lines = st.lists(st.characters() | surrogates | st.sampled_from("\u2028\u2029\x85\r\n\\")).map("".join)


def entry(seq: float, run: int = 1, lane: str = LANE, line: str = "{}") -> LaneLine:
    return LaneLine(ts=1000, run=run, seq=seq, dir=lane, line=line)


def written(folder: Path, *lines: str | bytes, end: bytes = b"\n") -> Path:
    file = folder / f"{LANE}.ndjson"
    raw = [line.encode() if isinstance(line, str) else line for line in lines]
    file.write_bytes(b"\n".join(raw) + end)
    return file


def text(seq: float = 1, run: int = 1, lane: str = LANE, line: str = '"{}"') -> str:
    return f'{{"ts":1000,"run":{run},"seq":{seq},"dir":"{lane}","line":{line}}}'


def refusal(file: Path) -> str:
    with pytest.raises(InputError) as caught:
        list(read_lane(file, LANE))
    return str(caught.value)


@given(st.lists(raw_lines, max_size=8))
def test_a_raw_line_never_changes_on_disk_but_for_surrogates(raws: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "lane.ndjson"
        write_lane(file, [entry(seq, line=raw) for seq, raw in enumerate(raws)])
        kept = ["".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in raw) for raw in raws]
        assert [line.line for line in read_lane(file, LANE)] == kept


def test_keys_are_written_in_their_order(tmp_path: Path) -> None:
    write_lane(tmp_path / "a", [entry(1.5, line="{}")])
    assert (tmp_path / "a").read_text("utf-8") == text(1.5) + "\n"


def test_a_raw_line_that_is_not_json_is_kept(tmp_path: Path) -> None:
    file = written(tmp_path, text(line='"Starting agent…"'))
    assert [line.line for line in read_lane(file, LANE)] == ["Starting agent…"]


def test_a_fractional_seq_is_accepted(tmp_path: Path) -> None:
    file = written(tmp_path, text(1), text(1.5), text(2))
    assert [line.seq for line in read_lane(file, LANE)] == [1, 1.5, 2]


def test_seq_may_start_over_in_the_next_run(tmp_path: Path) -> None:
    file = written(tmp_path, text(7, run=1), text(1, run=2))
    assert [(line.run, line.seq) for line in read_lane(file, LANE)] == [(1, 7), (2, 1)]


def test_unknown_keys_are_tolerated(tmp_path: Path) -> None:
    file = written(tmp_path, text()[:-1] + ',"pid":7}')
    assert len(list(read_lane(file, LANE))) == 1


def test_a_lone_surrogate_escape_in_an_entry_is_replaced_and_counted(tmp_path: Path) -> None:
    counts: list[int] = []
    file = written(tmp_path, text(line=r'"a\ud83d b\udfff"'))
    lines = list(read_lane(file, LANE, counts.append))
    assert ([line.line for line in lines], counts) == (["a\ufffd b\ufffd"], [2])


def test_a_line_that_is_not_json_is_refused(tmp_path: Path) -> None:
    file = written(tmp_path, text(1), "oops", text(2))
    assert refusal(file).startswith(f"{file}:2: not JSON (")


def test_a_cut_off_last_line_is_called_truncated(tmp_path: Path) -> None:
    file = written(tmp_path, text(1), text(2)[:-9], end=b"")
    assert refusal(file).startswith(f"{file}:2: the last line looks truncated; ")


def test_a_cut_off_line_with_a_newline_is_just_not_json(tmp_path: Path) -> None:
    file = written(tmp_path, text(1), text(2)[:-9])
    assert refusal(file).startswith(f"{file}:2: not JSON (")


def test_a_whole_last_line_needs_no_newline(tmp_path: Path) -> None:
    assert len(list(read_lane(written(tmp_path, text(1), end=b""), LANE))) == 1


def test_invalid_utf8_is_refused(tmp_path: Path) -> None:
    file = written(tmp_path, text(1), text(2).encode().replace(b"{}", b"\xff"))
    assert refusal(file).startswith(f"{file}:2: invalid UTF-8 at byte ")


def test_another_dir_is_refused(tmp_path: Path) -> None:
    file = written(tmp_path, text(1), text(2, lane=BRIDGE_TO_RUNTIME))
    assert f':2: dir is "{BRIDGE_TO_RUNTIME}", not "{LANE}"; ' in refusal(file)


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        (text().replace('"run":1', '"run":"1"'), "run: expected"),
        (text().replace('"run":1', '"run":true'), "run: expected"),
        (text().replace('"seq":1', '"seq":null'), "seq: expected"),
        (text().replace('"ts":1000,', ""), "`ts`"),
        (text(line="{}"), "line: expected"),
        ("[1]", "expected `object`"),
    ],
)
def test_another_shape_is_refused_with_the_field_named(tmp_path: Path, bad: str, field: str) -> None:
    message = refusal(written(tmp_path, bad))
    assert ":1: not a lane line (" in message
    assert field in message


@pytest.mark.parametrize("second", [text(1), text(9, run=0)])
def test_an_order_that_goes_backwards_is_refused(tmp_path: Path, second: str) -> None:
    file = written(tmp_path, text(2), second)
    assert refusal(file).startswith(f"{file}:2: (run ")
    assert "goes backwards" in refusal(file)


def test_the_same_place_twice_is_refused(tmp_path: Path) -> None:
    file = written(tmp_path, text(2), text(2.0))
    assert refusal(file).startswith(f"{file}:2: duplicate (run 1, seq 2.0); ")
