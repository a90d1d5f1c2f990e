"""docs/lanes.md is what the code and the recordings say, and every silence in it has a reason."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("lanes_page", ROOT / "scripts" / "lanes_page.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_what_the_code_and_the_recordings_say() -> None:
    assert (ROOT / "docs" / "lanes.md").read_text("utf-8") == generator().page(), (
        "run: python scripts/lanes_page.py"
    )
