"""The ACP bridge: the runtime protocol on one side, an ACP agent (protocol version 1) on the other.

It owns sessions and prompts, sans I/O; `requests` serves what the agent asks, the lane translates what it
tells. Updates of a session that is not known yet are held, bounded, and applied in order once it is (S42). A
loaded session's updates are history until the next prompt (S43). Policy: a turn is steered by cancelling its
prompt and prompting again inside the same turn, which every agent understands.
"""

from __future__ import annotations

from typing import Any, ClassVar

from parity.bridges.acp.requests import AgentRequests
from parity.bridges.acp.session import Session
from parity.bridges.base import Message
from parity.bridges.jsonrpc import BadParams, Params, Then, content_blocks, members, string
from parity.grammar import deltas as d
from parity.lanes.acp.dialects import choose
from parity.lanes.acp.frames import ChunkFrame, PlanFrame, ToolFrame
from parity.lanes.acp.lane import AcpLane
from parity.lanes.acp.reader_v1 import read_update

PROTOCOL_VERSION = 1
_DEFAULT_CAPABILITIES = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": True}


class AcpBridge(AgentRequests):
    """A bridge to one ACP agent process; `profile` or the launch command chooses the dialect."""

    def __init__(self, profile: str | None = None, command: list[str] | None = None) -> None:
        super().__init__(choose(profile, command))
        self._agent: Params = {}
        self._models: Any = None

    def thread_of(self, session_id: str) -> str | None:
        """The thread whose session the agent calls `session_id`."""
        session = self.sessions.find(session_id)[0]
        return session.thread_id if session is not None else None

    # -- runtime requests ----------------------------------------------------------------------------

    def _initialize(self, request_id: Any, params: Params) -> None:
        def then(message: Message) -> None:
            if message.get("error") is not None:
                self._fail(request_id, message["error"])
                return
            self._agent = members(message, "result")
            self._answer(request_id, self._agent)

        capabilities = params.get("clientCapabilities") or _DEFAULT_CAPABILITIES
        request: Params = {"protocolVersion": PROTOCOL_VERSION, "clientCapabilities": capabilities}
        if isinstance(params.get("clientInfo"), dict):
            request["clientInfo"] = params["clientInfo"]
        self._send("initialize", request, then)

    def _model_list(self, request_id: Any, params: Params) -> None:
        models = self._models.get("availableModels") if isinstance(self._models, dict) else None
        self._answer(request_id, {"models": models or []})

    def _thread_start(self, request_id: Any, params: Params) -> None:
        workspace = _workspace(params)
        self._open(request_id, self._new_session(params), "session/new", workspace)

    def _thread_resume(self, request_id: Any, params: Params) -> None:
        session_id, workspace = string(params, "providerThreadId"), _workspace(params)
        session = self._new_session(params)
        session.history = True
        self.sessions.name(session, session_id)
        loads = members(self._agent, "agentCapabilities").get("loadSession") is not False
        method = "session/load" if loads or not self._can("resume") else "session/resume"
        self._open(request_id, session, method, {"sessionId": session_id, **workspace})

    def _thread_fork(self, request_id: Any, params: Params) -> None:
        source, workspace = string(params, "providerThreadId"), _workspace(params)
        if not self._can("fork"):
            raise BadParams("this agent cannot fork a session")
        session = self._new_session(params)
        self._open(request_id, session, "session/fork", {"sessionId": source, **workspace})

    def _can(self, what: str) -> bool:
        return what in members(members(self._agent, "agentCapabilities"), "sessionCapabilities")

    def _new_session(self, params: Params) -> Session:
        thread_id = string(params, "threadId")
        if thread_id in self.sessions.threads:
            raise BadParams(f"thread {thread_id!r} exists already")
        session = Session(thread_id, AcpLane(self.dialect, params["cwd"]), members(params, "options"))
        self.sessions.add(session)
        return session

    def _open(self, request_id: Any, session: Session, method: str, params: Params) -> None:
        def then(message: Message) -> None:
            self.sessions.opening -= 1
            result = members(message, "result")
            session_id = result.get("sessionId", session.session_id)
            if message.get("error") is not None or not isinstance(session_id, str):
                self.sessions.forget(session)
                error = message.get("error") or {"code": -32603, "message": "no session id"}
                self._fail(request_id, error)
                self._apply_held()
            else:
                self._opened(request_id, session, session_id, result)

        self.sessions.opening += 1
        self._send(method, params, then)

    def _opened(self, request_id: Any, session: Session, session_id: str, result: Params) -> None:
        self.sessions.name(session, session_id)
        self._models = result.get("models") or self._models
        identity = {"threadId": session.thread_id, "providerThreadId": session_id}
        self._answer(request_id, identity)
        self._tell("thread/identity", identity)
        self._deltas(session.thread_id, [d.ThreadStarted()])
        self._configure(session)
        self._apply_held()
        if session.queued is not None:
            blocks, session.queued = session.queued, None
            self._prompt(session, blocks)

    def _configure(self, session: Session) -> None:
        """Set the mode and the options the thread was started with."""
        mode = session.options.get("mode")
        if isinstance(mode, str):
            method = "session/set_mode"
            params = {"sessionId": session.session_id, "modeId": mode}
            self._send(method, params, self._configured(session, method))
        for config_id, value in members(session.options, "config").items():
            method = "session/set_config_option"
            params = {"sessionId": session.session_id, "configId": config_id, "value": value}
            self._send(method, params, self._configured(session, method))

    def _configured(self, session: Session, method: str) -> Then:
        def then(message: Message) -> None:
            if message.get("error") is not None:
                text = f"{method} failed: {_error_text(message['error'])}"
                self._deltas(session.thread_id, [d.ProviderWarning(text)])

        return then

    def _turn_start(self, request_id: Any, params: Params) -> None:
        session, blocks = self._known(params), content_blocks(params)
        if session.prompting or session.queued is not None:
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
        session.lane.begin_turn()
        params = {"sessionId": session.session_id, "prompt": blocks}
        self._send("session/prompt", params, lambda message: self._prompt_answered(session, message))

    def _turn_steer(self, request_id: Any, params: Params) -> None:
        session, blocks = self._known(params), content_blocks(params)
        if not session.prompting or session.cancelled:
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
        elif intent != "interrupt":
            raise BadParams("intent must be interrupt or release")
        elif session.queued is not None:
            session.queued = None
            self._deltas(session.thread_id, [d.TurnBoundary("interrupted")])
        elif session.prompting and not session.cancelled:
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

    # -- the answer to a prompt ----------------------------------------------------------------------

    def _prompt_answered(self, session: Session, message: Message) -> None:
        session.prompting = False
        lane = session.lane
        result = members(message, "result")
        usage = self.dialect.turn_usage(result)
        deltas: list[d.Delta] = [d.Usage(turn=usage)] if usage is not None else []
        if session.steering:
            blocks, session.steering = session.steering, []
            self._deltas(session.thread_id, deltas + lane.settle_open())
            self._prompt(session, blocks)
            return
        status, text = _turn_status(result.get("stopReason"))
        if message.get("error") is not None:
            error = message["error"]
            status, text = "failed", _error_text(error)
            code = error.get("code") if isinstance(error, dict) else None
            deltas.append(d.ProviderError(_error_text(error), code=code))
        if session.cancelled:
            status, text = "interrupted", None
        session.cancelled = False
        self._cancel_interactions(session)
        self._deltas(session.thread_id, deltas + lane.end_turn(status, text))

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
        frame = read_update(update)
        if not (session.history and isinstance(frame, (ChunkFrame, ToolFrame, PlanFrame))):
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
        "thread/stop": _thread_stop,
        "turn/start": _turn_start,
        "turn/steer": _turn_steer,
    }


def _workspace(params: Params) -> Params:
    servers = members(params, "options").get("mcpServers")
    return {"cwd": string(params, "cwd"), "mcpServers": servers if servers is not None else []}


def _turn_status(stop_reason: Any) -> tuple[str, str | None]:
    """The turn's status, and the agent's own word where it failed (S35)."""
    if stop_reason == "end_turn":
        return "completed", None
    if stop_reason == "cancelled":
        return "interrupted", None
    if isinstance(stop_reason, str):
        return "failed", f"the agent stopped: {stop_reason}"
    return "failed", "the agent answered the prompt without a stop reason"


def _error_text(error: Any) -> str:
    if isinstance(error, dict) and isinstance(error.get("message"), str):
        data = error.get("data")
        details = data.get("details") if isinstance(data, dict) else data
        return f"{error['message']}: {details}" if isinstance(details, str) else str(error["message"])
    return str(error)
