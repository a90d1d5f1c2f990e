"""`parity agents`: which agents can be recorded, installing one, and what is missing."""

from __future__ import annotations

from pathlib import Path

from rich.table import Table
from rich.text import Text

from parity.agents.doctor import doctor, install_agent
from parity.agents.launch import find_program
from parity.agents.packages import InstallFailed, install
from parity.agents.spec import AGENTS_FILE, Agents, load_agents
from parity.cli.output import console, error_console, write_json

MODEL_PROGRAM = "model"
"""The program of an agents file that serves the scripted model."""


def run_list(agents_file: Path | None, *, as_json: bool) -> int:
    """All agents: version, provider, whether it is installed."""
    agents = load_agents(agents_file or AGENTS_FILE)
    found = {name: find_program(agent) for name, agent in agents.items()}
    if as_json:
        for agent in agents.values():
            write_json(
                {
                    "agent": agent.name,
                    "provider": agent.provider,
                    "version": agent.version,
                    "package": agent.install.spec if agent.install is not None else None,
                    "installed": found[agent.name] is not None,
                    "command": agent.shown_command,
                }
            )
        return 0
    table = Table("agent", "provider", "version", "installed", "package", box=None, pad_edge=False)
    for agent in agents.values():
        there = found[agent.name] is not None
        package = agent.install.spec if agent.install is not None else agent.about or "none"
        mark = Text("yes", "green") if there else Text("no", "dim")
        table.add_row(agent.name, agent.provider, agent.version or "its own", mark, package)
    console().print(table)
    return 0


def run_install(name: str, agents_file: Path | None) -> int:
    """Install an agent, what it needs and the scripted model; 1 where an install fails."""
    agents = load_agents(agents_file or AGENTS_FILE)
    agent = agents.find(name)
    err, out = error_console(), console()

    def say(text: str) -> None:
        err.print(Text(text, "dim"))

    try:
        with err.status(f"installing {agent.name}"):
            program = install_agent(agent, say)
            if agent.scripted is not None and MODEL_PROGRAM in agents.programs:
                install(agents.programs[MODEL_PROGRAM], None, say)
    except InstallFailed as failed:
        if failed.tail:
            err.print(Text(failed.tail, "dim"))
        err.print(Text(f"{failed}", "red"))
        return 1
    if program is None:
        err.print(Text(f"{agent.binary} is not on PATH; install {agent.name} as its maker says", "red"))
        return 1
    out.print(f"{agent.name} {agent.version or ''} is installed: {program}")
    return _tell(agents, name)


def run_doctor(name: str, agents_file: Path | None) -> int:
    """What is missing, a line each; 1 where anything is."""
    return _tell(load_agents(agents_file or AGENTS_FILE), name)


def _tell(agents: Agents, name: str) -> int:
    agent = agents.find(name)
    problems = doctor(agent)
    out = console()
    for problem in problems:
        out.print(Text(f"{agent.name}: {problem}", "red"))
    if not problems:
        out.print(f"{agent.name}: ready to record as {agent.provider}")
    return int(bool(problems))
