"""Threads, turns and stops of the codex bridge: the two protocols against each other."""

from __future__ import annotations

from typing import Any

import pytest
from codex_frames import (
    CHILD,
    CHILD_TURN,
    CODEX,
    CWD,
    THREAD,
    TURN,
    CodexRun,
    activity,
    command,
    message,
    ran,
    spawn,
)

TEXT = [{"type": "text", "text": "go"}]


def test_initialize_is_passed_on_and_followed_by_initialized() -> None:
    run = CodexRun(opened=False)
    asked = run.runtime("initialize", clientInfo={"name": "bb", "version": "1"})
    run.answer({"userAgent": "bb/0.171.0 (x)"})
    assert [m["method"] for m in run.sent] == ["initialize", "initialized"]
    assert run.sent[0]["params"]["clientInfo"] == {"name": "bb", "version": "1"}
    assert run.sent[0]["params"]["capabilities"] == {"experimentalApi": True}
    assert run.reply(asked)["result"] == {"userAgent": "bb/0.171.0 (x)"}


def test_a_refused_initialize_is_told_and_not_followed() -> None:
    run = CodexRun(opened=False)
    asked = run.runtime("initialize")
    run.answer(error={"code": -32600, "message": "already"})
    assert run.reply(asked)["error"]["message"] == "already"
    assert run.requests("initialized") == []


def test_models_are_the_agents() -> None:
    run = CodexRun()
    asked = run.runtime("model/list")
    run.answer({"data": [{"id": "gpt"}], "nextCursor": None})
    assert run.reply(asked)["result"] == {"models": [{"id": "gpt"}]}


def test_a_thread_starts_where_the_runtime_says_and_is_known_by_the_agents_id() -> None:
    run = CodexRun(opened=False)
    asked = run.runtime(
        "thread/start", threadId=THREAD, cwd=CWD, options={"model": "gpt", "sandbox": "read-only"}
    )
    run.answer({"thread": {"id": CODEX, "turns": []}, "cwd": CWD})
    assert run.sent[-1]["params"] == {"model": "gpt", "sandbox": "read-only", "cwd": CWD}
    assert run.reply(asked)["result"] == {"threadId": THREAD, "providerThreadId": CODEX}
    assert "thread/identity" in [m.get("method") for m in run.told]


@pytest.mark.parametrize("body", [{"error": {"code": 1, "message": "no"}}, {"result": {}}])
def test_a_thread_that_does_not_open_is_free_again(body: Any) -> None:
    run = CodexRun(opened=False)
    asked = run.runtime("thread/start", threadId=THREAD, cwd=CWD)
    run.answer(body.get("result"), error=body.get("error"))
    assert "error" in run.reply(asked)
    run.open()
    assert run.bridge.thread_of(CODEX) == THREAD


def resumed() -> CodexRun:
    run = CodexRun(opened=False)
    run.runtime("thread/resume", threadId=THREAD, providerThreadId=CODEX, cwd=CWD)
    run.tell("thread/status/changed", status={"type": "idle"})
    items = [command("old"), message("m0", "before")]
    turn = {"id": "old-turn", "items": items, "status": "completed"}
    run.answer({"thread": {"id": CODEX, "turns": [turn]}, "cwd": CWD})
    return run


def test_s43_the_history_of_a_resumed_thread_makes_no_rows() -> None:
    run = resumed()
    assert run.sent[-1]["params"] == {"threadId": CODEX, "excludeTurns": True, "cwd": CWD}
    run.usage(9000, 100, "old-turn")
    run.turn("more")
    run.end(message(text="new"))
    run.over()
    assert [row["kind"] for row in run.all_rows()] == ["turn", "message"]


def test_s43_late_frames_of_an_old_turn_are_unhandled() -> None:
    run = resumed()
    run.end(command("old"), "old-turn")
    assert run.row("unhandled")["title"] == "item/completed commandExecution"


def test_a_turn_still_running_when_its_thread_is_resumed_is_the_agents() -> None:
    run = CodexRun(opened=False)
    run.runtime("thread/resume", threadId=THREAD, providerThreadId=CODEX)
    run.answer(
        {"thread": {"id": CODEX, "turns": [{"id": "live", "items": [], "status": "inProgress"}]}, "cwd": CWD}
    )
    run.end(ran(output="x"), "live")
    run.over(turn="live")
    assert run.row("turn")["initiator"] == "agent"
    assert run.row("command")["output"] == "x"


