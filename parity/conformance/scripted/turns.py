"""Rules of turns: they start and settle once, take input, end in errors, and are stopped."""

from __future__ import annotations

from collections.abc import Callable

from parity.bridges.base import INVALID_PARAMS, METHOD_NOT_FOUND
from parity.conformance.agents import REFUSAL
from parity.conformance.scripted.tour import ORDERING, PROTOCOL, tour
from parity.conformance.stage import THREAD, Stage, error_code, expect, shown
from parity.conformance.verdicts import NotApplicable, RuleBook

BOOK: RuleBook[Stage] = RuleBook()


def _ordering(rule: str) -> Callable[[Stage], None]:
    """The check of one ordering rule, over a whole session."""

    def check(stage: Stage) -> None:
        tour(stage)
        broken = {drop: count for drop, count in stage.drops.items() if drop.startswith(f"{rule}:")}
        expect(not broken, f"dropped {', '.join(f'{count} × {drop}' for drop, count in broken.items())}")

    return check


for _rule, _sentence in (
    ("turn/starts-once", "No turn starts inside another."),
    ("turn/known", "What belongs to a turn names the open one, or is part of open work."),
    ("item/opens-before-delta", "An item opens before anything is said about it."),
    ("item/settles-once", "An item settles once for each time it was opened."),
):
    BOOK.rule(_rule, _sentence, ORDERING)(_ordering(_rule))


@BOOK.rule(
    "turn/settles-once",
    "A turn starts and settles once, and is answered at once.",
    f"{ORDERING}; ACP, Prompt Turn",
)
def _settles_once(stage: Stage) -> None:
    session = stage.thread()
    answer = stage.prompt()
    expect(answer is not None and "result" in answer, f"turn/start: {shown(answer)}")
    prompted = stage.until(lambda: bool(stage.agent.prompted(session)))
    expect(prompted, "the agent got no prompt")
    stage.agent_says(*stage.agent.text(session, "Done."))
    started = len(stage.of("turn/started"))
    expect(started == 1, f"{started} turns started")
    expect(not stage.settled(), f"settled as {stage.settled()} while the agent was at work")
    stage.agent_says(*stage.agent.end(session))
    stage.until(lambda: bool(stage.settled()))
    expect(stage.settled() == ["completed"], f"settled as {stage.settled()} instead of ['completed']")
    extra = {drop: n for drop, n in stage.drops.items() if drop.startswith("turn/settles-once")}
    expect(not extra, f"settled again: {extra}")


@BOOK.rule(
    "turn/one-at-a-time",
    "A second turn while one is open is refused with -32602, and the open one goes on.",
    "docs/policies.md, turns",
)
def _one_at_a_time(stage: Stage) -> None:
    session = stage.opened()
    answer = stage.prompt(text="me too")
    expect(error_code(answer) == INVALID_PARAMS, f"the second turn/start: {shown(answer)}")
    expect(stage.agent.prompted(session) == 1, "the agent got the second prompt")
    stage.agent_says(*stage.agent.end(session))
    stage.until(lambda: bool(stage.settled()))
    expect(stage.settled() == ["completed"], f"the first turn settled as {stage.settled()}")


@BOOK.rule(
    "turn/input",
    "The input reaches the agent as it is, and the runtime is told that it was accepted, in the turn.",
    f"{PROTOCOL}",
)
def _input(stage: Stage) -> None:
    text = "  Grüße an\n\U0001f9ea \u2028 “alle”  "
    session = stage.turn(THREAD, text, stage.thread())
    heard = [prompt.text for prompt in stage.agent.prompts]
    expect(heard == [text], f"the agent heard {heard!r}")
    stage.agent_says(*stage.agent.end(session))
    accepted = [e for e in stage.of("turn/input/accepted") if e.get("origin") is None]
    expect(len(accepted) == 1, f"input accepted {len(accepted)} times")
    told = accepted[0]
    expect(told.get("clientRequestId") == "prompt", f"clientRequestId is {told.get('clientRequestId')!r}")
    expect(told.get("input") == [{"type": "text", "text": text}], f"the input is {shown(told.get('input'))}")
    expect(told["scope"].get("kind") == "turn", "it belongs to no turn")


@BOOK.rule(
    "turn/refused",
    "A prompt that the agent refuses leaves no open turn: an error, or a failed turn; the next one works.",
    "JSON-RPC 2.0, section 5.1; docs/policies.md, turns",
)
def _refused(stage: Stage) -> None:
    session = stage.thread()
    stage.agent.refuses.add("prompt")
    answer = stage.prompt()
    stage.until(lambda: bool(stage.settled()) or error_code(answer) is not None)
    started, settled = len(stage.of("turn/started")), stage.settled()
    expect(settled == ["failed"] * started, f"{started} turns started, settled: {settled}")
    told = error_code(answer) is not None or bool(started)
    expect(told, f"nothing is told of the refusal; turn/start: {shown(answer)}")
    words = shown(answer) + str(stage.events)
    expect(REFUSAL in words, "the agent's words are lost")
    stage.agent.refuses.clear()
    stage.turn(session=session)
    stage.agent_says(*stage.agent.end(session))
    stage.until(lambda: stage.settled()[-1:] == ["completed"])
    expect(stage.settled()[-1:] == ["completed"], f"the next turn settled as {stage.settled()[-1:]}")


