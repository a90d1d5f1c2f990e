"""`parity allow`: entries for what fails, checked afterwards; pruning, explaining; no wildcard unasked."""

from __future__ import annotations

import io
import json
import shutil
import sys
from pathlib import Path

import pytest
from parity_runs import ROOT, Run, copy_cells, parity, snapshot
from side_trees import SAYS_SOMETHING, tiny_tree

from parity.gates.allowlist import Allowlist

CELLS = ("acp-grok/turn-tools", "acp-grok/turn-tools-no-terminal", "acp-grok/background")
WHY = ("--issue", "#12", "--reason", "codes come from rawOutput")


class Terminal(io.StringIO):
    """A standard input at which somebody types."""

    def isatty(self) -> bool:
        return True


class Project:
    """Some cells, their counts and an empty allowlist."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.recordings = copy_cells(folder, *CELLS)
        self.allowlist = folder / "allowlist.yaml"
        shutil.copy(ROOT / "allowlist.yaml", self.allowlist)
        counts = json.loads((ROOT / "row-counts.json").read_text("utf-8"))
        self.counts = folder / "row-counts.json"
        self.counts.write_text(json.dumps({cell: counts[cell] for cell in CELLS}, indent=2), "utf-8")

    def run(self, *arguments: str) -> Run:
        return parity(*arguments, "--recordings", self.recordings)

    def pin(self, cell: str, name: str) -> Path:
        return self.recordings / cell / f"{name}.current.ndjson"

    def spoil_codes(self) -> None:
        """The pins of two cells say another exit code than today's replay."""
        for cell in CELLS[:2]:
            for name in ("rows", "runtime"):
                pin = self.pin(cell, name)
                pin.write_text(pin.read_text("utf-8").replace('"exitCode":2', '"exitCode":0'), "utf-8")

    def drop_a_row(self) -> None:
        """A pin lacks a whole row."""
        pin = self.pin(CELLS[2], "rows")
        pin.write_bytes(b"".join(pin.read_bytes().splitlines(keepends=True)[:-1]))

    def lower_count(self) -> None:
        """A pinned guarded count is lower than today's."""
        self.counts.write_text(
            self.counts.read_text("utf-8").replace('"unhandled": 1', '"unhandled": 0'), "utf-8"
        )

    def entries(self) -> list[str]:
        """The paths (or counts) of all entries."""
        return [str(one.path or one.count) for one in Allowlist.load(self.allowlist).allowances]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


# -- adding ----------------------------------------------------------------------------------------------


def test_what_fails_is_allowed_narrowly_and_the_check_passes_then(project: Project) -> None:
    project.spoil_codes()
    assert project.run("check").code == 1
    run = project.run("allow", *WHY)
    assert run.code == 0, run.out
    assert "2 entries added to allowlist.yaml" in run.out
    assert "checked again: 2 cells passed" in run.out
    assert project.entries() == ["/*/item/exitCode", "/*/children/*/exitCode"]
    assert "cell: [turn-tools, turn-tools-no-terminal]" in project.allowlist.read_text("utf-8")
    assert project.run("check").code == 0


def test_comments_and_order_survive(project: Project) -> None:
    project.spoil_codes()
    before = project.allowlist.read_text("utf-8")
    project.run("allow", *WHY)
    after = project.allowlist.read_text("utf-8")
    head, tail = before.split("pinned: []")
    comment, rest = tail.split("\n", 1)
    assert after.startswith(f"{head}pinned:   {comment}\n  - issue")
    assert after.endswith(rest)


def test_nothing_failing_says_so_and_writes_nothing(project: Project) -> None:
    before = snapshot(project.folder)
    run = project.run("allow", *WHY)
    assert (run.code, "nothing fails" in run.out) == (0, True)
    assert snapshot(project.folder) == before


def test_a_dry_run_shows_the_entries_and_writes_nothing(project: Project) -> None:
    project.spoil_codes()
    before = snapshot(project.folder)
    run = project.run("allow", *WHY, "--dry-run")
    assert (run.code, "2 entries proposed" in run.out) == (0, True)
    assert snapshot(project.folder) == before


def test_a_filtered_run_allows_only_its_cells(project: Project) -> None:
    project.spoil_codes()
    assert project.run("allow", *WHY, "-c", "turn-tools").code == 0
    assert {one.cells for one in Allowlist.load(project.allowlist).allowances} == {frozenset(["turn-tools"])}
    assert project.run("check").code == 1


def test_a_whole_row_is_never_allowed_unasked(project: Project) -> None:
    project.spoil_codes()
    project.drop_a_row()
    before = snapshot(project.folder)
    run = project.run("allow", *WHY)
    assert run.code == 1
    assert "only a broad entry would accept it; nothing was written" in run.out
    assert snapshot(project.folder) == before


