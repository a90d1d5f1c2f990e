"""One side of a comparison: its processes replay cells with its own code, and every way to fail is named.

Knows processes, pipes and the records of `bootstrap`. Must not know git, allowances or how two sides compare.

States of a side's process: *starting* (until `ready`), *idle*, *replaying* (from a request until its `end`,
`unknown` or `error`), *gone*. A process that crashes, says what is no record, says too much or says nothing
for the timeout is killed and its cell fails; the side goes on with a new one. An exception in a replay fails
its cell only. A side that cannot start, or has timed out three times, is given up: its remaining cells fail
with that reason.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import signal
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field

from parity.checkouts import bootstrap
from parity.gates.pins import STREAMS
from parity.gates.settings import ProviderSettings
from parity.live.process import marked
from parity.replay.provenance import RowLines
from parity.replay.replay import Outcome
from parity.wire import Cell, LineSplitter

MARK = "PARITY_SIDE"
"""Environment variable whose value names one side's process, in all that it starts."""

_STDERR_BYTES = 8192
_STDERR_LINES = 5
_TIMEOUTS = 3
_START_SECONDS = 20.0
"""The least time a side has to import its code, for a short timeout is meant for the replays."""
_END_SECONDS = 5.0
_LEAST_BYTES = 64 << 20
_TIMES_RECORDED = 100
"""A side may say this many times the bytes of the cell's files, and `_LEAST_BYTES` in any case."""

_HEADS = {f'["{layer}",'.encode(): layer for layer in STREAMS}


class Side(Struct, frozen=True):
    """What one side runs with."""

    import_from: Path
    """The folder that holds its `parity`."""
    python: str
    """Its interpreter."""
    bridges: Mapping[str, ProviderSettings] = field(default_factory=dict)
    """Provider → the command of its external bridge, in this side's tree."""
    own: bool = True
    """Whether the code is this side's own, and not the installed one."""

    def has_code_for(self, provider: str) -> bool:
        """Whether what replays the provider's cells is anything of this side's."""
        return self.own or provider in self.bridges


class Replayed(Struct):
    """What a side made of one cell. It failed if `failure` is set; else `unknown` or `outcome` is."""

    streams: dict[str, list[bytes]] = field(default_factory=lambda: {layer: [] for layer in STREAMS})
    outcome: Outcome | None = None
    row_lines: list[RowLines] | None = None
    """The recorded lines behind the rows, where they were asked for and the side can tell."""
    unknown: str | None = None
    """Why the side has no bridge for the provider."""
    failure: str | None = None
    given_up: bool = False
    """Whether the failure is of the side as a whole."""


class SideFailed(Exception):
    """The process is of no use any more; the reason, perhaps with lines of its standard error."""


class _TimedOut(SideFailed):
    """It said nothing for the timeout."""


