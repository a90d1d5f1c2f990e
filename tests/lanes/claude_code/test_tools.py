"""What each of Claude Code's tools becomes."""

from typing import Any

import pytest
from claude_frames import CWD, Json, assistant, called, done, prompted, result_of, turn, use

PATCH = [{"oldStart": 1, "oldLines": 2, "newStart": 1, "newLines": 2, "lines": [" a", "-b", "+c"]}]


def row_of(name: str, value: Json, content: Any = "fine", **answer: Any) -> Json:
    """The row of one finished call."""
    run = called(use("c1", name, **value), result_of("c1", content, **answer))
    rows = [row for row in run.all_rows if row.get("providerItemId") == "c1"]
    assert len(rows) == 1, rows
    return rows[0]


def test_bash_is_a_command_with_its_description_as_detail() -> None:
    row = row_of("Bash", {"command": "make", "description": "Build"}, result={"stdout": "ok\n", "stderr": ""})
    assert row["kind"] == "command"
    assert (row["title"], row["detail"], row["output"]) == ("make", "Build", "ok\n")
    assert "exitCode" not in row
    assert "cwd" not in row


def test_read_is_a_file_read_whose_path_is_resolved() -> None:
    row = row_of("Read", {"file_path": "src/a.py"})
    assert (row["kind"], row["path"], row["status"]) == ("fileRead", f"{CWD}/src/a.py", "completed")


def test_an_edit_has_the_diff_of_the_structured_patch() -> None:
    value = {"file_path": "/x/a", "old_string": "b", "new_string": "c"}
    row = row_of("Edit", value, result={"filePath": "/x/a", "structuredPatch": PATCH})
    assert row["changes"] == [{"path": "/x/a", "kind": "update", "diff": "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"}]


def test_an_edit_without_a_patch_has_its_old_and_new_text() -> None:
    row = row_of("Edit", {"file_path": "/x/a", "old_string": "b", "new_string": "c"})
    assert row["changes"] == [{"path": "/x/a", "kind": "update", "oldText": "b", "newText": "c"}]


def test_an_edit_of_nothing_adds_the_file() -> None:
    row = row_of("Edit", {"file_path": "/x/a", "old_string": "", "new_string": "c"})
    assert row["changes"][0]["kind"] == "add"


