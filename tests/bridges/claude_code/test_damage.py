"""Damaged traffic of Claude Code breaks nothing: no crash, no rule of the grammar, no row twice."""

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from claude_frames import ClaudeRun
from damaged_traffic import replay_damaged

from parity.wire import Cell, find_cells

RECORDINGS = Path(__file__).parents[3] / "recordings"
CELLS = find_cells(RECORDINGS, "claude-code")


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.name)
def test_damaged_traffic_breaks_nothing_and_no_rule_of_the_grammar(cell: Cell, seed: int) -> None:
    run = ClaudeRun()

    def play(message: dict[str, Any], chance: random.Random) -> None:
        if message["type"] == "user":
            run.prompt()
        elif message["type"] == "control_response" and run.asked:
            run.decide(chance.choice(["allowed", "denied", "cancelled"]))
        elif message.get("request", {}).get("subtype") == "interrupt":
            run.stop()

    replay_damaged(cell, seed, play, lambda message, sound: run.feed(message))
    assert run.drops == {}
    assert max(Counter(row["id"] for row in run.all_rows).values(), default=1) == 1
