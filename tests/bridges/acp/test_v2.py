"""ACP version 2 on the bridge: negotiation, states and turns, permissions, and what else crosses."""

import pytest
from acp_frames import AcpRun, Json, notice, request
from acp_frames import message as v1_message
from acp_v2_frames import (
    AGENT,
    CONFIG,
    RUNNING,
    AcpV2Run,
    about_call,
    about_command,
    ask,
    chunk,
    command,
    idle,
    prompted,
    state,
    turn,
)
from acp_v2_frames import call as tool

from parity.bridges.acp.bridge import AcpBridge
from parity.bridges.acp.client import AcpClient


def kinds(run: AcpRun) -> list[tuple[str, str | None]]:
    return [(row["status"], row.get("initiator")) for row in run.turns]


# -- negotiation -------------------------------------------------------------------------------------------


def test_version_1_is_offered_unless_the_runtime_asks_for_more() -> None:
    assert AcpRun().sent_of("initialize")[0]["params"].keys() == {
        "protocolVersion",
        "clientCapabilities",
        "clientInfo",
    }
    assert AcpRun().sent_of("initialize")[0]["params"]["protocolVersion"] == 1


def test_the_offer_of_version_2_can_be_read_by_an_agent_of_either() -> None:
    params = AcpV2Run().sent_of("initialize")[0]["params"]
    assert (params["protocolVersion"], params["info"]["name"], params["capabilities"]) == (2, "test", {})
    assert params["clientCapabilities"]["terminal"] is True


def test_an_agent_that_answers_version_1_is_spoken_to_in_version_1() -> None:
    run = AcpV2Run(agent={"protocolVersion": 1, "agentCapabilities": {}})
    run.prompt()
    run.feed(v1_message("hello"))
    run.answer_prompt()
    assert run.texts == ["hello"]
    assert run.turn["status"] == "completed"


def test_an_agent_that_answers_version_2_unasked_is_spoken_to_in_version_2() -> None:
    run = AcpRun(agent=AGENT)
    run.prompt()
    run.respond("session/prompt", {})
    assert run.turn["status"] == "pending"
    run.feed(RUNNING, idle())
    assert run.turn["status"] == "completed"


def test_a_version_nobody_knows_is_refused() -> None:
    run = AcpV2Run(start=False)
    run.initialize({"protocolVersion": 3})
    assert "version 3" in run.answers[-1]["error"]["message"]


def test_no_newer_version_is_offered_than_the_bridge_speaks() -> None:
    run = AcpRun(start=False)
    run.runtime("initialize", protocolVersion=9)
    assert run.sent_of("initialize")[0]["params"]["protocolVersion"] == 2


# -- states and turns --------------------------------------------------------------------------------------


def test_the_prompts_answer_only_accepts_it() -> None:
    run = AcpV2Run()
    run.prompt()
    run.accept()
    assert run.turn["status"] == "pending"
    assert run.feed(RUNNING, chunk("m", "x"), idle()).turn["status"] == "completed"


@pytest.mark.parametrize(
    ("reason", "status"),
    [
        ("end_turn", "completed"),
        (None, "completed"),
        ("cancelled", "interrupted"),
        ("max_tokens", "failed"),
        ("_bored", "failed"),
    ],
)
def test_the_stop_reason_decides_the_status(reason: str | None, status: str) -> None:
    run = turn(reason=reason)
    assert run.turn["status"] == status
    assert run.turn.get("error") == (f"the agent stopped: {reason}" if status == "failed" else None)


def test_a_prompt_that_is_refused_fails_its_turn() -> None:
    run = AcpV2Run()
    run.prompt()
    run.fail_prompt("busy")
    assert (run.turn["status"], run.turn["error"]) == ("failed", "busy")
    assert run.only("error")["title"] == "busy"


def test_work_may_begin_before_the_prompt_is_accepted() -> None:
    run = AcpV2Run()
    run.prompt()
    run.feed(RUNNING, chunk("m", "x"), idle())
    run.accept()
    assert kinds(run) == [("completed", None)]


