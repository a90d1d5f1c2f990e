"""ACP version 2: what a call's updates, content and diffs say, and what they take back."""

from acp_v2_frames import PATCH, change, command, diff, idle, piece, prompted, turn
from acp_v2_frames import call as tool

from parity.lanes.acp.reader_v2 import read_diff


def text(words: str) -> dict[str, object]:
    return {"type": "content", "content": {"type": "text", "text": words}}


def test_the_first_update_creates_the_call_without_a_warning() -> None:
    run = turn(command("t1", status="in_progress"), tool("t1", status="completed"))
    assert run.call("t1")["command"] == "make"
    assert not run.kinds("warning")


def test_an_omitted_field_stays_and_null_takes_it_back() -> None:
    run = prompted().feed(tool("t1", title="Look", kind="read", locations=["/a"], raw_input={"path": "/a"}))
    run.feed(tool("t1", status="in_progress"))
    assert (run.call("t1")["title"], run.call("t1")["kind"]) == ("Look", "fileRead")
    run.feed(tool("t1", title=None, raw_input=None, locations=None))
    row = run.call("t1")
    assert row["kind"] == "tool"
    assert row["title"] == "tool"
    assert "toolArgs" not in row


def test_a_value_replaces_where_version_1_only_filled_gaps() -> None:
    run = prompted().feed(tool("t1", kind="other", title="A", raw_input={"x": 1, "y": 2}))
    run.feed(tool("t1", raw_input={"x": 3}, title="B"))
    assert run.call("t1")["toolArgs"] == {"x": 3}
    assert run.call("t1")["title"] == "B"


def test_null_takes_back_the_kind() -> None:
    run = prompted().feed(tool("t1", kind="edit", title="T"), tool("t1", kind=None))
    assert run.call("t1")["kind"] == "tool"


def test_content_is_replaced_as_a_whole_and_an_empty_list_clears_it() -> None:
    one, two = diff(change("add", "/a")), diff(change("delete", "/b"))
    run = prompted().feed(tool("t1", kind="edit", content=[one]), tool("t1", content=[two]))
    assert run.call("t1")["changes"] == [{"path": "/b", "kind": "delete"}]
    run.feed(tool("t1", content=[], locations=["/c"]))
    assert run.call("t1")["changes"] == [{"path": "/c"}]


def test_null_takes_back_what_a_running_command_showed() -> None:
    run = prompted().feed(command("t1", status="in_progress", content="wrong"))
    run.feed(tool("t1", content=None))
    assert "output" not in run.call("t1")
    run.feed(tool("t1", content=[text("right")]), tool("t1", status="completed"), idle())
    assert run.call("t1")["output"] == "right"


def test_content_chunks_append_one_item_each() -> None:
    run = prompted().feed(command("t1", status="in_progress"))
    run.feed(piece("t1", text("one")), piece("t1", text("two\n")), piece("t1", text("three")))
    assert run.output_deltas() == [("one", False), ("\ntwo\n", False), ("three", False)]
    run.feed(tool("t1", status="completed"), idle())
    assert run.call("t1")["output"] == "one\ntwo\nthree"


def test_content_chunks_append_to_what_an_update_said() -> None:
    run = prompted().feed(tool("t1", kind="other", title="T", status="in_progress", content="one"))
    run.feed(piece("t1", text("two")), tool("t1", status="completed"), idle())
    assert run.call("t1")["output"] == "one\ntwo"


def test_a_content_chunk_adds_a_changed_file() -> None:
    run = prompted().feed(tool("t1", kind="edit", status="in_progress"))
    run.feed(piece("t1", diff(change("add", "/a"))), piece("t1", diff(change("modify", "/b"))))
    assert [c["path"] for c in run.call("t1")["changes"]] == ["/a", "/b"]


def test_a_content_chunk_of_an_unknown_call_opens_a_row_with_a_warning() -> None:
    run = turn(piece("t1", text("one")))
    assert run.call("t1")["kind"] == "tool"
    assert len(run.kinds("warning")) == 1


def test_a_late_content_chunk_enriches_a_settled_call() -> None:
    run = prompted().feed(tool("t1", kind="other", title="T", status="in_progress", content="one"))
    run.feed(tool("t1", status="completed"), piece("t1", text("two")), idle())
    assert (run.call("t1")["output"], run.call("t1")["status"]) == ("one\ntwo", "completed")


def test_a_cancelled_call_is_interrupted() -> None:
    run = turn(command("t1", status="in_progress"), tool("t1", status="cancelled"))
    assert run.call("t1")["status"] == "interrupted"


def test_an_ended_call_is_never_revived_by_null_or_a_lower_status() -> None:
    run = prompted().feed(
        command("t1", status="failed"), tool("t1", status=None), tool("t1", status="pending")
    )
    assert run.feed(idle()).call("t1")["status"] == "failed"


def test_an_unknown_status_is_still_pending_and_an_unknown_kind_names_the_tool() -> None:
    run = prompted().feed(tool("t1", kind="_teleport", status="_beaming"))
    assert run.call("t1")["toolName"] == "_teleport"
    assert run.call("t1")["status"] == "pending"


def test_every_operation_of_a_diff_has_its_kind_of_change() -> None:
    changes = [change(o, f"/{o}") for o in ("add", "delete", "modify", "_touch")]
    moved = [change("move", "/new", oldPath="/old"), change("copy", "/two", oldPath="/one")]
    run = turn(tool("t1", kind="edit", content=[diff(*changes, *moved)], status="completed"))
    assert run.call("t1")["changes"] == [
        {"path": "/add", "kind": "add"},
        {"path": "/delete", "kind": "delete"},
        {"path": "/modify", "kind": "update"},
        {"path": "/_touch"},
        {"path": "/old", "kind": "update", "movePath": "/new"},
        {"path": "/two", "kind": "add"},
    ]


def test_each_change_has_its_section_of_the_patch() -> None:
    first, second = PATCH.format(path="/one"), PATCH.format(path="/two")
    block = diff(change("modify", "/two"), change("modify", "/one"), patch=first + second)
    run = turn(tool("t1", kind="edit", content=[block], status="completed"))
    assert [c["diff"] for c in run.call("t1")["changes"]] == [second, first]


def test_a_patch_without_a_section_for_a_change_leaves_it_without_one() -> None:
    patch = PATCH.format(path="/one")
    found = read_diff(diff(change("modify", "/one"), change("delete", "/gone"), patch=patch))
    assert [part.patch for part in found] == [patch, None]


def test_a_patch_in_a_foreign_format_is_not_shown_and_a_diff_without_changes_changes_nothing() -> None:
    foreign = {**diff(change("modify", "/a")), "patch": {"format": "_svn", "text": "x"}}
    assert read_diff(foreign)[0].patch is None
    assert read_diff({"type": "diff", "patch": {"format": "git_patch", "text": "x"}}) == []
