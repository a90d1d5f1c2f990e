"""An agent's process as two streams of lines, bounded and without a rest.

States: *running* → *over* (`lines` is done; `ending` says why) → *stopped* (nothing of it is left). Its
output is read only as fast as `lines` is taken, so an agent that nobody listens to waits at its own pipe.
Standard error is read apart, and its end kept. Knows lines; must not know what they say.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections import deque
from collections.abc import AsyncGenerator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, cast

from parity.shell.child import Child, signal_name
from parity.shell.limits import Limits
from parity.wire import InputError, LineSplitter, LineTooLong

STDERR_TAIL = 4096
"""Bytes of standard error that are kept."""

_HIGH_WATER = 256 * 1024
"""Bytes read ahead of who takes them."""


class Output(asyncio.Protocol):
    """A pipe's bytes, read a little ahead; reading rests while nobody takes them."""

    def __init__(self) -> None:
        self._chunks: deque[bytes] = deque()
        self._size = 0
        self._over = False
        self._news = asyncio.Event()
        self._transport: asyncio.ReadTransport | None = None
        self.resting = False
        self.discards = False
        self.ended = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The pipe is watched."""
        self._transport = cast(asyncio.ReadTransport, transport)

    def data_received(self, data: bytes) -> None:
        """Bytes came."""
        if self.discards or self._over:
            return
        self._chunks.append(data)
        self._size += len(data)
        self._news.set()
        if self._size > _HIGH_WATER and self._transport is not None:
            self.resting = True
            self._transport.pause_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        """The pipe ended."""
        self.ended.set()
        self.finish()

    def finish(self) -> None:
        """Nothing more is taken; what came before still is."""
        self._over = True
        self._news.set()

    def discard(self) -> None:
        """Read on and keep nothing, so that the writer can go on to its end."""
        self.discards = True
        self._chunks.clear()
        self._rest_no_more()
        self.finish()

    async def read(self) -> bytes:
        """The next bytes; b"" at the end."""
        while not self._chunks:
            if self._over:
                return b""
            self._news.clear()
            await self._news.wait()
        chunk = self._chunks.popleft()
        self._size -= len(chunk)
        if not self._chunks:
            self._rest_no_more()
        return chunk

    def close(self) -> None:
        """Stop reading."""
        if self._transport is not None:
            self._transport.close()

    def _rest_no_more(self) -> None:
        if self.resting and self._transport is not None and not self._transport.is_closing():
            self._transport.resume_reading()
        self.resting = False


class _Tail(asyncio.Protocol):
    """The end of what came through a pipe."""

    def __init__(self) -> None:
        self.text = b""
        self.ended = asyncio.Event()

    def data_received(self, data: bytes) -> None:
        self.text = (self.text + data)[-STDERR_TAIL:]

    def connection_lost(self, exc: Exception | None) -> None:
        self.ended.set()


class _Input(asyncio.BaseProtocol):
    """The pipe to the agent's standard input."""

    def __init__(self) -> None:
        self.lost = asyncio.Event()

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost.set()