def test_an_error_that_ended_the_work_is_said_in_the_agents_words() -> None:
    error = {"code": -32603, "message": "Internal error", "data": "the model is gone"}
    run = turn(chunk("m", "x"), reason="error")
    assert run.turn["status"] == "failed"
    assert run.turn["error"] == "the agent stopped: error"
    run = prompted()
    run.feed(state("idle", stopReason="error", error=error))
    assert (run.turn["status"], run.turn["error"]) == ("failed", "Internal error: the model is gone")
    assert [row["title"] for row in run.turn["children"]] == ["Internal error: the model is gone"]


def test_an_error_beside_another_stop_reason_is_none() -> None:
    run = prompted()
    run.feed(state("idle", stopReason="end_turn", error={"code": 1, "message": "no"}))
    assert run.turn["status"] == "completed"


def test_an_idle_of_earlier_work_does_not_end_the_prompt() -> None:
    run = AcpV2Run()
    run.prompt()
    run.feed(idle(None))
    assert run.turn["status"] == "pending"
    run.accept().feed(RUNNING, idle())
    assert kinds(run) == [("completed", None)]


def test_an_error_after_the_turn_is_over_is_told_unless_it_says_cancelled() -> None:
    for code, rows in ((-32603, 1), (-32800, 0)):
        run = AcpV2Run()
        run.prompt()
        run.feed(RUNNING, idle())
        run.fail_prompt("late", code)
        assert len(run.kinds("error")) == rows
        assert kinds(run) == [("completed", None)]


@pytest.mark.parametrize("name", ["running", "requires_action"])
def test_work_that_no_prompt_asked_for_is_a_turn_of_its_own(name: str) -> None:
    run = AcpV2Run().feed(state(name), command("t1", status="completed"), idle())
    assert kinds(run) == [("completed", "agent")]
    assert run.call("t1")["status"] == "completed"


def test_a_repeated_state_changes_nothing() -> None:
    run = AcpV2Run().feed(idle(), RUNNING, RUNNING, state("requires_action"), RUNNING, idle(), idle())
    assert kinds(run) == [("completed", "agent")]


def test_an_unknown_state_neither_begins_nor_ends_work_and_is_kept() -> None:
    run = prompted().feed(state("_dreaming"))
    assert run.turn["status"] == "pending"
    assert [event["rawType"] for event in run.unhandled] == ["state_update"]


def test_work_while_idle_is_unhandled() -> None:
    run = AcpV2Run().feed(chunk("m", "x"), command("t1"))
    assert [event["rawType"] for event in run.unhandled] == ["agent_message_chunk", "tool_call_update"]


def test_work_alone_begins_no_turn_for_an_agent_that_tells_its_state() -> None:
    run = AcpV2Run("grok").feed(chunk("m", "x"))
    assert run.rows[0]["kind"] == "unhandled"
    assert "error" not in run.answer_of(run.prompt())


def test_a_prompt_during_the_agents_own_turn_is_refused_and_input_steers_it() -> None:
    run = AcpV2Run().feed(RUNNING, command("t1", status="in_progress"))
    assert "error" in run.answer_of(run.prompt())
    run.steer("stop that")
    assert len(run.sent_of("session/cancel")) == 1
    run.feed(idle("cancelled"))
    run.accept().feed(RUNNING, chunk("m", "sure"), idle())
    assert kinds(run) == [("completed", "agent")]
    assert run.call("t1")["status"] == "interrupted"
    assert run.texts == ["sure"]


def test_a_stop_cancels_the_agents_own_turn() -> None:
    run = AcpV2Run().feed(RUNNING)
    run.stop()
    assert len(run.sent_of("session/cancel")) == 1
    run.feed(idle())
    assert kinds(run) == [("interrupted", "agent")]


def test_a_stop_is_settled_by_the_idle_that_follows() -> None:
    run = prompted().feed(command("t1", status="in_progress"))
    run.stop()
    run.feed(tool("t1", status="cancelled"), idle("cancelled"))
    assert (run.turn["status"], run.call("t1")["status"]) == ("interrupted", "interrupted")


def test_a_steered_prompt_is_sent_again_when_the_agent_is_idle() -> None:
    run = prompted()
    run.steer("more")
    assert len(run.sent_of("session/prompt")) == 1
    run.feed(idle("cancelled"))
    assert len(run.sent_of("session/prompt")) == 2
    run.accept().feed(RUNNING, idle())
    assert kinds(run) == [("completed", None)]


