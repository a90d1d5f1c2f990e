"""`parity compare`: what two checkouts say of the same recordings, and what is never a pass."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from parity_runs import ROOT, Run, copy_cells, parity
from side_trees import KNOWS_NONE, SAYS_SOMETHING, commit_all, git, tiny_tree

from parity.wire import BRIDGE_TO_PROVIDER, PROVIDER_TO_BRIDGE, open_cell

STOP = "acp-opencode/stop-interrupt"
QUESTION = "acp-grok/user-question"
PLAN = "acp-claude/plan-mode"
CELLS = (STOP, QUESTION, PLAN, "codex/turn-tools", "claude-code/turn-tools")

LIE = '''

_honest_close, _honest_item = close_of, item_of


def close_of(call, key, dialect, status, text, terminals):
    """Invents exit codes and drops output."""
    close = _honest_close(call, key, dialect, status, text, terminals)
    if call.item is not None and call.item["type"] == "command":
        close.exit_code = close.exit_code or 0
    close.aggregated_output = None
    return close


def item_of(call, dialect, cwd):
    """Drops what a tool was given and what it returned."""
    item = _honest_item(call, dialect, cwd)
    return {name: value for name, value in item.items() if name not in ("args", "result")}


OWNER._show = lambda self, call, text: None
OWNER._stream = lambda self, call, frame, ended: None
'''

CLASSES = {
    ("events", "item/exitCode", "removed"),
    ("events", "item/aggregatedOutput", "added"),
    ("events", "item/arguments", "added"),
    ("events", "item/result", "added"),
    ("events", "item/commandExecution/outputDelta", "added"),
    ("rows", "row/exitCode", "removed"),
    ("rows", "row/output", "added"),
    ("rows", "row/toolArgs", "added"),
    ("bridge", "delta/exitCode", "removed"),
    ("bridge", "delta/aggregatedOutput", "added"),
    ("bridge", "delta/item/args", "added"),
    ("bridge", "delta/item/result", "added"),
    ("bridge", "command.outputSnapshot", "added"),
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose main has a lane that lies and whose branch has today's; some cells beside it."""
    folder = tmp_path_factory.mktemp("project")
    copy_cells(folder, *CELLS)
    shutil.copytree(ROOT / "parity", folder / "parity", ignore=shutil.ignore_patterns("__pycache__"))
    files = (folder / "parity" / "lanes" / "acp").glob("*.py")
    lane, honest = next(
        (file, text) for file in files if "def _stream(self, call" in (text := file.read_text("utf-8"))
    )
    owner = re.findall(r"^class (\w+)", honest.partition("def _stream(self, call")[0], re.MULTILINE)[-1]
    lane.write_text(honest + LIE.replace("OWNER", owner), "utf-8")
    commit_all(folder)
    git(folder, "switch", "--quiet", "--create", "mended")
    lane.write_text(honest, "utf-8")
    commit_all(folder)
    return folder


