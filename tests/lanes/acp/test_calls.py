"""One call, one row: frames of a call merge and never lose, revive or double it."""

from typing import Any

import pytest
from acp_frames import ask, command, message, prompted, text, tool_call, turn, update


def test_s16_a_call_said_twice_is_one_row_with_the_richer_input() -> None:
    run = turn(
        tool_call("t1", kind="execute", title="Terminal", raw_input={}),
        tool_call("t1", kind="execute", title="make", raw_input={"command": "make"}),
        update("t1", status="completed"),
    )
    row = run.call("t1")
    assert (row["command"], row["title"], row["status"]) == ("make", "make", "completed")


@pytest.mark.parametrize("empty", [{}, None, "", []])
def test_s16_an_empty_input_said_later_erases_nothing(empty: Any) -> None:
    run = turn(command("t1", "make"), tool_call("t1", kind="execute", title="make", raw_input=empty))
    assert run.call("t1")["command"] == "make"


def test_s16_a_tool_input_that_grows_replaces_the_smaller_one() -> None:
    run = turn(
        tool_call("t1", name="x", raw_input={"a": 1}),
        update("t1", raw_input={"a": 1, "b": 2}),
    )
    assert run.call("t1")["toolArgs"] == {"a": 1, "b": 2}


def test_s16_an_identical_frame_says_nothing_new() -> None:
    run = prompted().feed(command("t1"), command("t1"))
    assert len(run.item_events("t1")) == 1


def test_s17_a_kind_that_comes_late_reshapes_the_one_row() -> None:
    run = prompted().feed(tool_call("t1", title="Job"))
    assert run.call("t1")["kind"] == "tool"
    run.feed(update("t1", kind="execute", raw_input={"command": "make"}))
    assert (run.call("t1")["kind"], run.call("t1")["command"]) == ("command", "make")
    started = run.events_of("item/started")
    assert [event["item"]["type"] for event in started] == ["toolCall", "commandExecution"]
    assert len({event["item"]["id"] for event in started}) == 1


def test_s17_a_title_that_comes_late_is_the_rows_title() -> None:
    run = turn(tool_call("t1", name="x"), update("t1", title="Look it up"))
    assert run.call("t1")["title"] == "Look it up"


def test_s17_a_name_that_comes_late_names_the_row() -> None:
    run = turn(tool_call("t1", title="T"), update("t1", name="lookup"))
    assert run.call("t1")["toolName"] == "lookup"


def test_s17_the_path_of_a_read_that_comes_late_reshapes_it() -> None:
    run = turn(
        tool_call("t1", kind="read", title="Read"),
        update("t1", locations=["/a"]),
        update("t1", status="completed"),
    )
    assert (run.call("t1")["kind"], run.call("t1")["path"]) == ("fileRead", "/a")


def test_s17_a_kind_that_comes_with_the_close_still_makes_it_a_command() -> None:
    run = turn(tool_call("t1", title="make"), update("t1", kind="execute", status="completed", content="ok"))
    assert (run.call("t1")["kind"], run.call("t1")["output"]) == ("command", "ok")


def test_s18_an_ask_that_repeats_the_call_emptier_erases_nothing() -> None:
    run = prompted().feed(
        tool_call("t1", kind="execute", title="make", status="in_progress", raw_input={"command": "make"}),
        ask("t1", kind="other", status="pending", raw_input={}, locations=[], content=[]),
    )
    row = run.call("t1")
    assert (row["kind"], row["command"], row["title"]) == ("command", "make", "make")


def test_s18_the_status_never_goes_back() -> None:
    run = turn(
        command("t1", status="in_progress"),
        update("t1", status="completed", content="ok"),
        update("t1", status="in_progress"),
        update("t1", status="pending"),
    )
    assert run.call("t1")["status"] == "completed"
    assert len(run.events_of("item/completed")) == 1


def test_s18_a_running_call_that_is_called_pending_again_still_runs() -> None:
    run = turn(
        command("t1", status="in_progress"),
        ask("t1", status="pending"),
        update("t1", status="pending", content="a\n"),
        update("t1", status="completed"),
    )
    assert run.call("t1")["output"] == "a\n"


