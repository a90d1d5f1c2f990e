"""Classes of difference: one per layer, place and change."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from parity.checkouts.classes import classify, generalised
from parity.compare import Difference


def difference(
    layer: str, path: str, change: str = "changed", old: Any = UNSET, new: Any = UNSET
) -> Difference:
    return Difference(
        layer=layer, path=path, change=change, old=old, new=new, identity=path, label="dropped a:b"
    )


def said(*differences: Difference) -> list[str]:
    return [str(group) for group in classify(differences)]


def test_indices_are_generalised_and_nothing_else() -> None:
    assert generalised("/12/item/changes/0/v2/3") == "/*/item/changes/*/v2/*"


def test_the_same_change_at_the_same_place_is_counted_once() -> None:
    found = [difference("events", f"/{n}/item/exitCode", old=0, new=n) for n in (1, 2, 30)]
    assert said(*found) == ["events item/exitCode changed ×3"]
    assert classify(found)[0].path == "/*/item/exitCode"
    assert classify(found)[0].differences == found


def test_another_change_at_the_same_place_is_another_class() -> None:
    assert said(
        difference("events", "/1/item/exitCode", "removed", old=0),
        difference("events", "/2/item/exitCode", old=0, new=1),
    ) == ["events item/exitCode removed ×1", "events item/exitCode changed ×1"]


def test_whole_entries_are_told_apart_by_their_type() -> None:
    assert said(
        difference("events", "/1", "added", new={"type": "item/started"}),
        difference("events", "/2", "added", new={"type": "item/commandExecution/outputDelta"}),
        difference("events", "/5", "added", new={"type": "item/started"}),
    ) == ["events item/started added ×2", "events item/commandExecution/outputDelta added ×1"]


def test_deltas_messages_rows_and_drops_have_names() -> None:
    delta = {"method": "thread/delta", "params": {"delta": {"kind": "item.open"}}}
    assert said(
        difference("grammar", "/0", "added", new={"drop": "a:b", "count": 1}),
        difference("rows", "/0/children/3", "removed", old={"kind": "command"}),
        difference("rows", "/0/children/3/changes/0/diff"),
        difference("provider", "/4", "added", new={"method": "session/cancel"}),
        difference("provider", "/4", "added", new={"id": 1, "result": {}}),
        difference("bridge", "/1", "added", new=delta),
        difference("bridge", "/1/params/delta/exitCode"),
    ) == [
        "bridge item.open added ×1",
        "bridge delta/exitCode changed ×1",
        "provider session/cancel added ×1",
        "provider answer added ×1",
        "rows command row removed ×1",
        "rows row/changes/diff changed ×1",
        "grammar dropped a:b added ×1",
    ]
