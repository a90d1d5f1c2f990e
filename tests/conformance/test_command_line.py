"""`parity conformance`: the table, the JSON, the exit codes and every mistake in one line."""

from __future__ import annotations

import json
import sys

import pytest
from parity_runs import RECORDINGS, ROOT, parity

from parity.conformance import RULES
from parity.wire import find_cells

PLANTED = ROOT / "tests" / "support" / "planted_bridges.py"


def test_the_table_has_a_line_for_each_rule_with_its_verdict() -> None:
    run = parity("conformance", "-p", "codex")
    assert run.code == 0, run.out
    for rule in RULES:
        assert f"  {rule.id} " in run.out
    assert f"{len(find_cells(RECORDINGS, provider='codex'))} cells" in run.out
    assert "not applicable" in run.out


def test_json_is_one_document_with_every_rule() -> None:
    run = parity("conformance", "-p", "claude-code", "--json")
    document = json.loads(run.out)
    assert document["passed"] is True
    (bridge,) = document["bridges"]
    assert bridge["agent"] == "claude-code"
    assert [rule["rule"] for rule in bridge["rules"]] == [rule.id for rule in RULES]
    assert all("reason" in rule for rule in bridge["rules"] if rule["verdict"] != "passed")


def test_a_broken_rule_is_exit_code_1_with_its_reason() -> None:
    command = f"{sys.executable} {PLANTED} settles-turns-twice"
    run = parity("conformance", "--bridge", command, "--rule", "turn/settles-once", "--json")
    assert run.code == 1
    (rule,) = json.loads(run.out)["bridges"][0]["rules"]
    assert rule["verdict"] == "failed"
    assert "settled again" in rule["reason"]


def test_the_list_has_every_rule_with_its_source() -> None:
    run = parity("conformance", "--list")
    assert run.code == 0
    for rule in RULES:
        assert rule.id in run.out
        assert f"source: {rule.source}" in run.out
    listed = json.loads(parity("conformance", "--list", "--json").out)
    assert [entry["id"] for entry in listed] == [rule.id for rule in RULES]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--rule", "turn/settle-once"], "did you mean turn/settles-once"),
        (["--agent", "gpt"], "no scripted agent 'gpt'"),
        (["--bridge", "no-such-bridge --stdio"], "no-such-bridge"),
        (["--bridge", "'unclosed"], "is no command"),
        (["--bridge", " "], "the command is empty"),
        (["--provider", "nobody"], "no bridge family serves 'nobody'"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(arguments: list[str], told: str) -> None:
    run = parity("conformance", *arguments)
    assert run.code == 2
    assert told in run.err
    assert run.err.count("\n") == 1
