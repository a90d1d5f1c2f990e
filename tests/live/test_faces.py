"""External bridges in `parity check`, `rerecord` and the pytest plugin."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from live_bridges import FAKE
from parity_runs import copy_cells, parity

pytest_plugins = ["pytester"]

CELL = "acp-cursor/approval-allow"
OTHER = "acp-gemini/plan"


def project(folder: Path, mode: str = "good", extra: str = "") -> Path:
    command = json.dumps([sys.executable, str(FAKE), mode])
    table = f"[tool.parity]\n[tool.parity.providers.acp-cursor]\nbridge = {command}\n{extra}\n"
    (folder / "pyproject.toml").write_text(table, "utf-8")
    return copy_cells(folder, CELL, OTHER)


def test_check_drives_it_and_the_built_in_bridges_in_one_run(tmp_path: Path) -> None:
    recordings = project(tmp_path, "no-exit-code")
    run = parity("check", "--json", "--recordings", recordings)
    mine, other = json.loads(run.out)["cells"]
    assert run.code == 1
    assert (mine["verdict"], other["verdict"]) == ("failed", "unpinned")
    (difference,) = mine["differences"]["rows"]
    assert difference["path"] == "/0/children/0/exitCode"
    assert set(mine["differences"]) == {"events", "rows"}


def test_a_crash_is_a_failed_cell_and_no_error(tmp_path: Path) -> None:
    recordings = project(tmp_path, "crashes")
    run = parity("check", "--recordings", recordings)
    assert run.code == 1
    assert "replay: stall: the bridge ended with exit code 3" in run.out
    assert run.err == ""


def test_dropped_deltas_fail_with_what_is_wrong_with_them(tmp_path: Path) -> None:
    recordings = project(tmp_path, "odd-deltas")
    (tmp_path / "row-counts.json").write_text(
        json.dumps({CELL: {"events": 13, "rows": 3, "unhandled": 0, "grammarDrops": 0}})
    )
    run = parity("check", "-p", "acp-cursor", "--recordings", recordings)
    assert run.code == 1
    assert "grammar: dropped 1 × delta/known:item.invented" in run.out
    assert "grammar: item.close: Expected `int | null`, got `str`" in run.out


def test_rerecord_pins_only_what_is_compared(tmp_path: Path) -> None:
    recordings = project(tmp_path, "no-exit-code")
    (recordings / CELL / "bridge→runtime.current.ndjson").unlink()
    run = parity("rerecord", "-p", "acp-cursor", "--recordings", recordings)
    assert run.code == 0
    assert not (recordings / CELL / "bridge→runtime.current.ndjson").exists()
    assert "exitCode" not in (recordings / CELL / "rows.current.ndjson").read_text("utf-8")


def test_the_plugin_has_no_test_for_what_is_not_compared(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI", raising=False)
    project(pytester.path, "no-exit-code")
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-v", "-k", "acp-cursor")
    result.assert_outcomes(passed=3, failed=2, skipped=1, deselected=8)
    result.stdout.fnmatch_lines(["*/exitCode  removed  0*"])
    assert f"{CELL} bridge" not in result.stdout.str()
