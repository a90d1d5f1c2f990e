"""Work that outlives its turn: what keeps it open, where its children stand, how it settles."""

from thread_runs import DONE, TURN, ThreadRun, close_item, open_item, said, say

from parity.grammar import deltas as d
from parity.grammar import items

LATE = {**items.command("serve"), "background": True}


def test_an_item_that_says_background_stays_open_when_its_turn_ends() -> None:
    run = ThreadRun(TURN, open_item("c1", LATE), open_item("c2"), DONE)
    assert [event["item"]["status"] for event in run.events if event["type"] == "item/completed"] == [
        "interrupted"
    ]
    run.feed(close_item("c1", "failed"))
    (late,) = [event for event in run.events if event["type"] == "item/backgroundTask/completed"]
    assert (late["item"]["type"], late["scope"]["turnId"]) == ("commandExecution", "turn-1")
    assert run.drops == {}


def test_progress_of_background_work_is_a_background_tasks() -> None:
    run = ThreadRun(TURN, open_item("c1", LATE), d.ItemProgress(d.Key("c1"), "half"))
    assert run.events[-1]["type"] == "item/backgroundTask/progress"


def test_a_child_of_late_work_may_begin_after_the_turn() -> None:
    parent = items.delegation("a1", label="Job", background=True)
    run = ThreadRun(TURN, open_item("a1", parent), DONE)
    run.feed(open_item("c1", LATE, parent="a1"), d.TextDelta(d.Key("m1", "agentMessage", "a1"), "hi"))
    run.feed(d.TextClose(d.Key("m1", "agentMessage", "a1")), close_item("c1"), close_item("a1"))
    (turn,) = run.rows
    assert [child["kind"] for child in turn["children"][0]["children"]] == ["command", "message"]
    assert run.drops == {}


def test_a_child_of_settled_work_has_no_place_after_the_turn() -> None:
    run = ThreadRun(TURN, open_item("a1"), close_item("a1"), DONE, open_item("c1", parent="a1"))
    assert run.drops == {"turn/known:item/started": 1}


def test_a_late_child_is_settled_when_the_session_ends() -> None:
    parent = items.delegation("a1", label="Job", background=True)
    run = ThreadRun(TURN, open_item("a1", parent), DONE, open_item("c1", LATE, parent="a1"), d.SessionEnded())
    statuses = {event["item"]["id"]: event["item"]["status"] for event in run.events if "item" in event}
    assert set(statuses.values()) == {"interrupted"}
    assert run.drops == {}


def test_a_message_of_a_thread_without_work_has_no_place_outside_a_turn() -> None:
    run = ThreadRun(TURN, DONE, say("hi"), said())
    assert run.drops == {"item/opens-before-delta:item/agentMessage/delta": 1}


def test_a_part_of_late_work_is_late_even_if_it_began_first() -> None:
    parent = items.delegation("a1", label="Job", background=True)
    run = ThreadRun(TURN, open_item("c1"), open_item("a1", parent), open_item("c1", parent="a1"), DONE)
    run.feed(close_item("c1"), close_item("a1"))
    assert run.row("c1")["status"] == "completed"
    assert run.drops == {}


def test_a_part_of_late_work_is_late_even_if_it_names_it_before_it_is_known() -> None:
    parent = items.delegation("a1", label="Job", background=True)
    run = ThreadRun(TURN, open_item("c1", parent="a1"), open_item("a1", parent), DONE)
    run.feed(close_item("c1"), close_item("a1"))
    assert run.row("c1")["status"] == "completed"
    assert run.drops == {}
