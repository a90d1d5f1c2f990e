"""Codex rollouts become cells: both ways codex keeps its history give the rows of the session they record.

`codex-rollout-*.jsonl` under `tests/data` are real files of codex 0.171.0 with a scripted model, without the
parts that only repeat its prompts.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from parity.bridges import bridge_for
from parity.grammar.rows import walk
from parity.importing.importer import ImportOptions, import_log
from parity.importing.rollout import is_rollout, read_rollout
from parity.importing.rollout_items import answered, call, finished
from parity.replay.replay import replay
from parity.wire import InputError, decode, encode

DATA = Path(__file__).parents[1] / "data"
META = {"type": "session_meta", "payload": {"id": "t", "cwd": "/w", "cli_version": "0.1.0"}}
PATCH_CALL = {
    "type": "function_call",
    "name": "apply_patch",
    "call_id": "c",
    "arguments": "*** Update File: a.py",
}


class Rows:
    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []

    def bridge(self, line: bytes) -> None:
        pass

    def provider(self, line: bytes) -> None:
        pass

    def event(self, line: bytes) -> None:
        pass

    def row(self, line: bytes) -> None:
        self.rows.append(decode(line))


def imported(log: Path, root: Path) -> list[dict[str, Any]]:
    """The rows of the cell that the rollout becomes."""
    cell, outcome = import_log(log, "codex", "rolled", root, ImportOptions())
    assert (outcome.stalls, outcome.unconsumed, outcome.drops) == ([], [], {})
    assert cell.manifest.origin == "imported"
    sink = Rows()
    replay(cell, lambda: bridge_for("codex"), sink)
    return [row for top in sink.rows for row in walk(top)]


def written(path: Path, *records: dict[str, Any]) -> Path:
    lines = [{"timestamp": "2026-01-01T00:00:00Z", **record} for record in (META, *records)]
    path.write_bytes(b"".join(encode(line) + b"\n" for line in lines))
    return path


def event(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": "event_msg", "payload": {"type": kind, **fields}}


def response(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": "response_item", "payload": {"type": kind, **fields}}


@pytest.mark.parametrize("kept", ["paginated", "legacy"])
def test_a_rollout_gives_the_rows_of_its_session(kept: str, tmp_path: Path) -> None:
    rows = imported(DATA / f"codex-rollout-{kept}.jsonl", tmp_path)
    turns = [row for row in rows if row["kind"] == "turn"]
    assert [(row["input"], row["status"]) for row in turns] == [
        ("SCN-roll please", "completed"),
        ("SCN-again", "completed"),
    ]
    (command,) = [row for row in rows if row["kind"] == "command"]
    assert (command["title"], command["status"], command["exitCode"]) == ("ls /nonexistent", "failed", 2)
    assert command["output"] == "ls: cannot access '/nonexistent': No such file or directory\n"
    (patch,) = [row for row in rows if row["kind"] == "fileChange"]
    assert [(c["path"], c["kind"]) for c in patch["changes"]] == [
        ("/home/user/workspace/README.md", "update"),
        ("/home/user/workspace/new.txt", "add"),
    ]
    texts = [row["text"] for row in rows if row["kind"] == "message"]
    assert texts == ["Let me look.", "All done.", "Second answer."]
    assert [row for row in rows if row["kind"] == "unhandled"] == []


def test_a_failed_turn_keeps_its_error(tmp_path: Path) -> None:
    (turn,) = imported(DATA / "codex-rollout-failed.jsonl", tmp_path)
    assert turn["status"] == "failed"
    assert "401" in turn["error"]


def test_the_manifest_has_the_agents_version_and_the_time(tmp_path: Path) -> None:
    cell, _ = import_log(DATA / "codex-rollout-legacy.jsonl", "codex", "r", tmp_path, ImportOptions())
    assert cell.manifest.agent is not None
    assert cell.manifest.agent.version == "0.171.0"
    assert cell.manifest.recorded_at == "2026-11-30T22:36:54Z"


def test_an_aborted_turn_is_interrupted_and_a_second_input_steers(tmp_path: Path) -> None:
    log = written(
        tmp_path / "r.jsonl",
        event("task_started", turn_id="a"),
        event("user_message", message="go"),
        event("user_message", message="faster"),
        event("turn_aborted", turn_id="a", reason="interrupted"),
    )
    sides = [(entry.side, decode(entry.line).get("method")) for entry in read_rollout(log)]
    assert ("client", "turn/steer") in sides
    (turn,) = imported(log, tmp_path / "cells")
    assert (turn["status"], turn["input"]) == ("interrupted", "go")


def test_a_rollout_without_turn_marks_has_a_turn_per_input(tmp_path: Path) -> None:
    log = written(
        tmp_path / "r.jsonl",
        event("user_message", message="one"),
        response("message", role="assistant", content=[{"type": "output_text", "text": "first"}]),
        event("agent_message", message="first"),
        event("user_message", message="two"),
        response("message", role="assistant", content=[{"type": "output_text", "text": "second"}]),
    )
    rows = imported(log, tmp_path / "cells")
    assert [row.get("input", row.get("text")) for row in rows] == ["one", "first", "two", "second"]
    assert {row["status"] for row in rows} == {"completed"}


def test_a_plan_that_was_taken_is_a_plan(tmp_path: Path) -> None:
    plan = {"plan": [{"step": "look", "status": "in_progress"}]}
    log = written(
        tmp_path / "r.jsonl",
        event("user_message", message="go"),
        response("function_call", name="update_plan", call_id="p", arguments=encode(plan).decode()),
        response("function_call_output", call_id="p", output="Plan updated"),
    )
    (row,) = [row for row in imported(log, tmp_path / "cells") if row["kind"] == "plan"]
    assert row["steps"] == [{"step": "look", "status": "inProgress"}]


def test_records_nobody_knows_stay_visible(tmp_path: Path) -> None:
    log = written(
        tmp_path / "r.jsonl",
        event("user_message", message="go"),
        event("mood_changed", mood="sunny"),
        response("hologram", id="h"),
        {"type": "telemetry", "payload": {"n": 1}},
    )
    rows = imported(log, tmp_path / "cells")
    told = [row["title"] for row in rows if row["kind"] == "unhandled"]
    assert told == ["rollout/mood_changed", "rollout/hologram", "rollout/telemetry"]


@pytest.mark.parametrize(
    ("output", "code", "shown"),
    [
        ("Chunk ID: x\nWall time: 0.1\nProcess exited with code 2\nOutput:\nno\n", 2, "no\n"),
        ("Exit code: 0\nWall time: 0.4 seconds\nOutput:\nOutput:\nyes", 0, "Output:\nyes"),
        ('{"output": "hi", "metadata": {"exit_code": 1}}', 1, "hi"),
        ("aborted by user", None, "aborted by user"),
    ],
)
def test_code_and_output_come_out_of_the_text_they_were_wrapped_in(
    output: str, code: Any, shown: str
) -> None:
    begun = call({"name": "shell", "call_id": "c", "arguments": '{"command": ["bash", "-lc", "ls"]}'})
    item = answered(begun, {"output": output})
    assert (item["command"], item.get("exitCode"), item["aggregatedOutput"]) == ("bash -lc ls", code, shown)


def test_a_patch_known_by_its_call_alone_names_its_files() -> None:
    item = answered(call(PATCH_CALL), {"output": "Exit code: 0\nOutput:\nok"})
    assert item["changes"] == [{"path": "a.py", "kind": {"type": "update"}}]


def test_an_mcp_item_has_its_result_or_its_error() -> None:
    item = {
        "type": "McpToolCall",
        "id": "m",
        "server": "s",
        "tool": "t",
        "status": "completed",
        "arguments": {"a_b": 1},
    }
    good = finished({**item, "result": {"Ok": {"content": [{"type": "text", "text": "x"}]}}})
    assert good["result"] == {"content": [{"type": "text", "text": "x"}]}
    assert good["arguments"] == {"a_b": 1}
    assert finished({**item, "result": {"Err": "gone"}})["error"] == {"message": "gone"}


def test_a_rollout_is_told_by_its_first_line(tmp_path: Path) -> None:
    other = tmp_path / "log.ndjson"
    other.write_text('{"ts": 1, "dir": "client->agent", "line": "{}"}\n')
    empty = tmp_path / "empty"
    empty.write_text("")
    assert is_rollout(DATA / "codex-rollout-legacy.jsonl")
    assert not any(map(is_rollout, (other, empty, tmp_path / "missing")))


def test_a_line_that_is_no_record_is_named(tmp_path: Path) -> None:
    log = written(tmp_path / "r.jsonl")
    log.write_bytes(log.read_bytes() + b"{}\n")
    with pytest.raises(InputError, match=r"r\.jsonl:2: not a rollout record"):
        read_rollout(log)


def test_a_rollout_is_no_log_of_another_provider(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a codex rollout; import it with the provider codex"):
        import_log(DATA / "codex-rollout-legacy.jsonl", "acp-grok", "r", tmp_path, ImportOptions())
