"""Damaged traffic: fields that vanish or change their type, lines that go missing, double or trade places."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from codex_frames import THREAD, CodexRun

from parity.wire import BRIDGE_TO_PROVIDER, PROVIDER_TO_BRIDGE, Cell, decode, find_cells

RECORDINGS = Path(__file__).parents[3] / "recordings"
CELLS = find_cells(RECORDINGS, "codex")
WRONG: tuple[Any, ...] = (None, 3, "x", "", [], {}, True, -1.5)
TEXT = [{"type": "text", "text": "go"}]


def damaged(value: Any, chance: random.Random) -> Any:
    if chance.random() < 0.05:
        return chance.choice(WRONG)
    if isinstance(value, dict):
        return {name: damaged(part, chance) for name, part in value.items() if chance.random() > 0.03}
    if isinstance(value, list):
        return [damaged(part, chance) for part in value]
    return value


def play(run: CodexRun, message: dict[str, Any], chance: random.Random) -> None:
    """What the recorded client did, played by the runtime; each request of ours gets the recorded answer."""
    method = message.get("method")
    if method in ("thread/start", "thread/resume"):
        run.runtime("thread/start", threadId=THREAD, cwd="/w")
    elif method == "turn/start":
        run.runtime("turn/start", threadId=THREAD, input=TEXT)
    elif method == "turn/interrupt":
        run.stop()
    elif method is None and run.asked:
        run.decide(run.asked[-1], decision=chance.choice(["allowed", "denied", "cancelled", "odd"]))


def feed(run: CodexRun, message: Any, sound: bool) -> None:
    """A recorded message of the agent; an answer is for the last request our bridge made."""
    if isinstance(message, dict) and "id" in message and "method" not in message and sound:
        asked = [said["id"] for said in run.sent if "id" in said and "method" in said]
        message = {**message, "id": asked[-1] if asked else 0}
    run._take(run.bridge.provider(message))


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.name)
def test_damaged_traffic_breaks_nothing_and_no_rule_of_the_grammar(cell: Cell, seed: int) -> None:
    chance = random.Random(seed)
    lines = [line for line in cell.lines() if line.dir in (PROVIDER_TO_BRIDGE, BRIDGE_TO_PROVIDER)]
    if seed % 3 == 0:
        chance.shuffle(lines)
    run = CodexRun(opened=False)
    run.check = False
    for line in lines:
        message = decode(line.line)
        if line.dir == BRIDGE_TO_PROVIDER:
            play(run, message, chance)
            continue
        for _ in range(chance.choice([0, 1, 1, 1, 1, 1, 1, 2])):
            sound = chance.random() < 0.6
            feed(run, message if sound else damaged(message, chance), sound)
    assert run.drops == {}
    rows = run.all_rows()
    assert max(Counter(row["id"] for row in rows if row["id"].startswith("item")).values(), default=1) == 1
    assert all(event["item"]["status"] != "pending" for event in run.of("item/completed"))