def test_a_whole_row_is_allowed_with_broad(project: Project) -> None:
    project.drop_a_row()
    run = project.run("allow", *WHY, "--broad")
    assert run.code == 0, run.out
    assert "broad: true" in project.allowlist.read_text("utf-8")
    assert project.run("check").code == 0


def test_a_guarded_count_that_rose_is_allowed_up_to_its_value(project: Project) -> None:
    project.lower_count()
    assert project.run("allow", *WHY).code == 0
    assert "count: unhandled\n    max: 1\n" in project.allowlist.read_text("utf-8")
    assert project.run("check").code == 0


def test_one_section_leaves_the_rest_and_says_so(project: Project) -> None:
    project.lower_count()
    run = project.run("allow", *WHY, "--section", "pinned")
    assert (run.code, project.entries()) == (1, [])
    assert "no allowance accepts this: acp-grok/background: unhandled 0 → 1" in run.out


def test_what_no_allowance_accepts_is_named(project: Project) -> None:
    project.spoil_codes()
    project.counts.write_text(project.counts.read_text("utf-8").replace('"rows": ', '"rows": 1'), "utf-8")
    run = project.run("allow", *WHY)
    assert run.code == 1
    assert "no allowance accepts this: acp-grok/turn-tools: counts: rows" in run.out
    assert "still failing: acp-grok/background, acp-grok/turn-tools" in run.out


def test_json_is_one_document(project: Project) -> None:
    project.spoil_codes()
    document = json.loads(project.run("allow", *WHY, "--json").out)
    assert (document["passed"], document["written"], document["failing"]) == (True, True, [])
    assert document["entries"][0]["path"] == "/*/item/exitCode"


# -- issue and reason ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["--reason", "x"], "--issue: missing"),
        (["--issue", "#1"], "--reason: missing"),
        (["--issue", "12", "--reason", "x"], "'12' is no issue"),
        (["--issue", "#1", "--reason", " "], "--reason: empty"),
        ([*WHY, "--section", "rows"], "no section 'rows'"),
        ([*WHY, "--section", "checkouts"], "with --old REF"),
        ([*WHY, "--section", "counts", "--old", "."], "--old is for checkouts"),
        ([*WHY, "--new", "."], "--old: missing"),
        ([*WHY, "3"], "without --explain"),
        (["--prune", "--explain"], "not together"),
        (["--prune", "--broad"], "for adding entries"),
        (["--prune", "-c", "background"], "a filtered run cannot tell"),
        (["--explain", "7"], "there is no entry 7 of 0"),
        (["--explain", "x"], "names no entry"),
    ],
)
def test_a_mistake_is_one_line(project: Project, arguments: list[str], what: str) -> None:
    before = snapshot(project.folder)
    run = project.run("allow", *arguments)
    assert (run.code, run.err.count("\n")) == (2, 1)
    assert what in run.err
    assert snapshot(project.folder) == before


