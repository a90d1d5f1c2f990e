"""Alignment: total, in order, and never more different than it must be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from parity.compare import align


@dataclass(frozen=True)
class Step:
    base: str
    text: str

    @property
    def kind(self) -> str:
        return self.base.split(" ")[0]

    @property
    def digest(self) -> bytes:
        return self.text.encode()

    def marks(self) -> Iterator[str]:
        if len(self.text) > 1:
            yield self.text


def steps(spec: str) -> list[Step]:
    """`"a:1 b:2"`: identity and content."""
    return [Step(*word.split(":")) for word in spec.split()]


streams = st.lists(st.builds(Step, st.sampled_from("abc"), st.sampled_from("xyz")), max_size=30)


@given(streams, streams)
def test_every_index_of_both_sides_occurs_once_and_in_order(old: list[Step], new: list[Step]) -> None:
    pairs = align(old, new)
    assert [i for i, _ in pairs if i is not None] == list(range(len(old)))
    assert [j for _, j in pairs if j is not None] == list(range(len(new)))


@given(streams, streams)
def test_partners_are_always_of_one_kind(old: list[Step], new: list[Step]) -> None:
    for i, j in align(old, new):
        if i is not None and j is not None:
            assert old[i].kind == new[j].kind


@given(streams)
def test_a_stream_is_aligned_with_itself_index_by_index(stream: list[Step]) -> None:
    assert align(stream, stream) == [(i, i) for i in range(len(stream))]


@given(streams, streams, streams)
def test_an_inserted_run_leaves_everything_else_paired(
    head: list[Step], run: list[Step], tail: list[Step]
) -> None:
    pairs = align(head + tail, head + run + tail)
    assert sum(i is None for i, _ in pairs) == len(run)
    assert not any(j is None for _, j in pairs)


def test_a_unique_identity_is_paired_whatever_its_content() -> None:
    assert align(steps("a:1 b:2"), steps("c:1 a:9 b:8")) == [(None, 0), (0, 1), (1, 2)]


def test_an_early_one_inserted_into_a_run_of_equal_identities_shifts_none_of_them() -> None:
    old, new = steps("d:1 d:2 d:3 e:1"), steps("d:0 d:1 d:2 d:3 e:2")
    assert align(old, new) == [(None, 0), (0, 1), (1, 2), (2, 3), (3, 4)]


def test_a_changed_one_in_a_run_keeps_its_place_between_its_neighbours() -> None:
    old, new = steps("d:1 d:2 d:3"), steps("d:0 d:1 d:9 d:3")
    assert align(old, new) == [(None, 0), (0, 1), (1, 2), (2, 3)]


def test_a_shared_mark_pairs_what_position_alone_would_get_wrong() -> None:
    old, new = steps("d:1 d:hello z:1"), steps("d:2 d:3 d:hello z:1")
    assert (1, 2) in align(old, new)


def test_things_of_other_types_are_not_paired() -> None:
    assert align(steps("a:1"), steps("b:1")) == [(0, None), (None, 0)]


def test_a_long_run_of_equal_steps_past_the_edit_bound_is_still_paired() -> None:
    old, new = steps("d:1 d:2 " * 500), steps("d:2 d:1 d:3 " * 500)
    assert sum(i is not None and j is not None for i, j in align(old, new)) == 999
