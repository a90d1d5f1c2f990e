"""An agent's process as lines: any chunks, back pressure, the order of its end."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from shell_runs import SILENCE, TINY, Live, run, running

from parity.shell.limits import Limits
from parity.shell.process import AgentProcess, Output
from parity.wire import LineSplitter


class _Pipe(asyncio.ReadTransport):
    """A transport that notes whether it is read."""

    paused = False

    def pause_reading(self) -> None:
        self.paused = True

    def resume_reading(self) -> None:
        self.paused = False

    def is_closing(self) -> bool:
        return False


@settings(max_examples=30, deadline=None)
@given(st.lists(st.binary(min_size=1, max_size=30).map(lambda data: data.replace(b"x", b"\n")), max_size=12))
def test_the_lines_are_the_same_for_any_chunks(chunks: list[bytes]) -> None:
    async def play() -> list[bytes]:
        process = AgentProcess(None, Limits())  # type: ignore[arg-type]
        process._output.connection_made(_Pipe())

        async def write() -> None:
            for chunk in chunks:
                process._output.data_received(chunk)
                await asyncio.sleep(0)
            process._output.connection_lost(None)

        writing = asyncio.create_task(write())
        lines = [line async for line in process.lines()]
        await writing
        return lines

    splitter = LineSplitter()
    assert asyncio.run(play()) == splitter.feed(b"".join(chunks)) + splitter.flush()


def test_a_pipe_rests_while_nobody_takes_what_was_read() -> None:
    async def play() -> None:
        pipe, output = _Pipe(), Output()
        output.connection_made(pipe)
        for _ in range(5):
            output.data_received(b"x" * 65536)
        assert pipe.paused
        for _ in range(5):
            await output.read()
        assert not pipe.paused

    asyncio.run(play())


def test_an_agent_waits_while_its_runtime_does_not_read(tmp_path: Path) -> None:
    async def play() -> Live:
        gate = asyncio.Event()
        limits = Limits(silence=None, grace=0.1, drain=0.05)
        async with running(tmp_path, ("flood_text", 2_000_000), limits=limits) as live:
            live.live.ready = gate.wait
            live.live.watch(SILENCE)
            await live.runtime.start_turn("t", "go")
            process = live.live.process
            assert process is not None
            while not process._output.resting:
                await asyncio.sleep(0.01)
            taken = len(live.recorder.lines)
            await asyncio.sleep(2 * SILENCE)  # nor is it called silent
            assert len(live.recorder.lines) == taken
            assert live.live.failure is None
            gate.set()
            assert (await live.runtime.turn_end("t", 10)).status == "completed"
        return live

    assert len(run(play()).said()) == 2_000_000 // 1024 * 1024


def test_a_well_behaved_agent_ends_by_itself_at_the_end_of_its_input(tmp_path: Path) -> None:
    async def play() -> int | None:
        script = "import sys; sys.stdin.read(); open('bye', 'w').close(); sys.exit(7)"
        command = [sys.executable, "-I", "-S", "-c", script]
        process = await AgentProcess.start(command, cwd=tmp_path, env=dict(os.environ), limits=Limits())
        await process.stop()
        return process.exit_code

    assert run(play()) == 7
    assert (tmp_path / "bye").exists()


def test_an_agent_that_writes_while_it_ends_is_read_to_its_end(tmp_path: Path) -> None:
    async def play() -> int | None:
        script = "import sys; sys.stdin.read(); print('x' * 1000000)"
        command = [sys.executable, "-I", "-S", "-c", script]
        process = await AgentProcess.start(command, cwd=tmp_path, env=dict(os.environ), limits=Limits())
        await process.stop()
        return process.exit_code

    assert run(play()) == 0


def test_an_agent_that_reads_nothing_is_given_up_before_its_input_piles_up(tmp_path: Path) -> None:
    async def play() -> Any:
        async with running(tmp_path, "hang", limits=Limits(unread=TINY.unread, silence=None)) as live:
            await live.runtime.start_turn("t", "go")
            text = json.dumps({"jsonrpc": "2.0", "id": None, "method": "x", "params": "y" * 65536}).encode()
            for _ in range(20):
                assert live.live.process is not None
                live.live.process.write(text)
            return await live.runtime.turn_end("t", 5)

    assert run(play()).error == "the agent left more than 262144 bytes of its standard input unread"
