"""The tour: an ordinary session that several scripted rules look at; and where rules come from."""

from __future__ import annotations

from parity.conformance.stage import Stage, shown
from parity.conformance.verdicts import NotReached

PROTOCOL = "docs/bridges.md, the runtime protocol"
ORDERING = "docs/gates.md, the gates of a cell"


def tour(stage: Stage) -> None:
    """Everything an ordinary session has: texts, a command, an approval, a stop, three turns, a release."""
    agent = stage.agent
    session = stage.opened()
    stage.agent_says(*agent.text(session, "I will ", "look."))
    stage.agent_says(*agent.command(session, "call-0", "make test"))
    stage.agent_says(*agent.output(session, "call-0", "one", "one"))
    stage.agent_says(*agent.output(session, "call-0", "one\ntwo", "\ntwo"))
    stage.agent_says(*agent.settle(session, "call-0", "one\ntwo", 2))
    asked = stage.ask(session)
    option = option_of(asked, "allow")
    stage.answer(asked, {"decision": "allowed", "optionId": option})
    stage.agent_says(*agent.settle(session, "call-1", "three", 3))
    stage.agent_says(*agent.text(session, "It failed."), *agent.end(session))
    _settled(stage, 1)
    stage.turn(session=session)
    stage.agent_says(*agent.command(session, "call-2", "sleep 60"))
    stage.stop()
    stage.agent_says(*agent.stopped(session))
    _settled(stage, 2)
    stage.turn(session=session)
    stage.agent_says(*agent.text(session, "Done."), *agent.end(session))
    _settled(stage, 3)
    stage.stop(intent="release")


def _settled(stage: Stage, count: int) -> None:
    if not stage.until(lambda: len(stage.settled()) >= count):
        raise NotReached(f"turn {count} of the session did not settle ({shown(stage.events[-1:])})")


def option_of(question: dict[str, object], word: str) -> str | None:
    """The id of the first option of a question whose kind begins with the word."""
    params = question.get("params")
    payload = params.get("payload") if isinstance(params, dict) else None
    options = payload.get("options") if isinstance(payload, dict) else None
    for option in options if isinstance(options, list) else ():
        if isinstance(option, dict) and str(option.get("kind")).startswith(word):
            return str(option.get("optionId"))
    return None
