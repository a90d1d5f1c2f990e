"""Real agents, installed into the cache folder and recorded against the scripted model: `pytest -m live`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from parity.agents import load_agents
from parity.agents.doctor import doctor, install_agent
from parity.agents.packages import install
from parity.capture.aimock import Aimock
from parity.capture.record import Recorded, Recording, record
from parity.capture.scenarios import load_scenario, scenario_names
from parity.gates.check import built_in
from parity.gates.pins import KeepSink
from parity.wire import Cell, open_cell

pytestmark = pytest.mark.live

AGENTS = load_agents()
WHOLE = ("grok", "opencode", "codex", "claude-code")
"""The agents that every scenario is recorded with."""


def _record(agent_name: str, scenario_name: str, root: Path) -> Recorded:
    agent, scenario = AGENTS[agent_name], load_scenario(scenario_name)
    cannot = scenario.part(agent).cannot
    if cannot is not None:
        pytest.skip(f"{agent_name}: {cannot}")
    install(AGENTS.programs["model"], None)
    install_agent(agent, lambda text: None)
    assert doctor(agent) == []
    model = Aimock(AGENTS.programs["model"])
    recording = Recording(agent=agent, scenario=scenario, root=root, cell=scenario_name, model=model)
    return record(recording)


def _rows(cell: Cell) -> str:
    """The rows without what no two runs of an agent share: its own ids, and how long it took."""
    sink = KeepSink(("rows",))
    built_in(cell)(cell, sink)
    own = ("id", "providerItemId", "durationMs")

    def plain(node: Any) -> Any:
        if isinstance(node, dict):
            return {key: plain(value) for key, value in node.items() if key not in own}
        return [plain(part) for part in node] if isinstance(node, list) else node

    return json.dumps(plain(sink.docs("rows")), indent=1)


@pytest.mark.parametrize("scenario", scenario_names())
@pytest.mark.parametrize("agent", WHOLE)
def test_a_scenario_is_recorded_and_replays_without_stalls(agent: str, scenario: str, tmp_path: Path) -> None:
    done = _record(agent, scenario, tmp_path)
    assert [*done.outcome.stalls, *done.outcome.unconsumed] == []


@pytest.mark.parametrize("agent", [name for name, spec in AGENTS.items() if spec.scripted is not None])
def test_every_agent_records_a_turn_with_its_tools(agent: str, tmp_path: Path) -> None:
    done = _record(agent, "turn-tools", tmp_path)
    assert [*done.outcome.stalls, *done.outcome.unconsumed] == []


@pytest.mark.parametrize("agent", WHOLE)
def test_two_recordings_have_the_same_rows(agent: str, tmp_path: Path) -> None:
    first, second = (_record(agent, "turn-tools", tmp_path / name) for name in ("a", "b"))
    assert _rows(first.cell) == _rows(second.cell)


@pytest.mark.skipif(sys.platform != "linux", reason="needs a network namespace")
@pytest.mark.parametrize("agent", ["grok", "codex"])
def test_a_recording_needs_no_network_but_loopback(agent: str, tmp_path: Path) -> None:
    online = _record(agent, "turn-tools", tmp_path / "online")
    words = [sys.executable, "-m", "parity.cli.main", "record", "-p", agent, "-s", "turn-tools"]
    script = 'ip link set lo up 2>/dev/null || ifconfig lo up; exec "$@"'
    offline = ["unshare", "-rn", "sh", "-c", script, "sh", *words, "--into", str(tmp_path / "offline")]
    subprocess.run(offline, check=True, timeout=180)
    cell = open_cell(tmp_path / "offline" / AGENTS[agent].provider / "turn-tools")
    assert _rows(cell) == _rows(online.cell)
