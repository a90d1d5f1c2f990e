"""Which dialect reads an agent: the profile's, else the launched executable's, else the generic one."""

import pytest

from parity.lanes.acp.dialects import DIALECTS, choose


@pytest.mark.parametrize("name", sorted(DIALECTS))
@pytest.mark.parametrize("prefix", ["", "acp-"])
def test_a_profile_names_its_dialect(name: str, prefix: str) -> None:
    assert choose(prefix + name).id == name


@pytest.mark.parametrize(
    ("command", "dialect"),
    [
        (["grok", "agent", "stdio"], "grok"),
        (["/opt/bin/gemini", "--acp"], "gemini"),
        (["C:\\agents\\qwen", "--acp"], "qwen"),
        (["node", "/lib/codex-acp"], "codex"),
        (["npx", "claude-agent-acp"], "claude"),
        (["cursor-agent", "acp"], "cursor"),
        (["hermes-acp"], "hermes"),
        (["opencode", "acp"], "opencode"),
        (["my-agent"], "generic"),
        ([], "generic"),
    ],
)
def test_an_executable_names_its_dialect_where_no_profile_does(command: list[str], dialect: str) -> None:
    assert choose(None, command).id == dialect


def test_a_known_profile_wins_over_the_executable() -> None:
    assert choose("acp-qwen", ["gemini", "--acp"]).id == "qwen"


def test_an_unknown_profile_leaves_the_choice_to_the_executable() -> None:
    assert choose("acp-new", ["gemini", "--acp"]).id == "gemini"
