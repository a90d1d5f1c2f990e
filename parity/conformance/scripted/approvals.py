"""Rules of approvals: the person is asked, the answer goes back once under the agent's own id."""

from __future__ import annotations

from parity.conformance.scripted.tour import PROTOCOL, option_of
from parity.conformance.stage import Stage, expect, shown
from parity.conformance.verdicts import Broken, RuleBook

BOOK: RuleBook[Stage] = RuleBook()

_SOURCE = f"{PROTOCOL}; ACP, Tool Calls, Requesting Permission"


@BOOK.rule(
    "approval/asks",
    "A permission request becomes one question about its call, with options; nothing is answered ahead.",
    _SOURCE,
)
def _asks(stage: Stage) -> None:
    session = stage.opened()
    with stage.judging():
        question = stage.ask(session)
    params = question["params"]
    expect(len(stage.asked) == 1, f"asked {len(stage.asked)} times")
    expect(params.get("itemId") == "call-1", f"itemId is {params.get('itemId')!r}, not the agent's 'call-1'")
    payload = params["payload"]
    expect(payload.get("kind") == "approval", f"the question is {shown(payload)}")
    for word in ("allow", "reject"):
        expect(option_of(question, word) is not None, f"no option to {word}: {shown(payload.get('options'))}")
    early = stage.agent.answers_to(stage.agent.request_ids[0])
    expect(not early, f"the agent got {early} before anyone decided")


@BOOK.rule(
    "approval/decides",
    "What the person decides is what the agent is told, allowed or denied.",
    _SOURCE,
)
def _decides(stage: Stage) -> None:
    session, agent = stage.opened(), stage.agent
    for call, request_id, decision, word in (
        ("call-1", agent.request_ids[0], "allowed", "allow"),
        ("call-2", agent.request_ids[1], "denied", "reject"),
    ):
        question = stage.ask(session, call, request_id)
        stage.answer(question, {"decision": decision, "optionId": option_of(question, word)})
        stage.until(lambda wanted=request_id: bool(agent.answers_to(wanted)))  # type: ignore[misc]
        got = agent.answers_to(request_id)
        expect(got == [decision], f"the person {decision} it, the agent got {got}")


@BOOK.rule(
    "approval/own-id",
    "Each open permission request is answered under its own id, in whatever order people decide.",
    "JSON-RPC 2.0, section 5",
)
def _own_id(stage: Stage) -> None:
    session, agent = stage.opened(), stage.agent
    asked = [
        stage.ask(session, f"call-{number}", request_id)
        for number, request_id in enumerate(agent.request_ids)
    ]
    stage.answer(asked[1], {"decision": "allowed", "optionId": option_of(asked[1], "allow")})
    stage.answer(asked[0], {"decision": "denied", "optionId": option_of(asked[0], "reject")})
    first, second = agent.request_ids
    stage.until(lambda: bool(agent.answers_to(first) and agent.answers_to(second)))
    for request_id, decision in ((first, "denied"), (second, "allowed")):
        got = agent.answers_to(request_id)
        expect(got == [decision], f"request {request_id!r} was {decision}, the agent got {got} under that id")
    expect(len(agent.answers) == 2, f"answers under other ids: {[value for _, value in agent.answers]}")


@BOOK.rule(
    "approval/answered-on-stop",
    "A stop answers an open permission request at once, and never as allowed.",
    "docs/policies.md, turns; ACP, Prompt Turn, Cancellation",
)
def _answered_on_stop(stage: Stage) -> None:
    session, agent = stage.opened(), stage.agent
    stage.ask(session)
    stage.stop()
    request_id = agent.request_ids[0]
    stage.until(lambda: bool(agent.answers_to(request_id)))
    got = agent.answers_to(request_id)
    if not got:
        raise Broken("the turn was stopped, and the agent still waits for an answer to its request")
    expect(got[0] in ("cancelled", "denied", "error"), f"the turn was stopped, and the agent got {got}")


@BOOK.rule(
    "approval/answered-once",
    "An answer of the person that comes after the stop is not passed on: the agent has its answer.",
    "JSON-RPC 2.0, section 5",
)
def _answered_once(stage: Stage) -> None:
    session, agent = stage.opened(), stage.agent
    question = stage.ask(session)
    stage.stop()
    late = {"decision": "allowed", "optionId": option_of(question, "allow")}
    stage.answer(question, late)
    stage.agent_says(*agent.stopped(session))
    stage.answer(question, late)
    stage.until(lambda: bool(stage.settled()))
    got = agent.answers_to(agent.request_ids[0])
    expect(len(got) <= 1, f"the agent got {len(got)} answers to one request: {got}")
