"""One session, written in ACP version 1 and in version 2, gives the same rows."""

from __future__ import annotations

from typing import Any

import pytest
from acp_frames import Json
from acp_twins import Author, Step
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from parity.grammar.rows import walk

steps = st.lists(st.tuples(st.integers(0, 31), st.integers(0, 59), st.integers(0, 119)), max_size=40)


def comparable(rows: list[Json]) -> list[Json]:
    """The rows without how a file's change is shown: two texts in version 1, a patch in version 2."""
    for top in rows:
        for row in walk(top):
            for change in row.get("changes", []):
                for name in ("oldText", "newText", "diff"):
                    change.pop(name, None)
    return rows


def same(session: list[Step]) -> None:
    first, second = Author().play(session)
    assert comparable(first.rows) == comparable(second.rows)
    assert first.finished_rows == [] or len(first.finished_rows) == len(second.finished_rows)
    assert (first.drops, second.drops) == ({}, {})
    assert all(turn["status"] != "pending" for turn in second.turns)


def run(**changes: Any) -> Any:
    return settings(
        deadline=None,
        derandomize=True,
        phases=[Phase.explicit, Phase.generate, Phase.shrink],
        suppress_health_check=[HealthCheck.too_slow],
        **changes,
    )


@run(max_examples=50)
@given(steps)
def test_a_session_has_the_same_rows_in_both_versions(session: list[Step]) -> None:
    same(session)


@pytest.mark.fuzz
@run(max_examples=2000)
@given(steps)
def test_two_thousand_sessions_have_the_same_rows_in_both_versions(session: list[Step]) -> None:
    same(session)