class AgentProcess:
    """A running agent; see `start`."""

    def __init__(self, child: Child, limits: Limits) -> None:
        self._child = child
        self._limits = limits
        self._output = Output()
        self._tail = _Tail()
        self._input = _Input()
        self._writer: asyncio.WriteTransport | None = None
        self._pipes: list[asyncio.BaseTransport] = []
        self._watches: list[asyncio.Task[None]] = []
        self._failure: str | None = None
        self._stopped = False

    @classmethod
    async def start(
        cls, command: Sequence[str], *, cwd: Path, env: Mapping[str, str], limits: Limits | None = None
    ) -> AgentProcess:
        """Start an agent in a session of its own. Raises InputError where it cannot be started."""
        try:
            child = Child(command, cwd=cwd, env=env)
        except (OSError, ValueError, IndexError) as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
            what = f"the agent cannot be started ({reason})"
            raise InputError(
                command[0] if command else "", None, what, "install it, or mend its command"
            ) from None
        process = cls(child, limits or Limits())
        try:
            await process._connect()
        except BaseException:
            await child.end()
            raise
        return process

    async def _connect(self) -> None:
        loop = asyncio.get_running_loop()
        popen = self._child.process
        output, tail, into = (cast(IO[Any], p) for p in (popen.stdout, popen.stderr, popen.stdin))
        self._pipes.append((await loop.connect_read_pipe(lambda: self._output, output))[0])
        self._pipes.append((await loop.connect_read_pipe(lambda: self._tail, tail))[0])
        self._writer, _ = await loop.connect_write_pipe(lambda: self._input, into)
        self._watches = [
            asyncio.create_task(self._after_exit()),
            asyncio.create_task(self._after_input()),
        ]

    # -- its lines -----------------------------------------------------------------------------------

    async def lines(self) -> AsyncGenerator[bytes, None]:
        """Each line it writes, until it ends, closes its output or goes beyond the limits."""
        splitter = LineSplitter(self._limits.line)
        try:
            while chunk := await self._output.read():
                for line in splitter.feed(chunk):
                    yield line
            for line in splitter.flush():
                yield line
        except LineTooLong as error:
            for line in error.lines_before:
                yield line
            self._fail(f"wrote a {error}")

    def write(self, line: bytes) -> None:
        """A line for its standard input; nothing where that is closed."""
        writer = self._writer
        if writer is None or writer.is_closing():
            return
        writer.write(line + b"\n")
        if writer.get_write_buffer_size() > self._limits.unread:
            self._fail(f"left more than {self._limits.unread} bytes of its standard input unread")

    # -- its end -------------------------------------------------------------------------------------

    @property
    def pid(self) -> int:
        """Its number."""
        return self._child.pid

    @property
    def exit_code(self) -> int | None:
        """Its exit code; negative for a signal; None while it runs."""
        return self._child.exit_code

    @property
    def stderr_tail(self) -> str:
        """The end of what it wrote to standard error."""
        return self._tail.text.decode("utf-8", "replace").strip()

    async def ending(self) -> str:
        """After `lines`: why they ended, as a sentence about the agent without its subject."""
        if self._failure is None and not await self._child.wait(self._limits.drain):
            self._fail("closed its standard output")
        if self._failure is not None:
            return self._failure
        with contextlib.suppress(TimeoutError):  # something else may hold its standard error
            await asyncio.wait_for(self._tail.ended.wait(), self._limits.drain)
        code = self.exit_code
        if code is None or code >= 0:
            return f"ended with exit code {code}"
        return f"was ended by {signal_name(code)}"

    async def stop(self, *, hurry: bool = False) -> None:
        """End it and all it started: end of input, SIGTERM, SIGKILL, each after its grace; in a hurry at
        once."""
        if self._stopped:
            return
        self._stopped = True
        for watch in self._watches:
            watch.cancel()
        self._output.discard()
        try:
            if not hurry:
                await self._ask_to_end()
        finally:
            await self._child.end()
            if self._writer is not None and not self._input.lost.is_set():
                self._writer.abort()
            for pipe in self._pipes:
                cast(asyncio.ReadTransport, pipe).close()

    async def _ask_to_end(self) -> None:
        if self._writer is not None:
            self._writer.close()
        if not await self._child.wait(self._limits.grace):
            self._child.signal(signal.SIGTERM)
            await self._child.wait(self._limits.grace)

    def _fail(self, why: str) -> None:
        if self._failure is None:
            self._failure = why
        self._output.finish()

    async def _after_exit(self) -> None:
        """It ended, and something it started may hold its output: what was written is read, no more."""
        await self._child.exited.wait()
        while not self._output.ended.is_set():
            was_resting = self._output.resting
            try:
                await asyncio.wait_for(self._output.ended.wait(), self._limits.drain)
            except TimeoutError:
                if not was_resting and not self._output.resting:
                    break
        self._output.finish()

    async def _after_input(self) -> None:
        """It closed its standard input: nothing can be told to it any more."""
        await self._input.lost.wait()
        if not await self._child.wait(self._limits.drain):
            self._fail("closed its standard input")
