"""Provenance: the recorded lines behind each row."""

from __future__ import annotations

import json
from typing import Any

import pytest
from parity_runs import RECORDINGS, parity

from parity.gates.check import bridge_maker
from parity.gates.pins import STREAMS, KeepSink
from parity.grammar.rows import walk
from parity.replay.provenance import LineId, replay_noting, with_provenance
from parity.replay.replay import replay
from parity.wire import PROVIDER_TO_BRIDGE, RUNTIME_TO_BRIDGE, Cell, find_cells, open_cell

GROK = RECORDINGS / "acp-grok" / "turn-tools-no-terminal"
CELLS = find_cells(RECORDINGS)


def rows_of(cell: Cell) -> list[dict[str, Any]]:
    """Every row of the cell, children included, with its provenance."""
    sink = KeepSink(("rows",))
    _, lines = replay_noting(cell, bridge_maker(cell), sink)
    return [row for top in with_provenance(sink.docs("rows"), lines) for row in walk(top)]


def lines_of(cell: Cell) -> dict[LineId, str]:
    return {(line.run, line.seq, line.dir): line.line for line in cell.lines()}


def ids(row: dict[str, Any]) -> set[LineId]:
    return {(run, seq, lane) for run, seq, lane in row["provenance"]}


def protocol_lines_naming(cell: Cell, call: str) -> set[LineId]:
    """The agent's session/update and session/request_permission lines whose call is this one."""
    found = set()
    for line_id, text in lines_of(cell).items():
        message = json.loads(text)
        params = message.get("params")
        if line_id[2] != PROVIDER_TO_BRIDGE or not isinstance(params, dict):
            continue
        about = params.get("update") if message["method"] == "session/update" else params.get("toolCall")
        if isinstance(about, dict) and about.get("toolCallId") == call:
            found.add(line_id)
    return found


def says_nothing(text: str) -> bool:
    """An update of running work with empty output: no row can owe anything to it."""
    update = json.loads(text)["params"].get("update", {})
    contents = [part.get("content", {}).get("text") for part in update.get("content") or ()]
    return update.get("status") == "in_progress" and contents == [""]


def test_a_command_owes_exactly_the_lines_that_name_its_call() -> None:
    cell = open_cell(GROK)
    lines = lines_of(cell)
    commands = [row for row in rows_of(cell) if row["kind"] == "command"]
    assert commands
    for row in commands:
        naming = protocol_lines_naming(cell, row["providerItemId"])
        assert ids(row) == {line for line in naming if not says_nothing(lines[line])}


def test_a_call_that_was_asked_about_also_owes_the_question_and_the_answer() -> None:
    cell = open_cell(GROK)
    lines = lines_of(cell)
    edits = [row for row in rows_of(cell) if row["kind"] == "fileChange"]
    assert len(edits) == 2
    for row in edits:
        naming = protocol_lines_naming(cell, row["providerItemId"])
        answers = ids(row) - naming
        assert naming <= ids(row)
        assert [(line[2], json.loads(lines[line])["result"]["decision"]) for line in answers] == [
            (RUNTIME_TO_BRIDGE, "allowed")
        ]


def test_a_turn_owes_its_request_and_its_end() -> None:
    cell = open_cell(GROK)
    lines = lines_of(cell)
    turn = rows_of(cell)[0]
    first, last = (lines[run, seq, lane] for run, seq, lane in turn["provenance"])
    assert json.loads(first)["method"] == "turn/start"
    assert json.loads(last)["result"]["stopReason"] == "end_turn"


@pytest.mark.parametrize("cell", CELLS, ids=[cell.key for cell in CELLS])
def test_every_row_of_every_cell_owes_recorded_lines_in_order(cell: Cell) -> None:
    order = {line: at for at, line in enumerate(lines_of(cell))}
    for row in rows_of(cell):
        found = [order[run, seq, lane] for run, seq, lane in row["provenance"]]
        assert found, row["title"]
        assert found == sorted(set(found))


@pytest.mark.parametrize("name", ["acp-grok/background", "claude-code/background-agent", "codex/subagent"])
def test_a_replay_that_notes_lines_says_the_same_to_the_byte(name: str) -> None:
    cell = open_cell(RECORDINGS / name)
    plain, noting = KeepSink(), KeepSink()
    outcome = replay(cell, bridge_maker(cell), plain)
    noted, _ = replay_noting(cell, bridge_maker(cell), noting)
    assert noted == outcome
    assert noting.lines == plain.lines
    assert set(noting.lines) == set(STREAMS)


def test_no_row_of_one_session_owes_lines_of_another_bridge_process() -> None:
    cell = open_cell(RECORDINGS / "acp-cursor" / "resume")
    for row in rows_of(cell):
        assert len({run for run, _, _ in row["provenance"]}) == 1


def test_show_prints_the_lines_under_their_row() -> None:
    run = parity("show", "acp-grok/turn-tools-no-terminal", "--provenance", "--recordings", RECORDINGS)
    text = run.out.splitlines()
    at = next(i for i, line in enumerate(text) if "ls /nonexistent-dir" in line)
    assert run.code == 0
    assert text[at + 2].lstrip().startswith("← 1:38    provider→bridge")
    assert max(map(len, text[at + 2 : at + 6])) < 160


def test_show_as_json_adds_provenance_to_every_row() -> None:
    run = parity(
        "show", "acp-grok/turn-tools-no-terminal", "--provenance", "--json", "--recordings", RECORDINGS
    )
    rows = [row for line in run.out.splitlines() for row in walk(json.loads(line))]
    assert all(row["provenance"] for row in rows)
    command = next(row for row in rows if row["kind"] == "command")
    assert command["provenance"][0] == [1, 38, "provider→bridge"]


def test_other_layers_have_no_provenance() -> None:
    run = parity("show", "acp-grok/turn-tools", "-l", "wire", "--provenance", "--recordings", RECORDINGS)
    assert run.code == 2
    assert "--provenance" in run.err
