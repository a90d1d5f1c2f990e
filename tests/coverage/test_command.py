"""`parity coverage`, and the gate in `parity check`, the report and pytest."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import html5lib
import pytest
from parity_runs import copy_cells, parity

from parity.coverage.model import Entry
from parity.lanes.claude_code.reader import OPAQUE_BLOCKS
from parity.report.coverage import write_coverage

pytest_plugins = ["pytester"]

GROK, CODEX = "acp-grok/web-fetch", "codex/plan"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of two cells whose coverage is pinned; returns its recordings."""
    recordings = copy_cells(tmp_path, GROK, CODEX)
    assert parity("coverage", "--recordings", recordings, "--pin").code == 0
    return recordings


def edit(recordings: Path, category: str, name: str, **values: Any) -> None:
    """Change what is pinned of an ACP name."""
    path = recordings.parent / "coverage.json"
    document = json.loads(path.read_text("utf-8"))
    document["acp-v1"][category][name].update(values)
    path.write_text(json.dumps(document), "utf-8")


def entries(*arguments: object) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(parity("coverage", *arguments, "--json").out)["entries"]
    return found


def test_the_table_has_each_protocol_its_categories_and_a_summary(project: Path) -> None:
    run = parity("coverage", "--recordings", project)
    assert run.code == 0
    for word in ("ACP 1", "session update", "agent_message_chunk", GROK, "codex app-server", "handled"):
        assert word in run.out
    assert "Claude Code stream-json: " in run.out


def test_json_names_every_cell_and_every_effect(project: Path) -> None:
    found, draft = [one for one in entries("--recordings", project) if one["name"] == "fetch"]
    assert (found["protocol"], found["category"], found["verdict"]) == ("acp-v1", "tool kind", "handled")
    assert (draft["protocol"], draft["cells"]) == ("acp-v2", [])
    assert (found["cells"], found["becomes"]) == ([GROK], ["item.open webFetch"])


def test_only_what_is_unhandled_or_only_what_is_missing_is_shown(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(OPAQUE_BLOCKS, "tool_addition")
    unhandled = entries("--recordings", project, "--unhandled")
    assert [(one["name"], one["verdict"]) for one in unhandled] == [("tool_addition", "unhandled")]
    missing = entries("--recordings", project, "--missing")
    assert [one for one in missing if one["cells"]] == []
    assert "current_mode_update" in {one["name"] for one in missing}


def test_a_provider_has_the_protocols_of_its_family_and_is_not_gated(project: Path) -> None:
    edit(project, "tool kind", "fetch", cells=9)
    found = entries("--recordings", project, "--provider", "codex")
    assert {one["protocol"] for one in found} == {"codex"}
    assert parity("coverage", "--recordings", project, "--provider", "acp-grok", "--json").code == 0


def test_what_fell_is_named_and_fails(project: Path) -> None:
    edit(project, "tool kind", "fetch", cells=2)
    run = parity("coverage", "--recordings", project, "--unhandled")
    assert run.code == 1
    assert "fell: acp-v1 · tool kind · fetch: handled in 2 cells → handled in 1 cell" in run.out


def test_what_rose_is_named_and_passes(project: Path) -> None:
    edit(project, "tool kind", "fetch", cells=0)
    run = parity("coverage", "--recordings", project, "--unhandled")
    assert run.code == 0
    assert "moved: acp-v1 · tool kind · fetch: handled in 0 cells → handled in 1 cell" in run.out


def test_a_re_pin_lists_only_what_moved(project: Path) -> None:
    edit(project, "tool kind", "fetch", cells=0)
    run = parity("coverage", "--recordings", project, "--pin")
    assert run.out.splitlines() == ["acp-v1 · tool kind · fetch: handled in 0 cells → handled in 1 cell"]
    assert "re-pinned nothing" in parity("coverage", "--recordings", project, "--pin").out


def test_a_re_pin_is_refused_for_one_provider_and_under_ci(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (project.parent / "coverage.json").read_bytes()
    edited = parity("coverage", "--recordings", project, "--pin", "--provider", "codex")
    assert (edited.code, edited.err.count("\n")) == (2, 1)
    monkeypatch.setenv("CI", "true")
    refused = parity("coverage", "--recordings", project, "--pin")
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert (project.parent / "coverage.json").read_bytes() == before


# -- the gate --------------------------------------------------------------------------------------------


def test_a_check_of_all_cells_fails_where_coverage_fell(project: Path) -> None:
    assert parity("check", "--recordings", project).code == 0
    shutil.rmtree(project / GROK)
    run = parity("check", "--recordings", project)
    assert run.code == 1
    assert "coverage fell: acp-v1 · tool kind · fetch: handled in 1 cell → handled in 0 cells" in run.out
    told = json.loads(parity("check", "--recordings", project, "--json").out)
    assert not told["passed"]
    assert any(move["fell"] for move in told["coverage"])


def test_a_filtered_check_and_a_project_without_the_file_are_not_gated(project: Path) -> None:
    edit(project, "tool kind", "fetch", cells=9)
    assert parity("check", "--recordings", project, "--provider", "acp-grok").code == 0
    (project.parent / "coverage.json").unlink()
    assert parity("check", "--recordings", project).code == 0


def test_the_report_has_a_page_of_the_coverage(project: Path, tmp_path: Path) -> None:
    folder = tmp_path / "report"
    assert parity("check", "--recordings", project, "--html", folder).code == 0
    assert 'href="coverage.html"' in (folder / "index.html").read_text("utf-8")
    page = (folder / "coverage.html").read_text("utf-8")
    html5lib.HTMLParser(strict=True).parse(page)
    assert "<code>agent_message_chunk</code>" in page
    filtered = tmp_path / "filtered"
    assert parity("check", "--recordings", project, "--provider", "codex", "--html", filtered).code == 0
    assert "coverage.html" not in (filtered / "index.html").read_text("utf-8")


def test_the_page_is_inert_whatever_an_agent_calls_its_messages(tmp_path: Path) -> None:
    hostile = "</code><script>alert(1)</script>"
    entry = Entry(protocol="acp-v1", category=hostile, name=hostile, verdict="unhandled", cells=[hostile])
    page = write_coverage(tmp_path, {hostile: [entry]}).read_text("utf-8")
    assert hostile not in page
    html5lib.HTMLParser(strict=True).parse(page)


def test_pytest_has_a_test_of_it(pytester: pytest.Pytester) -> None:
    recordings = copy_cells(pytester.path, GROK)
    (pytester.path / "pyproject.toml").write_text("[tool.parity]\n")
    assert parity("coverage", "--recordings", recordings, "--pin").code == 0
    pytester.runpytest_inprocess("coverage.json").assert_outcomes(passed=1)
    edit(recordings, "tool kind", "fetch", cells=2)
    result = pytester.runpytest_inprocess("coverage.json")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*fetch: handled in 2 cells → handled in 1 cell*"])


def test_a_provider_of_no_known_protocol_is_one_line(tmp_path: Path) -> None:
    recordings = copy_cells(tmp_path, CODEX)
    (recordings / "codex").rename(recordings / "mine")
    run = parity("coverage", "--recordings", recordings, "--provider", "mine")
    assert (run.code, run.err.count("\n")) == (2, 1)
