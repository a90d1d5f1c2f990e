"""`parity conformance`: a table per bridge: rule, verdict, the first reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from msgspec import to_builtins
from rich import box
from rich.table import Table
from rich.text import Text

from parity.cli.output import console, plural, write_json
from parity.conformance import NOT_APPLICABLE, RECORDED, RULES, Candidate, Finding, findings
from parity.conformance.candidates import Wanted, candidates
from parity.gates.settings import Settings
from parity.wire import InputError

_SHOWN = 200
"""Characters of a reason in the table; --json has the whole."""

_STYLES = {"passed": "green", "failed": "bold red", "not reached": "red", NOT_APPLICABLE: "dim"}


def run(settings: Settings, wanted: Wanted, only: Sequence[str], *, as_json: bool) -> int:
    """Judge the bridges; returns the exit code."""
    _check_names(only)
    out = console()
    documents: list[dict[str, Any]] = []
    failed = False
    for candidate in candidates(settings, wanted):
        found = list(findings(candidate, only or None))
        failed = failed or any(finding.is_bad for finding in found)
        documents.append(_document(candidate, found))
        if not as_json:
            out.print(_table(candidate, found))
            out.print(_summary(candidate, found))
    if as_json:
        write_json({"passed": not failed, "bridges": documents})
    return int(failed)


def list_rules(*, as_json: bool) -> int:
    """Print every rule with its source; returns the exit code."""
    recorded = {rule.id for rule in RECORDED}
    if as_json:
        write_json([_rule(rule.id, rule.sentence, rule.source, rule.id in recorded) for rule in RULES])
        return 0
    out = console()
    for rule in RULES:
        kind = "recorded" if rule.id in recorded else "scripted"
        out.print(Text.assemble((rule.id, "bold"), f"  ({kind})"))
        out.print(Text(f"  {rule.sentence}"))
        out.print(Text(f"  source: {rule.source}", "dim"))
    return 0


def _rule(rule_id: str, sentence: str, source: str, recorded: bool) -> dict[str, Any]:
    kind = "recorded" if recorded else "scripted"
    return {"id": rule_id, "kind": kind, "sentence": sentence, "source": source}


def _check_names(only: Sequence[str]) -> None:
    known = [rule.id for rule in RULES]
    for name in only:
        if name not in known:
            alike = ", ".join(get_close_matches(name, known))
            fix = f"did you mean {alike}?" if alike else "`parity conformance --list` has them"
            raise InputError("--rule", None, f"no rule {name!r}", fix)


def _table(candidate: Candidate, found: Sequence[Finding]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, title=candidate.name, title_justify="left", title_style="bold")
    table.add_column("rule", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    table.add_column("why")
    for finding in found:
        verdict = finding.verdict
        why = finding.reason or ""
        if finding.cells is not None:
            bad = len(finding.bad_cells or ())
            verdict = f"{verdict} ({bad} of {plural(finding.cells, 'cell')})" if bad else verdict
            why = why or plural(finding.cells, "cell")
        why = why if len(why) <= _SHOWN else why[: _SHOWN - 1] + "…"
        table.add_row(finding.rule, Text(verdict, _STYLES[finding.verdict]), Text(why))
    return table


def _summary(candidate: Candidate, found: Sequence[Finding]) -> Text:
    counts = Counter(finding.verdict for finding in found)
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    style = "bold red" if any(finding.is_bad for finding in found) else "green"
    return Text(f"{candidate.name}: {plural(len(found), 'rule')}: {told}", style)


def _document(candidate: Candidate, found: Sequence[Finding]) -> dict[str, Any]:
    rules = [to_builtins(finding) for finding in found]
    bad = any(finding.is_bad for finding in found)
    return {"bridge": candidate.name, "agent": candidate.agent, "passed": not bad, "rules": rules}
