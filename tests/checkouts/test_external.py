"""Checkouts whose bridge is a command: each side drives its own, and what cannot be driven is said."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from live_bridges import FAKE, is_running
from parity_runs import ROOT, copy_cells, parity
from side_trees import tiny_tree

from parity.checkouts.side import Replayed, Side, SideProcess, SideRun
from parity.gates.settings import ProviderSettings
from parity.wire import find_cells

CELL = "acp-cursor/approval-allow"
OTHER = "acp-gemini/plan"


def bridge_tree(folder: Path, mode: str, note: object = "", provider: str = "acp-cursor") -> Path:
    """A tree without parity that names the fake bridge, in a mode."""
    folder.mkdir(parents=True, exist_ok=True)
    command = json.dumps([sys.executable, str(FAKE), mode, str(note)])
    table = f"[tool.parity.providers.{provider}]\nbridge = {command}\n"
    (folder / "pyproject.toml").write_text(table, "utf-8")
    return folder


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = bridge_tree(tmp_path / "project", "good")
    copy_cells(folder, CELL)
    monkeypatch.chdir(folder)
    return folder


def compared(*arguments: object) -> dict[str, Any]:
    run = parity("compare", "--json", "--jobs", 1, *arguments)
    assert run.out.count("\n") == 1, run.err
    document: dict[str, Any] = json.loads(run.out)
    return document


def test_each_side_drives_the_bridge_of_its_own_tree_and_knows_the_lines_behind_its_rows(
    project: Path, tmp_path: Path
) -> None:
    bridge_tree(tmp_path / "other", "no-exit-code")
    document = compared("--old", "../other", "--html", "report")
    (cell,) = document["cells"]
    assert {(group["layer"], group["name"], group["change"]) for group in cell["classes"]} == {
        ("events", "item/exitCode", "added"),
        ("rows", "row/exitCode", "added"),
    }
    assert document["bridges"]["acp-cursor"]["old"][-2] == "no-exit-code"
    assert document["bridges"]["acp-cursor"]["new"][-2] == "good"
    page = (project / "report" / "cells" / "acp-cursor--approval-allow.html").read_text("utf-8")
    wire = json.loads(page.partition('id="wire-data">')[2].partition("</script>")[0])
    assert all(row["lines"] for row in wire["rows"])


def side(tree: Path, *command: str) -> Side:
    """A side with this code and bridge."""
    return Side(tree, sys.executable, {"acp-cursor": ProviderSettings(list(command), FAKE.parent, {}, 60.0)})


def failure(of: Side, project: Path) -> str:
    """Why the cell failed."""
    results: list[Replayed] = []
    cells = find_cells(project / "recordings")
    work = SideRun(of, cells, project / "cache", 20, lambda cell, one: results.append(one))
    asyncio.run(work.run(1))
    (result,) = results
    return str(result.failure)


def test_a_bridge_that_ends_at_once_is_a_failure_with_its_reason(project: Path) -> None:
    why = failure(side(ROOT, sys.executable, "-c", "raise SystemExit(3)"), project)
    assert "the bridge ended with exit code 3" in why


def test_a_checkout_that_cannot_drive_a_command_says_so(project: Path, tmp_path: Path) -> None:
    why = failure(side(tiny_tree(tmp_path / "other"), "x"), project)
    assert why == "its replay failed: this checkout is too old to drive a bridge that is a command"


def test_a_side_that_is_killed_leaves_no_bridge_behind(project: Path, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    script = f"import os, time; open({str(pid)!r}, 'w').write(str(os.getpid())); time.sleep(60)"

    async def kill_in_the_middle() -> None:
        process = await SideProcess.start(side(ROOT, sys.executable, "-c", script), project / "cache", 60)
        replay = asyncio.create_task(process.replay(find_cells(project / "recordings")[0]))
        while not pid.exists() or not pid.read_text():
            await asyncio.sleep(0.01)
        replay.cancel()
        await asyncio.gather(replay, return_exceptions=True)
        await process.kill()

    asyncio.run(asyncio.wait_for(kill_in_the_middle(), 60))
    deadline = time.monotonic() + 10  # the system may take a moment to end what was killed
    while is_running(int(pid.read_text())) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not is_running(int(pid.read_text()))


def test_a_cell_for_which_neither_side_has_code_is_skipped(project: Path, tmp_path: Path) -> None:
    copy_cells(project, OTHER)
    bridge_tree(tmp_path / "other", "good")
    run = parity("compare", "--old", "../other", "--cell", "plan")
    assert run.code == 1
    assert "1 cell skipped: no code of its own for 'acp-gemini' on either side" in run.out
    assert "nothing was compared" in run.out


def test_a_bridge_named_here_and_in_neither_tree_is_no_silent_pass(project: Path, tmp_path: Path) -> None:
    for name in ("old", "new"):
        tiny_tree(tmp_path / name)
    run = parity("compare", "--old", "../old", "--new", "../new")
    assert "acp-cursor: no bridge is named in either side's tree; each runs its own code" in run.out
