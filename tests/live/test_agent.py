"""The replay agent that plays alone: each line in its time, under the ids the bridge chose."""

from __future__ import annotations

import io
import json
from typing import Any

from live_bridges import cell

from parity.bridges.base import JsonRpc
from parity.live.agent import ReplayAgent, play_agent
from parity.wire import BRIDGE_TO_PROVIDER, PROVIDER_TO_BRIDGE, LaneLine

CELL = "acp-cursor/approval-allow"


def recorded(*lines: tuple[str, dict[str, Any]]) -> ReplayAgent:
    lanes = {"<": PROVIDER_TO_BRIDGE, ">": BRIDGE_TO_PROVIDER}
    made = [LaneLine(0, 1, n, lanes[side], json.dumps(m)) for n, (side, m) in enumerate(lines)]
    return ReplayAgent(made, JsonRpc())


def heard(agent: ReplayAgent, message: dict[str, Any] | None) -> list[Any]:
    return [json.loads(line) for line in agent.hear(json.dumps(message).encode() if message else b"")]


def test_what_the_agent_says_first_needs_no_line() -> None:
    agent = recorded(
        ("<", {"method": "hello"}), (">", {"id": 1, "method": "a"}), ("<", {"id": 1, "result": 0})
    )
    assert heard(agent, None) == [{"method": "hello"}]


def test_an_answer_carries_the_id_the_bridge_chose() -> None:
    agent = recorded((">", {"id": 1, "method": "a"}), ("<", {"id": 1, "result": 0}))
    assert heard(agent, {"id": "mine", "method": "a"}) == [{"id": "mine", "result": 0}]


def test_another_line_than_the_recorded_one_is_waited_through() -> None:
    agent = recorded((">", {"id": 1, "method": "a"}), ("<", {"id": 1, "result": 0}))
    assert heard(agent, {"id": 1, "method": "b"}) == []
    assert heard(agent, {"id": 2, "method": "a"}) == [{"id": 2, "result": 0}]


def test_a_line_that_came_early_is_not_waited_for() -> None:
    agent = recorded((">", {"method": "a"}), (">", {"method": "b"}), ("<", {"method": "done"}))
    assert heard(agent, {"method": "b"}) == []
    assert heard(agent, {"method": "a"}) == [{"method": "done"}]


def test_any_answer_to_the_agents_request_lets_it_go_on() -> None:
    agent = recorded(
        ("<", {"id": 9, "method": "fs/x"}), (">", {"id": 9, "result": 1}), ("<", {"method": "done"})
    )
    heard(agent, None)
    assert heard(agent, {"id": 9, "error": {"code": 1, "message": "no"}}) == [{"method": "done"}]


def test_a_cell_is_played_to_its_end_for_a_bridge_that_says_what_was_recorded() -> None:
    lines = list(cell(CELL).lines())
    says = "".join(line.line + "\n" for line in lines if line.dir == BRIDGE_TO_PROVIDER)
    out = io.BytesIO()
    play_agent(cell(CELL), JsonRpc(), 1, io.BytesIO(says.encode()), out)
    assert out.getvalue().count(b"\n") == sum(line.dir == PROVIDER_TO_BRIDGE for line in lines)
