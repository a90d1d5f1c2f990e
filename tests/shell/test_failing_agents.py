"""Agents that fail: the turn ends failed with the reason, no process is left, memory stays bounded."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from shell_runs import SILENCE, Live, run, running, runs, turn

from parity.shell.limits import Limits
from parity.shell.runtime import RuntimeRefused
from parity.wire import InputError

FLOOD = 200_000_000
"""Bytes that the flooding agents try to write."""

SMALL = Limits(line=64 * 1024, burst=128 * 1024, noise=500, silence=None, grace=0.1, drain=0.05)

CASES: dict[str, tuple[list[Any], str]] = {
    "dies": ([("say", "half"), ("exit", 3)], "the agent ended with exit code 3"),
    "is-killed": (["kill"], "the agent was ended by SIGKILL"),
    "hangs": (["hang"], f"the agent was silent for {SILENCE} s"),
    "floods-a-line": ([("flood_line", FLOOD)], "the agent wrote a line longer than 65536 bytes"),
    "floods-lines": ([("flood_lines", FLOOD)], "the agent wrote more than 500 lines that are not JSON"),
    "floods-text": ([("flood_text", FLOOD)], "the agent wrote more than 131072 bytes without a pause"),
    "closes-stdin": (["close_stdin", "hang"], "the agent closed its standard input"),
    "closes-stdout": (["close_stdout"], "the agent closed its standard output"),
    "ignores-sigterm": (["ignore_sigterm", "hang"], f"the agent was silent for {SILENCE} s"),
    "forks": (["fork", ("exit", 0)], "the agent ended with exit code 0"),
    "forks-away": (["fork_away", ("exit", 0)], "the agent ended with exit code 0"),
    "dies-asking": ([("ask_and_die", 4)], "the agent ended with exit code 4"),
}


@pytest.mark.parametrize("case", CASES)
def test_the_turn_of_a_failing_agent_ends_failed_with_the_reason_and_leaves_no_process(
    case: str, tmp_path: Path
) -> None:
    steps, reason = CASES[case]

    async def play() -> Live:
        async with running(tmp_path, *steps, limits=SMALL) as live:
            if "silent" in reason:
                live.live.watch(SILENCE)
            ended = await turn(live)
            assert (ended.status, ended.error) == ("failed", reason)
            assert live.live.failure == reason
        return live

    live = run(play())
    assert live.processes() == []
    assert live.runtime.drops == {}
    assert [row["status"] for row in live.rows if row["kind"] == "turn"] == ["failed"]
    assert sum(len(line.line) for line in live.recorder.lines) < 4 * SMALL.burst


def test_garbage_is_kept_and_counted_and_costs_nothing(tmp_path: Path) -> None:
    async def play() -> Live:
        garbage = "no json\n\x00\x01\n[1,2\n\udcff\udcfe\n{}\n7\n"
        async with running(tmp_path, ("write", garbage), ("say", "still here")) as live:
            assert (await turn(live)).status == "completed"
        return live

    live = run(play())
    assert live.said() == "still here"
    assert live.live.noise == 4
    kept = [line.line for line in live.recorder.lines if line.dir == "provider→bridge"]
    assert kept[2:8] == ["no json", "\x00\x01", "[1,2", "\ufffd\ufffd", "{}", "7"]


def test_a_grandchild_without_our_environment_is_ended_with_its_living_parent(tmp_path: Path) -> None:
    async def play() -> Any:
        async with running(tmp_path, "fork_bare", "hang") as live:
            await live.runtime.start_turn("t", "go")
            child = await _child_of(live.pid)
            live.live.fail("enough")
            assert (await live.runtime.turn_end("t", 5)).error == "enough"
        return child

    assert not runs(run(play()))


async def _child_of(pid: int) -> int:
    while True:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        if children:
            return int(children[0])
        await asyncio.sleep(0.01)


def test_an_agent_that_ends_between_turns_is_told_to_the_runtime(tmp_path: Path) -> None:
    async def play() -> Live:
        async with running(tmp_path, ("say", "hi")) as live:
            await turn(live)
            os.kill(live.pid, signal.SIGKILL)
            while live.live.failure is None:
                await asyncio.sleep(0.01)
            with pytest.raises(RuntimeRefused, match="the agent was ended by SIGKILL"):
                await turn(live)
        return live

    live = run(play())
    errors = [event["message"] for event in live.events if event["type"] == "provider/error"]
    assert errors == ["the agent was ended by SIGKILL"]


def test_a_question_of_an_agent_that_died_is_withdrawn(tmp_path: Path) -> None:
    async def play() -> Live:
        async with running(tmp_path, ("ask_and_die", 1)) as live:
            live.runtime.on_question = _never
            await turn(live)
        return live

    live = run(play())
    assert [e["decision"] for e in live.events if e["type"] == "interaction/resolved"] == ["cancelled"]


async def _never(thread_id: str, payload: Any) -> None:
    return None


def test_a_person_who_thinks_is_not_the_agents_silence(tmp_path: Path) -> None:
    async def play() -> Live:
        async def slow(thread_id: str, payload: Any) -> dict[str, str]:
            await asyncio.sleep(2 * SILENCE)
            return {"decision": "allowed"}

        async with running(tmp_path, "ask") as live:
            live.runtime.on_question = slow
            live.live.watch(SILENCE)
            assert (await turn(live)).status == "completed"
        return live

    assert run(play()).answers() == [{"result": {"outcome": {"outcome": "selected", "optionId": "yes"}}}]


def test_a_turn_over_its_time_fails_and_its_agent_is_given_up(tmp_path: Path) -> None:
    async def play() -> Live:
        async with running(tmp_path, "hang", limits=Limits(silence=None)) as live:
            ended = await turn(live, timeout=0.2)
            assert (ended.status, ended.error) == ("failed", "the turn did not end within 0.2 s")
        return live

    assert run(play()).processes() == []


def test_an_agent_deaf_to_every_request_to_end_is_killed_after_its_grace(tmp_path: Path) -> None:
    async def play() -> Live:
        async with running(tmp_path, "deaf", "fork_away") as live:
            assert (await turn(live)).status == "completed"
        assert live.live.process is not None
        assert live.live.process.exit_code == -signal.SIGKILL
        return live

    assert run(play()).processes() == []


def test_the_end_of_standard_error_is_kept_apart(tmp_path: Path) -> None:
    async def play() -> Live:
        async with running(tmp_path, ("stderr", "x" * 9000 + "the reason"), ("exit", 1)) as live:
            await turn(live)
        return live

    live = run(play())
    assert live.live.stderr_tail.endswith("the reason")
    assert len(live.live.stderr_tail) <= 4096
    assert "the reason" not in "".join(line.line for line in live.recorder.lines)


def test_a_command_that_does_not_exist_is_one_clear_line(tmp_path: Path) -> None:
    live = Live(tmp_path, command=["/no/such/agent"])

    async def play() -> None:
        try:
            await live.runtime.start()
        finally:
            await live.runtime.stop()

    with pytest.raises(InputError, match=r"^/no/such/agent: the agent cannot be started \(No such file"):
        run(play())
