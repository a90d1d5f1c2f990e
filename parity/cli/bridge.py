"""`parity bridge`: a provider's bridge as a process, with its agent as a child.

Finds the agent's command, the host and the recording folder; the shell does the rest.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from parity.bridges import bridge_for, family_of
from parity.shell.child import adopt_orphans, end_orphans
from parity.shell.host import Host, NoHost
from parity.shell.lanes import RECORD_DIR, recorder_of
from parity.shell.limits import Limits
from parity.shell.live_bridge import LiveBridge
from parity.shell.stdio import serve
from parity.wire import InputError, JsonError, decode

AGENT_COMMAND = "PARITY_AGENT_COMMAND"
"""Set by a driver that plays the agent itself: a JSON array, the command to start. See docs/bridges.md."""


def run_alone(provider: str, workspace: Path, command: Sequence[str], silence: float | None) -> int:
    """`run` in a process of its own: at its end nothing that descends from it is left."""
    adopt_orphans()
    try:
        return run(provider, workspace, command, silence)
    finally:
        end_orphans()


def run(provider: str, workspace: Path, command: Sequence[str], silence: float | None) -> int:
    """Serve the runtime on standard input and output; the exit code. Raises InputError.

    1 when the agent failed, else 0, or 128 and the number of the signal that ended us.
    """
    if family_of(provider) is None:
        raise InputError(provider, None, "no bridge serves this provider", "see docs/bridges.md")
    if not workspace.is_dir():
        raise InputError(workspace, None, "is no folder", "name the agent's workspace")
    workspace = workspace.absolute()
    environment = dict(os.environ)
    folder, agent = environment.pop(RECORD_DIR, None), environment.pop(AGENT_COMMAND, None)
    played = agent is not None and not command
    if played:
        command = _words(str(agent))
    elif not command:
        command, environment = _launch(provider, workspace, environment)
    limits = Limits(silence=silence)
    recorder = recorder_of(folder)
    try:
        live = LiveBridge(
            bridge_for(provider, list(command)),
            command,
            cwd=workspace,
            env=environment,
            host=NoHost() if played else Host(workspace, limits, environment),
            recorder=recorder,
            limits=limits,
        )
        code = asyncio.run(serve(live, line_limit=limits.line, grace=limits.grace))
    finally:
        if recorder is not None:
            recorder.close()
    if live.failure is None:
        return code
    tail = live.stderr_tail
    sys.stderr.write(
        f"parity: {live.failure}" + (f"; its standard error ends: {tail}" if tail else "") + "\n"
    )
    return code or 1


def _words(text: str) -> list[str]:
    try:
        words = decode(text)
    except JsonError:
        words = None
    if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
        raise InputError(
            AGENT_COMMAND, None, "is no JSON array of words", "mend it or name the agent after --"
        )
    return words


def _launch(
    provider: str, workspace: Path, environment: Mapping[str, str]
) -> tuple[list[str], dict[str, str]]:
    """The installed agent of the provider, as the user runs it: its command and its environment."""
    from parity.agents import launch, load_agents

    spec = next((spec for spec in load_agents().values() if spec.provider == provider), None)
    if spec is None:
        what = "no agent is known for this provider"
        raise InputError(provider, None, what, "name its command after --")
    made = launch(spec, Path.home(), workspace, None, environment)
    return made.command, made.env
