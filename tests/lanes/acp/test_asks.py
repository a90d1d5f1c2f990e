"""Permission requests: joined to their call, or the opening of its row; the decision on that row."""

import pytest
from acp_frames import OPTIONS, AcpRun, ask, command, diff, prompted, tool_call, turn, update

RULE = "Not in allowlist: make"


def test_an_ask_is_the_approval_of_its_calls_row() -> None:
    run = prompted().feed(command("t1"), ask("t1", kind="execute", content=RULE))
    assert run.call("t1")["approval"] == {"decision": "pending", "reason": RULE}
    run.answer("allowed")
    assert run.call("t1")["approval"] == {"decision": "allowed", "reason": RULE}
    assert run.kinds("approval") == []


def test_the_text_of_an_ask_is_the_reason_and_the_detail_of_the_row() -> None:
    run = prompted().feed(command("t1"), ask("t1", content=RULE))
    assert run.asked[0]["params"]["payload"]["reason"] == RULE
    assert run.call("t1")["detail"] == RULE


def test_the_text_of_an_ask_is_never_output() -> None:
    run = prompted().feed(command("t1"), ask("t1", content=RULE))
    run.answer("allowed")
    run.feed(update("t1", status="completed")).answer_prompt()
    assert "output" not in run.call("t1")
    assert run.output_deltas() == []


def test_the_interaction_names_its_item_and_carries_title_and_options() -> None:
    run = prompted().feed(command("t1"), ask("t1", title="Run make?"))
    requested = run.events_of("interaction/requested")[0]
    assert requested["itemId"] == run.call("t1")["id"]
    assert requested["payload"]["kind"] == "approval"
    assert requested["payload"]["title"] == "Run make?"
    assert requested["payload"]["options"] == OPTIONS


@pytest.mark.parametrize(("decision", "option"), [("allowed", "yes"), ("denied", "no")])
def test_a_decision_is_sent_as_the_option_that_carries_it(decision: str, option: str) -> None:
    run = prompted().feed(command("t1"), ask("t1"))
    run.answer(decision)
    assert run.responses(0)[0]["result"] == {"outcome": {"outcome": "selected", "optionId": option}}
    assert run.events_of("interaction/resolved")[0]["decision"] == decision


def test_a_named_option_is_sent_as_it_is() -> None:
    run = prompted().feed(command("t1"), ask("t1"))
    run.answer("allowed", "always")
    assert run.responses(0)[0]["result"]["outcome"]["optionId"] == "always"


def test_a_decision_no_option_can_carry_is_sent_as_cancelled() -> None:
    run = prompted().feed(command("t1"), ask("t1", options=[OPTIONS[0]]))
    run.answer("denied")
    assert run.responses(0)[0]["result"] == {"outcome": {"outcome": "cancelled"}}


def test_s18_the_input_of_an_ask_fills_gaps_and_replaces_nothing() -> None:
    run = prompted().feed(
        tool_call("t1", name="x", raw_input={"a": 1}), ask("t1", raw_input={"a": 9, "b": 2})
    )
    assert run.call("t1")["toolArgs"] == {"a": 1, "b": 2}


def test_s18_a_diff_only_the_ask_shows_is_the_change() -> None:
    run = prompted().feed(
        tool_call("t1", kind="edit", title="Edit", locations=["/a"]),
        ask("t1", kind="edit", content=[diff("/a", "x", "y")]),
    )
    assert run.call("t1")["changes"] == [{"path": "/a", "kind": "update", "oldText": "x", "newText": "y"}]


def test_s18_the_same_call_asked_twice_is_still_one_row() -> None:
    run = prompted().feed(command("t1"), ask("t1"))
    run.answer("allowed")
    run.feed(ask("t1", content="and outside the folder"))
    run.answer("denied")
    run.feed(update("t1", status="failed")).answer_prompt()
    assert run.call("t1")["approval"]["decision"] == "denied"
    assert run.kinds("approval") == []


@pytest.mark.parametrize("ask_id", ["web_fetch_0", "edit-approval-1", "shell-permission"])
def test_s19_an_ask_under_another_id_joins_the_single_open_call_of_its_kind(ask_id: str) -> None:
    run = prompted().feed(
        command("t1"),
        tool_call("t2", kind="read", locations=["/a"]),
        ask(ask_id, kind="execute", content=RULE),
    )
    run.answer("allowed")
    run.feed(update("t1", status="completed")).answer_prompt()
    assert run.call("t1")["approval"] == {"decision": "allowed", "reason": RULE}
    assert run.calls(ask_id) == []
    assert "approval" not in run.call("t2")


