"""Kill the commands that write (rerecord, allow, re-pinning of counts) at random moments; look at the files.

    python scripts/kill_writers.py [--moments N] [--seed S] [--writer NAME]

Every second moment is a time within the run, every other one a line of the code that writes files; all are
SIGKILL. After each, every file must be the old one or the new one, whole; the command run again must leave
the new ones. Prints what it saw; exit code 1 at the first file that is neither.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import itertools
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import pytest

import parity.cli.allow
import parity.cli.rerecord
import parity.gates.counts
from parity.cli.main import main as parity
from parity.wire import framing

ROOT = Path(__file__).parent.parent
CELL = "acp-opencode/turn-tools"
Files = dict[str, bytes]
_PROJECT = """\
[tool.parity]
recordings = "recordings"

[tool.pytest.ini_options]
testpaths = ["recordings"]
"""


class Writer(NamedTuple):
    """A command that writes, and the files it may change."""

    run: Callable[[], Any]
    spoil: Callable[[Path], None]


def _command(*arguments: str) -> Callable[[], Any]:
    def run() -> None:
        sys.argv = ["parity", *arguments]
        parity()

    return run


def _repin() -> Any:
    os.environ.update(UPDATE_PARITY_ROW_COUNTS="1", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    return pytest.main(["-q", "-p", "no:cacheprovider", "-p", "parity.pytest_plugin"])


def _spoil_pins(project: Path) -> None:
    for pin in (project / "recordings" / CELL).glob("*.current.ndjson"):
        pin.write_bytes(pin.read_bytes() * 3)


def _spoil_a_row(project: Path) -> None:
    pin = project / "recordings" / CELL / "rows.current.ndjson"
    pin.write_text(pin.read_text("utf-8").replace('"status":"completed"', '"status":"failed"'), "utf-8")


def _spoil_counts(project: Path) -> None:
    path = project / "row-counts.json"
    path.write_text(path.read_text("utf-8").replace('"events": ', '"events": 1'), "utf-8")


WRITERS = {
    "rerecord": Writer(_command("rerecord"), _spoil_pins),
    "allow": Writer(_command("allow", "--issue", "#12", "--reason", "a test"), _spoil_a_row),
    "repin": Writer(_repin, _spoil_counts),
}


def project(folder: Path) -> None:
    """A project with one cell, as committed."""
    shutil.copytree(ROOT / "recordings" / CELL, folder / "recordings" / CELL)
    counts = json.loads((ROOT / "row-counts.json").read_text("utf-8"))
    (folder / "row-counts.json").write_text(json.dumps({CELL: counts[CELL]}, indent=2) + "\n", "utf-8")
    shutil.copy(ROOT / "allowlist.yaml", folder)
    (folder / "pyproject.toml").write_text(_PROJECT, "utf-8")


def files(folder: Path) -> Files:
    """Every file with its bytes, but for what Python caches."""
    found = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def restore(folder: Path, before: Files) -> None:
    """The files as they were, and no others."""
    for name in files(folder).keys() - before.keys():
        (folder / name).unlink()
    for name, data in before.items():
        (folder / name).write_bytes(data)


def spawn(folder: Path, run: Callable[[], Any], dies_at: int | None) -> int:
    """A process that runs the command in the project, and kills itself at a line of the writing code."""
    child = os.fork()
    if child:
        return child
    with contextlib.suppress(BaseException):
        os.chdir(folder)
        silent = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(silent, stream)
        if dies_at is not None:
            _die_at(dies_at)
        run()
    os._exit(0)


def _at_each_line(told: Callable[[], object]) -> Callable[..., None]:
    """Have a function told of each line of the code that replaces files; returns that code as it was."""
    replace = framing._replace_file

    def step(frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename != framing.__file__:
            return None
        told()
        return step

    def traced(*arguments: Any) -> None:
        sys.settrace(step)
        try:
            replace(*arguments)
        finally:
            sys.settrace(None)

    framing._replace_file = traced
    return replace


def _die_at(line: int) -> None:
    """Arrange that the process kills itself at the n-th line of the code that replaces files."""
    left = itertools.count(line - 1, -1)

    def told() -> None:
        if next(left) <= 0:
            os.kill(os.getpid(), signal.SIGKILL)

    _at_each_line(told)


def finished(child: int) -> bool:
    """Whether the process was killed before it came to its end."""
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def moments(name: str, count: int, rng: random.Random) -> Counter[str]:
    """Kill one writer at so many moments. Raises AssertionError for a file that is neither old nor new."""
    writer = WRITERS[name]
    seen: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        project(folder)
        writer.spoil(folder)
        old = files(folder)
        lines = _lines_written(folder, writer.run)
        restore(folder, old)
        began = time.perf_counter()
        finished(spawn(folder, writer.run, None))
        took = time.perf_counter() - began
        new = files(folder)
        assert new.keys() == old.keys(), f"{name}: {new.keys() ^ old.keys()}"
        changed = {path for path in old if old[path] != new[path]}
        assert changed, f"{name} wrote nothing"
        for number in range(count):
            restore(folder, old)
            by_clock = number % 2 == 0
            child = spawn(folder, writer.run, None if by_clock else rng.randint(1, lines))
            if by_clock:
                time.sleep(rng.uniform(0, took))
                os.kill(child, signal.SIGKILL)
            seen["too late"] += not finished(child)
            seen.update(judged(name, files(folder), old, new, changed))
            finished(spawn(folder, writer.run, None))
            after = files(folder)
            wrong = [path for path in new if after.get(path) != new[path]]
            assert not wrong, f"{name}: the run after a kill left {wrong}"
    return seen


def _lines_written(folder: Path, run: Callable[[], Any]) -> int:
    """Run the command in this process, so that its children need not import what it imports.

    Returns how many lines of the code that replaces files it ran.
    """
    here, environ, said = Path.cwd(), dict(os.environ), io.StringIO()
    lines = itertools.count()
    replace = _at_each_line(lambda: next(lines))
    os.chdir(folder)
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said), contextlib.suppress(SystemExit):
        run()
    framing._replace_file = replace
    os.chdir(here)
    os.environ.clear()
    os.environ.update(environ)
    return next(lines)


def judged(name: str, now: Files, old: Files, new: Files, changed: set[str]) -> Counter[str]:
    """How the files look after a kill: all old, some new, all new; and temporary files left behind."""
    for path in old:
        assert now.get(path) in (old[path], new[path]), f"{name}: {path} is neither the old nor the new file"
    left = [path for path in now if path not in old]
    strange = [path for path in left if not Path(path).name.startswith(".") or not path.endswith(".tmp")]
    assert not strange, f"{name}: left behind {strange}"
    written = sum(now[path] == new[path] for path in changed)
    state = "old" if not written else "new" if written == len(changed) else "some new"
    return Counter({state: 1, "temporary files": len(left)})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--moments", type=int, default=200)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--writer", choices=sorted(WRITERS), default=None)
    chosen = parser.parse_args()
    seed = chosen.seed if chosen.seed is not None else random.randrange(2**32)
    for name in [chosen.writer] if chosen.writer else sorted(WRITERS):
        began = time.perf_counter()
        try:
            seen = moments(name, chosen.moments, random.Random(f"{seed} {name}"))
        except AssertionError as error:
            print(f"{error} (seed {seed})")
            return 1
        took = time.perf_counter() - began
        print(f"{name}: {chosen.moments} kills in {took:.1f} s, files whole: {dict(sorted(seen.items()))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
