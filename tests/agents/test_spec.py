from __future__ import annotations

from pathlib import Path

import pytest

from parity.agents import AGENTS_FILE, load_agents
from parity.bridges import family_of
from parity.wire import InputError

MINE = """\
agents:
  mine:
    provider: acp-mine
    binary: mine
    command: ["${run}", --acp]
"""


def _load(folder: Path, text: str) -> object:
    path = folder / "agents.yaml"
    path.write_text(text, "utf-8")
    return load_agents(path)


def test_every_agent_is_pinned_and_has_a_provider_that_a_bridge_serves() -> None:
    agents = load_agents()
    assert {agent.provider for agent in agents.values()} == {
        "acp-grok", "acp-gemini", "acp-qwen", "acp-opencode", "acp-hermes", "acp-claude", "acp-codex",
        "codex", "claude-code", "acp-cursor",
    }  # fmt: skip
    for agent in agents.values():
        assert family_of(agent.provider) is not None
        assert agent.install is not None or agent.scripted is None


def test_no_agent_is_pointed_at_a_host_by_name() -> None:
    assert "http" not in AGENTS_FILE.read_text("utf-8")


def test_an_agent_is_found_by_its_name_and_by_its_provider() -> None:
    agents = load_agents()
    assert agents.find("grok") is agents.find("acp-grok")
    with pytest.raises(InputError, match="did you mean opencode"):
        agents.find("opencod")


def test_the_shown_command_has_no_paths() -> None:
    agents = load_agents()
    assert agents["grok"].shown_command == "grok agent --no-leader stdio"
    assert agents["gemini"].shown_command == "gemini --acp"


def test_a_users_file_adds_to_the_built_in_agents(tmp_path: Path) -> None:
    path = tmp_path / "agents.yaml"
    path.write_text(MINE, "utf-8")
    agents = load_agents(path)
    assert agents.find("acp-mine").name == "mine"
    assert "grok" in agents


def test_a_need_is_resolved_to_its_program() -> None:
    assert load_agents()["opencode"].programs["rg"].package == "ripgrep"


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("agents: {\n", 2, "not YAML"),
        ("colour: red\nagents: {}\n", 1, "unknown field `colour`"),
        ("agents:\n  mine: 3\n", 2, "not a mapping"),
        (MINE.replace("    binary: mine\n", ""), 2, "missing required field `binary`"),
        (MINE.replace("binary: mine", "binary: 3"), 4, "Expected `str`, got `int`"),
        (MINE.replace("--acp", '"${model-url}"'), 5, "unknown name ${model-url}"),
        (MINE + "    needs: [rgx]\n", 6, "no program 'rgx'"),
        (MINE + "    tools: {read: {name: read}}\n", 6, "must have `name` and `arguments`"),
        (MINE.replace("acp-mine", "acp-grok"), 3, "acp-grok is the provider of grok already"),
        (MINE + "    install: {kind: npm, package: a, version: 1.5, run: b}\n", 6, "Expected `str`"),
        (MINE + "    install: {kind: gem, package: a, version: '1', run: b}\n", 6, "Invalid enum value"),
    ],
)
def test_a_mistake_in_an_agents_file_is_one_line_that_says_where(
    tmp_path: Path, text: str, line: int, said: str
) -> None:
    with pytest.raises(InputError) as raised:
        _load(tmp_path, text)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)
    assert raised.value.line == line
