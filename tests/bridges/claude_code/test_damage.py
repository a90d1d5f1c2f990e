"""Damaged traffic: fields that vanish or change their type, lines that go missing or trade places."""

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from claude_frames import ClaudeRun

from parity.wire import BRIDGE_TO_PROVIDER, PROVIDER_TO_BRIDGE, Cell, find_cells

RECORDINGS = Path(__file__).parents[3] / "recordings"
CELLS = find_cells(RECORDINGS, "claude-code")
WRONG: tuple[Any, ...] = (None, 3, "x", [], {}, True, -1.5)


def damaged(value: Any, chance: random.Random) -> Any:
    if chance.random() < 0.06:
        return chance.choice(WRONG)
    if isinstance(value, dict):
        return {name: damaged(part, chance) for name, part in value.items() if chance.random() > 0.03}
    if isinstance(value, list):
        return [damaged(part, chance) for part in value]
    return value


def play(run: ClaudeRun, message: dict[str, Any], chance: random.Random) -> None:
    """What the recorded client did, played by the runtime."""
    if message["type"] == "user":
        run.prompt()
    elif message["type"] == "control_response" and run.asked:
        run.decide(chance.choice(["allowed", "denied", "cancelled"]))
    elif message.get("request", {}).get("subtype") == "interrupt":
        run.stop()


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.name)
def test_damaged_traffic_breaks_nothing_and_no_rule_of_the_grammar(cell: Cell, seed: int) -> None:
    chance = random.Random(seed)
    lines = [line for line in cell.lines() if line.dir in (PROVIDER_TO_BRIDGE, BRIDGE_TO_PROVIDER)]
    if seed % 3 == 0:
        chance.shuffle(lines)
    run = ClaudeRun()
    for line in lines:
        message = json.loads(line.line)
        if line.dir == BRIDGE_TO_PROVIDER:
            play(run, message, chance)
        elif chance.random() < 0.9:
            run.feed(damaged(message, chance) if chance.random() < 0.5 else message)
    assert run.drops == {}
    assert max(Counter(row["id"] for row in run.all_rows).values(), default=1) == 1
