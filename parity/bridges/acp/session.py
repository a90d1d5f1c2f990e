"""One thread of the ACP bridge: its session, its lane, and what is in flight.

States: *pending* until `session_id` is known · *history* from a load until the first prompt · *idle* ·
*prompting* while `prompts` is not zero (with `cancelled` once a stop was sent, with `steering` once input
waits for the next prompt of the same turn). The bridge changes them; this file only names them.
"""

from __future__ import annotations

from typing import Any

from parity.lanes.acp.calls import Call
from parity.lanes.acp.lane import AcpLane


class Interaction:
    """A request of the agent that waits for a person; `call` where a permission request named one."""

    __slots__ = ("call", "method", "options", "request_id")

    def __init__(self, request_id: Any, method: str, options: list[Any], call: Call | None) -> None:
        self.request_id = request_id
        self.method = method
        self.options = options
        self.call = call


class Session:
    """A thread and the ACP session behind it."""

    def __init__(self, thread_id: str, lane: AcpLane, options: dict[str, Any]) -> None:
        self.thread_id = thread_id
        self.lane = lane
        self.options = options
        self.session_id: str | None = None
        self.history = False
        self.prompting = False
        self.cancelled = False
        self.waiting: list[dict[str, Any]] = []
        self.steering: list[Any] = []
        self.interactions: dict[int, Interaction] = {}
