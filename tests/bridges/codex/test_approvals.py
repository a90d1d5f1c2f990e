"""Approvals and questions: what a person is asked, and the answer the agent gets for each decision."""

from __future__ import annotations

from typing import Any

import pytest
from codex_frames import CODEX, THREAD, TURN, CodexRun, activity, change, command, patch, ran

COMMAND = "item/commandExecution/requestApproval"
PATCH = "item/fileChange/requestApproval"
PERMISSIONS = "item/permissions/requestApproval"
INPUT = "item/tool/requestUserInput"
ELICITATION = "mcpServer/elicitation/request"

RULE = {"acceptWithExecpolicyAmendment": {"execpolicy_amendment": ["touch", "/opt/x"]}}
ALLOW_HOST = {
    "applyNetworkPolicyAmendment": {"network_policy_amendment": {"host": "x.org", "action": "allow"}}
}
DENY_HOST = {"applyNetworkPolicyAmendment": {"network_policy_amendment": {"host": "x.org", "action": "deny"}}}


def about(item_id: str = "c1", **params: Any) -> dict[str, Any]:
    return {"threadId": CODEX, "turnId": TURN, "itemId": item_id, "startedAtMs": 1, **params}


def asked(method: str = COMMAND, request_id: Any = 0, **params: Any) -> CodexRun:
    run = CodexRun().turn()
    run.begin(command() if method == COMMAND else patch("c1", change("a")))
    run.ask(method, request_id, **about(**params))
    return run


def decided(run: CodexRun, **result: Any) -> Any:
    """What the agent is answered when the person decides so."""
    run.decide(run.asked[0], **result)
    return run.answers()[-1]["result"]


def test_an_approval_shows_the_command_its_reason_and_its_options() -> None:
    run = asked(command="touch /opt/x", reason="outside", availableDecisions=["accept", RULE, "cancel"])
    (question,) = run.asked
    assert question["params"]["threadId"] == THREAD
    assert question["params"]["payload"] == {
        "kind": "approval",
        "title": "touch /opt/x",
        "reason": "outside",
        "options": [
            {"optionId": "accept", "name": "Allow once", "kind": "allow_once"},
            {
                "optionId": "acceptWithExecpolicyAmendment",
                "name": "Always allow `touch /opt/x`",
                "kind": "allow_always",
            },
            {"optionId": "cancel", "name": "Deny and stop the turn", "kind": "cancel"},
        ],
    }


@pytest.mark.parametrize(
    ("result", "answer"),
    [
        ({"decision": "allowed"}, "accept"),
        ({"decision": "denied"}, "decline"),
        ({"decision": "cancelled"}, "cancel"),
        ({"decision": "allowed", "optionId": "accept"}, "accept"),
        ({"decision": "allowed", "optionId": "acceptForSession"}, "acceptForSession"),
        ({"decision": "denied", "optionId": "decline"}, "decline"),
        ({"optionId": "cancel"}, "cancel"),
        ({"decision": "allowed", "optionId": "no such option"}, "accept"),
        ({}, "cancel"),
    ],
)
@pytest.mark.parametrize("method", [COMMAND, PATCH])
def test_each_decision_has_its_answer(method: str, result: dict[str, Any], answer: str) -> None:
    assert decided(asked(method), **result) == {"decision": answer}


@pytest.mark.parametrize(
    ("option", "raw"),
    [
        ("acceptWithExecpolicyAmendment", RULE),
        ("applyNetworkPolicyAmendment:allow:x.org", ALLOW_HOST),
        ("applyNetworkPolicyAmendment:deny:x.org", DENY_HOST),
    ],
)
def test_a_rule_that_is_offered_is_answered_as_it_was_offered(option: str, raw: Any) -> None:
    run = asked(availableDecisions=["accept", RULE, ALLOW_HOST, DENY_HOST, "cancel"])
    assert decided(run, decision="allowed", optionId=option) == {"decision": raw}


def test_proposed_rules_are_offered_where_the_agent_lists_no_decisions() -> None:
    host = {"host": "x.org", "action": "allow"}
    run = asked(proposedExecpolicyAmendment=["ls"], proposedNetworkPolicyAmendments=[host])
    options = [option["optionId"] for option in run.asked[0]["params"]["payload"]["options"]]
    assert options == [
        "accept",
        "acceptForSession",
        "acceptWithExecpolicyAmendment",
        "applyNetworkPolicyAmendment:allow:x.org",
        "decline",
        "cancel",
    ]


def test_a_decision_of_a_later_version_allows_only_where_its_word_says_so() -> None:
    run = asked(availableDecisions=["accept", "acceptForever", "escalate"])
    kinds = {o["optionId"]: o["kind"] for o in run.asked[0]["params"]["payload"]["options"]}
    assert kinds == {"accept": "allow_once", "acceptForever": "allow_always", "escalate": "reject_once"}


