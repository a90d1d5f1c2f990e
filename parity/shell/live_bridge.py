"""One bridge, live: its agent's process, its host calls done for real, every line recorded as it crosses.

States: *new* → *running* (`start`) → *gone* (`failure` says why: the agent ended, fell silent, flooded; the
bridge has told the runtime) → *stopped* (`stop`: no process is left). Inputs are taken one at a time, each to
the end of its effects, so the recorded order is the order in which the bridge saw them and a replay of it
comes to the same. Knows the bridge's interface; must not know any agent's protocol.
"""

from __future__ import annotations

import asyncio
import contextlib
import traceback
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from parity.bridges import Bridge, HostCall, Message, Output, ToProvider, ToRuntime
from parity.bridges.base import AGENT_GONE, agent_gone, failed
from parity.shell.host import Host, HostRefused
from parity.shell.lanes import LaneRecorder
from parity.shell.limits import Limits
from parity.shell.process import AgentProcess
from parity.shell.waiting import Waiting
from parity.wire import (
    BRIDGE_TO_PROVIDER,
    BRIDGE_TO_RUNTIME,
    PROVIDER_TO_BRIDGE,
    RUNTIME_TO_BRIDGE,
    JsonError,
    LineTooLong,
    decode,
    encode,
)


async def _at_once() -> None:
    """A runtime that always takes more."""


