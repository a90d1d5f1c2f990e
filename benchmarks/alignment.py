"""The speed of alignment: 100,000 events against 100,000 with 1,000 scattered changes.

Floor: hash both streams (the digest of every document, as the comparison itself takes it). Measured: `align`
on normalised entries, the whole `diff_docs`, and the growth of `align` with the length of the streams.

    python benchmarks/alignment.py [--events 100000] [--changes 1000]
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time
from collections.abc import Callable
from typing import Any

from parity.compare import align, diff_docs, normalise
from parity.compare.documents import digest

LIMITS = {"ratio": 20.0, "growth": 1.1}


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
    """A copy with events inserted, removed and altered at scattered places."""
    choose = random.Random(7)
    copy = list(stream)
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


def timed(run: Callable[[], Any], rounds: int = 3) -> float:
    best = math.inf
    for _ in range(rounds):
        start = time.process_time()
        run()
        best = min(best, time.process_time() - start)
    return best


def measure(count: int, changes: int) -> tuple[float, float, float]:
    """Seconds to hash both streams, to align them, and for the whole difference."""
    old = events(count)
    new = changed(old, changes)
    hashed = timed(lambda: [digest(doc) for doc in (*old, *new)])
    entries = normalise("events", old), normalise("events", new)
    aligned = timed(lambda: align(*entries))
    whole = timed(lambda: diff_docs("events", old, new), 1)
    return hashed, aligned, whole


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--changes", type=int, default=1_000)
    options = parser.parse_args()
    small = measure(options.events // 10, options.changes // 10)
    large = measure(options.events, options.changes)
    growth = math.log(large[1] / small[1]) / math.log(10)
    ratio = large[1] / large[0]
    print(f"hash both {large[0]:.2f} s, align {large[1]:.2f} s, whole difference {large[2]:.2f} s")
    print(
        f"align is {ratio:.1f} × the hash (limit {LIMITS['ratio']}); the whole is {large[2] / large[0]:.1f} ×"
    )
    print(f"growth exponent {growth:.3f} (limit {LIMITS['growth']})")
    return int(ratio > LIMITS["ratio"] or growth > LIMITS["growth"])


if __name__ == "__main__":
    sys.exit(main())
