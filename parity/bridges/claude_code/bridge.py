"""The Claude Code bridge: the runtime protocol on one side, one `claude` process on the other.

The process is launched with `-p --input-format stream-json --output-format stream-json --verbose
--permission-prompt-tool stdio`; it holds one session, so one thread. Which session is a launch argument
(`--resume ID`): thread/resume only says whose identity the thread has, and the agent's first `system/init`
after the first prompt says it for good. Ids of the two sides never mix (S46).

Owned here: the control protocol, permissions, prompts. The lane owns what the agent's work means.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from parity.bridges.base import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    Envelope,
    Message,
    Output,
    ToProvider,
    ToRuntime,
    failed,
    ok,
)
from parity.bridges.claude_code import asking, envelope
from parity.bridges.claude_code.session import Interaction, Prompt, Session, prompt_of, user_line
from parity.grammar import deltas as d
from parity.lanes.claude_code.frames import Init, ToolUse
from parity.lanes.claude_code.lane import ClaudeLane
from parity.lanes.claude_code.reader import read
from parity.lanes.claude_code.shapes import plan_of

_AGENT_ERROR = -32603
_UNSUPPORTED = {"mcp_message": "this client runs no MCP servers"}
"""Control requests that are known and refused, and why."""


class ClaudeCodeBridge:
    """A bridge to one Claude Code process."""

    def __init__(self) -> None:
        self.noise = 0
        self.envelope: Envelope = envelope.ControlEnvelope()
        self._agent: dict[str, Any] = {}
        self._session: Session | None = None
        self._sent = 0
        self._asked = 0
        self._pending: dict[str, Callable[[dict[str, Any], str | None], None]] = {}
        self._out: list[Output] = []

    # -- entry points --------------------------------------------------------------------------------

    def runtime(self, message: Any) -> Sequence[Output]:
        """Take one message of the runtime: a request, or its answer to a request."""
        self._out = []
        if not isinstance(message, dict):
            self.noise += 1
            return self._out
        method = message.get("method")
        if method is None:
            self._interaction_answer(message)
            return self._out
        handler = _RUNTIME.get(method) if isinstance(method, str) else None
        params = message.get("params")
        request_id = message.get("id")
        if handler is None:
            self._refuse(request_id, METHOD_NOT_FOUND, f"unknown method {method!r}")
        else:
            try:
                handler(self, request_id, params if isinstance(params, dict) else {})
            except _BadParams as bad:
                self._refuse(request_id, INVALID_PARAMS, str(bad))
        return self._out

    def provider(self, message: Any) -> Sequence[Output]:
        """Take one message of the agent."""
        self._out = []
        kind, method, message_id = "noise", None, None
        if isinstance(message, dict):
            kind, method, message_id = self.envelope.read(message)
        if kind == "request":
            self._control_request(message_id, str(method), message)
        elif kind == "response":
            self._control_response(message_id, message)
        elif method == "control_cancel_request":
            self._withdraw(message.get("request_id"))
        elif kind == "notification" and self._session is not None:
            self._frame(self._session, message)
        else:
            self.noise += 1
        return self._out

    def host_result(self, token: int, result: Any) -> Sequence[Output]:
        """Claude Code asks nothing of the host."""
        return []

    def host_error(self, token: int, error: Message) -> Sequence[Output]:
        """Claude Code asks nothing of the host."""
        return []

    # -- sending -------------------------------------------------------------------------------------

    def _send(
        self, subtype: str, fields: dict[str, Any], then: Callable[[dict[str, Any], str | None], None]
    ) -> None:
        self._sent += 1
        request_id = f"req_{self._sent}"
        self._pending[request_id] = then
        self._out.append(ToProvider(envelope.request(request_id, subtype, fields)))

    def _answer(self, request_id: Any, result: Any) -> None:
        if request_id is not None:
            self._out.append(ToRuntime(ok(request_id, result)))

    def _refuse(self, request_id: Any, code: int, message: str) -> None:
        if request_id is not None:
            self._out.append(ToRuntime(failed(request_id, code, message)))

    def _notify(self, method: str, params: dict[str, Any]) -> None:
        self._out.append(ToRuntime({"jsonrpc": "2.0", "method": method, "params": params}))

    def _deltas(self, session: Session, deltas: Sequence[d.Delta]) -> None:
        if deltas:
            self._notify("thread/delta", {"threadId": session.thread_id, "deltas": list(deltas)})

    # -- the runtime's requests ----------------------------------------------------------------------

    def _initialize(self, request_id: Any, params: dict[str, Any]) -> None:
        def then(result: dict[str, Any], error: str | None) -> None:
            if error is not None:
                self._refuse(request_id, _AGENT_ERROR, error)
                return
            self._agent = result
            self._answer(request_id, result)

        self._send("initialize", {"hooks": None}, then)

    def _model_list(self, request_id: Any, params: dict[str, Any]) -> None:
        models = self._agent.get("models")
        self._answer(request_id, {"models": models if isinstance(models, list) else []})

    def _thread_start(self, request_id: Any, params: dict[str, Any]) -> None:
        session = self._new_session(params)
        self._answer(request_id, {"threadId": session.thread_id})
        self._deltas(session, [d.ThreadStarted()])
        self._configure(session, session.options)

    def _thread_resume(self, request_id: Any, params: dict[str, Any]) -> None:
        session_id = _string(params, "providerThreadId")
        session = self._new_session(params)
        self._answer(request_id, {"threadId": session.thread_id, "providerThreadId": session_id})
        self._identify(session, session_id)
        self._deltas(session, [d.ThreadStarted()])
        self._configure(session, session.options)

    def _thread_fork(self, request_id: Any, params: dict[str, Any]) -> None:
        raise _BadParams("a process of this agent forks only when it is launched (--fork-session)")

    def _new_session(self, params: dict[str, Any]) -> Session:
        thread_id = _string(params, "threadId")
        if self._session is not None:
            raise _BadParams(f"this process serves thread {self._session.thread_id!r} already")
        cwd, options = params.get("cwd"), params.get("options")
        self._session = Session(thread_id, ClaudeLane(cwd if isinstance(cwd, str) else None))
        self._session.options = dict(options) if isinstance(options, dict) else {}
        return self._session

    def _configure(self, session: Session, options: dict[str, Any]) -> None:
        for option, subtype in (("mode", "set_permission_mode"), ("model", "set_model")):
            value = options.get(option)
            if isinstance(value, str):
                session.options[option] = value
                self._send(subtype, {option: value}, self._configured(session, subtype))

    def _configured(self, session: Session, subtype: str) -> Callable[[dict[str, Any], str | None], None]:
        def then(result: dict[str, Any], error: str | None) -> None:
            if error is not None:
                self._deltas(session, [d.ProviderWarning(f"{subtype} failed: {error}")])

        return then

    def _turn_start(self, request_id: Any, params: dict[str, Any]) -> None:
        """Prompt. While the agent is at a turn of its own, the prompt's turn opens when that one ends."""
        session = self._known(params)
        lane = session.lane
        if session.waiting or (lane.turn_open and not lane.agent_turn):
            raise _BadParams(f"a turn of {session.thread_id!r} is open; steer or stop it")
        prompt = _prompt(params)
        options = params.get("options")
        known = session.options
        options = options.items() if isinstance(options, dict) else ()
        self._configure(session, {name: value for name, value in options if known.get(name) != value})
        if lane.agent_turn:
            session.waiting.append(prompt)
        else:
            self._begin(session, prompt)
        self._answer(request_id, {"threadId": session.thread_id})
        self._out.append(ToProvider(user_line(prompt)))

    def _begin(self, session: Session, prompt: Prompt) -> None:
        session.lane.begin_turn(prompt.echo)
        self._deltas(session, [d.TurnOpen(), d.InputAccepted(prompt.input, prompt.client_request_id)])

    def _turn_steer(self, request_id: Any, params: dict[str, Any]) -> None:
        """Another message in the open turn; the agent takes it up by itself."""
        session = self._known(params)
        if not session.lane.turn_open:
            raise _BadParams(f"no turn of {session.thread_id!r} is open")
        prompt = _prompt(params)
        session.lane.steer(prompt.echo)
        self._deltas(session, [d.InputAccepted(prompt.input, prompt.client_request_id)])
        self._answer(request_id, {"threadId": session.thread_id})
        self._out.append(ToProvider(user_line(prompt)))

    def _thread_stop(self, request_id: Any, params: dict[str, Any]) -> None:
        session = self._known(params)
        intent = params.get("intent")
        if intent == "release":
            self._session = None
        elif intent == "interrupt":
            self._interrupt(session)
        else:
            raise _BadParams("intent must be interrupt or release")
        self._answer(request_id, {"threadId": session.thread_id})

    def _interrupt(self, session: Session) -> None:
        """Stop what the agent does; whatever waits for a person is refused at once (S31)."""
        session.lane.interrupt()
        self._send("interrupt", {}, lambda _, error: self._deltas(session, session.lane.interrupted(error)))
        for interaction in session.interactions.values():
            answer = {"behavior": "deny", "message": asking.INTERRUPTED}
            self._out.append(ToProvider(envelope.success(interaction.request_id, answer)))
            if interaction.call is not None:
                self._deltas(session, session.lane.answered(interaction.call, "cancelled"))
        session.interactions.clear()

    def _known(self, params: dict[str, Any]) -> Session:
        thread_id = _string(params, "threadId")
        if self._session is None or self._session.thread_id != thread_id:
            raise _BadParams(f"unknown thread {thread_id!r}")
        return self._session

    # -- the agent -----------------------------------------------------------------------------------

    def _control_response(self, request_id: Any, message: Message) -> None:
        then = self._pending.pop(request_id, None) if isinstance(request_id, str) else None
        if then is None:
            self.noise += 1
            return
        then(*envelope.outcome(message))

    def _frame(self, session: Session, message: Message) -> None:
        frame = read(message)
        if isinstance(frame, Init) and frame.session_id is not None:
            self._identify(session, frame.session_id)
        lane = session.lane
        was_open = lane.turn_open
        self._deltas(session, lane.frame(frame, message))
        if was_open and not lane.turn_open:
            self._turn_ended(session)

    def _turn_ended(self, session: Session) -> None:
        """What waited for a person in the turn waits no more; our next prompt's turn opens."""
        session.interactions = {
            ours: interaction
            for ours, interaction in session.interactions.items()
            if interaction.call is not None and session.lane.outlives(interaction.call)
        }
        if session.waiting:
            self._begin(session, session.waiting.pop(0))

    def _identify(self, session: Session, session_id: str) -> None:
        if session_id != session.session_id:
            session.session_id = session_id
            params = {"threadId": session.thread_id, "providerThreadId": session_id}
            self._notify("thread/identity", params)

    # -- the agent's requests ------------------------------------------------------------------------

    def _control_request(self, request_id: Any, subtype: str, message: Message) -> None:
        request = message["request"]
        session = self._session
        if subtype == "can_use_tool" and session is not None:
            self._can_use_tool(request_id, session, request)
            return
        if subtype == "hook_callback":
            self._out.append(ToProvider(envelope.success(request_id, {})))
            return
        why = _UNSUPPORTED.get(subtype, f"unsupported control request: {subtype}")
        self._out.append(ToProvider(envelope.error(request_id, why)))
        if session is not None:
            self._deltas(session, session.lane.unhandled(message, f"control_request/{subtype}"))

    def _can_use_tool(self, request_id: Any, session: Session, request: dict[str, Any]) -> None:
        call_id, name, value = request.get("tool_use_id"), request.get("tool_name"), request.get("input")
        interaction = Interaction(request_id, request, None)
        plan = None
        if isinstance(call_id, str) and isinstance(name, str):
            use = ToolUse(call_id, name, value if isinstance(value, dict) else {})
            agent_id = request.get("agent_id")
            deltas, call = session.lane.ask(use, agent_id if isinstance(agent_id, str) else None)
            self._deltas(session, deltas)
            interaction.call = call
            plan = plan_of(call) if call is not None else None
        self._asked += 1
        session.interactions[self._asked] = interaction
        params: dict[str, Any] = {
            "threadId": session.thread_id,
            "interactionId": f"interaction-{self._asked}",
        }
        if interaction.call is not None:
            params["itemId"] = interaction.call.id
        params["payload"] = asking.payload_of(request, plan)
        self._out.append(
            ToRuntime(
                {"jsonrpc": "2.0", "id": self._asked, "method": "interaction/request", "params": params}
            )
        )

    def _withdraw(self, request_id: Any) -> None:
        """The agent takes a request back: it was decided elsewhere, or its call is over."""
        session = self._session
        for ours, interaction in list(session.interactions.items()) if session is not None else ():
            if session is not None and interaction.request_id == request_id:
                del session.interactions[ours]
                self._notify("$/cancel_request", {"requestId": ours})

    def _interaction_answer(self, message: Message) -> None:
        session, ours = self._session, message.get("id")
        if session is None or not isinstance(ours, int):
            return
        interaction = session.interactions.pop(ours, None)
        if interaction is None:
            return
        if message.get("error") is not None:
            text = message["error"].get("message") if isinstance(message["error"], dict) else None
            answer = envelope.error(interaction.request_id, str(text or asking.CANCELLED))
            self._out.append(ToProvider(answer))
            if interaction.call is not None:
                self._deltas(session, session.lane.answered(interaction.call, "cancelled"))
            return
        result = message.get("result")
        result = result if isinstance(result, dict) else {}
        body = asking.encode(result, interaction.request)
        self._out.append(ToProvider(envelope.success(interaction.request_id, body)))
        if body.get("interrupt") is True:
            session.lane.interrupt()
        if interaction.call is not None:
            changed, reason = result.get("updatedInput"), result.get("message")
            deltas = session.lane.answered(
                interaction.call,
                asking.decision_of(result),
                reason if isinstance(reason, str) else None,
                changed if isinstance(changed, dict) else None,
            )
            self._deltas(session, deltas)


class _BadParams(Exception):
    """A runtime request whose params do not fit; becomes an INVALID_PARAMS answer."""


def _string(params: dict[str, Any], name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str):
        raise _BadParams(f"{name} must be a string")
    return value


def _prompt(params: dict[str, Any]) -> Prompt:
    prompt = prompt_of(params)
    if prompt is None:
        raise _BadParams("input must be a list of content blocks")
    return prompt


_RUNTIME: dict[str, Callable[[ClaudeCodeBridge, Any, dict[str, Any]], None]] = {
    "initialize": ClaudeCodeBridge._initialize,
    "model/list": ClaudeCodeBridge._model_list,
    "thread/start": ClaudeCodeBridge._thread_start,
    "thread/resume": ClaudeCodeBridge._thread_resume,
    "thread/fork": ClaudeCodeBridge._thread_fork,
    "thread/stop": ClaudeCodeBridge._thread_stop,
    "turn/start": ClaudeCodeBridge._turn_start,
    "turn/steer": ClaudeCodeBridge._turn_steer,
}
