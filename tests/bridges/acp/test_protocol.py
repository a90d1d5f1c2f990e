"""The two JSON-RPC sides of the bridge: unknown methods, bad params, ids, host calls, noise."""

from typing import Any

import pytest
from acp_frames import (
    CWD,
    SESSION,
    THREAD,
    AcpRun,
    ask,
    command,
    message,
    notice,
    other,
    prompted,
    request,
    turn,
)

from parity.bridges.acp.bridge import AcpBridge

ANY_ID = [0, 1, 7, -3, "a", "1", "", 2**53]


@pytest.mark.parametrize("method", ["thread/dance", "", "session/prompt", "thread/delta"])
def test_an_unknown_method_of_the_runtime_is_refused(method: str) -> None:
    run = AcpRun()
    assert run.answer_of(run.runtime(method))["error"]["code"] == -32601


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("thread/start", {}),
        ("thread/start", {"threadId": 7, "cwd": CWD}),
        ("thread/start", {"threadId": "new"}),
        ("thread/start", {"threadId": THREAD, "cwd": CWD}),
        ("thread/resume", {"threadId": "new", "cwd": CWD}),
        ("thread/resume", {"threadId": "new", "providerThreadId": 3, "cwd": CWD}),
        ("thread/fork", {"threadId": "new", "cwd": CWD}),
        ("thread/fork", {"threadId": "new", "providerThreadId": SESSION, "cwd": CWD}),
        ("thread/stop", {"threadId": "nobody", "intent": "interrupt"}),
        ("thread/stop", {"threadId": THREAD}),
        ("thread/stop", {"threadId": THREAD, "intent": "explode"}),
        ("turn/start", {"threadId": THREAD}),
        ("turn/start", {"threadId": THREAD, "input": []}),
        ("turn/start", {"threadId": THREAD, "input": "go"}),
        ("turn/start", {"threadId": "nobody", "input": [{"type": "text", "text": "go"}]}),
        ("turn/steer", {"threadId": THREAD, "input": [{"type": "text", "text": "go"}]}),
    ],
)
def test_bad_params_are_refused_and_nothing_is_sent(method: str, params: dict[str, Any]) -> None:
    run = AcpRun()
    before = list(run.sent)
    assert run.answer_of(run.runtime(method, **params))["error"]["code"] == -32602
    assert run.sent == before
    assert run.turns == []


@pytest.mark.parametrize("params", [None, [], "x", 7])
def test_params_that_are_no_object_are_bad_params(params: Any) -> None:
    run = AcpRun()
    run.bridge.runtime({"jsonrpc": "2.0", "id": 1, "method": "turn/start", "params": params})
    outputs = run.bridge.runtime({"jsonrpc": "2.0", "id": 1, "method": "turn/start", "params": params})
    assert outputs[0].message["error"]["code"] == -32602


def test_a_refused_start_leaves_the_thread_free_to_start() -> None:
    run = AcpRun()
    run.runtime("thread/start", threadId="second")
    request_id = run.runtime("thread/start", threadId="second", cwd=CWD)
    run.answer_session("session-b")
    assert run.answer_of(request_id)["result"] == {"threadId": "second", "providerThreadId": "session-b"}


@pytest.mark.parametrize("method", [None, 7, ["x"]])
def test_a_malformed_method_of_the_runtime_never_breaks_the_bridge(method: Any) -> None:
    run = AcpRun()
    run.bridge.runtime({"jsonrpc": "2.0", "id": 1, "method": method})
    run.prompt()
    run.feed(message("fine")).answer_prompt()
    assert run.texts == ["fine"]


@pytest.mark.parametrize("request_id", ANY_ID)
def test_s46_a_request_of_the_runtime_is_answered_with_its_own_id(request_id: Any) -> None:
    run = AcpRun()
    answer = run.answer_of(run.runtime("model/list", request_id))
    assert answer["id"] == request_id
    assert type(answer["id"]) is type(request_id)


@pytest.mark.parametrize("request_id", ANY_ID)
def test_s46_a_request_of_the_agent_is_answered_with_its_own_id(request_id: Any) -> None:
    run = prompted().feed(command("t1"))
    asked = {**ask("t1"), "id": request_id}
    run.feed(asked)
    run.answer("allowed")
    assert len(run.responses(request_id)) == 1


