"""Row counts: exact where they must be, one-way where they are guarded, never dropped."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from parity.gates.allowance import Allowance
from parity.gates.counts import Counts, RefusedInCI, judge, load_counts, repin
from parity.wire import InputError


def counts(events: int = 5, rows: int = 2, unhandled: int = 1, grammar_drops: int = 1) -> Counts:
    return Counts(events=events, rows=rows, unhandled=unhandled, grammar_drops=grammar_drops)


def allowance(count: str = "unhandled", maximum: int | None = None) -> Allowance:
    return Allowance(
        section="counts",
        where="allowlist.yaml:3",
        issue="#1",
        reason="because",
        providers=None,
        cells=None,
        count=count,
        max=maximum,
    )


def pinned(tmp_path: Path, *cells: str) -> Path:
    path = tmp_path / "row-counts.json"
    repin(path, dict.fromkeys(cells, counts()), set(), set(cells), {})
    return path


# -- judging ---------------------------------------------------------------------------------------


def test_counts_as_pinned_say_nothing() -> None:
    assert judge(counts(), counts()) == []


@pytest.mark.parametrize("actual", [counts(events=4), counts(events=6), counts(rows=1)])
def test_an_exact_count_may_neither_rise_nor_fall(actual: Counts) -> None:
    assert [finding.verdict for finding in judge(counts(), actual)] == ["fail"]


@pytest.mark.parametrize("actual", [counts(unhandled=2), counts(grammar_drops=2)])
def test_a_guarded_count_may_not_rise(actual: Counts) -> None:
    assert [finding.verdict for finding in judge(counts(), actual)] == ["fail"]


@pytest.mark.parametrize("actual", [counts(unhandled=0), counts(grammar_drops=0)])
def test_a_guarded_count_that_falls_is_a_note(actual: Counts) -> None:
    assert [finding.verdict for finding in judge(counts(), actual)] == ["note"]


def test_an_allowance_lets_its_count_rise_and_is_used() -> None:
    accepted = allowance()
    (finding,) = judge(counts(), counts(unhandled=2), [accepted])
    assert (finding.verdict, finding.issue, accepted.hits) == ("allowed", "#1", 1)


def test_an_allowance_does_not_let_another_count_rise() -> None:
    (finding,) = judge(counts(), counts(grammar_drops=2), [allowance()])
    assert finding.verdict == "fail"


def test_an_allowance_ends_at_its_maximum() -> None:
    verdicts = [judge(counts(), counts(unhandled=n), [allowance(maximum=3)])[0].verdict for n in (3, 4)]
    assert verdicts == ["allowed", "fail"]


def test_a_cell_without_pinned_counts_is_unpinned() -> None:
    (finding,) = judge(None, counts())
    assert finding.verdict == "unpinned"


# -- reading ---------------------------------------------------------------------------------------


def test_a_missing_file_has_no_counts(tmp_path: Path) -> None:
    assert load_counts(tmp_path / "none.json") == {}


def test_pinned_counts_are_read_back(tmp_path: Path) -> None:
    assert load_counts(pinned(tmp_path, "p/a")) == {"p/a": counts()}


GOOD: dict[str, Any] = {"events": 1, "rows": 1, "unhandled": 0, "grammarDrops": 0}


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("[]", 1, "expected '{'"),
        ("{", 1, "name must be a text"),
        ("{} {}", 1, "text after the end"),
        ('{\n"p/a": 1}', 2, "is not an object"),
        ('{\n"pa": {}}', 2, "is no cell"),
        (json.dumps({"p/a": {**GOOD, "rows": -1}}), 1, "rows is -1"),
        (json.dumps({"p/a": {**GOOD, "rows": 1.0}}), 1, "rows is 1.0"),
        (json.dumps({"p/a": {**GOOD, "rows": True}}), 1, "rows is True"),
        (json.dumps({"p/a": {**GOOD, "rows": "1"}}), 1, "rows is '1'"),
        (json.dumps({"p/a": {**GOOD, "turns": 1}}), 1, "unknown count 'turns'"),
        (json.dumps({"p/a": {"events": 1, "rows": 1, "unhandled": 0}}), 1, "no grammarDrops"),
        (f'{{"p/a": {json.dumps(GOOD)},\n"p/a": {json.dumps(GOOD)}}}', 2, "pinned twice"),
        ('{"p/a": {"rows": 1, "rows": 2}}', 1, "given twice"),
        (f'{{"p/a": {json.dumps(GOOD)},\n}}', 2, "name must be a text"),
    ],
)
def test_a_wrong_file_is_an_error_with_its_line(tmp_path: Path, text: str, line: int, what: str) -> None:
    path = tmp_path / "row-counts.json"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError) as caught:
        load_counts(path)
    assert f"row-counts.json:{line}: " in str(caught.value)
    assert what in str(caught.value)


# -- re-pinning ------------------------------------------------------------------------------------


def test_the_file_is_sorted_indented_and_ends_with_a_newline(tmp_path: Path) -> None:
    text = pinned(tmp_path, "p/b", "p/a").read_text("utf-8")
    assert text == json.dumps(json.loads(text), indent=2, sort_keys=False) + "\n"
    assert list(json.loads(text)) == ["p/a", "p/b"]
    assert list(json.loads(text)["p/a"]) == ["events", "rows", "unhandled", "grammarDrops"]


def test_a_re_pin_says_what_moved(tmp_path: Path) -> None:
    path = pinned(tmp_path, "p/a", "p/b")
    report = repin(path, {"p/a": counts(rows=3)}, set(), {"p/a", "p/b"}, {})
    assert report == ["p/a: rows 2 → 3"]
    assert load_counts(path)["p/a"] == counts(rows=3)


def test_untouched_cells_stay_byte_identical(tmp_path: Path) -> None:
    path = tmp_path / "row-counts.json"
    odd = '{ "rows":2,"events":5,\n "unhandled":1, "grammarDrops":1 }'
    path.write_text(f'{{"p/z": {odd}}}', "utf-8")
    repin(path, {"p/a": counts()}, set(), {"p/a", "p/z"}, {})
    assert odd in path.read_text("utf-8")


def test_a_re_pin_that_moves_nothing_does_not_write(tmp_path: Path) -> None:
    path = tmp_path / "row-counts.json"
    text = json.dumps({"p/a": {"events": 5, "rows": 2, "unhandled": 1, "grammarDrops": 1}})
    path.write_text(text, "utf-8")
    assert repin(path, {"p/a": counts()}, set(), {"p/a"}, {}) == []
    assert path.read_text("utf-8") == text


def test_a_failed_cell_keeps_its_pin(tmp_path: Path) -> None:
    path = pinned(tmp_path, "p/a")
    report = repin(path, {"p/a": counts(rows=0)}, {"p/a"}, {"p/a"}, {})
    assert report == ["p/a: failed, its pin is kept"]
    assert load_counts(path) == {"p/a": counts()}


def test_a_filtered_run_drops_no_pin(tmp_path: Path) -> None:
    path = pinned(tmp_path, "p/a", "p/b")
    repin(path, {"p/a": counts(rows=3)}, set(), {"p/a", "p/b"}, {})
    assert "p/b" in load_counts(path)


def test_a_pin_whose_cell_is_gone_is_named_and_kept(tmp_path: Path) -> None:
    path = pinned(tmp_path, "p/a", "p/gone")
    report = repin(path, {}, set(), {"p/a"}, {})
    assert [line.split(":")[0] for line in report] == ["p/gone"]
    assert "p/gone" in load_counts(path)


@pytest.mark.parametrize("value", ["true", "1", "True"])
def test_counts_are_not_re_pinned_under_ci(tmp_path: Path, value: str) -> None:
    path = tmp_path / "row-counts.json"
    with pytest.raises(RefusedInCI, match="not re-pinned under CI"):
        repin(path, {"p/a": counts()}, set(), {"p/a"}, {"CI": value})
    assert not path.exists()


def test_several_writers_lose_no_cell(tmp_path: Path) -> None:
    path = tmp_path / "row-counts.json"
    names = {f"p/c{n}" for n in range(16)}
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: repin(path, {name: counts()}, set(), names, {}), names))
    assert set(load_counts(path)) == names


def test_no_lock_is_left_beside_the_file(tmp_path: Path) -> None:
    assert list(pinned(tmp_path, "p/a").parent.iterdir()) == [tmp_path / "row-counts.json"]
