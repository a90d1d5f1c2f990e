"""Rules of threads: identity, resume, release, and two at once."""

from __future__ import annotations

from parity.bridges.base import INVALID_PARAMS, METHOD_NOT_FOUND
from parity.conformance.agents import REFUSAL
from parity.conformance.scripted.tour import PROTOCOL
from parity.conformance.stage import CWD, THREAD, Stage, error_code, expect, shown
from parity.conformance.verdicts import NotApplicable, RuleBook

BOOK: RuleBook[Stage] = RuleBook()


@BOOK.rule(
    "thread/identity",
    "A started thread is told the agent's own id of it, once, at the latest in its first turn.",
    f"{PROTOCOL}; ACP, Session Setup",
)
def _identity(stage: Stage) -> None:
    stage.ready()
    with stage.judging():
        session = stage.thread()
    stage.turn(session=session)
    stage.agent_says(*stage.agent.end(session))
    told = [params["providerThreadId"] for params in stage.told_of("thread/identity")]
    expect(told == [session], f"the agent calls it {session!r}; thread/identity said {told}")
    for answers in stage.answers.values():
        result = answers[0].get("result")
        named = result.get("providerThreadId") if isinstance(result, dict) else None
        expect(named in (None, session), f"an answer names {named!r}; the agent calls it {session!r}")


@BOOK.rule(
    "thread/refused",
    "A thread whose session the agent refuses is an error with the agent's words, and is not there.",
    "JSON-RPC 2.0, section 5.1; ACP, Session Setup",
)
def _refused(stage: Stage) -> None:
    stage.ready()
    stage.agent.refuses.add("session")
    answer = stage.request("thread/start", {"threadId": THREAD, "cwd": CWD})
    expect(error_code(answer) is not None, f"the agent refused; thread/start: {shown(answer)}")
    expect(REFUSAL in shown(answer), f"the agent's words are lost: {shown(answer)}")
    expect(not stage.told_of("thread/identity"), "a thread that is not there got an identity")
    expect(error_code(stage.prompt()) == INVALID_PARAMS, "a turn of it was not refused with -32602")
    stage.agent.refuses.clear()
    answer = stage.request("thread/start", {"threadId": THREAD, "cwd": CWD})
    expect(answer is not None and "result" in answer, f"started again: {shown(answer)}")


@BOOK.rule(
    "thread/once",
    "A thread that exists is not started again: -32602, and the first one is as it was.",
    "docs/bridges.md, the runtime protocol",
)
def _once(stage: Stage) -> None:
    session = stage.thread()
    answer = stage.request("thread/start", {"threadId": THREAD, "cwd": CWD})
    expect(error_code(answer) == INVALID_PARAMS, f"thread/start again: {shown(answer)}")
    before = stage.agent.prompted(session)
    stage.prompt()
    reached = stage.until(lambda: stage.agent.prompted(session) > before)
    expect(reached, "the first session gets no prompts any more")


@BOOK.rule(
    "threads/do-not-mix",
    "Two threads at once do not mix: each one's texts, calls, ends and stops are its own.",
    "docs/bridges.md, the runtime protocol; ACP, Session Setup",
)
def _do_not_mix(stage: Stage) -> None:
    agent, names = stage.agent, ("thread-a", "thread-b")
    one, other = (stage.thread(name) for name in names)
    expect(one != other, f"both threads have the session {one!r}")
    for name, session in zip(names, (one, other), strict=True):
        stage.turn(name, f"for {name}", session)
    for word in ("first ", "second "):
        for session in (one, other):
            stage.agent_says(*agent.text(session, f"{word}{session}"))
    for session in (one, other):  # the two sessions may use the same id for a call
        stage.agent_says(*agent.command(session, "call-0", f"make {session}"))
    stage.agent_says(*agent.settle(other, "call-0", f"output of {other}", 3))
    stage.stop(names[0])
    expect(agent.stops == [one], f"a stop of {one!r} stopped {agent.stops}")
    stage.agent_says(*agent.stopped(one), *agent.text(other, "third"), *agent.end(other))
    stage.until(lambda: bool(stage.settled(names[0]) and stage.settled(names[1])))
    for name, session, status in ((names[0], one, "interrupted"), (names[1], other, "completed")):
        expect(stage.settled(name) == [status], f"{name}: {stage.settled(name)} instead of [{status!r}]")
        said = str([e for e in stage.events if e["threadId"] == name])
        foreign = other if session == one else one
        expect(session in said, f"{name} has nothing of its session {session!r}")
        expect(foreign not in said, f"{name} has something of the session {foreign!r}")
    codes = [item.get("exitCode") for name in names for item in stage.items("commandExecution", name)]
    expect(codes == [None, 3], f"the exit codes of the two commands are {codes} instead of [None, 3]")