def test_s18_a_settled_call_never_changes_its_status() -> None:
    run = turn(command("t1"), update("t1", status="failed"), update("t1", status="completed"))
    assert run.call("t1")["status"] == "failed"


def test_s23_calls_of_one_tool_are_paired_by_id() -> None:
    run = turn(
        command("a", "make a"),
        command("b", "make b"),
        update("b", status="failed", content="b broke"),
        update("a", status="completed", content="a is fine"),
    )
    assert [row["providerItemId"] for row in run.work] == ["a", "b"]
    assert (run.call("a")["status"], run.call("a")["output"]) == ("completed", "a is fine")
    assert (run.call("b")["status"], run.call("b")["output"]) == ("failed", "b broke")


def test_s24_an_id_used_again_after_the_call_settled_is_a_new_row() -> None:
    run = prompted().feed(command("t1", "one"), update("t1", status="completed", content="first"))
    old = run.call("t1")
    run.feed(command("t1", "two"), update("t1", status="failed", content="second")).answer_prompt()
    first, second = run.calls("t1")
    assert first == old
    assert (second["command"], second["status"], second["output"]) == ("two", "failed", "second")


def test_s24_a_used_again_id_starts_with_nothing_of_the_old_call() -> None:
    run = turn(
        tool_call("t1", kind="read", name="reader", title="Read", locations=["/a"]),
        update("t1", status="completed"),
        tool_call("t1"),
    )
    first, second = run.calls("t1")
    assert first["path"] == "/a"
    assert second["kind"] == "tool"
    assert not {"toolName", "path"} & set(second)


def test_s24_updates_of_a_used_again_id_belong_to_the_new_call() -> None:
    run = turn(
        command("t1", "one"),
        update("t1", status="completed"),
        command("t1", "two"),
        update("t1", status="in_progress", content="out"),
        update("t1", status="completed"),
    )
    first, second = run.calls("t1")
    assert "output" not in first
    assert second["output"] == "out"


def test_s24_an_id_used_again_in_the_next_turn_is_a_new_row() -> None:
    run = turn(command("t1"), update("t1", status="completed"))
    run.prompt()
    run.feed(command("t1"), update("t1", status="completed")).answer_prompt()
    assert [len(row["children"]) for row in run.turns] == [1, 1]


def test_s25_an_update_of_a_call_never_opened_is_a_row_with_what_it_says() -> None:
    run = prompted().feed(update("ghost", title="Odd job"))
    row = run.call("ghost")
    assert (row["kind"], row["status"], row["title"]) == ("tool", "pending", "Odd job")
    assert not {"toolName", "toolArgs", "output", "detail"} & set(row)


def test_s25_nothing_is_invented_for_a_bare_update_and_a_diagnostic_names_it() -> None:
    run = prompted().feed(update("ghost"))
    started = run.item_events("ghost")[0]["item"]
    assert set(started) == {"id", "type", "status", "providerItemId"}
    warnings = run.events_of("provider/warning")
    assert len(warnings) == 1
    assert "ghost" in warnings[0]["message"]


def test_s25_a_terminal_update_of_a_call_never_opened_settles_its_row() -> None:
    raw = {"exitCode": 2, "stderr": "bad"}
    run = turn(update("ghost", kind="execute", status="completed", raw_output=raw))
    row = run.call("ghost")
    assert (row["kind"], row["status"], row["exitCode"]) == ("command", "failed", 2)
    assert "command" not in row


@pytest.mark.parametrize("first", [update("t1", status="in_progress"), tool_call("t1", status="in_progress")])
def test_s25_a_first_frame_that_only_says_it_runs_opens_the_row(first: dict[str, Any]) -> None:
    run = prompted().feed(first)
    assert run.call("t1")["status"] == "pending"
    run.feed(update("t1", status="completed")).answer_prompt()
    assert run.call("t1")["status"] == "completed"
    assert run.drops == {}


