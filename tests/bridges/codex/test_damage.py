"""Damaged traffic of codex breaks nothing: no crash, no rule broken, no row twice, nothing left open."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from codex_frames import THREAD, CodexRun
from damaged_traffic import replay_damaged

from parity.wire import Cell, find_cells

RECORDINGS = Path(__file__).parents[3] / "recordings"
CELLS = find_cells(RECORDINGS, "codex")
TEXT = [{"type": "text", "text": "go"}]


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.name)
def test_damaged_traffic_breaks_nothing_and_no_rule_of_the_grammar(cell: Cell, seed: int) -> None:
    run = CodexRun(opened=False)
    run.check = False

    def play(message: dict[str, Any], chance: random.Random) -> None:
        method = message.get("method")
        if method in ("thread/start", "thread/resume"):
            run.runtime("thread/start", threadId=THREAD, cwd="/w")
        elif method == "turn/start":
            run.runtime("turn/start", threadId=THREAD, input=TEXT)
        elif method == "turn/interrupt":
            run.stop()
        elif method is None and run.asked:
            run.decide(run.asked[-1], decision=chance.choice(["allowed", "denied", "cancelled", "odd"]))

    def feed(message: Any, sound: bool) -> None:
        """An answer is for the last request our bridge made."""
        if isinstance(message, dict) and "id" in message and "method" not in message and sound:
            asked = [said["id"] for said in run.sent if "id" in said and "method" in said]
            message = {**message, "id": asked[-1] if asked else 0}
        run._take(run.bridge.provider(message))

    replay_damaged(cell, seed, play, feed)
    assert run.drops == {}
    rows = run.all_rows()
    assert max(Counter(row["id"] for row in rows if row["id"].startswith("item")).values(), default=1) == 1
    assert all(event["item"]["status"] != "pending" for event in run.of("item/completed"))
