"""Judging a bridge: each scripted rule on a fresh bridge, each recorded rule on each cell.

A candidate is a bridge with the family of its agent and the cells it is recorded in. Nothing here prints or
reads settings.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from parity.bridges import Bridge
from parity.conformance.agents import AGENTS
from parity.conformance.recorded import RECORDED, Seen
from parity.conformance.scripted import SCRIPTED
from parity.conformance.stage import Stage
from parity.conformance.subject import NewSubject, external, in_process
from parity.conformance.verdicts import (
    FAILED,
    NOT_APPLICABLE,
    NOT_REACHED,
    PASSED,
    Rule,
    Verdict,
    verdict_of,
)
from parity.gates.check import Play
from parity.gates.settings import ProviderSettings
from parity.wire import Cell

RULES: tuple[Rule[Stage] | Rule[Seen], ...] = (*SCRIPTED, *RECORDED)
"""Every rule, the scripted ones first."""

AnyBridge: TypeAlias = Callable[[], Bridge] | Sequence[str]
"""A bridge to judge: what makes one, or the words of a command that is one."""


class Candidate(Struct, frozen=True, kw_only=True):
    """A bridge to judge. `agent`: the scripted agent's family; `play`: how a cell is played through it."""

    name: str
    agent: str
    subject: NewSubject
    cells: Sequence[Cell] = ()
    play: Callable[[Cell], Play] | None = None
    drops: Callable[[Cell], int] = lambda cell: 0
    """How many grammar drops a cell may have."""


class Finding(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What became of a rule: of a recorded one, over all cells."""

    rule: str
    verdict: str
    reason: str | None = None
    """The first one."""
    cells: int | None = None
    bad_cells: list[str] | None = None

    @property
    def is_bad(self) -> bool:
        """Whether the bridge does not conform, or could not be seen to."""
        return self.verdict in (FAILED, NOT_REACHED)


def judge(
    rule: Rule[Stage],
    bridge: AnyBridge,
    agent: str = "acp",
    *,
    timeout: float = 10.0,
    folder: Path | None = None,
) -> Verdict:
    """What becomes of one scripted rule with a fresh bridge.

    `agent` is the family of the agent it speaks to: acp, claude-code or codex. `timeout` (seconds) bounds
    each wait for a command, `folder` is where it runs. Raises InputError where there is no such command.
    """
    return on_stage(rule, _subject(bridge, agent, timeout, folder), agent)


def run(
    bridge: AnyBridge, agent: str = "acp", *, timeout: float = 10.0, folder: Path | None = None
) -> list[Verdict]:
    """What becomes of every scripted rule, in order; see `judge`."""
    subject = _subject(bridge, agent, timeout, folder)
    return [on_stage(rule, subject, agent) for rule in SCRIPTED]


def findings(candidate: Candidate, only: Collection[str] | None = None) -> Iterator[Finding]:
    """What becomes of each rule with a candidate, of those of `only` where it is given.

    Raises InputError for a cell that cannot be read, and for a command that does not exist.
    """
    for rule in SCRIPTED:
        if only is None or rule.id in only:
            verdict = on_stage(rule, candidate.subject, candidate.agent)
            yield Finding(rule=rule.id, verdict=verdict.verdict, reason=verdict.reason)
    recorded = [rule for rule in RECORDED if only is None or rule.id in only]
    play = candidate.play
    if not recorded or not candidate.cells or play is None:
        return
    verdicts: dict[str, list[Verdict]] = {rule.id: [] for rule in recorded}
    for cell in candidate.cells:
        seen = Seen(cell, play(cell), candidate.drops(cell))
        for recorded_rule in recorded:
            verdicts[recorded_rule.id].append(verdict_of(recorded_rule, seen, cell.key))
    for rule_id, of_cells in verdicts.items():
        yield _over_cells(rule_id, of_cells)


def on_stage(rule: Rule[Stage], new_subject: NewSubject, agent: str) -> Verdict:
    """What becomes of a scripted rule with a fresh subject; a bridge that crashes has failed."""
    player = AGENTS[agent]()
    if rule.id in player.cannot:
        return Verdict(rule.id, NOT_APPLICABLE, player.cannot[rule.id])
    subject = new_subject(player.envelope)
    try:
        verdict = verdict_of(rule, Stage(subject, player))
        failure = subject.failure
    finally:
        subject.kill()
    if failure is None or verdict.verdict == NOT_APPLICABLE:
        return verdict
    return Verdict(
        rule.id, FAILED if verdict.verdict == PASSED else verdict.verdict, " ".join(failure.split())
    )


def _over_cells(rule: str, verdicts: Sequence[Verdict]) -> Finding:
    bad = [verdict for verdict in verdicts if verdict.is_bad]
    if not bad:
        return Finding(rule=rule, verdict=PASSED, cells=len(verdicts))
    reason = f"{bad[0].cell}: {bad[0].reason}"
    keys = [str(verdict.cell) for verdict in bad]
    return Finding(rule=rule, verdict=FAILED, reason=reason, cells=len(verdicts), bad_cells=keys)


def _subject(bridge: AnyBridge, agent: str, timeout: float, folder: Path | None) -> NewSubject:
    if callable(bridge):
        return in_process(bridge)
    command = ProviderSettings(list(bridge), folder or Path.cwd(), {}, timeout)
    return external(command, AGENTS[agent].provider)
