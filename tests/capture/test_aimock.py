from __future__ import annotations

from parity.capture.aimock import fixtures_of
from parity.capture.script import Call, Entry, Refusal, Reply


def _call(name: str) -> Call:
    return Call(name, "run", {"command": "ls"})


def test_the_first_reply_answers_the_prompt_and_the_next_the_result_of_its_call() -> None:
    script = [Entry("P", [Reply(say="a", calls=[_call("c1")]), Reply(say="b")])]
    after, first, rest = fixtures_of(script)
    assert first["match"] == {"userMessage": "P", "hasToolResult": False}
    assert first["response"]["toolCalls"] == [{"id": "c1", "name": "run", "arguments": {"command": "ls"}}]
    assert (after["match"], after["response"]) == ({"toolCallId": "c1"}, {"content": "b"})
    assert rest["match"] == {}


def test_the_reply_to_several_calls_follows_whichever_result_comes_last() -> None:
    script = [Entry("P", [Reply(calls=[_call("c1"), _call("c2")]), Reply(say="b")])]
    matches = [fixture["match"] for fixture in fixtures_of(script)]
    assert matches[:2] == [{"toolCallId": "c1"}, {"toolCallId": "c2"}]


def test_a_prompt_with_one_reply_is_looked_for_first_and_beside_results() -> None:
    script = [Entry("P", [Reply(calls=[_call("c1")]), Reply(say="b")]), Entry("Q", [Reply(say="q")])]
    assert fixtures_of(script)[0]["match"] == {"userMessage": "Q"}


def test_a_refusal_is_an_http_error() -> None:
    fixture = fixtures_of([Entry("P", [Reply(refusal=Refusal(401, "no"))])])[0]
    assert fixture["response"] == {"error": {"message": "no", "type": "api_error"}, "status": 401}


def test_thoughts_and_a_pace_are_passed_on() -> None:
    fixture = fixtures_of([Entry("P", [Reply(think="t", say="s", pace=20)])])[0]
    assert fixture["response"] == {"reasoning": "t", "content": "s"}
    assert fixture["latency"] == 20
