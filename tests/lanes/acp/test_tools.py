"""Generic tools: arguments, result and error on the row, scrubbed and bounded; names and kinds (S15)."""

from typing import Any

import pytest
from acp_frames import prompted, text, tool_call, turn, update

PIXEL = "data:image/png;base64," + "iVBOR" * 40


def test_s15_arguments_and_result_stand_on_the_row() -> None:
    run = turn(
        tool_call("t1", kind="other", name="lookup", raw_input={"key": "a", "deep": {"n": [1, None]}}),
        update("t1", status="completed", raw_output={"value": 42}),
    )
    row = run.call("t1")
    assert (row["kind"], row["toolName"]) == ("tool", "lookup")
    assert row["toolArgs"] == {"key": "a", "deep": {"n": [1, None]}}
    assert row["output"] == {"value": 42}
    done = run.events_of("item/completed")[0]["item"]
    assert (done["type"], done["tool"], done["result"]) == ("toolCall", "lookup", {"value": 42})
    assert done["arguments"] == row["toolArgs"]


def test_s15_the_text_of_a_failed_tool_is_its_error() -> None:
    run = turn(
        tool_call("t1", kind="other", name="lookup", raw_input={"key": "a"}),
        update("t1", status="failed", content="no such key"),
    )
    row = run.call("t1")
    assert (row["status"], row["error"]) == ("failed", "no such key")
    assert "output" not in row


def test_s15_a_raw_error_is_the_error_where_no_text_says_it() -> None:
    raw = {"error": "tool_failed", "message": "missing field"}
    row = turn(tool_call("t1", name="lookup"), update("t1", status="failed", raw_output=raw)).call("t1")
    assert row["error"] == "missing field"


def test_s15_a_raw_error_text_is_the_error() -> None:
    row = turn(tool_call("t1", name="x"), update("t1", status="failed", raw_output="it broke")).call("t1")
    assert row["error"] == "it broke"


def test_s15_a_completed_tool_with_text_only_shows_the_text_and_no_error() -> None:
    row = turn(tool_call("t1", name="x"), update("t1", status="completed", content="42")).call("t1")
    assert row["output"] == "42"
    assert "error" not in row


def test_s15_a_tool_that_said_nothing_has_no_arguments_and_no_result() -> None:
    row = turn(tool_call("t1", name="x", raw_input={}), update("t1", status="completed")).call("t1")
    assert not {"toolArgs", "output", "error"} & set(row)


@pytest.mark.parametrize("value", [0, False, "", [], {}])
def test_s15_a_falsy_argument_value_is_kept(value: Any) -> None:
    row = turn(tool_call("t1", name="x", raw_input={"flag": value})).call("t1")
    assert row["toolArgs"] == {"flag": value}


@pytest.mark.parametrize("value", [0, False])
def test_s15_a_falsy_result_is_a_result(value: Any) -> None:
    row = turn(tool_call("t1", name="x"), update("t1", status="completed", raw_output=value)).call("t1")
    assert row["output"] == value
    assert type(row["output"]) is type(value)


def test_s15_data_urls_are_scrubbed_in_every_string_of_arguments_and_result() -> None:
    run = turn(
        tool_call("t1", name="x", raw_input={"images": [{"url": PIXEL}], f"key {PIXEL}": 1}),
        update("t1", status="completed", raw_output={"note": f"before {PIXEL} after", "list": [[PIXEL]]}),
    )
    assert "iVBOR" not in str(run.events)
    row = run.call("t1")
    assert row["output"]["note"].startswith("before data:image/png;base64,[")
    assert row["output"]["note"].endswith("] after")
    assert row["toolArgs"]["images"][0]["url"] == "data:image/png;base64,[150 bytes]"


def test_s15_data_urls_are_scrubbed_in_texts_and_errors() -> None:
    run = turn(
        tool_call("t1", name="x"),
        update("t1", status="failed", content=f"bad {PIXEL}"),
        tool_call("t2", name="x"),
        update("t2", status="completed", content=f"good {PIXEL}"),
    )
    assert "iVBOR" not in str(run.rows)


def test_s15_an_image_block_is_named_and_its_data_never_reaches_the_row() -> None:
    image = {"type": "content", "content": {"type": "image", "mimeType": "image/png", "data": "iVBOR" * 40}}
    run = turn(tool_call("t1", name="x"), update("t1", status="completed", content=[text("seen"), image]))
    assert "iVBOR" not in str(run.events)
    assert run.call("t1")["output"] == "seen\n[image image/png]"


def test_s15_an_oversized_result_is_rendered_text_with_a_marker_that_counts_what_is_gone() -> None:
    big = {"lines": ["x" * 100] * 2000}
    row = turn(tool_call("t1", name="x"), update("t1", status="completed", raw_output=big)).call("t1")
    shown, marker = row["output"].rsplit("\n", 1)
    whole = len('{"lines":[' + ",".join(['"' + "x" * 100 + '"'] * 2000) + "]}")
    assert shown.startswith('{"lines":["xxx')
    assert len(shown) == 64 * 1024
    assert marker == f"[truncated: {whole - 64 * 1024} more bytes]"


