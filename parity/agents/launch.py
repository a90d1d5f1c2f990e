"""What it takes to start an installed agent: its command, its environment, the files in its fresh home.

With a model URL the agent is pointed at it and sees nothing of this machine's user; without one it runs as
the user runs it, with the user's own home, login and environment, and no file of its home is touched.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from parity.agents.packages import Package, installed
from parity.agents.spec import AgentSpec, Setup
from parity.agents.template import fill
from parity.wire import InputError
from parity.wire.errors import unwritable

KEY = "sk-parity-not-a-secret"
"""The key a scripted model is shown."""

_KEPT = ("PATH", "TMPDIR", "LD_LIBRARY_PATH")


class Launch(Struct, frozen=True):
    """How to start an agent."""

    command: list[str]
    env: dict[str, str]


def launch(
    agent: AgentSpec,
    home: Path,
    workspace: Path,
    model_url: str | None,
    environ: Mapping[str, str] = os.environ,
) -> Launch:
    """The command and whole environment; with a scripted model, the agent's files are written into `home`.

    `model_url` is the scripted model's, None for the agent's own service. Raises InputError for an agent that
    is not installed or cannot be pointed at a model.
    """
    program, node = find_program(agent), find_node(agent)
    if program is None:
        raise _not_there(agent)
    values = {
        "run": str(program),
        "node": str(node or "node"),
        "home": str(home),
        "workspace": str(workspace),
        "model": model_url or "",
        "key": KEY,
    }
    setups = [agent.setup]
    if model_url is not None:
        if agent.scripted is None:
            fix = "record its own service with --live"
            raise InputError(agent.name, None, "cannot be pointed at a scripted model", fix)
        setups.append(agent.scripted)
        env = {name: environ[name] for name in _KEPT if name in environ}
        env |= {"HOME": str(home), "LANG": "C.UTF-8", "TERM": "dumb", "NO_COLOR": "1"}
    else:
        env = dict(environ)
    command = list(fill(agent.command, values))
    for setup in setups:
        env |= fill(setup.env, values)
        command += fill(setup.args, values)
        if model_url is not None:
            _write_files(setup, home, values)
    env["PATH"] = os.pathsep.join([*_folders(agent), env.get("PATH", os.defpath)])
    return Launch(command, env)


def find_program(agent: AgentSpec) -> Path | None:
    """The file to run: of the cache, or of PATH for one that is not installed here; None where it is not."""
    if agent.install is not None:
        return installed(agent.install)
    found = shutil.which(agent.binary)
    return Path(found) if found else None


def find_node(agent: AgentSpec) -> Path | None:
    """The Node an agent runs under: the one it needs of the cache, else the one on PATH."""
    for package in agent.programs.values():
        if _is_node(package):
            return installed(package)
    found = shutil.which("node")
    return Path(found) if found else None


def _is_node(package: Package) -> bool:
    return package.run.endswith("/node")


def _folders(agent: AgentSpec) -> list[str]:
    """The folders of the needed programs, for PATH."""
    found = [installed(package) for package in agent.programs.values()]
    return [str(program.parent) for program in found if program is not None]


def _not_there(agent: AgentSpec) -> InputError:
    if agent.install is None:
        return InputError(agent.binary, None, "not on PATH", f"install {agent.name} as its maker says")
    return InputError(agent.name, None, "not installed", f"run `parity agents install {agent.name}`")


def _write_files(setup: Setup, home: Path, values: Mapping[str, str]) -> None:
    for name, text in setup.files.items():
        path = home / name
        if not path.resolve().is_relative_to(home.resolve()):
            raise InputError(name, None, "a file of an agent lies outside its home", "name it below the home")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(fill(text, values), "utf-8")
        except OSError as error:
            raise unwritable(path, error) from error
