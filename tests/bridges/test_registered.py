"""Bridges by provider: built-in families are loaded late, those of other distributions named when broken."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from parity.bridges import FAMILIES, ToRuntime, bridge_for, family_of
from parity.bridges.base import agent_gone
from parity.bridges.registered import NotUnderstood, registered
from parity.gates.pins import KeepSink
from parity.grammar import deltas as d
from parity.replay.replay import Replay
from parity.wire import RUNTIME_TO_BRIDGE, InputError, LaneLine

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


SPEAKER = """
from parity.bridges import FAMILIES, Family, ToRuntime
from parity.bridges.base import JsonRpc
from parity.grammar import deltas as d

class Hologram(d.Delta, tag="hologram"):
    glow: int = 3

class Hello(d.TurnOpen, tag="hello"):
    pass

def deltas(*said):
    params = {"threadId": "t", "deltas": list(said)}
    return [ToRuntime({"jsonrpc": "2.0", "method": "thread/delta", "params": params})]

class Theirs:
    __slots__ = ()
    noise, envelope = 0, JsonRpc()

    def runtime(self, *heard):
        return SAID

    provider = host_result = host_error = agent_gone = runtime

def make(provider, command):
    return Theirs()

acp = FAMILIES["acp"]
family = Family(make, acp.client, acp.is_from_client)
"""


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ('deltas({"kind": "turn.open"})', "{'kind': 'turn.open'}, which is no delta"),
        ('deltas(d.TurnOpen(), "turn.open")', "'turn.open', which is no delta"),
        ("deltas(None)", "None, which is no delta"),
        ("deltas(7)", "7, which is no delta"),
        ("deltas(d.TurnOpen)", "<class 'parity.grammar.deltas.TurnOpen'>, which is no delta"),
        ("deltas(Hologram())", "Hologram(glow=3), which is no delta"),
        ("deltas(Hello())", "Hello(initiator=None), which is no delta"),
        ('[ToRuntime({"method": "thread/delta", "params": {}})]', "which has no list of deltas"),
        ('[ToRuntime("hello")]', "'hello', which is no message"),
        ('[{"method": "error"}]', "{'method': 'error'}, which is no ToRuntime"),
        ("None", "None, which is no list"),
        ("deltas('x\\ny' * 1000)", "…, which is no delta"),
    ],
)
@pytest.mark.parametrize("entry", ["make", "family"])
def test_what_is_no_delta_is_refused_in_one_line_that_names_the_bridge(
    install: Install, entry: str, said: str, told: str
) -> None:
    install(f"theirs = their_bridges_module:{entry}", SPEAKER.replace("SAID", said))
    replay = Replay(lambda: bridge_for("theirs"), KeepSink(), frozenset())
    crash = replay.whole([LaneLine(0, 1, 1, RUNTIME_TO_BRIDGE, "{}")]).crash
    assert crash is not None
    assert f"the bridge of their-bridges theirs = their_bridges_module:{entry} emitted " in crash
    assert told in crash
    assert "\n" not in crash
    assert len(crash) < 500
    for say in (lambda: bridge_for("theirs").host_error(1, {}), lambda: agent_gone(bridge_for("theirs"), "")):
        with pytest.raises(NotUnderstood):
            say()


def test_what_is_understood_comes_as_it_was_said(install: Install) -> None:
    install("theirs = their_bridges_module:make", SPEAKER.replace("SAID", "deltas(d.TurnOpen(), d.Usage())"))
    (said,) = bridge_for("theirs").runtime({})
    assert isinstance(said, ToRuntime)
    assert said.message["params"]["deltas"] == [d.TurnOpen(), d.Usage()]
    assert not hasattr(bridge_for("theirs"), "no_such_thing")


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
