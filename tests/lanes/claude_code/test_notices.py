"""System lines and types of all kinds: what is shown, what is quiet, what survives."""

import pytest
from claude_frames import ClaudeRun, Json, assistant, done, init, prompted, system, text, turn, use


def test_a_retry_is_a_warning_and_the_turn_goes_on() -> None:
    retry = system("api_retry", attempt=1, max_retries=10, error_status=529, error="overloaded")
    run = turn(retry, assistant(text("ok")))
    assert run.row("warning")["title"] == "API error 529 (overloaded), retry 1 of 10"
    assert run.row("turn")["status"] == "completed"


def test_a_retry_without_a_status_says_so_by_saying_nothing() -> None:
    run = turn(system("api_retry", attempt=2, error_status=None, error="unknown"))
    assert run.row("warning")["title"] == "API error (unknown), retry 2"


def test_a_compaction_is_a_row() -> None:
    run = prompted("/compact").feed(system("compact_boundary", compact_metadata={"trigger": "manual"}))
    run.feed(done("", num_turns=0, local_command="compact"))
    assert [row["kind"] for row in run.all_rows] == ["turn", "compaction"]


def test_a_failed_compaction_is_a_warning() -> None:
    run = turn(system("status", status=None, compact_result="failed", compact_error="too short"))
    assert run.row("warning")["title"] == "compacting the context failed: too short"


def test_a_summary_of_the_models_api_is_a_compaction() -> None:
    block = {"type": "compaction", "content": "We talked of tea.", "encrypted_content": "eA=="}
    run = turn(assistant(block), assistant(text("on"), message_id="msg-2"))
    assert [row["kind"] for row in run.all_rows] == ["turn", "compaction", "message"]


def test_the_compaction_of_a_sub_agent_is_not_the_threads() -> None:
    block = {"type": "compaction", "content": "We talked of tea."}
    run = turn(assistant(use("c1", "Task", prompt="look")), assistant(block, message_id="m", parent="c1"))
    assert run.events_of("thread/compacted", "provider/unhandled") == []


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"error_code": "ENOSPC", "lost": ["transcript"]}, "could not save transcript: ENOSPC"),
        (
            {"error_code": "EDQUOT", "lost": ["transcript", "global_config"]},
            "could not save transcript, global_config: EDQUOT",
        ),
        ({"error_code": "ENOSPC", "lost": None}, "could not save: ENOSPC"),
        ({"lost": ["transcript"]}, "could not save transcript"),
    ],
)
def test_lines_of_the_session_that_were_not_saved_are_a_warning_after_the_turn(
    fields: Json, words: str
) -> None:
    run = turn(assistant(text("ok"))).feed(system("session_writes_lost", **fields))
    assert [row["kind"] for row in run.rows] == ["turn", "message", "warning"]
    assert run.row("warning")["title"] == words


def test_a_goal_is_told_when_it_changes_and_when_it_is_cleared() -> None:
    goal = {"condition": "tests pass", "iterations": 0, "set_at": 1, "tokens_at_start": 1}
    again = {**goal, "iterations": 1, "last_reason": "two fail"}
    lines = [{"type": "active_goal", "value": value} for value in (None, goal, goal, again, None, None)]
    run = prompted().feed(*lines)
    states = [
        event["state"]
        for event in run.events_of("thread/extensionState/updated")
        if event["extension"] == "claude-code.goal"
    ]
    assert states == [goal, again, None]
    assert [row["kind"] for row in run.all_rows] == ["turn"]


def test_rate_limits_are_passed_on_in_the_agents_words() -> None:
    limits = {"status": "allowed_warning", "resetsAt": 1}
    run = ClaudeRun().feed({"type": "rate_limit_event", "rate_limit_info": limits})
    assert run.events_of("provider/rateLimits/updated")[0]["limits"] == limits


