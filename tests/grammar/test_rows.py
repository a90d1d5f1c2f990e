"""Events to rows: one row per item, turns with children, messages lifted, approvals on their call."""

import pytest
from thread_runs import DONE, TURN, ThreadRun, close_item, open_item, output, said, say, snapshot

from parity.grammar import deltas as d
from parity.grammar import items
from parity.grammar.rows import count_rows, walk

PLAN = items.plan_steps([{"step": "a", "status": "pending"}])


def kinds(run: ThreadRun) -> list[str]:
    return [row["kind"] for top in run.rows for row in walk(top)]


def test_a_turn_is_one_row_with_its_work_as_children_in_the_order_it_began() -> None:
    run = ThreadRun(TURN, open_item("a"), open_item("b"), close_item("b"), close_item("a"), DONE)
    assert [row["kind"] for row in run.rows] == ["turn"]
    assert [row["providerItemId"] for row in run.rows[0]["children"]] == ["a", "b"]


def test_every_row_has_id_kind_status_and_title() -> None:
    run = ThreadRun(
        d.ProviderWarning("w"), TURN, open_item("a"), open_item("t", items.tool(None)), open_item("p", PLAN)
    )
    run.feed(say("hm", channel="reasoningText"), say("so"), d.ContextCompacted(), d.ProviderError("e"), DONE)
    for top in run.rows:
        for row in walk(top):
            assert {"id", "kind", "status", "title"} <= set(row)
            assert row["title"]


def test_the_last_message_of_a_turn_stands_after_it() -> None:
    run = ThreadRun(
        TURN, say("one", "1"), said(None, "1"), open_item("a"), close_item("a"), say("two", "2"), DONE
    )
    assert [row["kind"] for row in run.rows] == ["turn", "message"]
    assert [row["kind"] for row in run.rows[0]["children"]] == ["message", "command"]
    assert run.rows[1]["text"] == "two"


@pytest.mark.parametrize(
    "last", [open_item("a"), say("hm", channel="reasoningText"), d.ProviderWarning("w"), d.ContextCompacted()]
)
def test_a_message_something_follows_stays_in_its_turn(last: d.Delta) -> None:
    run = ThreadRun(TURN, say("one"), said(), last, DONE)
    assert [row["kind"] for row in run.rows] == ["turn"]
    assert run.rows[0]["children"][0]["kind"] == "message"


def test_only_the_last_message_is_lifted() -> None:
    run = ThreadRun(TURN, say("one", "1"), said(None, "1"), say("two", "2"), DONE)
    assert [row["kind"] for row in run.rows] == ["turn", "message"]
    assert [row["text"] for row in run.rows[0]["children"]] == ["one"]


def test_a_message_of_a_child_is_never_lifted() -> None:
    words = d.TextDelta(d.Key(None, "agentMessage", "p"), "child words")
    run = ThreadRun(TURN, open_item("p", items.delegation("c", label="L", background=False)), words, DONE)
    assert [row["kind"] for row in run.rows] == ["turn"]
    assert run.row("p")["children"][0]["text"] == "child words"


def test_children_are_nested_under_their_parent() -> None:
    run = ThreadRun(TURN, open_item("p"), open_item("c", parent="p"), open_item("g", parent="c"), DONE)
    assert [row["providerItemId"] for row in run.rows[0]["children"]] == ["p"]
    assert run.row("c")["children"][0]["providerItemId"] == "g"


def test_a_row_whose_parent_is_told_later_moves_under_it() -> None:
    run = ThreadRun(TURN, open_item("c"), open_item("p"), open_item("c", parent="p"), DONE)
    assert [row["providerItemId"] for row in run.rows[0]["children"]] == ["p"]
    assert [row["providerItemId"] for row in run.row("p")["children"]] == ["c"]


def test_a_moved_row_takes_its_children_along() -> None:
    run = ThreadRun(
        TURN, open_item("c"), open_item("g", parent="c"), open_item("p"), open_item("c", parent="p"), DONE
    )
    assert run.row("p")["children"][0]["children"][0]["providerItemId"] == "g"
    assert count_rows(run.rows[0]) == 4


