"""The lanes of a cell in the order their lines crossed."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parity.wire import (
    BRIDGE_TO_PROVIDER,
    LANES,
    PROVIDER_TO_BRIDGE,
    RUNTIME_TO_BRIDGE,
    InputError,
    LaneLine,
    Manifest,
    create_cell,
    lane_file_name,
    open_cell,
    write_lane,
)

places = st.tuples(st.integers(1, 3), st.integers(0, 40) | st.sampled_from([0.5, 1.5, 7.25]))


def entry(lane: str, run: int, seq: float) -> LaneLine:
    return LaneLine(ts=0, run=run, seq=seq, dir=lane, line="{}")


@given(st.dictionaries(places, st.sampled_from(LANES), min_size=1))
def test_lines_never_come_out_of_order_and_none_is_lost(
    crossed: dict[tuple[int, float], str],
) -> None:
    order = sorted(crossed)
    lanes = {lane: [entry(lane, *place) for place in order if crossed[place] == lane] for lane in LANES}
    with tempfile.TemporaryDirectory() as folder:
        cell = create_cell(folder, Manifest(provider="p", cell="c"), lanes)
        merged = [(line.run, line.seq, line.dir) for line in cell.lines()]
    assert merged == [(run, seq, crossed[run, seq]) for run, seq in order]


def cell_of(folder: Path, *lines: LaneLine) -> Path:
    (folder / "manifest.json").write_text('{"provider": "p", "cell": "c"}')
    for lane in {line.dir for line in lines}:
        write_lane(folder / lane_file_name(lane), [line for line in lines if line.dir == lane])
    return folder


def test_one_place_in_two_lanes_is_refused_at_the_second(tmp_path: Path) -> None:
    path = cell_of(
        tmp_path,
        entry(RUNTIME_TO_BRIDGE, 1, 2),
        entry(PROVIDER_TO_BRIDGE, 1, 1),
        entry(PROVIDER_TO_BRIDGE, 1, 2),
    )
    with pytest.raises(InputError) as caught:
        list(open_cell(path).lines())
    error = caught.value
    others = {(lane_file_name(PROVIDER_TO_BRIDGE), 2), (lane_file_name(RUNTIME_TO_BRIDGE), 1)}
    assert (error.path.name, error.line) in others
    assert "duplicate (run 1, seq 2)" in error.what


def test_a_duplicate_is_found_between_an_integer_and_a_fraction(tmp_path: Path) -> None:
    path = cell_of(tmp_path, entry(RUNTIME_TO_BRIDGE, 1, 2), entry(BRIDGE_TO_PROVIDER, 1, 2.0))
    with pytest.raises(InputError, match="duplicate"):
        list(open_cell(path).lines())


def test_a_bad_line_of_any_lane_is_refused_with_its_file_and_line(tmp_path: Path) -> None:
    path = cell_of(tmp_path, entry(RUNTIME_TO_BRIDGE, 1, 1))
    bad = path / lane_file_name(BRIDGE_TO_PROVIDER)
    bad.write_text("oops\n")
    with pytest.raises(InputError, match="not JSON") as caught:
        list(open_cell(path).lines())
    assert str(caught.value).startswith(f"{bad}:1: ")
