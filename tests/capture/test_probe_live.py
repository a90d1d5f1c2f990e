"""`parity probe` with agents on the official TypeScript SDK, which is installed into the cache folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from parity_runs import RECORDINGS, ROOT, parity

from parity.agents.packages import Package, install
from parity.cli.probe_screen import one_line

pytestmark = pytest.mark.live

SDK = Package(
    kind="npm",
    package="@agentclientprotocol/sdk",
    version="2.4.0",
    run="node_modules/@agentclientprotocol/sdk/package.json",
)
V2_AGENT = ROOT / "examples" / "v2-agent" / "agent.mjs"
V1_AGENT = ROOT / "tests" / "data" / "sdk_v1_agent.mjs"


@pytest.fixture
def agent(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The script, in a folder where it finds the SDK."""
    monkeypatch.chdir(tmp_path)
    modules = install(SDK, None).parents[2]
    (tmp_path / "node_modules").symlink_to(modules)
    return Path(shutil.copy(request.param, tmp_path))


@pytest.mark.parametrize("agent", [V2_AGENT], indirect=True)
def test_a_second_recording_of_the_version_2_agent_has_the_rows_of_the_first(agent: Path) -> None:
    words = ["--protocol", "2", "--allow", "--prompt", "Look after the notes"]
    words += ["--as", "acp-v2-sdk/turn-tools", "--into", "r"]
    ran = parity("probe", *words, "--", "node", agent)
    assert ran.code == 0, one_line(ran.err)
    assert "parity-example-v2-agent 0.1.0 · protocol 2" in ran.out
    first, second = (
        parity("show", root / "acp-v2-sdk" / "turn-tools", "--json").out for root in (RECORDINGS, Path("r"))
    )
    assert first
    assert second == first


@pytest.mark.parametrize("agent", [V1_AGENT], indirect=True)
def test_a_version_1_agent_uses_a_terminal_of_ours(agent: Path) -> None:
    ran = parity("probe", "--allow", "--prompt", "go", "--", "node", agent)
    assert ran.code == 0, one_line(ran.err)
    assert "  ✗ command     printf out; exit 2  exit 2 · allowed\n      out\n" in ran.out
    assert "agent       sdk-v1-agent 0.1.0 · protocol 1" in ran.out
