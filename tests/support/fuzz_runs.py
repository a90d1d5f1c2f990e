"""How long the invariants are tried: briefly in the plain run, 20,000 times with `pytest -m fuzz`.

`PARITY_FUZZ_SESSIONS` sets another number, `PARITY_FUZZ_SEED` the seed; both and the time are printed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

BRIEF = 60
LONG = 20_000
CAUGHT_WITHIN = 500


def sessions_wanted() -> int:
    """Sessions of a long run."""
    return int(os.environ.get("PARITY_FUZZ_SESSIONS", str(LONG)))


def briefly(check: Callable[[Any], None], sessions: st.SearchStrategy[Any]) -> None:
    """The same few sessions each time."""
    _run(check, sessions, settings(max_examples=BRIEF, derandomize=True))


def at_length(
    name: str,
    check: Callable[[Any], None],
    sessions: st.SearchStrategy[Any],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Many sessions of one seed, which is printed with the time."""
    chosen = int(os.environ.get("PARITY_FUZZ_SEED", str(int.from_bytes(os.urandom(4), "big"))))
    count, start = sessions_wanted(), time.perf_counter()
    try:
        _run(seed(chosen)(check), sessions, settings(max_examples=count))
    finally:
        took = time.perf_counter() - start
        with capsys.disabled():
            print(f"\n{name}: {count} sessions, PARITY_FUZZ_SEED={chosen}, {took:.0f} s")  # noqa: T201


def finds(check: Callable[[Any], None], sessions: st.SearchStrategy[Any]) -> bool:
    """Whether a finding turns up within `CAUGHT_WITHIN` sessions of a fixed seed."""
    try:
        _run(check, sessions, settings(max_examples=CAUGHT_WITHIN, derandomize=True, phases=[Phase.generate]))
    except Exception:  # an exception of the lane is a finding as much as a failed assertion
        return True
    return False


def _run(check: Callable[[Any], None], sessions: st.SearchStrategy[Any], how: settings) -> None:
    quiet = settings(how, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    quiet(given(sessions)(check))()