@pytest.fixture(autouse=True)
def nothing_is_left(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """After each test no temporary folder is left."""
    folder = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield
    assert list(folder.iterdir()) == []


def compare(project: Path, monkeypatch: pytest.MonkeyPatch, *arguments: object) -> Run:
    monkeypatch.chdir(project)
    jobs = () if "--jobs" in arguments else ("--jobs", 1)
    run = parity("compare", *jobs, *arguments)
    if (project / ".git").exists():
        assert git(project, "worktree", "list").count("\n") == 1
    return run


def compared(project: Path, monkeypatch: pytest.MonkeyPatch, *arguments: object) -> dict[str, Any]:
    run = compare(project, monkeypatch, "--json", *arguments)
    assert run.out.count("\n") == 1, run.err
    document: dict[str, Any] = json.loads(run.out)
    assert document["passed"] is (run.code == 0)
    return document


def allow(project: Path, document: dict[str, Any], *more: tuple[str, ...]) -> None:
    """An allowance for each class of the document, and more of (provider, cell, layer, path)."""
    entries = [
        (cell["provider"], cell["cell"], group["layer"], group["path"])
        for cell in document["cells"]
        for group in cell["classes"]
    ]
    lines = [
        f'  - {{issue: "#7", reason: mended, provider: {provider}, cell: {cell}, layer: {layer},'
        f' path: "{path}", broad: true}}\n'
        for provider, cell, layer, path in dict.fromkeys([*entries, *more])
    ]
    (project / "allowlist.yaml").write_text("checkouts:\n" + "".join(lines), "utf-8")


def test_a_mended_lane_shows_each_class_of_what_it_mended_and_nothing_else(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = compared(repository, monkeypatch, "--old", "main")
    groups = [group for cell in document["cells"] for group in cell["classes"]]
    assert {(group["layer"], group["name"], group["change"]) for group in groups} == CLASSES
    verdicts = {cell["provider"]: cell["verdict"] for cell in document["cells"]}
    assert verdicts == {
        "acp-claude": "failed",
        "acp-grok": "failed",
        "acp-opencode": "failed",
        "claude-code": "passed",
        "codex": "passed",
    }
    assert document["providers"]["codex"] == {"passed": 1, "failed": 0, "skipped": 0}
    assert not any(cell["failures"] for cell in document["cells"])

    allow(repository, document)
    passed = compared(repository, monkeypatch, "--old", "main")
    assert (passed["passed"], passed["stale"]) == (True, [])
    assert sum(cell["masked"] for cell in passed["cells"]) == sum(group["count"] for group in groups)


def log_of(cell: Path, log: Path) -> Path:
    """What a client↔agent log of the cell would be."""
    sides = {BRIDGE_TO_PROVIDER: "client->agent", PROVIDER_TO_BRIDGE: "agent->client"}
    lines = [
        json.dumps({"ts": line.ts, "dir": sides[line.dir], "line": line.line})
        for line in open_cell(cell).lines()
        if line.dir in sides
    ]
    log.write_text("\n".join(lines), "utf-8")
    return log


def test_a_log_becomes_two_timelines_ready_to_paste(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = log_of(repository / "recordings" / STOP, tmp_path / "agent.log")
    run = compare(repository, monkeypatch, "--old", "main", "--log", log, "--provider", "acp-opencode")
    assert run.code == 1
    before, after = run.out.split("**After**")
    assert before.startswith("**Before**: main (")
    assert before.count("```") == after.count("```") == 2
    [lied] = [line for line in before.splitlines() if line.startswith("-")]
    assert "exit 0" in lied
    marked = [line for line in after.splitlines() if line.startswith("+")]
    assert "exit 0" not in marked[0]
    assert len(marked) > 1
    assert "events item/exitCode removed ×1" in run.err


# -- tiny checkouts ------------------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Two cells and a checkout that says something of each."""
    copy_cells(tmp_path / "project", "codex/plan", "acp-qwen/subagent")
    return tiny_tree(tmp_path / "project")


def test_equal_trees_pass(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny_tree(tmp_path / "other")
    run = compare(project, monkeypatch, "--old", "../other")
    assert (run.code, run.err) == (0, "")
    assert "2 cells: 2 passed" in run.out


def test_a_log_that_both_read_alike_has_no_marks(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = log_of(project / "recordings" / "codex" / "plan", project / "agent.log")
    run = compare(project, monkeypatch, "--old", ".", "--log", log, "--provider", "codex")
    assert (run.code, run.err) == (0, "")
    assert run.out.count("\n  ✓ warning") == 2
    assert not [line for line in run.out.splitlines() if line.startswith(("-", "+"))]


def test_each_class_is_printed_once_with_path_count_and_an_example(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = '{"type": "item/completed", "item": {"id": "item-%d", "type": "commandExecution", "exitCode": %d}}'
    bodies = [
        "".join(f"    sink.event(b'{item % (number, code)}')\n" for number in range(3)) for code in (0, 2)
    ]
    for body in bodies:
        tiny_tree(project, body, end="    outcome.events = 3\n")
        commit_all(project)
    run = compare(project, monkeypatch, "--old", "main~1", "--new", "main", "--jobs", 2)
    assert run.code == 1
    assert "old  main~1 (" in run.out
    assert "codex/plan: failed" in run.out
    assert run.out.count("events item/exitCode changed ×3  /*/item/exitCode\n") == 2
    assert run.out.count("/item/exitCode  changed  0 → 2\n") == 2
    assert "events item/exitCode changed ×6 in 2 cells" in run.out
    assert "2 cells: 2 failed" in run.out


def test_one_allowance_too_many_is_stale_and_fails(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny_tree(tmp_path / "other", SAYS_SOMETHING.replace('"m"', '"another"'))
    document = compared(project, monkeypatch, "--old", "../other")
    assert [cell["classes"][0]["path"] for cell in document["cells"]] == ["/*/message"] * 2
    allow(project, document, ("codex", "plan", "rows", "/*/exitCode"))
    run = compare(project, monkeypatch, "--old", "../other")
    assert run.code == 1
    assert "allowlist.yaml:4: #7 mended: it masks nothing any more; remove it" in run.out
    assert "2 cells: 2 passed, 1 stale allowance, 2 differences allowed" in run.out
    elsewhere = compare(project, monkeypatch, "--old", "../other", "--provider", "acp-qwen")
    assert (elsewhere.code, "stale" in elsewhere.out) == (0, False)


def test_a_cell_whose_side_failed_makes_no_allowance_stale(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny_tree(tmp_path / "other", "    raise ValueError\n")
    allow(project, {"cells": []}, ("codex", "plan", "rows", "/*/exitCode"))
    assert compared(project, monkeypatch, "--old", "../other")["stale"] == []


def test_a_crash_of_either_side_fails_with_side_reason_and_stderr(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = "    if cell == 'plan':\n        print('out of luck', flush=True); os._exit(7)\n"
    tiny_tree(tmp_path / "other", body + SAYS_SOMETHING)
    for role, arguments in {"old": ["--old", "../other"], "new": ["--old", ".", "--new", "../other"]}.items():
        run = compare(project, monkeypatch, *arguments)
        assert run.code == 1
        assert f"codex/plan: failed\n  {role}: crashed: exit code 7\n      out of luck" in run.out
        assert "2 cells: 1 passed, 1 failed" in run.out


def test_both_sides_failing_alike_is_a_failure(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny_tree(project, "    pass\n")
    document = compared(project, monkeypatch, "--old", ".")
    assert [cell["verdict"] for cell in document["cells"]] == ["failed", "failed"]
    assert document["cells"][0]["failures"][0].startswith("old: came back empty")


def test_a_hang_fails_with_its_reason(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny_tree(tmp_path / "other", "    while True: time.sleep(1)\n")
    run = compare(project, monkeypatch, "--old", "../other", "--timeout", "0.3", "--cell", "plan")
    assert run.code == 1
    assert "old: timed out: it said nothing for 0.3 s" in run.out


def test_a_stall_on_one_side_is_a_failure(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny_tree(
        tmp_path / "other", end="    outcome.stalls = ['no answer']\n    outcome.unconsumed = ['a line']\n"
    )
    run = compare(project, monkeypatch, "--old", "../other")
    assert run.code == 1
    assert "old: stall: no answer" in run.out
    assert "old: never consumed: a line" in run.out


def test_a_side_that_cannot_run_is_said_once(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny_tree(tmp_path / "other", top="import no_such_dependency\n")
    run = compare(project, monkeypatch, "--old", "../other")
    assert run.code == 1
    assert run.out.count("No module named 'no_such_dependency'") == 1
    assert "so 2 cells failed" in run.out


def test_an_interpreter_of_its_own_may_be_named(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny_tree(tmp_path / "other")
    no_python = compare(project, monkeypatch, "--old", "../other", "--old-python", "/bin/false")
    assert no_python.code == 1
    assert "old  ../other with /bin/false" in no_python.out
    assert "old: cannot run: crashed: exit code 1" in no_python.out
    none = compare(project, monkeypatch, "--old", "../other", "--new-python", "/no/such/python")
    assert (none.code, none.out) == (2, "")
    assert "'/no/such/python' is no program" in none.err


def test_a_provider_unknown_to_both_is_skipped_and_to_one_a_failure(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_codex = (
        "def bridge_for(provider, command=None):\n    if provider == 'codex': raise KeyError(provider)\n"
    )
    tiny_tree(tmp_path / "other", bridges=no_codex)
    one = compare(project, monkeypatch, "--old", "../other")
    assert one.code == 1
    assert "old: no bridge family serves 'codex', and the other side has one" in one.out
    tiny_tree(project, bridges=no_codex)
    both = compare(project, monkeypatch, "--old", "../other")
    assert both.code == 0
    assert "1 cell skipped: no bridge family serves 'codex' on either side" in both.out
    assert "2 cells: 1 passed, 1 skipped" in both.out


def test_a_comparison_of_nothing_is_no_pass(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in (project, tmp_path / "other"):
        tiny_tree(folder, bridges=KNOWS_NONE)
    run = compare(project, monkeypatch, "--old", "../other")
    assert run.code == 1
    assert "nothing was compared" in run.out


def test_drops_of_the_grammar_are_a_layer(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny_tree(tmp_path / "other", end="    outcome.drops = {'turn/known:item/started': 2}\n")
    run = compare(project, monkeypatch, "--old", "../other", "--cell", "plan")
    assert run.code == 1
    assert "grammar dropped turn/known:item/started removed ×1" in run.out


def test_full_shows_every_difference_of_a_class(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = SAYS_SOMETHING + '    for n in range(3): sink.event(b\'{"type": "turn/started"}\')\n'
    tiny_tree(tmp_path / "other", body, end="    outcome.events = 4\n")
    arguments = ("--old", "../other", "--cell", "plan")
    short = compare(project, monkeypatch, *arguments)
    assert "events turn/started removed ×3  /*\n" in short.out
    assert short.out.count("removed  {") == 1
    assert compare(project, monkeypatch, *arguments, "--full").out.count("removed  {") == 3


def test_a_dump_has_the_normalised_streams_of_both_sides(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "dump"
    assert compare(project, monkeypatch, "--old", ".", "--dump", folder).code == 0
    for role in ("old", "new"):
        place = folder / role / "codex" / "plan"
        names = {file.name for file in place.iterdir()}
        assert names == {f"{layer}.ndjson" for layer in ("bridge", "provider", "events", "rows", "grammar")}
        assert json.loads((place / "events.ndjson").read_text("utf-8"))["type"] == "provider/warning"
    again = compare(project, monkeypatch, "--old", ".", "--dump", folder)
    assert again.code == 2
    assert "not empty" in again.err


def test_a_report_shows_both_timelines_what_differs_and_what_is_allowed(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = SAYS_SOMETHING.replace('"m"', '"another"').replace('"t"', '"before"')
    tiny_tree(tmp_path / "other", body)
    entry = '{issue: "#7", reason: said anew, provider: "*", layer: events, path: /*/message}'
    (project / "allowlist.yaml").write_text(f"checkouts:\n  - {entry}\n", "utf-8")
    run = compare(project, monkeypatch, "--old", "../other", "--html", "report")
    assert run.code == 1
    assert "report: report/index.html" in run.out
    index = (project / "report" / "index.html").read_text("utf-8")
    page = (project / "report" / "cells" / "codex--plan.html").read_text("utf-8")
    assert "parity compare --old ../other --html" in index
    assert "#7" in index
    assert "<span>../other</span><span>this checkout as it is</span>" in page
    assert 'class="pair is-changed' in page
    assert '<code>title</code> <del><span class="vh">was </span>&#34;before&#34;</del>' in page
    assert "<b>provider/warning</b> <code>/0/message</code>" in page


def test_the_report_of_a_side_that_failed_has_the_other_timeline_alone(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny_tree(tmp_path / "other", "    raise ValueError('bad')\n")
    assert compare(project, monkeypatch, "--old", "../other", "-c", "plan", "--html", "report").code == 1
    page = (project / "report" / "cells" / "codex--plan.html").read_text("utf-8")
    assert "old: its replay failed: ValueError: bad" in page
    assert 'class="timeline one"' in page


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (
            ["--old", "no-such-ref"],
            "--old: 'no-such-ref' is no directory, and git says: not a git repository",
        ),
        (["--old", ".", "--new", "./recordings"], "--new: './recordings' holds no parity package"),
        (["--old", ".", "--provider", "codx"], "no provider named 'codx'"),
        (["--old", ".", "--jobs", "0"], "--jobs"),
        (["--old", ".", "--timeout", "0"], "--timeout"),
        (["--old", ".", "--log", "x"], "add --provider"),
        (["--old", ".", "--log", "x", "-p", "codex"], "x: does not exist"),
        (["--old", ".", "--log", "x", "-p", "codex", "-c", "plan"], "a log is no cell"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(
    project: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], why: str
) -> None:
    run = compare(project, monkeypatch, *arguments)
    assert (run.code, run.out) == (2, "")
    assert why in run.err
    assert run.err.count("\n") == 1


def test_outside_any_checkout_new_must_be_named(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = compare(tmp_path, monkeypatch, "--old", "./project", "--recordings", "project/recordings")
    assert run.code == 2
    assert "name one with --new" in run.err
