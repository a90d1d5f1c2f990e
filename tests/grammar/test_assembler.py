"""Deltas to events: opening, re-shaping, settling, text and output."""

import pytest
from thread_runs import DONE, THREAD, TURN, ThreadRun, close_item, key, open_item, output, said, say, snapshot

from parity.grammar import deltas as d
from parity.grammar import items
from parity.grammar.assembler import Assembler


def test_ids_are_ordinals_of_the_thread() -> None:
    run = ThreadRun(TURN, open_item("x"), say("a"), DONE, TURN, open_item("y"), DONE)
    assert [event["turnId"] for event in run.of("turn/started")] == ["turn-1", "turn-2"]
    assert [event["item"]["id"] for event in run.of("item/started")] == ["item-1", "item-2", "item-3"]


def test_every_event_names_its_thread_and_scope() -> None:
    run = ThreadRun(d.ThreadStarted(), TURN, open_item("x"), close_item("x"), DONE, d.ThreadName("n"))
    assert {event["threadId"] for event in run.events} == {THREAD}
    scopes = [event["scope"] for event in run.events]
    assert scopes == [{"kind": "thread"}] + [{"kind": "turn", "turnId": "turn-1"}] * 4 + [{"kind": "thread"}]


def test_an_item_opens_pending_with_its_event_name_and_the_providers_id() -> None:
    run = ThreadRun(TURN, open_item("x", items.command("ls")))
    assert run.of("item/started")[0]["item"] == {
        "id": "item-1",
        "type": "commandExecution",
        "status": "pending",
        "providerItemId": "x",
        "command": "ls",
    }


def test_the_arguments_of_a_tool_are_called_arguments() -> None:
    run = ThreadRun(TURN, open_item("x", items.tool("look", args={"a": 1})))
    item = run.of("item/started")[0]["item"]
    assert (item["type"], item["arguments"]) == ("toolCall", {"a": 1})
    assert "args" not in item


def test_opening_an_open_item_reshapes_it_under_the_same_id() -> None:
    run = ThreadRun(TURN, open_item("x", items.tool("fetch")), open_item("x", items.web_fetch("https://a.b")))
    first, second = (event["item"] for event in run.of("item/started"))
    assert first["id"] == second["id"]
    assert (second["type"], second["url"]) == ("webFetch", "https://a.b")
    assert "tool" not in second


def test_a_reshaped_item_keeps_its_output() -> None:
    run = ThreadRun(
        TURN, open_item("x"), output("x", "a"), open_item("x", items.command("ls")), output("x", "b")
    )
    run.feed(close_item("x"))
    assert run.of("item/completed")[0]["item"]["aggregatedOutput"] == "ab"


def test_opening_a_settled_item_begins_a_new_one() -> None:
    run = ThreadRun(
        TURN, open_item("x"), output("x", "old"), close_item("x"), open_item("x"), close_item("x")
    )
    assert [event["item"]["id"] for event in run.of("item/completed")] == ["item-1", "item-2"]
    assert "aggregatedOutput" not in run.of("item/completed")[1]["item"]
    assert run.drops == {}


def test_reopening_a_settled_item_continues_it_and_it_settles_again() -> None:
    run = ThreadRun(TURN, open_item("x"), output("x", "a"), close_item("x"))
    run.feed(open_item("x", reopen=True), output("x", "b"), close_item("x", "failed"))
    first, second = (event["item"] for event in run.of("item/completed"))
    assert first["id"] == second["id"]
    assert (second["status"], second["aggregatedOutput"]) == ("failed", "ab")
    assert run.drops == {}


def test_a_reopened_item_left_open_is_settled_by_its_turn() -> None:
    run = ThreadRun(TURN, open_item("x"), close_item("x"), open_item("x", reopen=True), DONE)
    assert [event["item"]["status"] for event in run.of("item/completed")] == ["completed", "interrupted"]