def _resume(stage: Stage) -> str:
    """A session the agent already has is resumed; its id."""
    stage.ready()
    session = "an-old-session"
    stage.agent.expect(session)
    params = {"threadId": THREAD, "cwd": CWD, "providerThreadId": session}
    answer = stage.request("thread/resume", params)
    if error_code(answer) == METHOD_NOT_FOUND:
        raise NotApplicable("the bridge does without thread/resume (-32601)")
    expect(answer is not None and "result" in answer, f"thread/resume: {shown(answer)}")
    return session


@BOOK.rule(
    "resume/identity",
    "A resumed thread has the identity it had, and its next turn goes to that session.",
    f"{PROTOCOL}; ACP, Session Setup",
)
def _resumed(stage: Stage) -> None:
    session = _resume(stage)
    stage.prompt()
    reached = stage.until(lambda: stage.agent.prompted(session) == 1)
    expect(reached, f"the agent's session {session!r} got no prompt")
    stage.agent_says(*stage.agent.text(session, "news"), *stage.agent.end(session))
    stage.until(lambda: bool(stage.settled()))
    told = [params["providerThreadId"] for params in stage.told_of("thread/identity")]
    expect(told == [session], f"thread/identity said {told} of {session!r}")
    expect(stage.settled() == ["completed"], f"the next turn settled {stage.settled()}")
    texts = [item.get("text") for item in stage.items("agentMessage")]
    expect("news" in texts, f"the next turn's text is {texts}")


@BOOK.rule(
    "resume/history",
    "What the agent repeats of a resumed session is history: it makes no turn and no item.",
    "docs/policies.md, sessions and history; ACP, Session Setup",
)
def _history(stage: Stage) -> None:
    _resume(stage)
    made = [e["type"] for e in stage.events if e["type"].startswith(("turn/", "item/"))]
    expect(not made, f"the history made {', '.join(made[:4])}")


@BOOK.rule(
    "release/never-interrupts",
    "A release lets go of the thread: the agent is not told to stop.",
    f"{PROTOCOL}",
)
def _release(stage: Stage) -> None:
    session = stage.opened()
    answer = stage.stop(intent="release")
    expect(answer is not None and "result" in answer, f"thread/stop release: {shown(answer)}")
    expect(not stage.agent.stops, f"the agent's session {session!r} was told to stop")
    expect(not stage.settled(), f"the open turn settled as {stage.settled()}")


@BOOK.rule(
    "release/forgets",
    "A released thread is unknown (-32602), and nothing more is said of it.",
    f"{PROTOCOL}; docs/gates.md, the gates of a cell",
)
def _forgets(stage: Stage) -> None:
    session = stage.opened()
    stage.stop(intent="release")
    before = len(stage.said)
    stage.agent_says(*stage.agent.text(session, "nobody listens"), *stage.agent.end(session))
    late = [m for m in stage.said[before:] if m.get("method") in ("thread/delta", "thread/identity")]
    expect(not late, f"still said of it: {shown(late)}")
    answer = stage.prompt()
    expect(error_code(answer) == INVALID_PARAMS, f"a turn of it: {shown(answer)}")


@BOOK.rule(
    "release/answers-agent",
    "A permission request about a released thread is answered, and never as allowed.",
    "JSON-RPC 2.0, section 5; docs/policies.md, one call, one row",
)
def _answers_agent(stage: Stage) -> None:
    session, agent = stage.opened(), stage.agent
    stage.stop(intent="release")
    request_id = agent.request_ids[0]
    stage.agent_says(
        *agent.command(session, "call-1", "make"), *agent.ask(session, "call-1", "make", request_id)
    )
    stage.until(lambda: bool(agent.answers_to(request_id)))
    got = agent.answers_to(request_id)
    expect(len(got) == 1 and got[0] != "allowed", f"nobody is left to decide, and the agent got {got}")