@BOOK.rule(
    "error/settles-turn",
    "An error of the agent settles the turn as failed, with the agent's words, and its open work with it.",
    "docs/policies.md, turns",
)
def _error(stage: Stage) -> None:
    session, words = stage.opened(), "the model is on fire"
    stage.agent_says(*stage.agent.command(session, "call-0", "make"))
    stage.agent_says(*stage.agent.fail(session, words))
    stage.until(lambda: bool(stage.settled()))
    expect(stage.settled() == ["failed"], f"settled as {stage.settled()} instead of ['failed']")
    ends = [(e.get("error") or "") for e in stage.of("turn/completed")]
    errors = [e.get("message", "") for e in stage.of("provider/error")]
    expect(any(words in text for text in ends + errors), f"the agent's words are lost: {ends + errors}")
    statuses = [item["status"] for item in stage.items("commandExecution")]
    expect(statuses in (["interrupted"], ["failed"]), f"the open command settled as {statuses}")


@BOOK.rule(
    "turn/steer",
    "Input into an open turn reaches the agent, and the turn stays one.",
    "docs/policies.md, steering",
)
def _steer(stage: Stage) -> None:
    session = stage.opened()
    params = {"threadId": THREAD, "input": [{"type": "text", "text": "faster"}]}
    answer = stage.request("turn/steer", params)
    if error_code(answer) == METHOD_NOT_FOUND:
        raise NotApplicable("the bridge does without turn/steer (-32601)")
    expect(answer is not None and "result" in answer, f"turn/steer: {shown(answer)}")
    if stage.agent.stops:  # it prompts anew in the same turn
        stage.agent_says(*stage.agent.stopped(session))
    reached = stage.until(lambda: "faster" in [prompt.text for prompt in stage.agent.prompts])
    expect(reached, "the agent never got it")
    stage.agent_says(*stage.agent.text(session, "faster now"), *stage.agent.end(session))
    stage.until(lambda: bool(stage.settled()))
    expect(len(stage.of("turn/started")) == 1, f"{len(stage.of('turn/started'))} turns started")
    expect(stage.settled() == ["completed"], f"settled as {stage.settled()} instead of ['completed']")


@BOOK.rule(
    "stop/interrupts",
    "A stop tells the agent once, waits for it, and the turn settles as interrupted; the next one works.",
    f"{PROTOCOL}; ACP, Prompt Turn, Cancellation",
)
def _stop(stage: Stage) -> None:
    session = stage.opened()
    answer = stage.stop()
    expect(answer is not None and "result" in answer, f"thread/stop: {shown(answer)}")
    stage.until(lambda: bool(stage.agent.stops))
    expect(stage.agent.stops == [session], f"the agent was told to stop {stage.agent.stops}")
    stage.agent_says(*stage.agent.stopped(session))
    stage.until(lambda: bool(stage.settled()))
    expect(stage.settled() == ["interrupted"], f"settled as {stage.settled()} instead of ['interrupted']")
    stage.turn(session=session)
    stage.agent_says(*stage.agent.end(session))
    stage.until(lambda: len(stage.settled()) > 1)
    expect(stage.settled()[1:] == ["completed"], f"the next turn settled as {stage.settled()[1:]}")


@BOOK.rule(
    "stop/fabricates-nothing",
    "A stop ends no turn before the agent does, and makes no exit code or output the agent did not say.",
    "docs/policies.md",
)
def _fabricates_nothing(stage: Stage) -> None:
    session = stage.opened()
    stage.agent_says(*stage.agent.command(session, "call-0", "sleep 60"))
    stage.stop()
    expect(not stage.settled(), f"settled as {stage.settled()} before the agent ended the turn")
    stage.agent_says(*stage.agent.stopped(session))
    stage.until(lambda: bool(stage.settled()))
    (item, *more) = stage.items("commandExecution") or [{}]
    expect(not more, "the stopped command settled twice")
    expect(item.get("status") in ("interrupted", "failed"), f"the stopped command is {item.get('status')!r}")
    for name in ("exitCode", "aggregatedOutput"):
        expect(name not in item, f"the stopped command has {name} {item.get(name)!r}")


@BOOK.rule(
    "stop/without-turn",
    "A stop with no turn open is answered and makes nothing.",
    "docs/policies.md",
)
def _stop_without_turn(stage: Stage) -> None:
    session = stage.thread()
    for count in (0, 1):
        before = len(stage.events)
        answer = stage.stop()
        expect(answer is not None and "result" in answer, f"thread/stop: {shown(answer)}")
        expect(len(stage.events) == before, f"made {shown(stage.events[before:])}")
        stage.turn(session=session)
        stage.agent_says(*stage.agent.end(session))
        stage.until(lambda wanted=count + 1: len(stage.settled()) >= wanted)  # type: ignore[misc]
        expect(stage.settled()[count:] == ["completed"], f"the next turn: {stage.settled()[count:]}")
