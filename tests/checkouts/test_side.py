"""A side: every way its process can fail is a failure with its reason, and the other cells go on."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest
from parity_runs import copy_cells
from side_trees import KNOWS_NONE, SAYS_SOMETHING, tiny_tree

from parity.checkouts.side import Replayed, Side, SideRun
from parity.wire import Cell, find_cells

CELLS = ("codex/plan", "codex/resume", "codex/turn-tools", "codex/web-search")


@pytest.fixture
def cells(tmp_path: Path) -> list[Cell]:
    return find_cells(copy_cells(tmp_path / "project", *CELLS))


def run(
    tree: Path, cells: list[Cell], *, timeout: float = 20, python: str = sys.executable
) -> dict[str, Replayed]:
    results: dict[str, Replayed] = {}
    side = Side(tree, python)
    work = SideRun(
        side, cells, tree / "cache", timeout, lambda cell, result: results.update({cell.name: result})
    )
    asyncio.run(work.run(1))
    assert results.keys() == {cell.name for cell in cells}
    return results


def failure(tree: Path, cells: list[Cell], **options: float) -> str:
    """Why the first cell failed."""
    return str(run(tree, cells[:1], **options)["plan"].failure)


def test_a_side_tells_its_streams_and_its_outcome(tmp_path: Path, cells: list[Cell]) -> None:
    results = run(tiny_tree(tmp_path), cells)
    assert all(result.failure is None for result in results.values())
    assert results["plan"].streams["events"] == [b'{"type": "provider/warning", "message": "m"}']
    assert results["plan"].streams["provider"] == []
    assert results["plan"].outcome is not None


def test_what_a_lane_prints_is_no_record(tmp_path: Path, cells: list[Cell]) -> None:
    body = SAYS_SOMETHING + "    print('debugging'); os.write(1, b'more of it\\n')\n"
    assert run(tiny_tree(tmp_path, body), cells[:1])["plan"].failure is None


def test_an_exception_fails_its_cell_and_names_the_place(tmp_path: Path, cells: list[Cell]) -> None:
    body = f"    if cell == 'plan': raise ValueError('a bad\\nlane')\n{SAYS_SOMETHING}"
    results = run(tiny_tree(tmp_path, body), cells)
    assert str(results["plan"].failure).startswith("its replay failed: ValueError: a bad lane (")
    assert "replay.py:" in str(results["plan"].failure)
    assert [name for name, result in results.items() if result.failure is not None] == ["plan"]


def test_a_lane_that_exits_fails_its_cell(tmp_path: Path, cells: list[Cell]) -> None:
    assert "SystemExit: 0" in failure(tiny_tree(tmp_path, "    sys.exit(0)\n"), cells)


def test_a_crash_fails_its_cell_with_the_tail_of_standard_error(tmp_path: Path, cells: list[Cell]) -> None:
    body = "    if cell == 'plan':\n        print('first\\nlast words'); sys.stdout.flush(); os._exit(3)\n"
    results = run(tiny_tree(tmp_path, body + SAYS_SOMETHING), cells)
    assert results["plan"].failure == "crashed: exit code 3\nfirst\nlast words"
    assert [name for name, result in results.items() if result.failure is not None] == ["plan"]


def test_a_killed_process_fails_its_cell_with_the_signal(tmp_path: Path, cells: list[Cell]) -> None:
    body = "    os.kill(os.getpid(), signal.SIGSEGV)\n"
    assert failure(tiny_tree(tmp_path, body), cells).startswith("crashed: killed by SIGSEGV")


def test_a_process_that_ends_well_without_a_result_is_a_failure(tmp_path: Path, cells: list[Cell]) -> None:
    assert failure(tiny_tree(tmp_path, "    os._exit(0)\n"), cells) == "ended without a result"


def test_a_hang_fails_its_cell_and_three_hangs_the_side(tmp_path: Path, cells: list[Cell]) -> None:
    results = run(tiny_tree(tmp_path, "    while True: time.sleep(1)\n"), cells, timeout=0.3)
    assert [str(results[cell.name].failure) for cell in cells] == [
        *["timed out: it said nothing for 0.3 s"] * 3,
        "given up after 3 cells timed out",
    ]
    assert [results[cell.name].given_up for cell in cells] == [False, False, False, True]


def test_a_side_that_says_nothing_is_a_failure(tmp_path: Path, cells: list[Cell]) -> None:
    assert "came back empty" in failure(tiny_tree(tmp_path, "    pass\n"), cells)


def test_a_side_that_replayed_no_line_is_a_failure(tmp_path: Path, cells: list[Cell]) -> None:
    assert "came back empty" in failure(tiny_tree(tmp_path, end="    outcome.lines = 0\n"), cells)


def test_events_that_got_lost_are_a_failure(tmp_path: Path, cells: list[Cell]) -> None:
    tree = tiny_tree(tmp_path, end="    outcome.events = 3\n")
    assert failure(tree, cells) == "counted 3 events and said 1"


def test_an_outcome_of_another_form_is_a_failure(tmp_path: Path, cells: list[Cell]) -> None:
    tree = tiny_tree(tmp_path, end="    outcome.stalls = 7\n")
    assert failure(tree, cells).startswith("its outcome cannot be read")


def test_a_side_that_says_more_than_any_replay_could_is_stopped(
    tmp_path: Path, cells: list[Cell], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parity.checkouts.side._LEAST_BYTES", 1 << 20)
    monkeypatch.setattr("parity.checkouts.side._TIMES_RECORDED", 1)
    body = "    while True: sink.event(b'{}' * 1000)\n"
    assert failure(tiny_tree(tmp_path, body), cells) == "says more than any replay of the cell could"


def test_a_provider_the_side_has_no_bridge_for_is_unknown_and_no_failure(
    tmp_path: Path, cells: list[Cell]
) -> None:
    result = run(tiny_tree(tmp_path, bridges=KNOWS_NONE), cells[:1])["plan"]
    assert (result.unknown, result.failure) == ("no bridge family serves 'codex'", None)


def test_a_key_error_inside_a_bridge_is_a_failure(tmp_path: Path, cells: list[Cell]) -> None:
    bridges = "def bridge_for(provider, command=None):\n    raise KeyError('threadId')\n"
    assert "KeyError: 'threadId'" in failure(tiny_tree(tmp_path, bridges=bridges), cells)


def test_code_that_cannot_be_imported_fails_every_cell_once(tmp_path: Path, cells: list[Cell]) -> None:
    results = run(tiny_tree(tmp_path, top="import no_such_dependency\n"), cells)
    assert {str(result.failure).split(" (")[0] for result in results.values()} == {
        "cannot run: its code cannot be imported: ModuleNotFoundError: No module named 'no_such_dependency'"
    }
    assert all(result.given_up for result in results.values())


def test_code_from_outside_the_tree_is_refused(tmp_path: Path, cells: list[Cell]) -> None:
    other = tiny_tree(tmp_path / "other") / "parity"
    tree = tiny_tree(tmp_path / "tree", top=f"__path__ = [{str(other)!r}]\n")
    why = failure(tree, cells)
    assert why.startswith("cannot run: parity.")
    assert f"was imported from {other}" in why


def test_a_program_that_is_no_python_fails_every_cell(tmp_path: Path, cells: list[Cell]) -> None:
    results = run(tiny_tree(tmp_path), cells, python="/bin/false")
    assert {str(result.failure) for result in results.values()} == {"cannot run: crashed: exit code 1"}


def test_an_interpreter_that_does_not_exist_fails_every_cell(tmp_path: Path, cells: list[Cell]) -> None:
    why = str(run(tiny_tree(tmp_path), cells[:1], python="/no/such/python")["plan"].failure)
    assert why == "cannot run: /no/such/python cannot be started: No such file or directory"


def test_no_bytecode_is_left_in_the_tree(tmp_path: Path, cells: list[Cell]) -> None:
    tree = tiny_tree(tmp_path)
    run(tree, cells[:1])
    assert not list((tree / "parity").rglob("*.pyc"))