def test_the_permission_mode_is_told_when_it_changes() -> None:
    run = prompted().feed(
        init(), system("status", status=None, permissionMode="plan"), init(permissionMode="plan")
    )
    states = [event["state"] for event in run.events_of("thread/extensionState/updated")]
    assert states == [{"permissionMode": "default"}, {"permissionMode": "plan"}]


def test_a_fallback_to_another_model_is_told() -> None:
    fallback = system("model_refusal_fallback", original_model="a", fallback_model="b", content="refused")
    (event,) = prompted().feed(fallback).events_of("provider/modelFallback")
    assert (event["model"], event["previous"], event["reason"]) == ("b", "a", "refused")


def test_a_new_conversation_clears_the_context() -> None:
    assert prompted().feed({"type": "conversation_reset"}).events_of("thread/context/cleared")


@pytest.mark.parametrize(
    "line",
    [
        system("informational", content="careful", level="warning"),
        system("notification", text="careful", priority="high"),
        {"type": "auth_status", "isAuthenticating": False, "output": [], "error": "careful"},
    ],
)
def test_a_notice_for_people_is_a_warning(line: Json) -> None:
    assert turn(line).row("warning")["title"] == "careful"


def test_output_of_a_command_of_the_agents_own_is_a_message() -> None:
    assert turn(system("local_command_output", content="Cost: 0")).row("message")["text"] == "Cost: 0"


@pytest.mark.parametrize(
    "line",
    [
        system("status", status="requesting"),
        system("hook_started", hook_name="x"),
        system("background_tasks_changed", tasks=[]),
        system("thinking_tokens", estimated_tokens=5),
        system("informational", content="x", level="info"),
        {"type": "tool_progress", "tool_use_id": "c1", "elapsed_time_seconds": 3},
        {"type": "keep_alive"},
        {"type": "command_lifecycle", "state": "queued"},
        {"type": "prompt_suggestion", "suggestion": "next"},
        assistant({"type": "compaction", "content": None, "encrypted_content": None}),
        assistant({"type": "mcp_tool_listing", "mcp_server_name": "docs", "tools": [{"name": "find"}]}),
        assistant({"type": "tool_addition", "tool": {"type": "tool_reference", "name": "find"}}),
        assistant({"type": "tool_removal", "tool": {"type": "tool_reference", "name": "find"}}),
    ],
)
def test_what_says_nothing_for_a_timeline_is_quiet(line: Json) -> None:
    assert [row["kind"] for row in turn(line, ending=done()).all_rows] == ["turn"]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ({"type": "telepathy", "x": 1}, "telepathy"),
        (system("moon_phase", x=1), "system/moon_phase"),
        (system("task_started"), "system/task_started"),
        (system("session_writes_lost", lost=[]), "system/session_writes_lost"),
        ({"type": "active_goal", "value": "win"}, "active_goal"),
        ({"type": "system"}, "system/None"),
    ],
)
def test_s45_what_no_lane_knows_is_kept_whole_and_the_stream_goes_on(line: Json, kind: str) -> None:
    run = turn(line, assistant(text("on")))
    (event,) = run.events_of("provider/unhandled")
    assert (event["rawType"], event["raw"], event["scope"]["kind"]) == (kind, line, "turn")
    assert run.row("message")["text"] == "on"


@pytest.mark.parametrize(
    "line",
    [
        {"type": "assistant"},
        {"type": "assistant", "message": {"content": None, "id": None}},
        {"type": "user", "message": {"content": [None, 3]}},
        {"type": "stream_event", "event": None},
        {"type": "system", "subtype": "init", "cwd": None, "session_id": None},
        {"type": "system", "subtype": "task_updated", "task_id": "t", "patch": None},
        {"type": "rate_limit_event"},
    ],
)
def test_s28_a_line_with_nothing_where_much_should_be_breaks_nothing(line: Json) -> None:
    run = turn(line, assistant(text("on"), message_id="msg-2"))
    assert run.row("message")["text"] == "on"
    assert run.drops == {}