class SideProcess:
    """One process of a side."""

    def __init__(
        self, process: asyncio.subprocess.Process, side: Side, provenance: bool, mark: str, timeout: float
    ) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._process = process
        self._side = side
        self._provenance = provenance
        self._mark = mark
        self._stdin = process.stdin
        self._stdout = process.stdout
        self._timeout = timeout
        self._splitter = LineSplitter()
        self._lines: deque[bytes] = deque()
        self._left = _LEAST_BYTES
        self._said_wrong = b""
        self._drain = asyncio.create_task(self._drain_stderr(process.stderr))

    @classmethod
    async def start(cls, side: Side, cache: Path, timeout: float, provenance: bool = False) -> SideProcess:
        """A process that is ready. Raises SideFailed; then none is left."""
        script = str(Path(bootstrap.__file__).absolute())
        mark = secrets.token_hex(8)
        try:
            process = await asyncio.create_subprocess_exec(
                side.python,
                *("-E", "-P", "-X", "utf8", script, str(side.import_from), str(cache)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                cwd=side.import_from,
                env={**os.environ, MARK: mark},
                start_new_session=True,
            )
        except OSError as error:
            raise SideFailed(f"{side.python} cannot be started: {error.strerror}") from None
        started = cls(process, side, provenance, mark, max(timeout, _START_SECONDS))
        try:
            async with contextlib.aclosing(started._records()) as records:
                async for record in records:
                    match _decoded(record):
                        case ["ready", _]:
                            started._timeout = timeout
                            return started
                        case ["broken", str() as why]:
                            raise SideFailed(await started._with_stderr(why))
                    raise SideFailed(await started._with_stderr(f"said what is no record: {_shown(record)}"))
            raise SideFailed("ended")  # _records ends by raising only
        except BaseException:
            await started.kill()
            raise

    async def replay(self, cell: Cell) -> Replayed:
        """Replay one cell. Raises SideFailed; the process is then to be killed."""
        recorded = sum(path.stat().st_size for path in cell.path.iterdir() if path.is_file())
        self._left = max(_LEAST_BYTES, _TIMES_RECORDED * recorded)
        agent = cell.manifest.agent
        command = agent.command if agent is not None else None
        words = command.split() if isinstance(command, str) else command
        external = self._side.bridges.get(cell.provider)
        request = {
            "path": str(cell.path.absolute()),
            "provider": cell.provider,
            "command": words,
            "external": msgspec.to_builtins(external, enc_hook=str) if external is not None else None,
            "provenance": self._provenance,
        }
        with contextlib.suppress(ConnectionError):  # a process that is gone is noticed when reading
            self._stdin.write(json.dumps(request).encode() + b"\n")
            await self._stdin.drain()
        result = Replayed()
        async with contextlib.aclosing(self._records()) as records:
            async for record in records:
                head = record[: record.find(b",") + 1]
                layer = _HEADS.get(head)
                if layer is not None and record.endswith(b"]"):
                    result.streams[layer].append(record[len(head) : -1])
                    continue
                match _decoded(record):
                    case ["lines", noted]:
                        with contextlib.suppress(msgspec.ValidationError):
                            result.row_lines = msgspec.convert(noted, list[RowLines])
                        continue
                    case ["end", dict() as outcome]:
                        return self._ended(result, outcome)
                    case ["unknown", str() as why]:
                        result.unknown = why
                        return result
                    case ["error", str() as why]:
                        result.failure = f"its replay failed: {why}"
                        return result
                raise SideFailed(await self._with_stderr(f"said what is no record: {_shown(record)}"))
        return result  # pragma: no cover - _records ends by raising only

    def _ended(self, result: Replayed, outcome: dict[str, Any]) -> Replayed:
        """Take the outcome, unless what came before it is not what it counts."""
        try:
            result.outcome = msgspec.convert(outcome, Outcome)
        except msgspec.ValidationError as error:
            raise SideFailed(f"its outcome cannot be read: {error}") from None
        if result.outcome.lines == 0 or not any(result.streams.values()):
            why = result.outcome.stalls[0] if result.outcome.stalls else "nothing said"
            result.failure = f"came back empty: {result.outcome.lines} lines replayed, {why}"
        elif result.outcome.events != len(result.streams["events"]):
            said = len(result.streams["events"])
            result.failure = f"counted {result.outcome.events} events and said {said}"
        return result

    async def kill(self) -> None:
        """End the process and all it started, and wait for it."""
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        for pid in marked(f"{MARK}={self._mark}") if self._side.bridges else ():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)  # a bridge has a process group of its own
        self._stdin.close()
        with contextlib.suppress(TimeoutError, ConnectionError):  # what it let loose may hold its pipes
            async with asyncio.timeout(_END_SECONDS):
                while await self._stdout.read(1 << 18):
                    pass
                await self._drain
                await self._process.wait()
                await self._stdin.wait_closed()
        self._drain.cancel()

    async def _records(self) -> AsyncGenerator[bytes, None]:
        """Lines as they come. Raises SideFailed at the end of the output, a timeout or too much of it."""
        while True:
            while self._lines:
                yield self._lines.popleft()
            try:
                chunk = await asyncio.wait_for(self._stdout.read(1 << 18), self._timeout)
            except TimeoutError:
                why = f"timed out: it said nothing for {self._timeout:g} s"
                raise _TimedOut(await self._with_stderr(why)) from None
            if not chunk:
                raise SideFailed(await self._with_stderr(await self._exit()))
            self._left -= len(chunk)
            if self._left < 0:
                raise SideFailed("says more than any replay of the cell could")
            self._lines.extend(self._splitter.feed(chunk))

    async def _exit(self) -> str:
        """How the process ended, its output being over."""
        try:
            code = await asyncio.wait_for(self._process.wait(), self._timeout)
        except TimeoutError:
            return "closed its output without a result"
        if code < 0:
            return f"crashed: killed by {_signal_name(-code)}"
        return f"crashed: exit code {code}" if code else "ended without a result"

    async def _with_stderr(self, why: str) -> str:
        """The reason and, below it, the last lines of standard error."""
        if self._process.returncode is None:
            await asyncio.sleep(0)
        else:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(self._drain), 1)
        lines = [line for line in self._said_wrong.decode("utf-8", "replace").splitlines() if line.strip()]
        return "\n".join([why, *lines[-_STDERR_LINES:]])

    async def _drain_stderr(self, stderr: asyncio.StreamReader) -> None:
        while chunk := await stderr.read(1 << 16):
            self._said_wrong = (self._said_wrong + chunk)[-_STDERR_BYTES:]


