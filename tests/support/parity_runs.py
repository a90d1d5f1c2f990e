"""Running the command line in tests: arguments in; exit code, standard output and error out."""

from __future__ import annotations

import contextlib
import io
import shutil
import sys
from pathlib import Path
from typing import NamedTuple

from parity.cli.main import main

ROOT = Path(__file__).parents[2]
RECORDINGS = ROOT / "recordings"


class Run(NamedTuple):
    code: int
    out: str
    err: str


def parity(*arguments: object) -> Run:
    """`parity ARGUMENTS` in this process."""
    out, err = io.StringIO(), io.StringIO()
    argv, sys.argv = sys.argv, ["parity", *map(str, arguments)]
    code: object = 0
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
    except SystemExit as exit_:
        code = exit_.code
    finally:
        sys.argv = argv
    return Run(code if isinstance(code, int) else 0, out.getvalue(), err.getvalue())


def copy_cells(folder: Path, *names: str) -> Path:
    """A project folder with some of the committed cells; returns its recordings."""
    for name in names:
        shutil.copytree(RECORDINGS / name, folder / "recordings" / name)
    return folder / "recordings"


def snapshot(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with its bytes."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