def test_a_fork_is_a_thread_of_its_own() -> None:
    run = CodexRun()
    run.runtime("thread/fork", threadId="fork", providerThreadId=CODEX, cwd=CWD)
    assert run.sent[-1]["params"] == {"threadId": CODEX, "excludeTurns": True, "cwd": CWD}
    run.answer({"thread": {"id": "codex-fork", "turns": []}, "cwd": CWD})
    run.turn("there", "tf", "fork", "codex-fork")
    run.turn("here")
    run.end(message(text="in the fork"), "tf", "codex-fork")
    run.over(turn="tf", thread="codex-fork")
    run.over()
    texts = {event["threadId"]: event["item"]["text"] for event in run.of("item/completed")}
    assert texts == {"fork": "in the fork"}
    assert run.bridge.thread_of("codex-fork") == "fork"


def test_s42_what_comes_before_the_thread_is_known_is_held_and_applied_in_order() -> None:
    run = CodexRun(opened=False)
    run.runtime("thread/start", threadId=THREAD, cwd=CWD)
    run.tell("thread/started", threadId=None, thread={"id": CODEX})
    run.tell("thread/name/updated", threadName="one")
    run.tell("thread/name/updated", threadName="two")
    assert run.events == []
    run.answer({"thread": {"id": CODEX, "turns": []}, "cwd": CWD})
    assert [event["name"] for event in run.of("thread/name/updated")] == ["one", "two"]


def test_a_prompt_waits_for_its_thread() -> None:
    run = CodexRun(opened=False)
    run.runtime("thread/start", threadId=THREAD, cwd=CWD)
    run.runtime("turn/start", threadId=THREAD, input=TEXT)
    assert run.requests("turn/start") == []
    run.answer({"thread": {"id": CODEX, "turns": []}, "cwd": CWD})
    assert run.requests("turn/start")[0]["params"]["threadId"] == CODEX


def test_a_prompt_that_waits_is_stopped_without_a_turn() -> None:
    run = CodexRun(opened=False)
    run.runtime("thread/start", threadId=THREAD, cwd=CWD)
    prompt = run.runtime("turn/start", threadId=THREAD, input=TEXT)
    stop = run.stop()
    assert "error" in run.reply(prompt)
    assert "result" in run.reply(stop)
    run.answer({"thread": {"id": CODEX, "turns": []}, "cwd": CWD})
    assert run.requests("turn/start") == []


def test_a_turn_carries_the_runtimes_input_options_and_id() -> None:
    run = CodexRun()
    picture = {"type": "image", "data": "QUJD", "mimeType": "image/png"}
    link = {"type": "resource_link", "uri": "file:///a.py", "name": "a"}
    options = {"effort": "high"}
    blocks = [*TEXT, picture, link, {"type": "localImage", "path": "/p.png"}]
    run.runtime("turn/start", threadId=THREAD, input=blocks, clientRequestId="r9", options=options)
    assert run.sent[-1]["params"] == {
        "effort": "high",
        "threadId": CODEX,
        "input": [
            {"type": "text", "text": "go", "text_elements": []},
            {"type": "image", "url": "data:image/png;base64,QUJD"},
            {"type": "text", "text": "file:///a.py", "text_elements": []},
            {"type": "localImage", "path": "/p.png"},
        ],
        "clientUserMessageId": "r9",
    }
    run.answer({"turn": {"id": TURN}})
    run.tell("turn/started", turn={"id": TURN})
    assert run.of("turn/input/accepted")[0]["clientRequestId"] == "r9"


def test_a_turn_the_agent_refuses_is_none() -> None:
    run = CodexRun()
    asked = run.runtime("turn/start", threadId=THREAD, input=TEXT)
    run.answer(error={"code": -32600, "message": "busy"})
    assert run.reply(asked)["error"]["message"] == "busy"
    assert run.of("turn/started") == []
    run.turn()
    run.over()
    assert run.row("turn")["status"] == "completed"


def test_steering_adds_to_the_open_turn_once_the_agent_took_it() -> None:
    run = CodexRun().turn()
    asked = run.runtime("turn/steer", threadId=THREAD, input=[{"type": "text", "text": "faster"}])
    assert run.sent[-1]["method"] == "turn/steer"
    assert run.sent[-1]["params"]["expectedTurnId"] == TURN
    assert len(run.of("turn/input/accepted")) == 1
    run.answer({"turnId": TURN})
    assert "result" in run.reply(asked)
    for words in ("go", "faster"):
        run.end({"type": "userMessage", "id": words, "content": [{"type": "text", "text": words}]})
    run.over()
    assert len(run.of("turn/input/accepted")) == 2
    assert len(run.of("turn/started")) == 1


def test_steering_the_agent_refuses_changes_nothing() -> None:
    run = CodexRun().turn()
    asked = run.runtime("turn/steer", threadId=THREAD, input=TEXT)
    run.answer(error={"code": -32600, "message": "not steerable"})
    assert run.reply(asked)["error"]["message"] == "not steerable"
    assert len(run.of("turn/input/accepted")) == 1