def test_settling_twice_is_dropped_and_counted() -> None:
    run = ThreadRun(TURN, open_item("x"), close_item("x"), close_item("x", "failed"))
    assert len(run.of("item/completed")) == 1
    assert run.drops == {"item/settles-once:item/completed": 1}


def test_the_fields_of_a_close_stand_on_the_item() -> None:
    close = close_item(
        "x", "failed", exit_code=2, aggregated_output="o", result_text="r", approval_status="denied"
    )
    item = ThreadRun(TURN, open_item("x"), close).of("item/completed")[0]["item"]
    assert (item["exitCode"], item["aggregatedOutput"], item["resultText"]) == (2, "o", "r")
    assert item["approvalStatus"] == "denied"


def test_an_absent_code_and_output_stay_absent() -> None:
    item = ThreadRun(TURN, open_item("x"), close_item("x")).of("item/completed")[0]["item"]
    assert not {"exitCode", "aggregatedOutput", "resultText"} & set(item)


def test_a_code_of_zero_is_a_code() -> None:
    item = ThreadRun(TURN, open_item("x"), close_item("x", exit_code=0)).of("item/completed")[0]["item"]
    assert item["exitCode"] == 0


def test_an_open_item_is_interrupted_before_its_turn_ends() -> None:
    run = ThreadRun(TURN, open_item("x"), open_item("y"), close_item("y"), DONE)
    assert run.types[-2:] == ["item/completed", "turn/completed"]
    assert run.of("item/completed")[-1]["item"]["status"] == "interrupted"


def test_delegated_work_may_outlive_its_turn_and_settles_by_an_event_of_its_own() -> None:
    work = items.delegation("c", label="L", background=True)
    run = ThreadRun(TURN, open_item("x", work), DONE, close_item("x"))
    assert run.types[-2:] == ["turn/completed", "item/delegation/completed"]
    assert run.of("item/delegation/completed")[0]["scope"]["turnId"] == "turn-1"
    assert run.drops == {}


def test_delegated_work_in_the_foreground_ends_with_its_turn() -> None:
    work = items.delegation("c", label="L", background=False)
    run = ThreadRun(TURN, open_item("x", work), DONE)
    assert run.of("item/completed")[0]["item"]["status"] == "interrupted"


def test_late_work_may_settle_inside_a_later_turn() -> None:
    work = items.delegation("c", label="L", background=True)
    run = ThreadRun(TURN, open_item("x", work), DONE, TURN, close_item("x"), DONE)
    assert run.of("item/delegation/completed")[0]["item"]["status"] == "completed"
    assert run.drops == {}


def test_an_ended_session_leaves_nothing_open() -> None:
    work = items.delegation("c", label="L", background=True)
    run = ThreadRun(TURN, open_item("x", work), DONE, TURN, open_item("y"), d.SessionEnded())
    assert run.of("turn/completed")[-1]["status"] == "interrupted"
    assert run.of("item/delegation/completed")[0]["item"]["status"] == "interrupted"
    assert run.of("item/completed")[0]["item"]["status"] == "interrupted"


def test_a_parent_is_named_by_its_minted_id() -> None:
    run = ThreadRun(TURN, open_item("p"), open_item("c", parent="p"))
    assert run.of("item/started")[1]["item"]["parentItemId"] == "item-1"


def test_an_unknown_parent_is_not_invented() -> None:
    assert "parentItemId" not in ThreadRun(TURN, open_item("c", parent="p")).of("item/started")[0]["item"]


def test_a_parent_once_known_stays_known() -> None:
    run = ThreadRun(TURN, open_item("p"), open_item("c", parent="p"), open_item("c", items.command("ls")))
    assert run.of("item/started")[2]["item"]["parentItemId"] == "item-1"