def test_a_multi_edit_has_a_change_for_each_edit() -> None:
    edits = [{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": "d"}]
    row = row_of("MultiEdit", {"file_path": "/x/a", "edits": edits})
    assert [(c["oldText"], c["newText"]) for c in row["changes"]] == [("a", "b"), ("c", "d")]


@pytest.mark.parametrize(("said", "kind"), [("create", "add"), ("update", "update")])
def test_a_write_is_what_its_result_says(said: str, kind: str) -> None:
    row = row_of(
        "Write", {"file_path": "/x/a", "content": "hi"}, result={"type": said, "structuredPatch": []}
    )
    assert row["changes"] == [{"path": "/x/a", "kind": kind, "newText": "hi"}]


def test_a_write_without_a_structured_result_names_no_kind() -> None:
    assert "kind" not in row_of("Write", {"file_path": "/x/a", "content": "hi"})["changes"][0]


def test_a_notebook_edit_is_a_file_change() -> None:
    row = row_of(
        "NotebookEdit", {"notebook_path": "n.ipynb", "new_source": "x = 1"}, result={"old_source": "x = 0"}
    )
    assert row["changes"] == [
        {"path": f"{CWD}/n.ipynb", "kind": "update", "oldText": "x = 0", "newText": "x = 1"}
    ]


def test_grep_searches_contents_and_glob_paths() -> None:
    grep = row_of("Grep", {"pattern": "TODO", "path": "src"})
    assert (grep["kind"], grep["mode"], grep["query"], grep["path"]) == (
        "search",
        "content",
        "TODO",
        f"{CWD}/src",
    )
    glob = row_of("Glob", {"pattern": "*.py"})
    assert (glob["mode"], glob["query"]) == ("path", "*.py")
    assert "path" not in glob


def test_a_fetch_has_its_address_and_prompt() -> None:
    row = row_of("WebFetch", {"url": "https://a.example", "prompt": "what"})
    assert (row["kind"], row["url"], row["prompt"]) == ("webFetch", "https://a.example", "what")


@pytest.mark.parametrize("name", ["WebSearch", "web_search"])
def test_a_web_search_has_its_query(name: str) -> None:
    assert row_of(name, {"query": "weather"})["queries"] == ["weather"]


def test_todos_are_plan_steps() -> None:
    todos = [{"content": "Read", "status": "completed", "activeForm": "Reading"}, {"content": "Edit"}]
    row = row_of("TodoWrite", {"todos": todos})
    assert row["kind"] == "plan"
    assert row["steps"] == [{"step": "Read", "status": "completed"}, {"step": "Edit"}]


def test_the_task_list_grows_changes_and_shrinks_over_its_calls() -> None:
    run = turn(
        assistant(use("k1", "TaskCreate", subject="One")),
        result_of("k1", "made", result={"task": {"id": "1", "subject": "One"}}),
        assistant(use("k2", "TaskCreate", subject="Two")),
        result_of("k2", "made", result={"task": {"id": "2", "subject": "Two"}}),
        assistant(use("k3", "TaskUpdate", taskId="1", status="in_progress")),
        result_of("k3", "updated", result={"success": True}),
        assistant(use("k4", "TaskUpdate", taskId="2", status="deleted")),
        result_of("k4", "updated", result={"success": True}),
    )
    shown = [row["steps"] for row in run.all_rows if row["kind"] == "plan"]
    one, two = {"step": "One", "status": "pending"}, {"step": "Two", "status": "pending"}
    started = {"step": "One", "status": "in_progress"}
    assert shown == [[one], [one, two], [started, two], [started]]


def test_a_task_that_could_not_be_made_is_no_step() -> None:
    row = row_of("TaskCreate", {"subject": "One"}, "no such tool", error=True)
    assert (row["kind"], row["status"], row["error"]) == ("tool", "failed", "no such tool")


def test_an_mcp_tool_names_its_server() -> None:
    row = row_of("mcp__docs__look_up", {"q": 1}, "found")
    assert (row["kind"], row["server"], row["toolName"]) == ("tool", "docs", "look_up")
    assert (row["toolArgs"], row["output"]) == ({"q": 1}, "found")


def test_any_other_tool_is_a_tool() -> None:
    row = row_of("Skill", {"skill": "debug"}, [{"type": "text", "text": "loaded"}])
    assert (row["toolName"], row["output"], row["status"]) == ("Skill", "loaded", "completed")


def test_a_failed_tool_has_its_error_and_no_output() -> None:
    row = row_of("Skill", {"skill": "x"}, "<tool_use_error>No such skill</tool_use_error>", error=True)
    assert (row["status"], row["error"]) == ("failed", "No such skill")
    assert "output" not in row


def test_a_picture_in_a_result_is_named_and_never_copied() -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    row = row_of("mcp__shot__take", {"x": 1}, [{"type": "text", "text": "taken"}, picture])
    assert row["output"] == "taken\n[image/png]"


def test_s15_a_long_result_is_cut_with_a_mark_that_says_how_much_is_gone() -> None:
    row = row_of("mcp__a__b", {"x": 1}, "y" * 70_000)
    assert row["output"].endswith(f"[truncated: {70_000 - 65_536} more bytes]")


def test_s17_a_call_without_its_input_is_reshaped_into_one_row() -> None:
    run = prompted().feed(
        assistant(use("c1", "WebFetch")), assistant(use("c1", "WebFetch", url="https://a.example"))
    )
    run.feed(result_of("c1", "page"), done())
    assert run.row("webFetch")["url"] == "https://a.example"
    assert [event["item"]["type"] for event in run.events_of("item/started")] == ["toolCall", "webFetch"]


def test_s18_an_empty_input_never_erases_the_known_one() -> None:
    run = prompted().feed(assistant(use("c1", "Read", file_path="/a")), assistant(use("c1", "Read")))
    assert run.row("fileRead")["path"] == "/a"


def test_s24_an_id_used_again_after_its_call_settled_is_a_new_row() -> None:
    run = turn(
        assistant(use("c1", command="one")),
        result_of("c1", "1"),
        assistant(use("c1", command="two")),
        result_of("c1", "2"),
    )
    rows = [row for row in run.all_rows if row["kind"] == "command"]
    assert [(row["command"], row["output"]) for row in rows] == [("one", "1"), ("two", "2")]


def test_the_same_frame_again_is_the_same_call() -> None:
    frame = assistant(use("c1"))
    run = turn(frame, frame, result_of("c1", "1"), frame)
    assert run.row("command")["output"] == "1"
    assert run.drops == {}


def test_a_server_tool_is_settled_by_its_block_in_the_same_message() -> None:
    search = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}}
    hits = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"title": "T", "url": "u"}]}
    run = turn(assistant(search), assistant(hits))
    assert run.row("webSearch")["status"] == "completed"
