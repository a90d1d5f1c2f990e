"""The codex bridge: the runtime protocol on one side, `codex app-server` (JSON-RPC, bare) on the other.

It owns turns, stops and approvals, sans I/O; the lane translates, and `threads` knows whose a codex thread
is. Notifications of one that is not known yet are applied in order once it is (S42).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from parity import __version__
from parity.bridges import elicitations
from parity.bridges.base import INTERNAL_ERROR, METHOD_NOT_FOUND, Message
from parity.bridges.codex.content import user_input
from parity.bridges.codex.session import CodexRpc, Interaction, Session
from parity.bridges.codex.threads import Threads
from parity.bridges.jsonrpc import BadParams, JsonRpcBridge, Params, content_blocks, members, string
from parity.grammar import deltas as d
from parity.lanes.codex import approvals
from parity.lanes.codex.lane import CodexLane
from parity.lanes.codex.shapes import text_of

_CLIENT = {"name": "agent-parity", "title": "Agent Parity", "version": __version__}
_CAPABILITIES = {"experimentalApi": True}
_NO_TOOLS = {"type": "inputText", "text": "This client offers no tools of its own."}


class CodexBridge(JsonRpcBridge):
    """A bridge to one `codex app-server` process."""

    AGENT_MEMBERS: ClassVar[Message] = {}

    def __init__(self) -> None:
        super().__init__()
        self.envelope = CodexRpc()
        self._threads = Threads()

    def thread_of(self, codex_id: Any) -> str | None:
        """The runtime thread that a codex thread is, or is a sub-agent of."""
        session = self._threads.of(codex_id)
        return session.thread_id if session is not None else None

    def in_turn(self, thread_id: str) -> bool:
        """Whether the thread has a turn, open or asked for."""
        session = self._threads.named(thread_id)
        return session is not None and session.lane.busy

    def _threads_lost(self, reason: str) -> None:
        for session in self._threads:
            self._lose(session.thread_id, reason, session.lane.lost())

    # -- runtime requests ----------------------------------------------------------------------------

    def _initialize(self, request_id: Any, params: Params) -> None:
        def then(message: Message) -> None:
            if message.get("error") is not None:
                self._fail(request_id, message["error"])
                return
            self._tell_agent("initialized")
            self._answer(request_id, message.get("result"))

        request = {
            "clientInfo": members(params, "clientInfo") or _CLIENT,
            "capabilities": members(params, "clientCapabilities") or _CAPABILITIES,
        }
        self._send("initialize", request, then)

    def _model_list(self, request_id: Any, params: Params) -> None:
        def then(message: Message) -> None:
            if message.get("error") is not None:
                self._fail(request_id, message["error"])
            else:
                self._answer(request_id, {"models": members(message, "result").get("data") or []})

        self._send("model/list", {}, then)

    def _thread_start(self, request_id: Any, params: Params) -> None:
        self._open(request_id, params, "thread/start", {})

    def _thread_resume(self, request_id: Any, params: Params) -> None:
        """What the thread did before is the runtime's own history: the agent need not tell it again (S43)."""
        codex_id = string(params, "providerThreadId")
        session = self._open(
            request_id, params, "thread/resume", {"threadId": codex_id, "excludeTurns": True}
        )
        session.codex_id = codex_id
        self._know(session, codex_id, None, None)

    def _thread_fork(self, request_id: Any, params: Params) -> None:
        source = string(params, "providerThreadId")
        self._open(request_id, params, "thread/fork", {"threadId": source, "excludeTurns": True})

    def _open(self, request_id: Any, params: Params, method: str, request: Params) -> Session:
        thread_id = string(params, "threadId")
        if self._threads.named(thread_id) is not None:
            raise BadParams(f"thread {thread_id!r} exists already")
        cwd = text_of(params, "cwd")
        session = Session(thread_id, CodexLane(cwd))
        self._threads.add(session)

        def then(message: Message) -> None:
            self._threads.opening -= 1
            self._opened(request_id, session, message)
            self._release_held()

        request = {**members(params, "options"), **request}
        if cwd is not None:
            request["cwd"] = cwd
        self._threads.opening += 1
        self._send(method, request, then)
        return session

    def _opened(self, request_id: Any, session: Session, message: Message) -> None:
        result = members(message, "result")
        thread = members(result, "thread")
        codex_id = text_of(thread, "id")
        if self._threads.named(session.thread_id) is not session:
            self._refuse(request_id, INTERNAL_ERROR, "the thread was released before it opened")
            if codex_id is not None:
                self._threads.ignore(codex_id)
                self._send("thread/unsubscribe", {"threadId": codex_id}, lambda message: None)
            return
        if message.get("error") is not None or codex_id is None:
            self._threads.drop(session)
            self._fail(
                request_id, message.get("error") or {"code": INTERNAL_ERROR, "message": "no thread id"}
            )
            if session.waiting is not None:
                self._refuse(session.waiting[0], INTERNAL_ERROR, "the thread did not open")
            return
        session.codex_id = codex_id
        self._know(session, codex_id, text_of(result, "cwd"), thread.get("turns"))
        identity = {"threadId": session.thread_id, "providerThreadId": codex_id}
        self._answer(request_id, identity)
        self._tell("thread/identity", identity)
        self._deltas(session.thread_id, [d.ThreadStarted()])
        waiting, session.waiting = session.waiting, None
        if waiting is not None:
            self._start_turn(session, *waiting)

    def _know(self, session: Session, codex_id: str, cwd: str | None, turns: Any) -> None:
        self._threads.know(session, codex_id)
        session.lane.opened(codex_id, cwd, turns)

    def _turn_start(self, request_id: Any, params: Params) -> None:
        session = self._known(params)
        if session.lane.busy or session.waiting is not None:
            raise BadParams(f"a turn of {session.thread_id!r} is open; steer or stop it")
        content_blocks(params)
        if session.codex_id is None:
            session.waiting = (request_id, params)
        else:
            self._start_turn(session, request_id, params)

    def _start_turn(self, session: Session, request_id: Any, params: Params) -> None:
        blocks = content_blocks(params)
        told = text_of(params, "clientRequestId")

        def then(message: Message) -> None:
            if message.get("error") is not None:
                session.lane.refused()
                session.stopping = False
                self._fail(request_id, message["error"])
                return
            session.lane.accepted(text_of(members(message, "result").get("turn"), "id"))
            self._answer(request_id, {"threadId": session.thread_id})
            if session.stopping and session.lane.busy:
                self._interrupt(None, session)

        session.lane.requested(d.InputAccepted(blocks, told))
        request = {**members(params, "options"), "threadId": session.codex_id}
        request["input"] = [user_input(block) for block in blocks]
        if told is not None:
            request["clientUserMessageId"] = told
        self._send("turn/start", request, then)

    def _turn_steer(self, request_id: Any, params: Params) -> None:
        session = self._known(params)
        blocks = content_blocks(params)
        turn_id = session.lane.main.turn
        if turn_id is None:
            raise BadParams(f"no turn of {session.thread_id!r} is open")
        told = text_of(params, "clientRequestId")

        def then(message: Message) -> None:
            if message.get("error") is not None:
                self._fail(request_id, message["error"])
                return
            if session.lane.main.turn == turn_id:
                self._deltas(session.thread_id, session.lane.steered(d.InputAccepted(blocks, told)))
            self._answer(request_id, {"threadId": session.thread_id})

        request: Params = {"threadId": session.codex_id, "expectedTurnId": turn_id}
        request["input"] = [user_input(block) for block in blocks]
        if told is not None:
            request["clientUserMessageId"] = told
        self._send("turn/steer", request, then)

    def _thread_stop(self, request_id: Any, params: Params) -> None:
        session = self._known(params)
        intent = params.get("intent")
        if intent == "release":
            self._release(request_id, session)
        elif intent != "interrupt":
            raise BadParams("intent must be interrupt or release")
        elif session.waiting is not None:
            waiting, session.waiting = session.waiting, None
            self._refuse(waiting[0], INTERNAL_ERROR, "stopped before the thread opened")
            self._answer(request_id, {"threadId": session.thread_id})
        elif not session.lane.busy or session.stopping:
            self._answer(request_id, {"threadId": session.thread_id})
        elif session.lane.turn_id is None:
            session.stopping = True
            self._answer(request_id, {"threadId": session.thread_id})
        else:
            self._interrupt(request_id, session)

    def _interrupt(self, request_id: Any, session: Session) -> None:
        """Interrupt the turn; whatever waits for a person is answered `cancelled` at once (S31)."""

        def then(message: Message) -> None:
            if message.get("error") is not None:
                session.stopping = False
                session.lane.interrupting(False)
                self._fail(request_id, message["error"])
            else:
                self._answer(request_id, {"threadId": session.thread_id})

        session.stopping = True
        session.lane.interrupting(True)
        params = {"threadId": session.codex_id, "turnId": session.lane.turn_id}
        self._send("turn/interrupt", params, then)
        for asked, interaction in list(session.interactions.items()):
            self._withdraw(asked, tell=False)
            self._settle(session, asked, interaction, {"decision": "cancelled"})

    def _release(self, request_id: Any, session: Session) -> None:
        """The runtime lets go of a thread: the agent is told to send nothing more of it."""
        self._threads.release(session)
        for asked, interaction in list(session.interactions.items()):
            self._withdraw(asked, tell=False)
            self._settle(session, asked, interaction, {"decision": "cancelled"})
        if session.waiting is not None:
            self._refuse(session.waiting[0], INTERNAL_ERROR, "the thread was released before it opened")
        if session.codex_id is None:
            self._answer(request_id, {"threadId": session.thread_id})
            return

        def then(message: Message) -> None:
            self._answer(request_id, {"threadId": session.thread_id})

        self._send("thread/unsubscribe", {"threadId": session.codex_id}, then)

    def _known(self, params: Params) -> Session:
        thread_id = string(params, "threadId")
        session = self._threads.named(thread_id)
        if session is None:
            raise BadParams(f"unknown thread {thread_id!r}")
        return session

    # -- the agent's notifications -------------------------------------------------------------------

    def _agent_notification(self, method: str, params: Params, message: Message) -> None:
        codex_id = text_of(params, "threadId")
        if self._threads.ignores(codex_id):
            return
        if method == "thread/started":
            self._thread_appeared(members(params, "thread"))
            return
        session = self._threads.of(codex_id) if codex_id is not None else self._threads.first()
        if session is None:
            self._hold(message)
            return
        if method == "serverRequest/resolved":
            self._resolved_itself(params.get("requestId"))
            return
        strands = session.lane.children.strands
        known = len(strands)
        self._deltas(session.thread_id, session.lane.notification(method, params, message))
        if method == "turn/completed" and not session.lane.busy:
            self._turn_over(session)
        if len(strands) > known:
            self._release_held()

    def _thread_appeared(self, thread: Params) -> None:
        """A thread of ours is known by the answer that opened it; a sub-agent's belongs to its parent."""
        for session in self._threads:
            if session.lane.children.announced(thread):
                self._release_held()
                return

    def _turn_over(self, session: Session) -> None:
        session.stopping = False
        for asked in session.interactions:
            self._withdraw(asked)
        session.interactions.clear()
        if not self._threads.busy:
            for message in self._threads.take_held():
                self._stray(session, message)

    def _hold(self, message: Message) -> None:
        """Keep a notification until its thread is known, as long as one may still become known."""
        if self._threads.hold(message):
            return
        first = self._threads.first()
        if first is not None:
            self._stray(first, message)
        else:
            self.noise += 1

    def _stray(self, session: Session, message: Message) -> None:
        """A notification of a thread nobody knows: kept where it says something."""
        method = message["method"]
        if session.lane.speaks(method):
            self._deltas(session.thread_id, session.lane.unhandled(message, method, {}))

    def _release_held(self) -> None:
        for message in self._threads.take_held():
            self._agent_notification(message["method"], members(message, "params"), message)

    # -- the agent's requests ------------------------------------------------------------------------

    def _agent_request(self, request_id: Any, method: str, params: Params, message: Message) -> None:
        codex_id = text_of(params, "threadId") or text_of(params, "conversationId")
        session = self._threads.of(codex_id) if codex_id is not None else self._threads.first()
        if method == "item/tool/call":
            self._answer_agent(request_id, {"contentItems": [_NO_TOOLS], "success": False})
            return
        question = approvals.asked(method, params) if session is not None else None
        if question is not None and session is not None:
            self._question(request_id, session, method, params, question, message)
            return
        first = session or self._threads.first()
        if method == approvals.ELICITATION:
            self._answer_agent(request_id, elicitations.DECLINED)
            if first is not None:
                text = elicitations.declined(params, text_of(params, "serverName"))
                self._deltas(first.thread_id, [d.ProviderWarning(text)])
            return
        self._refuse_agent(request_id, METHOD_NOT_FOUND, f"Method not found: {method}")
        if first is not None:
            self._deltas(first.thread_id, first.lane.unhandled(message, method, params))

    def _question(
        self,
        request_id: Any,
        session: Session,
        method: str,
        params: Params,
        question: approvals.Question,
        message: Message,
    ) -> None:
        homed, work, deltas = session.lane.ask(params, question, message)
        self._deltas(session.thread_id, deltas)
        if not homed:
            _, answer = approvals.encode(method, params, {"decision": "cancelled"})
            self._answer_agent(request_id, answer)
            return
        interaction = Interaction(request_id, method, params, work)
        item_id = work.key.provider_item_id if work is not None else None

        def then(answer: Message) -> None:
            result = members(answer, "result") or {"decision": "cancelled"}
            self._settle(session, asked, interaction, result)

        asked = self._ask(session.thread_id, item_id, question.payload, then)
        session.interactions[asked] = interaction

    def _settle(self, session: Session, asked: int, interaction: Interaction, result: Params) -> None:
        """A person decided, or nobody will."""
        session.interactions.pop(asked, None)
        decision, answer = approvals.encode(interaction.method, interaction.params, result)
        if interaction.work is not None:
            interaction.work.approval = decision
        self._answer_agent(interaction.request_id, answer)

    def _resolved_itself(self, request_id: Any) -> None:
        """The agent needs no answer to a request any more; mostly because it just got one."""
        for session in self._threads:
            for asked, interaction in list(session.interactions.items()):
                ours = interaction.request_id
                if ours == request_id and type(ours) is type(request_id):
                    self._withdraw(asked)
                    del session.interactions[asked]

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
