"""The speed of the comparison: 100,000 events against 100,000 with 1,000 scattered changes.

Floor: hash both streams (the digest of every document, as the comparison itself takes it). Measured in CPU
time, best of some rounds: the whole `diff_docs`, `align` on normalised entries alone, and how both grow with
the length of the streams (the slope of the logarithms over three sizes).

    python benchmarks/alignment.py [--events 100000] [--changes 1000] [--rounds 3]
"""

from __future__ import annotations

import argparse
import gc
import math
import random
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from parity.compare import align, diff_docs, normalise
from parity.compare.documents import digest
from parity.wire import decode, encode

LIMITS = {"ratio": 20.0, "growth": 1.1}
PARTS = (4, 2, 1)
"""The sizes: these parts of the whole."""


class Measured(Struct):
    """Seconds of CPU time."""

    events: int
    hashed: float
    aligned: float
    whole: float


def events(count: int) -> list[dict[str, Any]]:
    """A stream of turns, commands with output, and text."""
    made: list[dict[str, Any]] = []
    turn = item = 0
    while len(made) < count:
        turn += 1
        scope = {"kind": "turn", "turnId": f"turn-{turn}"}
        base = {"threadId": "thread-1", "scope": scope}
        made.append({"type": "turn/started", **base, "turnId": f"turn-{turn}"})
        for step in range(6):
            item += 1
            command = {
                "id": f"item-{item}",
                "type": "commandExecution",
                "status": "pending",
                "providerItemId": f"call_{turn}_{step}",
                "command": f"make step-{item}",
            }
            made.append({"type": "item/started", **base, "item": command})
            for n in range(5):
                delta = {"itemId": f"item-{item}", "delta": f"line {n} of {item}\n"}
                made.append({"type": "item/commandExecution/outputDelta", **base, **delta})
            done = {**command, "status": "completed", "exitCode": 0}
            made.append({"type": "item/completed", **base, "item": done})
        made.append({"type": "turn/completed", **base, "turnId": f"turn-{turn}", "status": "completed"})
    return made[:count]


def changed(stream: list[dict[str, Any]], changes: int) -> list[dict[str, Any]]:
    """A copy, as if read from another file, with events inserted, removed and altered at scattered places."""
    choose = random.Random(7)
    copy: list[dict[str, Any]] = decode(encode(stream))
    for _ in range(changes):
        at = choose.randrange(len(copy))
        kind = choose.choice(("insert", "remove", "alter"))
        if kind == "insert":
            copy.insert(at, {**copy[at], "type": "provider/warning", "message": f"new {at}"})
        elif kind == "remove":
            del copy[at]
        else:
            copy[at] = {**copy[at], "note": at}
    return copy


def timed(run: Callable[[], Any], rounds: int) -> float:
    best = math.inf
    for _ in range(rounds):
        gc.collect()
        start = time.process_time()
        run()
        best = min(best, time.process_time() - start)
    return best


def measure(count: int, changes: int, rounds: int) -> Measured:
    old = events(count)
    new = changed(old, changes)
    hashed = timed(lambda: [digest(doc) for doc in (*old, *new)], rounds)
    whole = timed(lambda: diff_docs("events", old, new), rounds)
    entries = normalise("events", old), normalise("events", new)
    return Measured(count, hashed, timed(lambda: align(*entries), rounds), whole)


def growth(points: Sequence[tuple[int, float]]) -> float:
    """The exponent: the slope of the line through the logarithms, by least squares."""
    logs = [(math.log(count), math.log(seconds)) for count, seconds in points]
    middle_x, middle_y = (sum(column) / len(logs) for column in zip(*logs, strict=True))
    covered = sum((x - middle_x) * (y - middle_y) for x, y in logs)
    return covered / sum((x - middle_x) ** 2 for x, _ in logs)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--changes", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    found = [measure(options.events // n, options.changes // n, options.rounds) for n in PARTS]
    for one in found:
        print(
            f"{one.events:>8} events: hash both {one.hashed:.2f} s,"
            f" align {one.aligned:.2f} s ({one.aligned / one.hashed:.1f} ×),"
            f" whole difference {one.whole:.2f} s ({one.whole / one.hashed:.1f} ×)"
        )
    ratio = found[-1].whole / found[-1].hashed
    exponents = {
        name: growth([(one.events, getattr(one, name)) for one in found]) for name in ("aligned", "whole")
    }
    print(f"the whole difference is {ratio:.1f} × the hash (limit {LIMITS['ratio']:g})")
    said = ", ".join(f"{name} {exponent:.3f}" for name, exponent in exponents.items())
    print(f"growth exponents: {said} (limit {LIMITS['growth']})")
    return int(ratio > LIMITS["ratio"] or max(exponents.values()) > LIMITS["growth"])


if __name__ == "__main__":
    sys.exit(main())
