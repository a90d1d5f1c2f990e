"""The ACP bridge: the runtime protocol on one side, an ACP agent (protocol version 1 or 2) on the other.

It owns sessions, sans I/O; `prompts` has their turns, `requests` serves what the agent asks, the lane
translates what it tells, `versions` words it all for the version that was agreed on. Updates of a session
that is not known yet are held, bounded, and applied in order once it is (S42). A loaded session's updates are
history until the next prompt (S43), in version 2 until the answer that opened it.
"""

from __future__ import annotations

from typing import Any, ClassVar

from parity.bridges.acp.prompts import Prompts, error_words
from parity.bridges.acp.session import Session
from parity.bridges.acp.versions import LATEST, agreed, offer
from parity.bridges.base import INTERNAL_ERROR, INVALID_PARAMS, Message
from parity.bridges.jsonrpc import BadParams, Params, Then, members, string
from parity.grammar import deltas as d
from parity.lanes.acp.dialects import choose
from parity.lanes.acp.frames import HISTORY, StateFrame
from parity.lanes.acp.lane import AcpLane


class AcpBridge(Prompts):
    """A bridge to one ACP agent process; `profile` or the launch command chooses the dialect."""

    def __init__(self, profile: str | None = None, command: list[str] | None = None) -> None:
        super().__init__(choose(profile, command))
        self._agent: Params = {}
        self._models: list[Any] = []

    def thread_of(self, session_id: str) -> str | None:
        """The thread whose session the agent calls `session_id`."""
        session = self.sessions.find(session_id)[0]
        return session.thread_id if session is not None else None

    def _threads_lost(self, reason: str) -> None:
        for thread_id, session in self.sessions.threads.items():
            self._lose(thread_id, reason, session.lane.settle_open())

    # -- runtime requests ----------------------------------------------------------------------------

    def _initialize(self, request_id: Any, params: Params) -> None:
        def then(message: Message) -> None:
            if message.get("error") is not None:
                self._fail(request_id, message["error"])
                return
            self._agent = members(message, "result")
            version = agreed(self._agent)
            if version is None:
                text = f"the agent speaks ACP version {self._agent['protocolVersion']}, newer than {LATEST}"
                self._refuse(request_id, INVALID_PARAMS, text)
                return
            self.version = version
            self._answer(request_id, self._agent)

        self._send("initialize", offer(params), then)

    def _model_list(self, request_id: Any, params: Params) -> None:
        self._answer(request_id, {"models": self._models})

    def _thread_start(self, request_id: Any, params: Params) -> None:
        workspace = self.version.workspace(params)
        self._open(request_id, self._new_session(params), "session/new", workspace)

    def _thread_resume(self, request_id: Any, params: Params) -> None:
        session_id, workspace = string(params, "providerThreadId"), self.version.workspace(params)
        session = self._new_session(params)
        session.history = True
        self.sessions.name(session, session_id)
        method = self.version.resuming(self._agent)
        self._open(request_id, session, method, {"sessionId": session_id, **workspace})

    def _thread_fork(self, request_id: Any, params: Params) -> None:
        source, workspace = string(params, "providerThreadId"), self.version.workspace(params)
        if "fork" not in self.version.session_capabilities(self._agent):
            raise BadParams("this agent cannot fork a session")
        session = self._new_session(params)
        self._open(request_id, session, "session/fork", {"sessionId": source, **workspace})

    def _new_session(self, params: Params) -> Session:
        thread_id = string(params, "threadId")
        if thread_id in self.sessions.threads:
            raise BadParams(f"thread {thread_id!r} exists already")
        lane = AcpLane(self.dialect, params["cwd"])
        lane.starts_turns &= not self.version.tells_state
        session = Session(thread_id, lane, members(params, "options"))
        self.sessions.add(session)
        return session

    def _open(self, request_id: Any, session: Session, method: str, params: Params) -> None:
        def then(message: Message) -> None:
            self.sessions.opening -= 1
            result = members(message, "result")
            session_id = result.get("sessionId", session.session_id)
            if not self.sessions.knows(session):
                self._refuse(request_id, INTERNAL_ERROR, "the thread was released before it opened")
                self._apply_held()
            elif message.get("error") is not None or not isinstance(session_id, str):
                self.sessions.forget(session)
                error = message.get("error") or {"code": INTERNAL_ERROR, "message": "no session id"}
                self._fail(request_id, error)
                if session.queued is not None:
                    self._lose(session.thread_id, error_words(error))
                self._apply_held()
            else:
                self._opened(request_id, session, session_id, result)

        self.sessions.opening += 1
        self._send(method, params, then)

    def _opened(self, request_id: Any, session: Session, session_id: str, result: Params) -> None:
        self.sessions.name(session, session_id)
        models = self.version.models(result)
        self._models = models if models is not None else self._models
        if self.version.tells_state:  # what is repeated of the past comes before this answer
            session.history = False
        identity = {"threadId": session.thread_id, "providerThreadId": session_id}
        self._answer(request_id, identity)
        self._tell("thread/identity", identity)
        self._deltas(session.thread_id, [d.ThreadStarted()])
        self._configure(session, result)
        self._apply_held()
        if session.queued is not None:
            blocks, session.queued = session.queued, None
            self._prompt(session, blocks)

    def _configure(self, session: Session, result: Params) -> None:
        """Set the mode and the options the thread was started with."""
        for method, params in self.version.settings(session.options, result):
            self._send(method, {"sessionId": session.session_id, **params}, self._configured(session, method))

    def _configured(self, session: Session, method: str) -> Then:
        def then(message: Message) -> None:
            if message.get("error") is not None and self.sessions.knows(session):
                text = f"{method} failed: {error_words(message['error'])}"
                self._deltas(session.thread_id, [d.ProviderWarning(text)])

        return then

    # -- what the agent tells ------------------------------------------------------------------------

    def _agent_notification(self, method: str, params: Params, message: Message) -> None:
        if method == "session/update":
            self._update(params, message)
        elif method == "$/cancel_request":
            self._taken_back(params.get("requestId"))
        elif not method.startswith(("elicitation/", "$/")):
            self._vendor_notification(method, params, message)

    def _update(self, params: Params, message: Message) -> None:
        session, parent = self.sessions.find(params.get("sessionId"))
        if session is None:
            self._homeless(message, params)
            return
        update = params.get("update")
        frame = self.version.read_update(update)
        if session.history and isinstance(frame, HISTORY):
            return
        if type(frame) is StateFrame and parent is None:
            self._state(session, frame)
        else:
            self._deltas(session.thread_id, session.lane.frame(frame, update, parent))

    def _homeless(self, message: Message, params: Params) -> None:
        """Traffic of no known session: held where one is coming, else kept as unhandled."""
        if self.sessions.hold(message):
            return
        session = self.sessions.any() or next(iter(self.sessions.threads.values()), None)
        if session is None:
            self.noise += 1
            return
        kind = members(params, "update").get("sessionUpdate")
        raw_type = kind if isinstance(kind, str) else message["method"]
        self._deltas(session.thread_id, [d.Unhandled(params, raw_type)])

    def _apply_held(self) -> None:
        for message in self.sessions.release():
            self._agent_notification(message["method"], members(message, "params"), message)

    def _vendor_notification(self, method: str, params: Params, message: Message) -> None:
        notice = self.dialect.notification(method, params)
        session = self.sessions.find(params.get("sessionId"))[0] or self.sessions.any()
        if notice is None:
            if session is None:
                self._homeless(message, params)
            else:
                self._deltas(session.thread_id, session.lane.unhandled(message, method))
        elif session is not None:
            if notice.child_session is not None:
                self._deltas(session.thread_id, session.lane.adopt(notice.child_session))
            if notice.plan is not None:
                self._deltas(session.thread_id, session.lane.vendor_plan(notice.plan))

    RUNTIME_METHODS: ClassVar = {
        "initialize": _initialize,
        "model/list": _model_list,
        "thread/start": _thread_start,
        "thread/resume": _thread_resume,
        "thread/fork": _thread_fork,
        "thread/stop": Prompts._thread_stop,
        "turn/start": Prompts._turn_start,
        "turn/steer": Prompts._turn_steer,
    }
