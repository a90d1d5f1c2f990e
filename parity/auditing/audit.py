"""The audit: every stored row of an export through today's lanes, in order, and what became of them.

Knows exports, turns and stages. Must not know how the answer is shown. Memory is constant: the threads played
last are kept, and a bounded number of raw types and of bad rows.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct, field

from parity.auditing.exports import Bad, Event, Read, Skipped, Stored, read_export
from parity.auditing.stage import Stage
from parity.auditing.turns import Turns

STAGES = 512
"""Threads that are played at a time, at most."""

HELD_BYTES = 32 * 1024 * 1024
"""What their rows may take together, in bytes as stored."""

CLASSES = 1000
"""Pairs of provider and raw type told apart; all others are one."""

OTHERS = "(others)"

NAMED = 5
"""Bad rows that are named."""


class Line(Struct, rename="camel"):
    """The answer for a provider and raw type; a row is handled, afterTurn, unhandled or malformed."""

    provider: str
    raw_type: str
    total: int = 0
    handled: int = 0
    quiet: int = 0
    """Of those handled: ignored by decision, nothing is shown."""
    output_characters: int = 0
    assumed: int = 0
    """Rows whose output streams only because their call was taken for a command."""
    after_turn: int = 0
    """Stay unhandled because their turn was over (S32)."""
    unhandled: int = 0
    malformed: int = 0


class Answer(Struct):
    """The whole answer."""

    lines: dict[tuple[str, str], Line] = field(default_factory=dict)
    events: int = 0
    """Other events of the stream."""
    skipped: int = 0
    """Rows of other providers than the one asked for."""
    bad: int = 0
    """Rows that cannot be read; those whose provider and raw type can are also `malformed`."""
    named: list[Bad] = field(default_factory=list)
    unserved: set[str] = field(default_factory=set)
    """Providers no built-in family serves (at most CLASSES)."""

    def total(self) -> Line:
        """The sum of all lines."""
        sums = Line("", "")
        for line in self.lines.values():
            for name in _NUMBERS:
                setattr(sums, name, getattr(sums, name) + getattr(line, name))
        return sums


_NUMBERS = tuple(name for name in Line.__struct_fields__ if name not in ("provider", "raw_type"))


def audit(path: Path, provider: str | None = None, query: str | None = None) -> Answer:
    """Audit an export. Raises InputError where it cannot be read."""
    return audit_rows(read_export(path, provider, query))


def audit_rows(rows: Iterable[Read]) -> Answer:
    """Audit rows as they come."""
    run = _Run()
    for row in rows:
        match row:
            case Stored():
                run.play(row)
            case Event():
                run.answer.events += 1
                run.turns.learn(row)
            case Skipped():
                run.answer.skipped += 1
            case Bad():
                run.bad(row)
    return run.answer


class _Run:
    """One pass over an export."""

    def __init__(self) -> None:
        self.answer = Answer()
        self.turns = Turns()
        self._stages: OrderedDict[tuple[str, str | None, bool], Stage] = OrderedDict()
        self._held = 0

    def play(self, row: Stored) -> None:
        """Play a row where it stood, and count what became of it."""
        line = self._line(row.provider, row.raw_type)
        line.total += 1
        try:
            stage = self._stage(row, settled=False)
        except KeyError:
            if len(self.answer.unserved) < CLASSES:
                self.answer.unserved.add(row.provider)
            line.unhandled += 1
            return
        row.call_id = stage.call_id(row)
        settled = self.turns.settled(row)
        if settled:
            stage = self._stage(row, settled=True)
        before = stage.held
        taken = stage.take(row, settled=settled, item_type=self.turns.item_type(row))
        self._held += stage.held - before
        if not taken.fits:
            self._note(Bad(row.number, f"no message of {row.provider}"))
            line.malformed += 1
        elif taken.handled:
            line.handled += 1
            line.quiet += taken.quiet
            line.output_characters += taken.characters
            line.assumed += taken.assumed
        elif settled:
            line.after_turn += 1
        else:
            line.unhandled += 1

    def bad(self, bad: Bad) -> None:
        """Count a row that cannot be read."""
        self._note(bad)
        if bad.provider is not None and bad.raw_type is not None:
            line = self._line(bad.provider, bad.raw_type)
            line.total += 1
            line.malformed += 1

    def _note(self, bad: Bad) -> None:
        self.answer.bad += 1
        if len(self.answer.named) < NAMED:
            self.answer.named.append(bad)

    def _line(self, provider: str, raw_type: str) -> Line:
        lines = self.answer.lines
        if (provider, raw_type) not in lines and len(lines) >= CLASSES:
            provider = raw_type = OTHERS
        return lines.setdefault((provider, raw_type), Line(provider, raw_type))

    def _stage(self, row: Stored, *, settled: bool) -> Stage:
        """The thread's stage; rows after a turn's end are played apart, so that the open turn stays whole."""
        key = row.provider, row.thread_id, settled
        stage = self._stages.get(key)
        if stage is None:
            stage = self._stages[key] = Stage(row.provider)
            while len(self._stages) > STAGES or (self._held > HELD_BYTES and len(self._stages) > 2):
                self._held -= self._stages.popitem(last=False)[1].held
        else:
            self._stages.move_to_end(key)
        return stage
