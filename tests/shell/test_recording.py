"""What a live bridge records: every line of all lanes as it crosses, and a replay that comes to the same."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from shell_runs import SILENCE, Live, run, running, turn

from parity.bridges import bridge_for
from parity.gates.pins import KeepSink
from parity.replay.replay import Replay
from parity.shell.lanes import LaneRecorder
from parity.wire import (
    BRIDGE_TO_PROVIDER,
    BRIDGE_TO_RUNTIME,
    LANES,
    PROVIDER_TO_BRIDGE,
    RUNTIME_TO_BRIDGE,
    InputError,
    LaneLine,
    LineTooLong,
    encode,
    lane_file_name,
    read_lane,
)


def lines_of(folder: Path) -> list[LaneLine]:
    found = [line for lane in LANES for line in read_lane(folder / lane_file_name(lane), lane)]
    return sorted(found, key=lambda line: (line.run, line.seq))


def replayed(lines: list[LaneLine], provider: str = "acp-fake") -> tuple[Replay, KeepSink]:
    sink = KeepSink()
    replay = Replay(lambda: bridge_for(provider), sink, frozenset())
    for line in lines:
        replay.feed(line)
    replay.finish()
    return replay, sink


STORIES: dict[str, list[Any]] = {
    "plain": [("say", "hello"), ("call", "c1"), ("say", "done")],
    "noise": [("write", "noise\n\udcff\n"), ("say", "x")],
    "asks": ["ask", ("say", "thanks")],
    "host": [("request", "fs/read_text_file", {"path": "/outside"}), ("say", "ok")],
    "terminal": [
        ("request", "terminal/create", {"command": "echo", "args": ["hi"]}),
        ("request", "terminal/wait_for_exit", {"terminalId": "terminal-1"}),
        ("request", "terminal/output", {"terminalId": "terminal-1"}),
    ],
    "dies": [("say", "half a"), ("call", "c1"), ("exit", 3)],
    "dies-asking": [("ask_and_die", 1)],
    "dies-waiting": [
        ("request", "terminal/create", {"command": "sleep", "args": ["60"]}),
        ("request_and_die", "terminal/wait_for_exit", {"terminalId": "terminal-1"}),
    ],
    "hangs": [("call", "c1"), "hang"],
    "floods": [("say", "x"), ("flood_line", 10_000_000)],
}


@pytest.mark.parametrize("story", STORIES)
def test_a_replay_of_what_was_recorded_comes_to_the_same_rows_and_lines(story: str, tmp_path: Path) -> None:
    async def play() -> Live:
        async with running(tmp_path, *STORIES[story]) as live:
            if story == "hangs":
                live.live.watch(SILENCE)
            await turn(live)
        return live

    live = run(play())
    replay, sink = replayed(live.recorder.lines)
    assert (replay.outcome.stalls, replay.outcome.unconsumed) == ([], [])
    assert [json.loads(line) for line in sink.lines["rows"]] == json.loads(encode(live.rows))
    for lane, layer in ((BRIDGE_TO_RUNTIME, "bridge"), (BRIDGE_TO_PROVIDER, "provider")):
        recorded = [line.line for line in live.recorder.lines if line.dir == lane]
        assert [json.loads(line)["line"] for line in sink.lines[layer]] == recorded


def test_an_agent_that_died_is_in_the_recording_as_an_error_of_no_thread(tmp_path: Path) -> None:
    async def play() -> Live:
        async with running(tmp_path, ("exit", 3)) as live:
            await turn(live)
        return live

    recorded = [json.loads(line.line) for line in run(play()).recorder.lines if line.dir == BRIDGE_TO_RUNTIME]
    errors = [message["params"] for message in recorded if message.get("method") == "error"]
    assert errors == [{"message": "the agent ended with exit code 3"}]


def test_every_line_is_on_the_disk_as_it_crosses(tmp_path: Path) -> None:
    folder = tmp_path / "recording"

    async def play() -> Live:
        recorder = LaneRecorder(folder, keep=True)
        async with running(tmp_path, ("write", "noise\n"), ("say", "x"), recorder=recorder) as live:
            await turn(live)
            assert lines_of(folder) == recorder.lines
        return live

    live = run(play())
    live.recorder.close()
    assert lines_of(folder) == live.recorder.lines
    assert [line.seq for line in lines_of(folder)] == list(range(1, len(live.recorder.lines) + 1))
    assert "noise" in [line.line for line in lines_of(folder) if line.dir == PROVIDER_TO_BRIDGE]


def test_several_processes_into_one_folder_continue_its_run(tmp_path: Path) -> None:
    for expected in (1, 2, 3):
        recorder = LaneRecorder(tmp_path, clock=itertools.count(1000).__next__)
        assert recorder.run == expected
        recorder.append(RUNTIME_TO_BRIDGE, f"line {expected}")
        recorder.close()
    assert [(line.ts, line.run, line.seq, line.line) for line in lines_of(tmp_path)] == [
        (1000, 1, 1, "line 1"),
        (1000, 2, 1, "line 2"),
        (1000, 3, 1, "line 3"),
    ]


def test_a_folder_is_recorded_into_by_one_process_at_a_time(tmp_path: Path) -> None:
    recorder = LaneRecorder(tmp_path)
    with pytest.raises(InputError, match="another bridge records into it"):
        LaneRecorder(tmp_path)
    recorder.close()
    LaneRecorder(tmp_path).close()


def test_a_lane_without_its_last_newline_is_continued_on_a_new_line(tmp_path: Path) -> None:
    line = LaneLine(1, 1, 1, PROVIDER_TO_BRIDGE, "x")
    (tmp_path / lane_file_name(PROVIDER_TO_BRIDGE)).write_bytes(encode(line))
    recorder = LaneRecorder(tmp_path)
    recorder.append(PROVIDER_TO_BRIDGE, "y")
    recorder.close()
    assert [(line.run, line.line) for line in lines_of(tmp_path)] == [(1, "x"), (2, "y")]


def test_a_folder_with_a_broken_lane_is_refused_and_untouched(tmp_path: Path) -> None:
    broken = tmp_path / lane_file_name(PROVIDER_TO_BRIDGE)
    broken.write_bytes(b"{\n")
    with pytest.raises(InputError, match=":1: "):
        LaneRecorder(tmp_path)
    assert broken.read_bytes() == b"{\n"


def test_a_line_no_reader_would_take_is_not_recorded(tmp_path: Path) -> None:
    recorder = LaneRecorder(tmp_path)
    with pytest.raises(LineTooLong):
        recorder.append(PROVIDER_TO_BRIDGE, '"' * 9_000_000)
    recorder.append(PROVIDER_TO_BRIDGE, "next")
    recorder.close()
    assert [(line.seq, line.line) for line in lines_of(tmp_path)] == [(1, "next")]


def test_a_bridge_without_a_word_for_it_still_tells_that_its_agent_is_gone(tmp_path: Path) -> None:
    class Foreign:
        """A bridge of somebody else: no `agent_gone`."""

        def __init__(self) -> None:
            inner = bridge_for("acp-fake")
            for name in ("runtime", "provider", "host_result", "host_error", "envelope", "noise"):
                setattr(self, name, getattr(inner, name))

    async def play() -> Live:
        live = Live(tmp_path, ("ask_and_die", 1), bridge=Foreign())
        live.runtime.on_question = _never
        try:
            await live.open()
            ended = await turn(live)
            assert (ended.status, ended.error) == ("failed", "the agent ended with exit code 1")
            with pytest.raises(Exception, match="the agent ended with exit code 1"):
                await live.runtime.request("model/list")
        finally:
            await live.runtime.stop()
        return live

    live = run(play())
    assert [e["decision"] for e in live.events if e["type"] == "interaction/resolved"] == ["cancelled"]


async def _never(thread_id: str, payload: Any) -> None:
    return None


def test_a_bridge_that_fails_on_a_line_ends_the_turn_and_says_where(tmp_path: Path) -> None:
    bridge: Any = bridge_for("acp-fake")
    taken = bridge.provider

    def provider(message: Any) -> Any:
        if "agent_message_chunk" in str(message):
            raise KeyError("bug")
        return taken(message)

    bridge.provider = provider

    async def play() -> Live:
        async with running(tmp_path, ("say", "x"), bridge=bridge) as live:
            ended = await turn(live)
            assert ended.status == "failed"
            assert ended.error is not None
            assert ended.error.startswith("the bridge failed: KeyError: 'bug' (test_recording.py:")
        return live

    assert run(play()).processes() == []
