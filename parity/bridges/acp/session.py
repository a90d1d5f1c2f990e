"""The ACP bridge's threads: the sessions behind them, what is in flight, and what is held back.

States of a session: *pending* until `session_id` is known · *history* from a load until the first prompt ·
*idle* · *prompting* (with `cancelled` once a stop was sent, with `steering` once input waits for the next
prompt of the same turn; in protocol version 2 also `accepted` once the prompt was answered and `ran` once
work began). `prompts` counts the prompts sent. The bridge changes them; this file only names and finds them.
"""

from __future__ import annotations

from typing import Any

from parity.bridges.base import Message
from parity.lanes.acp.calls import Call
from parity.lanes.acp.lane import AcpLane

HELD_MESSAGES = 1024
"""Messages held for a session that is not known yet; what comes beyond is unhandled."""


class Interaction:
    """A request of the agent that waits for a person; `call` where a permission request is about one."""

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
        self.prompts = 0
        self.accepted = False
        self.ran = False
        self.cancelled = False
        self.queued: list[Any] | None = None
        self.steering: list[Any] = []
        self.interactions: dict[int, Interaction] = {}


class Sessions:
    """All threads of a bridge, by thread and by session, and the messages held for one to come (S42)."""

    def __init__(self) -> None:
        self.threads: dict[str, Session] = {}
        self.opening = 0
        self._by_id: dict[Any, Session] = {}
        self._held: list[Message] = []

    def add(self, session: Session) -> None:
        """A thread begins; its session may not be known yet."""
        self.threads[session.thread_id] = session

    def name(self, session: Session, session_id: str) -> None:
        """The agent's id of a thread's session is known."""
        session.session_id = session_id
        self._by_id[session_id] = session

    def forget(self, session: Session) -> None:
        """The thread is over."""
        if self.knows(session):
            del self.threads[session.thread_id]
        if self._by_id.get(session.session_id) is session:
            del self._by_id[session.session_id]

    def knows(self, session: Session) -> bool:
        """Whether the thread is still the runtime's: not released, and not begun anew."""
        return self.threads.get(session.thread_id) is session

    def find(self, session_id: Any) -> tuple[Session | None, str | None]:
        """The session of that id; for a sub-agent's, its parent's and the call it works for."""
        if not isinstance(session_id, str):
            return None, None
        session = self._by_id.get(session_id)
        if session is not None:
            return session, None
        for session in self.threads.values():
            parent = session.lane.children.get(session_id)
            if parent is not None:
                return session, parent
        return None, None

    def any(self) -> Session | None:
        """A session whose id is known, for traffic that names none."""
        return next((s for s in self.threads.values() if s.session_id is not None), None)

    def hold(self, message: Message) -> bool:
        """Hold a message for a session to come; False when none is coming or too many are held."""
        if not self.opening or len(self._held) >= HELD_MESSAGES:
            return False
        self._held.append(message)
        return True

    def release(self) -> list[Message]:
        """The held messages, in order; they are held no more."""
        held, self._held = self._held, []
        return held
