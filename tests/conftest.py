"""Every test runs as on a developer's machine: no CI, no re-pinning knob."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# Speed is measured in benchmarks, never by a test: a slow machine is no failure.
settings.register_profile("steady", deadline=None)
settings.load_profile("steady")


@pytest.fixture(autouse=True)
def _a_plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name == "CI" or name.startswith(("UPDATE_PARITY_", "UPDATE_TRANSCRIPT_")):
            monkeypatch.delenv(name)
