"""The committed codex recordings, replayed: what a person must see in them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from parity.bridges import bridge_for
from parity.grammar.rows import walk
from parity.replay.replay import Outcome, replay
from parity.wire import decode, open_cell

RECORDINGS = Path(__file__).parents[3] / "recordings" / "codex"
CELLS = sorted(folder.name for folder in RECORDINGS.iterdir() if folder.is_dir())


class Streams:
    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self.rows: list[dict[str, Any]] = []

    def bridge(self, line: bytes) -> None:
        pass

    def provider(self, line: bytes) -> None:
        pass

    def event(self, line: bytes) -> None:
        self.events.append(decode(line))

    def row(self, line: bytes) -> None:
        self.rows.append(decode(line))

    def all_rows(self, kind: str) -> list[dict[str, Any]]:
        return [row for top in self.rows for row in walk(top) if row["kind"] == kind]

    def row_of(self, call: str) -> dict[str, Any]:
        (row,) = (
            row
            for kind in ("command", "fileChange")
            for row in self.all_rows(kind)
            if row["providerItemId"] == call
        )
        return row


@cache
def replayed(name: str) -> tuple[Streams, Outcome]:
    cell = open_cell(RECORDINGS / name)
    streams = Streams()
    return streams, replay(cell, lambda: bridge_for(cell.provider), streams)


@pytest.mark.parametrize("name", CELLS)
def test_every_cell_replays_without_stalls_leftovers_or_drops(name: str) -> None:
    outcome = replayed(name)[1]
    assert (outcome.stalls, outcome.unconsumed, outcome.drops, outcome.noise) == ([], [], {}, 0)


@pytest.mark.parametrize("name", CELLS)
def test_every_turn_settles_once_and_nothing_in_it_stays_pending(name: str) -> None:
    streams, _ = replayed(name)
    turns = streams.all_rows("turn")
    assert turns
    assert [event["status"] for event in streams.events if event["type"] == "turn/completed"] == [
        turn["status"] for turn in turns
    ]
    assert [row["id"] for turn in turns for row in walk(turn) if row["status"] == "pending"] == []


def test_turn_tools_shows_each_call_once_as_it_went() -> None:
    streams, outcome = replayed("turn-tools")
    failing = streams.row_of("call_full_0")
    assert (failing["status"], failing["exitCode"]) == ("failed", 2)
    assert failing["output"] == "ls: cannot access '/nonexistent': No such file or directory\n"
    assert streams.row_of("call_full_3")["changes"][0]["path"] == "/home/user/workspace/README.md"
    assert streams.row_of("call_full_4")["approval"]["decision"] == "allowed"
    assert len(streams.all_rows("command")) == 4
    assert [step["status"] for step in streams.all_rows("plan")[0]["steps"]] == ["completed", "inProgress"]
    assert outcome.unhandled == 0


def test_stop_interrupt_stays_interrupted_and_counts_what_came_late() -> None:
    streams, outcome = replayed("stop-interrupt")
    row = streams.row_of("call_long_0")
    assert (row["status"], row["output"]) == ("interrupted", "2\n3\n")
    assert "exitCode" not in row
    assert streams.all_rows("turn")[0]["status"] == "interrupted"
    assert outcome.unhandled == 4


def test_streamed_output_is_the_aggregate_exactly_once() -> None:
    streams, _ = replayed("streamed-output")
    text = ""
    for event in streams.events:
        if event["type"] == "item/commandExecution/outputDelta":
            text = event["delta"] if event.get("reset") else text + event["delta"]
    assert text == streams.row_of("call_long_0")["output"] == "1\n2\n3\n4\n5\n6\n"


def test_subagent_nests_the_child_and_ends_the_parent_once() -> None:
    streams, outcome = replayed("subagent")
    (row,) = streams.all_rows("delegation")
    assert [child["kind"] for child in row["children"]] == ["command", "message"]
    assert (row["status"], row["label"]) == ("completed", "childtask")
    assert len(streams.all_rows("command")) == 2
    assert outcome.unhandled == 0


def test_auth_failure_is_one_failed_turn_with_the_status_and_no_success() -> None:
    streams, _ = replayed("auth-failure")
    (turn,) = streams.all_rows("turn")
    assert turn["status"] == "failed"
    assert "401" in turn["error"]
    (error,) = (event for event in streams.events if event["type"] == "provider/error")
    assert error["code"] == 401
    assert [row["kind"] for row in turn["children"]] == ["warning", "error"]


def test_approval_deny_is_a_denied_row_in_a_turn_that_goes_on() -> None:
    streams, _ = replayed("approval-deny")
    row = streams.row_of("call_deny_0")
    assert (row["status"], row["approval"]["decision"]) == ("failed", "denied")
    assert streams.all_rows("turn")[0]["status"] == "completed"


def test_resume_shows_the_new_turn_only() -> None:
    streams, _ = replayed("resume")
    assert [row["text"] for row in streams.all_rows("message")] == ["Second turn answer."]
    assert streams.all_rows("command") == []
    (usage,) = (
        event for event in streams.events if event["type"] == "thread/tokenUsage/updated" and "turn" in event
    )
    assert usage["turn"]["totalTokens"] == 1234


def test_the_manifests_name_the_agent() -> None:
    for name in CELLS:
        agent = open_cell(RECORDINGS / name).manifest.agent
        assert agent is not None
        assert (agent.name, agent.version) == ("codex", "0.171.0")
