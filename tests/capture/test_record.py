from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from capture_runs import AGENT, FileModel, recorded, scenario_file

from parity.capture import playing
from parity.capture.keeping import RecordingFailed
from parity.gates.check import built_in
from parity.gates.pins import KeepSink
from parity.wire import Cell, InputError

ONE_TURN = """
    about: A turn with a command that fails.
    files: {README.md: "# Demo"}
    steps: [{prompt: Please look.}]
    model:
      - to: Please look.
        replies:
          - say: I look.
            call: [{command: {command: "ls /nonexistent-dir"}}, {read: {path: README.md}}]
          - say: I looked in ${workspace}.
    shows: [{kind: command, status: failed}, {kind: message, text: I looked}]
"""


@pytest.fixture(autouse=True)
def _short_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "_QUIET_SECONDS", 0.05)


def _rows(cell: Cell) -> list[dict[str, Any]]:
    sink = KeepSink(("rows",))
    built_in(cell)(cell, sink)
    return sink.docs("rows")


def test_a_recorded_turn_becomes_a_cell_that_replays_without_stalls(tmp_path: Path) -> None:
    done = recorded(tmp_path, scenario_file(tmp_path, ONE_TURN))
    assert (done.outcome.stalls, done.outcome.unconsumed, done.outcome.unhandled) == ([], [], 0)
    assert done.cell.path == tmp_path / "recordings" / "acp-scripted" / "mine"
    kinds = [row["kind"] for row in _rows(done.cell)[0]["children"]]
    assert kinds == ["message", "command", "command"]


def test_the_manifest_says_which_agent_was_recorded_how_and_when(tmp_path: Path) -> None:
    manifest = recorded(tmp_path, scenario_file(tmp_path, ONE_TURN)).cell.manifest
    assert manifest.agent is not None
    assert (manifest.agent.name, manifest.agent.version) == ("scripted", "3.1")
    assert (manifest.origin, manifest.model, manifest.protocol) == ("live", "scripted", 1)
    assert (manifest.description, manifest.bridge_runs) == ("A turn with a command that fails.", 1)
    assert str(manifest.recorded_at).endswith("Z")
    assert sum(manifest.lines.values()) > 10


def test_nothing_in_a_cell_names_the_folders_it_was_recorded_in(tmp_path: Path) -> None:
    cell = recorded(tmp_path, scenario_file(tmp_path, ONE_TURN)).cell
    text = "".join(path.read_text("utf-8") for path in cell.path.iterdir())
    assert "parity-record-" not in text
    assert "/home/user/workspace" in text


def test_two_recordings_of_a_scenario_replay_to_the_same_rows(tmp_path: Path) -> None:
    scenario = scenario_file(tmp_path, ONE_TURN)
    first = _rows(recorded(tmp_path, scenario).cell)
    second = _rows(recorded(tmp_path, scenario, replace=True).cell)
    assert first == second


@pytest.mark.parametrize(
    ("answer", "decision"), [("allow", "allowed"), ("deny", "denied"), ("cancel", "cancelled")]
)
def test_an_approval_is_answered_as_the_step_says(tmp_path: Path, answer: str, decision: str) -> None:
    cell = recorded(tmp_path, f"approval-{answer}").cell
    (command,) = [row for row in _rows(cell)[0]["children"] if row["kind"] == "command"]
    assert command["approval"]["decision"] == decision


def test_a_turn_is_stopped_at_its_moment_and_the_next_one_is_played(tmp_path: Path) -> None:
    scenario = """
        about: Stopped.
        steps:
          - prompt: Wait for me.
            during: [{when: {event: item/started, contains: wait}, stop: true}]
          - prompt: And now?
        model:
          - to: Wait for me.
            replies: [{call: [{tool: {name: wait, arguments: {command: ""}}}]}, {say: No.}]
          - {to: And now?, replies: [{say: Here I am.}]}
        shows: [{kind: turn, status: interrupted}, {kind: message, text: Here I am.}]
    """
    done = recorded(tmp_path, scenario_file(tmp_path, scenario))
    assert [row["status"] for row in _rows(done.cell) if row["kind"] == "turn"] == [
        "interrupted",
        "completed",
    ]


def test_a_second_process_resumes_the_thread_in_the_same_cell(tmp_path: Path) -> None:
    done = recorded(tmp_path, "resume")
    assert done.cell.manifest.bridge_runs == 2
    assert {line.run for line in done.cell.lines()} == {1, 2}
    assert done.outcome.stalls == []


def test_an_error_of_the_model_is_a_failed_turn_and_a_cell(tmp_path: Path) -> None:
    rows = _rows(recorded(tmp_path, "model-error-401").cell)
    assert any(row["kind"] == "turn" and row["status"] == "failed" for row in rows)


@pytest.mark.parametrize(
    ("fault", "seconds", "reason", "last_words"),
    [
        ("die", 20, "the agent ended with exit code 7", "out of cheese"),
        ("hang", 0.2, "the turn did not end within 0.2 s", ""),
    ],
)
def test_a_failing_agent_leaves_no_half_cell_and_its_last_words(
    tmp_path: Path, fault: str, seconds: float, reason: str, last_words: str
) -> None:
    text = ONE_TURN.replace("{prompt: Please look.}", f"{{prompt: Please look., seconds: {seconds}}}")
    model = FileModel(tmp_path)
    with pytest.raises(RecordingFailed) as failed:
        recorded(tmp_path, scenario_file(tmp_path, text), fault=fault, model=model)
    assert reason in str(failed.value)
    assert last_words in "\n".join(failed.value.details)
    assert not (tmp_path / "recordings").exists()
    assert model.stopped


def test_a_recording_that_does_not_show_its_scenario_is_not_kept(tmp_path: Path) -> None:
    text = ONE_TURN.replace("shows: [", "shows: [{kind: webFetch}, ")
    with pytest.raises(RecordingFailed) as failed:
        recorded(tmp_path, scenario_file(tmp_path, text))
    assert failed.value.details == ["no row like {'kind': 'webFetch'}"]
    assert not (tmp_path / "recordings").exists()


def test_a_moment_that_never_comes_fails_the_recording(tmp_path: Path) -> None:
    step = "{prompt: Please look., during: [{when: {file: never}, stop: true}]}"
    text = ONE_TURN.replace("{prompt: Please look.}", step)
    with pytest.raises(RecordingFailed, match="the turn ended before never was seen"):
        recorded(tmp_path, scenario_file(tmp_path, text))


def test_a_cell_that_exists_is_refused_before_anything_is_started(tmp_path: Path) -> None:
    (tmp_path / "recordings" / AGENT.provider / "mine").mkdir(parents=True)
    model = FileModel(tmp_path)
    with pytest.raises(InputError, match="the cell exists"):
        recorded(tmp_path, scenario_file(tmp_path, ONE_TURN), model=model)
    assert not model.path.exists()


def test_a_recording_leaves_nothing_in_the_temporary_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    recorded(tmp_path, scenario_file(tmp_path, ONE_TURN))
    assert os.listdir(temporary) == []
