"""Live bridges with the fake agent, for tests: started in a folder, ended without a rest."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec

from parity.bridges import bridge_for
from parity.grammar.rows import Row
from parity.shell.host import Host
from parity.shell.lanes import LaneRecorder
from parity.shell.limits import Limits
from parity.shell.live_bridge import LiveBridge
from parity.shell.runtime import Runtime

AGENT = Path(__file__).with_name("fake_agent.py")

TINY = Limits(
    line=64 * 1024,
    burst=1024 * 1024,
    unread=256 * 1024,
    silence=None,
    grace=0.1,
    drain=0.05,
    file=4096,
    terminal_output=4096,
    terminals=3,
)


def fake_agent(*steps: Any) -> list[str]:
    """The command of a fake agent with these steps; one without arguments may be given by its name."""
    listed = [[step] if isinstance(step, str) else list(step) for step in steps]
    return [sys.executable, "-I", "-S", str(AGENT), json.dumps(listed)]


class Live:
    """A running fake agent: its runtime, events, rows and recorded lines."""

    def __init__(
        self,
        folder: Path,
        *steps: Any,
        limits: Limits = TINY,
        recorder: LaneRecorder | None = None,
        command: list[str] | None = None,
        provider: str = "acp-fake",
        bridge: Any = None,
    ) -> None:
        self.events: list[dict[str, Any]] = []
        self.rows: list[Row] = []
        self.folder = folder
        self.recorder = recorder or LaneRecorder()
        self.mark = os.urandom(6).hex()
        self.live = LiveBridge(
            bridge or bridge_for(provider),
            command or fake_agent(*steps),
            cwd=folder,
            env={**os.environ, "FAKE": self.mark},
            host=Host(folder, limits),
            recorder=self.recorder,
            limits=limits,
        )
        self.runtime = Runtime(
            self.live,
            on_event=lambda event: self.events.append(msgspec.to_builtins(event)),
            on_row=self.rows.append,
        )

    async def open(self) -> None:
        """Start it and a thread `t`."""
        await self.runtime.start()
        await self.runtime.request("initialize", {}, 15)
        await self.runtime.request("thread/start", {"threadId": "t", "cwd": str(self.folder)}, 15)

    @property
    def pid(self) -> int:
        """The agent's number."""
        assert self.live.process is not None
        return self.live.process.pid

    def said(self) -> str:
        """All the agent said."""
        return "".join(e["delta"] for e in self.events if e["type"] == "item/agentMessage/delta")

    def answers(self) -> list[Any]:
        """What the client answered to the agent's requests."""
        return [json.loads(line) for line in self.said().replace("}{", "}\n{").splitlines()]

    def processes(self) -> list[int]:
        """What still runs of it and of all it started (zombies have no environment)."""
        wanted, found = f"FAKE={self.mark}".encode(), []
        for place in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if wanted in (place / "environ").read_bytes():
                    found.append(int(place.name))
        return found


@contextlib.asynccontextmanager
async def running(folder: Path, *steps: Any, **options: Any) -> AsyncIterator[Live]:
    """A running fake agent with a thread `t`; stopped at the end."""
    live = Live(folder, *steps, **options)
    try:
        await live.open()
        yield live
    finally:
        await live.runtime.stop()


SILENCE = 0.2
"""Seconds a hanging agent of a test may be silent, once it has begun."""


async def turn(live: Live, text: str = "go", timeout: float = 15.0) -> Any:
    """A turn of thread `t`."""
    return await live.runtime.turn("t", text, timeout)


def runs(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def run(coroutine: Any) -> Any:
    """Run it to its end, bounded."""
    return asyncio.run(asyncio.wait_for(coroutine, 20))
