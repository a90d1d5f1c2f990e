"""The ACP bridge: the runtime protocol on one side, an ACP agent (protocol version 1) on the other.

It owns sessions, prompts, approvals and host calls, sans I/O; the lane translates. Ids: the agent's request
ids are answered with the same value and type and never mixed with ours (S46). Updates of a session that is
not known yet are held, bounded, and applied in order once it is (S42). A loaded session's updates are
history until the next prompt (S43).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from parity.bridges.acp.session import Interaction, Session
from parity.bridges.base import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    Envelope,
    HostCall,
    JsonRpc,
    Message,
    Output,
    ToProvider,
    ToRuntime,
    failed,
    ok,
)
from parity.grammar import deltas as d
from parity.lanes.acp.dialects import Dialect, choose
from parity.lanes.acp.frames import ChunkFrame, PlanFrame, ToolFrame
from parity.lanes.acp.lane import AcpLane
from parity.lanes.acp.reader_v1 import read_tool, read_update

PROTOCOL_VERSION = 1
HELD_UPDATES = 1024
"""Updates held for a session not known yet; what comes beyond is unhandled."""

_HOST_METHODS = frozenset(
    (
        "fs/read_text_file",
        "fs/write_text_file",
        "terminal/create",
        "terminal/output",
        "terminal/wait_for_exit",
        "terminal/kill",
        "terminal/release",
    )
)
_DEFAULT_CAPABILITIES = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": True}
_CANCELLED = {"outcome": {"outcome": "cancelled"}}


class AcpBridge:
    """A bridge to one ACP agent process."""

    def __init__(self, profile: str | None = None, command: list[str] | None = None) -> None:
        self.dialect: Dialect = choose(profile, command)
        self.noise = 0
        self.envelope: Envelope = JsonRpc()
        self._agent: dict[str, Any] = {}
        self._models: Any = None
        self._sent = 0
        self._asked = 0
        self._interactions = 0
        self._pending: dict[int, Callable[[Message], None]] = {}
        self._opening = 0
        self._sessions: dict[str, Session] = {}
        self._threads: dict[str, Session] = {}
        self._held: list[tuple[str, Any, Any]] = []
        self._hosts: dict[int, HostCall] = {}
        self._tokens = 0
        self._out: list[Output] = []

    # -- entry points --------------------------------------------------------------------------------

    def runtime(self, message: Any) -> Sequence[Output]:
        """Take one message of the runtime: a request, a notification, or its answer to a request."""
        self._out = []
        if not isinstance(message, dict):
            self.noise += 1
            return self._out
        method = message.get("method")
        if method is None:
            self._interaction_answer(message)
            return self._out
        handler = _RUNTIME.get(method)
        params = message.get("params")
        request_id = message.get("id")
        if handler is None:
            self._refuse(request_id, METHOD_NOT_FOUND, f"unknown method {method!r}")
        else:
            try:
                handler(self, request_id, params if isinstance(params, dict) else {})
            except _BadParams as error:
                self._refuse(request_id, INVALID_PARAMS, str(error))
        return self._out

    def provider(self, message: Any) -> Sequence[Output]:
        """Take one message of the agent."""
        self._out = []
        if not isinstance(message, dict):
            self.noise += 1
            return self._out
        method = message.get("method")
        if isinstance(method, str):
            params = message.get("params")
            params = params if isinstance(params, dict) else {}
            if "id" in message:
                self._agent_request(message["id"], method, params, message)
            elif method == "session/update":
                self._session_update(params)
            else:
                self._agent_notification(method, params, message)
        elif "id" in message:
            self._agent_response(message)
        else:
            self.noise += 1
        return self._out

    def thread_of(self, session_id: str) -> str | None:
        """The thread whose session the agent calls `session_id`."""
        session = self._sessions.get(session_id)
        return session.thread_id if session is not None else None

    # -- sending -------------------------------------------------------------------------------------

    def _send(self, method: str, params: dict[str, Any], then: Callable[[Message], None]) -> None:
        self._sent += 1
        self._pending[self._sent] = then
        self._out.append(ToProvider({"jsonrpc": "2.0", "id": self._sent, "method": method, "params": params}))

    def _notify_agent(self, method: str, params: dict[str, Any]) -> None:
        self._out.append(ToProvider({"jsonrpc": "2.0", "method": method, "params": params}))

    def _answer_agent(self, request_id: Any, result: Any) -> None:
        self._out.append(ToProvider(ok(request_id, result)))

    def _answer(self, request_id: Any, result: Any) -> None:
        if request_id is not None:
            self._out.append(ToRuntime(ok(request_id, result)))

    def _refuse(self, request_id: Any, code: int, message: str) -> None:
        if request_id is not None:
            self._out.append(ToRuntime(failed(request_id, code, message)))

    def _fail(self, request_id: Any, error: Any) -> None:
        if request_id is not None:
            self._out.append(ToRuntime({"jsonrpc": "2.0", "id": request_id, "error": error}))

    def _deltas(self, session: Session, deltas: list[d.Delta]) -> None:
        if deltas:
            params = {"threadId": session.thread_id, "deltas": deltas}
            self._out.append(ToRuntime({"jsonrpc": "2.0", "method": "thread/delta", "params": params}))

    # -- runtime requests ----------------------------------------------------------------------------

    def _initialize(self, request_id: Any, params: dict[str, Any]) -> None:
        def then(message: Message) -> None:
            if "error" in message:
                self._fail(request_id, message["error"])
                return
            result = message.get("result")
            self._agent = result if isinstance(result, dict) else {}
            self._answer(request_id, self._agent)

        request: dict[str, Any] = {
            "protocolVersion": PROTOCOL_VERSION,
            "clientCapabilities": params.get("clientCapabilities") or _DEFAULT_CAPABILITIES,
        }
        if isinstance(params.get("clientInfo"), dict):
            request["clientInfo"] = params["clientInfo"]
        self._send("initialize", request, then)

    def _model_list(self, request_id: Any, params: dict[str, Any]) -> None:
        models = self._models.get("availableModels") if isinstance(self._models, dict) else None
        self._answer(request_id, {"models": models or []})

    def _thread_start(self, request_id: Any, params: dict[str, Any]) -> None:
        session = self._new_session(params)
        self._open_session(request_id, session, "session/new", _workspace(params))

    def _thread_resume(self, request_id: Any, params: dict[str, Any]) -> None:
        session_id = _string(params, "providerThreadId")
        session = self._new_session(params)
        session.history = True
        session.session_id = session_id
        self._sessions[session_id] = session
        loads = self._agent.get("agentCapabilities", {}).get("loadSession")
        resumes = self._session_capability("resume")
        method = "session/resume" if resumes and loads is False else "session/load"
        self._open_session(request_id, session, method, {"sessionId": session_id, **_workspace(params)})

    def _thread_fork(self, request_id: Any, params: dict[str, Any]) -> None:
        source = _string(params, "providerThreadId")
        if not self._session_capability("fork"):
            raise _BadParams("this agent cannot fork a session")
        session = self._new_session(params)
        self._open_session(request_id, session, "session/fork", {"sessionId": source, **_workspace(params)})

    def _session_capability(self, name: str) -> bool:
        capabilities = self._agent.get("agentCapabilities")
        sessions = capabilities.get("sessionCapabilities") if isinstance(capabilities, dict) else None
        return isinstance(sessions, dict) and name in sessions

    def _new_session(self, params: dict[str, Any]) -> Session:
        thread_id = _string(params, "threadId")
        if thread_id in self._threads:
            raise _BadParams(f"thread {thread_id!r} exists already")
        cwd = params.get("cwd")
        options = params.get("options")
        lane = AcpLane(self.dialect, cwd if isinstance(cwd, str) else None)
        session = Session(thread_id, lane, options if isinstance(options, dict) else {})
        self._threads[thread_id] = session
        return session

    def _open_session(self, request_id: Any, session: Session, method: str, params: dict[str, Any]) -> None:
        def then(message: Message) -> None:
            self._opening -= 1
            result = message.get("result")
            result = result if isinstance(result, dict) else {}
            session_id = result.get("sessionId", session.session_id)
            if "error" in message or not isinstance(session_id, str):
                del self._threads[session.thread_id]
                error = message.get("error") or {"code": -32603, "message": "no session id"}
                self._fail(request_id, error)
                self._release_held()
                return
            self._opened(request_id, session, session_id, result)

        self._opening += 1
        self._send(method, params, then)

    def _opened(self, request_id: Any, session: Session, session_id: str, result: dict[str, Any]) -> None:
        session.session_id = session_id
        self._sessions[session_id] = session
        self._models = result.get("models") or self._models
        identity = {"threadId": session.thread_id, "providerThreadId": session_id}
        self._answer(request_id, identity)
        self._out.append(ToRuntime({"jsonrpc": "2.0", "method": "thread/identity", "params": identity}))
        self._deltas(session, [d.ThreadStarted()])
        self._configure(session)
        self._release_held()
        waiting, session.waiting = session.waiting, []
        for params in waiting:
            self._prompt(session, params["input"])

    def _configure(self, session: Session) -> None:
        mode = session.options.get("mode")
        if isinstance(mode, str):
            params = {"sessionId": session.session_id, "modeId": mode}
            self._send("session/set_mode", params, self._configured(session, "session/set_mode"))
        config = session.options.get("config")
        for config_id, value in config.items() if isinstance(config, dict) else ():
            params = {"sessionId": session.session_id, "configId": config_id, "value": value}
            method = "session/set_config_option"
            self._send(method, params, self._configured(session, method))

    def _configured(self, session: Session, method: str) -> Callable[[Message], None]:
        def then(message: Message) -> None:
            if "error" in message:
                text = f"{method} failed: {_error_text(message['error'])}"
                self._deltas(session, [d.ProviderWarning(text)])

        return then

    def _turn_start(self, request_id: Any, params: dict[str, Any]) -> None:
        session = self._known(params)
        if session.prompting or session.waiting:
            raise _BadParams(f"a turn of {session.thread_id!r} is open; steer or stop it")
        blocks = _input(params)
        self._deltas(session, [d.TurnOpen(), d.InputAccepted(blocks, params.get("clientRequestId"))])
        self._answer(request_id, {"threadId": session.thread_id})
        if session.session_id is None:
            session.waiting.append({"input": blocks})
        else:
            self._prompt(session, blocks)

    def _prompt(self, session: Session, blocks: list[Any]) -> None:
        session.history = False
        session.prompting = True
        session.lane.begin_turn()
        self._send(
            "session/prompt",
            {"sessionId": session.session_id, "prompt": blocks},
            lambda message: self._prompt_answered(session, message),
        )

    def _turn_steer(self, request_id: Any, params: dict[str, Any]) -> None:
        """Redirect the open turn: cancel its prompt, then prompt again in the same turn."""
        session = self._known(params)
        if not session.prompting:
            raise _BadParams(f"no turn of {session.thread_id!r} is open")
        blocks = _input(params)
        self._deltas(session, [d.InputAccepted(blocks, params.get("clientRequestId"))])
        self._answer(request_id, {"threadId": session.thread_id})
        if not session.steering:
            self._cancel(session)
        session.steering.extend(blocks)

    def _thread_stop(self, request_id: Any, params: dict[str, Any]) -> None:
        session = self._known(params)
        intent = params.get("intent")
        if intent == "release":
            del self._threads[session.thread_id]
            self._sessions.pop(session.session_id or "", None)
        elif intent == "interrupt":
            session.steering = []
            if session.waiting:
                session.waiting = []
                self._deltas(session, [d.TurnBoundary("interrupted")])
            elif session.prompting and not session.cancelled:
                session.cancelled = True
                self._cancel(session)
        else:
            raise _BadParams("intent must be interrupt or release")
        self._answer(request_id, {"threadId": session.thread_id})

    def _cancel(self, session: Session) -> None:
        """Cancel the prompt; whatever waits for a person is answered `cancelled` at once (S31)."""
        self._notify_agent("session/cancel", {"sessionId": session.session_id})
        deltas: list[d.Delta] = []
        for interaction in session.interactions.values():
            self._answer_agent(
                interaction.request_id,
                _CANCELLED
                if interaction.call is not None
                else self.dialect.encode_answer(interaction.method, {"decision": "cancelled"}),
            )
            if interaction.call is not None:
                deltas += session.lane.answered(interaction.call, "cancelled")
        session.interactions.clear()
        self._deltas(session, deltas)

    def _known(self, params: dict[str, Any]) -> Session:
        thread_id = _string(params, "threadId")
        session = self._threads.get(thread_id)
        if session is None:
            raise _BadParams(f"unknown thread {thread_id!r}")
        return session

    # -- the agent's answers -------------------------------------------------------------------------

    def _agent_response(self, message: Message) -> None:
        request_id = message["id"]
        then = self._pending.pop(request_id, None) if isinstance(request_id, int) else None
        if then is None:
            self.noise += 1
            return
        then(message)

    def _prompt_answered(self, session: Session, message: Message) -> None:
        session.prompting = False
        lane = session.lane
        result = message.get("result")
        result = result if isinstance(result, dict) else {}
        usage = self.dialect.turn_usage(result)
        deltas: list[d.Delta] = [d.Usage(turn=usage)] if usage is not None else []
        if session.steering:
            blocks, session.steering = session.steering, []
            self._deltas(session, deltas + lane.settle_open())
            self._prompt(session, blocks)
            return
        status, error = "completed", None
        if "error" in message:
            status, error = "failed", _error_text(message["error"])
            code = message["error"].get("code") if isinstance(message["error"], dict) else None
            deltas.append(d.ProviderError(error, code=code))
        else:
            status, error = _turn_status(result.get("stopReason"))
        if session.cancelled:
            status, error = "interrupted", None
        session.cancelled = False
        session.interactions.clear()
        self._deltas(session, deltas + lane.end_turn(status, error))

    # -- the agent's notifications -------------------------------------------------------------------

    def _session_update(self, params: dict[str, Any]) -> None:
        session_id = params.get("sessionId")
        update = params.get("update")
        session = self._sessions.get(session_id) if isinstance(session_id, str) else None
        parent: str | None = None
        if session is None:
            session, parent = self._child(session_id)
        if session is None:
            self._hold("session/update", session_id, params)
            return
        frame = read_update(update)
        if session.history and isinstance(frame, (ChunkFrame, ToolFrame, PlanFrame)):
            return
        self._deltas(session, session.lane.frame(frame, update, parent))

    def _child(self, session_id: Any) -> tuple[Session | None, str | None]:
        for session in self._threads.values():
            parent = session.lane.children.get(session_id)
            if parent is not None:
                return session, parent
        return None, None

    def _hold(self, method: str, session_id: Any, params: Any) -> None:
        if self._opening and len(self._held) < HELD_UPDATES:
            self._held.append((method, session_id, params))
            return
        session = next(iter(self._threads.values()), None)
        if session is None:
            self.noise += 1
            return
        update = params.get("update") if isinstance(params, dict) else None
        kind = update.get("sessionUpdate") if isinstance(update, dict) else None
        self._deltas(session, [d.Unhandled(params, kind if isinstance(kind, str) else method)])

    def _release_held(self) -> None:
        held, self._held = self._held, []
        for method, _, params in held:
            if method == "session/update":
                self._session_update(params)
            else:
                self._agent_notification(method, params, {"method": method, "params": params})

    def _agent_notification(self, method: str, params: dict[str, Any], message: Message) -> None:
        if method == "$/cancel_request":
            self._withdraw(params.get("requestId"))
            return
        notice = self.dialect.notification(method, params)
        if notice is None and method.startswith(("elicitation/", "$/")):
            return
        session = self._sessions.get(params.get("sessionId") or "")
        session = session or next(iter(self._threads.values()), None)
        if notice is None:
            if session is None or session.session_id is None:
                self._hold(method, params.get("sessionId"), params)
            else:
                self._deltas(session, session.lane.unhandled(message, method))
            return
        if session is None:
            return
        if notice.child_session is not None:
            self._deltas(session, session.lane.adopt(notice.child_session))
        if notice.plan is not None:
            self._deltas(session, session.lane.vendor_plan(notice.plan))
        if notice.warning is not None:
            self._deltas(session, [d.ProviderWarning(notice.warning)])

    def _withdraw(self, request_id: Any) -> None:
        """The agent takes back a request that waits for a person."""
        for session in self._threads.values():
            for ours, interaction in list(session.interactions.items()):
                if interaction.request_id == request_id:
                    del session.interactions[ours]
                    self._answer_agent(request_id, _CANCELLED)
                    if interaction.call is not None:
                        self._deltas(session, session.lane.answered(interaction.call, "cancelled"))

    # -- the agent's requests ------------------------------------------------------------------------

    def _agent_request(self, request_id: Any, method: str, params: dict[str, Any], message: Message) -> None:
        if method in _HOST_METHODS:
            self._tokens += 1
            call = HostCall(self._tokens, request_id, method, params)
            self._hosts[self._tokens] = call
            self._out.append(call)
            return
        session = self._sessions.get(params.get("sessionId") or "")
        if session is None:
            session = self._child(params.get("sessionId"))[0]
        if method == "session/request_permission":
            self._permission(request_id, session, params)
            return
        session = session or next(iter(self._threads.values()), None)
        if method == "elicitation/create":
            self._answer_agent(request_id, {"action": "decline"})
            if session is not None:
                asked = params.get("message")
                text = f"declined the agent's form: {asked if isinstance(asked, str) else method}"
                self._deltas(session, [d.ProviderWarning(text)])
            return
        if session is not None and self._vendor_request(request_id, session, method, params):
            return
        self._out.append(ToProvider(failed(request_id, METHOD_NOT_FOUND, f"Method not found: {method}")))
        if session is not None and not self.dialect.declines(method):
            self._deltas(session, session.lane.unhandled(message, method))

    def _permission(self, request_id: Any, session: Session | None, params: dict[str, Any]) -> None:
        call = params.get("toolCall")
        frame = read_tool(call, begins=False) if isinstance(call, dict) else None
        if session is None or frame is None:
            self._out.append(ToProvider(failed(request_id, INVALID_PARAMS, "unknown session or tool call")))
            return
        if not session.prompting:
            self._answer_agent(request_id, _CANCELLED)
            self._deltas(session, session.lane.unhandled(params, "session/request_permission"))
            return
        options = params.get("options")
        options = [o for o in options if isinstance(o, dict)] if isinstance(options, list) else []
        interaction_id = self._interaction_id()
        deltas, asked = session.lane.ask(frame, options, interaction_id)
        payload: dict[str, Any] = {"kind": "approval"}
        if asked.kind == "switch_mode":
            payload["kind"] = "plan_exit"
            if isinstance(asked.args.get("plan"), str):
                payload["plan"] = asked.args["plan"]
        if asked.title:
            payload["title"] = asked.title
        if asked.ask is not None and asked.ask.reason:
            payload["reason"] = asked.ask.reason
        payload["options"] = options
        self._deltas(session, deltas)
        interaction = Interaction(request_id, "session/request_permission", options, asked)
        self._ask_runtime(session, interaction, interaction_id, asked.id, payload)

    def _vendor_request(self, request_id: Any, session: Session, method: str, params: dict[str, Any]) -> bool:
        told = self.dialect.acknowledge(method, params)
        if told is not None:
            self._answer_agent(request_id, told.answer)
            lane = session.lane
            self._deltas(session, lane.inform(told.call_id, told.label, told.child_ref))
            if told.plan is not None:
                self._deltas(session, lane.vendor_plan(told.plan))
            return True
        question = self.dialect.question(method, params)
        if question is None:
            return False
        interaction = Interaction(request_id, method, [], None)
        call_id = question.call_id
        if call_id is not None and session.lane.open_call(call_id) is None:
            call_id = None
        interaction_id = self._interaction_id()
        self._ask_runtime(session, interaction, interaction_id, call_id, question.payload)
        return True

    def _interaction_id(self) -> str:
        self._interactions += 1
        return f"interaction-{self._interactions}"

    def _ask_runtime(
        self,
        session: Session,
        interaction: Interaction,
        interaction_id: str,
        item_id: str | None,
        payload: dict[str, Any],
    ) -> None:
        self._asked += 1
        session.interactions[self._asked] = interaction
        params: dict[str, Any] = {"threadId": session.thread_id, "interactionId": interaction_id}
        if item_id is not None:
            params["itemId"] = item_id
        params["payload"] = payload
        self._out.append(
            ToRuntime(
                {
                    "jsonrpc": "2.0",
                    "id": self._asked,
                    "method": "interaction/request",
                    "params": params,
                }
            )
        )

    def _interaction_answer(self, message: Message) -> None:
        ours = message.get("id")
        for session in self._threads.values():
            interaction = session.interactions.pop(ours, None) if isinstance(ours, int) else None
            if interaction is not None:
                self._resolve(session, interaction, message)
                return

    def _resolve(self, session: Session, interaction: Interaction, message: Message) -> None:
        result = message.get("result")
        result = result if isinstance(result, dict) else {"decision": "cancelled"}
        if interaction.call is None:
            if "error" in message:
                response = {"jsonrpc": "2.0", "id": interaction.request_id}
                self._out.append(ToProvider({**response, "error": message["error"]}))
                return
            answer = self.dialect.encode_answer(interaction.method, result)
            self._answer_agent(interaction.request_id, answer)
            return
        decision, option_id = _choice(result, interaction.options)
        outcome: dict[str, Any] = {"outcome": "cancelled"}
        if option_id is not None:
            outcome = {"outcome": "selected", "optionId": option_id}
        self._answer_agent(interaction.request_id, {"outcome": outcome})
        self._deltas(session, session.lane.answered(interaction.call, decision))

    # -- host calls ----------------------------------------------------------------------------------

    def host_result(self, token: int, result: Any) -> Sequence[Output]:
        """A host call succeeded: answer the agent; a terminal's news reach its call (S14)."""
        self._out = []
        call = self._hosts.pop(token)
        self._answer_agent(call.request_id, result)
        if call.method.startswith("terminal/"):
            params = call.params if isinstance(call.params, dict) else {}
            self._terminal(call.method, params, result if isinstance(result, dict) else {})
        return self._out

    def host_error(self, token: int, error: Message) -> Sequence[Output]:
        """A host call failed with a JSON-RPC error object: the agent is told."""
        self._out = []
        call = self._hosts.pop(token)
        self._out.append(ToProvider({"jsonrpc": "2.0", "id": call.request_id, "error": error}))
        return self._out

    def _terminal(self, method: str, params: dict[str, Any], result: dict[str, Any]) -> None:
        session = self._sessions.get(params.get("sessionId") or "")
        terminal_id = params.get("terminalId")
        if session is None or not isinstance(terminal_id, str):
            return
        lane = session.lane
        if method == "terminal/output":
            status = result.get("exitStatus")
            code, signal = _exit(status) if isinstance(status, dict) else (None, None)
            output = result.get("output")
            if isinstance(output, str):
                self._deltas(session, lane.terminal_output(terminal_id, output, code, signal))
        elif method == "terminal/wait_for_exit":
            lane.terminal_exit(terminal_id, *_exit(result))
        elif method == "terminal/release":
            lane.terminal_released(terminal_id)