@pytest.mark.parametrize("request_id", [0, 7, "0", "abc"])
def test_s46_the_answer_has_the_value_and_type_of_the_id(request_id: Any) -> None:
    run = asked(request_id=request_id)
    decided(run, decision="allowed")
    assert run.answers()[-1]["id"] == request_id
    assert type(run.answers()[-1]["id"]) is type(request_id)


def test_a_declined_command_is_a_failed_row_that_was_denied() -> None:
    run = asked(reason="outside")
    decided(run, decision="denied")
    run.tell("serverRequest/resolved", requestId=0)
    run.end({**command(), "status": "declined"})
    run.over()
    row = run.row("command")
    assert (row["status"], row["approval"]) == ("failed", {"decision": "denied", "reason": "outside"})
    assert "exitCode" not in row
    assert run.of("item/completed")[0]["item"]["approvalStatus"] == "denied"


def test_an_allowed_command_runs_on_in_its_row() -> None:
    run = asked(reason="outside")
    decided(run, decision="allowed")
    run.end(ran(output="x"))
    run.over()
    row = run.row("command")
    assert (row["status"], row["approval"]["decision"], row["output"]) == ("completed", "allowed", "x")


def test_s20_an_ask_about_an_item_never_opened_opens_its_row() -> None:
    run = CodexRun().turn()
    run.ask(COMMAND, **about("new", command="rm x", cwd="/w"))
    run.decide(run.asked[0], decision="denied")
    run.over()
    row = run.row("command")
    assert (row["command"], row["status"], row["approval"]["decision"]) == ("rm x", "failed", "denied")


def test_a_childs_ask_is_the_threads_and_about_the_childs_item() -> None:
    run = CodexRun().turn()
    run.end(activity())
    run.begin(command(), "child-turn-1", "child-thread")
    run.ask(COMMAND, **about(threadId="child-thread", turnId="child-turn-1"))
    assert decided(run, decision="allowed") == {"decision": "accept"}
    run.over(turn="child-turn-1", thread="child-thread")
    run.over()
    (child,) = run.row("delegation")["children"]
    assert child["approval"]["decision"] == "allowed"


@pytest.mark.parametrize(
    ("result", "answer"),
    [
        ({"decision": "allowed"}, "approved"),
        ({"decision": "allowed", "optionId": "approved_for_session"}, "approved_for_session"),
        ({"decision": "denied"}, {"denied": {"rejection": "denied by the user"}}),
        ({"decision": "cancelled"}, "abort"),
    ],
)
def test_the_old_approvals_have_their_own_words(result: dict[str, Any], answer: Any) -> None:
    run = CodexRun().turn()
    files = {"a.py": {"type": "add", "content": "x"}, "b.py": {"type": "update", "unified_diff": "@@"}}
    for request_id, (method, params) in enumerate(
        [
            ("execCommandApproval", {"command": ["ls", "-l"], "cwd": "/w", "parsedCmd": []}),
            ("applyPatchApproval", {"fileChanges": files}),
        ]
    ):
        run.ask(method, request_id, conversationId=CODEX, callId=f"call-{request_id}", **params)
        run.decide(run.asked[-1], **result)
        assert run.answers()[-1]["result"] == {"decision": answer}
    run.over()
    assert run.row("command")["command"] == "ls -l"
    assert [c["path"] for c in run.row("fileChange")["changes"]] == [
        "/home/dev/app/a.py",
        "/home/dev/app/b.py",
    ]


WANTED = {"network": {"enabled": True}, "fileSystem": None}


@pytest.mark.parametrize(
    ("result", "answer"),
    [
        ({"decision": "allowed"}, {"permissions": WANTED, "scope": "turn"}),
        (
            {"decision": "allowed", "optionId": "acceptForSession"},
            {"permissions": WANTED, "scope": "session"},
        ),
        ({"decision": "denied"}, {"permissions": {}}),
        ({"decision": "cancelled"}, {"permissions": {}}),
    ],
)
def test_more_permissions_are_granted_as_asked_or_not_at_all(result: dict[str, Any], answer: Any) -> None:
    run = CodexRun().turn()
    run.ask(PERMISSIONS, **about("perm", cwd="/w", permissions=WANTED, reason="needs the net"))
    assert decided(run, **result) == answer
    row = run.row("approval")
    assert (row["reason"], row["decision"]) == ("needs the net", result["decision"])


QUESTION = {"id": "q1", "header": "Which", "question": "Which one?", "options": None}


def test_a_question_is_asked_and_its_answers_are_told() -> None:
    run = CodexRun().turn()
    run.ask(INPUT, **about("q", questions=[QUESTION], isBlocking=True))
    assert run.asked[0]["params"]["payload"] == {
        "kind": "user_question",
        "title": "Which one?",
        "questions": [QUESTION],
    }
    answer = decided(run, decision="answered", answers={"q1": ["red", "blue"], "q2": "free"})
    assert answer == {"answers": {"q1": {"answers": ["red", "blue"]}, "q2": {"answers": ["free"]}}}
    assert run.row("question")["decision"] == "answered"


