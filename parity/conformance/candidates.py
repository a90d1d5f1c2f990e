"""Which bridges there are to judge: a command that was named, or those that serve the recordings.

Providers of one built-in family are one candidate, and so are providers that one command serves. Reads
settings and lists recordings; judges nothing.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from parity.bridges import bridge_for, family_of
from parity.conformance.agents import AGENTS, agent_of
from parity.conformance.judge import Candidate
from parity.conformance.subject import external, in_process
from parity.gates.check import Play, built_in
from parity.gates.counts import load_counts
from parity.gates.settings import ProviderSettings, Settings
from parity.live.play import Player
from parity.wire import Cell, InputError, find_cells


class Wanted(Struct, frozen=True, kw_only=True):
    """What the user named. `timeout`: seconds, for a command of `bridge`."""

    bridge: str | None = None
    provider: str | None = None
    agent: str | None = None
    timeout: float = 10.0


def candidates(settings: Settings, wanted: Wanted) -> list[Candidate]:
    """The bridges to judge. Raises InputError for a name that is none."""
    if wanted.agent is not None and wanted.agent not in AGENTS:
        known = ", ".join(AGENTS)
        raise InputError("--agent", None, f"no scripted agent {wanted.agent!r}", f"there are {known}")
    cells = _cells(settings, wanted.provider)
    if wanted.bridge is not None:
        provider = wanted.provider or wanted.agent or "acp"
        command = ProviderSettings(_words(wanted.bridge), Path.cwd(), {}, wanted.timeout)
        return [_command(settings, command, [provider], cells if wanted.provider else [], wanted)]
    if wanted.provider is not None:
        providers = {wanted.provider}
    else:
        providers = {cell.provider for cell in cells} | set(settings.providers) or set(AGENTS)
    return [
        _command(settings, settings.providers[group[0]], group, cells, wanted)
        if group[0] in settings.providers
        else _object(settings, group, cells, wanted)
        for group in _groups(settings, sorted(providers))
    ]


def _groups(settings: Settings, providers: Sequence[str]) -> list[list[str]]:
    """The providers, those together that have the same bridge."""
    groups: dict[object, list[str]] = {}
    for provider in providers:
        command = settings.providers.get(provider)
        if command is not None:
            key: object = (tuple(command.bridge), command.folder, tuple(command.env.items()))
        else:
            key = next((n for n in AGENTS if provider == n or provider.startswith(f"{n}-")), provider)
        groups.setdefault(key, []).append(provider)
    return list(groups.values())


def _object(settings: Settings, group: list[str], cells: Sequence[Cell], wanted: Wanted) -> Candidate:
    """A candidate of this process."""
    provider = group[0] if len(group) == 1 else agent_of(group[0])
    if family_of(provider) is None:
        fix = "name one of a built-in family, or give its --bridge"
        raise InputError(provider, None, f"no bridge family serves {provider!r}", fix)
    return Candidate(
        name=provider,
        agent=wanted.agent or agent_of(provider),
        subject=in_process(lambda: bridge_for(provider)),
        cells=[cell for cell in cells if cell.provider in group],
        play=built_in,
        drops=_pinned_drops(settings),
    )


def _command(
    settings: Settings,
    command: ProviderSettings,
    group: list[str],
    cells: Sequence[Cell],
    wanted: Wanted,
) -> Candidate:
    """A candidate that is a command."""

    def play(cell: Cell) -> Play:
        return Player(command)

    return Candidate(
        name=shlex.join(command.bridge),
        agent=wanted.agent or agent_of(group[0]),
        subject=external(command, group[0]),
        cells=[cell for cell in cells if cell.provider in group],
        play=play,
        drops=_pinned_drops(settings),
    )


def _pinned_drops(settings: Settings) -> Callable[[Cell], int]:
    counts = load_counts(settings.row_counts)

    def drops(cell: Cell) -> int:
        pinned = counts.get(cell.key)
        return pinned.grammar_drops if pinned is not None else 0

    return drops


def _cells(settings: Settings, provider: str | None) -> list[Cell]:
    if not settings.recordings.is_dir():
        return []
    return [cell for cell in find_cells(settings.recordings) if provider in (None, cell.provider)]


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InputError(
            "--bridge", None, f"{command!r} is no command ({error})", "mend the quotes"
        ) from None
    if not words:
        raise InputError("--bridge", None, "the command is empty", "name the bridge's program")
    return words
