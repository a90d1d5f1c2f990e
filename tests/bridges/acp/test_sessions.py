"""Sessions: started, loaded, forked, steered, stopped; updates that come too early."""

from typing import Any

import pytest
from acp_frames import (
    CWD,
    OPTIONS,
    SESSION,
    THREAD,
    AcpRun,
    ask,
    command,
    message,
    other,
    plan,
    prompted,
    thought,
    tool_call,
    turn,
    update,
    user,
)

from parity.bridges.acp.session import HELD_MESSAGES

NAMED = other("session_info_update", title="Fix the build")


def starting() -> AcpRun:
    """A run whose session/new is not answered yet."""
    run = AcpRun(start=False)
    run.initialize()
    run.start()
    return run


def test_a_started_thread_is_answered_with_its_identity() -> None:
    run = starting()
    assert run.sent_of("session/new")[0]["params"] == {"cwd": CWD, "mcpServers": []}
    run.answer_session()
    identity = {"threadId": THREAD, "providerThreadId": SESSION}
    assert run.answers[-1]["result"] == identity
    assert [event["type"] for event in run.events] == ["thread/identity", "thread/started"]


def test_the_servers_of_a_thread_are_passed_on() -> None:
    servers = [{"name": "docs", "command": "docs"}]
    run = AcpRun(options={"mcpServers": servers})
    assert run.sent_of("session/new")[0]["params"]["mcpServers"] == servers


def test_a_refused_session_fails_the_start_and_frees_the_thread() -> None:
    run = starting()
    run.respond("session/new", error={"code": -32000, "message": "sign in first"})
    assert run.answers[-1]["error"]["message"] == "sign in first"
    again = run.start()
    run.answer_session()
    assert run.answer_of(again)["result"]["providerThreadId"] == SESSION


@pytest.mark.parametrize("result", [None, {}, {"sessionId": 7}, []])
def test_a_session_without_an_id_fails_the_start(result: Any) -> None:
    run = starting()
    run.respond("session/new", result)
    assert "error" in run.answers[-1]


def test_the_models_of_the_session_are_listed() -> None:
    run = starting()
    run.answer_session(models={"currentModelId": "m", "availableModels": [{"modelId": "m", "name": "M"}]})
    assert run.answer_of(run.runtime("model/list"))["result"] == {"models": [{"modelId": "m", "name": "M"}]}


def test_the_mode_and_settings_of_a_thread_are_set_before_its_first_prompt() -> None:
    run = AcpRun(options={"mode": "ask", "config": {"model": "big"}})
    run.prompt()
    assert [message.get("method") for message in run.sent[2:]] == [
        "session/set_mode",
        "session/set_config_option",
        "session/prompt",
    ]
    assert run.sent_of("session/set_mode")[0]["params"] == {"sessionId": SESSION, "modeId": "ask"}
    setting = run.sent_of("session/set_config_option")[0]["params"]
    assert setting == {"sessionId": SESSION, "configId": "model", "value": "big"}


def test_a_mode_the_agent_refuses_is_a_warning() -> None:
    run = AcpRun(options={"mode": "yolo"})
    run.respond("session/set_mode", error={"code": -32602, "message": "no such mode"})
    assert "no such mode" in run.events_of("provider/warning")[0]["message"]
    run.prompt()
    run.feed(message("a")).answer_prompt()
    assert run.turn["status"] == "completed"


def test_a_prompt_before_the_session_is_known_is_sent_once_it_is() -> None:
    run = starting()
    run.prompt()
    assert run.sent_of("session/prompt") == []
    run.answer_session()
    assert run.sent_of("session/prompt")[0]["params"]["sessionId"] == SESSION
    run.feed(message("a")).answer_prompt()
    assert run.turn["status"] == "completed"


def test_a_waiting_prompt_fails_with_the_session_that_does_not_open() -> None:
    run = starting()
    run.prompt()
    run.respond("session/new", error={"code": -32000, "message": "log in first"})
    (ended,) = run.events_of("turn/completed")
    assert (ended["status"], ended["error"]) == ("failed", "log in first")
    assert run.drops == {}


def test_a_waiting_prompt_that_is_stopped_is_never_sent() -> None:
    run = starting()
    run.prompt()
    run.stop()
    run.answer_session()
    assert run.sent_of("session/prompt") == []
    assert run.turn["status"] == "interrupted"


def test_a_second_turn_inside_a_turn_is_refused() -> None:
    run = prompted()
    assert run.answer_of(run.prompt("again"))["error"]["code"] == -32602
    assert len(run.sent_of("session/prompt")) == 1


def test_s42_updates_before_the_session_is_known_are_applied_in_order_once_it_is() -> None:
    run = starting()
    run.feed(NAMED, other("current_mode_update", currentModeId="ask"), other("usage_update", used=1, size=9))
    assert run.events == []
    run.answer_session()
    assert [event["type"] for event in run.events] == [
        "thread/identity",
        "thread/started",
        "thread/name/updated",
        "thread/extensionState/updated",
        "thread/contextWindowUsage/updated",
    ]


