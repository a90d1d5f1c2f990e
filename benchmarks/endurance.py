"""Endurance: one thread, twelve million lines, a million calls: memory stays flat and time stays linear.

    python benchmarks/endurance.py [--lines N]

The session is made as it is replayed and nothing of it is kept. Prints the curve: for each step, CPU seconds
of the replay alone per million lines and the resident memory. Exit code 1 where the memory of the last step
exceeds that of the second by more than a tenth (and a MiB), or a million lines took 1.25 times as long at
the end as at the beginning.
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import islice
from pathlib import Path

from synthetic import conversation_lines

from parity.bridges import bridge_for
from parity.replay.replay import Replay

_BATCH = 10_000


class _Nothing:
    """A sink that keeps nothing but how many calls became rows."""

    def __init__(self) -> None:
        self.calls = 0

    def bridge(self, line: bytes) -> None:
        pass

    def provider(self, line: bytes) -> None:
        pass

    def event(self, line: bytes) -> None:
        pass

    def row(self, line: bytes) -> None:
        self.calls += line.count(b'"providerItemId"')


def resident() -> float:
    """MiB of memory this process holds now (Linux)."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 2**20


def main() -> int:
    """Replay, print the curve, judge it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--lines", type=int, default=12_100_000)
    parser.add_argument("--steps", type=int, default=10)
    options = parser.parse_args()
    step = options.lines // options.steps
    sink = _Nothing()
    run = Replay(lambda: bridge_for("acp-synthetic"), sink, frozenset())
    lines = conversation_lines()
    curve: list[tuple[float, float]] = []
    print(f"{'lines':>12} {'calls':>10} {'s/million':>10} {'MiB':>7}")
    while len(curve) < options.steps:
        spent, left = 0.0, step
        while left:
            batch = list(islice(lines, min(_BATCH, left)))
            start = time.process_time()
            for line in batch:
                run.feed(line)
            spent += time.process_time() - start
            left -= len(batch)
        curve.append((spent / step * 1e6, resident()))
        print(
            f"{run.outcome.lines:>12,} {sink.calls:>10,} {curve[-1][0]:>10.2f} {curve[-1][1]:>7.1f}",
            flush=True,
        )
    outcome = run.finish()
    assert not outcome.drops, outcome.drops
    assert outcome.unhandled == 0
    slower = curve[-1][0] / curve[1][0]
    grown = curve[-1][1] - curve[1][1]
    print(f"{sink.calls:,} calls; time per line × {slower:.2f}; memory grew by {grown:.1f} MiB")
    return int(slower > 1.25 or grown > 1 + curve[1][1] / 10)


if __name__ == "__main__":
    sys.exit(main())