def test_a_row_is_never_its_own_child() -> None:
    run = ThreadRun(TURN, open_item("a", parent="a"), open_item("a", items.tool("t"), parent="a"), DONE)
    assert [row["providerItemId"] for row in run.rows[0]["children"]] == ["a"]


def test_a_ring_of_parents_never_loses_a_row() -> None:
    run = ThreadRun(TURN, open_item("a"), open_item("b", parent="a"), open_item("a", parent="b"), DONE)
    assert run.row("a")
    assert run.row("b")


def test_a_reshaped_item_is_one_row_where_it_began() -> None:
    run = ThreadRun(
        TURN, open_item("a", items.tool("f")), open_item("b"), open_item("a", items.web_fetch("https://x"))
    )
    run.feed(close_item("a"), DONE)
    assert [row["kind"] for row in run.rows[0]["children"]] == ["webFetch", "command"]


def test_a_reopened_item_is_one_row_with_its_last_status() -> None:
    run = ThreadRun(
        TURN, open_item("a"), close_item("a", "failed"), open_item("a", reopen=True), close_item("a"), DONE
    )
    assert run.row("a")["status"] == "completed"


def test_a_command_with_a_non_zero_code_failed_whatever_its_agent_called_it() -> None:
    run = ThreadRun(TURN, open_item("a"), close_item("a", exit_code=2), DONE)
    assert (run.row("a")["status"], run.row("a")["exitCode"]) == ("failed", 2)
    assert run.of("item/completed")[0]["item"]["status"] == "completed"


def test_a_failed_command_with_code_zero_failed() -> None:
    run = ThreadRun(TURN, open_item("a"), close_item("a", "failed", exit_code=0), DONE)
    assert (run.row("a")["status"], run.row("a")["exitCode"]) == ("failed", 0)


def test_what_was_streamed_of_an_unfinished_command_is_its_output() -> None:
    run = ThreadRun(TURN, open_item("a"), output("a", "x"), output("a", "y")).finish()
    assert (run.row("a")["status"], run.row("a")["output"]) == ("pending", "xy")


def test_a_reset_replaces_what_was_streamed() -> None:
    run = ThreadRun(TURN, open_item("a"), snapshot("a", "ab"), snapshot("a", "bc")).finish()
    assert run.row("a")["output"] == "bc"


def test_the_text_of_an_unfinished_message_is_what_was_streamed() -> None:
    run = ThreadRun(TURN, say("half")).finish()
    assert [row["text"] for top in run.rows for row in walk(top) if row["kind"] == "message"] == ["half"]


def test_the_approval_of_a_call_stands_on_its_row() -> None:
    run = ThreadRun(TURN, open_item("a")).ask(1, "a", reason="outside")
    run.intake.answer(1, {"decision": "allowed"})
    run.feed(close_item("a"), DONE)
    assert run.row("a")["approval"] == {"decision": "allowed", "reason": "outside"}
    assert "approval" not in kinds(run)


def test_an_approval_survives_the_reshaping_of_its_row() -> None:
    run = ThreadRun(TURN, open_item("a", items.tool("f"))).ask(1, "a")
    run.intake.answer(1, {"decision": "denied"})
    run.feed(open_item("a", items.web_fetch("https://x")), close_item("a", "failed"), DONE)
    assert (run.row("a")["kind"], run.row("a")["approval"]) == ("webFetch", {"decision": "denied"})


@pytest.mark.parametrize(
    ("decision", "status"), [("allowed", "completed"), ("denied", "failed"), ("cancelled", "interrupted")]
)
def test_an_approval_of_no_known_call_is_a_row_of_its_own(decision: str, status: str) -> None:
    run = ThreadRun(TURN).ask(1, "nobody", title="Run it?", reason="why")
    run.intake.answer(1, {"decision": decision})
    row = run.feed(DONE).rows[0]["children"][0]
    assert (row["kind"], row["title"], row["status"]) == ("approval", "Run it?", status)
    assert (row["decision"], row["reason"]) == (decision, "why")


