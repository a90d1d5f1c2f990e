"""`parity check`: the table, the failures it names, allowances and their staleness."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from parity_runs import copy_cells, parity

from parity.gates.counts import Counts, load_counts, repin
from parity.lanes.acp.dialects import base

GROK = "acp-grok/turn-tools-no-terminal"
CURSOR = "acp-cursor/web-search"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Two pinned cells with counts."""
    recordings = copy_cells(tmp_path, GROK, CURSOR)
    parity("rerecord", "--recordings", recordings)
    report = json.loads(parity("check", "--json", "--recordings", recordings).out)
    counts = {
        f"{cell['provider']}/{cell['cell']}": Counts(
            events=cell["events"],
            rows=cell["rows"],
            unhandled=cell["unhandled"],
            grammar_drops=cell["grammarDrops"],
        )
        for cell in report["cells"]
    }
    repin(tmp_path / "row-counts.json", counts, (), counts, {})
    return recordings


def break_exit_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lane that lies: every exit code it reads becomes 0."""
    honest = base.integer
    monkeypatch.setattr(base, "integer", lambda value: None if honest(value) is None else 0)


def allow(project: Path, *entries: str) -> None:
    text = "pinned:\n" + "".join(entries) + "checkouts: []\ncounts: []\n"
    (project.parent / "allowlist.yaml").write_text(text, "utf-8")


def allowance(provider: str, layer: str, path: str, cell: str) -> str:
    return (
        f'  - issue: "#7"\n    reason: a lie on purpose\n    provider: {provider}\n'
        f"    cell: {cell}\n    layer: {layer}\n    path: {path}\n"
    )


def test_pinned_cells_pass_and_each_is_listed(project: Path) -> None:
    run = parity("check", "--strict", "--recordings", project)
    assert run.code == 0
    assert GROK in run.out
    assert CURSOR in run.out
    assert "2 cells: 2 passed" in run.out


def test_a_lying_lane_fails_naming_cell_row_and_path(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    break_exit_codes(monkeypatch)
    run = parity("check", "--recordings", project)
    assert run.code == 1
    assert f"{GROK}: bridge, events, rows failed" in run.out
    assert "call_basic_0_0" in run.out
    assert "/exitCode" in run.out
    assert "2 → 0" in run.out
    assert f"parity show {GROK}" in run.out


def test_matching_allowances_let_the_lie_pass_and_turn_stale_when_it_is_mended(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cell, provider = GROK.split("/")[1], "acp-grok"
    allow(
        project,
        allowance(provider, "bridge", "/*/params/delta/exitCode", cell),
        allowance(provider, "events", "/*/item/exitCode", cell),
        allowance(provider, "rows", "/*/children/*/exitCode", cell),
        allowance(provider, "rows", "/*/children/*/status", cell),
    )
    with monkeypatch.context() as lying:
        break_exit_codes(lying)
        run = parity("check", "-p", provider, "--recordings", project)
        assert run.code == 0, run.out
        assert "differences allowed" in run.out
    mended = parity("check", "-p", provider, "--recordings", project)
    assert mended.code == 1
    assert mended.out.count("stale allowance") >= 4


def test_an_allowance_for_one_path_masks_no_other(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(project, allowance("acp-grok", "rows", "/*/children/*/exitCode", GROK.split("/")[1]))
    break_exit_codes(monkeypatch)
    run = parity("check", "-p", "acp-grok", "--recordings", project)
    assert run.code == 1
    assert "/status" in run.out


def test_a_count_raised_by_hand_fails(project: Path) -> None:
    file = project.parent / "row-counts.json"
    counts = load_counts(file)
    raised = counts[GROK].events + 1
    file.write_text(
        file.read_text("utf-8").replace(f'"events": {counts[GROK].events}', f'"events": {raised}', 1), "utf-8"
    )
    run = parity("check", "--recordings", project)
    assert run.code == 1
    assert "counts" in run.out


def test_a_cell_without_pins_is_unpinned_and_fails_only_when_strict(tmp_path: Path) -> None:
    recordings = copy_cells(tmp_path, GROK)
    for pin in recordings.rglob("*.current.ndjson"):
        pin.unlink()
    loose = parity("check", "--recordings", recordings)
    assert (loose.code, "unpinned" in loose.out) == (0, True)
    told = " ".join(loose.out.split())
    assert "no streams or counts to hold against; rerecord -p PROVIDER -c CELL pins streams;" in told
    parity("rerecord", "--recordings", recordings)
    told = " ".join(parity("check", "--recordings", recordings).out.split())
    assert "unpinned: no counts to hold against; UPDATE_PARITY_ROW_COUNTS=1 pytest in a project" in told
    assert parity("check", "--strict", "--recordings", recordings).code == 1


def test_a_cell_outside_the_filter_is_not_opened(project: Path) -> None:
    (project / CURSOR / "manifest.json").write_text("{")
    run = parity("check", "-c", GROK, "--recordings", project)
    assert run.code == 0, run.err
    assert "1 cell: 1 passed" in run.out


def test_json_is_one_document_and_nothing_else(project: Path) -> None:
    run = parity("check", "--json", "--recordings", project)
    document = json.loads(run.out)
    assert document["passed"] is True
    assert {f"{c['provider']}/{c['cell']}" for c in document["cells"]} == {GROK, CURSOR}
    assert run.out.count("\n") == 1


def test_an_unconsumed_line_fails_the_cell_unless_the_manifest_ignores_its_method(project: Path) -> None:
    lane = project / GROK / "bridge→provider.ndjson"
    last = json.loads(lane.read_text("utf-8").splitlines()[-1])
    last["seq"] += 0.5
    last["line"] = '{"jsonrpc":"2.0","id":99,"method":"session/list","params":{}}'
    with lane.open("a", encoding="utf-8") as file:
        file.write(json.dumps(last) + "\n")
    run = parity("check", "-p", "acp-grok", "--recordings", project)
    assert run.code == 1
    assert "never consumed" in run.out
    assert "session/list" in run.out
    manifest = project / GROK / "manifest.json"
    document = json.loads(manifest.read_text("utf-8"))
    document["ignored"] = [{"method": "session/list", "direction": "bridge→provider", "why": "a test"}]
    manifest.write_text(json.dumps(document), "utf-8")
    assert parity("check", "-p", "acp-grok", "--recordings", project).code == 0


def test_an_answer_nothing_asked_for_is_a_stall(project: Path) -> None:
    lane = project / GROK / "provider→bridge.ndjson"
    last = json.loads(lane.read_text("utf-8").splitlines()[-1])
    last["seq"] += 0.5
    last["line"] = '{"jsonrpc":"2.0","id":99,"result":{}}'
    with lane.open("a", encoding="utf-8") as file:
        file.write(json.dumps(last) + "\n")
    run = parity("check", "-p", "acp-grok", "--recordings", project)
    assert run.code == 1
    assert "stall" in run.out


def test_a_lane_that_crashes_fails_its_cell_by_line_and_code_and_the_others_go_on(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(value: object) -> None:
        raise TypeError("a bug")

    monkeypatch.setattr(base, "raw_outcome", crash)
    for command in ("check", "rerecord"):
        run = parity(command, "--recordings", project)
        assert run.code == 1
        assert "crashed on provider→bridge 1:" in run.out
        assert "TypeError: a bug (test_check.py:" in run.out
        assert "Traceback" not in run.out + run.err
    run = parity("check", "--recordings", project)
    assert f"{CURSOR}: replay failed" in run.out
    assert f"{GROK}" in run.out
