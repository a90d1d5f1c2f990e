"""What an MCP server asks a person through the agent, and dialogs of the agent itself."""

from typing import Any

import pytest
from claude_frames import THREAD, ClaudeRun, Json, assistant, control, done, init, prompted, text

FIELDS = {"type": "object", "properties": {"name": {"type": "string"}}}


def elicitation(request_id: str = "e1", **fields: Any) -> Json:
    """A form without fields, unless `fields` say otherwise."""
    told: Json = {"mcp_server_name": "docs", "message": "Delete the index?", "mode": "form"}
    told["requested_schema"] = {"type": "object", "properties": {}}
    return control(request_id, "elicitation", **{**told, **fields})


@pytest.mark.parametrize(
    ("decision", "answer", "status"),
    [
        ("allowed", {"action": "accept", "content": {}}, "completed"),
        ("denied", {"action": "decline"}, "failed"),
        ("cancelled", {"action": "cancel"}, "interrupted"),
    ],
)
def test_a_form_with_nothing_to_fill_in_is_an_approval(decision: str, answer: Json, status: str) -> None:
    run = prompted().feed(elicitation())
    payload = run.asked[-1]["params"]["payload"]
    assert (payload["kind"], payload["title"], payload["reason"]) == (
        "approval",
        "docs",
        "Delete the index?",
    )
    assert [option["kind"] for option in payload["options"]] == ["allow_once", "reject_once"]
    run.decide(decision)
    assert run.decisions == [{"subtype": "success", "request_id": "e1", "response": answer}]
    row = run.feed(done()).row("approval")
    assert (row["decision"], row["reason"], row["status"]) == (decision, "Delete the index?", status)


def test_a_server_may_word_its_question() -> None:
    run = prompted().feed(elicitation(title="Delete", display_name="Docs", description="It is gone then."))
    payload = run.asked[-1]["params"]["payload"]
    assert (payload["title"], payload["reason"]) == ("Delete", "Delete the index?\nIt is gone then.")


@pytest.mark.parametrize("schema", [None, {}, {"type": "object"}, {"properties": {}}, "x", {"properties": 3}])
def test_a_form_is_without_fields_where_it_names_none(schema: Any) -> None:
    run = prompted().feed(elicitation(requested_schema=schema, mode=None))
    assert len(run.asked) == (0 if schema == {"properties": 3} else 1)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"requested_schema": FIELDS}, "declined a form of docs: Delete the index?"),
        ({"mode": "hologram"}, "declined a question (hologram) of docs: Delete the index?"),
        (
            {"mode": "url", "url": "https://example.com/sign-in", "elicitation_id": "x"},
            "declined a page of docs: Delete the index? (https://example.com/sign-in)",
        ),
        ({"mode": "url"}, "declined a page of docs: Delete the index?"),
    ],
)
def test_what_no_row_can_show_is_declined_with_a_warning(fields: Json, words: str) -> None:
    run = prompted().feed(elicitation(**fields), assistant(text("ok")), done())
    assert run.asked == []
    assert run.decisions == [{"subtype": "success", "request_id": "e1", "response": {"action": "decline"}}]
    row = run.row("warning")
    assert words in (row["title"], row.get("detail"))
    assert run.row("turn")["status"] == "completed"


def test_s28_a_request_with_nothing_in_it_is_still_answered() -> None:
    run = prompted().feed(control("e1", "elicitation"), control("e2", "elicitation", mode=3, url=4))
    assert run.asked[-1]["params"]["payload"]["kind"] == "approval"
    assert run.decisions[0]["response"] == {"action": "decline"}
    assert run.row("warning")["title"] == "declined a form of the agent"


def test_a_question_before_any_thread_is_declined() -> None:
    run = ClaudeRun(start=False).feed(elicitation())
    assert (run.asked, run.decisions[0]["response"]) == ([], {"action": "decline"})


def test_a_question_outside_a_turn_is_a_row_of_its_own() -> None:
    run = ClaudeRun().feed(init(), elicitation()).decide("allowed")
    assert run.decisions[0]["response"]["action"] == "accept"
    assert [row["kind"] for row in run.rows] == ["approval"]


def test_s31_a_stop_answers_it_at_once_and_a_late_answer_is_not_sent() -> None:
    run = prompted().feed(elicitation()).stop()
    assert [answer["response"] for answer in run.decisions] == [{"action": "cancel"}]
    run.decide("allowed").feed(done("", is_error=True))
    assert len(run.decisions) == 1
    assert run.row("approval")["decision"] == "cancelled"


def test_a_turn_that_ends_leaves_no_server_waiting() -> None:
    run = prompted().feed(elicitation(), done())
    assert [answer["response"] for answer in run.decisions] == [{"action": "cancel"}]
    run.decide("allowed")
    assert len(run.decisions) == 1
    assert run.row("approval")["status"] == "interrupted"


def test_a_released_thread_leaves_no_server_waiting() -> None:
    run = prompted().feed(elicitation())
    run.request("thread/stop", {"threadId": THREAD, "intent": "release"})
    assert [answer["response"] for answer in run.decisions] == [{"action": "cancel"}]


def test_the_agent_takes_it_back_and_a_late_answer_is_not_sent() -> None:
    run = prompted().feed(elicitation(), {"type": "control_cancel_request", "request_id": "e1"})
    assert run.told[-1]["method"] == "$/cancel_request"
    run.decide("allowed").feed(done())
    assert run.decisions == []
    assert run.row("approval")["decision"] == "cancelled"


def test_a_request_that_comes_again_while_it_waits_is_put_to_a_person_once() -> None:
    run = prompted().feed(elicitation(), elicitation())
    assert len(run.asked) == 1
    run.decide("allowed")
    assert len(run.decisions) == 1


def test_a_dialog_is_left_to_whoever_declared_it_and_a_person_is_told() -> None:
    dialog = control("d1", "request_user_dialog", dialog_kind="refusal_fallback_prompt", payload={})
    run = prompted().feed(dialog, assistant(text("ok")), done())
    assert (run.asked, run.decisions, run.events_of("provider/unhandled")) == ([], [], [])
    assert run.row("warning")["title"] == "left a dialog of the agent unanswered: refusal_fallback_prompt"
    assert run.row("turn")["status"] == "completed"


def test_a_dialog_before_any_thread_says_nothing() -> None:
    run = ClaudeRun(start=False).feed(control("d1", "request_user_dialog", dialog_kind="x", payload={}))
    assert (run.sent, run.told) == ([], [])
