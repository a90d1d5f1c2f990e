"""The threads of one codex connection: whose a codex thread is, and what waits until that is known.

A runtime thread is known from the request that opens it, its codex thread once the agent names it. A
sub-agent's codex thread belongs to the thread whose agent started it. Notifications of codex threads that
nobody knows yet are held, bounded (S42). It says nothing to either side; the bridge does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from parity.bridges.base import Message
from parity.bridges.codex.session import Session
from parity.grammar.newest import Newest
from parity.lanes.policy import REMEMBERED_CALLS

HELD_NOTIFICATIONS = 1024
"""Notifications held for threads not known yet; what comes beyond is unhandled."""


class Threads:
    """Sessions by the names of both sides, and the notifications of threads not known yet."""

    def __init__(self) -> None:
        self.opening = 0
        """Requests that may still open a thread."""
        self._sessions: dict[str, Session] = {}
        self._codex: dict[str, Session] = {}
        self._released: Newest[str] = Newest(REMEMBERED_CALLS)
        self._held: list[Message] = []

    def __iter__(self) -> Iterator[Session]:
        return iter(self._sessions.values())

    @property
    def busy(self) -> bool:
        """Whether any thread has a turn."""
        return any(session.lane.busy for session in self)

    def named(self, thread_id: str) -> Session | None:
        """The session of a runtime thread."""
        return self._sessions.get(thread_id)

    def of(self, codex_id: Any) -> Session | None:
        """The session of a codex thread: its own, or that of the agent whose sub-agent it is."""
        if not isinstance(codex_id, str):
            return None
        session = self._codex.get(codex_id)
        if session is None:
            session = next((s for s in self if s.lane.owns(codex_id)), None)
            session = session or next((s for s in self if s.lane.children.adopt(codex_id)), None)
        return session

    def first(self) -> Session | None:
        """Whom a notification about the connection is told to."""
        return next((session for session in self if session.codex_id is not None), None)

    def add(self, session: Session) -> None:
        """The runtime wants a thread."""
        self._sessions[session.thread_id] = session

    def know(self, session: Session, codex_id: str) -> None:
        """The codex thread of a session is known."""
        self._codex[codex_id] = session
        self._released.discard(codex_id)

    def drop(self, session: Session) -> None:
        """A thread did not open."""
        del self._sessions[session.thread_id]
        self._codex.pop(session.codex_id or "", None)

    def release(self, session: Session) -> None:
        """The runtime let go of a thread, and so of its sub-agents."""
        del self._sessions[session.thread_id]
        for codex_id in list(session.lane.children.strands):
            self.ignore(codex_id)
            self._codex.pop(codex_id, None)

    def ignore(self, codex_id: str) -> None:
        """What the agent tells of a codex thread is for nobody any more."""
        self._released.add(codex_id)

    def ignores(self, codex_id: str | None) -> bool:
        """Whether what the agent tells of a codex thread is for nobody."""
        return codex_id in self._released

    def hold(self, message: Message) -> bool:
        """Keep a notification until its thread is known; False where none will be, or too many wait."""
        expecting = self.opening or self.first() is None or self.busy
        if not expecting or len(self._held) >= HELD_NOTIFICATIONS:
            return False
        self._held.append(message)
        return True

    def take_held(self) -> list[Message]:
        """The notifications held, which are not held any more."""
        held, self._held = self._held, []
        return held
