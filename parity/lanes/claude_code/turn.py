"""One turn of a session: whose it is and what has happened in it.

States: *idle* → *open* (ours, or the agent's own) → idle. `pending` holds how an open turn would end, where a
result came that is not its end by itself (S39, a steered message still queued).
"""

from __future__ import annotations

from parity.grammar.newest import Newest
from parity.lanes.policy import REMEMBERED_CALLS


class Turn:
    """What is known of the open turn; a new one replaces it."""

    __slots__ = (
        "agent",
        "errors",
        "interrupting",
        "messages",
        "open",
        "pending",
        "prompts",
        "said",
        "steered",
        "worked",
    )

    def __init__(self, *, is_open: bool = False, agent: bool = False) -> None:
        self.open = is_open
        self.agent = agent  # nobody asked for it
        self.interrupting = False  # we asked the agent to stop
        self.worked = False  # the agent did anything
        self.said = False  # the agent answered in words
        self.steered = False  # a message was added to it
        self.errors: set[str] = set()  # reported already
        self.messages: Newest[str] = Newest(REMEMBERED_CALLS)  # ids of the agent's messages
        self.prompts: set[str] = set()  # texts and uuids of ours, for their echo
        self.pending: tuple[str, str | None] | None = None