def test_a_presentation_once_known_stays_until_another_comes() -> None:
    run = ThreadRun(TURN, open_item("x", presentation=d.Presentation("T")), open_item("x", items.tool("t")))
    assert run.of("item/started")[1]["item"]["presentation"] == {"title": "T"}
    run.feed(close_item("x", presentation=d.Presentation("U", "why")))
    assert run.of("item/completed")[0]["item"]["presentation"] == {"title": "U", "detail": "why"}


def test_the_first_text_opens_the_message_and_the_close_has_all_of_it() -> None:
    run = ThreadRun(TURN, say("a"), say("b"), said())
    assert run.types == [
        "turn/started",
        "item/started",
        "item/agentMessage/delta",
        "item/agentMessage/delta",
        "item/completed",
    ]
    assert run.of("item/completed")[0]["item"]["text"] == "ab"


def test_the_whole_text_of_a_close_wins() -> None:
    assert ThreadRun(TURN, say("a"), said("abc")).of("item/completed")[0]["item"]["text"] == "abc"


def test_a_whole_text_without_pieces_is_a_message() -> None:
    run = ThreadRun(TURN, said("abc"))
    assert run.of("item/completed")[0]["item"]["text"] == "abc"
    assert run.of("item/agentMessage/delta")[0]["delta"] == "abc"


def test_a_close_of_no_message_is_nothing() -> None:
    assert ThreadRun(TURN, said()).types == ["turn/started"]


def test_text_after_the_close_of_its_message_is_a_new_message() -> None:
    run = ThreadRun(TURN, say("a", "m"), said(None, "m"), say("b", "m"), said(None, "m"))
    assert [event["item"]["text"] for event in run.of("item/completed")] == ["a", "b"]


@pytest.mark.parametrize(
    ("channel", "event", "item"),
    [
        ("agentMessage", "item/agentMessage/delta", "agentMessage"),
        ("reasoningText", "item/reasoning/textDelta", "reasoning"),
        ("reasoningSummary", "item/reasoning/summaryTextDelta", "reasoning"),
        ("plan", "item/plan/delta", "plan"),
    ],
)
def test_each_channel_has_its_item_and_its_delta(channel: str, event: str, item: str) -> None:
    run = ThreadRun(TURN, say("a", channel=channel))
    assert run.of("item/started")[0]["item"]["type"] == item
    assert run.of(event)[0]["delta"] == "a"


def test_two_channels_of_one_id_are_two_items() -> None:
    run = ThreadRun(TURN, say("a", "m"), say("b", "m", "reasoningText"))
    assert [event["item"]["type"] for event in run.of("item/started")] == ["agentMessage", "reasoning"]


def test_s05_a_snapshot_becomes_the_growth_since_the_last_one() -> None:
    run = ThreadRun(TURN, open_item("x"), snapshot("x", "a"), snapshot("x", "ab"), snapshot("x", "ab"))
    assert [event["delta"] for event in run.of("item/commandExecution/outputDelta")] == ["a", "b"]


def test_s06_a_snapshot_that_lost_its_head_is_one_reset() -> None:
    run = ThreadRun(TURN, open_item("x"), snapshot("x", "ab"), snapshot("x", "bc"), snapshot("x", "bcd"))
    deltas = [(e["delta"], e.get("reset", False)) for e in run.of("item/commandExecution/outputDelta")]
    assert deltas == [("ab", False), ("bc", True), ("d", False)]


def test_a_snapshot_after_increments_counts_from_their_text() -> None:
    run = ThreadRun(TURN, open_item("x"), output("x", "a"), output("x", "b"), snapshot("x", "abc"))
    assert [event["delta"] for event in run.of("item/commandExecution/outputDelta")] == ["a", "b", "c"]


def test_s10_a_close_without_output_has_the_joined_deltas() -> None:
    run = ThreadRun(TURN, open_item("x"), output("x", "a"), output("x", "b"), close_item("x"))
    assert run.of("item/completed")[0]["item"]["aggregatedOutput"] == "ab"