def test_s46_both_sides_may_use_one_number() -> None:
    run = prompted()
    ours = run.sent_of("session/prompt")[0]["id"]
    run.feed(command("t1"), {**ask("t1"), "id": ours})
    run.answer("allowed")
    assert run.responses(ours)[0]["result"]["outcome"]["optionId"] == "yes"
    run.answer_prompt()
    assert run.turn["status"] == "completed"


def test_s46_ids_that_start_again_each_turn_are_answered_each_time() -> None:
    run = AcpRun()
    for call_id in ("t1", "t2"):
        run.prompt()
        run.feed(command(call_id), {**ask(call_id), "id": 1})
        run.answer("allowed")
        run.answer_prompt()
    assert len([r for r in run.responses(1) if "outcome" in r.get("result", {})]) == 2


def test_s46_a_number_and_its_text_are_two_ids() -> None:
    run = prompted().feed(command("a"), command("b"), {**ask("a"), "id": 5}, {**ask("b"), "id": "5"})
    run.answer("denied", index=0)
    run.answer("allowed", index=1)
    assert run.responses(5)[0]["result"]["outcome"]["optionId"] == "no"
    assert run.responses("5")[0]["result"]["outcome"]["optionId"] == "yes"


@pytest.mark.parametrize("stranger", [True, 1.0, "3", 99, None, [3], {"id": 3}])
def test_s46_an_answer_to_an_id_that_is_not_ours_is_noise_and_changes_nothing(stranger: Any) -> None:
    run = prompted()
    noise = run.bridge.noise
    run.provider({"jsonrpc": "2.0", "id": stranger, "result": {"stopReason": "end_turn"}})
    assert run.bridge.noise == noise + 1
    assert run.turn["status"] == "pending"


def test_s46_an_answer_with_a_boolean_for_our_first_id_is_noise() -> None:
    run = AcpRun(start=False)
    run.runtime("initialize")
    run.provider({"jsonrpc": "2.0", "id": True, "result": {}})
    assert run.answers == []
    assert run.bridge.noise == 1


def test_s46_a_second_answer_to_one_prompt_is_noise() -> None:
    run = prompted().feed(message("a")).answer_prompt()
    before = run.events
    run.answer_prompt()
    assert run.events == before


def test_s45_an_unknown_update_is_kept_as_unhandled_and_the_stream_goes_on() -> None:
    run = turn(message("a"), other("telepathy", thought=1), message("b"))
    assert [event["rawType"] for event in run.unhandled] == ["telepathy"]
    assert run.unhandled[0]["raw"] == {"sessionUpdate": "telepathy", "thought": 1}
    assert run.unhandled[0]["scope"]["kind"] == "turn"
    assert run.texts == ["ab"]


@pytest.mark.parametrize("bad", [None, 7, "x", [], {}, {"sessionUpdate": 7}, {"sessionUpdate": "tool_call"}])
def test_s45_an_unreadable_update_is_kept_as_unhandled_and_the_stream_goes_on(bad: Any) -> None:
    run = prompted()
    run.provider({"method": "session/update", "params": {"sessionId": SESSION, "update": bad}})
    run.feed(message("fine")).answer_prompt()
    assert len(run.unhandled) == 1
    assert run.texts == ["fine"]


def test_s45_an_unknown_notification_is_kept_as_unhandled() -> None:
    run = prompted().feed(notice("weather/changed", sky="blue"))
    assert run.unhandled[0]["rawType"] == "weather/changed"
    assert run.unhandled[0]["raw"]["params"]["sky"] == "blue"


def test_s45_a_vendors_extension_notification_is_ignored() -> None:
    run = turn(notice("_vendor/metrics", cpu=3), message("a"))
    assert run.unhandled == []
    assert run.texts == ["a"]


@pytest.mark.parametrize("method", ["_vendor/do", "weather/get", "session/unheard_of"])
def test_s45_an_unknown_request_is_refused_and_kept_as_unhandled(method: str) -> None:
    run = prompted().feed(request(method, "q1", city="X"))
    assert run.responses("q1")[0]["error"]["code"] == -32601
    assert run.unhandled[0]["rawType"] == method


def test_s45_a_request_for_nobodys_session_is_answered_too() -> None:
    run = AcpRun(start=False)
    run.provider({"jsonrpc": "2.0", "id": "q1", "method": "weather/get"})
    assert run.responses("q1")[0]["error"]["code"] == -32601


