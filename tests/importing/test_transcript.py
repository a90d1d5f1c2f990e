"""Claude Code transcripts become cells. The lines are built by hand in the shape version 2.1.332 writes."""

import json
from pathlib import Path
from typing import Any

import pytest
from claude_frames import Json, text, thinking, use

from parity.bridges import bridge_for
from parity.gates.pins import KeepSink
from parity.grammar.rows import walk
from parity.importing.importer import ImportOptions, import_log
from parity.importing.transcript import is_transcript, read_transcript
from parity.replay.replay import Outcome, replay
from parity.wire import InputError

SESSION = "5f7d0f0e-1111-4222-8333-444455556666"
CWD = "/home/dev/app"
QUIET: list[Json] = [
    {"type": "summary", "summary": "Fix the build", "leafUuid": "u1"},
    {"type": "queue-operation", "operation": "enqueue", "sessionId": SESSION},
    {"type": "file-history-snapshot", "messageId": "u1", "snapshot": {}},
]


class Transcript:
    """Writes a transcript line by line; each line's parent is the one before."""

    def __init__(self) -> None:
        self.lines: list[Json] = []

    def add(self, kind: str, message: Json | None = None, **more: Any) -> "Transcript":
        number = len(self.lines)
        line: Json = {
            "parentUuid": f"u{number - 1}" if number else None,
            "isSidechain": False,
            "type": kind,
            "uuid": f"u{number}",
            "timestamp": f"2026-11-30T22:37:{number:02d}.000Z",
            "cwd": CWD,
            "sessionId": SESSION,
            "version": "2.1.332",
        }
        if message is not None:
            line["message"] = message
        self.lines.append({**line, **more})
        return self

    def prompt(self, words: str, **more: Any) -> "Transcript":
        return self.add("user", {"role": "user", "content": words}, **more)

    def said(self, *blocks: Json, stop: str | None = "end_turn", id: str = "m1", **more: Any) -> "Transcript":  # noqa: A002
        message = {"id": id, "role": "assistant", "model": "claude-opus-5-5", "stop_reason": stop}
        return self.add("assistant", {**message, "content": list(blocks)}, **more)

    def result(self, call_id: str, content: Any, *, error: bool = False, **more: Any) -> "Transcript":
        block: Json = {"type": "tool_result", "tool_use_id": call_id, "content": content, "is_error": error}
        return self.add("user", {"role": "user", "content": [block]}, **more)

    def write(self, path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(line) + "\n" for line in self.lines))
        return path


def rows_of(tmp_path: Path, transcript: Transcript) -> tuple[list[Json], Outcome]:
    """All rows of the transcript's cell, and what its replay came to."""
    path = transcript.write(tmp_path / f"{SESSION}.jsonl")
    cell, _ = import_log(path, "claude-code", "cell", tmp_path / "recordings", ImportOptions(replace=True))
    sink = KeepSink(("rows",))
    outcome = replay(cell, lambda: bridge_for("claude-code"), sink)
    return [row for top in sink.docs("rows") for row in walk(top)], outcome


def kinds(rows: list[Json]) -> list[tuple[str, str]]:
    return [(row["kind"], row["status"]) for row in rows]


