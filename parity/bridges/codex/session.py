"""One thread of the codex bridge: its codex thread, its lane, and what is in flight; and the framing.

States: *opening* until `codex_id` is known (a prompt may wait) · *idle* · *in turn* (the lane knows) · with
`stopping` once a stop was wanted of it. The bridge changes them; this file only names them.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from parity.bridges.base import JsonRpc
from parity.lanes.codex.lane import CodexLane
from parity.lanes.codex.strand import Work


class CodexRpc(JsonRpc):
    """JSON-RPC, where the agent tells of each request of its own that needs no answer (any more)."""

    withdrawing = "serverRequest/resolved"


class Interaction(Struct):
    """A request of the agent that waits for a person; `work` where it is about an item."""

    request_id: Any
    method: str
    params: dict[str, Any]
    work: Work | None


class Session:
    """A runtime thread and the codex thread behind it."""

    def __init__(self, thread_id: str, lane: CodexLane) -> None:
        self.thread_id = thread_id
        self.lane = lane
        self.codex_id: str | None = None
        self.stopping = False
        self.waiting: tuple[Any, dict[str, Any]] | None = None
        self.interactions: dict[int, Interaction] = {}
