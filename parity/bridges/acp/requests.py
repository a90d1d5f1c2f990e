"""What an ACP agent asks of its client, answered: permissions, questions, host calls, everything else.

The half of the ACP bridge that serves the agent. A request is answered under its own id, once. What waits
for a person becomes an `interaction/request`; what needs a file or a terminal becomes a host call; forms are
declined; what no dialect knows is refused and kept as unhandled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from parity.bridges import elicitations
from parity.bridges.acp.session import Interaction, Session, Sessions
from parity.bridges.acp.versions import Version1
from parity.bridges.base import INVALID_PARAMS, METHOD_NOT_FOUND, HostCall, Message, Output, ToProvider
from parity.bridges.jsonrpc import JsonRpcBridge, Params
from parity.grammar import deltas as d
from parity.lanes.acp.calls import Call
from parity.lanes.acp.dialects import Dialect
from parity.lanes.acp.frames import AskFrame

HOST_METHODS = frozenset(
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
PERMISSION = "session/request_permission"
_CANCELLED = {"outcome": {"outcome": "cancelled"}}


class AgentRequests(JsonRpcBridge):
    """Answers the agent's requests; `sessions` and `dialect` belong to the whole bridge."""

    def __init__(self, dialect: Dialect) -> None:
        super().__init__()
        self.dialect = dialect
        self.version = Version1()
        self.sessions = Sessions()
        self._hosts: dict[int, HostCall] = {}
        self._tokens = 0

    def _agent_request(self, request_id: Any, method: str, params: Params, message: Message) -> None:
        if method in HOST_METHODS and self.version.serves_host:
            self._tokens += 1
            call = self._hosts[self._tokens] = HostCall(self._tokens, request_id, method, params)
            self._out.append(call)
            return
        session, parent = self.sessions.find(params.get("sessionId"))
        if method == PERMISSION:
            self._permission(request_id, session, parent, params)
            return
        session = session or self.sessions.any()
        if method == "elicitation/create":
            self._answer_agent(request_id, elicitations.DECLINED)
            if session is not None:
                self._deltas(session.thread_id, [d.ProviderWarning(elicitations.declined(params))])
        elif session is None or not self._vendor_request(request_id, session, method, params):
            self._refuse_agent(request_id, METHOD_NOT_FOUND, f"Method not found: {method}")
            if session is not None and not self.dialect.declines(method):
                self._deltas(session.thread_id, session.lane.unhandled(message, method))

    # -- what waits for a person ---------------------------------------------------------------------

    def _permission(
        self, request_id: Any, session: Session | None, parent: str | None, params: Params
    ) -> None:
        frame = self.version.read_ask(params)
        if session is None or frame is None:
            self._refuse_agent(request_id, INVALID_PARAMS, "unknown session or tool call")
            return
        if not self._works(session) or session.cancelled or session.steering:
            self._answer_agent(request_id, _CANCELLED)
            self._deltas(session.thread_id, session.lane.unhandled(params, PERMISSION))
            return
        options = params.get("options")
        options = [o for o in options if isinstance(o, dict)] if isinstance(options, list) else []
        deltas, asked = session.lane.ask(frame, parent)
        self._deltas(session.thread_id, deltas)
        interaction = Interaction(request_id, PERMISSION, options, asked)
        payload = {**_approval(frame, asked), "options": options}
        self._wait(session, interaction, asked.id if asked is not None else None, payload)

    def _works(self, session: Session) -> bool:
        """Whether work is going on that a person can be asked about, steer or stop."""
        return session.prompting or (self.version.tells_state and session.lane.agent_turn)

    def _vendor_request(self, request_id: Any, session: Session, method: str, params: Params) -> bool:
        lane = session.lane
        told = self.dialect.acknowledge(method, params)
        if told is not None:
            self._answer_agent(request_id, told.answer)
            self._deltas(session.thread_id, lane.inform(told.call_id, told.label, told.child_ref))
            if told.plan is not None:
                self._deltas(session.thread_id, lane.vendor_plan(told.plan))
            return True
        question = self.dialect.question(method, params)
        if question is None:
            return False
        call = lane.open_call(question.call_id) if question.call_id is not None else None
        call_id = call.id if call is not None else None
        self._wait(session, Interaction(request_id, method, [], None), call_id, question.payload)
        return True

    def _wait(self, session: Session, interaction: Interaction, item_id: str | None, payload: Params) -> None:
        def then(message: Message) -> None:
            session.interactions.pop(asked, None)
            self._resolve(session, interaction, message)

        asked = self._ask(session.thread_id, item_id, payload, then)
        session.interactions[asked] = interaction

    def _resolve(self, session: Session, interaction: Interaction, message: Message) -> None:
        """The runtime answered: so is the agent; an error answers a permission request with cancelled."""
        result = message.get("result")
        result = result if isinstance(result, dict) else {"decision": "cancelled"}
        if interaction.method == PERMISSION:
            decision, option_id = _choice(result, interaction.options)
            outcome = (
                {"outcome": "selected", "optionId": option_id} if option_id else {"outcome": "cancelled"}
            )
            self._answer_agent(interaction.request_id, {"outcome": outcome})
            self._decided(session, interaction, decision)
        elif message.get("error") is not None:
            error = message["error"]
            self._out.append(ToProvider({**self.AGENT_MEMBERS, "id": interaction.request_id, "error": error}))
        else:
            answer = self.dialect.encode_answer(interaction.method, result)
            self._answer_agent(interaction.request_id, answer)

    def _cancel_interactions(self, session: Session) -> None:
        """Answer whatever waits for a person as cancelled, at once (S31)."""
        waiting, session.interactions = session.interactions, {}
        for asked, interaction in waiting.items():
            self._withdraw(asked, tell=False)
            self._cancel_interaction(session, interaction)

    def _drop_interactions(self, session: Session) -> None:
        """The thread was released: its agent is answered, so that it need not wait, and nothing is told."""
        waiting, session.interactions = session.interactions, {}
        for asked, interaction in waiting.items():
            self._withdraw(asked, tell=False)
            self._answer_cancelled(interaction)

    def _cancel_interaction(self, session: Session, interaction: Interaction) -> None:
        self._answer_cancelled(interaction)
        if interaction.method == PERMISSION:
            self._decided(session, interaction, "cancelled")

    def _answer_cancelled(self, interaction: Interaction) -> None:
        if interaction.method == PERMISSION:
            answer = _CANCELLED
        else:
            answer = self.dialect.encode_answer(interaction.method, {"decision": "cancelled"})
        self._answer_agent(interaction.request_id, answer)

    def _decided(self, session: Session, interaction: Interaction, decision: str) -> None:
        if interaction.call is not None:
            self._deltas(session.thread_id, session.lane.answered(interaction.call, decision))

    def _taken_back(self, request_id: Any) -> None:
        """The agent takes back a request that waits for a person."""
        for session in self.sessions.threads.values():
            for asked, interaction in list(session.interactions.items()):
                if interaction.request_id == request_id and type(interaction.request_id) is type(request_id):
                    del session.interactions[asked]
                    self._withdraw(asked)
                    self._cancel_interaction(session, interaction)

    # -- host calls ----------------------------------------------------------------------------------

    def host_result(self, token: int, result: Any) -> Sequence[Output]:
        """A host call succeeded: answer the agent; a terminal's news reach its call (S14)."""
        self._out = []
        call = self._hosts.pop(token)
        self._answer_agent(call.request_id, result)
        if call.method.startswith("terminal/"):
            self._terminal(call.method, call.params, result if isinstance(result, dict) else {})
        return self._out

    def host_error(self, token: int, error: Message) -> Sequence[Output]:
        """A host call failed with a JSON-RPC error object: the agent is told."""
        self._out = []
        call = self._hosts.pop(token)
        self._out.append(ToProvider({**self.AGENT_MEMBERS, "id": call.request_id, "error": error}))
        return self._out

    def _terminal(self, method: str, params: Params, result: Params) -> None:
        session = self.sessions.find(params.get("sessionId"))[0]
        terminal_id = params.get("terminalId")
        if session is None or not isinstance(terminal_id, str):
            return
        lane = session.lane
        if method == "terminal/output":
            status = result.get("exitStatus")
            code, signal = _exit(status) if isinstance(status, dict) else (None, None)
            output = result.get("output")
            if isinstance(output, str):
                deltas = lane.terminal_output(terminal_id, output, code, signal)
                self._deltas(session.thread_id, deltas)
        elif method == "terminal/wait_for_exit":
            lane.terminal_exit(terminal_id, *_exit(result))
        elif method == "terminal/release":
            lane.terminal_released(terminal_id)


