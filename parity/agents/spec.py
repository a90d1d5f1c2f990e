"""The agents that can be recorded, as `agents.yaml` (or a user's own file of the same form) describes them.

Knows the fields and their checks; must not know how anything is installed or run.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from parity.agents.document import Document
from parity.agents.packages import Package, check_texts
from parity.agents.template import UnknownName, fill
from parity.wire import InputError

AGENTS_FILE = Path(__file__).with_name("agents.yaml")

LAUNCH_NAMES = ("run", "node", "home", "workspace", "model", "key")
"""What `${…}` may name in commands, environments and files: paths, the model's URL and a made-up key."""


class _Data(Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """A mapping of the file: dashes in names, no unknown keys."""


class Setup(_Data, frozen=True, kw_only=True):
    """What an agent is given: variables, files below its home, words after its command."""

    env: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    args: list[str] = field(default_factory=list)


class AgentSpec(_Data, frozen=True, kw_only=True):
    """One agent: where it comes from, how it starts, what points it at a model, what its tools are called."""

    name: str = ""
    provider: str
    """The provider id of its recordings."""
    about: str = ""
    install: Package | None = None
    """None: it cannot be installed here and is started as a command on PATH."""
    binary: str
    """The command's name, as recordings show it."""
    command: list[str]
    needs: list[str] = field(default_factory=list)
    """Names of `programs` that have to be there beside it."""
    programs: dict[str, Package] = field(default_factory=dict)
    """Those programs; not in the file."""
    setup: Setup = field(default_factory=Setup)
    """Given always."""
    scripted: Setup | None = None
    """Given with a scripted model; None: it cannot be pointed at one, and records its own service."""
    initialize: dict[str, Any] = field(default_factory=dict)
    """Params of the runtime's `initialize`."""
    options: dict[str, Any] = field(default_factory=dict)
    """`options` of the runtime's `thread/start` and `thread/resume`."""
    tools: dict[str, Any] = field(default_factory=dict)
    """Of each call a scenario may make (`command`, `read`, …) this agent's: `{name, arguments}`."""
    cannot: dict[str, str] = field(default_factory=dict)
    """Scenario → the sentence why this agent cannot play it."""

    @property
    def version(self) -> str | None:
        """The pinned version."""
        return self.install.version if self.install is not None else None

    @property
    def shown_command(self) -> str:
        """The start command without paths, for the manifest."""
        words = [self.binary if word == "${run}" else word for word in self.command if word != "${node}"]
        return " ".join(Path(word).name if Path(word).is_absolute() else word for word in words)


class Agents(dict[str, AgentSpec]):
    """The agents of a file by name, and the `programs` beside them."""

    def __init__(self, path: Path, agents: Mapping[str, AgentSpec], programs: Mapping[str, Package]) -> None:
        super().__init__(agents)
        self.path = path
        self.programs = programs

    def find(self, name: str) -> AgentSpec:
        """The agent of this name or provider id. Raises InputError with what it may have meant."""
        for agent in self.values():
            if name in (agent.name, agent.provider):
                return agent
        known = [*self, *(agent.provider for agent in self.values())]
        alike = difflib.get_close_matches(name, known)
        fix = f"did you mean {' or '.join(alike)}?" if alike else f"there are {', '.join(self)}"
        raise InputError(name, None, "no such agent", fix)


class _File(_Data, frozen=True, kw_only=True):
    programs: dict[str, Any] = field(default_factory=dict)
    agents: dict[str, Any]


@cache
def load_agents(path: Path = AGENTS_FILE) -> Agents:
    """The agents of a file. A user's own file adds to the built-in ones and wins over them.

    Raises InputError with the line of what is wrong.
    """
    document = Document(path)
    raw = document.struct(_File, document.data)
    built_in = load_agents() if path != AGENTS_FILE else None
    programs = dict(built_in.programs) if built_in is not None else {}
    agents = dict(built_in) if built_in is not None else {}
    for name, data in raw.programs.items():
        programs[name] = document.struct(Package, data, "programs", name)
        _check_package(document, programs[name], "programs", name)
    for name, data in raw.agents.items():
        agents[name] = _agent(document, name, data, programs)
    providers: dict[str, str] = {}
    for name, agent in agents.items():
        other = providers.setdefault(agent.provider, name)
        if other != name:
            what = f"{agent.provider} is the provider of {other} already"
            raise document.fail(what, "give it a provider of its own", "agents", name, "provider")
    return Agents(path, agents, programs)


def _agent(document: Document, name: str, data: Any, programs: Mapping[str, Package]) -> AgentSpec:
    at = ("agents", name)
    if not isinstance(data, dict):
        raise document.fail("not a mapping", "write `key: value` lines", *at)
    for key in {"name", "programs"} & data.keys():
        raise document.fail("unknown field", "leave it out", *at, key)
    agent = document.struct(AgentSpec, data, *at)
    if agent.install is not None:
        _check_package(document, agent.install, *at, "install")
    for index, need in enumerate(agent.needs):
        if need not in programs:
            known = ", ".join(programs) or "none"
            raise document.fail(f"no program {need!r}", f"known are: {known}", *at, "needs", index)
    if not agent.command:
        raise document.fail("is empty", "write the words of the start command", *at, "command")
    for key in ("command", "setup", "scripted"):
        texts = data.get(key)
        if texts is not None:
            _check_names(document, texts, (*at, key))
    for tool, call in agent.tools.items():
        if not isinstance(call, dict) or set(call) != {"name", "arguments"}:
            raise document.fail("must have `name` and `arguments`, only", "mend it", *at, "tools", tool)
    return replace(agent, name=name, programs={need: programs[need] for need in agent.needs})


def _check_package(document: Document, package: Package, *at: str) -> None:
    unknown = check_texts(package)
    if unknown is not None:
        raise document.fail(f"unknown name ${{{unknown}}}", "known is: ${platform}", *at)


def _check_names(document: Document, texts: Any, at: tuple[str, ...]) -> None:
    known = dict.fromkeys(LAUNCH_NAMES, "")
    parts: Iterable[tuple[tuple[str | int, ...], Any]] = _leaves(texts, at)
    for place, text in parts:
        try:
            fill(text, known)
        except UnknownName as error:
            names = ", ".join(f"${{{name}}}" for name in LAUNCH_NAMES)
            what = f"unknown name ${{{error.args[0]}}}"
            raise document.fail(what, f"known are: {names}", *place) from None


def _leaves(node: Any, at: tuple[str | int, ...]) -> Iterable[tuple[tuple[str | int, ...], Any]]:
    if isinstance(node, dict):
        for key, value in node.items():
            yield from _leaves(value, (*at, key))
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from _leaves(value, (*at, index))
    else:
        yield at, node
