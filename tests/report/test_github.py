"""`parity check --github`: workflow commands that say one thing each, and the job summary."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from parity_runs import parity
from report_projects import CURSOR, GROK, HOSTILE, break_exit_code, change_rows, make_hostile, project

from parity.report.github import command, markdown


@pytest.fixture(autouse=True)
def _not_on_github(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)


def commands(out: str) -> list[str]:
    return [line for line in out.splitlines() if line.startswith(("::error", "::warning", "::notice"))]


def test_a_command_is_one_line_whatever_it_says() -> None:
    made = command("error", "50%\r\n::error::no\u2028", {"file": "a,b:c%", "title": "x\ny"})
    assert made == "::error file=a%2Cb%3Ac%25,title=x%0Ay::50%25%0D%0A::error::no\u2028"


def test_a_failed_stream_points_at_its_pin(tmp_path: Path) -> None:
    recordings = project(tmp_path, GROK)
    change_rows(recordings, GROK, break_exit_code)
    run = parity("check", "--recordings", recordings, "--github")
    (error,) = commands(run.out)
    assert run.code == 1
    assert error.startswith(
        f"::error file=recordings/{GROK}/rows.current.ndjson,line=1,title={GROK}%3A rows::"
    )
    assert "exitCode changed: 0 → 2%0A" in error


def test_the_line_is_the_line_of_the_pinned_row(tmp_path: Path) -> None:
    recordings = project(tmp_path, GROK)
    change_rows(recordings, GROK, lambda rows: rows[1].update(text="something else"))
    (error,) = commands(parity("check", "--recordings", recordings, "--github").out)
    assert "rows.current.ndjson,line=2," in error


def test_the_line_of_an_event_is_its_own(tmp_path: Path) -> None:
    recordings = project(tmp_path, GROK)
    path = recordings / GROK / "runtime.current.ndjson"
    lines = path.read_text("utf-8").splitlines()
    number = next(at for at, line in enumerate(lines, 1) if '"exitCode":2' in line)
    path.write_text("\n".join(lines).replace('"exitCode":2', '"exitCode":0') + "\n", "utf-8")
    (error,) = commands(parity("check", "--recordings", recordings, "--github").out)
    assert f"runtime.current.ndjson,line={number}," in error


def test_a_count_points_at_its_pin(tmp_path: Path) -> None:
    recordings = project(tmp_path, GROK, CURSOR)
    counts = json.loads((tmp_path / "row-counts.json").read_text("utf-8"))
    counts[CURSOR]["rows"] += 1
    text = json.dumps(counts, indent=2)
    (tmp_path / "row-counts.json").write_text(text, "utf-8")
    number = next(at for at, line in enumerate(text.splitlines(), 1) if CURSOR in line)
    (error,) = commands(parity("check", "--recordings", recordings, "--github").out)
    assert error.startswith("::error file=row-counts.json,")
    assert f"line={number}" in error


def test_a_stale_allowance_points_at_its_line(tmp_path: Path) -> None:
    recordings = project(tmp_path, GROK)
    (tmp_path / "allowlist.yaml").write_text(
        'pinned:\n  # why\n  - issue: "#7"\n    reason: none\n    provider: acp-grok\n'
        "    layer: rows\n    path: /*/x\n",
        "utf-8",
    )
    (error,) = commands(parity("check", "--recordings", recordings, "--github").out)
    assert error.startswith("::error file=allowlist.yaml,line=3,title=stale allowance::#7 none")


def test_nothing_from_the_wire_is_taken_for_a_command(tmp_path: Path) -> None:
    recordings = project(tmp_path, GROK)
    make_hostile(recordings, GROK, "now.", f"now\n::error::forged\n{HOSTILE}")
    out = parity("check", "--recordings", recordings, "--github", "--full").out.splitlines()
    token = out[0].removeprefix("::stop-commands::")
    end = out.index(f"::{token}::")
    assert len(token) == 32
    assert all(line.startswith("::error file=recordings/") for line in out[end + 1 :])
    assert all("\u2028" not in line or "::" in line for line in out[end + 1 :])


def test_with_json_the_annotations_go_to_standard_error(tmp_path: Path) -> None:
    recordings = project(tmp_path, GROK)
    change_rows(recordings, GROK, break_exit_code)
    run = parity("check", "--recordings", recordings, "--github", "--json")
    assert json.loads(run.out)["passed"] is False
    assert len(commands(run.err)) == 1


def test_the_summary_is_appended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recordings = project(tmp_path, GROK, CURSOR)
    change_rows(recordings, GROK, break_exit_code)
    path = tmp_path / "summary.md"
    path.write_text("before\n", "utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(path))
    parity("check", "--recordings", recordings, "--github")
    said = path.read_text("utf-8")
    assert said.startswith("before\n## ❌ parity: 1 passed, 1 failed\n")
    assert "| acp-grok/turn-tools-no-terminal | failed | rows | 117 | 38 | 9 | 0 | 0 |" in said
    assert "acp-cursor" not in said


def test_markdown_takes_the_text_as_text() -> None:
    made = markdown(f"a|b\n# c {HOSTILE} [x](y) **z** @me")
    assert "\n" not in made
    for telling in ("|", "<", ">", "[", "*", "`", "@", "\u2028"):
        assert telling not in made
