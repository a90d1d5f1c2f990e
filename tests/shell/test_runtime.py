"""The runtime's side in this process: turns, questions, stops, what comes live."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from shell_runs import Live, run, running, turn

from parity.shell.runtime import RuntimeRefused


def test_events_and_rows_come_as_they_are(tmp_path: Path) -> None:
    async def play() -> Live:
        async with running(tmp_path, ("say", "one"), ("call", "c1")) as live:
            first = await turn(live)
            assert (first.id, first.status) == ("turn-1", "completed")
            assert [row["kind"] for row in live.rows] == ["turn"]
            assert (await turn(live)).id == "turn-2"
            assert live.runtime.identities == {"t": "s1"}
        return live

    live = run(play())
    assert live.said() == "oneone"
    assert [row["id"] for row in live.rows if row["kind"] == "turn"] == ["turn-1", "turn-2"]


def test_a_question_is_answered_by_the_callback(tmp_path: Path) -> None:
    asked: list[Any] = []

    async def answer(thread_id: str, payload: Any) -> dict[str, str]:
        asked.append((thread_id, payload["kind"]))
        return {"decision": "allowed", "optionId": "yes"}

    async def play() -> Live:
        async with running(tmp_path, "ask") as live:
            live.runtime.on_question = answer
            await turn(live)
        return live

    live = run(play())
    assert asked == [("t", "approval")]
    assert live.answers() == [{"result": {"outcome": {"outcome": "selected", "optionId": "yes"}}}]


def test_a_question_nobody_answers_is_cancelled(tmp_path: Path) -> None:
    async def play() -> Live:
        async with running(tmp_path, "ask") as live:
            await turn(live)
        return live

    assert run(play()).answers() == [{"result": {"outcome": {"outcome": "cancelled"}}}]


def test_a_question_left_open_is_cancelled_by_the_stop_of_its_turn(tmp_path: Path) -> None:
    async def play() -> Live:
        asked = asyncio.Event()

        async def nothing(thread_id: str, payload: Any) -> None:
            asked.set()

        async with running(tmp_path, "ask") as live:
            live.runtime.on_question = nothing
            await live.runtime.start_turn("t", "go")
            await asked.wait()
            await live.runtime.interrupt("t")
            assert (await live.runtime.turn_end("t", 5)).status == "interrupted"
        return live

    live = run(play())
    assert [e["decision"] for e in live.events if e["type"] == "interaction/resolved"] == ["cancelled"]
    assert live.runtime.drops == {}


def test_a_turn_can_be_stopped_at_a_marker(tmp_path: Path) -> None:
    async def play() -> Any:
        async with running(tmp_path, ("say", "working"), "cancelled") as live:
            await live.runtime.start_turn("t", "go")
            while "working" not in live.said():
                await asyncio.sleep(0.005)
            await live.runtime.interrupt("t")
            return await live.runtime.turn_end("t", 5)

    assert run(play()).status == "interrupted"


def test_a_refused_request_says_why(tmp_path: Path) -> None:
    async def play() -> None:
        async with running(tmp_path) as live:
            with pytest.raises(RuntimeRefused, match="unknown thread 'none'") as refused:
                await live.runtime.turn("none", "go", 5)
            assert refused.value.error["code"] == -32602
            with pytest.raises(RuntimeRefused, match="unknown method"):
                await live.runtime.request("no/such")

    run(play())


def test_an_answer_that_does_not_come_is_a_timeout(tmp_path: Path) -> None:
    async def play() -> None:
        async with running(tmp_path, "hang") as live:
            await live.runtime.start_turn("t", "go")
            with pytest.raises(TimeoutError):
                await live.runtime.request(
                    "thread/resume", {"threadId": "u", "cwd": ".", "providerThreadId": "s9"}, 0.05
                )

    run(play())
