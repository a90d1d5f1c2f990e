"""A bridge's process and its replay agent, as two streams of lines: the only file here that does I/O.

States: *running* → *ended* (its output ended or it exited) or *failed* (`failure` says why: a flood). `pump`
is the one place that waits, always for something and always with a bound. `kill` leaves nothing behind: the
bridge has a process group of its own, and what left the group is found by a mark in its environment.
It knows lines and frames; must not know what they say.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import selectors
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from parity.live.relay import Frames, frame
from parity.wire import MAX_LINE_BYTES, LineSplitter, LineTooLong

MARK = "PARITY_PLAY"
"""Environment variable whose value names one play, in the bridge and all it starts."""

STDERR_TAIL = 2000
"""Bytes of standard error that are kept."""

_CHUNK = 256 * 1024
_TICK = 0.02
"""Seconds between two looks at whether the process ended while others hold its output open."""


class BridgeProcess:
    """A running bridge: `lines` it said and `told` its agent, not taken yet, in order."""

    def __init__(
        self,
        command: Sequence[str],
        agent_command: Callable[[str], Sequence[str]],
        environment: Callable[[Sequence[str]], Mapping[str, str]],
        folder: Path,
        limit: int,
    ) -> None:
        """Start it. `agent_command` takes the driver's socket, `environment` the agent's command; `limit` is
        how many bytes it may say. Raises OSError where there is no such command."""
        self.lines: list[bytes] = []
        self.told: list[bytes] = []
        self.failure: str | None = None
        self.drained = True
        self.flushed = True
        self.ended = False
        self._limit = limit
        self._mark = secrets.token_hex(8)
        self._room = Path(tempfile.mkdtemp(prefix="parity-"))
        self._selector = selectors.DefaultSelector()
        self._relay: socket.socket | None = None
        self._frames = Frames()
        self._splitter = LineSplitter(MAX_LINE_BYTES)
        self._stderr = b""
        self._out = bytearray()
        self._orders = bytearray()
        self._gone = False
        address = str(self._room / "driver")
        try:
            self._listener = socket.socket(socket.AF_UNIX)
            self._listener.bind(address)
            self._listener.listen(4)
            self.agent_command = list(agent_command(address))
            self._process = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=folder,
                env={**environment(self.agent_command), MARK: self._mark},
                start_new_session=True,
                bufsize=0,
            )
        except BaseException:
            self._clear()
            raise
        self._watch(self._listener, self._connected)
        self._watch(self._process.stdout, self._said)
        self._watch(self._process.stderr, self._complained)
        assert self._process.stdin is not None
        self._stdin = self._process.stdin
        os.set_blocking(self._stdin.fileno(), False)

    @property
    def agent_runs(self) -> bool:
        """Whether the bridge's agent is connected."""
        return self._relay is not None

    @property
    def exit_code(self) -> int | None:
        """Its exit code; negative for a signal; None while it runs. The process stays to be reaped."""
        if self._process.returncode is not None:
            return self._process.returncode
        with contextlib.suppress(ChildProcessError):
            state = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if state is not None:
                return state.si_status if state.si_code == os.CLD_EXITED else -state.si_status
        return None

    @property
    def stderr_tail(self) -> str:
        """The end of what it wrote to standard error."""
        return self._stderr.decode("utf-8", "replace").strip()

    def write(self, line: bytes) -> None:
        """A line for the bridge's standard input; `pump` writes it."""
        if not self._stdin.closed:
            if not self._out:
                self._selector.register(self._stdin, selectors.EVENT_WRITE, self._write)
            self._out += line + b"\n"

    def write_as_agent(self, line: bytes) -> None:
        """A line of the agent; `drained` is False until the bridge has read it."""
        self.drained = False
        self._order(frame(b"W", line))

    def flush_agent(self) -> None:
        """Ask for all the bridge has written to its agent; `flushed` is False until `told` has it."""
        self.flushed = False
        self._order(frame(b"F"))

    def end_agent(self) -> None:
        """The agent ends."""
        self._agent_left()

    def close_input(self) -> None:
        """End the bridge's standard input; that is how it is told to end."""
        if self._out:
            self._selector.unregister(self._stdin)
            self._out.clear()
        self._stdin.close()

    def pump(self, until: Callable[[], bool], seconds: float) -> bool:
        """Carry lines until the condition holds; False when time, the bridge or its limit ran out first."""
        deadline = time.monotonic() + seconds
        while not until():
            left = deadline - time.monotonic()
            if left <= 0 or self.ended or self.failure is not None:
                return False
            events = self._selector.select(min(left, _TICK))
            for key, mask in events:
                key.data(mask)
            if not events and self.exit_code is not None:
                self.ended = True
        return True

    def kill(self) -> None:
        """End everything the bridge started, and itself."""
        if self._gone:
            return
        self._gone = True
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)  # not reaped yet, so the number is still its own
        for pid in marked(f"{MARK}={self._mark}"):
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()
        self._clear()

    # -- what happens --------------------------------------------------------------------------------

    def _watch(self, source: Any, react: Callable[[int], None]) -> None:
        os.set_blocking(source.fileno(), False)
        self._selector.register(source, selectors.EVENT_READ, react)

    def _connected(self, mask: int) -> None:
        """The bridge started an agent; a second one takes the first one's place."""
        agent, _ = self._listener.accept()
        self._agent_left()
        self._relay, self._frames = agent, Frames()
        self._watch(agent, self._relayed)

    def _agent_left(self) -> None:
        if self._relay is not None:
            self._selector.unregister(self._relay)
            self._relay.close()
        self._relay = None
        self._orders.clear()
        self.drained = self.flushed = True

    def _relayed(self, mask: int) -> None:
        relay = self._relay
        if relay is None:
            return
        try:
            if mask & selectors.EVENT_WRITE:
                del self._orders[: relay.send(self._orders[:_CHUNK])]
                if not self._orders:
                    self._selector.modify(relay, selectors.EVENT_READ, self._relayed)
            if not mask & selectors.EVENT_READ:
                return
            chunk = relay.recv(_CHUNK)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        for kind, payload in self._frames.feed(chunk):
            if kind == b"L":
                self.told.append(payload)
                self._charge(len(payload))
            elif kind == b"D":
                self.drained = True
            elif kind == b"F":
                self.flushed = True
        if not chunk:
            self._agent_left()

    def _order(self, order: bytes) -> None:
        if self._relay is None:
            self.drained = self.flushed = True
            return
        if not self._orders:
            both = selectors.EVENT_READ | selectors.EVENT_WRITE
            self._selector.modify(self._relay, both, self._relayed)
        self._orders += order

    def _write(self, mask: int) -> None:
        try:
            del self._out[: os.write(self._stdin.fileno(), self._out[:_CHUNK])]
        except BlockingIOError:
            return
        except OSError:  # it reads no more; that it ended, its output will say
            self._out.clear()
        if not self._out:
            self._selector.unregister(self._stdin)

    def _said(self, mask: int) -> None:
        assert self._process.stdout is not None
        chunk = os.read(self._process.stdout.fileno(), _CHUNK)
        try:
            self.lines += self._splitter.feed(chunk) if chunk else self._splitter.flush()
        except LineTooLong as error:
            self.lines += error.lines_before
            self.failure = f"wrote a {error}"
        if not chunk:
            self._selector.unregister(self._process.stdout)
            self.ended = True
        self._charge(len(chunk))

    def _complained(self, mask: int) -> None:
        assert self._process.stderr is not None
        chunk = os.read(self._process.stderr.fileno(), _CHUNK)
        self._stderr = (self._stderr + chunk)[-STDERR_TAIL:]
        if not chunk:
            self._selector.unregister(self._process.stderr)

    def _charge(self, size: int) -> None:
        self._limit -= size
        if self._limit < 0 and self.failure is None:
            self.failure = "wrote far more than the recording can explain"

    # -- the end -------------------------------------------------------------------------------------

    def _clear(self) -> None:
        self._selector.close()
        process = getattr(self, "_process", None)
        streams = [process.stdin, process.stdout, process.stderr] if process is not None else []
        for stream in (*streams, getattr(self, "_listener", None), self._relay):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        shutil.rmtree(self._room, ignore_errors=True)


def marked(mark: str) -> list[int]:
    """Processes whose environment has the mark, `NAME=value`; none where the system shows no environments."""
    wanted, found = mark.encode(), []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if wanted in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return found