def test_s42_what_is_held_is_bounded_and_nothing_is_lost() -> None:
    run = starting()
    run.feed(*[other("session_info_update", title=f"n{i}") for i in range(HELD_MESSAGES + 5)])
    assert len(run.unhandled) == 5
    run.answer_session()
    assert len(run.events_of("thread/name/updated")) == HELD_MESSAGES


def test_s42_held_updates_reach_only_their_own_session() -> None:
    run = starting()
    run.feed(NAMED, session="session-b")
    run.answer_session()
    assert run.events_of("thread/name/updated") == []
    run.start("thread-b")
    run.answer_session("session-b")
    assert len(run.unhandled) + len(run.events_of("thread/name/updated")) == 1


def test_s42_updates_for_one_of_two_opening_sessions_wait_for_it() -> None:
    run = starting()
    run.start("thread-b")
    run.feed(NAMED, session="session-b")
    first, second = (message["id"] for message in run.sent_of("session/new"))
    run.provider({"jsonrpc": "2.0", "id": first, "result": {"sessionId": SESSION}})
    assert run.events_of("thread/name/updated") == []
    run.provider({"jsonrpc": "2.0", "id": second, "result": {"sessionId": "session-b"}})
    assert run.events_of("thread/name/updated")[0]["threadId"] == "thread-b"


def test_s42_work_held_for_a_session_with_no_prompt_is_unhandled() -> None:
    run = starting()
    run.feed(message("hello"))
    run.answer_session()
    assert run.unhandled[0]["rawType"] == "agent_message_chunk"


def test_an_update_of_a_session_nobody_opened_is_unhandled() -> None:
    run = AcpRun().feed(message("who am I"), session="session-x")
    assert run.unhandled[0]["rawType"] == "agent_message_chunk"
    assert run.turns == []


HISTORY = [
    user("go"),
    thought("hm"),
    message("old words"),
    command("t1"),
    update("t1", status="completed", content="old"),
    plan("old step"),
]


def loading(agent: dict[str, Any] | None = None) -> AcpRun:
    run = AcpRun(start=False)
    run.initialize(agent)
    run.runtime("thread/resume", threadId=THREAD, providerThreadId=SESSION, cwd=CWD)
    return run


@pytest.mark.parametrize("result", [None, {}, {"sessionId": SESSION}])
def test_s43_a_replayed_history_makes_no_rows_and_no_turn(result: Any) -> None:
    run = loading().feed(*HISTORY)
    run.respond("session/load", result)
    assert run.rows == []
    assert run.unhandled == []
    assert run.answers[-1]["result"] == {"threadId": THREAD, "providerThreadId": SESSION}


def test_s43_a_tail_after_the_answer_is_history_until_the_next_prompt() -> None:
    run = loading()
    run.respond("session/load", None)
    run.feed(*HISTORY)
    assert run.rows == []
    run.prompt()
    run.feed(message("new words")).answer_prompt()
    assert run.texts == ["new words"]


def test_s43_a_call_of_the_history_said_again_in_the_new_turn_is_new() -> None:
    run = loading().feed(*HISTORY)
    run.respond("session/load", None)
    run.prompt()
    run.feed(command("t1", "again"), update("t1", status="completed")).answer_prompt()
    assert run.call("t1")["command"] == "again"
    assert "output" not in run.call("t1")


def test_s43_facts_of_a_loaded_session_are_told() -> None:
    run = loading().feed(NAMED)
    run.respond("session/load", None)
    assert run.events_of("thread/name/updated")[0]["name"] == "Fix the build"


def test_s43_a_load_the_agent_refuses_fails_the_resume() -> None:
    run = loading()
    run.respond("session/load", error={"code": -32002, "message": "no such session"})
    assert run.answers[-1]["error"]["message"] == "no such session"
    assert run.rows == []


def test_s43_what_a_refused_session_says_later_is_not_swallowed() -> None:
    run = loading()
    run.respond("session/load", error={"code": -32002, "message": "no such session"})
    run.start("thread-b")
    run.answer_session("session-b")
    run.feed(message("ghost words"), session=SESSION)
    assert run.unhandled[0]["rawType"] == "agent_message_chunk"


def test_an_agent_that_only_resumes_is_asked_to_resume() -> None:
    capabilities = {"loadSession": False, "sessionCapabilities": {"resume": {}}}
    run = loading({"protocolVersion": 1, "agentCapabilities": capabilities})
    assert run.sent[-1]["method"] == "session/resume"
    assert run.sent[-1]["params"] == {"sessionId": SESSION, "cwd": CWD, "mcpServers": []}


@pytest.mark.parametrize("agent", [{}, {"agentCapabilities": None}, {"agentCapabilities": []}])
def test_an_agent_that_says_nothing_of_itself_can_still_be_resumed(agent: dict[str, Any]) -> None:
    run = loading(agent)
    run.respond("session/load", None)
    assert run.answers[-1]["result"]["providerThreadId"] == SESSION