def test_a_question_of_no_call_is_a_question_row_with_its_answers() -> None:
    run = ThreadRun(TURN).ask(1, kind="user_question", questions=[{"q": "Which?"}], title="Choose")
    run.intake.answer(1, {"decision": "answered", "answers": ["red"]})
    row = run.feed(DONE).rows[0]["children"][0]
    assert (row["kind"], row["title"], row["status"]) == ("question", "Choose", "completed")
    assert (row["questions"], row["decision"], row["answers"]) == ([{"q": "Which?"}], "answered", ["red"])


def test_a_question_of_a_call_turns_its_row_into_the_question() -> None:
    run = ThreadRun(TURN, open_item("a", items.tool("ask"))).ask(1, "a", kind="user_question", questions=[1])
    run.intake.answer(1, {"decision": "answered", "answers": [2]})
    run.feed(close_item("a"), DONE)
    assert (run.row("a")["kind"], run.row("a")["answers"]) == ("question", [2])
    assert kinds(run) == ["turn", "question"]


def test_facts_without_a_turn_are_rows_of_their_own_in_their_place() -> None:
    run = ThreadRun(
        d.ProviderWarning("before"), TURN, DONE, d.Unhandled({}, "odd"), d.ProviderError("after")
    ).finish()
    assert [(row["kind"], row["title"]) for row in run.rows] == [
        ("warning", "before"),
        ("turn", "turn-1"),
        ("unhandled", "odd"),
        ("error", "after"),
    ]


def test_facts_inside_a_turn_are_its_children() -> None:
    run = ThreadRun(
        TURN, d.ProviderWarning("w"), d.ProviderError("e"), d.Unhandled({}, "odd", vouched_turn=True), DONE
    )
    assert [row["kind"] for row in run.rows[0]["children"]] == ["warning", "error", "unhandled"]


def test_unhandled_traffic_of_the_thread_is_no_child_of_the_open_turn() -> None:
    run = ThreadRun(TURN, d.Unhandled({}, "odd"), DONE)
    assert "children" not in run.rows[0]
    assert run.rows[1]["kind"] == "unhandled"


def test_an_interrupted_turn_says_so() -> None:
    assert ThreadRun(TURN, d.TurnBoundary("interrupted")).rows[0]["status"] == "interrupted"


def test_a_failed_turn_says_why() -> None:
    row = ThreadRun(TURN, d.TurnBoundary("failed", "boom")).rows[0]
    assert (row["status"], row["error"]) == ("failed", "boom")


def test_a_turn_is_titled_by_what_was_asked() -> None:
    blocks = [{"type": "text", "text": "Fix the build"}, {"type": "image", "data": "…"}]
    row = ThreadRun(TURN, d.InputAccepted(blocks), DONE).rows[0]
    assert (row["title"], row["input"]) == ("Fix the build", "Fix the build")


def test_an_agents_own_turn_says_who_began_it() -> None:
    assert ThreadRun(d.TurnOpen("agent"), DONE).rows[0]["initiator"] == "agent"


def test_a_long_title_is_shortened_and_the_text_is_not() -> None:
    line = "x" * 200 + "\nsecond line"
    row = ThreadRun(TURN, open_item("a", items.command(line)), DONE).rows[0]["children"][0]
    assert len(row["title"]) == 80
    assert row["title"].endswith("…")
    assert row["command"] == line


def test_the_agents_words_are_title_and_detail() -> None:
    run = ThreadRun(TURN, open_item("a", presentation=d.Presentation("Build", "all of it")), DONE)
    assert (run.row("a")["title"], run.row("a")["detail"]) == ("Build", "all of it")


def test_a_failed_row_tells_the_failure_in_its_detail() -> None:
    close = close_item("a", "failed", result_text="no such file")
    run = ThreadRun(
        TURN, open_item("a", items.file_read("/x"), presentation=d.Presentation("T", "D")), close, DONE
    )
    assert run.row("a")["detail"] == "no such file"


