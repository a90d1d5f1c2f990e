"""The pipeline's speed, as ratios to a stated floor measured in the same run.

Floor: read the lane files and JSON-decode each entry and the line inside it with the fastest decoder
installed (msgspec and orjson are tried). Measured: `check` (replay, assemble, project, compare with pins)
per wire line, on the committed corpus and on a synthetic log, its growth, and the peak memory of the command.
Times are CPU time of this process, so that a busy machine measures the same.

    python benchmarks/pipeline.py [--lines 200000] [--rounds 3]
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from parity.gates.allowlist import Allowlist
from parity.gates.check import check_cell
from parity.gates.counts import load_counts
from parity.redaction import sweep
from parity.wire import LANES, Cell, find_cells

sys.path.insert(0, str(Path(__file__).parent))
from synthetic import write_cell

ROOT = Path(__file__).parent.parent
LIMITS = {"ratio": 8.0, "growth": 1.05, "memory": 400.0}


def decoders() -> dict[str, Callable[[bytes | str], Any]]:
    found: dict[str, Callable[[bytes | str], Any]] = {"msgspec": msgspec.json.decode}
    try:
        import orjson

        found["orjson"] = orjson.loads
    except ImportError:
        pass
    return found


def floor(cells: list[Cell]) -> tuple[float, int]:
    """Seconds of the fastest decoder over all lines, and the lines."""
    best, lines = math.inf, 0
    for decode in decoders().values():
        start, lines = time.process_time(), 0
        for cell in cells:
            for lane in LANES:
                path = cell.lane_path(lane)
                if path.exists():
                    with path.open("rb") as file:
                        for raw in file:
                            decode(decode(raw)["line"])
                            lines += 1
        best = min(best, time.process_time() - start)
    return best, lines


def checked(cells: list[Cell], allowlist: Allowlist, counts: Any) -> float:
    start = time.process_time()
    for cell in cells:
        report = check_cell(cell, allowlist, counts)
        if report.verdict == "failed":
            raise SystemExit(f"{report.key} fails; mend it before measuring")
    return time.process_time() - start


def swept(cells: list[Cell]) -> float:
    """Seconds of the gate that looks for what is personal or secret."""
    start = time.process_time()
    for cell in cells:
        sweep(cell, pins=False)
    return time.process_time() - start


def measure(name: str, cells: list[Cell], rounds: int) -> dict[str, Any]:
    allowlist, counts = Allowlist.load(ROOT / "allowlist.yaml"), load_counts(ROOT / "row-counts.json")
    floors, checks, sweeps, lines = [], [], [], 0
    for _ in range(rounds):
        seconds, lines = floor(cells)
        floors.append(seconds)
        checks.append(checked(cells, allowlist, counts))
        sweeps.append(swept(cells))
    sweep_best, floor_best = min(sweeps), min(floors)
    at_best = min(checks) - sweep_best
    return {
        "what": name,
        "lines": lines,
        "floor µs/line": round(floor_best / lines * 1e6, 2),
        "check µs/line": round(at_best / lines * 1e6, 2),
        "ratio": round(at_best / floor_best, 2),
        "sweep ratio": round(sweep_best / floor_best, 2),
        "seconds": at_best,
    }


def pinned_cell(folder: Path, lines: int) -> Cell:
    cell = write_cell(folder / "recordings" / "acp-generic" / f"lines-{lines}", lines)
    command = [sys.executable, "-m", "parity.cli.main", "rerecord"]
    command += ["--recordings", str(folder / "recordings"), "-c", cell.name]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return cell


def peak_memory(folder: Path, name: str) -> float:
    """MiB at the peak of a `parity check` process on the cell."""
    code = (
        "import resource, sys; from parity.cli.main import app\n"
        f"sys.argv = ['parity', 'check', '--recordings', {str(folder / 'recordings')!r}, '-c', {name!r}]\n"
        "try: app()\n"
        "except SystemExit: pass\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return int(done.stderr.strip().splitlines()[-1]) / 1024


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    results = [measure("committed corpus", find_cells(ROOT / "recordings"), options.rounds * 3)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        small = pinned_cell(folder, options.lines // 100)
        large = pinned_cell(folder, options.lines)
        results.append(measure("synthetic, small", [small], options.rounds * 3))
        results.append(measure("synthetic, large", [large], options.rounds))
        memory = peak_memory(folder, large.name)
    few, many = results[1], results[2]
    growth = math.log(many["seconds"] / few["seconds"]) / math.log(many["lines"] / few["lines"])
    for result in results:
        print(json.dumps(result, ensure_ascii=False))
    print(f"growth exponent {growth:.3f} (limit {LIMITS['growth']})")
    print(f"peak memory of check on the large log {memory:.0f} MiB (limit {LIMITS['memory']:.0f})")
    worst = max(results[0]["ratio"], many["ratio"])  # the small log is there for the growth only
    print(f"worst ratio {worst} (limit {LIMITS['ratio']})")
    met = worst <= LIMITS["ratio"] and growth <= LIMITS["growth"] and memory <= LIMITS["memory"]
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
