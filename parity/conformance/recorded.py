"""The recorded rules: what a bridge makes of a recorded session, held against the recording's own wire.

Every cell is judged by itself and without its pins, so the rules hold for a bridge whose rows differ from
ours. The one pinned thing is how many grammar drops a cell may have (`row-counts.json`).
"""

from __future__ import annotations

from typing import Any

import msgspec

from parity.conformance import wire_truth
from parity.conformance.stage import expect, read_delta, shown
from parity.conformance.verdicts import Broken, RuleBook
from parity.gates.check import Play
from parity.gates.pins import KeepSink
from parity.grammar import events as e
from parity.grammar.rows import walk
from parity.live.messages import Malformed, read_message
from parity.wire import Cell, encode

_GATES = "docs/gates.md, the gates of a cell"
_STATUSES = ("completed", "failed", "interrupted")
_EVENTS: dict[str, type[e.Event]] = {}


class Seen:
    """A cell, what came of it, and its wire."""

    def __init__(self, cell: Cell, play: Play, allowed_drops: int = 0) -> None:
        sink = KeepSink(("bridge", "events", "rows"))
        self.outcome = play(cell, sink)
        self.allowed_drops = allowed_drops
        self.bridge = [doc["line"] for doc in sink.docs("bridge")]
        self.tops = sink.docs("rows")
        self.rows = [row for top in self.tops for row in walk(top)]
        self.plain_events = sink.docs("events")
        self.events = wire_truth.apart(self.plain_events)
        self.wire = wire_truth.Wire(cell)


BOOK: RuleBook[Seen] = RuleBook()


@BOOK.rule(
    "cell/replays", "The recording goes on to its end: nothing is missing and nothing left over.", _GATES
)
def _replays(seen: Seen) -> None:
    outcome = seen.outcome
    problems = [*outcome.stalls, *(f"never consumed: {line}" for line in outcome.unconsumed)]
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise Broken(f"{problems[0]}{more}")


@BOOK.rule(
    "cell/schema-valid",
    "Every message to the runtime, every delta and every event has its type's members.",
    "docs/bridges.md, the runtime protocol and deltas",
)
def _schema(seen: Seen) -> None:
    for line in seen.bridge:
        try:
            message = read_message(line.encode())
        except Malformed as error:
            raise Broken(str(error)) from None
        if message.get("method") == "thread/delta":
            for document in message["params"]["deltas"]:
                for kind, what in read_delta(encode(document))[1]:
                    raise Broken(f"{kind}: {what}")
    drops = [drop for drop in seen.outcome.drops if drop.startswith("delta/known:")]
    expect(not drops, f"{', '.join(drops)}; {'; '.join(seen.outcome.remarks[:1])}")
    for event in seen.plain_events:
        event_type = _event_types().get(str(event.get("type")))
        expect(event_type is not None, f"an event of unknown type: {shown(event)}")
        try:
            msgspec.convert(event, event_type)
        except msgspec.ValidationError as error:
            raise Broken(f"{event['type']}: {error}") from None


@BOOK.rule(
    "cell/grammar",
    "No event breaks an ordering rule, beyond what is pinned of the cell.",
    "docs/gates.md, the gates of a cell",
)
def _grammar(seen: Seen) -> None:
    outcome = seen.outcome
    dropped = ", ".join(f"{count} × {drop}" for drop, count in outcome.drops.items())
    expect(
        outcome.grammar_drops <= seen.allowed_drops,
        f"dropped {dropped}; {seen.allowed_drops} may be",
    )


@BOOK.rule(
    "cell/turn-lifecycle",
    "Each turn starts, settles once with a known status, and does not overlap another of its thread.",
    "docs/bridges.md, deltas; docs/gates.md, the gates of a cell",
)
def _turns(seen: Seen) -> None:
    open_turns: dict[str, str] = {}
    known: set[tuple[str, str]] = set()
    for event in seen.plain_events:
        thread = event["threadId"]
        if event["type"] == "turn/started":
            turn = (thread, event["turnId"])
            expect(thread not in open_turns, f"{event['turnId']} starts inside {open_turns.get(thread)}")
            expect(turn not in known, f"{event['turnId']} starts twice")
            known.add(turn)
            open_turns[thread] = event["turnId"]
        elif event["type"] == "turn/completed":
            was = open_turns.pop(thread, None)
            expect(was == event["turnId"], f"{event['turnId']} settles while {was} is open")
            expect(event["status"] in _STATUSES, f"{was} settles as {event['status']!r}")
    settled = len(known) - len(open_turns)
    expect(settled > 0 or not known, "no turn of the recording settles")


@BOOK.rule("cell/not-empty", "The session has events, rows, and a turn.", "docs/rows.md")
def _not_empty(seen: Seen) -> None:
    expect(bool(seen.events), "no events")
    kinds = {row["kind"] for row in seen.tops}
    expect("turn" in kinds, f"no turn among the rows ({', '.join(sorted(kinds)) or 'there are none'})")


@BOOK.rule(
    "cell/one-row-per-call",
    "A call has one row each time the wire begins it, and every row of a call names one of the wire.",
    "docs/policies.md, one call, one row",
)
def _one_row(seen: Seen) -> None:
    for call, count in wire_truth.doubled(seen.rows, seen.wire).items():
        raise Broken(f"call {call!r} has {count} rows; the wire begins it {seen.wire.begun()[call]} times")
    for row in wire_truth.unnamed(seen.rows, seen.wire):
        raise Broken(f"the wire names no call {row['providerItemId']!r} ({row['kind']} row)")


@BOOK.rule(
    "cell/no-invented-code",
    "An exit code of a row is one that the wire says of its call; one that is not 0 makes the row failed.",
    "docs/policies.md, exit codes",
)
def _codes(seen: Seen) -> None:
    for row in wire_truth.invented_codes(seen.rows, seen.wire):
        said = sorted(seen.wire.codes(row["providerItemId"]))
        raise Broken(f"call {row['providerItemId']!r} has exit code {row['exitCode']}; the wire says {said}")
    for row in seen.rows:
        if row.get("exitCode"):
            expect(row["status"] == "failed", f"exit code {row['exitCode']} in a row that is {row['status']}")


@BOOK.rule(
    "cell/texts-whole",
    "A message's text and a command's output are what was streamed of them.",
    "docs/policies.md, output, and text and plans",
)
def _whole(seen: Seen) -> None:
    for streamed, whole in wire_truth.torn_texts(seen.events):
        raise Broken(f"streamed {shown(streamed)}, the whole text is {shown(whole)}")
    for streamed, whole in wire_truth.torn_outputs(seen.events):
        raise Broken(f"streamed {shown(streamed)}, the whole output is {shown(whole)}")


@BOOK.rule(
    "cell/items-settle",
    "Every item that opens settles by the end of the recording.",
    "docs/bridges.md, deltas; docs/policies.md, turns",
)
def _items(seen: Seen) -> None:
    left = wire_truth.unsettled(seen.events)
    expect(not left, f"{len(left)} left open: {', '.join(sorted(left)[:3])}")


RECORDED = tuple(BOOK.rules)
"""Every recorded rule, in order."""


def _event_types() -> dict[str, Any]:
    if not _EVENTS:
        waiting: list[type[e.Event]] = [e.Event]
        while waiting:
            kind = waiting.pop()
            waiting += kind.__subclasses__()
            tag = kind.__struct_config__.tag
            if isinstance(tag, str):
                _EVENTS[tag] = kind
    return _EVENTS
