"""What stands between an agent and its recording: one clear line each, and what to do about it."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from parity.agents.launch import find_node, find_program
from parity.agents.packages import InstallFailed, Package, install, installed, version_of
from parity.agents.spec import AgentSpec

NODE_OLDEST = 20
"""The oldest Node that the scripted model, and every agent that needs Node, runs under."""

_MAJOR = re.compile(r"v?(\d+)\.")


class Problem(Struct, frozen=True):
    """What is wrong and what to do."""

    what: str
    fix: str

    def __str__(self) -> str:
        return f"{self.what}; {self.fix}"


def install_agent(agent: AgentSpec, say: Callable[[str], None]) -> Path | None:
    """Install an agent and what it needs; its program, or None for one that is not installed but found.

    Raises InputError and InstallFailed.
    """
    for package in agent.programs.values():
        install(package, None, say)
    if agent.install is None:
        return find_program(agent)
    return install(agent.install, find_node(agent), say)


def doctor(agent: AgentSpec, *, scripted: bool = True) -> list[Problem]:
    """All that keeps the agent from being recorded, in the order in which to mend it."""
    problems = []
    again = f"run `parity agents install {agent.name}`"
    for name, package in agent.programs.items():
        if installed(package) is None:
            problems.append(Problem(f"{name} ({package.spec}) is not installed", again))
    uses_node = agent.install is not None and agent.install.node is not None
    if uses_node or (scripted and agent.scripted is not None):
        oldest = max(NODE_OLDEST, agent.install.node or 0) if agent.install and uses_node else NODE_OLDEST
        problems += _node_problems(find_node(agent), oldest)
    if agent.install is None:
        if find_program(agent) is None:
            fix = f"install {agent.name} as its maker says"
            problems.append(Problem(f"{agent.binary} is not on PATH", fix))
        return problems
    program = find_program(agent)
    if program is None:
        if agent.install.kind == "npm" and shutil.which("npm") is None:
            problems.append(Problem("npm is not on PATH", "install Node with npm"))
        problems.append(Problem(f"{agent.install.spec} is not installed", again))
    elif not problems:
        problems += _version_problems(agent.install, program, find_node(agent))
    return problems


def _node_problems(node: Path | None, oldest: int) -> list[Problem]:
    if node is None:
        return [Problem("node is not on PATH", f"install Node {oldest} or newer")]
    try:
        done = subprocess.run([str(node), "--version"], capture_output=True, timeout=20, check=False)
        told = done.stdout.decode("utf-8", "replace").strip()
    except (OSError, subprocess.TimeoutExpired):
        told = ""
    major = _MAJOR.match(told)
    if major is None:
        return [Problem(f"{node} does not print its version", f"install Node {oldest} or newer")]
    if int(major[1]) < oldest:
        return [Problem(f"node is {told}, too old", f"install Node {oldest} or newer")]
    return []


def _version_problems(package: Package, program: Path, node: Path | None) -> list[Problem]:
    fix = f"delete {package.folder} and install it again"
    try:
        told = version_of(package, program, node)
    except InstallFailed as failed:
        return [Problem(str(failed), fix)]
    if told is not None and package.version not in told:
        return [Problem(f"{package.spec} says it is {told!r}", fix)]
    return []