# -- permissions -------------------------------------------------------------------------------------------


def test_a_permission_has_its_own_words_and_leaves_those_of_the_call() -> None:
    run = prompted().feed(command("t1", title="Build"), state("requires_action"))
    run.feed(ask("Run it?", about_call("t1"), description="It builds."))
    payload = run.asked[-1]["params"]["payload"]
    assert (payload["title"], payload["reason"]) == ("Run it?", "It builds.")
    assert run.asked[-1]["params"]["itemId"] == "t1"
    run.answer("allowed", "yes")
    outcome = {"outcome": "selected", "optionId": "yes"}
    assert run.responses(0)[0]["result"] == {"outcome": outcome}
    run.feed(RUNNING, tool("t1", status="completed"), idle())
    row = run.call("t1")
    assert row["title"] == "Build"
    assert "detail" not in row
    assert row["approval"] == {"decision": "allowed", "reason": "It builds."}


def test_a_permission_patches_the_call_it_is_about() -> None:
    run = prompted().feed(tool("t1", kind="other", title="Old"))
    run.feed(ask("Sure?", about_call("t1", title="New", kind="execute", raw_input={"command": "ls"})))
    assert (run.call("t1")["title"], run.call("t1")["command"]) == ("New", "ls")


def test_a_permission_for_an_unknown_call_opens_its_row_and_a_refusal_settles_it() -> None:
    run = prompted().feed(command("t1", status="in_progress"))
    run.feed(ask("Sure?", about_call("t2", kind="edit", locations=["/a"])))
    run.answer("denied", "no")
    row = run.call("t2")
    assert (row["kind"], row["status"], row["approval"]["decision"]) == ("fileChange", "failed", "denied")


def test_a_command_is_joined_to_the_call_it_names() -> None:
    run = prompted().feed(ask("Run?", about_command("ls -l", toolCallId="t1")))
    assert (run.call("t1")["kind"], run.call("t1")["command"]) == ("command", "ls -l")
    assert run.asked[-1]["params"]["payload"]["command"] == "ls -l"


def test_a_command_is_joined_by_its_terminal_or_its_words() -> None:
    shows = [{"type": "terminal", "terminalId": "x"}]
    run = prompted().feed(command("t1", "make", status="in_progress", content=shows), command("t2", "ls"))
    run.feed(ask("A?", about_command("other", terminalId="x")), ask("B?", about_command("ls")))
    assert [asked["params"].get("itemId") for asked in run.asked] == ["t1", "t2"]


@pytest.mark.parametrize("subject", [None, about_command("rm x"), {"type": "_moon"}, {"type": "tool_call"}])
def test_a_permission_about_no_known_call_is_a_row_of_its_own(subject: Json | None) -> None:
    run = prompted().feed(ask("Sure?", subject))
    assert run.asked[-1]["params"].get("itemId") is None
    run.answer("denied", "no")
    row = run.only("approval")
    assert (row["title"], row["decision"], row["status"]) == ("Sure?", "denied", "failed")


def test_a_stop_answers_what_waits_as_cancelled() -> None:
    run = prompted().feed(ask("One?", about_call("t1")), ask("Two?"))
    run.stop()
    for number in (0, 1):
        assert run.responses(number)[0]["result"] == {"outcome": {"outcome": "cancelled"}}
    run.feed(ask("Three?"), idle("cancelled"))
    assert run.responses(2)[0]["result"] == {"outcome": {"outcome": "cancelled"}}


def test_a_permission_in_the_agents_own_turn_is_asked_and_one_while_idle_is_cancelled() -> None:
    run = AcpV2Run().feed(RUNNING, ask("Sure?"))
    assert len(run.asked) == 1
    run.answer("allowed", "yes")
    run.feed(idle(), ask("Again?"))
    assert len(run.asked) == 1
    assert run.responses(1)[0]["result"] == {"outcome": {"outcome": "cancelled"}}


