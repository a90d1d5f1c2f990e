"""The pytest plugin: a test per cell and gate, re-pinning, and knobs that are never ignored."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from parity_runs import ROOT, copy_cells

pytest_plugins = ["pytester"]

GROK = "acp-grok/turn-tools"
CURSOR = "acp-cursor/web-search"
GATES = 8


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A foreign project with two pinned cells."""
    for name in ("CI", "UPDATE_PARITY_ROW_COUNTS", "UPDATE_TRANSCRIPT_EXPECTATIONS"):
        monkeypatch.delenv(name, raising=False)
    copy_cells(pytester.path, GROK, CURSOR)
    (pytester.path / "pyproject.toml").write_text('[tool.parity]\nrecordings = "recordings"\n')
    (pytester.path / "allowlist.yaml").write_text("pinned: []\n")
    counts = json.loads((ROOT / "row-counts.json").read_text())
    mine = {cell: counts[cell] for cell in sorted((GROK, CURSOR))}
    (pytester.path / "row-counts.json").write_text(json.dumps(mine, indent=2) + "\n")
    return pytester.path


def edit_count(project: Path, cell: str, name: str, by: int) -> None:
    file = project / "row-counts.json"
    counts = json.loads(file.read_text())
    counts[cell][name] += by
    file.write_text(json.dumps(counts, indent=2) + "\n")


def test_each_cell_has_a_test_per_gate_and_the_allowlist_one(
    project: Path, pytester: pytest.Pytester
) -> None:
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider", "-v")
    result.assert_outcomes(passed=2 * GATES + 1)
    result.stdout.fnmatch_lines([f"*{GROK} events PASSED*"])


def test_it_works_under_xdist(project: Path, pytester: pytest.Pytester) -> None:
    pytester.runpytest_subprocess("-n", "2").assert_outcomes(passed=2 * GATES + 1)


def test_a_changed_pin_fails_naming_cell_row_and_path(project: Path, pytester: pytest.Pytester) -> None:
    pin = project / "recordings" / GROK / "rows.current.ndjson"
    pin.write_text(pin.read_text("utf-8").replace('"exitCode":2', '"exitCode":0'), "utf-8")
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider", "-k", "acp-grok")
    result.assert_outcomes(passed=GATES - 1, failed=1, deselected=GATES + 1)
    result.stdout.fnmatch_lines([f"*{GROK}: rows*", "*call_basic_0_0*", "*/exitCode  changed  0 → 2*"])


def test_a_raised_count_fails(project: Path, pytester: pytest.Pytester) -> None:
    edit_count(project, GROK, "events", 3)
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=2 * GATES, failed=1)
    result.stdout.fnmatch_lines(["*events * re-pin*"])


