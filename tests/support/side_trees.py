"""Checkouts for tests: tiny ones with a `parity` of a few lines, and git repositories."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

SAYS_SOMETHING = """\
    sink.bridge(b'{"ts": 1, "run": 1, "seq": 1, "dir": "x", "line": "{}"}')
    sink.event(b'{"type": "provider/warning", "message": "m"}')
    sink.row(b'{"id": "row-1", "kind": "warning", "status": "completed", "title": "t"}')
"""

_REPLAY = """\
import os, signal, sys, time


class Outcome:
    lines, events, rows, unhandled = 1, 1, 1, 0
    drops, stalls, unconsumed = {}, [], []


def replay(cell, new_bridge, sink):
    new_bridge()
"""

KNOWS_ALL = "def bridge_for(provider, command=None):\n    return object()\n"
KNOWS_NONE = "def bridge_for(provider, command=None):\n    raise KeyError(provider)\n"


def tiny_tree(
    folder: Path, body: str = SAYS_SOMETHING, *, bridges: str = KNOWS_ALL, top: str = "", end: str = ""
) -> Path:
    """A checkout whose replay runs `body` (`cell` is its folder's name) and returns an `Outcome`."""
    package = folder / "parity"
    for name, text in {
        "__init__.py": top,
        "wire/__init__.py": "import os\n\ndef open_cell(path):\n    return os.path.basename(path)\n",
        "bridges/__init__.py": bridges,
        "replay/__init__.py": "",
        "replay/replay.py": f"{_REPLAY}{body}    outcome = Outcome()\n{end}    return outcome\n",
    }.items():
        file = package / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    return folder


def git(folder: Path, *arguments: str) -> str:
    """A git command in a folder, under nobody's configuration."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    environment |= {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": str(folder / "no-such-configuration")}
    for who in ("GIT_AUTHOR", "GIT_COMMITTER"):
        environment |= {f"{who}_NAME": "nobody", f"{who}_EMAIL": "nobody@example.com"}
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def commit_all(folder: Path) -> None:
    """Everything in the folder becomes a commit; the first makes the repository, with a branch main."""
    if not (folder / ".git").exists():
        git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "a commit")