def test_s25_the_diagnostic_comes_once_for_a_call() -> None:
    run = turn(update("ghost"), update("ghost", title="T"), update("ghost", status="completed"))
    assert len(run.events_of("provider/warning")) == 1


def test_s27_a_rich_tool_call_after_the_close_enriches_the_finished_row() -> None:
    run = prompted().feed(update("t1", status="completed", content="ok"))
    run.feed(command("t1", "make", status="pending"))
    row = run.call("t1")
    assert (row["kind"], row["command"], row["status"], row["output"]) == (
        "command",
        "make",
        "completed",
        "ok",
    )
    run.answer_prompt()
    assert run.call("t1") == row


def test_s27_an_enriched_row_settles_again_at_once() -> None:
    run = prompted().feed(update("t1", status="failed"), command("t1", "make", status="in_progress"))
    assert [event["type"] for event in run.item_events("t1")] == [
        "item/started",
        "item/completed",
        "item/started",
        "item/completed",
    ]
    assert {event["item"]["id"] for event in run.item_events("t1")} == {"item-1"}
    assert run.drops == {}


def test_s27_a_second_tool_call_after_the_enriching_one_is_a_used_again_id() -> None:
    run = turn(update("t1", status="completed"), command("t1", "one"), command("t1", "two"))
    assert [row["command"] for row in run.calls("t1")] == ["one", "two"]


def test_s27_a_call_that_began_with_a_refused_ask_is_enriched_and_stays_refused() -> None:
    run = prompted("gemini").feed(ask("run__1", kind="execute", title="make"))
    run.answer("denied")
    run.feed(tool_call("run__1", kind="execute", title="make", raw_input={"command": "make all"}))
    run.answer_prompt()
    row = run.call("run__1")
    assert (row["status"], row["approval"]["decision"], row["command"]) == ("failed", "denied", "make all")


def test_s28_null_is_as_good_as_absent_everywhere() -> None:
    nothing: dict[str, Any] = {
        "title": None,
        "kind": None,
        "status": None,
        "content": None,
        "locations": None,
        "raw_input": None,
        "raw_output": None,
        "meta": None,
        "name": None,
    }
    run = prompted().feed(command("t1", "make", name="shell"))
    before = run.events
    run.feed(update("t1", **nothing), tool_call("t1", **nothing))
    assert run.events == before


@pytest.mark.parametrize("wrong", [7, ["x"], {"a": 1}, True])
def test_s28_a_field_of_the_wrong_type_is_not_said(wrong: Any) -> None:
    run = prompted().feed(command("t1", "make"))
    before = run.events
    run.feed(update("t1", title=wrong, kind=wrong, status=wrong))
    assert run.events == before


def test_s28_an_unknown_status_is_still_pending() -> None:
    run = prompted().feed(command("t1", status="vendor_queued"))
    assert run.call("t1")["status"] == "pending"
    run.feed(update("t1", status="completed")).answer_prompt()
    assert run.call("t1")["status"] == "completed"


def test_s28_one_foreign_block_never_loses_the_others() -> None:
    blocks = [
        text("a"),
        {"type": "hologram", "beam": 1},
        None,
        {"type": "content", "content": {"type": "smell"}},
        text("b"),
    ]
    run = turn(command("t1"), update("t1", status="completed", content=blocks))
    assert run.call("t1")["output"] == "a\nb"


def test_s28_a_malformed_location_never_loses_the_others() -> None:
    run = turn(tool_call("t1", kind="read", locations=[{"line": 3}, None, {"path": "/a", "line": None}]))
    assert run.call("t1")["path"] == "/a"


def test_a_call_stays_where_it_began_between_messages() -> None:
    run = turn(message("one"), command("t1"), message("two"), update("t1", status="completed"))
    assert [row["kind"] for row in run.rows] == ["turn", "message"]
    assert [row["kind"] for row in run.work] == ["message", "command"]
    assert run.texts == ["one", "two"]


def test_a_late_status_never_moves_a_row() -> None:
    run = turn(
        command("a"),
        command("b"),
        update("b", status="completed"),
        update("a", status="completed"),
    )
    assert [row["providerItemId"] for row in run.work] == ["a", "b"]