def test_repinning_touches_only_the_cells_that_ran(
    project: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = json.loads((project / "row-counts.json").read_text())
    edit_count(project, GROK, "events", 3)
    edit_count(project, CURSOR, "events", 3)
    monkeypatch.setenv("UPDATE_PARITY_ROW_COUNTS", "1")
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider", "-k", "acp-grok")
    result.stdout.fnmatch_lines([f"{GROK}: events *"])
    counts = json.loads((project / "row-counts.json").read_text())
    assert counts[GROK] == right[GROK]
    assert counts[CURSOR]["events"] == right[CURSOR]["events"] + 3


def test_a_repin_cannot_hide_a_guarded_count_that_rose(
    project: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    lane = project / "recordings" / GROK / "provider→bridge.ndjson"
    last = json.loads(lane.read_text("utf-8").splitlines()[-1])
    last["seq"] += 0.5
    last["line"] = '{"jsonrpc":"2.0","method":"unheard/of","params":{}}'
    with lane.open("a", encoding="utf-8") as file:
        file.write(json.dumps(last) + "\n")
    before = (project / "row-counts.json").read_bytes()
    monkeypatch.setenv("UPDATE_PARITY_ROW_COUNTS", "1")
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider", "-k", "acp-grok and counts")
    result.assert_outcomes(failed=1, deselected=2 * GATES)
    assert (project / "row-counts.json").read_bytes() == before


def test_a_repin_of_nothing_says_so(
    project: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UPDATE_PARITY_ROW_COUNTS", "1")
    pytester.runpytest_inprocess("-p", "no:cacheprovider", "-k", "nothing").stdout.fnmatch_lines(
        ["*re-pinned nothing*"]
    )


@pytest.mark.parametrize("knob", ["UPDATE_PARITY_ROW_COUNTS", "UPDATE_TRANSCRIPT_EXPECTATIONS"])
def test_nothing_is_rewritten_under_ci(
    project: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, knob: str
) -> None:
    edit_count(project, GROK, "events", 3)
    before = (project / "row-counts.json").read_bytes()
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv(knob, "1")
    result = pytester.runpytest_subprocess()
    assert result.ret != 0
    result.stderr.fnmatch_lines(["*CI=true*"])
    assert (project / "row-counts.json").read_bytes() == before


@pytest.mark.parametrize(
    ("name", "value"), [("UPDATE_PARITY_ROWCOUNTS", "1"), ("UPDATE_PARITY_ROW_COUNTS", "maybe")]
)
def test_a_knob_is_never_silently_ignored(
    project: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider")
    assert result.ret != 0
    result.stderr.fnmatch_lines([f"*{name}*"])


def test_a_stale_allowance_fails(project: Path, pytester: pytest.Pytester) -> None:
    (project / "allowlist.yaml").write_text(
        'pinned:\n  - {issue: "#1", reason: old, provider: acp-grok, layer: rows, path: /*/children/*/x}\n'
    )
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=2 * GATES, failed=1)
    result.stdout.fnmatch_lines(["*allowlist.yaml:2: #1 old*"])


def test_a_project_without_the_table_is_left_alone(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_one(): pass")
    pytester.runpytest_inprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)


def test_a_path_with_dots_hides_no_cell(project: Path, pytester: pytest.Pytester) -> None:
    (project / "pyproject.toml").write_text('[tool.parity]\nrecordings = "recordings/../recordings"\n')
    pytester.runpytest_inprocess("-p", "no:cacheprovider").assert_outcomes(passed=2 * GATES + 1)


@pytest.mark.parametrize("left", [["provider→bridge.ndjson"], ["rows.current.ndjson"], ["notes.txt"]])
def test_a_cell_without_a_manifest_fails_with_one_line(
    project: Path, pytester: pytest.Pytester, left: list[str]
) -> None:
    for file in (project / "recordings" / GROK).iterdir():
        if file.name not in left:
            file.unlink()
    for name in left:
        (project / "recordings" / GROK / name).touch()
    result = pytester.runpytest_inprocess("-k", "acp", "recordings", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=GATES, failed=1)
    result.stdout.fnmatch_lines([f"*{GROK}/manifest.json: missing; *"])


def test_a_repin_into_counts_that_cannot_be_read_fails_with_one_line(
    project: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = project / "row-counts.json"
    for text in ("{", '{"a/b": ' + "[" * 5000, '{"a/b": {"events": ' + "9" * 5000 + "}}"):
        file.write_text(text)
        monkeypatch.setenv("UPDATE_PARITY_ROW_COUNTS", "1")
        result = pytester.runpytest_inprocess("-k", "nothing", "recordings", "-p", "no:cacheprovider")
        assert result.ret == pytest.ExitCode.TESTS_FAILED
        result.stdout.fnmatch_lines(["re-pinned nothing: *row-counts.json:1: *"])
        assert "INTERNALERROR" not in result.stdout.str()
        assert file.read_text() == text


def test_a_repin_outside_a_project_says_so(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makepyfile("def test_one(): pass")
    monkeypatch.setenv("UPDATE_PARITY_ROW_COUNTS", "1")
    result = pytester.runpytest_inprocess()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*UPDATE_PARITY_ROW_COUNTS: nothing is re-pinned*tool.parity*"])
