"""Scenarios: what is prompted, answered, stopped and resumed, and what the scripted model says to it.

A scenario is a YAML file. It names tool calls in words of its own (`command`, `read`, `edit`, …) that each
agent's `tools` turn into the agent's; an agent for which that is not enough has its own part. Knows the
file's form; must not know how a scenario is played.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import asdict, replace

from parity.agents.document import Document
from parity.agents.spec import AgentSpec
from parity.agents.template import UnknownName, fill
from parity.capture.answers import Decision
from parity.capture.script import Call, Entry, Refusal, Reply
from parity.wire import InputError

SCENARIOS = Path(__file__).with_name("scenarios")


class _Data(Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """A mapping of the file: dashes in names, no unknown keys."""


class When(_Data, frozen=True, kw_only=True):
    """A moment of the step: all that is named has been seen. `file` is below the workspace."""

    event: str | None = None
    """The type of an event."""
    contains: str | None = None
    """A text in that event, or in any."""
    file: str | None = None


class During(_Data, frozen=True, kw_only=True):
    """What is done in the middle of a turn."""

    when: When
    stop: bool = False
    steer: str | None = None


class Step(_Data, frozen=True, kw_only=True):
    """One step: a prompt and its turn, a wait, or a second process that resumes the thread."""

    prompt: str | None = None
    answer: Decision | list[Decision] = "allow"
    """The answers to approvals, in order; the last one to all that follow."""
    choose: list[str] = field(default_factory=list)
    """The labels chosen, of questions in order."""
    during: list[During] = field(default_factory=list)
    wait: When | None = None
    resume: bool = False
    seconds: float = 60.0
    """What bounds the step."""


class Failing(_Data, frozen=True, kw_only=True):
    """The model's service answers with an HTTP error."""

    status: int
    message: str


class Said(_Data, frozen=True, kw_only=True):
    """One reply of the model. `call`: a list of `{word: arguments}` or `{tool: {name, arguments}}`."""

    think: str = ""
    say: str = ""
    call: list[dict[str, dict[str, Any]]] = field(default_factory=list)
    fail: Failing | None = None
    pace: int = 0


class Replies(_Data, frozen=True, kw_only=True):
    """What the model says to one prompt, `to` being a part of it."""

    to: str
    replies: list[Said]


class Part(_Data, frozen=True, kw_only=True):
    """What is different for one agent; what it names takes the place of the whole."""

    cannot: str | None = None
    steps: list[Step] | None = None
    model: list[Replies] | None = None
    shows: list[dict[str, Any]] | None = None
    options: dict[str, Any] = field(default_factory=dict)
    """Added to the agent's `options` of the thread."""


class Scenario(_Data, frozen=True, kw_only=True):
    """A scenario as its file says it; `name` is the file's, and the cell's."""

    name: str = ""
    about: str
    files: dict[str, str] = field(default_factory=dict)
    """Files of the workspace."""
    pages: dict[str, str] = field(default_factory=dict)
    """Pages of a site on loopback, by path; `${site}` is its URL."""
    steps: list[Step]
    model: list[Replies]
    shows: list[dict[str, Any]] = field(default_factory=list)
    """Rows the recording has to show: each a part of some row. What it lacks fails the recording."""
    agents: dict[str, Part] = field(default_factory=dict)
    path: Path | None = None

    def part(self, agent: AgentSpec) -> Part:
        """What the scenario says of one agent, all of it filled in."""
        own = self.agents.get(agent.name, Part())
        return replace(
            own,
            cannot=own.cannot or agent.cannot.get(self.name),
            steps=self.steps if own.steps is None else own.steps,
            model=self.model if own.model is None else own.model,
            shows=self.shows if own.shows is None else own.shows,
        )


def scenario_names() -> list[str]:
    """The built-in scenarios."""
    return sorted(path.stem for path in SCENARIOS.glob("*.yaml"))


