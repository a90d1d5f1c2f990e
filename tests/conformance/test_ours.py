"""Our own bridges keep every rule, and what they may leave out is written down."""

from __future__ import annotations

import pytest
from parity_runs import RECORDINGS

from parity.bridges import bridge_for
from parity.conformance import NOT_APPLICABLE, RECORDED, RULES, SCRIPTED, findings, judge, run
from parity.conformance.agents import AGENTS
from parity.conformance.candidates import Wanted, candidates
from parity.gates.settings import Settings

SETTINGS = Settings(RECORDINGS, RECORDINGS.parent / "row-counts.json", RECORDINGS.parent / "allowlist.yaml")


@pytest.mark.parametrize("family", AGENTS)
def test_a_bridge_of_ours_keeps_every_scripted_rule(family: str) -> None:
    verdicts = run(lambda: bridge_for(family), family)
    assert [f"{verdict.rule}: {verdict.reason}" for verdict in verdicts if verdict.is_bad] == []


@pytest.mark.parametrize("family", AGENTS)
def test_a_rule_that_does_not_apply_says_why(family: str) -> None:
    verdicts = run(lambda: bridge_for(family), family)
    skipped = {verdict.rule: verdict.reason for verdict in verdicts if verdict.verdict == NOT_APPLICABLE}
    assert set(skipped) == {"process/ends", *AGENTS[family].cannot}
    assert all(skipped.values())


@pytest.mark.parametrize("profile", ["acp-cursor", "acp-grok", "acp-hermes", "acp-opencode"])
def test_a_dialect_changes_no_rule(profile: str) -> None:
    (with_dialect,) = candidates(SETTINGS, Wanted(provider=profile))
    plain = run(lambda: bridge_for("acp"))
    told = list(findings(with_dialect, {rule.id for rule in SCRIPTED}))
    assert [finding.verdict for finding in told] == [verdict.verdict for verdict in plain]


def test_every_cell_keeps_every_recorded_rule() -> None:
    ours = candidates(SETTINGS, Wanted())
    assert [candidate.name for candidate in ours] == ["acp", "claude-code", "codex"]
    assert sum(len(candidate.cells) for candidate in ours) >= 85
    for candidate in ours:
        told = list(findings(candidate, {rule.id for rule in RECORDED}))
        assert [finding.rule for finding in told] == [rule.id for rule in RECORDED]
        assert [f"{finding.rule}: {finding.reason}" for finding in told if finding.is_bad] == []


def test_each_rule_has_an_id_of_its_own_a_sentence_and_a_source() -> None:
    ids = [rule.id for rule in RULES]
    assert len(set(ids)) == len(ids)
    for rule in RULES:
        assert rule.sentence.endswith(".")
        assert rule.source


@pytest.mark.parametrize("rule", SCRIPTED, ids=lambda rule: rule.id)
def test_rules_run_as_tests_of_anyones_project(rule: object) -> None:
    verdict = judge(rule, lambda: bridge_for("codex"), agent="codex")  # type: ignore[arg-type]
    assert not verdict.is_bad, verdict.reason
