"""A live bridge on this process's standard input and output: the runtime protocol, one message a line.

Ends in order at the end of its input, on SIGTERM, SIGINT and SIGHUP, and when nobody reads its output any
more. While the runtime does not read, the agent is not read either, so nothing piles up here.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import stat
import sys
from collections.abc import AsyncIterator
from typing import Any

from parity.bridges import Message
from parity.shell.live_bridge import LiveBridge
from parity.shell.process import Output
from parity.wire import LineSplitter, LineTooLong

_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_CHUNK = 64 * 1024


class Stdout(asyncio.BaseProtocol):
    """Our standard output; `ready` waits while its reader is behind."""

    def __init__(self) -> None:
        self.lost = asyncio.Event()
        self._may_write = asyncio.Event()
        self._may_write.set()
        self._transport: asyncio.WriteTransport | None = None

    async def open(self) -> None:
        """Write to pipes and sockets as they take it, to anything else at once."""
        mode = os.fstat(1).st_mode
        if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
            loop = asyncio.get_running_loop()
            self._transport, _ = await loop.connect_write_pipe(lambda: self, os.fdopen(os.dup(1), "wb", 0))

    def write(self, message: Message, line: bytes) -> None:
        """One message of the bridge."""
        if self._transport is not None:
            if not self._transport.is_closing():
                self._transport.write(line + b"\n")
            return
        try:
            sys.stdout.buffer.write(line + b"\n")
            sys.stdout.buffer.flush()
        except OSError:
            self.lost.set()

    async def ready(self) -> None:
        """Wait until the reader has caught up, or is gone."""
        await self._may_write.wait()

    async def close(self, seconds: float) -> None:
        """See the rest to its reader, for at most this long."""
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        transport.close()  # once all is written
        try:
            await asyncio.wait_for(self.lost.wait(), seconds)
        except TimeoutError:
            transport.abort()

    def pause_writing(self) -> None:
        """The reader is behind."""
        self._may_write.clear()

    def resume_writing(self) -> None:
        """The reader caught up."""
        self._may_write.set()

    def connection_lost(self, exc: Exception | None) -> None:
        """All is written, or nobody reads."""
        self.lost.set()
        self._may_write.set()


async def _stdin_lines(limit: int) -> AsyncIterator[bytes]:
    """The lines of our standard input, whatever it is. Raises LineTooLong."""
    splitter = LineSplitter(limit)
    loop = asyncio.get_running_loop()
    mode = os.fstat(0).st_mode
    if stat.S_ISREG(mode) or stat.S_ISBLK(mode):
        while chunk := os.read(0, _CHUNK):
            for line in splitter.feed(chunk):
                yield line
            await asyncio.sleep(0)
    else:
        source = Output()
        transport, _ = await loop.connect_read_pipe(lambda: source, os.fdopen(os.dup(0), "rb", 0))
        try:
            while chunk := await source.read():
                for line in splitter.feed(chunk):
                    yield line
        finally:
            transport.close()
    for line in splitter.flush():
        yield line


async def serve(live: LiveBridge, *, line_limit: int, grace: float) -> int:
    """Serve until the runtime ends it; the exit code: 0, or 128 and the number of the signal.

    `line_limit` bounds a line of the runtime in bytes, `grace` the last words in seconds.
    """
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[int] = loop.create_future()

    def end(code: int) -> None:
        if not ended.done():
            ended.set_result(code)

    stdout = Stdout()
    live.to_runtime = stdout.write
    live.ready = stdout.ready
    for number in _SIGNALS:
        loop.add_signal_handler(number, end, 128 + number)
    reading: asyncio.Task[None] | None = None
    leaving: asyncio.Task[None] | None = None
    try:
        await live.start()
        await stdout.open()
        reading = asyncio.create_task(_read(live, line_limit))
        reading.add_done_callback(lambda task: end(0))
        leaving = asyncio.create_task(_left(stdout))
        leaving.add_done_callback(lambda task: end(0))
        code = await ended
        if reading.done() and not reading.cancelled() and (error := reading.exception()) is not None:
            raise error
        return code
    finally:
        for task in (reading, leaving):
            if task is not None:
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError, Exception):
                    await task
        await live.stop()
        await stdout.close(grace)
        for number in _SIGNALS:
            loop.remove_signal_handler(number)


async def _read(live: LiveBridge, limit: int) -> None:
    lines: Any = _stdin_lines(limit)
    async with contextlib.aclosing(lines):
        try:
            async for line in lines:
                live.runtime_line(line.decode("utf-8", "replace"))
        except LineTooLong as error:
            live.fail(f"the runtime wrote a {error}")


async def _left(stdout: Stdout) -> None:
    await stdout.lost.wait()
