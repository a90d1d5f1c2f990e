"""The conformance kit: rules that every bridge keeps, ours and anyone's.

A rule has an id, a sentence, a source and a check. `SCRIPTED` rules play the runtime and the agent at a
bridge; `RECORDED` rules look at what it makes of a recording. In a test of your own:

    @pytest.mark.parametrize("rule", SCRIPTED, ids=lambda rule: rule.id)
    def test_my_bridge_keeps(rule):
        verdict = judge(rule, MyBridge, agent="acp")
        assert not verdict.is_bad, verdict.reason
"""

from __future__ import annotations

from parity.conformance.judge import RULES, Candidate, Finding, findings, judge, run
from parity.conformance.recorded import RECORDED
from parity.conformance.scripted import SCRIPTED
from parity.conformance.verdicts import FAILED, NOT_APPLICABLE, NOT_REACHED, PASSED, Rule, Verdict

__all__ = [
    "FAILED",
    "NOT_APPLICABLE",
    "NOT_REACHED",
    "PASSED",
    "RECORDED",
    "RULES",
    "SCRIPTED",
    "Candidate",
    "Finding",
    "Rule",
    "Verdict",
    "findings",
    "judge",
    "run",
]