@pytest.mark.parametrize(
    ("item", "fields"),
    [
        (
            items.file_read("/a", cmd="cat /a"),
            {"kind": "fileRead", "path": "/a", "cmd": "cat /a", "title": "/a"},
        ),
        (
            items.search(mode="content", query="q", path="/a"),
            {"kind": "search", "mode": "content", "query": "q"},
        ),
        (items.web_fetch("https://x", prompt="p"), {"kind": "webFetch", "url": "https://x", "prompt": "p"}),
        (items.web_search(["a", "b"]), {"kind": "webSearch", "queries": ["a", "b"], "title": "a"}),
        (
            items.delegation("c", label="L", background=False, summary="S"),
            {"kind": "delegation", "childRef": "c", "label": "L", "background": False, "summary": "S"},
        ),
        (PLAN, {"kind": "plan", "steps": [{"step": "a", "status": "pending"}]}),
        (
            items.file_change([items.change("/a", "add")]),
            {"kind": "fileChange", "changes": [{"path": "/a", "kind": "add"}]},
        ),
        (
            items.tool("t", server="s", args=0, result=False),
            {"kind": "tool", "toolName": "t", "server": "s", "toolArgs": 0},
        ),
        ({"type": "imageView", "path": "/a.png"}, {"kind": "imageView", "path": "/a.png"}),
    ],
)
def test_each_item_has_its_row(item: dict[str, object], fields: dict[str, object]) -> None:
    row = ThreadRun(TURN, open_item("a", item), close_item("a"), DONE).row("a")
    assert {name: row.get(name) for name in fields} == fields


def test_a_failed_tool_shows_its_error_once() -> None:
    run = ThreadRun(
        TURN, open_item("a", items.tool("t", error="bad", result="bad")), close_item("a", "failed"), DONE
    )
    assert run.row("a")["error"] == "bad"
    assert "output" not in run.row("a")


def test_a_turns_rows_are_handed_out_once_nothing_of_it_is_open() -> None:
    run = ThreadRun(TURN, open_item("a"))
    assert run.rows == []
    run.feed(close_item("a"))
    assert run.rows == []
    run.feed(DONE)
    assert len(run.rows) == 1
    assert run.finish().rows == run.rows


def test_a_turn_with_work_in_the_background_waits_for_it_and_keeps_its_place() -> None:
    work = items.delegation("c", label="L", background=True)
    run = ThreadRun(TURN, open_item("a", work), DONE, TURN, DONE)
    assert run.rows == []
    run.feed(close_item("a"))
    assert [row["id"] for row in run.rows] == ["turn-1", "turn-2"]
    assert run.row("a")["status"] == "completed"


def test_what_is_left_at_the_end_is_handed_out_unfinished() -> None:
    run = ThreadRun(TURN, open_item("a")).finish()
    assert (run.rows[0]["status"], run.row("a")["status"]) == ("pending", "pending")


def test_items_that_name_each_other_as_parents_are_rows_each() -> None:
    run = ThreadRun(TURN, open_item("a"), open_item("b", parent="a"), open_item("a", parent="b"))
    run.feed(open_item("c", parent="b"), open_item("b", parent="c"), DONE)
    for item in ("a", "b", "c"):
        run.row(item)
    assert sum(map(count_rows, run.rows)) == 4


def test_items_stand_only_so_deep_under_one_another() -> None:
    deep = 3000
    below = (open_item(str(n), parent=str(n - 1)) for n in range(1, deep))
    run = ThreadRun(TURN, open_item("0"), *below, DONE)
    assert sum(map(count_rows, run.rows)) == deep + 1


@pytest.mark.parametrize(
    ("blocks", "shown"),
    [
        ([{"type": "text"}], ""),
        (["words", 3, None, {"type": "text", "text": "go"}], "go"),
        ([{"type": "text", "text": 7}, {"type": ["text"], "text": "x"}], ""),
    ],
)
def test_input_that_is_no_text_shows_none(blocks: list[object], shown: str) -> None:
    run = ThreadRun(TURN, d.InputAccepted(blocks), DONE)  # type: ignore[arg-type]
    assert run.rows[0].get("input", "") == shown
