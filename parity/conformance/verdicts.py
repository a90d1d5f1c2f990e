"""Words of the conformance kit: rules, and what becomes of them.

A rule's check returns when the rule is kept and raises otherwise: `Broken` (with the reason), `NotApplicable`
(this bridge or agent has no such thing) or `NotReached` (the bridge did not get as far as the rule; what
stopped it is another rule's finding). Knows no bridge.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from msgspec import Struct

from parity.wire import InputError

PASSED, FAILED, NOT_APPLICABLE, NOT_REACHED = "passed", "failed", "not applicable", "not reached"

Judged = TypeVar("Judged")


class Broken(Exception):
    """The rule is broken; says how, in one line."""


class NotApplicable(Exception):
    """The rule does not apply; says why."""


class NotReached(Exception):
    """The bridge did not get as far as the rule; says where it stopped."""


class Rule(Struct, Generic[Judged], frozen=True):
    """One rule: an id, a sentence, where it comes from, and its check."""

    id: str
    sentence: str
    source: str
    check: Callable[[Judged], None]


class Verdict(Struct, frozen=True, omit_defaults=True):
    """What became of a rule with one bridge; `cell` where it was judged by a recording."""

    rule: str
    verdict: str
    reason: str | None = None
    cell: str | None = None

    @property
    def is_bad(self) -> bool:
        """Whether the bridge does not conform, or could not be seen to."""
        return self.verdict in (FAILED, NOT_REACHED)


class RuleBook(Generic[Judged]):
    """Rules in the order they are written; `rule` is the decorator that adds one."""

    def __init__(self) -> None:
        self.rules: list[Rule[Judged]] = []

    def rule(
        self, rule_id: str, sentence: str, source: str
    ) -> Callable[[Callable[[Judged], None]], Callable[[Judged], None]]:
        """Add the decorated check as a rule."""

        def add(check: Callable[[Judged], None]) -> Callable[[Judged], None]:
            self.rules.append(Rule(rule_id, sentence, source, check))
            return check

        return add


def verdict_of(rule: Rule[Judged], judged: Judged, cell: str | None = None) -> Verdict:
    """Run a rule's check. InputError passes through; any other exception is the bridge's crash."""
    try:
        rule.check(judged)
    except Broken as broken:
        return Verdict(rule.id, FAILED, str(broken), cell)
    except NotApplicable as no:
        return Verdict(rule.id, NOT_APPLICABLE, str(no), cell)
    except NotReached as no:
        return Verdict(rule.id, NOT_REACHED, str(no), cell)
    except InputError:
        raise
    return Verdict(rule.id, PASSED, cell=cell)
