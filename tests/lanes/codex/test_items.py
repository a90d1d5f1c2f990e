"""Every other item of codex: its shape, its result, and what must never reach a row."""

from __future__ import annotations

from typing import Any

import pytest
from codex_frames import CWD, TURN, CodexRun, change, patch

from parity.lanes.codex.known import ITEM_TYPES


def settled(item: dict[str, Any], *, started: dict[str, Any] | None = None) -> CodexRun:
    run = CodexRun().turn()
    run.begin(started or item)
    run.end(item)
    run.over()
    return run


def test_a_patch_lists_each_file_with_its_change() -> None:
    item = patch(
        "p1",
        change("src/a.py"),
        change("/other/b.py", "add", "fresh\n"),
        change("c.py", "delete", "gone\n"),
        change("d.py", "update", "@@\n-x\n+y\n\n\nMoved to: e.py", move_path="e.py"),
    )
    run = settled({**item, "status": "completed"}, started=item)
    assert run.row("fileChange")["changes"] == [
        {"path": f"{CWD}/src/a.py", "kind": "update", "diff": "@@\n-a\n+b\n"},
        {"path": "/other/b.py", "kind": "add", "newText": "fresh\n"},
        {"path": f"{CWD}/c.py", "kind": "delete", "oldText": "gone\n"},
        {"path": f"{CWD}/d.py", "kind": "update", "movePath": f"{CWD}/e.py", "diff": "@@\n-x\n+y\n"},
    ]


@pytest.mark.parametrize(("said", "shown"), [("completed", "completed"), ("failed", "failed")])
def test_a_patch_settles_as_it_says(said: str, shown: str) -> None:
    run = settled(patch("p1", change("a"), status=said), started=patch("p1", change("a")))
    assert run.row("fileChange")["status"] == shown


def test_a_patch_may_change_while_it_is_applied() -> None:
    run = CodexRun().turn()
    run.begin(patch("p1", change("a")))
    run.tell("item/fileChange/patchUpdated", itemId="p1", turnId=TURN, changes=[change("b")])
    run.tell("item/fileChange/patchUpdated", itemId="p1", turnId=TURN, changes=[])
    run.delta("p1", "Done!", "fileChange/outputDelta")
    run.end(patch("p1", status="completed"))
    run.over()
    row = run.row("fileChange")
    assert [c["path"] for c in row["changes"]] == [f"{CWD}/b"]
    assert row["aggregatedOutput"] == "Done!"


def mcp(**fields: Any) -> dict[str, Any]:
    item = {"type": "mcpToolCall", "id": "t1", "server": "docs", "tool": "find", "status": "inProgress"}
    return {**item, "arguments": {"q": "x"}, "result": None, "error": None, **fields}