class LiveBridge:
    """A bridge and its agent.

    `to_runtime` takes each message for the runtime and its line; `ready` is awaited before more is read of
    the agent. Both may be set until `start`. `failure` is None while the agent is there.
    """

    def __init__(
        self,
        bridge: Bridge,
        command: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        host: Host,
        recorder: LaneRecorder | None = None,
        limits: Limits | None = None,
        to_runtime: Callable[[Message, bytes], None] | None = None,
        ready: Callable[[], Awaitable[None]] = _at_once,
    ) -> None:
        self.to_runtime = to_runtime or (lambda message, line: None)
        self.ready = ready
        self.failure: str | None = None
        self.noise = 0
        self.process: AgentProcess | None = None
        self._bridge = bridge
        self._command = list(command)
        self._cwd = cwd
        self._env = dict(env)
        self._host = host
        self._recorder = recorder
        self._limits = limits or Limits()
        self._waiting = Waiting()
        self._inputs: deque[Callable[[], None]] = deque()
        self._busy = False
        self._burst = self._noise = 0
        self._heard = 0.0
        self._blocked = False
        self._hosts: set[asyncio.Task[None]] = set()
        self._tasks: list[asyncio.Task[None]] = []
        self._clearing: asyncio.Task[None] | None = None
        self._stopping = False

    @property
    def stderr_tail(self) -> str:
        """The end of what the agent wrote to standard error."""
        return self.process.stderr_tail if self.process is not None else ""

    async def start(self) -> None:
        """Start the agent. Raises InputError where it cannot be started."""
        self.process = await AgentProcess.start(
            self._command, cwd=self._cwd, env=self._env, limits=self._limits
        )
        self._heard = asyncio.get_running_loop().time()
        self._tasks = [asyncio.create_task(self._listen(self.process))]
        if self._limits.silence is not None:
            self.watch(self._limits.silence)

    def watch(self, silence: float) -> None:
        """Give the agent up once it was silent for so many seconds while somebody waited for it."""
        self._tasks.append(asyncio.create_task(self._watch(silence)))

    async def stop(self) -> None:
        """Release the agent's terminals and end it and all it started, in order where it lives.

        What it still waits for of the host is answered first, with how its commands ended.
        """
        self._stopping = True
        try:
            await self._host.close()
            await self._serve_out()
        finally:
            tasks, self._tasks = self._tasks, []
            for task in (*tasks, *self._hosts):
                task.cancel()
            try:
                await asyncio.gather(*tasks, *self._hosts, return_exceptions=True)
                if self._clearing is not None:
                    await self._clearing
            finally:
                if self.process is not None:
                    await self.process.stop()

    # -- from the runtime ----------------------------------------------------------------------------

    def runtime(self, message: Message) -> None:
        """Take one message of the runtime; what the bridge says to it may come before this returns."""
        self.runtime_line(encode(message).decode())

    def runtime_line(self, line: str) -> None:
        """Take one line of the runtime, whatever it is; one that is not JSON is ignored and counted."""
        self._feed(lambda: self._runtime_line(line))

    def fail(self, reason: str) -> None:
        """Give the agent up: what is open fails with this reason, and its processes are ended."""
        self._feed(lambda: self._gone(reason))

    def _runtime_line(self, line: str) -> None:
        self._burst = self._noise = 0
        self._record(RUNTIME_TO_BRIDGE, line)
        try:
            message = decode(line)
        except JsonError:
            self.noise += 1
            return
        self._waiting.runtime(message)
        if self.failure is None or hasattr(self._bridge, "agent_gone"):
            self._take(self._bridge.runtime(message))
        elif isinstance(message, dict) and "method" in message and "id" in message:
            self._take([ToRuntime(failed(message["id"], AGENT_GONE, self.failure))])

    # -- from the agent ------------------------------------------------------------------------------

    async def _listen(self, process: AgentProcess) -> None:
        async with contextlib.aclosing(process.lines()) as lines:
            async for line in lines:
                self._feed(lambda line=line: self._provider_line(line))  # type: ignore[misc]
                if self.failure is not None:
                    return
                self._blocked = True
                await self.ready()
                self._blocked = False
        reason = await process.ending()
        self._feed(lambda: self._gone(f"the agent {reason}"))

    def _provider_line(self, line: bytes) -> None:
        if self.failure is not None:
            return
        self._burst += len(line) + 1
        if self._burst > self._limits.burst:
            self._gone(f"the agent wrote more than {self._limits.burst} bytes without a pause")
            return
        text = line.decode("utf-8", "replace")
        try:
            self._record(PROVIDER_TO_BRIDGE, text)
        except LineTooLong as error:
            self._gone(f"the agent wrote a {error}")
            return
        try:
            message = decode(text)
        except JsonError:
            self.noise += 1
            self._noise += 1
            if self._noise > self._limits.noise:
                self._gone(f"the agent wrote more than {self._limits.noise} lines that are not JSON")
            return
        self._take(self._bridge.provider(message))

    async def _watch(self, silence: float) -> None:
        loop = asyncio.get_running_loop()
        while self.failure is None:
            if not self._waiting.for_agent or self._hosts or self._blocked:
                self._heard = loop.time()
            left = self._heard + silence - loop.time()
            if left <= 0:
                self._feed(lambda: self._gone(f"the agent was silent for {silence:g} s"))
                return
            await asyncio.sleep(left)

    def _gone(self, reason: str) -> None:
        """The agent is given up or gone by itself: the bridge learns it, then all of it is ended."""
        if self.failure is not None or self._stopping:
            return
        self.failure = reason
        for task in self._hosts:
            task.cancel()
        self._take(agent_gone(self._bridge, reason))
        self._take([ToRuntime(message) for message in self._waiting.settled(reason)])
        self._clearing = asyncio.create_task(self._clear())

    async def _clear(self) -> None:
        await self._host.close()
        if self.process is not None:
            await self.process.stop(hurry=True)

    # -- what the bridge says ------------------------------------------------------------------------

    def _feed(self, take: Callable[[], None]) -> None:
        """Take an input once the one before is at its end; the runtime may speak while it is spoken to."""
        self._inputs.append(take)
        if self._busy:
            return
        self._busy = True
        try:
            while self._inputs:
                self._heard = asyncio.get_running_loop().time()
                try:
                    self._inputs.popleft()()
                except Exception as error:  # a bug in a lane, or a full disk: the agent cannot be served on
                    self._crashed(error)
        finally:
            self._busy = False

    def _crashed(self, error: Exception) -> None:
        frames = traceback.extract_tb(error.__traceback__)
        where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"
        said = " ".join(f"{type(error).__name__}: {error}".split())
        try:
            self._gone(f"the bridge failed: {said} ({where})")
        except Exception:  # the same again; the process is ended all the same
            self._clearing = self._clearing or asyncio.create_task(self._clear())

    def _take(self, outputs: Sequence[Output]) -> None:
        for output in outputs:
            if isinstance(output, HostCall):
                task = asyncio.create_task(self._serve(output))
                self._hosts.add(task)
                task.add_done_callback(self._hosts.discard)
                continue
            line = encode(output.message)
            if isinstance(output, ToProvider):
                self._record(BRIDGE_TO_PROVIDER, line.decode())
                if self.process is not None:
                    self.process.write(line)
            else:
                self._record(BRIDGE_TO_RUNTIME, line.decode())
                self._waiting.bridge(output.message)
                self.to_runtime(output.message, line)

    async def _serve(self, call: HostCall) -> None:
        """Do a host call; its end is an input of the bridge like any other."""
        error: dict[str, Any] | None = None
        result: Any = None
        try:
            result = await self._host.call(call.method, call.params)
        except HostRefused as refused:
            error = {"code": refused.code, "message": refused.message}

        def take() -> None:
            if self.failure is not None:
                return
            if error is not None:
                self._take(self._bridge.host_error(call.token, error))
            else:
                self._take(self._bridge.host_result(call.token, result))

        self._feed(take)

    async def _serve_out(self) -> None:
        """Wait for the host calls that are open, and not for ever: a closed host answers them soon."""
        loop = asyncio.get_running_loop()
        end = loop.time() + self._limits.grace
        while self._hosts and loop.time() < end:
            await asyncio.wait(self._hosts, timeout=end - loop.time())

    def _record(self, lane: str, line: str) -> None:
        if self._recorder is not None:
            self._recorder.append(lane, line)