@pytest.mark.parametrize(
    "params", [{}, {"sessionId": "nobody", "toolCall": {"toolCallId": "t"}}, {"toolCall": 7}]
)
def test_a_permission_request_that_cannot_be_read_is_refused(params: dict[str, Any]) -> None:
    run = prompted()
    run.provider({"jsonrpc": "2.0", "id": "q1", "method": "session/request_permission", "params": params})
    assert "error" in run.responses("q1")[0]


@pytest.mark.parametrize("options", [None, 7, [None, 3], [{"optionId": 1}], [{}]])
def test_malformed_options_never_break_an_ask(options: Any) -> None:
    run = prompted().feed(command("t1"))
    params = {"sessionId": SESSION, "toolCall": {"toolCallId": "t1"}, "options": options}
    run.provider({"jsonrpc": "2.0", "id": "q1", "method": "session/request_permission", "params": params})
    run.answer("allowed")
    assert run.responses("q1")[0]["result"] == {"outcome": {"outcome": "cancelled"}}


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"message": "Your name?"}, "declined a form of the agent: Your name?"),
        (
            {"mode": "url", "url": "https://example.com/sign-in", "message": "Sign in"},
            "declined a page of the agent: Sign in (https://example.com/sign-in)",
        ),
        ({"mode": "_hologram", "message": 3}, "declined a question (_hologram) of the agent"),
    ],
)
def test_a_form_the_agent_wants_filled_is_declined_with_a_warning(asked: dict[str, Any], words: str) -> None:
    run = prompted().feed(request("elicitation/create", "q1", **asked))
    assert run.responses("q1")[0]["result"] == {"action": "decline"}
    assert run.events_of("provider/warning")[0]["message"] == words


@pytest.mark.parametrize("method", ["fs/read_text_file", "fs/write_text_file", "terminal/create"])
def test_a_host_request_waits_for_the_host_and_is_answered_with_its_result(method: str) -> None:
    run = prompted().feed(request(method, "h1", path="/a"))
    assert run.responses("h1") == []
    assert (run.hosts[0].method, run.hosts[0].params["path"]) == (method, "/a")
    run.host_result({"content": "x"})
    assert run.responses("h1")[0]["result"] == {"content": "x"}


def test_a_host_that_fails_is_an_error_for_the_agent_and_no_more() -> None:
    run = prompted().feed(request("fs/read_text_file", "h1", path="/a"))
    run.host_error(-32002, "no such file")
    assert run.responses("h1")[0]["error"] == {"code": -32002, "message": "no such file"}
    run.feed(message("ok")).answer_prompt()
    assert run.turn["status"] == "completed"


def test_two_host_requests_are_answered_each_under_its_own_id() -> None:
    run = prompted().feed(
        request("fs/read_text_file", 1, path="/a"), request("fs/read_text_file", "1", path="/b")
    )
    run.host_result({"content": "a"})
    run.host_result({"content": "b"})
    assert run.responses(1)[-1]["result"]["content"] == "a"
    assert run.responses("1")[0]["result"]["content"] == "b"


@pytest.mark.parametrize("noise", [None, 7, "text", [], True, {}, {"jsonrpc": "2.0"}])
def test_what_is_no_message_is_counted_and_ignored(noise: Any) -> None:
    run = prompted()
    said = len(run.sent), run.events
    run.provider(noise)
    assert run.bridge.noise == 1
    assert (len(run.sent), run.events) == said


@pytest.mark.parametrize("noise", [None, 7, "text", []])
def test_noise_of_the_runtime_is_counted_and_ignored(noise: Any) -> None:
    bridge = AcpBridge()
    assert list(bridge.runtime(noise)) == []
    assert bridge.noise == 1


def test_a_request_the_agent_takes_back_is_answered_cancelled() -> None:
    run = prompted().feed(
        command("t1"), {**ask("t1"), "id": "q1"}, notice("$/cancel_request", requestId="q1")
    )
    assert run.responses("q1")[0]["result"] == {"outcome": {"outcome": "cancelled"}}
    assert run.call("t1")["approval"]["decision"] == "cancelled"
    run.answer("allowed")
    assert len(run.responses("q1")) == 1