def test_s11_a_close_never_doubles_what_was_streamed() -> None:
    run = ThreadRun(TURN, open_item("x"), output("x", "a"), close_item("x", aggregated_output="ab"))
    assert [event["delta"] for event in run.of("item/commandExecution/outputDelta")] == ["a", "b"]
    assert run.of("item/completed")[0]["item"]["aggregatedOutput"] == "ab"


def test_s11_a_late_delta_after_the_close_changes_nothing_and_is_counted() -> None:
    run = ThreadRun(TURN, open_item("x"), output("x", "a"), close_item("x", aggregated_output="ab"))
    run.feed(output("x", "b"), DONE)
    assert run.drops == {"item/opens-before-delta:item/commandExecution/outputDelta": 1}
    assert run.row("x")["output"] == "ab"


def test_s11_an_empty_close_never_shortens_what_was_streamed() -> None:
    run = ThreadRun(TURN, open_item("x"), output("x", "a"), close_item("x"), DONE)
    assert run.row("x")["output"] == "a"


def test_an_empty_piece_of_output_says_nothing() -> None:
    assert ThreadRun(TURN, open_item("x"), output("x", "")).of("item/commandExecution/outputDelta") == []


def test_the_output_of_a_file_change_is_streamed_by_its_own_event() -> None:
    run = ThreadRun(TURN, open_item("x", items.file_change([items.change("/a")])), output("x", "patched"))
    assert run.of("item/fileChange/outputDelta")[0]["delta"] == "patched"


def test_output_kept_while_the_item_has_no_output_is_shown_once_it_has() -> None:
    run = ThreadRun(TURN, open_item("x", items.tool("t")), output("x", "a"), open_item("x"), output("x", "b"))
    run.feed(close_item("x"), DONE)
    streamed = "".join(event["delta"] for event in run.of("item/commandExecution/outputDelta"))
    assert streamed == run.row("x")["output"] == "ab"


@pytest.mark.parametrize(("whole", "streamed"), [("ab", "ab"), ("a", "a"), ("cab", "a"), ("", "a")])
def test_the_end_of_a_text_that_was_never_streamed_is_streamed_at_its_close(
    whole: str, streamed: str
) -> None:
    run = ThreadRun(TURN, say("a"), said(whole), DONE)
    assert "".join(event["delta"] for event in run.of("item/agentMessage/delta")) == streamed
    assert run.of("item/completed")[0]["item"]["text"] == whole


@pytest.mark.parametrize(("hidden", "events"), [("a", []), ("ab", [("b", False)]), ("c", [("c", True)])])
def test_output_that_was_shown_before_a_reshape_is_not_shown_twice(
    hidden: str, events: list[tuple[str, bool]]
) -> None:
    run = ThreadRun(TURN, open_item("x"), snapshot("x", "a"), open_item("x", items.file_read("/a")))
    run.feed(snapshot("x", hidden), open_item("x"), close_item("x"), DONE)
    deltas = run.of("item/commandExecution/outputDelta")
    assert [(event["delta"], event.get("reset", False)) for event in deltas] == [("a", False), *events]
    assert run.row("x")["output"] == hidden


@pytest.mark.parametrize(
    "delta",
    [
        open_item("x", no_turn_fallback=d.Fallback({"a": 1}, "odd")),
        d.TextDelta(d.Key(None, "agentMessage"), "a", d.Fallback({"a": 1}, "odd")),
    ],
)
def test_work_without_a_turn_becomes_its_fallback(delta: d.Delta) -> None:
    event = ThreadRun(delta).events[0]
    assert (event["type"], event["raw"], event["rawType"]) == ("provider/unhandled", {"a": 1}, "odd")
    assert event["scope"] == {"kind": "thread"}