def test_at_a_terminal_issue_and_reason_are_asked_for(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.spoil_codes()
    monkeypatch.setattr(sys, "stdin", Terminal("#77\ntyped in\n"))
    run = project.run("allow", "--json")
    assert json.loads(run.out)["entries"][0]["issue"] == "#77"
    assert "reason: typed in" in project.allowlist.read_text("utf-8")


# -- pruning ---------------------------------------------------------------------------------------------


def use_none(project: Project) -> str:
    """Two entries that are stale and one that is not, with comments; returns the text without the stale."""
    project.spoil_codes()
    project.run("allow", *WHY, "-c", "turn-tools")
    for name in ("rows", "runtime"):
        shutil.copy(ROOT / "recordings" / CELLS[0] / f"{name}.current.ndjson", project.recordings / CELLS[0])
    project.run("allow", "--issue", "#13", "--reason", "kept")
    text = project.allowlist.read_text("utf-8")
    kept = "".join(
        line
        for block in text.split("  - issue")
        for line in [block if '"#12"' not in block else ""]
        for line in [f"  - issue{line}" if '"#13"' in line else line]
    )
    project.allowlist.write_text(text.replace('  - issue: "#12"', '  # about 12\n  - issue: "#12"'), "utf-8")
    return kept


def test_stale_entries_go_with_their_comments_and_nothing_else_changes(project: Project) -> None:
    kept = use_none(project)
    run = project.run("allow", "--prune")
    assert (run.code, run.out.count("removed: ")) == (0, 2)
    assert project.allowlist.read_text("utf-8") == kept
    assert project.run("check").code == 0


def test_a_dry_prune_names_them_and_writes_nothing(project: Project) -> None:
    use_none(project)
    before = snapshot(project.folder)
    run = project.run("allow", "--prune", "--dry-run")
    assert run.out.count("stale: ") == 2
    assert snapshot(project.folder) == before


def test_entries_that_cannot_be_judged_are_kept(project: Project) -> None:
    entry = {"issue": "#1", "reason": "r", "provider": "acp-grok", "layer": "rows", "path": "/*/title"}
    allowlist = Allowlist.load(project.allowlist)
    allowlist.add("checkouts", entry)
    allowlist.add("pinned", {**entry, "cell": "background"})
    allowlist.save()
    project.pin(CELLS[2], "rows").unlink()
    run = project.run("allow", "--prune")
    assert "no entry is stale" in run.out
    assert "not judged (needs two checkouts, see --old)" in run.out
    assert "not judged (a cell of it does not replay" in run.out
    assert len(project.entries()) == 2


# -- explaining ------------------------------------------------------------------------------------------


def test_each_entry_shows_what_it_masks(project: Project) -> None:
    project.spoil_codes()
    project.run("allow", *WHY)
    before = snapshot(project.folder)
    run = project.run("allow", "--explain")
    assert run.code == 0
    assert run.out.count("masks 2 differences") == 2
    assert "/0/children/1/exitCode  changed  0 → 2" in run.out
    assert snapshot(project.folder) == before


def test_a_count_shows_its_rise(project: Project) -> None:
    project.lower_count()
    project.run("allow", *WHY)
    assert "acp-grok/background: unhandled  0 → 1" in project.run("allow", "--explain").out


@pytest.mark.parametrize("which", ["2", ":14", "allowlist.yaml:12"])
def test_one_entry_is_named_by_number_or_line(project: Project, which: str) -> None:
    project.spoil_codes()
    project.run("allow", *WHY)
    document = json.loads(project.run("allow", "--explain", which, "--json").out)
    (entry,) = document["entries"]
    assert (entry["number"], entry["masked"], entry["stale"]) == (2, 2, False)


def test_a_stale_entry_is_said_to_be_and_fails(project: Project) -> None:
    use_none(project)
    run = project.run("allow", "--explain")
    assert (run.code, run.out.count(": stale")) == (1, 2)


def test_a_filtered_run_judges_only_what_it_ran(project: Project) -> None:
    use_none(project)
    run = project.run("allow", "--explain", "-c", "background")
    assert (run.code, run.out.count(": not judged")) == (0, 4)


# -- two checkouts ---------------------------------------------------------------------------------------


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tiny checkout with two cells, and another beside it that says something else."""
    folder = tmp_path / "project"
    copy_cells(folder, "codex/plan", "codex/resume")
    tiny_tree(folder)
    tiny_tree(tmp_path / "other", SAYS_SOMETHING.replace('"m"', '"another"'))
    (folder / "allowlist.yaml").write_text("# why\npinned: []\ncheckouts: []  # of a branch\n", "utf-8")
    monkeypatch.chdir(folder)
    return folder


def test_what_differs_between_two_checkouts_is_allowed_narrowly(checkout: Path) -> None:
    assert parity("compare", "--old", "../other").code == 1
    run = parity("allow", "--old", "../other", *WHY)
    assert run.code == 0, run.out
    assert "1 entry added to allowlist.yaml" in run.out
    assert "checked again: 2 cells passed" in run.out
    (entry,) = Allowlist.load(checkout / "allowlist.yaml").section("checkouts")
    assert (entry.path, entry.old, entry.new) == ("/*/message", "another", "m")
    assert entry.cells == {"plan", "resume"}
    text = (checkout / "allowlist.yaml").read_text("utf-8")
    assert "# why" in text
    assert "# of a branch" in text
    assert parity("compare", "--old", "../other").code == 0
    assert "nothing fails, nothing to allow" in parity("allow", "--old", "../other", *WHY).out


def test_entries_for_checkouts_are_explained_and_pruned_with_old(checkout: Path) -> None:
    parity("allow", "--old", "../other", *WHY)
    assert parity("allow", "--explain").out.startswith("1. checkouts")
    explained = json.loads(parity("allow", "--explain", "--old", "../other", "--json").out)["entries"]
    assert [(one["masked"], one["stale"]) for one in explained] == [(2, False)]
    assert "no entry is stale" in parity("allow", "--prune", "--old", "../other").out
    assert "removed: " in parity("allow", "--prune", "--old", ".").out
    assert Allowlist.load(checkout / "allowlist.yaml").allowances == []


def test_a_side_that_fails_is_left_and_nothing_is_written(checkout: Path, tmp_path: Path) -> None:
    tiny_tree(tmp_path / "other", "    raise ValueError('bad')\n")
    before = snapshot(checkout)
    run = parity("allow", "--old", "../other", *WHY)
    assert run.code == 1
    assert "no allowance accepts this: codex/plan: old: its replay failed: ValueError: bad" in run.out
    assert snapshot(checkout) == before
