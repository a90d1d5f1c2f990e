"""A recording's traffic, damaged: fields vanish or change type, lines go missing, double or trade places."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from parity.wire import BRIDGE_TO_PROVIDER, PROVIDER_TO_BRIDGE, Cell, decode

WRONG: tuple[Any, ...] = (None, 3, "x", "", [], {}, True, -1.5, [1], {"x": [None]})


def damaged(value: Any, chance: random.Random) -> Any:
    """The value with some of its parts gone or of another type."""
    if chance.random() < 0.05:
        return chance.choice(WRONG)
    if isinstance(value, dict):
        return {name: damaged(part, chance) for name, part in value.items() if chance.random() > 0.03}
    if isinstance(value, list):
        return [damaged(part, chance) for part in value]
    return value


def replay_damaged(
    cell: Cell,
    seed: int,
    play: Callable[[dict[str, Any], random.Random], None],
    feed: Callable[[Any, bool], object],
) -> None:
    """Run the cell's traffic: `play` does what the recorded client did, `feed` gives the bridge a message of
    the agent and is told whether it is sound."""
    chance = random.Random(seed)
    lines = [line for line in cell.lines() if line.dir in (PROVIDER_TO_BRIDGE, BRIDGE_TO_PROVIDER)]
    if seed % 3 == 0:
        chance.shuffle(lines)
    for line in lines:
        message = decode(line.line)
        if line.dir == BRIDGE_TO_PROVIDER:
            play(message, chance)
            continue
        for _ in range(chance.choice([0, 1, 1, 1, 1, 1, 1, 2])):
            sound = chance.random() < 0.6
            feed(message if sound else damaged(message, chance), sound)
