"""Sub-agents and work that outlives its turn."""

import pytest
from claude_frames import (
    NOTIFIED,
    ClaudeRun,
    Json,
    assistant,
    block_start,
    can_use,
    done,
    init,
    message_start,
    prompted,
    result_of,
    task,
    text,
    text_delta,
    turn,
    use,
    user,
)

AGENT = use("a1", "Agent", description="Child job", prompt="look")
LAUNCHED = {"status": "async_launched", "agentId": "t1"}


def children(run: ClaudeRun) -> list[str]:
    return [row["kind"] for row in run.row("delegation").get("children", [])]


def background_command() -> ClaudeRun:
    """A turn that leaves a command in the background."""
    return turn(
        assistant(use("c1", command="serve", run_in_background=True)),
        task("started", "t1", "c1", is_backgrounded=True, task_type="local_bash"),
        result_of(
            "c1", "Command running in background with ID: t1", result={"backgroundTaskId": "t1", "stdout": ""}
        ),
        assistant(text("started")),
    )


def test_a_sub_agents_work_stands_under_its_delegation() -> None:
    run = turn(
        assistant(AGENT),
        task("started", "t1", "a1", is_backgrounded=False, task_type="local_agent"),
        user("look", parent="a1"),
        assistant(use("c1"), parent="a1", message_id="child-1"),
        result_of("c1", "Exit code 2\nx", error=True, parent="a1"),
        assistant(text("found"), parent="a1", message_id="child-2"),
        result_of("a1", [{"type": "text", "text": "report"}]),
    )
    row = run.row("delegation")
    assert (row["label"], row["status"], row["summary"], row["background"]) == (
        "Child job",
        "completed",
        "report",
        False,
    )
    assert children(run) == ["command", "message"]
    assert row["children"][0]["exitCode"] == 2
    assert run.events_of("turn/input/accepted") == run.events_of("turn/input/accepted")[:1]


def test_a_report_leaves_out_the_notes_the_agent_program_put_around_it() -> None:
    content = [{"type": "text", "text": part} for part in ("<note>", "report", "<tail>")]
    result = {"status": "completed", "content": content, "harnessNoteCount": 1, "harnessTailCount": 1}
    run = turn(assistant(AGENT), result_of("a1", "…", result=result))
    assert run.row("delegation")["summary"] == "report"


def test_s21_a_sub_agents_request_before_its_call_is_one_nested_row() -> None:
    run = prompted().feed(
        assistant(AGENT),
        task("started", "t1", "a1", is_backgrounded=False),
        can_use("r1", "c1", agent_id="t1"),
    )
    run.decide("allowed").feed(
        assistant(use("c1"), parent="a1", message_id="child-1"), result_of("c1", "ok", parent="a1")
    )
    run.feed(result_of("a1", "report"), done())
    assert children(run) == ["command"]
    assert run.row("delegation")["children"][0]["approval"] == {"decision": "allowed"}


def test_s32_a_request_of_a_finished_sub_agent_is_put_to_a_person_and_opens_no_call() -> None:
    run = turn(assistant(AGENT), task("started", "t1", "a1"), result_of("a1", "report"))
    run.feed(can_use("r1", "c1", agent_id="t1")).decide("denied")
    assert run.decisions[0]["response"]["behavior"] == "deny"
    assert run.row("approval")["decision"] == "denied"
    assert run.drops == {}


def test_a_sub_agents_usage_is_not_the_threads() -> None:
    run = turn(
        assistant(AGENT), assistant(text("x"), parent="a1", usage={"input_tokens": 9, "output_tokens": 9})
    )
    assert run.events_of("thread/tokenUsage/updated") == []


def test_a_background_command_is_pending_until_its_news_and_is_one_row() -> None:
    run = background_command()
    assert run.events_of("item/completed")[-1]["item"]["type"] == "agentMessage"
    run.feed(task("notification", "t1", "c1", status="failed", summary='"serve" failed with exit code 3'))
    row = run.row("command")
    assert (row["status"], row["detail"]) == ("failed", '"serve" failed with exit code 3')
    assert "exitCode" not in row
    assert "output" not in row
    (late,) = run.events_of("item/backgroundTask/completed")
    assert late["scope"] == {"kind": "turn", "turnId": "turn-1"}
    assert len(run.events_of("turn/completed")) == 1
    assert run.drops == {}


def test_s33_the_answer_to_the_news_is_a_turn_of_the_agents_own() -> None:
    run = background_command().feed(task("notification", "t1", "c1", status="completed", summary="done"))
    run.feed(init(), assistant(text("it is up"), message_id="msg-9"), done("it is up", origin=NOTIFIED))
    first, _, second, answer = run.rows
    assert (first["status"], second["status"], second["initiator"]) == ("completed", "completed", "agent")
    assert (first["children"][0]["status"], answer["text"]) == ("completed", "it is up")


def test_a_foreground_tasks_news_settles_nothing() -> None:
    run = prompted().feed(
        assistant(use("c1")),
        task("started", "t1", "c1", is_backgrounded=False),
        task("notification", "t1", "c1", status="completed", summary="Count"),
    )
    assert run.events_of("item/completed") == []
    run.feed(result_of("c1", "1\n2"), done())
    assert run.row("command")["output"] == "1\n2"


def test_a_command_sent_to_the_background_while_it_ran_stays_open() -> None:
    run = prompted().feed(
        assistant(use("c1")),
        task("started", "t1", "c1", is_backgrounded=False),
        {"type": "system", "subtype": "task_updated", "task_id": "t1", "patch": {"is_backgrounded": True}},
        done(),
    )
    assert run.events_of("item/completed") == []
    run.feed(task("notification", "t1", None, status="stopped", summary="stopped"))
    assert run.row("command")["status"] == "interrupted"


