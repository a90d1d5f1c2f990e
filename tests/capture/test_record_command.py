from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from capture_runs import AGENT_FILE, scenario_file
from parity_runs import parity

from parity.capture import playing

AGENTS = f"""\
agents:
  mine:
    provider: acp-mine
    binary: {sys.executable}
    command: ["${{run}}", {AGENT_FILE}]
    tools: {{command: {{name: run, arguments: {{command: "${{command}}"}}}}}}
    cannot: {{plan: it has no plans}}
"""
HELLO = """
    about: A greeting.
    steps: [{prompt: Hello.}]
    model: [{to: Hello., replies: [{say: Hello.}]}]
    shows: [{kind: message}]
"""


@pytest.fixture
def agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An agents file whose one agent answers without a model, as one with a service of its own."""
    monkeypatch.setattr(playing, "_QUIET_SECONDS", 0.05)
    script = [{"prompt": "Hello.", "replies": [{"say": "Hello."}]}]
    (tmp_path / "script.json").write_text(json.dumps(script))
    monkeypatch.setenv("MODEL", str(tmp_path / "script.json"))
    path = tmp_path / "agents.yaml"
    path.write_text(AGENTS, "utf-8")
    return path


def test_a_recording_says_where_it_is_what_it_replays_to_and_what_is_next(
    agents: Path, tmp_path: Path
) -> None:
    words = ["-p", "mine", "-s", scenario_file(tmp_path, HELLO), "--agents", agents, "--live"]
    done = parity("record", *words, "--into", tmp_path / "into", "--pin")
    assert done.code == 0
    assert "acp-mine/mine: " in done.out
    assert "replays to" in done.out
    assert "prompt: Hello." in done.err
    assert (tmp_path / "into" / "acp-mine" / "mine" / "rows.current.ndjson").is_file()
    assert parity("check", "--recordings", tmp_path / "into").code == 0
    again = parity("record", *words, "--into", tmp_path / "into")
    assert (again.code, again.out) == (2, "")
    assert "the cell exists" in again.err


def test_json_is_one_document(agents: Path, tmp_path: Path) -> None:
    words = ["-p", "acp-mine", "-s", scenario_file(tmp_path, HELLO), "--agents", agents, "--live", "--json"]
    told = json.loads(parity("record", *words, "--into", tmp_path, "--cell", "greeting").out)
    assert (told["cell"], told["problems"]) == ("acp-mine/greeting", [])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-p", "mine", "-s", "plan", "--live"], "mine: cannot play plan: it has no plans"),
        (["-p", "mine", "-s", "turn-tools"], "mine: cannot be pointed at a scripted model"),
        (["-p", "nobody", "-s", "plan"], "nobody: no such agent; there are grok"),
        (["-p", "mine", "-s", "plam"], "did you mean plan"),
        (["-p", "grok"], "--provider and --scenario"),
    ],
)
def test_a_mistake_is_one_line_and_nothing_is_written(
    agents: Path, tmp_path: Path, words: list[str], said: str
) -> None:
    done = parity("record", *words, "--agents", agents, "--into", tmp_path / "into")
    assert done.code == 2
    assert said in done.err.replace("\n", " ")
    assert not (tmp_path / "into").exists()


def test_the_scenarios_are_listed() -> None:
    assert "turn-tools" in parity("record", "--list").out


def test_a_failing_agent_ends_with_its_last_words_in_plain_letters(
    agents: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAULT", "die")
    words = ["-p", "mine", "-s", scenario_file(tmp_path, HELLO), "--agents", agents, "--live"]
    done = parity("record", *words, "--into", tmp_path / "into")
    assert done.code == 1
    assert "  out of cheese" in done.err.splitlines()
    assert "exit code 7; nothing was written" in done.err
    assert not (tmp_path / "into").exists()


def test_agents_are_listed_with_what_is_pinned(
    agents: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PARITY_CACHE_DIR", str(tmp_path / "cache"))
    listed = parity("agents", "list", "--agents", agents)
    assert listed.code == 0
    assert "@xai-official/grok@1.0.41" in listed.out
    told = [json.loads(line) for line in parity("agents", "list", "--json").out.splitlines()]
    assert {one["agent"]: one["installed"] for one in told}["grok"] is False


def test_a_doctor_of_an_agent_that_is_not_there_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PARITY_CACHE_DIR", str(tmp_path / "cache"))
    done = parity("agents", "doctor", "codex")
    assert done.code == 1
    assert "run `parity agents install codex`" in done.out