def load_scenario(named: str) -> Scenario:
    """A built-in scenario by name, or a file. Raises InputError with the line of what is wrong."""
    path = Path(named) if named.endswith((".yaml", ".yml")) else SCENARIOS / f"{named}.yaml"
    if path.parent == SCENARIOS and not path.is_file():
        names = scenario_names()
        alike = difflib.get_close_matches(named, names)
        fix = f"did you mean {' or '.join(alike)}?" if alike else f"there are {', '.join(names)}"
        raise InputError(named, None, "no such scenario", f"{fix}; or name a .yaml file")
    document = Document(path)
    for key in {"name", "path"} & document.data.keys():
        raise document.fail("unknown field", "leave it out: the file's name is the scenario's", key)
    scenario = replace(document.struct(Scenario, document.data), name=path.stem, path=path)
    _check_steps(document, scenario.steps, "steps")
    _check_model(document, scenario.model, "model")
    for agent, part in scenario.agents.items():
        _check_steps(document, part.steps or [], "agents", agent, "steps")
        _check_model(document, part.model or [], "agents", agent, "model")
    for name in scenario.files:
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise document.fail("lies outside the workspace", "name it below the workspace", "files", name)
    return scenario


def _check_steps(document: Document, steps: list[Step], *at: str | int) -> None:
    for index, step in enumerate(steps):
        here = (*at, index)
        verbs = [step.prompt is not None, step.wait is not None, step.resume]
        if sum(verbs) != 1:
            raise document.fail("must be one of prompt, wait, resume", "make it one step", *here)
        if step.prompt is None and (step.during or step.choose or step.answer != "allow"):
            raise document.fail("only a prompt has during, choose, answer", "put it under a prompt", *here)
        if step.seconds <= 0 or step.answer == []:
            raise document.fail("needs seconds above 0 and an answer", "mend the value", *here)
        for number, during in enumerate(step.during):
            if during.stop == (during.steer is not None):
                raise document.fail("must be one of stop, steer", "choose one", *here, "during", number)


def _check_model(document: Document, model: list[Replies], *at: str | int) -> None:
    for index, entry in enumerate(model):
        for number, said in enumerate(entry.replies):
            here = (*at, index, "replies", number)
            if number + 1 < len(entry.replies) and not said.call:
                what = "makes no call, so nothing leads to the reply after it"
                raise document.fail(what, "add a call, or make it the last", *here)
            if said.call and number + 1 == len(entry.replies):
                what = "makes a call, and nothing answers its result"
                raise document.fail(what, "add a reply after it", *here)
            for call in said.call:
                if len(call) != 1:
                    raise document.fail("a call is one `word: {…}`", "split it", *here, "call")


def script_of(scenario: Scenario, agent: AgentSpec, names: Mapping[str, str]) -> list[Entry]:
    """What the model says to this agent. Raises InputError for a call the agent has no tool for.

    `names` are what `${…}` in a call may name beside its own arguments: `workspace` and `site`.
    """
    entries = []
    for number, entry in enumerate(scenario.part(agent).model or [], 1):
        replies = []
        for step, said in enumerate(entry.replies, 1):
            calls = [
                _call(scenario, agent, f"call_{number}_{step}_{index}", call, names)
                for index, call in enumerate(said.call, 1)
            ]
            refusal = Refusal(**asdict(said.fail)) if said.fail is not None else None
            replies.append(
                Reply(think=said.think, say=said.say, calls=calls, refusal=refusal, pace=said.pace)
            )
        entries.append(Entry(entry.to, replies))
    return entries


def _call(
    scenario: Scenario,
    agent: AgentSpec,
    call_id: str,
    call: dict[str, dict[str, Any]],
    names: Mapping[str, str],
) -> Call:
    ((word, arguments),) = call.items()
    source = scenario.path or Path(scenario.name)
    try:
        arguments = fill(arguments, names)
    except UnknownName as error:
        known = ", ".join(f"${{{name}}}" for name in names)
        raise InputError(source, None, f"unknown name ${{{error.args[0]}}}", f"known are: {known}") from None
    made = arguments
    if word != "tool":
        template = agent.tools.get(word)
        if template is None:
            fix = f"add it to the agent's tools, or give `agents: {agent.name}:` a part of its own"
            raise InputError(source, None, f"{agent.name} has no tool for {word!r}", fix)
        try:
            made = fill(template, {**names, "about": "", **arguments})
        except UnknownName as error:
            fix = f"add it to the call {call_id}"
            what = f"{word!r} of {agent.name} needs {error.args[0]!r}"
            raise InputError(source, None, what, fix) from None
    if not isinstance(made.get("name"), str) or not isinstance(made.get("arguments"), dict):
        raise InputError(source, None, f"{word!r} is no call", "write {name: …, arguments: {…}}")
    return Call(call_id, made["name"], made["arguments"])
