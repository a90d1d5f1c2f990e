"""Cells through bridges of their own process: good ones are as pinned, bad ones fail with the reason."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path

import pytest
from live_bridges import as_pinned, cell, fake, is_running, play
from parity_runs import copy_cells

from parity.gates.settings import ProviderSettings
from parity.wire import InputError

CELL = "acp-cursor/approval-allow"


@pytest.mark.parametrize(
    "name",
    [CELL, "acp-cursor/steer", "acp-opencode/stop-interrupt", "acp-grok/approval-deny"],
)
def test_a_good_bridge_says_events_and_rows_as_pinned(name: str) -> None:
    outcome, sink = play(fake(), name)
    assert not outcome.stalls
    assert not outcome.unconsumed
    if name != "acp-grok/approval-deny":  # its command ran in the recorder's terminal, not in the bridge's
        assert as_pinned(sink, name, "events")
        assert as_pinned(sink, name, "rows")


def test_ids_of_the_bridges_own_choice_are_mapped() -> None:
    outcome, sink = play(fake("other-ids"), CELL)
    assert not outcome.stalls
    assert as_pinned(sink, CELL, "events")


def test_the_bridge_is_told_how_to_start_its_agent_twice(tmp_path: Path) -> None:
    log = tmp_path / "log"
    play(fake("log", log), CELL)
    first = json.loads(log.read_bytes().splitlines()[0].removeprefix(b"runtime "))
    assert first["method"] == "initialize"
    assert first["params"]["agentCommand"][1:3] == ["-I", "-S"]
    assert "clientInfo" in first["params"]


def test_a_line_that_is_no_message_reaches_the_bridge_too(tmp_path: Path) -> None:
    recordings = copy_cells(tmp_path, CELL)
    lane = recordings / CELL / "provider→bridge.ndjson"
    *before, last = lane.read_text("utf-8").splitlines()
    odd = {**json.loads(last), "line": "npm WARN deprecated"}
    odd["seq"] -= 0.5
    lane.write_text("\n".join([*before, json.dumps(odd), last, ""]), "utf-8")
    log = tmp_path / "log"
    outcome, _ = play(fake("log", log), cell(CELL, recordings))
    assert not outcome.stalls
    assert outcome.noise == 1
    assert b"agent npm WARN deprecated" in log.read_bytes().splitlines()


def test_a_crash_is_told_with_exit_code_and_standard_error() -> None:
    outcome, _ = play(fake("crashes"), CELL)
    (stall,) = outcome.stalls
    assert stall == "the bridge ended with exit code 3; its standard error ends: lost my way"
    assert not outcome.unconsumed


def test_a_hanging_bridge_is_given_up_after_its_timeout() -> None:
    outcome, _ = play(fake("hangs", timeout=0.5), CELL)
    (stall,) = outcome.stalls
    assert stall.startswith("the bridge was silent for 0.5 s")


def test_a_bridge_that_ignores_unknown_methods_is_told_so() -> None:
    outcome, _ = play(fake("ignores-unknown", timeout=0.5), CELL)
    assert "each request must be answered" in outcome.stalls[0]


def test_a_bridge_that_never_starts_its_agent_is_told_so() -> None:
    outcome, _ = play(fake("missing-agent", timeout=1), CELL)
    assert any("has not started its agent" in stall for stall in outcome.stalls)


def test_garbage_is_named_and_the_rest_goes_on() -> None:
    outcome, sink = play(fake("garbage"), CELL)
    assert outcome.stalls[0] == (
        "the bridge wrote a line that is not JSON: 'Debugger listening on port 9229'"
    )
    assert outcome.stalls[-1] == "3 more lines of the bridge are malformed"
    assert as_pinned(sink, CELL, "rows")


@pytest.mark.parametrize("mode", ["floods", "floods-its-agent"])
def test_a_flood_is_cut_off(mode: str) -> None:
    outcome, _ = play(fake(mode), CELL)
    assert outcome.stalls == ["the bridge wrote far more than the recording can explain"]


def test_a_line_without_end_is_cut_off() -> None:
    outcome, _ = play(fake("floods-one-line"), CELL)
    assert outcome.stalls[0].startswith("the bridge wrote a")


def test_deltas_in_the_wrong_order_are_dropped_and_counted() -> None:
    outcome, _ = play(fake("wrong-order"), CELL)
    assert outcome.grammar_drops > 0


def test_deltas_nobody_knows_are_dropped_and_counted() -> None:
    outcome, sink = play(fake("odd-deltas"), CELL)
    assert outcome.drops == {
        "delta/known:?": 2,
        "delta/known:item.close": 1,
        "delta/known:item.invented": 1,
        "delta/known:item.open": 1,
        "delta/known:item.textDelta": 1,
    }
    assert "item.close: Expected `int | null`, got `str` - at `$.exitCode`" in outcome.remarks
    assert as_pinned(sink, CELL, "rows")


def test_messages_without_what_they_need_are_named() -> None:
    outcome, _ = play(fake("odd-messages"), CELL)
    assert len(outcome.stalls) == 2
    assert "thread/delta" in outcome.stalls[0]
    assert "interaction/request" in outcome.stalls[1]


def test_no_process_is_left_behind(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    outcome, _ = play(fake("grandchild", pids), CELL)
    assert not outcome.stalls
    left = list(map(int, pids.read_text().split()))
    until = time.monotonic() + 20  # a killed process is gone soon, on a busy machine too
    while (left := [pid for pid in left if is_running(pid)]) and time.monotonic() < until:
        time.sleep(0.02)
    assert not left


def test_a_bridge_that_does_not_end_with_its_input_fails() -> None:
    outcome, sink = play(fake("stays", timeout=1), CELL)
    assert outcome.stalls == ["the bridge did not end within 1 s of the end of its standard input"]
    assert as_pinned(sink, CELL, "rows")


def test_a_bridge_that_fails_at_its_end_fails() -> None:
    outcome, _ = play(fake("fails-at-the-end"), CELL)
    assert outcome.stalls == ["the bridge ended with exit code 7"]


def test_a_command_that_does_not_exist_is_an_error_of_the_user() -> None:
    with pytest.raises(InputError, match="cannot be started"):
        play(ProviderSettings(["no-such-bridge"], Path.cwd()), CELL)


def test_a_cell_is_played_once_however_often_it_is_asked_for(tmp_path: Path) -> None:
    from live_bridges import FAKE

    from parity.gates.pins import KeepSink
    from parity.live.play import Player

    copy = shutil.copy(FAKE, tmp_path / "bridge.py")
    player = Player(ProviderSettings([*fake().bridge[:1], str(copy)], tmp_path))
    first, second = KeepSink(), KeepSink()
    player(cell(CELL), first)
    Path(copy).unlink()
    player(cell(CELL), second)
    assert first.lines == second.lines


def test_several_runs_are_several_processes(tmp_path: Path) -> None:
    recordings = copy_cells(tmp_path, CELL)
    for lane in (recordings / CELL).glob("*→*.ndjson"):
        if "current" not in lane.name:
            lines = [json.loads(line) for line in lane.read_text("utf-8").splitlines()]
            again = [{**line, "run": 2} for line in lines]
            lane.write_text("".join(json.dumps(line) + "\n" for line in lines + again), "utf-8")
    outcome, _ = play(fake(), cell(CELL, recordings))
    assert not outcome.stalls
    assert outcome.lines == 34
