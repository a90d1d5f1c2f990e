from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from capture_runs import AGENT, scenario_file

from parity.agents import load_agents
from parity.capture.scenarios import load_scenario, scenario_names, script_of
from parity.wire import InputError

AGENTS = load_agents()
NAMES = {"workspace": "/w", "site": "http://127.0.0.1:1"}
FIRST = "about: A.\nsteps: [{prompt: P}]\nmodel: [{to: P, replies: [{say: S}]}]\n"


def test_there_is_a_scenario_for_everything_that_is_recorded() -> None:
    wanted = (
        "turn-tools approval-allow approval-deny approval-cancel steer stop-interrupt streamed-output "
        "parallel plan subagent user-question web-fetch resume model-error-401 model-error-500 background "
        "big-output file-change"
    )
    assert set(scenario_names()) >= set(wanted.split())


@pytest.mark.parametrize("name", scenario_names())
def test_each_scenario_tells_every_agent_what_to_call_or_why_not(name: str) -> None:
    scenario = load_scenario(name)
    for agent in AGENTS.values():
        if agent.scripted is None:
            continue
        part = scenario.part(agent)
        if part.cannot is not None:
            assert part.cannot.endswith(tuple("abcdefghijklmnopqrstuvwxyz)")), part.cannot
            continue
        script = script_of(scenario, agent, NAMES)
        prompts = [step.prompt for step in part.steps or [] if step.prompt is not None]
        for prompt in prompts:
            assert any(entry.prompt in prompt for entry in script), (agent.name, prompt)


@pytest.mark.parametrize("name", scenario_names())
def test_each_part_of_a_scenario_is_for_an_agent_there_is(name: str) -> None:
    assert set(load_scenario(name).agents) <= set(AGENTS)


def test_call_ids_are_the_same_in_every_script() -> None:
    scenario = load_scenario("parallel")
    ids = [call.id for call in script_of(scenario, AGENTS["grok"], NAMES)[0].replies[0].calls]
    assert ids == ["call_1_1_1", "call_1_1_2", "call_1_1_3"]
    assert script_of(scenario, AGENTS["grok"], NAMES) == script_of(scenario, AGENTS["grok"], NAMES)


def test_a_call_becomes_the_agents_own(tmp_path: Path) -> None:
    def first_call(agent: str) -> tuple[str, dict[str, Any]]:
        text = FIRST.replace("{say: S}", "{call: [{read: {path: a.txt}}]}, {say: S}")
        scenario = load_scenario(scenario_file(tmp_path, text))
        call = script_of(scenario, AGENTS[agent], NAMES)[0].replies[0].calls[0]
        return call.name, call.arguments

    assert first_call("grok") == ("read_file", {"target_file": "a.txt"})
    assert first_call("claude-code") == ("Read", {"file_path": "/w/a.txt"})


def test_an_agent_with_a_part_of_its_own_gets_that() -> None:
    scenario = load_scenario("approval-allow")
    assert script_of(scenario, AGENTS["grok"], NAMES)[0].replies[0].calls[0].name == "write"
    assert script_of(scenario, AGENTS["opencode"], NAMES)[0].replies[0].calls[0].name == "bash"


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("about: [", 1, "not YAML"),
        ("about: " + "[" * 5000, 1, "nested too deeply"),
        ("- " * 5000, None, "nested too deeply"),
        ("- a", 1, "not a mapping"),
        ("about: A.\nsteps: []\n", None, "missing required field `model`"),
        (FIRST + "colour: red\n", 4, "unknown field `colour`"),
        (FIRST + "name: other\n", 4, "the file's name is the scenario's"),
        (FIRST.replace("{prompt: P}", "{}"), 2, "must be one of prompt, wait, resume"),
        (FIRST.replace("{prompt: P}", "{prompt: P, resume: true}"), 2, "must be one of"),
        (FIRST.replace("{prompt: P}", "{prompt: P, answer: perhaps}"), 2, "Invalid"),
        (FIRST.replace("{prompt: P}", "{prompt: P, seconds: 0}"), 2, "above 0"),
        (FIRST.replace("{prompt: P}", "{resume: true, choose: [A]}"), 2, "only a prompt has"),
        (FIRST.replace("{prompt: P}", "{prompt: P, during: [{when: {file: x}}]}"), 2, "one of stop, steer"),
        (FIRST.replace("{say: S}", "{say: S}, {say: T}"), 3, "nothing leads to the reply after it"),
        (FIRST.replace("{say: S}", "{call: [{read: {path: x}}]}"), 3, "nothing answers its result"),
        (FIRST.replace("{say: S}", "{call: [{a: {}, b: {}}]}, {say: S}"), 3, "a call is one"),
        (FIRST + "files: {../x: a}\n", 4, "outside the workspace"),
    ],
)
def test_a_mistake_in_a_scenario_is_one_line_that_says_where(
    tmp_path: Path, text: str, line: int | None, said: str
) -> None:
    with pytest.raises(InputError) as raised:
        load_scenario(scenario_file(tmp_path, text))
    message = str(raised.value)
    assert said in message
    assert "\n" not in message
    assert raised.value.line == line


def test_a_call_that_no_tool_is_for_says_what_to_add(tmp_path: Path) -> None:
    text = FIRST.replace("{say: S}", "{call: [{fly: {}}]}, {say: S}")
    with pytest.raises(InputError, match="scripted has no tool for 'fly'; add it to the agent's tools"):
        script_of(load_scenario(scenario_file(tmp_path, text)), AGENT, NAMES)


def test_a_call_without_what_its_tool_needs_says_what(tmp_path: Path) -> None:
    text = FIRST.replace("{say: S}", "{call: [{read: {}}]}, {say: S}")
    with pytest.raises(InputError, match="'read' of scripted needs 'path'"):
        script_of(load_scenario(scenario_file(tmp_path, text)), AGENT, NAMES)


def test_an_unknown_scenario_is_answered_with_the_nearest() -> None:
    with pytest.raises(InputError, match="did you mean turn-tools"):
        load_scenario("turn-tool")
