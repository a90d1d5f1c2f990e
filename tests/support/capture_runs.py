"""Recordings of the scripted agent: its spec, a model that hands it the script, and one run of the engine."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import dedent

from msgspec.structs import replace

from parity.agents.spec import AgentSpec, Setup
from parity.capture.record import Recorded, Recording, record
from parity.capture.scenarios import load_scenario
from parity.capture.script import Entry
from parity.wire import encode

AGENT_FILE = Path(__file__).with_name("scripted_agent.py")

AGENT = AgentSpec(
    name="scripted",
    provider="acp-scripted",
    binary=sys.executable,
    command=["${run}", str(AGENT_FILE)],
    scripted=Setup(env={"MODEL": "${model}"}),
    tools={
        "command": {"name": "run", "arguments": {"command": "${command}"}},
        "guarded": {"name": "ask", "arguments": {"command": "${command}"}},
        "read": {"name": "run", "arguments": {"command": "cat ${path}"}},
    },
)


class FileModel:
    """A scripted model that is a file: its URL is the path."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "script.json"
        self.stopped = 0

    async def start(self, script: list[Entry]) -> str:
        self.path.write_bytes(encode(script))
        return str(self.path)

    async def stop(self) -> None:
        self.stopped += 1


def scenario_file(folder: Path, text: str) -> str:
    """A scenario written down; its path."""
    path = folder / "mine.yaml"
    path.write_text(dedent(text), "utf-8")
    return str(path)


def recorded(folder: Path, scenario: str, *, fault: str | None = None, **more: object) -> Recorded:
    """Record a scenario (a name or a file) on the scripted agent into `folder`/recordings."""
    agent = AGENT if fault is None else replace(AGENT, setup=Setup(env={"FAULT": fault}))
    loaded = load_scenario(scenario)
    recording = Recording(
        agent=agent,
        scenario=loaded,
        root=folder / "recordings",
        cell=loaded.name,
        model=FileModel(folder),
    )
    for name, value in more.items():
        setattr(recording, name, value)
    return record(recording)
