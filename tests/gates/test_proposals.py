"""Proposals: as narrow as the differences allow, merged over cells, never silently broad."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from parity.compare import Difference
from parity.gates.allowlist import Allowlist
from parity.gates.proposals import VALUE_BYTES, Proposal, propose, propose_counts

CELL = "acp-grok/turn-tools"
OTHER = "acp-grok/background"


def changed(path: str, old: Any = 0, new: Any = 1, layer: str = "events") -> Difference:
    return Difference(layer=layer, path=path, change="changed", old=old, new=new, identity="i", label="l")


def added(path: str, new: Any, layer: str = "rows") -> Difference:
    return Difference(layer=layer, path=path, change="added", new=new, identity="i", label="l")


def proposal(*differences: Difference, broad: bool = False) -> Proposal:
    return propose({CELL: differences}, issue="#1", reason="because", broad=broad)


def only(found: Proposal) -> dict[str, Any]:
    (entry,) = found.entries
    return entry


def test_an_entry_names_all_that_a_difference_has() -> None:
    assert only(proposal(changed("/12/item/exitCode"))) == {
        "issue": "#1",
        "reason": "because",
        "provider": "acp-grok",
        "cell": ["turn-tools"],
        "layer": "events",
        "path": "/*/item/exitCode",
        "change": "changed",
        "old": 0,
        "new": 1,
    }


def test_places_in_the_stream_and_among_children_are_not_telling() -> None:
    entry = only(proposal(changed("/0/children/3/children/1/status", layer="rows")))
    assert entry["path"] == "/*/children/*/children/*/status"


def test_an_index_the_class_agrees_on_is_telling() -> None:
    same = only(proposal(changed("/1/item/changes/0/path"), changed("/4/item/changes/0/path")))
    other = only(proposal(changed("/1/item/changes/0/path"), changed("/4/item/changes/2/path")))
    assert same["path"] == "/*/item/changes/0/path"
    assert other["path"] == "/*/item/changes/*/path"


def test_a_value_the_class_agrees_on_narrows_and_another_does_not() -> None:
    entry = only(proposal(changed("/1/item/exitCode", 0, 1), changed("/2/item/exitCode", 0, 2)))
    assert entry["old"] == 0
    assert "new" not in entry


def test_values_are_compared_strictly() -> None:
    entry = only(proposal(changed("/1/item/exitCode", 0), changed("/2/item/exitCode", False)))
    assert "old" not in entry


def test_null_is_a_value() -> None:
    assert only(proposal(changed("/1/item/exitCode", None)))["old"] is None


def test_a_long_value_is_left_out() -> None:
    assert "old" not in only(proposal(changed("/1/item/text", "x" * VALUE_BYTES)))


def test_other_changes_and_other_layers_are_other_entries() -> None:
    path = "/1/item/exitCode"
    found = proposal(changed(path), changed(path, layer="rows"), added(path, 1, "events"))
    kinds = [(entry["layer"], entry["change"]) for entry in found.entries]
    assert kinds == [("events", "changed"), ("events", "added"), ("rows", "changed")]


def test_entries_that_differ_only_in_cell_are_one() -> None:
    found = propose(
        {CELL: [changed("/1/item/exitCode")], OTHER: [changed("/9/item/exitCode")]}, issue="#1", reason="r"
    )
    assert only(found)["cell"] == ["turn-tools", "background"]


def test_cells_with_other_values_and_other_providers_stay_apart() -> None:
    found = propose(
        {
            CELL: [changed("/1/item/exitCode", 0, 1)],
            OTHER: [changed("/1/item/exitCode", 0, 2)],
            "codex/turn-tools": [changed("/1/item/exitCode", 0, 1)],
        },
        issue="#1",
        reason="r",
    )
    said = [(entry["provider"], entry["cell"], entry["new"]) for entry in found.entries]
    assert said == [
        ("acp-grok", ["turn-tools"], 1),
        ("acp-grok", ["background"], 2),
        ("codex", ["turn-tools"], 1),
    ]


@pytest.mark.parametrize("path", ["/3", "/0/children/2", "/3/item", "/3/params/delta", "/0/children"])
def test_a_whole_entry_is_proposed_only_when_broad_is_wanted(path: str) -> None:
    difference = added(path, {"kind": "message"})
    assert proposal(difference).entries == []
    assert proposal(difference).whole == [(CELL, difference)]
    entry = only(proposal(difference, broad=True))
    assert entry["broad"] is True
    assert entry["new"] == {"kind": "message"}


def test_no_proposal_without_broad_needs_it() -> None:
    found = proposal(changed("/3/item/exitCode"), added("/3", {}), changed("/4/item", "a", {}))
    assert all("broad" not in entry for entry in found.entries)
    assert len(found.whole) == 2


def test_counts_that_rose_are_allowed_up_to_where_they_are() -> None:
    entries = propose_counts(
        {CELL: {"unhandled": 2}, OTHER: {"unhandled": 2, "grammarDrops": 1}}, issue="#1", reason="r"
    )
    assert [(entry["cell"], entry["count"], entry["max"]) for entry in entries] == [
        (["background"], "grammarDrops", 1),
        (["turn-tools", "background"], "unhandled", 2),
    ]


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
_KEYS = st.text(min_size=1).map(lambda key: key.replace("~", "~0").replace("/", "~1"))
_PATHS = st.lists(_KEYS | st.integers(0, 30).map(str), min_size=1, max_size=4).map("/".join)


@st.composite
def differences(draw: st.DrawFn) -> Difference:
    change = draw(st.sampled_from(["added", "removed", "changed"]))
    return Difference(
        layer=draw(st.sampled_from(["events", "rows", "bridge"])),
        path=f"/{draw(st.integers(0, 30))}/{draw(_PATHS)}",
        change=change,
        old=UNSET if change == "added" else draw(_VALUES),
        new=UNSET if change == "removed" else draw(_VALUES),
        identity="i",
        label="l",
    )


@settings(max_examples=15, deadline=None)
@given(found=st.lists(differences(), max_size=6))
def test_what_is_proposed_and_written_masks_all_it_was_proposed_for(
    tmp_path_factory: pytest.TempPathFactory, found: list[Difference]
) -> None:
    path = tmp_path_factory.mktemp("proposed") / "allowlist.yaml"
    allowlist = Allowlist.load(path)
    for entry in proposal(*found, broad=True).entries:
        allowlist.add("pinned", entry)
    allowlist.save()
    assert Allowlist.load(Path(path)).mask("pinned", "acp-grok", "turn-tools", found) == []
