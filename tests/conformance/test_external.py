"""Bridges that are commands: judged by the same rules, with the same bugs, without a fixed wait."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from parity_runs import ROOT

from parity.conformance import FAILED, NOT_APPLICABLE, NOT_REACHED, PASSED, SCRIPTED, judge
from parity.conformance.agents import AGENTS
from parity.conformance.subject import external
from parity.gates.settings import ProviderSettings
from parity.wire import InputError

PLANTED = ROOT / "tests" / "support" / "planted_bridges.py"
EXAMPLE = ROOT / "examples" / "node-bridge"
BY_ID = {rule.id: rule for rule in SCRIPTED}

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not on PATH")


def planted(name: str, rule: str, timeout: float = 30.0) -> str:
    return judge(BY_ID[rule], [sys.executable, str(PLANTED), name], timeout=timeout).verdict


@pytest.mark.parametrize(
    ("bug", "rule"),
    [
        ("settles-turns-twice", "turn/settles-once"),
        ("answers-noise", "rpc/noise"),
        ("fails-at-its-end", "process/ends"),
    ],
)
def test_a_planted_bug_is_found_in_a_process_too(bug: str, rule: str) -> None:
    assert planted(bug, rule) == FAILED


@pytest.mark.parametrize("rule", ["approval/decides", "process/ends"])
def test_the_same_bridge_without_a_bug_keeps_the_rules(rule: str) -> None:
    assert planted("none", rule) == PASSED


def test_a_bridge_that_never_answers_costs_one_bounded_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parity.live.bridge.START", 0.2)
    command = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    verdict = judge(BY_ID["turn/input"], command, timeout=0.2)
    assert verdict.verdict == NOT_REACHED
    assert "silent" in str(verdict.reason)


def test_a_bridge_that_ends_is_told_with_its_last_words() -> None:
    verdict = judge(BY_ID["handshake/answers"], [sys.executable, "-c", "import sys; sys.exit('no luck')"])
    assert verdict.verdict == FAILED
    assert "no luck" in str(verdict.reason)
    assert "\n" not in str(verdict.reason)


def test_a_command_that_does_not_exist_is_one_clear_line(tmp_path: Path) -> None:
    make = external(ProviderSettings(["no-such-bridge"], tmp_path), "acp")
    with pytest.raises(InputError, match="no-such-bridge"):
        make(AGENTS["acp"]().envelope)


@needs_node
@pytest.mark.parametrize(
    ("rule", "verdict"),
    [
        ("thread/once", PASSED),
        ("agent/odd-messages", PASSED),
        ("release/forgets", PASSED),
        ("turn/steer", NOT_APPLICABLE),
    ],
)
def test_the_example_in_node_keeps_the_rules(rule: str, verdict: str) -> None:
    found = judge(BY_ID[rule], ["node", "bridge.js"], timeout=30.0, folder=EXAMPLE)
    assert (found.verdict, found.reason if verdict == PASSED else None) == (verdict, None)


@needs_node
@pytest.mark.parametrize(
    ("rule", "old", "new"),
    [
        ("approval/answered-on-stop", "      withdraw(thread);\n    }\n    answer", "    }\n    answer"),
        ("rpc/same-id", "toRuntime({ id, error: { code", "toRuntime({ id: Number(id) || id, error: { code"),
    ],
)
def test_a_bug_planted_in_the_example_is_found(tmp_path: Path, rule: str, old: str, new: str) -> None:
    text = (EXAMPLE / "bridge.js").read_text("utf-8")
    assert text.count(old) == 1
    (tmp_path / "bridge.js").write_text(text.replace(old, new), "utf-8")
    found = judge(BY_ID[rule], ["node", "bridge.js"], timeout=2.0, folder=tmp_path)
    assert found.verdict == FAILED