def test_progress_of_a_task_is_progress_of_its_call() -> None:
    run = prompted().feed(
        assistant(AGENT), task("started", "t1", "a1"), task("progress", "t1", "a1", description="Running ls")
    )
    assert run.events_of("item/delegation/progress")[0]["message"] == "Running ls"


def test_a_background_agent_works_on_under_its_delegation_after_the_turn() -> None:
    run = turn(
        assistant(AGENT),
        task("started", "t1", "a1", is_backgrounded=True),
        result_of("a1", "launched", result=LAUNCHED),
        assistant(use("c1"), parent="a1", message_id="child-1"),
    )
    run.feed(
        result_of("c1", "ok", parent="a1"),
        assistant(use("c2"), parent="a1", message_id="child-2"),
        result_of("c2", "ok", parent="a1"),
        assistant(text("report"), parent="a1", message_id="child-3"),
        task("notification", "t1", "a1", status="completed", summary="report"),
    )
    assert children(run) == ["command", "command", "message"]
    assert run.row("delegation")["summary"] == "report"
    assert [row["status"] for row in run.all_rows if row["kind"] == "command"] == ["completed", "completed"]
    assert [row["kind"] for row in run.rows if row["kind"] == "turn"] == ["turn"]
    assert run.drops == {}


def test_a_background_agents_work_does_not_end_with_a_later_turn() -> None:
    run = turn(assistant(AGENT), result_of("a1", "launched", result=LAUNCHED))
    run.prompt("next").feed(assistant(use("c1"), parent="a1", message_id="child-1"), done("hi", num_turns=1))
    run.feed(
        result_of("c1", "out", parent="a1"), task("notification", "t1", "a1", status="completed", summary="r")
    )
    assert run.row("command")["output"] == "out"
    assert children(run) == ["command"]
    assert run.drops == {}


def test_s38_a_childs_message_opens_no_turn_when_its_call_is_unknown() -> None:
    stray: Json = assistant(text("x"), parent="gone", message_id="child-1")
    run = turn(assistant(text("done"))).feed(stray)
    assert len(run.events_of("turn/started")) == 1
    assert run.row("unhandled")["title"] == "assistant"


@pytest.mark.parametrize("circle", [("c1",), ("c1", "c2"), ("c1", "c2", "c3")])
def test_calls_that_name_each_other_as_parents_are_rows_each(circle: tuple[str, ...]) -> None:
    run = prompted()
    for call_id, parent in zip(circle, (*circle[1:], circle[0]), strict=True):
        run.feed(assistant(use(call_id), parent=parent))
    for call_id, parent in zip(circle, (*circle[1:], circle[0]), strict=True):
        run.feed(assistant(use(call_id, command="again"), parent=parent))
    run.feed(assistant(use("c9"), parent="c1"), assistant(text("x"), parent="c1"), done())
    rows = [row for row in run.all_rows if row["kind"] == "command"]
    assert len(rows) == len(circle) + 1
    assert run.drops == {}


def under(frame: Json, parent: str = "a1") -> Json:
    return {**frame, "parent_tool_use_id": parent}


def launched() -> ClaudeRun:
    return prompted().feed(assistant(AGENT), result_of("a1", "started", result=LAUNCHED))


def test_a_sub_agents_text_that_streams_across_the_turns_end_is_shown_once() -> None:
    run = launched().feed(under(message_start("k1")), under(block_start(0, text(""))))
    run.feed(under(text_delta(0, "half and ")), done(), under(text_delta(0, "half")))
    run.feed(assistant(text("half and half"), message_id="k1", parent="a1"))
    run.feed(task("notification", "t1", "a1", status="completed"))
    assert run.row("message")["text"] == "half and half"
    assert run.drops == {}


def test_a_sub_agents_message_goes_on_after_the_turns_end() -> None:
    run = launched().feed(assistant(use("c1"), message_id="k1", parent="a1"), done())
    run.feed(assistant(use("c2", command="make all"), message_id="k1", parent="a1"))
    run.feed(result_of("c1", "ok", parent="a1"), result_of("c2", "ok", parent="a1"))
    run.feed(task("notification", "t1", "a1", status="completed"))
    assert [row["status"] for row in run.row("delegation")["children"]] == ["completed", "completed"]
    assert run.events_of("provider/unhandled") == []


def test_what_a_sub_agent_leaves_open_is_over_with_it_also_between_two_turns() -> None:
    run = launched().feed(assistant(use("c1"), message_id="k1", parent="a1"), done())
    run.feed(task("notification", "t1", "a1", status="completed"))
    (ended,) = run.events_of("item/backgroundTask/completed")
    assert ended["item"]["status"] == "interrupted"


def test_a_question_about_late_work_is_taken_back_once_that_is_over() -> None:
    run = launched().feed(assistant(use("c1"), message_id="k1", parent="a1"), done())
    run.feed(can_use("r1", "c1"), result_of("c1", "ok", parent="a1"))
    assert [message["method"] for message in run.told][-1] == "$/cancel_request"


def test_s32_a_message_that_only_began_to_stream_in_a_turn_begins_no_other() -> None:
    run = prompted().feed(message_start("m1"), block_start(0, text("")), text_delta(0, "half"), done())
    run.feed(assistant(text("half and half"), message_id="m1"))
    assert len(run.events_of("turn/started")) == 1
    assert [event["rawType"] for event in run.events_of("provider/unhandled")] == ["assistant"]
