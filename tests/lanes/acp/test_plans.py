"""Plans: each replaces the one before, an empty one clears (S50)."""

from acp_frames import command, plan, prompted, turn, update


def test_s50_each_plan_replaces_the_one_before_in_one_row() -> None:
    done = {"content": "a", "status": "completed", "priority": "high"}
    run = turn(plan("a", "b"), plan(done, "c"))
    assert run.only("plan")["steps"] == [
        {"step": "a", "status": "completed", "priority": "high"},
        {"step": "c", "status": "pending", "priority": "medium"},
    ]


def test_s50_an_empty_plan_clears() -> None:
    run = prompted().feed(plan("a"), plan())
    assert run.events_of("item/started")[-1]["item"]["steps"] == []
    assert all(row["steps"] == [] for row in run.kinds("plan"))


def test_s50_entries_without_status_are_kept_and_get_none() -> None:
    run = turn(plan({"content": "a"}, {"content": "b", "status": None}))
    assert run.only("plan")["steps"] == [{"step": "a"}, {"step": "b"}]


def test_s50_an_unknown_status_of_an_entry_is_kept() -> None:
    run = turn(plan({"content": "a", "status": "blocked"}))
    assert run.only("plan")["steps"] == [{"step": "a", "status": "blocked"}]


def test_s50_the_same_plan_again_says_nothing_new() -> None:
    run = prompted().feed(plan("a"), plan("a"))
    assert len(run.events_of("item/started")) == 1


def test_s50_a_plan_of_the_next_turn_is_a_row_of_that_turn() -> None:
    run = turn(plan("a"))
    run.prompt()
    run.feed(plan("a")).answer_prompt()
    assert [[row["kind"] for row in found["children"]] for found in run.turns] == [["plan"], ["plan"]]


def test_s50_a_malformed_entry_never_loses_the_others() -> None:
    run = turn(plan({"status": "pending"}, {"content": 7}, "kept"))
    assert [step["step"] for step in run.only("plan")["steps"]] == ["kept"]


def test_a_plan_keeps_the_place_where_it_began() -> None:
    run = turn(plan("a"), command("t1"), plan("b"), update("t1", status="completed"))
    assert [row["kind"] for row in run.work] == ["plan", "command"]


def test_the_plan_settles_with_its_turn() -> None:
    run = turn(plan("a"))
    assert run.only("plan")["status"] == "completed"
    assert run.drops == {}