def test_s15_oversized_arguments_are_rendered_text_too() -> None:
    row = turn(tool_call("t1", name="x", raw_input={"body": "y" * 70_000})).call("t1")
    assert row["toolArgs"].startswith('{"body":"yyy')
    assert "[truncated: " in row["toolArgs"]


def test_s15_an_oversized_error_text_is_bounded() -> None:
    row = turn(tool_call("t1", name="x"), update("t1", status="failed", content="e" * 70_000)).call("t1")
    assert row["error"] == "e" * 65_536 + f"\n[truncated: {70_000 - 65_536} more bytes]"


def test_s15_the_bound_never_cuts_a_character_in_two() -> None:
    raw = "é" * 40_000
    row = turn(tool_call("t1", name="x"), update("t1", status="completed", raw_output=raw)).call("t1")
    shown, marker = row["output"].rsplit("\n", 1)
    assert set(shown) == {"é"}
    assert marker == f"[truncated: {80_000 - len(shown.encode())} more bytes]"


def test_s15_a_value_at_the_bound_is_left_alone() -> None:
    raw = "z" * (64 * 1024)
    row = turn(tool_call("t1", name="x"), update("t1", status="completed", raw_output=raw)).call("t1")
    assert row["output"] == raw


def test_s15_what_only_the_scrubbed_image_made_big_is_not_truncated() -> None:
    raw = {"image": "data:image/png;base64," + "A" * 100_000, "note": "kept"}
    row = turn(tool_call("t1", name="x"), update("t1", status="completed", raw_output=raw)).call("t1")
    assert row["output"]["note"] == "kept"


def test_the_row_of_a_tool_is_named_by_its_programmatic_name_and_titled_in_the_agents_words() -> None:
    row = turn(tool_call("t1", name="lookup", title="Look it up")).call("t1")
    assert (row["toolName"], row["title"]) == ("lookup", "Look it up")


def test_s28_an_unknown_kind_is_kept_as_the_tools_word() -> None:
    row = turn(tool_call("t1", kind="teleport", title="Beam me up")).call("t1")
    assert (row["kind"], row["toolName"], row["title"]) == ("tool", "teleport", "Beam me up")


def test_s28_an_unknown_kind_never_renames_a_tool_that_has_a_name() -> None:
    row = turn(tool_call("t1", kind="teleport", name="transporter")).call("t1")
    assert (row["kind"], row["toolName"]) == ("tool", "transporter")


@pytest.mark.parametrize(
    ("kind", "fields", "row_kind"),
    [
        ("execute", {"raw_input": {"command": "ls"}}, "command"),
        ("read", {"locations": ["/a"]}, "fileRead"),
        ("edit", {"locations": ["/a"]}, "fileChange"),
        ("delete", {"locations": ["/a"]}, "fileChange"),
        ("move", {"locations": ["/a"]}, "fileChange"),
        ("search", {"raw_input": {"pattern": "x"}}, "search"),
        ("fetch", {"raw_input": {"url": "https://a.b"}}, "webFetch"),
        ("think", {}, "tool"),
        ("switch_mode", {}, "tool"),
        ("other", {}, "tool"),
    ],
)
def test_each_protocol_kind_has_its_row_kind(kind: str, fields: dict[str, Any], row_kind: str) -> None:
    assert turn(tool_call("t1", kind=kind, title="T", **fields)).call("t1")["kind"] == row_kind


@pytest.mark.parametrize("kind", ["read", "fetch"])
def test_a_shape_without_what_makes_it_one_stays_a_tool(kind: str) -> None:
    assert turn(tool_call("t1", kind=kind, title="T")).call("t1")["kind"] == "tool"


def test_an_edit_shows_its_changes_with_old_and_new_text() -> None:
    blocks = [
        {"type": "diff", "path": "/a", "oldText": "x", "newText": "y"},
        {"type": "diff", "path": "/b", "newText": "z"},
    ]
    row = turn(tool_call("t1", kind="edit", content=blocks), update("t1", status="completed")).call("t1")
    assert row["changes"] == [
        {"path": "/a", "kind": "update", "oldText": "x", "newText": "y"},
        {"path": "/b", "kind": "add", "newText": "z"},
    ]


def test_a_deletion_names_the_file_and_says_delete() -> None:
    row = turn(tool_call("t1", kind="delete", locations=["/a"])).call("t1")
    assert row["changes"] == [{"path": "/a", "kind": "delete"}]


def test_a_fetch_keeps_its_prompt() -> None:
    raw = {"url": "https://a.b/c", "prompt": "what is it"}
    row = turn(tool_call("t1", kind="fetch", raw_input=raw)).call("t1")
    assert (row["url"], row["prompt"]) == ("https://a.b/c", "what is it")


def test_a_failed_read_says_why_in_its_detail() -> None:
    run = turn(
        tool_call("t1", kind="read", locations=["/gone"]),
        update("t1", status="failed", content="no such file"),
    )
    row = run.call("t1")
    assert (row["kind"], row["status"], row["detail"]) == ("fileRead", "failed", "no such file")


def test_a_title_never_decides_what_a_generic_call_is() -> None:
    run = prompted().feed(tool_call("t1", title="Read File", raw_input={"x": 1}))
    assert run.call("t1")["kind"] == "tool"
    assert "toolName" not in run.call("t1")
