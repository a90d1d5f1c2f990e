"""Rules of the connection: handshake, JSON-RPC, lines that are no messages, messages that are well formed."""

from __future__ import annotations

from typing import Any

from parity.bridges.base import INVALID_PARAMS, METHOD_NOT_FOUND
from parity.conformance.agents import REFUSAL
from parity.conformance.scripted.tour import PROTOCOL, tour
from parity.conformance.stage import CWD, THREAD, Stage, error_code, expect, shown
from parity.conformance.verdicts import Broken, NotApplicable, RuleBook
from parity.replay.matching import id_key

BOOK: RuleBook[Stage] = RuleBook()


@BOOK.rule(
    "handshake/answers",
    "`initialize` reaches the agent once and is answered with a result.",
    f"{PROTOCOL}; ACP, Initialization",
)
def _handshake(stage: Stage) -> None:
    answer = stage.request("initialize", {"clientInfo": {"name": "parity", "version": "0"}})
    expect(answer is not None and "result" in answer, f"initialize: {shown(answer)}")
    expect(stage.agent.initialized == 1, f"the agent got initialize {stage.agent.initialized} times")


@BOOK.rule(
    "handshake/refused",
    "An agent that refuses `initialize` makes its answer an error, with the agent's words.",
    "JSON-RPC 2.0, section 5.1",
)
def _handshake_refused(stage: Stage) -> None:
    stage.agent.refuses.add("initialize")
    answer = stage.request("initialize", {})
    expect(error_code(answer) is not None, f"the agent refused; initialize: {shown(answer)}")
    expect(REFUSAL in shown(answer), f"the agent's words are lost: {shown(answer)}")


@BOOK.rule(
    "rpc/unknown-method",
    "A request of an unknown method is answered with -32601, before and after the handshake.",
    f"{PROTOCOL}; JSON-RPC 2.0, section 5.1",
)
def _unknown_method(stage: Stage) -> None:
    for when in ("before the handshake", "after it"):
        for method in ("no/such/method", "toString", "__init__"):
            answer = stage.request(method, {})
            what = f"{method!r} {when}: {shown(answer)}"
            expect(error_code(answer) == METHOD_NOT_FOUND, what)
        if not stage.agent.initialized:
            stage.ready()


@BOOK.rule(
    "rpc/unknown-notification",
    "A notification is never answered, known or not.",
    "JSON-RPC 2.0, section 4.1",
)
def _unknown_notification(stage: Stage) -> None:
    stage.ready()
    before = len(stage.said)
    stage.notify("$/no/such/notification", {})
    stage.notify("no/such/notification", {"threadId": THREAD})
    _silent(stage, before, "said")


_BAD: tuple[tuple[str, Any], ...] = (
    ("thread/start", {}),
    ("thread/start", {"threadId": 7, "cwd": CWD}),
    ("thread/start", [THREAD, CWD]),
    ("thread/resume", {"threadId": "thread-2", "cwd": CWD}),
    ("turn/start", {"threadId": "unknown", "input": [{"type": "text", "text": "?"}]}),
    ("turn/start", {"threadId": THREAD, "input": "go"}),
    ("turn/start", {"threadId": THREAD}),
    ("thread/stop", {"threadId": "unknown", "intent": "interrupt"}),
    ("thread/stop", {"threadId": THREAD, "intent": "explode"}),
    ("thread/stop", {"threadId": THREAD}),
)


@BOOK.rule(
    "rpc/bad-params",
    "Params that do not fit are answered with -32602, and change nothing.",
    f"{PROTOCOL}; JSON-RPC 2.0, section 5.1",
)
def _bad_params(stage: Stage) -> None:
    stage.thread()
    events, prompts = len(stage.events), len(stage.agent.prompts)
    for method, params in _BAD:
        answer = stage.request(method, params)
        if method == "thread/resume" and error_code(answer) == METHOD_NOT_FOUND:
            continue
        what = f"{method} {shown(params)}: {shown(answer)}"
        expect(error_code(answer) == INVALID_PARAMS, what)
    expect(len(stage.events) == events, f"something happened: {shown(stage.events[events:])}")
    expect(len(stage.agent.prompts) == prompts, "the agent was prompted")


@BOOK.rule(
    "rpc/same-id",
    "A request is answered under its own id, the same value in the same JSON type.",
    "JSON-RPC 2.0, section 5",
)
def _same_id(stage: Stage) -> None:
    stage.ready()
    for request_id in (7, "7", 0, "0", "", -1, 2**53 - 1, "a b/ü", "req-1"):
        answer = stage.request("$/parity/unknown", {}, request_id)
        said = [message["id"] for message in stage.said if "method" not in message]
        expect(answer is not None, f"id {request_id!r}: no answer under it (the last one: {said[-1:]})")
    answer = stage.request("thread/start", {"threadId": THREAD, "cwd": CWD}, "start-1")
    expect(answer is not None, "thread/start under the id 'start-1': no answer under it")


