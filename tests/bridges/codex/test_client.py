"""A foreign client's traffic, read as runtime requests; whose a bare message is; who the agent is."""

from __future__ import annotations

from typing import Any

import pytest
from codex_frames import CODEX, CWD, THREAD, CodexRun

from parity.bridges import FAMILIES
from parity.bridges.codex.client import CodexClient, agent_info, is_from_client
from parity.lanes.codex import approvals


def reader(run: CodexRun | None = None) -> CodexClient:
    return CodexClient((run or CodexRun(opened=False)).bridge, [])


def request(method: str, **params: Any) -> dict[str, Any]:
    return {"id": 5, "method": method, "params": params}


def runtime(client: CodexClient, method: str, **params: Any) -> dict[str, Any]:
    (told,) = client.client_message(request(method, **params)).runtime or ()
    return {"method": told["method"], **told["params"]}


def test_initialize_keeps_what_the_client_said_of_itself() -> None:
    told = runtime(reader(), "initialize", clientInfo={"name": "x"}, capabilities={"experimentalApi": False})
    assert told == {
        "method": "initialize",
        "clientInfo": {"name": "x"},
        "clientCapabilities": {"experimentalApi": False},
    }


def test_initialized_is_our_bridges_own_doing() -> None:
    foreign = reader().client_message({"method": "initialized"})
    assert (foreign.runtime, foreign.ignored) == ([], None)


@pytest.mark.parametrize("method", ["thread/start", "thread/resume", "thread/fork"])
def test_each_way_to_open_a_thread_is_the_runtimes(method: str) -> None:
    params = {"threadId": "source"} if method != "thread/start" else {}
    told = runtime(reader(), method, cwd=CWD, sandbox="read-only", **params)
    source = {"providerThreadId": "source"} if params else {}
    assert told == {
        "method": method,
        "threadId": "thread-1",
        "cwd": CWD,
        "options": {"sandbox": "read-only"},
        **source,
    }


def test_turns_and_stops_name_the_runtimes_thread() -> None:
    client = reader(CodexRun().turn())
    blocks = [{"type": "text", "text": "go"}]
    started = runtime(client, "turn/start", threadId=CODEX, input=blocks, effort="high")
    assert (started["threadId"], started["input"], started["options"]) == (THREAD, blocks, {"effort": "high"})
    assert (
        runtime(client, "turn/steer", threadId=CODEX, input=blocks, expectedTurnId="t")["method"]
        == "turn/steer"
    )
    stopped = runtime(client, "turn/interrupt", threadId=CODEX, turnId="t")
    assert stopped == {"method": "thread/stop", "threadId": THREAD, "intent": "interrupt"}
    assert runtime(client, "thread/unsubscribe", threadId=CODEX)["intent"] == "release"


@pytest.mark.parametrize(
    "method",
    ["thread/list", "thread/turns/list", "account/read", "fs/readFile", "turn/start", "thread/compact/start"],
)
def test_calls_our_bridge_never_makes_are_ignored_for_a_reason(method: str) -> None:
    assert reader().client_message(request(method, threadId="stranger")).ignored


def test_a_thread_that_is_open_is_not_resumed_again() -> None:
    assert reader(CodexRun()).client_message(request("thread/resume", threadId=CODEX)).ignored


@pytest.mark.parametrize(
    ("message", "side"),
    [
        ({"method": "turn/start", "id": 1}, True),
        ({"method": "initialized"}, True),
        ({"method": "some/new/call", "id": 1}, True),
        ({"method": "item/commandExecution/requestApproval", "id": 1}, False),
        ({"method": "item/started"}, False),
        ({"method": "brand/new", "emittedAtMs": 1}, False),
        ({"method": "brand/new"}, None),
        ({"id": 1, "result": {}}, None),
    ],
)
def test_whose_a_bare_message_is(message: dict[str, Any], side: bool | None) -> None:
    assert is_from_client(message) is side


def test_the_agents_version_is_in_its_user_agent() -> None:
    assert agent_info({"userAgent": "recorder/0.171.0 (Debian 12) dumb (recorder; 0.1)"}) == (
        "codex",
        "0.171.0",
    )
    assert agent_info({}) == (None, None)
    assert FAMILIES["acp"].agent_info({"agentInfo": {"name": "x", "version": "1"}}) == ("x", "1")


RULE = {"acceptWithExecpolicyAmendment": {"execpolicy_amendment": ["ls"]}}
OLD = "execCommandApproval"


@pytest.mark.parametrize(
    ("method", "answer", "meant"),
    [
        (approvals.COMMAND, {"decision": "accept"}, ("allowed", "accept")),
        (approvals.COMMAND, {"decision": "acceptForSession"}, ("allowed", "acceptForSession")),
        (approvals.COMMAND, {"decision": RULE}, ("allowed", "acceptWithExecpolicyAmendment")),
        (approvals.COMMAND, {"decision": "decline"}, ("denied", "decline")),
        (approvals.FILE_CHANGE, {"decision": "cancel"}, ("cancelled", "cancel")),
        (approvals.COMMAND, {}, ("cancelled", None)),
        (OLD, {"decision": "approved"}, ("allowed", "approved")),
        (OLD, {"decision": {"denied": {"rejection": "no"}}}, ("denied", "denied")),
        (OLD, {"decision": "abort"}, ("cancelled", "abort")),
        (
            approvals.PERMISSIONS,
            {"permissions": {"network": {}}, "scope": "session"},
            ("allowed", "acceptForSession"),
        ),
        (approvals.PERMISSIONS, {"permissions": {}}, ("denied", "decline")),
        (approvals.ELICITATION, {"action": "accept"}, ("allowed", "accept")),
        (approvals.ELICITATION, {"action": "decline"}, ("denied", "decline")),
        (approvals.ELICITATION, {"action": "cancel"}, ("cancelled", "cancel")),
    ],
)
def test_a_clients_answer_is_the_runtimes_decision(method: str, answer: Any, meant: Any) -> None:
    result = reader().answer(method, request(method), {"id": 0, "result": answer})["result"]
    assert (result["decision"], result.get("optionId")) == meant


def test_a_clients_answers_to_questions_come_through() -> None:
    told = {"answers": {"q": {"answers": ["red"]}}}
    result = reader().answer(approvals.QUESTION, request(approvals.QUESTION), {"id": 0, "result": told})[
        "result"
    ]
    assert result == {"decision": "answered", "answers": {"q": ["red"]}}
    assert approvals.encode(approvals.QUESTION, {}, result)[1] == told


@pytest.mark.parametrize("decision", ["accept", "acceptForSession", "decline", "cancel", RULE])
def test_decoding_and_encoding_a_decision_gives_it_back(decision: Any) -> None:
    params = {"availableDecisions": ["accept", "acceptForSession", RULE, "decline", "cancel"]}
    result = approvals.decode(approvals.COMMAND, params, {"decision": decision})
    assert approvals.encode(approvals.COMMAND, params, result)[1] == {"decision": decision}