def test_an_mcp_call_names_server_arguments_and_the_result_in_words() -> None:
    result = {"content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]}
    run = settled(mcp(status="completed", result=result, durationMs=9), started=mcp())
    row = run.row("tool")
    assert (row["toolName"], row["server"], row["toolArgs"]) == ("find", "docs", {"q": "x"})
    assert (row["output"], row["status"]) == ("one\ntwo", "completed")


def test_a_structured_mcp_result_stays_structured() -> None:
    result = {"content": [{"type": "image", "data": "AAAA"}], "structuredContent": {"n": 1}}
    assert settled(mcp(status="completed", result=result)).row("tool")["output"] == {"n": 1}


def test_the_bytes_of_a_picture_never_reach_a_row() -> None:
    result = {"content": [{"type": "image", "data": "QUJD" * 1000, "mimeType": "image/png"}]}
    row = settled(mcp(status="completed", result=result)).row("tool")
    assert row["output"] == [{"type": "image", "data": "[3000 bytes]", "mimeType": "image/png"}]


def test_a_failed_mcp_call_has_its_error_and_no_output() -> None:
    row = settled(mcp(status="failed", error={"message": "no such tool"})).row("tool")
    assert (row["status"], row["error"]) == ("failed", "no such tool")
    assert "output" not in row


def test_progress_of_an_mcp_call_is_a_note() -> None:
    run = CodexRun().turn()
    run.begin(mcp())
    run.tell("item/mcpToolCall/progress", itemId="t1", turnId=TURN, message="half way")
    assert run.of("item/toolCall/progress")[0]["message"] == "half way"


def dynamic(**fields: Any) -> dict[str, Any]:
    item = {"type": "dynamicToolCall", "id": "d1", "tool": "open", "namespace": "ide", "status": "inProgress"}
    return {**item, "arguments": {"path": "x"}, "contentItems": None, "success": None, **fields}


def test_a_dynamic_call_shows_its_text() -> None:
    told = [{"type": "inputText", "text": "opened"}]
    row = settled(dynamic(status="completed", contentItems=told, success=True)).row("tool")
    assert (row["toolName"], row["server"], row["output"]) == ("open", "ide", "opened")


def test_a_dynamic_call_without_success_failed_with_its_text() -> None:
    told = [{"type": "inputText", "text": "no editor"}]
    row = settled(dynamic(status="failed", contentItems=told, success=False)).row("tool")
    assert (row["status"], row["error"]) == ("failed", "no editor")


def test_s28_a_dynamic_call_of_unknown_status_fails_by_its_success() -> None:
    assert settled(dynamic(status="odd", success=False)).row("tool")["status"] == "failed"


@pytest.mark.parametrize(
    ("action", "kind", "fields"),
    [
        ({"type": "search", "query": "q"}, "webSearch", {"queries": ["q"]}),
        ({"type": "search", "queries": ["a", "b"]}, "webSearch", {"queries": ["a", "b"]}),
        ({"type": "openPage", "url": "http://x"}, "webFetch", {"url": "http://x"}),
        (
            {"type": "findInPage", "url": "http://x", "pattern": "p"},
            "webFetch",
            {"url": "http://x", "pattern": "p"},
        ),
        ({"type": "other"}, "webSearch", {"queries": ["weather"]}),
        (None, "webSearch", {"queries": ["weather"]}),
    ],
)
def test_a_web_search_is_what_its_action_says(action: Any, kind: str, fields: dict[str, Any]) -> None:
    started = {"type": "webSearch", "id": "w1", "query": "weather", "action": {"type": "other"}}
    run = settled({**started, "action": action}, started=started)
    row = run.row(kind)
    assert {name: row[name] for name in fields} == fields
    assert len(run.all_rows("turn")[0]["children"]) == 1


def test_an_image_that_was_looked_at_has_its_path() -> None:
    row = settled({"type": "imageView", "id": "i1", "path": "pics/a.png"}).row("imageView")
    assert (row["path"], row["title"]) == (f"{CWD}/pics/a.png", "pics/a.png")


def test_a_generated_image_has_its_prompt_and_file_and_never_its_bytes() -> None:
    item = {"type": "imageGeneration", "id": "i1", "status": "completed", "revisedPrompt": "a cat"}
    run = settled({**item, "result": "QUJD" * 50, "savedPath": "/tmp/cat.png"})
    row = run.row("imageGeneration")
    assert (row["prompt"], row["path"], row["status"]) == ("a cat", "/tmp/cat.png", "completed")
    assert "QUJD" not in str(run.events)


def test_a_compaction_is_one_row_even_where_the_old_notification_follows() -> None:
    run = CodexRun().turn()
    run.begin({"type": "contextCompaction", "id": "k1"})
    run.end({"type": "contextCompaction", "id": "k1"})
    run.tell("thread/compacted", turnId=TURN)
    run.over()
    assert run.row("compaction")["title"] == "Context compacted"


def test_the_old_compaction_notification_alone_is_a_row() -> None:
    run = CodexRun().turn()
    run.tell("thread/compacted", turnId=TURN)
    run.over()
    assert len(run.all_rows("compaction")) == 1


def test_review_mode_is_marked_where_it_begins_and_ends() -> None:
    run = CodexRun().turn()
    for kind in ("enteredReviewMode", "exitedReviewMode"):
        run.begin({"type": kind, "id": "r1", "review": "looks fine"})
        run.end({"type": kind, "id": "r1", "review": "looks fine"})
    run.over()
    rows = run.all_rows("turn")[0]["children"]
    assert [row["title"] for row in rows] == ["Review started", "Review finished"]
    assert rows[1]["payload"]["review"] == "looks fine"


def test_a_sleep_is_a_tool_with_its_length() -> None:
    row = settled({"type": "sleep", "id": "z1", "durationMs": 100}).row("tool")
    assert (row["toolName"], row["toolArgs"]) == ("sleep", {"durationMs": 100})


def test_a_call_about_agents_that_starts_none_is_a_tool() -> None:
    states = {"x": {"status": "running", "message": None}}
    item = {"type": "collabAgentToolCall", "id": "w1", "tool": "wait", "senderThreadId": "s"}
    item = {**item, "receiverThreadIds": ["x"], "agentsStates": states, "status": "completed", "prompt": None}
    row = settled(item).row("tool")
    assert (row["toolName"], row["toolArgs"]) == ("wait", {"receiverThreadIds": ["x"]})


def test_the_output_of_a_function_is_a_tool_row() -> None:
    item = {"type": "functionCallOutput", "id": "f1", "name": "lookup", "namespace": "crm", "output": "42"}
    row = settled(item).row("tool")
    assert (row["toolName"], row["server"], row["output"]) == ("lookup", "crm", "42")


def test_s45_an_item_of_an_unknown_type_is_kept_and_ends_nothing() -> None:
    run = settled({"type": "hologram", "id": "h1", "beams": 3})
    assert {row["title"] for row in run.all_rows("unhandled")} == {
        "item/started hologram",
        "item/completed hologram",
    }
    assert run.row("turn")["status"] == "completed"


def test_each_known_item_type_says_what_becomes_of_it() -> None:
    assert all(ITEM_TYPES.values())
