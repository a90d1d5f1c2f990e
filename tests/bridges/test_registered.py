"""Bridges by provider: built-in families are loaded late, those of other distributions named when broken."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from parity.bridges import FAMILIES, bridge_for, family_of
from parity.bridges.registered import registered
from parity.wire import InputError

Install = Callable[[str, str], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Makes a distribution `their-bridges` with a module and entry points, for this test."""
    monkeypatch.syspath_prepend(str(tmp_path))
    registered.cache_clear()

    def make(entries: str, module: str) -> None:
        info = tmp_path / "their_bridges-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: their-bridges\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[parity.bridges]\n{entries}\n")
        (tmp_path / "their_bridges_module.py").write_text(module)
        sys.modules.pop("their_bridges_module", None)

    yield make
    registered.cache_clear()
    sys.modules.pop("their_bridges_module", None)


FACTORY = """
from parity.bridges.jsonrpc import JsonRpcBridge

class Theirs(JsonRpcBridge):
    def __init__(self, provider, command):
        super().__init__()
        self.made_for = provider, command
"""
FAMILY = """
from parity.bridges import FAMILIES
family = FAMILIES["codex"]
"""


def test_a_factory_serves_its_provider_and_those_of_its_family(install: Install) -> None:
    install("theirs = their_bridges_module:Theirs", FACTORY)
    assert bridge_for("theirs", ["run"]).made_for == ("theirs", ["run"])  # type: ignore[attr-defined]
    assert bridge_for("theirs-small").made_for == ("theirs-small", None)  # type: ignore[attr-defined]
    assert family_of("theirsmall") is None


def test_a_family_is_taken_as_it_is(install: Install) -> None:
    install("theirs = their_bridges_module:family", FAMILY)
    assert family_of("theirs") is FAMILIES["codex"]


def test_the_provider_itself_comes_before_its_family(install: Install) -> None:
    install("theirs = nowhere:x\ntheirs-small = their_bridges_module:family", FAMILY)
    assert family_of("theirs-small") is FAMILIES["codex"]


def test_a_built_in_family_wins_and_nothing_is_loaded(install: Install) -> None:
    install("acp-grok = their_bridges_module:family", "raise RuntimeError('loaded')")
    assert family_of("acp-grok") is FAMILIES["acp"]


@pytest.mark.parametrize(
    ("entry", "module", "said"),
    [
        ("no_such_module:x", "", "ModuleNotFoundError"),
        ("their_bridges_module:x", "", "AttributeError"),
        ("their_bridges_module:x", "raise RuntimeError('broken')", "RuntimeError: broken"),
        ("their_bridges_module:x", "x = 3", "neither a Family nor a factory"),
        ("their_bridges_module:x", "def x(): pass", "does not make a bridge"),
        ("their_bridges_module:x", "def x(provider, command): return 5", "has no 'runtime'"),
    ],
)
def test_a_broken_one_is_one_line_that_names_the_distribution(
    install: Install, entry: str, module: str, said: str
) -> None:
    install(f"theirs = {entry}", module)
    with pytest.raises(InputError, match=said) as caught:
        bridge_for("theirs")
    assert str(caught.value).startswith("their-bridges: ")
    assert "\n" not in str(caught.value)


def test_only_the_family_that_is_asked_for_is_loaded() -> None:
    script = (
        "import sys; from parity.bridges import FAMILIES, bridge_for; bridge_for('codex');"
        "assert list(FAMILIES) == ['acp', 'claude-code', 'codex'] and 'acp' in FAMILIES;"
        "print(*(name for name in ('acp', 'claude_code', 'codex') if f'parity.lanes.{name}' in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["codex"]


@pytest.mark.parametrize("info", [3, ["x"], {"name": 3, "version": {}}, {"name": None}])
def test_what_an_agent_says_of_itself_in_odd_types_is_nothing(info: object) -> None:
    assert FAMILIES["acp"].agent_info({"agentInfo": info}) == (None, None)
