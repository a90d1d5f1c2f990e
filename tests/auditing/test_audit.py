"""The audit: a stored row is played where it stood, and what today's lane makes of it is counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parity_runs import RECORDINGS
from unhandled_rows import audited, event, only, stored, unhandled, update

from parity.auditing.audit import CLASSES, OTHERS, audit, audit_rows
from parity.auditing.exports import Stored
from parity.auditing.stage import ROWS
from parity.wire import PROVIDER_TO_BRIDGE, decode, open_cell

SHELL = {"type": "Bash", "exit_code": 0}


# -- ACP -------------------------------------------------------------------------------------------------


def test_an_update_of_a_running_command_streams_its_output(tmp_path: Path) -> None:
    line = only(audited(tmp_path, stored(update(text="one\n", rawOutput=SHELL))))
    assert (line.total, line.handled, line.output_characters, line.assumed) == (1, 1, 4, 0)


def test_of_cumulative_updates_only_the_growth_streams(tmp_path: Path) -> None:
    texts = ("a\n", "a\nb\n", "a\nb\nc\n")
    rows = [stored(update(text=text), threadId="t") for text in texts]
    assert only(audited(tmp_path, *rows)).output_characters == 6


def test_growth_stays_growth_when_a_stage_begins_anew(tmp_path: Path) -> None:
    rows = [stored(update(text="x" * n)) for n in range(1, 3 * ROWS)]
    assert only(audited(tmp_path, *rows)).output_characters == 3 * ROWS - 1


def test_calls_of_different_threads_are_apart(tmp_path: Path) -> None:
    rows = [stored(update(text="same\n"), threadId=thread) for thread in ("a", "b")]
    assert only(audited(tmp_path, *rows)).output_characters == 10


def test_output_that_is_only_assumed_to_be_a_commands_is_counted_apart(tmp_path: Path) -> None:
    assert only(audited(tmp_path, stored(update(text="one\n")))).assumed == 1


def test_a_call_of_another_kind_streams_nothing(tmp_path: Path) -> None:
    line = only(audited(tmp_path, stored(update(text="# Title", kind="read"))))
    assert (line.handled, line.output_characters) == (1, 0)


@pytest.mark.parametrize(
    "raw",
    [
        {"method": "session/update", "params": {"sessionId": "s", "update": update(text="1234")}},
        {"sessionId": "s", "update": update(text="1234")},
        update(text="1234"),
    ],
    ids=["message", "params", "update"],
)
def test_a_row_holds_the_message_its_params_or_the_update(tmp_path: Path, raw: Any) -> None:
    line = only(audited(tmp_path, stored(raw, raw_type="tool_call_update")))
    assert (line.handled, line.output_characters) == (1, 4)


def test_what_no_lane_knows_stays_unhandled(tmp_path: Path) -> None:
    line = only(audited(tmp_path, stored({"sessionUpdate": "mystery"})))
    assert (line.handled, line.unhandled, line.after_turn) == (0, 1, 0)


def test_what_is_ignored_by_decision_is_handled_and_quiet(tmp_path: Path) -> None:
    line = only(audited(tmp_path, stored({"sessionUpdate": "available_commands_update"})))
    assert (line.handled, line.quiet) == (1, 1)


def test_a_vendor_request_is_answered_or_stays_unhandled(tmp_path: Path) -> None:
    known = {"id": 7, "method": "_x.ai/ask_user_question", "params": {"sessionId": "s", "questions": []}}
    unknown = {"id": 8, "method": "session/teleport", "params": {"sessionId": "s"}}
    lines = audited(tmp_path, stored(known), stored(unknown)).lines
    assert lines["acp-grok", known["method"]].handled == 1
    assert lines["acp-grok", unknown["method"]].unhandled == 1


# -- settled turns ---------------------------------------------------------------------------------------


def test_a_row_after_its_turn_stays_unhandled(tmp_path: Path) -> None:
    rows = [stored(update(text="a"), turnSettled=flag) for flag in (True, False, True)]
    line = only(audited(tmp_path, *rows))
    assert (line.handled, line.after_turn, line.unhandled) == (1, 2, 0)


def test_facts_that_need_no_turn_are_handled_after_it(tmp_path: Path) -> None:
    row = stored({"sessionUpdate": "session_info_update", "title": "New"}, turnSettled=True)
    assert only(audited(tmp_path, row)).handled == 1


def test_the_events_of_a_stream_say_that_a_turn_was_over(tmp_path: Path) -> None:
    rows = (
        event("turn/started", "turn-1", turnId="turn-1"),
        unhandled(update(text="a")),
        event("turn/completed", "turn-1", turnId="turn-1"),
        unhandled(update(text="ab")),
    )
    answer = audited(tmp_path, *rows, provider="acp-grok")
    assert (only(answer).handled, only(answer).after_turn, answer.events) == (1, 1, 2)


def test_a_row_of_an_earlier_turn_is_after_it(tmp_path: Path) -> None:
    rows = [stored(update(text="a"), threadId="t", turnId=turn) for turn in ("1", "2", "1")]
    line = only(audited(tmp_path, *rows))
    assert (line.handled, line.after_turn) == (2, 1)


def test_the_recorded_background_update_came_after_its_turn() -> None:
    path = RECORDINGS / "acp-grok/background/runtime.current.ndjson"
    line = only(audit(path, "acp-grok"))
    assert (line.total, line.after_turn) == (1, 1)


# -- codex and Claude Code -------------------------------------------------------------------------------


def test_a_codex_piece_finds_its_turn_and_item_open(tmp_path: Path) -> None:
    params = {"threadId": "T", "turnId": "U", "itemId": "i", "delta": "12345"}
    raw = {"method": "item/commandExecution/outputDelta", "params": params}
    line = only(audited(tmp_path, *[stored(raw, "codex", turnSettled=flag) for flag in (False, True)]))
    assert (line.handled, line.output_characters, line.after_turn) == (1, 5, 1)


def test_an_unknown_codex_item_stays_unhandled(tmp_path: Path) -> None:
    params = {"threadId": "T", "turnId": "U", "item": {"id": "i", "type": "teleport"}}
    row = stored({"method": "item/completed", "params": params}, "codex", "item/completed teleport")
    assert only(audited(tmp_path, row)).unhandled == 1


def test_a_claude_result_finds_its_call_open(tmp_path: Path) -> None:
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "done"}
    raw = {"type": "user", "message": {"role": "user", "content": [result]}}
    rows = [stored(raw, "claude-code", "user/tool_result", turnSettled=flag) for flag in (False, True)]
    line = only(audited(tmp_path, *rows))
    assert (line.handled, line.after_turn) == (1, 1)


def test_a_claude_message_of_a_settled_turn_stays_unhandled(tmp_path: Path) -> None:
    raw = {"type": "assistant", "message": {"id": "m", "content": [{"type": "text", "text": "late"}]}}
    line = only(audited(tmp_path, stored(raw, "claude-code", "assistant", turnSettled=True)))
    assert line.after_turn == 1


def test_an_unknown_claude_block_stays_unhandled(tmp_path: Path) -> None:
    row = stored({"type": "hologram"}, "claude-code", "assistant/hologram")
    assert only(audited(tmp_path, row)).unhandled == 1


# -- bounds ----------------------------------------------------------------------------------------------


def test_rows_of_a_provider_no_family_serves_stay_unhandled(tmp_path: Path) -> None:
    answer = audited(tmp_path, stored(update(), "pi"))
    assert (only(answer).unhandled, answer.unserved) == (1, {"pi"})


def test_very_many_raw_types_are_told_apart_up_to_a_limit(tmp_path: Path) -> None:
    rows = [stored({"sessionUpdate": f"type-{n}"}, "pi") for n in range(CLASSES + 10)]
    answer = audited(tmp_path, *rows)
    assert len(answer.lines) == CLASSES + 1
    assert answer.lines[OTHERS, OTHERS].total == 10


def test_every_row_is_counted_once(tmp_path: Path) -> None:
    rows = [
        stored(update(text="a")),
        stored(update(text="a"), turnSettled=True),
        stored({"sessionUpdate": "mystery"}),
        stored("no object", raw_type="tool_call_update"),
    ]
    total = audited(tmp_path, *rows).total()
    assert total.total == total.handled + total.after_turn + total.unhandled + total.malformed == 4


# -- whatever is stored ----------------------------------------------------------------------------------

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
_NAMES = st.sampled_from(
    [
        "sessionUpdate",
        "toolCallId",
        "content",
        "update",
        "method",
        "params",
        "id",
        "item",
        "turn",
        "itemId",
        "turnId",
        "delta",
        "type",
        "message",
        "tool_use_result",
        "parent_tool_use_id",
        "request",
        "rawOutput",
    ]
)
_WORDS = st.sampled_from(
    [
        "tool_call_update",
        "tool_call",
        "agent_message_chunk",
        "plan",
        "session/update",
        "item/completed",
        "user",
        "assistant",
        "item/commandExecution/outputDelta",
        "stream_event",
        "control_request",
        "result",
    ]
)
_RAWS = st.dictionaries(
    _NAMES, _WORDS | _JSON | st.dictionaries(_NAMES, _WORDS | _JSON, max_size=4), max_size=5
)


@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(
        st.tuples(_RAWS, _WORDS, st.sampled_from(["acp-grok", "acp-claude", "codex", "claude-code"])),
        max_size=8,
    ),
    late=st.booleans(),
)
def test_no_stored_row_ends_the_audit(rows: list[tuple[dict[str, Any], str, str]], late: bool) -> None:
    answer = audit_rows(
        Stored(number, provider, raw_type, raw, 100, settled=late)
        for number, (raw, raw_type, provider) in enumerate(rows, 1)
    )
    total = answer.total()
    assert total.total == len(rows)
    assert total.total == total.handled + total.after_turn + total.unhandled + total.malformed


@pytest.mark.parametrize("name", ["acp-cursor/web-search", "codex/turn-tools", "claude-code/turn-tools"])
def test_what_a_recording_has_is_handled_when_it_was_stored(name: str) -> None:
    """Every notification of an agent, as if an older translator had kept it."""
    cell = open_cell(RECORDINGS / name)
    told = [decode(line.line) for line in cell.lines() if line.dir == PROVIDER_TO_BRIDGE]
    rows = [
        Stored(number, cell.provider, str(raw.get("method") or raw.get("type")), raw, 100)
        for number, raw in enumerate(told, 1)
        if "result" not in raw and raw.get("type") not in ("control_response", "result")
    ]
    total = audit_rows(rows).total()
    assert total.total == total.handled > 0
