"""The host of a live bridge: what an agent asks of its client's machine, done for real or refused.

Answers the host calls of a bridge (ACP `fs/*` and `terminal/*`) with their results. Files: `files`; commands:
`terminals`. Every refusal says why, and a call with odd params is refused, never a crash.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from parity.bridges.base import INVALID_PARAMS, METHOD_NOT_FOUND
from parity.shell.files import NOT_FOUND, REFUSED, HostRefused, Workspace
from parity.shell.limits import Limits
from parity.shell.terminals import Terminal
from parity.wire import InputError

__all__ = ["NOT_FOUND", "REFUSED", "Host", "HostRefused", "NoHost"]

Params: TypeAlias = dict[str, Any]


class Host:
    """A workspace and the terminals in it."""

    def __init__(
        self, workspace: Path, limits: Limits | None = None, env: Mapping[str, str] | None = None
    ) -> None:
        """`env` is the environment of commands, by default our own. Raises InputError for no folder."""
        if not workspace.is_dir():
            raise InputError(workspace, None, "is no folder", "name the agent's workspace")
        self._limits = limits or Limits()
        self._workspace = Workspace(workspace, self._limits.file)
        self._env = dict(os.environ if env is None else env)
        self._terminals: dict[str, Terminal] = {}
        self._made = 0
        self._closed = False

    async def call(self, method: str, params: Any) -> Params:
        """The result of a host call. Raises HostRefused."""
        handler = _METHODS.get(method)
        if handler is None:
            raise HostRefused(METHOD_NOT_FOUND, f"Method not found: {method}")
        if self._closed:
            raise HostRefused(REFUSED, "the client is shutting down")
        return await handler(self, params if isinstance(params, dict) else {})

    async def close(self) -> None:
        """Release every terminal; later calls are refused."""
        self._closed = True
        terminals, self._terminals = list(self._terminals.values()), {}
        await asyncio.gather(*(terminal.release() for terminal in terminals))

    async def _read(self, params: Params) -> Params:
        line, limit = _count(params, "line"), _count(params, "limit")
        return {"content": self._workspace.read(_text(params, "path"), line, limit)}

    async def _write(self, params: Params) -> Params:
        self._workspace.write(_text(params, "path"), _text(params, "content"))
        return {}

    async def _create(self, params: Params) -> Params:
        command, args = _text(params, "command"), params.get("args") or []
        if not isinstance(args, list) or not all(isinstance(arg, str) for arg in args):
            raise HostRefused(INVALID_PARAMS, "args must be a list of strings")
        wanted = _count(params, "outputByteLimit")
        keep = min(self._limits.terminal_output if wanted is None else wanted, self._limits.terminal_output)
        cwd = params.get("cwd")
        folder = self._workspace.folder_of(cwd) if isinstance(cwd, str) else self._workspace.folder
        if len(self._terminals) >= self._limits.terminals:
            raise HostRefused(REFUSED, f"{self._limits.terminals} terminals are open; release one")
        self._made += 1
        name = f"terminal-{self._made}"
        try:
            terminal = await Terminal.start(
                command, args, folder, {**self._env, **_environment(params)}, keep, self._limits
            )
        except (OSError, ValueError) as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
            raise HostRefused(REFUSED, f"{command}: {reason}") from None
        if self._closed:
            await terminal.release()
            raise HostRefused(REFUSED, "the client is shutting down")
        self._terminals[name] = terminal
        return {"terminalId": name}

    async def _output(self, params: Params) -> Params:
        return self._terminal(params).output()

    async def _wait(self, params: Params) -> Params:
        return await self._terminal(params).wait()

    async def _kill(self, params: Params) -> Params:
        await self._terminal(params).kill()
        return {}

    async def _release(self, params: Params) -> Params:
        terminal = self._terminal(params)
        del self._terminals[params["terminalId"]]
        await terminal.release()
        return {}

    def _terminal(self, params: Params) -> Terminal:
        terminal = self._terminals.get(_text(params, "terminalId"))
        if terminal is None:
            raise HostRefused(NOT_FOUND, f"no terminal {params['terminalId']!r}")
        return terminal


class NoHost(Host):
    """A host that carries nothing out: while a recording is played, its calls are another machine's."""

    def __init__(self) -> None:
        super().__init__(Path.cwd())

    async def call(self, method: str, params: Any) -> Params:
        """Refused. Raises HostRefused."""
        raise HostRefused(REFUSED, "a recording is played: its host calls are not carried out again")


def _text(params: Params, name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str):
        raise HostRefused(INVALID_PARAMS, f"{name} must be a string")
    return value


def _count(params: Params, name: str) -> int | None:
    value = params.get(name)
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
        raise HostRefused(INVALID_PARAMS, f"{name} must be a number, 0 or more")
    return value


def _environment(params: Params) -> dict[str, str]:
    """ACP's `env`: a list of {name, value}."""
    entries = params.get("env") or []
    if not isinstance(entries, list):
        raise HostRefused(INVALID_PARAMS, "env must be a list of {name, value}")
    found = {}
    for entry in entries:
        name, value = (entry.get("name"), entry.get("value")) if isinstance(entry, dict) else (None, None)
        if not isinstance(name, str) or not isinstance(value, str):
            raise HostRefused(INVALID_PARAMS, "env must be a list of {name, value}")
        found[name] = value
    return found


_METHODS: dict[str, Callable[[Host, Params], Awaitable[Params]]] = {
    "fs/read_text_file": Host._read,
    "fs/write_text_file": Host._write,
    "terminal/create": Host._create,
    "terminal/output": Host._output,
    "terminal/wait_for_exit": Host._wait,
    "terminal/kill": Host._kill,
    "terminal/release": Host._release,
}