def test_s19_an_ask_with_no_kind_joins_the_single_open_call() -> None:
    run = prompted().feed(command("t1"), ask("shell-permission"))
    assert run.call("t1")["approval"]["decision"] == "pending"
    assert run.calls("shell-permission") == []


def test_s19_a_call_that_has_its_ask_takes_no_other() -> None:
    run = prompted().feed(command("t1", "one"), ask("perm-1", kind="execute"))
    run.answer("denied")
    run.feed(command("t2", "two"), ask("perm-2", kind="execute"))
    run.answer("allowed")
    assert run.call("t1")["approval"]["decision"] == "denied"
    assert run.call("t2")["approval"]["decision"] == "allowed"


def test_s19_an_ask_with_no_kind_joins_the_single_call_without_an_ask() -> None:
    run = prompted().feed(command("t1"), ask("t1"), command("t2"), ask("shell-permission"))
    assert run.calls("shell-permission") == []
    assert run.call("t2")["approval"]["decision"] == "pending"


def test_s19_settled_calls_take_no_ask() -> None:
    run = prompted().feed(
        command("t1"), update("t1", status="completed"), command("t2"), ask("perm-1", kind="execute")
    )
    assert "approval" not in run.call("t1")
    assert run.call("t2")["approval"]["decision"] == "pending"


def test_s19_two_open_calls_of_the_kind_leave_the_ask_a_row_of_its_own() -> None:
    run = prompted().feed(command("t1"), command("t2"), ask("perm-1", kind="execute", title="make"))
    assert "approval" not in run.call("t1")
    assert "approval" not in run.call("t2")
    asked = [row for row in run.all_rows if "approval" in row or row["kind"] == "approval"]
    assert len(asked) == 1


def test_s19_a_call_of_another_kind_is_not_joined() -> None:
    run = prompted().feed(tool_call("t1", kind="read", locations=["/a"]), ask("perm-1", kind="execute"))
    assert "approval" not in run.call("t1")


def test_s19_frames_under_the_asks_id_continue_the_joined_row() -> None:
    run = prompted().feed(command("t1"), ask("perm-1", kind="execute"))
    run.answer("allowed")
    run.feed(update("perm-1", status="completed", content="ok")).answer_prompt()
    assert (run.call("t1")["status"], run.call("t1")["output"]) == ("completed", "ok")
    assert run.calls("perm-1") == []


def asked_first(profile: str) -> AcpRun:
    return prompted(profile).feed(ask("run__1", kind="execute", title="make", status="pending"))


@pytest.mark.parametrize("profile", ["gemini", "qwen", "generic"])
def test_s20_an_ask_that_joins_no_call_opens_the_row_and_its_frames_continue_it(profile: str) -> None:
    run = asked_first(profile)
    assert run.call("run__1")["approval"]["decision"] == "pending"
    run.answer("allowed")
    run.feed(update("run__1", status="completed", content="ok")).answer_prompt()
    row = run.call("run__1")
    assert (row["kind"], row["status"], row["approval"]["decision"]) == ("command", "completed", "allowed")
    assert run.events_of("provider/warning") == []


@pytest.mark.parametrize("profile", ["gemini", "qwen", "generic"])
def test_s20_a_refused_ask_with_nothing_more_settles_at_the_answer(profile: str) -> None:
    run = asked_first(profile)
    run.answer("denied")
    row = run.call("run__1")
    assert (row["status"], row["approval"]["decision"]) == ("failed", "denied")
    done = run.events_of("item/completed")[0]["item"]
    assert done["approvalStatus"] == "denied"
    assert not {"exitCode", "aggregatedOutput"} & set(done)
    run.answer_prompt()
    assert run.call("run__1") == row


@pytest.mark.parametrize("profile", ["gemini", "qwen"])
def test_s20_an_ask_of_a_new_call_never_joins_another_open_one(profile: str) -> None:
    run = prompted(profile).feed(command("other__1", "sleep 9"), ask("run__1", kind="execute", title="make"))
    assert "approval" not in run.call("other__1")
    assert run.call("run__1")["approval"]["decision"] == "pending"