def a_turn() -> Transcript:
    patch = [{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-a", "+b"]}]
    transcript = Transcript()
    transcript.lines += QUIET
    transcript.prompt("fix it").said(thinking("hm"), stop="tool_use").said(
        use("c1", command="ls /x"), stop="tool_use"
    )
    transcript.result(
        "c1", "Exit code 2\nno such file", error=True, toolUseResult="Error: Exit code 2\nno such file"
    )
    edit = use("c2", "Edit", file_path=f"{CWD}/a", old_string="a", new_string="b")
    transcript.said(edit, stop="tool_use", id="m2").result(
        "c2", "ok", toolUseResult={"structuredPatch": patch}
    )
    return transcript.said(text("Fixed."), id="m3")


def test_a_transcript_is_told_by_its_content(tmp_path: Path) -> None:
    assert is_transcript(a_turn().write(tmp_path / "log.txt"))
    other = tmp_path / "other.ndjson"
    other.write_text('{"ts": 1, "dir": "client->agent", "line": "{}"}\n')
    assert not is_transcript(other)
    assert not is_transcript(tmp_path / "missing")


def test_a_turn_reads_as_it_would_from_the_wire(tmp_path: Path) -> None:
    rows, outcome = rows_of(tmp_path, a_turn())
    assert kinds(rows) == [
        ("turn", "completed"),
        ("reasoning", "completed"),
        ("command", "failed"),
        ("fileChange", "completed"),
        ("message", "completed"),
    ]
    assert (rows[2]["exitCode"], rows[2]["output"]) == (2, "no such file")
    assert rows[3]["changes"][0]["diff"] == "@@ -1,1 +1,1 @@\n-a\n+b\n"
    assert (outcome.stalls, outcome.unconsumed, outcome.drops, outcome.unhandled) == ([], [], {}, 0)


def test_the_thread_has_the_transcripts_folder_and_session(tmp_path: Path) -> None:
    entries = read_transcript(a_turn().write(tmp_path / "t.jsonl"))
    first = json.loads(entries[1].line)
    assert (first["subtype"], first["cwd"], first["session_id"]) == ("init", CWD, SESSION)
    assert entries[0].ts == 1796078223000


def test_each_prompt_is_a_turn_and_one_in_the_middle_a_steer(tmp_path: Path) -> None:
    transcript = (
        Transcript().prompt("one").said(text("1")).prompt("two").said(use("c1"), stop="tool_use", id="m2")
    )
    queued = {"type": "queued_command", "commandMode": "prompt", "prompt": [text("and tea")]}
    transcript.result("c1", "x").add("attachment", attachment=queued).said(text("2 and tea"), id="m3")
    rows, outcome = rows_of(tmp_path, transcript)
    assert [row["input"] for row in rows if row["kind"] == "turn"] == ["one", "two"]
    assert outcome.stalls == []


def test_an_interrupted_turn_is_interrupted(tmp_path: Path) -> None:
    transcript = Transcript().prompt("go").said(use("c1"), stop="tool_use")
    transcript.result("c1", "The user doesn't want…", error=True, toolDenialKind="user-rejected")
    transcript.prompt("[Request interrupted by user for tool use]").prompt("next").said(text("ok"), id="m2")
    rows, _ = rows_of(tmp_path, transcript)
    assert kinds(rows)[:2] == [("turn", "interrupted"), ("command", "interrupted")]
    assert [row["status"] for row in rows if row["kind"] == "turn"] == ["interrupted", "completed"]


def test_a_refusal_stands_with_its_result(tmp_path: Path) -> None:
    transcript = Transcript().prompt("go").said(use("c1"), stop="tool_use")
    decision = {"decision": "reject", "source": "user_reject"}
    transcript.result("c1", "No.", error=True, permissionDecision=decision).said(text("Fine."), id="m2")
    rows, _ = rows_of(tmp_path, transcript)
    assert rows[1]["approval"] == {"decision": "denied", "reason": "No."}


def test_an_api_error_fails_the_turn(tmp_path: Path) -> None:
    transcript = (
        Transcript().prompt("go").said(text("Invalid key"), isApiErrorMessage=True, apiErrorStatus=401)
    )
    rows, _ = rows_of(tmp_path, transcript)
    assert kinds(rows) == [("turn", "failed"), ("error", "failed")]
    assert "401" in rows[0]["error"]


def test_news_of_background_work_settles_it_and_begins_a_turn_of_the_agents_own(tmp_path: Path) -> None:
    transcript = Transcript().prompt("go").said(use("c1", command="serve"), stop="tool_use")
    transcript.result("c1", "Command running…", toolUseResult={"backgroundTaskId": "t1", "stdout": ""})
    news = (
        "<task-notification>\n<task-id>t1</task-id>\n<tool-use-id>c1</tool-use-id>\n"
        "<status>failed</status>\n<summary>it failed</summary>\n</task-notification>"
    )
    transcript.said(text("started"), id="m2").prompt(news, origin={"kind": "task-notification"})
    rows, outcome = rows_of(tmp_path, transcript.said(text("It failed."), id="m3"))
    assert (rows[1]["kind"], rows[1]["status"], rows[1]["detail"]) == ("command", "failed", "it failed")
    turns = [row for row in rows if row["kind"] == "turn"]
    assert [row.get("initiator") for row in turns] == [None, "agent"]
    assert outcome.drops == {}


def child_lines(transcript: Transcript, **more: Any) -> Transcript:
    side = {"isSidechain": True, **more}
    transcript.add("user", {"role": "user", "content": "look"}, **side)
    transcript.said(use("k1", command="ls"), stop="tool_use", id="k", **side)
    return transcript.result("k1", "a", **side)


def test_a_sub_agent_in_the_same_file_is_nested_by_its_prompt(tmp_path: Path) -> None:
    transcript = (
        Transcript().prompt("go").said(use("a1", "Task", description="Child", prompt="look"), stop=None)
    )
    child_lines(transcript).result("a1", "report").said(text("done"), stop=None, id="m2")
    rows, _ = rows_of(tmp_path, transcript)
    assert [child["kind"] for child in rows[1]["children"]] == ["command"]
    assert rows[1]["summary"] == "report"


def test_a_sub_agent_in_a_file_of_its_own_is_nested_by_its_description(tmp_path: Path) -> None:
    transcript = (
        Transcript()
        .prompt("go")
        .said(use("a1", "Agent", description="Child", prompt="look"), stop="tool_use")
    )
    child = child_lines(Transcript())
    for line in child.lines:
        line["timestamp"] = "2026-11-30T22:37:01.500Z"
    folder = tmp_path / SESSION / "subagents"
    child.write(folder / "agent-x.jsonl")
    (folder / "agent-x.meta.json").write_text('{"toolUseId": "a1"}')
    rows, _ = rows_of(tmp_path, transcript.result("a1", "report").said(text("done"), id="m2"))
    assert [row["kind"] for row in rows] == ["turn", "delegation", "command", "message"]
    assert [child["kind"] for child in rows[1]["children"]] == ["command"]


def test_a_command_of_the_agents_own_is_a_turn_with_its_output(tmp_path: Path) -> None:
    transcript = Transcript().prompt("<command-name>/cost</command-name>\n<command-args>all</command-args>")
    output = "<local-command-stdout>Cost: 0</local-command-stdout>"
    rows, _ = rows_of(tmp_path, transcript.add("system", subtype="local_command", content=output))
    assert (rows[0]["input"], rows[1]["text"]) == ("/cost all", "Cost: 0")


def test_what_the_agent_told_itself_is_no_prompt(tmp_path: Path) -> None:
    transcript = (
        Transcript().prompt("go").prompt("caveat", isMeta=True).prompt("so far…", isCompactSummary=True)
    )
    rows, _ = rows_of(tmp_path, transcript.said(text("ok")))
    assert [row["kind"] for row in rows] == ["turn", "message"]


def test_a_transcript_that_stops_in_the_middle_leaves_its_turn_open(tmp_path: Path) -> None:
    rows, _ = rows_of(tmp_path, Transcript().prompt("go").said(use("c1"), stop="tool_use"))
    assert kinds(rows) == [("turn", "pending"), ("command", "pending")]


def test_a_line_that_is_no_json_is_named(tmp_path: Path) -> None:
    path = a_turn().write(tmp_path / "t.jsonl")
    path.write_text(path.read_text() + "{broken\n")
    with pytest.raises(InputError, match=r"t\.jsonl:\d+: not JSON"):
        read_transcript(path)


def test_a_transcript_belongs_to_claude_code(tmp_path: Path) -> None:
    path = a_turn().write(tmp_path / "t.jsonl")
    with pytest.raises(InputError, match="import it with the provider claude-code"):
        import_log(path, "acp-grok", "cell", tmp_path, ImportOptions())