def test_a_fork_is_a_session_of_its_own() -> None:
    capabilities = {"sessionCapabilities": {"fork": {}}}
    run = AcpRun(agent={"protocolVersion": 1, "agentCapabilities": capabilities})
    run.runtime("thread/fork", threadId="thread-b", providerThreadId=SESSION, cwd=CWD)
    assert run.sent[-1]["params"] == {"sessionId": SESSION, "cwd": CWD, "mcpServers": []}
    run.respond("session/fork", {"sessionId": "session-b"})
    assert run.answers[-1]["result"] == {"threadId": "thread-b", "providerThreadId": "session-b"}
    run.prompt(thread="thread-b")
    run.feed(message("forked"), session="session-b").answer_prompt()
    assert run.texts == ["forked"]
    assert {event["threadId"] for event in run.events_of("turn/started")} == {"thread-b"}


def test_two_threads_of_one_agent_never_mix() -> None:
    run = AcpRun()
    run.start("thread-b")
    run.answer_session("session-b")
    run.prompt()
    run.prompt(thread="thread-b")
    run.feed(command("t1", "one"))
    run.feed(command("t1", "two"), session="session-b")
    run.feed(update("t1", status="completed"))
    by_thread = {
        event["threadId"]: event["item"] for event in run.events_of("item/started", "item/completed")
    }
    assert (by_thread[THREAD]["command"], by_thread[THREAD]["status"]) == ("one", "completed")
    assert (by_thread["thread-b"]["command"], by_thread["thread-b"]["status"]) == ("two", "pending")


def test_a_steer_cancels_the_prompt_and_prompts_again_in_the_same_turn() -> None:
    run = prompted().feed(message("first "))
    run.steer("rather do this")
    assert len(run.sent_of("session/cancel")) == 1
    assert len(run.sent_of("session/prompt")) == 1
    run.answer_prompt("cancelled")
    assert run.sent_of("session/prompt")[1]["params"]["prompt"] == [
        {"type": "text", "text": "rather do this"}
    ]
    run.feed(message("second")).answer_prompt()
    assert len(run.turns) == 1
    assert run.turn["status"] == "completed"
    assert len(run.events_of("turn/input/accepted")) == 2


def test_a_steer_settles_what_the_first_prompt_left_open() -> None:
    run = prompted().feed(command("t1", status="in_progress"))
    run.steer("rather do this")
    run.answer_prompt("cancelled")
    assert run.call("t1")["status"] == "interrupted"
    run.feed(command("t2"), update("t2", status="completed")).answer_prompt()
    assert run.call("t2")["status"] == "completed"
    assert run.drops == {}


def test_two_steers_before_the_answer_are_one_prompt() -> None:
    run = prompted()
    run.steer("a")
    run.steer("b")
    run.answer_prompt("cancelled")
    assert [block["text"] for block in run.sent_of("session/prompt")[1]["params"]["prompt"]] == ["a", "b"]
    assert len(run.sent_of("session/cancel")) == 1


def test_a_steer_cancels_an_open_ask() -> None:
    run = prompted().feed(command("t1"), ask("t1", options=OPTIONS))
    run.steer("no, this")
    assert run.responses(0)[0]["result"] == {"outcome": {"outcome": "cancelled"}}


def test_nobody_is_asked_once_a_steer_has_cancelled_the_prompt() -> None:
    run = prompted().feed(tool_call("c1"))
    run.steer("more")
    run.feed(ask("c1"))
    assert run.asked == []
    assert run.responses(0)[0]["result"] == {"outcome": {"outcome": "cancelled"}}
    assert run.unhandled[0]["rawType"] == "session/request_permission"


def test_a_stop_after_a_steer_ends_the_turn() -> None:
    run = prompted()
    run.steer("a")
    run.stop()
    run.answer_prompt("cancelled")
    assert len(run.sent_of("session/prompt")) == 1
    assert run.turn["status"] == "interrupted"


def test_a_second_stop_sends_no_second_cancel() -> None:
    run = prompted()
    run.stop()
    run.stop()
    assert len(run.sent_of("session/cancel")) == 1


def test_a_stop_of_an_idle_thread_sends_nothing() -> None:
    run = turn()
    before = list(run.sent)
    assert "result" in run.answer_of(run.stop())
    assert run.sent == before


def test_releasing_a_thread_sends_the_agent_nothing_and_forgets_it() -> None:
    run = turn(tool_call("t1", name="x"), update("t1", status="completed"))
    before = list(run.sent)
    assert "result" in run.answer_of(run.stop("release"))
    assert run.sent == before
    assert run.answer_of(run.prompt())["error"]["code"] == -32602
    again = run.start()
    run.answer_session("session-b")
    assert run.answer_of(again)["result"]["providerThreadId"] == "session-b"


def test_a_released_threads_rows_are_handed_out() -> None:
    run = prompted().feed(command("t1"))
    assert run.finished_rows == []
    run.stop("release")
    assert [row["kind"] for row in run.finished_rows] == ["turn"]
