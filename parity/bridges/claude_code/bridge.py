"""The Claude Code bridge: the runtime protocol on one side, one `claude` process on the other.

The process is launched with `-p --input-format stream-json --output-format stream-json --verbose
--permission-prompt-tool stdio`; it holds one session, so one thread. Which session is a launch argument
(`--resume ID`): thread/resume only says whose identity the thread has, and the agent's first `system/init`
after the first prompt says it for good. Ids of the two sides never mix (S46).

Owned here: the control protocol, permissions, prompts. The lane owns what the agent's work means.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from parity.bridges import elicitations
from parity.bridges.base import Message, ToProvider
from parity.bridges.claude_code import asking, envelope
from parity.bridges.claude_code.session import Interaction, Prompt, Session, prompt_of, user_line
from parity.bridges.jsonrpc import BadParams, Params, RequestBridge, string
from parity.grammar import deltas as d
from parity.lanes.claude_code.frames import Init, ToolUse
from parity.lanes.claude_code.lane import ClaudeLane
from parity.lanes.claude_code.reader import read
from parity.lanes.claude_code.shapes import plan_of

_AGENT_ERROR = -32603
_DIALOG = "request_user_dialog"
_UNSUPPORTED = {"mcp_message": "this client runs no MCP servers"}
"""Control requests that are known and refused, and why."""


class ClaudeCodeBridge(RequestBridge):
    """A bridge to one Claude Code process."""

    def __init__(self) -> None:
        super().__init__()
        self.envelope = envelope.ControlEnvelope()
        self._agent: dict[str, Any] = {}
        self._session: Session | None = None

    # -- to the agent --------------------------------------------------------------------------------

    def _send(self, subtype: str, fields: Params, then: Callable[[dict[str, Any], str | None], None]) -> None:
        """Ask the agent; `then` takes the result, or the words of its refusal."""
        self._sent += 1
        request_id = f"req_{self._sent}"
        self._pending[request_id] = lambda message: then(*envelope.outcome(message))
        self._out.append(ToProvider(envelope.request(request_id, subtype, fields)))

    def _answer_agent(self, request_id: Any, body: Params) -> None:
        self._out.append(ToProvider(envelope.success(request_id, body)))

    def _cancel(self, interaction: Interaction, why: str) -> None:
        """Nobody decides it any more."""
        self._answer_agent(interaction.request_id, asking.undecided(interaction.request, why))

    def _refusal(self, reason: str) -> Message:
        return envelope.error(None, reason)

    def _threads_lost(self, reason: str) -> None:
        session = self._session
        if session is None:
            return
        self._lose(session.thread_id, reason, session.lane.lost())
        for prompt in session.waiting:  # their turns never came
            self._begin(session, prompt)
            self._lose(session.thread_id, reason)

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
        self._deltas(session.thread_id, [d.ThreadStarted()])
        self._configure(session, session.options)

    def _thread_resume(self, request_id: Any, params: dict[str, Any]) -> None:
        session_id = string(params, "providerThreadId")
        session = self._new_session(params)
        self._answer(request_id, {"threadId": session.thread_id, "providerThreadId": session_id})
        self._identify(session, session_id)
        self._deltas(session.thread_id, [d.ThreadStarted()])
        self._configure(session, session.options)

    def _thread_fork(self, request_id: Any, params: dict[str, Any]) -> None:
        raise BadParams("a process of this agent forks only when it is launched (--fork-session)")

    def _new_session(self, params: dict[str, Any]) -> Session:
        thread_id = string(params, "threadId")
        if self._session is not None:
            raise BadParams(f"this process serves thread {self._session.thread_id!r} already")
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
                self._deltas(session.thread_id, [d.ProviderWarning(f"{subtype} failed: {error}")])

        return then

    def _turn_start(self, request_id: Any, params: dict[str, Any]) -> None:
        """Prompt. While the agent is at a turn of its own, the prompt's turn opens when that one ends."""
        session = self._known(params)
        lane = session.lane
        if session.waiting or (lane.turn_open and not lane.agent_turn):
            raise BadParams(f"a turn of {session.thread_id!r} is open; steer or stop it")
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
        self._deltas(
            session.thread_id, [d.TurnOpen(), d.InputAccepted(prompt.input, prompt.client_request_id)]
        )

    def _turn_steer(self, request_id: Any, params: dict[str, Any]) -> None:
        """Another message in the open turn; the agent takes it up by itself."""
        session = self._known(params)
        if not session.lane.turn_open:
            raise BadParams(f"no turn of {session.thread_id!r} is open")
        prompt = _prompt(params)
        session.lane.steer(prompt.echo)
        self._deltas(session.thread_id, [d.InputAccepted(prompt.input, prompt.client_request_id)])
        self._answer(request_id, {"threadId": session.thread_id})
        self._out.append(ToProvider(user_line(prompt)))

    def _thread_stop(self, request_id: Any, params: dict[str, Any]) -> None:
        session = self._known(params)
        intent = params.get("intent")
        if intent == "release":
            for asked, interaction in session.interactions.items():
                self._withdraw(asked, tell=False)
                self._cancel(interaction, asking.RELEASED)
            self._session = None
        elif intent == "interrupt":
            self._interrupt(session)
        else:
            raise BadParams("intent must be interrupt or release")
        self._answer(request_id, {"threadId": session.thread_id})

    def _interrupt(self, session: Session) -> None:
        """Stop what the agent does; whatever waits for a person is refused at once (S31)."""
        session.lane.interrupt()

        def then(_: dict[str, Any], error: str | None) -> None:
            self._deltas(session.thread_id, session.lane.interrupted(error))

        self._send("interrupt", {}, then)
        for asked, interaction in session.interactions.items():
            self._withdraw(asked, tell=False)
            self._cancel(interaction, asking.INTERRUPTED)
            if interaction.call is not None:
                self._deltas(session.thread_id, session.lane.answered(interaction.call, "cancelled"))
        session.interactions.clear()

    def _known(self, params: dict[str, Any]) -> Session:
        thread_id = string(params, "threadId")
        if self._session is None or self._session.thread_id != thread_id:
            raise BadParams(f"unknown thread {thread_id!r}")
        return self._session

    # -- the agent -----------------------------------------------------------------------------------

    def _agent_notification(self, method: str, params: Params, message: Message) -> None:
        if method == self.envelope.withdrawing:
            self._taken_back(message.get("request_id"))
        elif self._session is not None:
            self._frame(self._session, message)
        else:
            self.noise += 1

    def _frame(self, session: Session, message: Message) -> None:
        frame = read(message)
        if isinstance(frame, Init) and frame.session_id is not None:
            self._identify(session, frame.session_id)
        lane = session.lane
        was_open = lane.turn_open
        self._deltas(session.thread_id, lane.frame(frame, message))
        if was_open and not lane.turn_open:
            self._turn_ended(session)
        elif session.interactions and not lane.turn_open:
            self._late_work_ended(session)

    def _turn_ended(self, session: Session) -> None:
        """What waited for a person in the turn waits no more; our next prompt's turn opens.

        Of a call of its own that is over the agent knows; an MCP server may wait for ever.
        """
        for asked, interaction in list(session.interactions.items()):
            if interaction.call is None or not session.lane.outlives(interaction.call):
                self._withdraw(asked, tell=False)
                del session.interactions[asked]
                if interaction.request.get("subtype") == asking.ELICITATION:
                    self._cancel(interaction, asking.OVER)
        if session.waiting:
            self._begin(session, session.waiting.pop(0))

    def _late_work_ended(self, session: Session) -> None:
        """What waited for a person about work that outlived its turn waits no more once that is over."""
        for asked, interaction in list(session.interactions.items()):
            if interaction.call is not None and interaction.call.settled is not None:
                self._withdraw(asked)
                del session.interactions[asked]

    def _identify(self, session: Session, session_id: str) -> None:
        if session_id != session.session_id:
            session.session_id = session_id
            params = {"threadId": session.thread_id, "providerThreadId": session_id}
            self._tell("thread/identity", params)

    # -- the agent's requests ------------------------------------------------------------------------

    def _agent_request(self, request_id: Any, method: str, params: Params, message: Message) -> None:
        session = self._session
        if method == "can_use_tool" and session is not None:
            self._can_use_tool(request_id, session, message["request"])
            return
        if method == asking.ELICITATION:
            self._elicitation(request_id, session, message["request"])
            return
        if method == _DIALOG:
            self._dialog(session, message["request"])
            return
        if method == "hook_callback":
            self._answer_agent(request_id, {})
            return
        why = _UNSUPPORTED.get(method, f"unsupported control request: {method}")
        self._out.append(ToProvider(envelope.error(request_id, why)))
        if session is not None:
            unhandled = session.lane.unhandled(message, f"control_request/{method}")
            self._deltas(session.thread_id, unhandled)

    def _can_use_tool(self, request_id: Any, session: Session, request: dict[str, Any]) -> None:
        """Put it to a person, once; a request about a call that is over is answered at once (S32)."""
        if session.waits_for(request_id):
            return
        call_id, name, value = request.get("tool_use_id"), request.get("tool_name"), request.get("input")
        interaction = Interaction(request_id, request, None)
        plan = None
        if isinstance(call_id, str) and isinstance(name, str):
            if session.lane.is_over(call_id):
                self._answer_agent(request_id, {"behavior": "deny", "message": asking.OVER})
                return
            use = ToolUse(call_id, name, value if isinstance(value, dict) else {})
            agent_id = request.get("agent_id")
            deltas, call = session.lane.ask(use, agent_id if isinstance(agent_id, str) else None)
            self._deltas(session.thread_id, deltas)
            interaction.call = call
            plan = plan_of(call) if call is not None else None

        self._wait(session, interaction, asking.payload_of(request, plan))

    def _elicitation(self, request_id: Any, session: Session | None, request: dict[str, Any]) -> None:
        """An MCP server wants a yes, or a form filled in or a page opened, which no row can show."""
        if session is not None and asking.asks_nothing(request):
            if not session.waits_for(request_id):
                self._wait(session, Interaction(request_id, request, None), asking.payload_of(request, None))
            return
        self._answer_agent(request_id, elicitations.DECLINED)
        if session is not None:
            server = request.get("mcp_server_name")
            text = elicitations.declined(request, server if isinstance(server, str) else None)
            self._deltas(session.thread_id, [d.ProviderWarning(text)])

    def _dialog(self, session: Session | None, request: dict[str, Any]) -> None:
        """A dialog stays unanswered: our bridge declares none, so it may be for another client.

        The agent throws an error away, and `cancelled` would say that a person dismissed it.
        """
        if session is not None:
            text = f"left a dialog of the agent unanswered: {request.get('dialog_kind')}"
            self._deltas(session.thread_id, [d.ProviderWarning(text)])

    def _wait(self, session: Session, interaction: Interaction, payload: Params) -> None:
        """A person is asked, and the agent waits."""

        def then(answer: Message) -> None:
            del session.interactions[asked]
            self._decided(session, interaction, answer)

        item_id = interaction.call.id if interaction.call is not None else None
        asked = self._ask(session.thread_id, item_id, payload, then)
        session.interactions[asked] = interaction

    def _taken_back(self, request_id: Any) -> None:
        """The agent takes a request back: it was decided elsewhere, or its call is over."""
        session = self._session
        for asked, interaction in list(session.interactions.items()) if session is not None else ():
            if session is not None and interaction.request_id == request_id:
                del session.interactions[asked]
                self._withdraw(asked)

    def _decided(self, session: Session, interaction: Interaction, answer: Message) -> None:
        """The runtime answered an interaction: the agent is told, and the call knows."""
        call = interaction.call
        if answer.get("error") is not None:
            text = answer["error"].get("message") if isinstance(answer["error"], dict) else None
            refusal = envelope.error(interaction.request_id, str(text or asking.CANCELLED))
            self._out.append(ToProvider(refusal))
            if call is not None:
                self._deltas(session.thread_id, session.lane.answered(call, "cancelled"))
            return
        result = answer.get("result")
        result = result if isinstance(result, dict) else {}
        body = asking.encode(result, interaction.request)
        self._answer_agent(interaction.request_id, body)
        if body.get("interrupt") is True:
            session.lane.interrupt()
        if call is None:
            return
        changed, reason = result.get("updatedInput"), result.get("message")
        deltas = session.lane.answered(
            call,
            asking.decision_of(result),
            reason if isinstance(reason, str) else None,
            changed if isinstance(changed, dict) else None,
        )
        self._deltas(session.thread_id, deltas)

    RUNTIME_METHODS: ClassVar[Mapping[str, Callable[[Any, Any, Params], None]]] = {
        "initialize": _initialize,
        "model/list": _model_list,
        "thread/start": _thread_start,
        "thread/resume": _thread_resume,
        "thread/fork": _thread_fork,
        "thread/stop": _thread_stop,
        "turn/start": _turn_start,
        "turn/steer": _turn_steer,
    }


def _prompt(params: Params) -> Prompt:
    prompt = prompt_of(params)
    if prompt is None:
        raise BadParams("input must be a list of content blocks")
    return prompt