def test_a_stop_interrupts_the_open_turn_once() -> None:
    run = CodexRun().turn()
    run.stop()
    second = run.stop()
    assert [m["params"] for m in run.requests("turn/interrupt")] == [{"threadId": CODEX, "turnId": TURN}]
    assert "result" in run.reply(second)


def test_a_stop_before_the_turn_has_an_id_follows_once_it_has() -> None:
    run = CodexRun()
    run.runtime("turn/start", threadId=THREAD, input=TEXT)
    stop = run.stop()
    assert "result" in run.reply(stop)
    assert run.requests("turn/interrupt") == []
    run.answer({"turn": {"id": TURN}}, method="turn/start")
    assert run.requests("turn/interrupt")[0]["params"]["turnId"] == TURN
    run.tell("turn/started", turn={"id": TURN})
    run.over("interrupted")
    assert run.row("turn")["status"] == "interrupted"


def test_a_stop_without_a_turn_sends_nothing() -> None:
    run = CodexRun()
    asked = run.stop()
    assert "result" in run.reply(asked)
    assert run.requests("turn/interrupt") == []


def test_a_released_thread_is_unsubscribed_and_heard_no_more() -> None:
    run = CodexRun().turn()
    asked = run.runtime("thread/stop", threadId=THREAD, intent="release")
    assert run.sent[-1]["method"] == "thread/unsubscribe"
    run.answer({"status": "unsubscribed"})
    assert "result" in run.reply(asked)
    before = len(run.events)
    run.end(ran())
    run.over()
    assert len(run.events) == before
    run.open(THREAD, "another")
    assert run.bridge.thread_of(CODEX) is None


def test_a_thread_released_before_it_opened_is_refused_and_never_told_of() -> None:
    run = CodexRun(opened=False)
    asked = run.runtime("thread/start", threadId=THREAD, cwd=CWD)
    turn = run.runtime("turn/start", threadId=THREAD, input=TEXT)
    run.runtime("thread/stop", threadId=THREAD, intent="release")
    run.answer({"thread": {"id": CODEX, "turns": []}, "cwd": CWD}, method="thread/start")
    assert [run.reply(request)["error"]["code"] for request in (asked, turn)] == [-32603, -32603]
    assert run.sent[-1]["method"] == "thread/unsubscribe"
    assert run.events == []


@pytest.mark.parametrize("method", ["thread/dance", "", "turn/interrupt", "thread/delta"])
def test_an_unknown_method_of_the_runtime_is_refused(method: str) -> None:
    run = CodexRun()
    assert run.reply(run.runtime(method))["error"]["code"] == -32601


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("thread/start", {}),
        ("thread/start", {"threadId": THREAD, "cwd": CWD}),
        ("thread/resume", {"threadId": "new"}),
        ("thread/fork", {"threadId": "new", "providerThreadId": 3}),
        ("thread/stop", {"threadId": "nobody", "intent": "interrupt"}),
        ("thread/stop", {"threadId": THREAD, "intent": "explode"}),
        ("turn/start", {"threadId": THREAD}),
        ("turn/start", {"threadId": THREAD, "input": []}),
        ("turn/start", {"threadId": "nobody", "input": TEXT}),
        ("turn/steer", {"threadId": THREAD, "input": TEXT}),
    ],
)
def test_bad_params_are_refused_and_nothing_is_sent(method: str, params: dict[str, Any]) -> None:
    run = CodexRun()
    before = len(run.sent)
    assert run.reply(run.runtime(method, **params))["error"]["code"] == -32602
    assert len(run.sent) == before


def test_a_second_turn_is_refused_while_one_is_open() -> None:
    run = CodexRun().turn()
    assert run.reply(run.runtime("turn/start", threadId=THREAD, input=TEXT))["error"]["code"] == -32602


@pytest.mark.parametrize(
    "said", [7, None, "banner", [], {}, {"id": 99, "result": {}}, {"id": "1", "result": {}}]
)
def test_noise_of_the_agent_is_counted_and_harmless(said: Any) -> None:
    run = CodexRun()
    assert list(run.bridge.provider(said)) == []
    assert run.bridge.noise == 1


def test_a_sub_agent_of_one_thread_is_never_taken_for_anothers_that_spawns_one() -> None:
    run = CodexRun().turn()
    run.open("thread-b", "codex-b")
    run.turn(turn="turn-b", thread="thread-b", codex="codex-b")
    run.end(activity(), turn="turn-b", thread="codex-b")
    run.begin(spawn("other"))
    run.tell("turn/started", threadId=CHILD, turn={"id": CHILD_TURN})
    assert run.bridge.thread_of(CHILD) == "thread-b"