@pytest.mark.parametrize("delta", [open_item("x"), say("a"), output("x", "a"), close_item("x"), DONE])
def test_work_without_a_turn_and_without_a_fallback_is_dropped_and_counted(delta: d.Delta) -> None:
    run = ThreadRun(delta)
    assert run.events == []
    assert sum(run.drops.values()) == 1


def test_unhandled_traffic_of_the_turn_is_the_turns_only_where_vouched_for() -> None:
    run = ThreadRun(TURN, d.Unhandled({}, "a", vouched_turn=True), d.Unhandled({}, "b"))
    assert [event["scope"]["kind"] for event in run.of("provider/unhandled")] == ["turn", "thread"]


def test_what_is_unhandled_only_without_a_turn_is_silent_inside_one() -> None:
    odd = d.Unhandled({}, "a", only_if_no_turn=True)
    assert ThreadRun(TURN, odd).of("provider/unhandled") == []
    assert len(ThreadRun(odd).of("provider/unhandled")) == 1


def test_an_error_that_settles_the_turn_fails_it() -> None:
    run = ThreadRun(TURN, open_item("x"), d.ProviderError("boom", settles_turn=True))
    assert run.types[-3:] == ["provider/error", "item/completed", "turn/completed"]
    assert (run.of("turn/completed")[0]["status"], run.of("turn/completed")[0]["error"]) == ("failed", "boom")


def test_an_error_that_will_be_tried_again_leaves_the_turn_open() -> None:
    run = ThreadRun(TURN, d.ProviderError("slow", will_retry=True))
    assert run.of("turn/completed") == []


def test_a_boundary_that_claims_an_idle_thread_is_a_turn_of_its_own() -> None:
    run = ThreadRun(d.TurnBoundary("failed", "boom", claim_if_idle=True))
    assert run.types == ["turn/started", "turn/completed"]
    assert run.events[0]["initiator"] == "agent"


def test_progress_is_told_by_the_items_own_event() -> None:
    run = ThreadRun(
        TURN,
        open_item("t", items.tool("t")),
        d.ItemProgress(key("t"), "half"),
        open_item("g", items.delegation("c", label="L", background=True)),
        d.ItemProgress(key("g"), "half"),
    )
    assert [event["type"] for event in run.events if "message" in event] == [
        "item/toolCall/progress",
        "item/delegation/progress",
    ]


@pytest.mark.parametrize(
    ("delta", "event"),
    [
        (d.Usage(total={"totalTokens": 3}), "thread/tokenUsage/updated"),
        (d.ContextWindow(1, 9), "thread/contextWindowUsage/updated"),
        (d.ContextCompacted(), "thread/compacted"),
        (d.ContextCleared(), "thread/context/cleared"),
        (d.ThreadStarted(), "thread/started"),
        (d.ThreadIdentity("s"), "thread/identity"),
        (d.ThreadName("n"), "thread/name/updated"),
        (d.ExtensionState("x", {"a": 1}), "thread/extensionState/updated"),
        (d.ProviderWarning("w"), "provider/warning"),
        (d.ProviderRateLimits({"a": 1}), "provider/rateLimits/updated"),
        (d.ProviderModelFallback("m"), "provider/modelFallback"),
    ],
)
def test_each_fact_has_its_event(delta: d.Delta, event: str) -> None:
    assert ThreadRun(delta).types == [event]


def test_a_diff_of_the_turn_is_an_event_of_the_turn() -> None:
    event = ThreadRun(TURN, d.TurnDiff("---")).of("turn/diff/updated")[0]
    assert (event["diff"], event["scope"]["turnId"]) == ("---", "turn-1")


def test_the_assembler_names_an_item_only_while_its_turn_knows_it() -> None:
    assembler = Assembler(THREAD)
    for delta in (TURN, open_item("x")):
        assembler.apply(delta)
    assert assembler.item_id("x") == "item-1"
    assert assembler.item_id("y") is None
    assembler.apply(DONE)
    assert assembler.item_id("x") is None
    assert not assembler.turn_open