@BOOK.rule(
    "rpc/one-answer",
    "Each request is answered once.",
    "JSON-RPC 2.0, section 5",
)
def _one_answer(stage: Stage) -> None:
    tour(stage)
    for (kind, value), answers in stage.answers.items():
        count = len(answers)
        expect(count == 1, f"{count} answers to request {value!r} ({kind}): {shown(answers[-1])}")


@BOOK.rule(
    "rpc/noise",
    "A line that is no message is ignored and counted, on either side; the session goes on.",
    f"{PROTOCOL}; docs/policies.md, unknown things",
)
def _noise(stage: Stage) -> None:
    stage.ready()
    before = len(stage.said)
    uncounted = stage.garbage()
    _silent(stage, before, "answered")
    expect(uncounted is None, str(uncounted))
    _goes_on(stage, "a line that is no message")


@BOOK.rule(
    "rpc/unasked-answer",
    "An answer to a request nobody made changes nothing, also one whose id differs only in its type.",
    "JSON-RPC 2.0, section 5",
)
def _unasked_answer(stage: Stage) -> None:
    session = stage.opened()
    question = stage.ask(session)
    said, told = len(stage.said), len(stage.told)
    like = str(question["id"]) if isinstance(question["id"], int) else f"{question['id']}0"
    for request_id in (4711, "stray", like):
        stage.runtime_says({"jsonrpc": "2.0", "id": request_id, "result": {"decision": "allowed"}})
    stage.agent_says(*stage.agent.stray_answers())
    expect(len(stage.said) == said, f"told the runtime {shown(stage.said[said:])}")
    expect(len(stage.told) == told, f"told the agent {shown(stage.told[told:])}")
    stage.answer(question, {"decision": "cancelled"})
    stage.agent_says(*stage.agent.end(session))
    expect(stage.until(lambda: bool(stage.settled())), "the turn did not go on to its end")


@BOOK.rule(
    "message/valid",
    "Every message to the runtime is JSON-RPC and has what its method needs.",
    PROTOCOL,
)
def _messages(stage: Stage) -> None:
    tour(stage)
    for message in stage.malformed:
        raise Broken(message)


@BOOK.rule(
    "delta/known",
    "Every delta is one of the vocabulary, with members of the right types.",
    "docs/bridges.md, deltas",
)
def _deltas(stage: Stage) -> None:
    tour(stage)
    for wrong in stage.wrong_deltas:
        raise Broken(wrong)


@BOOK.rule(
    "agent/unknown-request",
    "A request of the agent that nobody knows is refused, once; the agent does not wait for ever.",
    "JSON-RPC 2.0, section 5; docs/policies.md, unknown things",
)
def _unknown_request(stage: Stage) -> None:
    session, agent = stage.opened(), stage.agent
    for request_id in agent.request_ids:
        stage.agent_says(*agent.strange_request(session, request_id))
    expect(
        stage.until(lambda: all(agent.answers_to(one) for one in agent.request_ids)),
        f"the agent's requests {agent.request_ids} got {_answered(stage)}",
    )
    for request_id in agent.request_ids:
        got = agent.answers_to(request_id)
        expect(got == ["error"], f"the agent's request {request_id!r} got {got}")


def _answered(stage: Stage) -> str:
    return ", ".join(f"{value!r}: {got}" for (_, value), got in stage.agent.answers.items()) or "no answer"


@BOOK.rule(
    "agent/odd-messages",
    "Messages of the agent with members of odd types crash nothing; the turn goes on.",
    "docs/policies.md, unknown things",
)
def _odd(stage: Stage) -> None:
    session = stage.opened()
    stage.agent_says(*stage.agent.odd(session))
    expect(stage.subject.failure is None, str(stage.subject.failure))
    expect(not stage.settled(), "the turn settled")
    stage.agent_says(*stage.agent.text(session, "still here"), *stage.agent.end(session))
    expect(stage.until(lambda: bool(stage.settled())), "the turn did not go on to its end")
    texts = [item.get("text") for item in stage.items("agentMessage")]
    expect("still here" in texts, f"the text after them is {texts}")


@BOOK.rule(
    "process/ends",
    "A bridge process ends with its standard input, with exit code 0.",
    "docs/bridges.md, how a cell is played",
)
def _ends(stage: Stage) -> None:
    if not stage.subject.has_process:
        raise NotApplicable("a bridge in this process has no end of its own")
    stage.thread()
    stage.subject.end()
    expect(stage.subject.failure is None, str(stage.subject.failure))


def _silent(stage: Stage, before: int, what: str) -> None:
    expect(len(stage.said) == before, f"{what} {shown(stage.said[before:])}")
    expect(not stage.malformed, f"{what} {'; '.join(stage.malformed)}")


def _goes_on(stage: Stage, after: str) -> None:
    answer = stage.request("$/parity/unknown", {}, "goes-on")
    alive = bool(stage.answers.get(id_key("goes-on")))
    expect(alive, f"after {after} nothing is answered: {stage.subject.failure or shown(answer)}")
