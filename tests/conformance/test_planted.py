"""Bridges with one bug each fail exactly the rules they should, and every rule has a bug that it catches."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import pytest
from parity_runs import RECORDINGS
from planted_bridges import BUGS, Planted

from parity.bridges import Bridge
from parity.conformance import RECORDED, RULES, run
from parity.conformance.recorded import Seen
from parity.conformance.verdicts import FAILED, NOT_REACHED, verdict_of
from parity.replay.replay import replay
from parity.wire import find_cells

CELLS = ("acp-cursor/stop-interrupt", "acp-cursor/approval-deny", "acp-opencode/turn-tools")

CAUGHT_BY = {
    "silent-handshake": "handshake/answers handshake/refused",
    "hides-a-refused-handshake": "handshake/refused",
    "ignores-unknown-methods": "rpc/unknown-method rpc/same-id rpc/noise",
    "misnames-unknown-methods": "rpc/unknown-method",
    "answers-notifications": "rpc/unknown-notification",
    "misnames-bad-params": "rpc/bad-params thread/refused thread/once release/forgets turn/one-at-a-time",
    "retypes-ids": "rpc/same-id",
    "answers-twice": "rpc/one-answer",
    "counts-no-noise": "rpc/noise",
    "answers-noise": "rpc/noise",
    "takes-any-type-of-id": "rpc/unasked-answer",
    "takes-any-answer": "rpc/unasked-answer approval/decides approval/own-id",
    "says-nothing-known": "message/valid cell/schema-valid",
    "invents-a-delta": "delta/known cell/schema-valid",
    "leaves-unknown-requests": "agent/unknown-request",
    "crashes-on-odd-updates": "agent/odd-messages",
    "tells-no-identity": "thread/identity resume/identity",
    "forgets-the-providers-id": (
        "message/valid thread/identity resume/identity cell/not-empty cell/replays cell/schema-valid"
    ),
    "tells-identity-twice": "thread/identity resume/identity",
    "hides-a-refused-thread": "thread/refused",
    "starts-threads-again": "thread/once",
    "mixes-threads": "threads/do-not-mix",
    "stops-every-session": "threads/do-not-mix",
    "resumes-anew": "resume/identity",
    "shows-history": "resume/identity resume/history",
    "stops-on-release": "release/never-interrupts",
    "ends-the-turn-on-release": "release/never-interrupts",
    "never-lets-go": "release/forgets release/answers-agent",
    "starts-turns-twice": "turn/starts-once cell/grammar",
    "settles-turns-twice": "turn/settles-once cell/grammar",
    "never-settles-turns": (
        "rpc/unasked-answer agent/odd-messages threads/do-not-mix resume/identity turn/settles-once "
        "turn/one-at-a-time turn/refused error/settles-turn turn/steer stop/interrupts "
        "stop/without-turn unhandled/kept cell/turn-lifecycle"
    ),
    "settles-in-its-own-words": (
        "threads/do-not-mix resume/identity turn/settles-once turn/one-at-a-time turn/refused "
        "turn/steer stop/interrupts stop/without-turn unhandled/kept cell/turn-lifecycle"
    ),
    "works-after-the-turn": "turn/known cell/grammar",
    "talks-of-unopened-items": "item/opens-before-delta cell/grammar",
    "settles-items-twice": "item/settles-once cell/grammar",
    "leaves-out-the-second-refusal": "turn/one-at-a-time",
    "trims-input": "turn/input",
    "tells-no-input": "turn/input",
    "hides-errors": "turn/refused error/settles-turn",
    "loses-the-agents-words": "turn/refused error/settles-turn",
    "steers-nothing": "turn/steer",
    "ignores-stops": "threads/do-not-mix turn/steer stop/interrupts cell/replays",
    "settles-on-stop": "item/opens-before-delta stop/fabricates-nothing cell/grammar",
    "invents-a-signals-code": "threads/do-not-mix stop/fabricates-nothing cell/no-invented-code",
    "stops-nothing": "stop/without-turn",
    "stays-stopped": "threads/do-not-mix stop/interrupts stop/without-turn",
    "asks-twice": "approval/asks approval/decides approval/own-id cell/replays",
    "asks-about-nothing": "approval/asks",
    "never-asks": "approval/asks cell/replays",
    "allows-what-was-denied": "approval/decides approval/own-id",
    "answers-agents-in-text": (
        "agent/unknown-request release/answers-agent approval/decides approval/own-id "
        "approval/answered-on-stop cell/replays"
    ),
    "leaves-questions-on-stop": "approval/answered-on-stop",
    "allows-on-stop": "approval/answered-on-stop",
    "passes-late-answers-on": "approval/answered-once",
    "trims-text": "text/never-lost",
    "joins-equal-pieces": "text/never-lost",
    "shortens-whole-texts": "agent/odd-messages resume/identity text/never-lost cell/texts-whole",
    "loses-output": "output/never-lost",
    "appends-snapshots": "output/never-lost",
    "loses-exit-codes": "threads/do-not-mix call/as-said",
    "invents-exit-codes": "threads/do-not-mix stop/fabricates-nothing cell/no-invented-code",
    "renames-calls": "call/as-said cell/one-row-per-call",
    "doubles-calls": "call/as-said cell/one-row-per-call",
    "leaves-work-open": (
        "threads/do-not-mix error/settles-turn stop/fabricates-nothing output/never-lost "
        "call/as-said cell/items-settle"
    ),
    "drops-unknown-news": "unhandled/kept",
    "says-nothing": (
        "rpc/unasked-answer agent/odd-messages threads/do-not-mix resume/identity turn/settles-once "
        "turn/one-at-a-time turn/input turn/refused error/settles-turn turn/steer stop/interrupts "
        "stop/fabricates-nothing stop/without-turn text/never-lost output/never-lost call/as-said "
        "unhandled/kept cell/not-empty"
    ),
}
"""Bug → the rules that it breaks."""

STOPS_AT = {
    "silent-handshake": 42,
    "never-settles-turns": 7,
    "never-asks": 12,
    "says-nothing": 7,
}
"""Bug → how many rules it keeps from being reached; 0 where it is not named."""


def failing(bug: type[Planted]) -> tuple[set[str], int]:
    """(the rules it breaks, how many are not reached)."""
    new_bridge = cast(Callable[[], Bridge], bug)
    verdicts = run(new_bridge)
    broken = {verdict.rule for verdict in verdicts if verdict.verdict == FAILED}
    for name in CELLS:
        cell = find_cells(RECORDINGS, *name.split("/"))[0]
        seen = Seen(cell, lambda cell, sink: replay(cell, new_bridge, sink))
        broken |= {rule.id for rule in RECORDED if verdict_of(rule, seen).is_bad}
    return broken, sum(verdict.verdict == NOT_REACHED for verdict in verdicts)


@pytest.fixture(scope="module")
def healthy() -> set[str]:
    """What breaks without a bug: nothing, or it is a finding of the tests of our own bridges."""
    return failing(Planted)[0]


@pytest.mark.parametrize("name", BUGS)
def test_a_planted_bug_breaks_exactly_its_rules(name: str, healthy: set[str]) -> None:
    broken, unreached = failing(BUGS[name])
    assert broken | healthy == set(CAUGHT_BY[name].split()) | healthy
    assert unreached == STOPS_AT.get(name, 0)


def test_every_rule_has_a_bug_that_it_catches() -> None:
    caught = {rule for rules in CAUGHT_BY.values() for rule in rules.split()}
    assert {rule.id for rule in RULES} - caught == {"process/ends"}  # a process's; see the external tests
    assert len(BUGS) >= 20