# -- what else crosses -------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["fs/read_text_file", "terminal/create"])
def test_files_and_terminals_are_no_requests_of_version_2(method: str) -> None:
    run = prompted().feed(request(method, 9, path="/a"))
    assert run.responses(9)[0]["error"]["code"] == -32601
    assert not run.hosts


def test_a_session_is_resumed_without_its_history() -> None:
    run = AcpV2Run(start=False)
    run.initialize()
    run.runtime("thread/resume", threadId="thread-a", cwd="/w", providerThreadId="session-a")
    params = run.sent_of("session/resume")[0]["params"]
    assert params == {"sessionId": "session-a", "cwd": "/w", "mcpServers": []}
    run.feed(RUNNING, chunk("m", "then"), idle())
    run.respond("session/resume", {})
    assert run.rows == []
    run.feed(RUNNING, chunk("m", "now"), idle())
    assert run.texts == ["now"]


def test_modes_and_options_are_configuration() -> None:
    run = AcpV2Run(start=False)
    run.initialize()
    run.start(options={"mode": "plan", "config": {"deep": True, "model": "big"}})
    run.answer_session(configOptions=CONFIG)
    assert [message["params"] for message in run.sent_of("session/set_config_option")] == [
        {"sessionId": "session-a", "configId": "how", "type": "id", "value": "plan"},
        {"sessionId": "session-a", "configId": "deep", "type": "boolean", "value": True},
        {"sessionId": "session-a", "configId": "model", "type": "id", "value": "big"},
    ]
    assert run.answer_of(run.runtime("model/list"))["result"] == {
        "models": [{"modelId": "small", "name": "Small"}, {"modelId": "big", "name": "Big"}]
    }


def test_every_mcp_server_says_its_type() -> None:
    run = AcpV2Run(start=False)
    run.initialize()
    servers = [{"name": "a", "command": "/a"}, {"type": "http", "name": "b", "url": "http://b"}]
    run.start(options={"mcpServers": servers})
    sent = run.sent_of("session/new")[0]["params"]["mcpServers"]
    assert [server["type"] for server in sent] == ["stdio", "http"]


def test_a_fork_is_refused_where_the_agent_has_none() -> None:
    run = AcpV2Run()
    answer = run.answer_of(run.runtime("thread/fork", threadId="b", cwd="/w", providerThreadId="session-a"))
    assert "fork" in answer["error"]["message"]


def test_a_request_the_agent_takes_back_is_answered_cancelled() -> None:
    run = prompted().feed(ask("Sure?"), notice("$/cancel_request", requestId=0))
    assert run.responses(0)[0]["result"] == {"outcome": {"outcome": "cancelled"}}


# -- import ------------------------------------------------------------------------------------------------


def told(method: str, request_id: int | None = None, **params: object) -> Json:
    message: Json = {"jsonrpc": "2.0", "method": method, "params": params}
    return message if request_id is None else {**message, "id": request_id}


def test_a_foreign_clients_prompts_are_turns_from_state_to_state() -> None:
    idles = told("session/update", sessionId="s", update=idle())
    runs = told("session/update", sessionId="s", update=RUNNING)
    first, again, third, stop = (
        told("session/prompt", 3, sessionId="s", prompt=[]),
        told("session/prompt", 4, sessionId="s", prompt=[]),
        told("session/prompt", 5, sessionId="s", prompt=[]),
        told("session/cancel", sessionId="s"),
    )
    start = told("initialize", 1, protocolVersion=2, info={"name": "c"}, capabilities={"auth": {}})
    log = [
        (True, start),
        (False, {"id": 1, "result": AGENT}),
        (True, first),
        (False, {"id": 3, "result": {}}),
    ]
    log += [(False, runs), (True, stop), (True, again), (False, {"id": 4, "result": {}})]
    log += [(False, idles), (True, third)]
    client = AcpClient(AcpBridge(), log)
    requests = []
    for from_client, message in log:
        if from_client:
            requests += client.client_message(message).runtime or []
        else:
            client.agent_message(message)
    assert requests[0]["params"] == {
        "protocolVersion": 2,
        "clientInfo": {"name": "c"},
        "clientCapabilities": {"auth": {}},
    }
    assert [r["method"] for r in requests[1:]] == ["turn/start", "turn/steer", "turn/start"]
