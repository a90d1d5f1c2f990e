"""A child process and all that it starts: started in a session of its own, watched, ended without a rest.

States: *running* → *ended* (`exit_code` is known; the process is not reaped, so its number stays its own) →
*gone* (`end`: nothing of it is left). What left its process group is found by a mark in its environment, and
by descent. Knows processes; must not know what they say.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import secrets
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from parity.live.process import marked

MARK = "PARITY_CHILD_"
"""Environment variables that begin so name one child each; what it starts inherits them."""

_PR_SET_CHILD_SUBREAPER = 36

_TICK = 0.01
"""Seconds between two looks at something the system does not tell of."""

_ROUNDS = 200
"""Looks, at most, until everything that was killed is gone."""


class Child:
    """A running process; `stdin`, `stdout`, `stderr` as `subprocess.Popen` takes them."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        stdin: int = subprocess.PIPE,
        stderr: int = subprocess.PIPE,
    ) -> None:
        """Start it, inside a running event loop. Raises OSError where there is no such command or folder."""
        name = MARK + secrets.token_hex(8)
        self._mark = f"{name}=1"
        self.process = subprocess.Popen(
            list(command),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=stderr,
            cwd=cwd,
            env={**env, name: "1"},
            start_new_session=True,
            bufsize=0,
        )
        self.pid = self.process.pid
        self.exited = asyncio.Event()
        self._code: int | None = None
        self._descendants: set[tuple[int, str]] = set()
        self._loop = asyncio.get_running_loop()
        self._pidfd: int | None = None
        self._poll: asyncio.Task[None] | None = None
        try:
            self._pidfd = os.pidfd_open(self.pid)
        except (AttributeError, OSError):  # not Linux, or an old one
            self._poll = asyncio.create_task(self._look())
        else:
            self._loop.add_reader(self._pidfd, self._ended)

    @property
    def exit_code(self) -> int | None:
        """Its exit code; negative for a signal; None while it runs."""
        return self._code

    async def wait(self, seconds: float | None = None) -> bool:
        """Wait until it has ended; False when the time ran out first."""
        try:
            await asyncio.wait_for(self.exited.wait(), seconds)
        except TimeoutError:
            return False
        return True

    def signal(self, number: int) -> None:
        """Send a signal to its process group."""
        self._note_descendants()
        if self.process.returncode is None:  # not reaped, so the number is its own
            with contextlib.suppress(OSError):
                os.killpg(self.pid, number)

    def leftovers(self) -> list[int]:
        """What it started and what still runs, itself not included."""
        found = {pid for pid in marked(self._mark) if pid != self.pid}
        return sorted(found | {pid for pid, began in self._descendants if _began(pid) == began})

    async def end(self) -> None:
        """Kill it and all it started, and wait until they are gone; reaps it. Doing it again does nothing."""
        if self.process.returncode is not None:
            return
        self.signal(signal.SIGKILL)
        for _ in range(_ROUNDS):
            left = self.leftovers()
            for pid in left:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            if not left and self.exited.is_set():
                break
            await asyncio.sleep(_TICK)
        self._ended()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(0)
        if self._poll is not None:
            self._poll.cancel()

    def _note_descendants(self) -> None:
        """Remember what descends from it now: one that cleared its environment is found no other way."""
        self._descendants |= _descendants(self.pid)

    def _ended(self) -> None:
        """Note how it ended, if it did, without reaping it."""
        if self._code is None:
            with contextlib.suppress(ChildProcessError):
                state = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                if state is None:
                    return
                killed = state.si_code != os.CLD_EXITED
                self._code = -state.si_status if killed else state.si_status
        if self._pidfd is not None:
            self._loop.remove_reader(self._pidfd)
            os.close(self._pidfd)
            self._pidfd = None
        self.exited.set()

    async def _look(self) -> None:
        while not self.exited.is_set():
            self._ended()
            await asyncio.sleep(_TICK)


def adopt_orphans() -> None:
    """From now on whatever outlives its parent below this process becomes its child, where the system can.

    For a process of our own only: see `end_orphans`.
    """
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_orphans() -> None:
    """Kill and reap all that descends from this process; nothing it still wants may run."""
    for _ in range(_ROUNDS):
        left = _descendants(os.getpid())
        for pid, _began_at in left:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not left:
            return
        time.sleep(_TICK)


def signal_name(code: int) -> str:
    """The name of the signal of a negative exit code: `SIGKILL`."""
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"


def _descendants(root: int) -> set[tuple[int, str]]:
    """(pid, when it began) of all that descends from a process; nothing where the system has no /proc."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        fields = _stat(int(folder.name))
        if fields:
            children.setdefault(int(fields[1]), []).append(int(folder.name))
    found: set[tuple[int, str]] = set()
    todo = list(children.get(root, ()))
    while todo:
        pid = todo.pop()
        began = _began(pid)
        if began is not None:
            found.add((pid, began))
        todo += children.get(pid, ())
    return found


def _began(pid: int) -> str | None:
    """When a process began, in the system's own count; None where it is gone or dead."""
    fields = _stat(pid)
    return fields[19] if fields and fields[0] not in "ZX" else None


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat after the name: state, parent, …; nothing where there is none."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()
