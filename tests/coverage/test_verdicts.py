"""Verdicts: found by running, so what a lane forgets shows at once; every silence of ACP has a reason."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from parity_runs import RECORDINGS, copy_cells

from parity.bridges.acp import requests as acp_requests
from parity.coverage.measure import entries, entry_of, said, watch
from parity.coverage.model import HANDLED, IGNORED, UNHANDLED, Entry, Key
from parity.coverage.watching import Seen
from parity.lanes.acp import reader_v1, shapes
from parity.lanes.acp.decisions import IGNORED as ACP_IGNORED
from parity.lanes.claude_code.reader import OPAQUE_BLOCKS
from parity.lanes.codex.known import HANDLED_NOTIFICATIONS, IGNORED_NOTIFICATIONS, ITEM_TYPES, QUIET
from parity.wire import find_cells


@pytest.fixture(scope="module")
def alone() -> dict[Key, Entry]:
    """What becomes of everything that is published, without any recording."""
    return {entry.key: entry for entry in entries(Seen())}


def of(protocol: str, alone: dict[Key, Entry], *categories: str) -> Iterator[Entry]:
    for key, entry in alone.items():
        if key.protocol == protocol and (not categories or key.category in categories):
            yield entry


@pytest.mark.parametrize("protocol", ["acp-v1", "acp-v2"])
def test_nothing_acp_publishes_is_unhandled_without_a_written_decision(
    alone: dict[Key, Entry], protocol: str
) -> None:
    assert [str(entry.key) for entry in of(protocol, alone) if entry.verdict == UNHANDLED] == []
    assert all(entry.decision for entry in of(protocol, alone) if entry.verdict == IGNORED)
    judged = {entry.category for entry in of(protocol, alone)}
    assert {"session update", "content block", "tool content", "tool kind", "tool status"} <= judged
    assert {"stop reason", "client method"} <= judged


@pytest.mark.parametrize("protocol", ["codex", "claude-code"])
def test_nothing_a_vendor_publishes_is_unhandled_without_a_written_decision(
    alone: dict[Key, Entry], protocol: str
) -> None:
    assert [str(entry.key) for entry in of(protocol, alone) if entry.verdict == UNHANDLED] == []


@pytest.mark.parametrize(
    ("category", "name", "becomes"),
    [
        ("session update", "plan", "item.open planSteps"),
        ("tool kind", "fetch", "item.open webFetch"),
        ("tool kind", "switch_mode", "interaction/request plan_exit"),
        ("tool status", "failed", "item.close failed"),
        ("stop reason", "cancelled", "turn.boundary interrupted"),
        ("tool content", "diff", "item.open fileChange"),
        ("content block", "audio", "item.textDelta agentMessage"),
        ("client method", "terminal/create", "host call terminal/create"),
    ],
)
def test_a_name_becomes_what_the_bridge_says_only_with_it(
    alone: dict[Key, Entry], category: str, name: str, becomes: str
) -> None:
    entry = alone[Key("acp-v1", category, name)]
    assert (entry.verdict, becomes in entry.becomes) == (HANDLED, True)


def test_codex_is_handled_where_its_lists_say_so(alone: dict[Key, Entry]) -> None:
    for entry in of("codex", alone, "notification"):
        quiet = entry.name in IGNORED_NOTIFICATIONS or entry.name in QUIET
        assert entry.verdict == IGNORED if quiet and not entry.becomes else HANDLED
        assert entry.name in HANDLED_NOTIFICATIONS or entry.name in IGNORED_NOTIFICATIONS
    assert {entry.name for entry in of("codex", alone, "item type") if entry.verdict == HANDLED} == set(
        ITEM_TYPES
    )


# -- what a lane forgets ---------------------------------------------------------------------------------


@pytest.fixture
def _anew() -> Iterator[None]:
    """What becomes of a name is found again, and not remembered."""
    said.cache_clear()
    yield
    said.cache_clear()


def verdict_of(key: Key) -> str:
    return entry_of(key, Seen()).verdict


@pytest.mark.usefixtures("_anew")
def test_a_kind_whose_shape_is_lost_is_unhandled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(shapes.KIND_SHAPES, "search")
    assert verdict_of(Key("acp-v1", "tool kind", "search")) == UNHANDLED


@pytest.mark.usefixtures("_anew")
def test_an_update_whose_reader_is_lost_is_unhandled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(reader_v1._READERS, "plan")
    assert verdict_of(Key("acp-v1", "session update", "plan")) == UNHANDLED


@pytest.mark.usefixtures("_anew")
def test_a_method_the_bridge_refuses_is_unhandled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acp_requests, "HOST_METHODS", acp_requests.HOST_METHODS - {"terminal/kill"})
    assert verdict_of(Key("acp-v1", "client method", "terminal/kill")) == UNHANDLED


@pytest.mark.usefixtures("_anew")
def test_a_decision_that_is_lost_leaves_its_silence_unhandled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(ACP_IGNORED, "available_commands_update")
    assert verdict_of(Key("acp-v1", "session update", "available_commands_update")) == UNHANDLED


@pytest.mark.usefixtures("_anew")
def test_a_message_without_effect_and_without_a_decision_is_unhandled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(OPAQUE_BLOCKS, "tool_addition")
    entry = entry_of(Key("claude-code", "content block", "tool_addition"), Seen())
    assert (entry.verdict, entry.becomes, entry.decision) == (UNHANDLED, [], None)


# -- what cells use --------------------------------------------------------------------------------------


def found(provider: str, cell: str, *external: str) -> dict[Key, Entry]:
    seen = watch(find_cells(RECORDINGS, provider, cell), external)
    return {entry.key: entry for entry in entries(seen, ["acp"])}


def test_a_name_is_counted_in_the_cells_it_occurs_in() -> None:
    seen = found("acp-grok", "background")
    assert seen[Key("acp-v1", "session update", "tool_call")].cells == ["acp-grok/background"]
    assert seen[Key("acp-v1", "session update", "current_mode_update")].cells == []
    assert not any(entry.cells for key, entry in seen.items() if key.protocol == "acp-v2")


def test_a_cell_counts_for_the_version_its_agent_answers(tmp_path: Path) -> None:
    recordings = copy_cells(tmp_path, "acp-grok/web-fetch")
    lane = recordings / "acp-grok" / "web-fetch" / "provider→bridge.ndjson"
    text = lane.read_text("utf-8")
    assert '\\"protocolVersion\\":1' in text
    lane.write_text(text.replace('\\"protocolVersion\\":1', '\\"protocolVersion\\":2'), "utf-8")
    used = {key.protocol for key in watch(find_cells(recordings)).cells}
    assert used == {"acp-v2"}


def test_what_only_a_vendor_says_is_listed_with_what_came_of_it() -> None:
    seen = found("acp-grok", "subagent")
    spawned = seen[Key("acp-v1", "client method", "_x.ai/session_notification subagent_spawned")]
    assert (spawned.published, spawned.verdict) == (False, HANDLED)
    queue = seen[Key("acp-v1", "client method", "_x.ai/queue/changed")]
    assert (queue.published, queue.verdict) == (False, IGNORED)


def test_cells_of_an_external_bridge_are_left_out() -> None:
    assert not any(entry.cells for entry in found("acp-grok", "subagent", "acp-grok").values())
