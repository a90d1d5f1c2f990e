"""Turns of the ACP bridge: prompts, steering, stops, and what ends them.

A turn is one prompt, or several where it was steered: steering cancels the prompt and prompts again inside
the same turn, which every agent understands. In protocol version 1 the prompt's answer ends the work; in
version 2 it only accepts the prompt, and the session's state says when work begins and ends, also work no
prompt asked for, which is a turn of its own.
"""

from __future__ import annotations

from typing import Any

from parity.bridges.acp.requests import AgentRequests
from parity.bridges.acp.session import Session
from parity.bridges.base import Message
from parity.bridges.jsonrpc import BadParams, Params, content_blocks, members, string
from parity.grammar import deltas as d
from parity.lanes.acp.frames import StateFrame

_REQUEST_CANCELLED = -32800


class Prompts(AgentRequests):
    """Begins, steers and ends the turns of all threads."""

    def _turn_start(self, request_id: Any, params: Params) -> None:
        session, blocks = self._known(params), content_blocks(params)
        if self._works(session) or session.queued is not None:
            raise BadParams(f"a turn of {session.thread_id!r} is open; steer or stop it")
        accepted = d.InputAccepted(blocks, params.get("clientRequestId"))
        before = session.lane.end_agent_turn()
        self._deltas(session.thread_id, [*before, d.TurnOpen(), accepted])
        self._answer(request_id, {"threadId": session.thread_id})
        if session.session_id is None or self._is_opening(session):
            session.queued = blocks
        else:
            self._prompt(session, blocks)

    def _is_opening(self, session: Session) -> bool:
        """Whether a resumed session's load is not answered yet: its id is known before it is ready."""
        return session.history and self.sessions.opening > 0

    def _prompt(self, session: Session, blocks: list[Any]) -> None:
        session.history = False
        session.prompting = True
        session.accepted = session.ran = False
        session.prompts += 1
        number = session.prompts
        session.lane.begin_turn()
        params = {"sessionId": session.session_id, "prompt": blocks}
        self._send("session/prompt", params, lambda message: self._prompt_answered(session, number, message))

    def _turn_steer(self, request_id: Any, params: Params) -> None:
        session, blocks = self._known(params), content_blocks(params)
        if not self._works(session) or session.cancelled:
            raise BadParams(f"no turn of {session.thread_id!r} is open")
        accepted = d.InputAccepted(blocks, params.get("clientRequestId"))
        self._deltas(session.thread_id, [accepted])
        self._answer(request_id, {"threadId": session.thread_id})
        if not session.steering:
            self._cancel(session)
        session.steering.extend(blocks)

    def _thread_stop(self, request_id: Any, params: Params) -> None:
        session, intent = self._known(params), params.get("intent")
        if intent == "release":
            self.sessions.forget(session)
            self._drop_interactions(session)
        elif intent != "interrupt":
            raise BadParams("intent must be interrupt or release")
        elif session.queued is not None:
            session.queued = None
            self._deltas(session.thread_id, [d.TurnBoundary("interrupted")])
        elif self._works(session) and not session.cancelled:
            session.cancelled = True
            if session.steering:
                session.steering = []
            else:
                self._cancel(session)
        self._answer(request_id, {"threadId": session.thread_id})

    def _cancel(self, session: Session) -> None:
        self._tell_agent("session/cancel", {"sessionId": session.session_id})
        self._cancel_interactions(session)

    def _known(self, params: Params) -> Session:
        thread_id = string(params, "threadId")
        session = self.sessions.threads.get(thread_id)
        if session is None:
            raise BadParams(f"unknown thread {thread_id!r}")
        return session

    # -- what ends work ------------------------------------------------------------------------------

    def _prompt_answered(self, session: Session, number: int, message: Message) -> None:
        if not self.sessions.knows(session):
            return
        error, result = message.get("error"), members(message, "result")
        if self.version.tells_state:
            if number != session.prompts or not session.prompting:
                self._answered_late(session, error)
                return
            if error is None:
                session.accepted = True
                return
        usage = self.dialect.turn_usage(result)
        deltas: list[d.Delta] = [d.Usage(turn=usage)] if usage is not None else []
        status, text = _turn_status(result.get("stopReason"))
        if error is not None and not session.steering:
            status, text = "failed", error_words(error)
            deltas.append(d.ProviderError(text, code=_code(error)))
        self._over(session, deltas, status, text)

    def _answered_late(self, session: Session, error: Any) -> None:
        """An answer to a prompt whose turn is over; that a cancelled one was cancelled is no news."""
        if error is not None and _code(error) != _REQUEST_CANCELLED:
            self._deltas(session.thread_id, [d.ProviderError(error_words(error), code=_code(error))])

    def _state(self, session: Session, frame: StateFrame) -> None:
        """The session's foreground work changed (version 2).

        An idle before the prompt was accepted or any work began is about earlier work, unless it says why
        work stopped or a cancel asked for it.
        """
        if session.queued is not None:
            return
        if frame.state != "idle":
            if session.prompting:
                session.ran = True
            elif not session.lane.turn_open:
                self._deltas(session.thread_id, session.lane.begin_agent_turn())
            return
        stopped = session.cancelled or bool(session.steering) or frame.stop_reason is not None
        if session.lane.agent_turn or (session.prompting and (session.accepted or session.ran or stopped)):
            status, text = (
                ("completed", None) if frame.stop_reason is None else _turn_status(frame.stop_reason)
            )
            deltas: list[d.Delta] = []
            if frame.error is not None and not (session.steering or session.cancelled):
                text = error_words(frame.error)
                deltas.append(d.ProviderError(text, code=_code(frame.error)))
            self._over(session, deltas, status, text)

    def _over(self, session: Session, deltas: list[d.Delta], status: str, text: str | None) -> None:
        """The work is over: the turn goes on with the input that waits, or ends."""
        session.prompting = False
        lane = session.lane
        if session.steering:
            blocks, session.steering = session.steering, []
            self._deltas(session.thread_id, deltas + lane.settle_open())
            self._prompt(session, blocks)
            return
        if session.cancelled:
            status, text = "interrupted", None
        session.cancelled = False
        self._cancel_interactions(session)
        self._deltas(session.thread_id, deltas + lane.end_turn(status, text))


def _turn_status(stop_reason: Any) -> tuple[str, str | None]:
    """The turn's status, and the agent's own word where it failed (S35)."""
    if stop_reason == "end_turn":
        return "completed", None
    if stop_reason == "cancelled":
        return "interrupted", None
    if isinstance(stop_reason, str):
        return "failed", f"the agent stopped: {stop_reason}"
    return "failed", "the agent answered the prompt without a stop reason"


def _code(error: Any) -> Any:
    return error.get("code") if isinstance(error, dict) else None


def error_words(error: Any) -> str:
    """An agent's error object in words, with its details."""
    if isinstance(error, dict) and isinstance(error.get("message"), str):
        data = error.get("data")
        details = data.get("details") if isinstance(data, dict) else data
        return f"{error['message']}: {details}" if isinstance(details, str) else str(error["message"])
    return str(error)
