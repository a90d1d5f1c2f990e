"""The terminals of an agent: real commands with bounded output, an exit status, kill and release.

Both outputs of a command go into one text, of which the end is kept (`outputByteLimit`), cut at a character.
A terminal lives until it is released, also after its command ended; releasing it ends all it started.
Commands run with the rights of the user: only the folder they start in is checked, by who calls this.
"""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, cast

from parity.shell.child import Child, signal_name
from parity.shell.limits import Limits


class Transcript:
    """The end of a text that comes in bytes: at most `limit` bytes of it, whole characters."""

    def __init__(self, limit: int) -> None:
        self.truncated = False
        self._limit = limit
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._kept = bytearray()

    def feed(self, chunk: bytes, *, final: bool = False) -> None:
        """More of the text; a character cut in two waits for its other half until the `final` call."""
        self._kept += self._decoder.decode(chunk, final).encode()
        cut = len(self._kept) - self._limit
        if cut > 0:
            while cut < len(self._kept) and self._kept[cut] & 0xC0 == 0x80:
                cut += 1
            del self._kept[:cut]
            self.truncated = True

    @property
    def text(self) -> str:
        """What is kept."""
        return self._kept.decode()


class Terminal(asyncio.Protocol):
    """One command and its output."""

    def __init__(self, child: Child, transcript: Transcript, limits: Limits) -> None:
        self._child = child
        self._transcript = transcript
        self._limits = limits
        self._ended = asyncio.Event()
        self._transport: asyncio.BaseTransport | None = None

    @classmethod
    async def start(
        cls, command: str, args: Sequence[str], cwd: Path, env: Mapping[str, str], keep: int, limits: Limits
    ) -> Terminal:
        """Run a command; a line without args that names no command is the shell's. Raises OSError."""
        argv = [command, *args]
        if not args and " " in command.strip() and shutil.which(command, path=env.get("PATH")) is None:
            argv = ["/bin/sh", "-c", command]
        child = Child(argv, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT)
        terminal = cls(child, Transcript(keep), limits)
        loop = asyncio.get_running_loop()
        output = cast(IO[Any], child.process.stdout)
        terminal._transport, _ = await loop.connect_read_pipe(lambda: terminal, output)
        return terminal

    def data_received(self, data: bytes) -> None:
        """The command wrote something."""
        self._transcript.feed(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """The command's output is over."""
        self._transcript.feed(b"", final=True)
        self._ended.set()

    def output(self) -> dict[str, Any]:
        """`terminal/output`: {output, truncated, exitStatus?}."""
        said = {"output": self._transcript.text, "truncated": self._transcript.truncated}
        return {**said, "exitStatus": self._status()} if self._child.exited.is_set() else said

    async def wait(self) -> dict[str, Any]:
        """`terminal/wait_for_exit`: {exitCode, signal}, once the command ended and its output was read."""
        await self._child.wait()
        with contextlib.suppress(TimeoutError):  # what it started in the background may hold its output
            await asyncio.wait_for(self._ended.wait(), self._limits.drain)
        return self._status()

    async def kill(self) -> None:
        """End the command: SIGTERM, and SIGKILL for its process group after the grace."""
        self._child.signal(signal.SIGTERM)
        if not await self._child.wait(self._limits.grace):
            self._child.signal(signal.SIGKILL)
            await self._child.wait()

    async def release(self) -> None:
        """End it and forget it."""
        await self._child.end()
        if self._transport is not None:
            self._transport.close()

    def _status(self) -> dict[str, Any]:
        code = self._child.exit_code
        if code is not None and code < 0:
            return {"exitCode": None, "signal": signal_name(code)}
        return {"exitCode": code, "signal": None}