def test_a_question_nobody_answers_has_no_answers() -> None:
    run = CodexRun().turn()
    run.ask(INPUT, **about("q", questions=[QUESTION], isBlocking=True))
    assert decided(run, decision="cancelled") == {"answers": {}}


def elicitation(**params: Any) -> dict[str, Any]:
    told = {"threadId": CODEX, "turnId": TURN, "serverName": "docs", "mode": "form", "message": "Allow find?"}
    return {**told, "requestedSchema": {"type": "object", "properties": {}}, **params}


@pytest.mark.parametrize(
    ("result", "answer"),
    [
        ({"decision": "allowed"}, {"action": "accept", "content": {}}),
        (
            {"decision": "allowed", "optionId": "acceptForSession"},
            {"action": "accept", "content": {}, "_meta": {"persist": "session"}},
        ),
        ({"decision": "denied"}, {"action": "decline"}),
        ({"decision": "cancelled"}, {"action": "cancel"}),
    ],
)
def test_an_elicitation_with_nothing_to_fill_in_is_an_approval(result: dict[str, Any], answer: Any) -> None:
    run = CodexRun().turn()
    run.ask(ELICITATION, **elicitation(_meta={"persist": ["session", "always"]}))
    assert run.asked[0]["params"]["payload"]["title"] == "Allow find?"
    assert decided(run, **result) == answer


@pytest.mark.parametrize(
    ("params", "words"),
    [
        (
            {"requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}}},
            "declined a form of docs: Allow find?",
        ),
        (
            {"mode": "url", "url": "http://x", "elicitationId": "e"},
            "declined a page of docs: Allow find? (http://x)",
        ),
    ],
)
def test_a_form_is_declined_with_a_warning(params: dict[str, Any], words: str) -> None:
    run = CodexRun().turn()
    run.ask(ELICITATION, **elicitation(**params))
    assert run.answers()[-1]["result"] == {"action": "decline"}
    run.over()
    assert run.row("warning")["title"] == words


def test_a_tool_of_the_client_is_refused_politely() -> None:
    run = CodexRun().turn()
    run.ask("item/tool/call", callId="d1", tool="open", arguments={}, threadId=CODEX, turnId=TURN)
    assert run.answers()[-1]["result"]["success"] is False
    run.over()
    assert run.all_rows("unhandled") == []


@pytest.mark.parametrize(
    "method", ["attestation/generate", "account/chatgptAuthTokens/refresh", "new/request"]
)
def test_any_other_request_is_refused_and_kept(method: str) -> None:
    run = CodexRun().turn()
    run.ask(method, 3, threadId=CODEX)
    assert run.answers()[-1]["error"]["code"] == -32601
    run.over()
    assert run.row("unhandled")["title"] == method


def test_s31_a_stop_answers_what_waits_for_a_person_at_once() -> None:
    run = asked()
    run.stop()
    assert [m["method"] for m in run.sent if "method" in m][-1] == "turn/interrupt"
    assert run.answers()[-1] == {"id": 0, "result": {"decision": "cancel"}}
    run.answer({}, method="turn/interrupt")
    run.over("interrupted")
    row = run.row("command")
    assert (row["status"], row["approval"]["decision"]) == ("interrupted", "cancelled")


def test_a_request_the_agent_settles_itself_is_taken_back_from_the_runtime() -> None:
    run = asked()
    run.tell("serverRequest/resolved", requestId="0")
    assert not [m for m in run.told if m.get("method") == "$/cancel_request"]
    run.tell("serverRequest/resolved", requestId=0)
    (withdrawn,) = [m for m in run.told if m.get("method") == "$/cancel_request"]
    assert withdrawn["params"] == {"requestId": run.asked[0]["id"]}
    run.decide(run.asked[0], decision="allowed")
    assert run.answers() == []


def test_an_ask_open_at_the_end_of_the_turn_is_taken_back() -> None:
    run = asked()
    run.over()
    assert [m["method"] for m in run.told if "method" in m][-1] == "$/cancel_request"
    assert run.row("command")["approval"]["decision"] == "cancelled"


def test_an_ask_about_an_ended_turn_is_cancelled_and_kept() -> None:
    run = CodexRun().turn()
    run.over()
    run.ask(COMMAND, **about(command="x"))
    assert run.asked == []
    assert run.answers()[-1]["result"] == {"decision": "cancel"}
    assert run.row("unhandled")["title"] == COMMAND


def test_an_error_of_the_runtime_is_a_cancellation() -> None:
    run = asked()
    error = {"code": -1, "message": "no"}
    run._take(run.bridge.runtime({"jsonrpc": "2.0", "id": run.asked[0]["id"], "error": error}))
    assert run.answers()[-1]["result"] == {"decision": "cancel"}
