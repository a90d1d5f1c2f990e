"""Signals: whatever ends the command, its worktree, its folder and its processes are gone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from parity_runs import copy_cells
from side_trees import commit_all, git, tiny_tree

from parity.checkouts.signals import Stopped, signals_wait


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_command_and_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    project, temporary = tmp_path / "project", tmp_path / "temporary"
    temporary.mkdir()
    marker = tmp_path / "marker"
    hang = f"    open({str(marker)!r}, 'a').write(f'{{os.getpid()}}\\n')\n    while True: time.sleep(1)\n"
    copy_cells(project, "codex/plan")
    tiny_tree(project, hang)
    commit_all(project)
    command = [
        sys.executable,
        "-P",
        "-c",
        "from parity.cli.main import main; main()",
        "compare",
        "--old",
        "main",
    ]
    environment = {**os.environ, "TMPDIR": str(temporary), "PYTHONPATH": str(Path(__file__).parents[2])}
    running = subprocess.Popen(
        command,
        cwd=project,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while len(marker.read_text("utf-8").splitlines() if marker.exists() else ()) < 2:
        assert running.poll() is None, running.communicate()
        time.sleep(0.02)
    assert list(temporary.glob("parity-compare-*/old/parity"))
    running.send_signal(number)
    out, _ = running.communicate(timeout=60)
    assert running.returncode == (130 if number == signal.SIGINT else -signal.SIGTERM)
    assert out == b""
    assert list(temporary.iterdir()) == []
    assert git(project, "worktree", "list").count("\n") == 1
    for pid in marker.read_text("utf-8").split():
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)


def test_a_signal_waits_for_the_block_and_is_raised_at_its_end() -> None:
    seen = []

    def block() -> None:
        with signals_wait() as waiting:
            signal.raise_signal(signal.SIGINT)
            seen.append("still here")
            with pytest.raises(Stopped):
                waiting.check()

    with pytest.raises(KeyboardInterrupt):
        block()
    assert seen == ["still here"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