class _BadParams(Exception):
    """A runtime request whose params do not fit; becomes an INVALID_PARAMS answer."""


def _string(params: dict[str, Any], name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str):
        raise _BadParams(f"{name} must be a string")
    return value


def _input(params: dict[str, Any]) -> list[Any]:
    blocks = params.get("input")
    if not isinstance(blocks, list) or not blocks:
        raise _BadParams("input must be a list of content blocks")
    return blocks


def _workspace(params: dict[str, Any]) -> dict[str, Any]:
    options = params.get("options")
    servers = options.get("mcpServers") if isinstance(options, dict) else None
    return {"cwd": _string(params, "cwd"), "mcpServers": servers if servers is not None else []}


def _turn_status(stop_reason: Any) -> tuple[str, str | None]:
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
        return f"{error['message']}: {details}" if isinstance(details, str) else error["message"]
    return str(error)


def _choice(result: dict[str, Any], options: list[Any]) -> tuple[str, str | None]:
    """The decision and the option that carries it: the named one, else the first of its kind."""
    decision, option_id = result.get("decision"), result.get("optionId")
    for option in options:
        if option_id is not None and option.get("optionId") == option_id:
            if decision not in ("allowed", "denied"):
                allows = str(option.get("kind")).startswith("allow")
                decision = "allowed" if allows else "denied"
            return decision, option_id
    for kind in {
        "allowed": ("allow_once", "allow_always"),
        "denied": ("reject_once", "reject_always"),
    }.get(str(decision), ()):
        for option in options:
            if option.get("kind") == kind and isinstance(option.get("optionId"), str):
                return str(decision), option["optionId"]
    return "cancelled", None


def _exit(status: dict[str, Any]) -> tuple[int | None, str | None]:
    code, signal = status.get("exitCode"), status.get("signal")
    return (
        code if isinstance(code, int) and not isinstance(code, bool) else None,
        signal if isinstance(signal, str) else None,
    )


_RUNTIME: dict[str, Callable[[AcpBridge, Any, dict[str, Any]], None]] = {
    "initialize": AcpBridge._initialize,
    "model/list": AcpBridge._model_list,
    "thread/start": AcpBridge._thread_start,
    "thread/resume": AcpBridge._thread_resume,
    "thread/fork": AcpBridge._thread_fork,
    "thread/stop": AcpBridge._thread_stop,
    "turn/start": AcpBridge._turn_start,
    "turn/steer": AcpBridge._turn_steer,
}