def _approval(frame: AskFrame, call: Call | None) -> Params:
    """What a person is shown of a permission request: its own words, else those of the call it is about."""
    payload: Params = {"kind": "approval"}
    if call is not None and call.kind == "switch_mode":
        payload["kind"] = "plan_exit"
        if isinstance(call.args.get("plan"), str):
            payload["plan"] = call.args["plan"]
    title = frame.title or (call.title if call is not None else None)
    if title:
        payload["title"] = title
    if frame.reason:
        payload["reason"] = frame.reason
    if frame.command:
        payload["command"] = frame.command
    return payload


def _choice(result: Params, options: list[Any]) -> tuple[str, str | None]:
    """The decision and the option that carries it: the named one, else the first of its kind."""
    decision, option_id = result.get("decision"), result.get("optionId")
    for option in options:
        if option_id is not None and option.get("optionId") == option_id:
            if decision not in ("allowed", "denied"):
                allows = str(option.get("kind")).startswith("allow")
                decision = "allowed" if allows else "denied"
            return decision, option_id
    kinds = {"allowed": ("allow_once", "allow_always"), "denied": ("reject_once", "reject_always")}
    for kind in kinds.get(str(decision), ()):
        for option in options:
            if option.get("kind") == kind and isinstance(option.get("optionId"), str):
                return str(decision), option["optionId"]
    return "cancelled", None


def _exit(status: Params) -> tuple[int | None, str | None]:
    code, signal = status.get("exitCode"), status.get("signal")
    return (
        code if isinstance(code, int) and not isinstance(code, bool) else None,
        signal if isinstance(signal, str) else None,
    )