class SideRun:
    """All cells through one side, some at a time."""

    def __init__(
        self,
        side: Side,
        cells: Sequence[Cell],
        cache: Path,
        timeout: float,
        done: Callable[[Cell, Replayed], None],
        provenance: bool = False,
    ) -> None:
        self._side = side
        self._provenance = provenance
        self._waiting = deque(cells)
        self._cache = cache
        self._timeout = timeout
        self._done = done
        self._given_up: str | None = None
        self._timeouts = 0
        self._alive: list[SideProcess] = []

    async def run(self, jobs: int) -> None:
        """Replay the cells in `jobs` processes; `done` is told of each."""
        try:
            first = await self._start()  # the others find its bytecode in the cache
            async with asyncio.TaskGroup() as group:
                for number in range(max(1, min(jobs, len(self._waiting)))):
                    group.create_task(self._work(first if number == 0 else None))
        finally:
            for process in self._alive:
                await process.kill()

    async def _start(self) -> SideProcess | None:
        """A new process; None where there can be none, and then the side is given up."""
        if self._given_up is not None:
            return None
        try:
            process = await SideProcess.start(self._side, self._cache, self._timeout, self._provenance)
        except SideFailed as error:
            self._given_up = f"cannot run: {error}"
            return None
        self._alive.append(process)
        return process

    async def _work(self, process: SideProcess | None) -> None:
        while self._waiting:
            cell = self._waiting.popleft()
            process = process or await self._start()
            if process is None or self._given_up is not None:
                self._done(cell, Replayed(failure=self._given_up, given_up=True))
                continue
            try:
                self._done(cell, await process.replay(cell))
            except SideFailed as error:
                self._done(cell, Replayed(failure=str(error)))
                self._count(error)
                self._alive.remove(process)
                await process.kill()
                process = None

    def _count(self, error: SideFailed) -> None:
        self._timeouts += isinstance(error, _TimedOut)
        if self._timeouts == _TIMEOUTS:
            self._given_up = f"given up after {_TIMEOUTS} cells timed out"


def _decoded(record: bytes) -> Any:
    try:
        return json.loads(record)
    except ValueError:
        return None


def _shown(record: bytes) -> str:
    text = record.decode("utf-8", "replace")
    return repr(text if len(text) <= 80 else f"{text[:79]}…")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