def test_s20_a_refused_call_that_still_reports_its_failure_is_one_refused_row() -> None:
    run = prompted("qwen").feed(
        tool_call("t1", kind="execute", status="pending", title="Shell", raw_input={}),
        ask("t1", kind="execute", title="make", raw_input={"command": "make"}),
    )
    run.answer("denied")
    run.feed(update("t1", status="failed", content="the user said no")).answer_prompt()
    row = run.call("t1")
    assert (row["status"], row["approval"]["decision"]) == ("failed", "denied")
    assert "output" not in row


def test_a_refused_call_that_its_agent_forgets_is_settled_denied_with_the_turn() -> None:
    run = prompted().feed(tool_call("t1", kind="edit", locations=["/a"]), ask("edit-approval-1", kind="edit"))
    run.answer("denied")
    run.answer_prompt()
    row = run.call("t1")
    assert (row["status"], row["approval"]["decision"]) == ("failed", "denied")


def test_s21_a_child_asked_first_moves_under_its_parent_when_that_is_known() -> None:
    run = prompted("qwen").feed(
        tool_call("agent", kind="other", title="Agent: count", meta={"toolName": "agent"}),
        ask("child", kind="execute", title="ls", raw_input={"command": "ls"}),
    )
    run.answer("allowed")
    assert [row["providerItemId"] for row in run.work] == ["agent", "child"]
    run.feed(
        tool_call("child", kind="execute", title="ls", meta={"parentToolCallId": "agent"}),
        update("child", status="completed", meta={"parentToolCallId": "agent"}),
        update("agent", status="completed"),
    ).answer_prompt()
    assert [row["providerItemId"] for row in run.work] == ["agent"]
    assert [row["providerItemId"] for row in run.work[0]["children"]] == ["child"]
    assert run.call("child")["approval"]["decision"] == "allowed"


def test_s21_a_refused_child_moves_too() -> None:
    run = prompted("claude").feed(
        tool_call("agent", kind="think", title="Task", meta={"claudeCode": {"toolName": "Task"}}),
        ask("child", kind="execute", title="ls"),
    )
    run.answer("denied")
    run.feed(
        tool_call("child", kind="execute", title="ls", meta={"claudeCode": {"parentToolUseId": "agent"}})
    ).answer_prompt()
    assert [row["providerItemId"] for row in run.work[0]["children"]] == ["child"]
    assert run.call("child")["status"] == "failed"


def test_s22_a_fetch_whose_address_only_the_ask_says_becomes_a_web_fetch() -> None:
    run = prompted("cursor").feed(
        tool_call("t1", title="Web Fetch", kind="fetch", status="pending", raw_input={}),
        update("t1", status="in_progress"),
    )
    assert run.call("t1")["kind"] == "tool"
    run.feed(ask("web_fetch_0", kind="fetch", title="Fetch https://example.org/a?b=1", content=RULE))
    run.answer("allowed")
    run.feed(update("t1", status="completed", raw_output={"success": True})).answer_prompt()
    row = run.call("t1")
    assert (row["kind"], row["url"], row["status"]) == ("webFetch", "https://example.org/a?b=1", "completed")
    assert run.calls("web_fetch_0") == []
    assert {event["item"]["id"] for event in run.item_events("t1")} == {row["id"]}


def test_s22_the_address_may_stand_in_the_asks_text() -> None:
    run = prompted("cursor").feed(
        tool_call("t1", title="Web Fetch", kind="other", raw_input={}),
        ask("web_fetch_0", title="Web Fetch", content="Wants to open <https://example.org/x>."),
    )
    assert run.call("t1")["url"] == "https://example.org/x"


def test_an_ask_to_leave_plan_mode_is_a_plan_exit() -> None:
    run = prompted().feed(
        tool_call("t1", kind="switch_mode", title="Ready?", raw_input={"plan": "1. do it"}),
        ask("t1", kind="switch_mode"),
    )
    payload = run.asked[0]["params"]["payload"]
    assert (payload["kind"], payload["plan"]) == ("plan_exit", "1. do it")


def test_an_ask_outside_a_turn_is_answered_cancelled_and_kept_as_unhandled() -> None:
    run = turn()
    run.feed(ask("t1", kind="execute"))
    assert run.responses(0)[0]["result"] == {"outcome": {"outcome": "cancelled"}}
    assert run.asked == []
    assert run.unhandled[0]["rawType"] == "session/request_permission"
