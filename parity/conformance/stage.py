"""The stage of a scripted rule: one bridge, one scripted agent, and the runtime that the rule plays.

Carries messages between the three and keeps what the bridge said: answers, events, questions. A step that
everything after it needs (`ready`, `thread`, `turn`) raises NotReached when the bridge does not take it; what
a rule is about, it asks for and judges itself.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from parity.bridges import HostCall, Message, Output, ToProvider, ToRuntime
from parity.conformance.agents import ScriptedAgent
from parity.conformance.subject import Subject
from parity.conformance.verdicts import Broken, NotReached
from parity.grammar import deltas as d
from parity.grammar import events as e
from parity.grammar.intake import Intake
from parity.live.messages import Malformed, read_deltas, read_message
from parity.replay.matching import IdKey, id_key
from parity.wire import decode, encode

CWD = "/home/user/workspace"
THREAD = "thread-1"
_NO_HOST = {"code": -32000, "message": "this stage has no files and no terminals"}

Json = dict[str, Any]


class Stage:
    """One bridge at one scripted agent."""

    def __init__(self, subject: Subject, agent: ScriptedAgent) -> None:
        self.subject = subject
        self.agent = agent
        self.said: list[Message] = []
        """Everything the bridge said to the runtime, in order."""
        self.told: list[Message] = []
        """Everything the bridge said to the agent."""
        self.answers: dict[IdKey, list[Message]] = {}
        self.asked: list[Message] = []
        """The bridge's `interaction/request`s."""
        self.events: list[Json] = []
        self._malformed: list[str] = []
        self._wrong: list[str] = []
        self._intake = Intake(lambda event: self.events.append(_document(event)), lambda row: None)
        self._ids = 0
        self._replies: deque[Message] = deque()

    # -- what the bridge did -------------------------------------------------------------------------

    @property
    def drops(self) -> dict[str, int]:
        """Events the ordering rules dropped, by `rule:eventType`."""
        return dict(self._intake.drops)

    @property
    def malformed(self) -> list[str]:
        """Messages to the runtime that are none, or lack what their method needs."""
        return [*self._malformed, *self.subject.complaints()[0]]

    @property
    def wrong_deltas(self) -> list[str]:
        """Deltas nobody knows, and malformed ones."""
        return [*self._wrong, *self.subject.complaints()[1]]

    def of(self, kind: str, thread: str | None = None) -> list[Json]:
        """The events of a type, of one thread or of all."""
        return [e for e in self.events if e["type"] == kind and thread in (None, e["threadId"])]

    def told_of(self, method: str) -> list[Json]:
        """The params of the bridge's notifications of a method."""
        return [m["params"] for m in self.said if m.get("method") == method and "id" not in m]

    def items(self, kind: str, thread: str | None = None) -> list[Json]:
        """The items of a type that settled, as they stood then."""
        return [e["item"] for e in self.of("item/completed", thread) if e["item"]["type"] == kind]

    def settled(self, thread: str = THREAD) -> list[str]:
        """The statuses of the turns that settled."""
        return [event["status"] for event in self.of("turn/completed", thread)]

    # -- driving -------------------------------------------------------------------------------------

    def request(self, method: str, params: Any = None, request_id: Any = None) -> Message | None:
        """Ask the bridge; its answer, or None where it gives none within its bound."""
        if request_id is None:
            self._ids += 1
            request_id = self._ids
        message: Message = {"jsonrpc": "2.0", "id": request_id, "method": method}
        if params is not None:
            message["params"] = params
        key = id_key(request_id)
        before = len(self.answers.get(key, ()))
        self._stop(method, params)
        self._take(self.subject.runtime(message))
        self.until(lambda: len(self.answers.get(key, ())) > before)
        if method == "thread/stop" and isinstance(params, dict) and params.get("intent") == "release":
            self._intake.release(str(params.get("threadId")))
        answers = self.answers.get(key, ())
        return answers[before] if len(answers) > before else None

    def notify(self, method: str, params: Any) -> None:
        """Tell the bridge something that has no answer."""
        self._take(self.subject.runtime({"jsonrpc": "2.0", "method": method, "params": params}))

    def answer(self, question: Message, result: Json) -> None:
        """The person's answer to a question of the bridge."""
        self._intake.answer(question["id"], result)
        self._take(self.subject.runtime({"jsonrpc": "2.0", "id": question["id"], "result": result}))

    def runtime_says(self, message: Message) -> None:
        """Any message of the runtime."""
        self._take(self.subject.runtime(message))

    def agent_says(self, *messages: Message) -> None:
        """What the agent says, message by message."""
        for message in messages:
            self._take(self.subject.provider(message))

    def garbage(self) -> str | None:
        """Lines that are no messages, on both sides; what was not counted of them."""
        outputs, uncounted = self.subject.garbage()
        self._take(outputs)
        return uncounted

    def until(self, condition: Callable[[], bool]) -> bool:
        """Wait, within the subject's bound, until the condition holds."""
        while not condition():
            outputs = self.subject.more()
            if not outputs:
                return condition()
            self._take(outputs)
        return True

    @contextmanager
    def judging(self) -> Iterator[None]:
        """Within, a step that is not taken is the rule's own business: it breaks the rule."""
        try:
            yield
        except NotReached as stopped:
            raise Broken(str(stopped)) from None

    # -- steps that rules begin with -----------------------------------------------------------------

    def ready(self) -> None:
        """The handshake is done."""
        answer = self.request("initialize", {"clientInfo": {"name": "parity", "version": "0"}})
        if answer is None or "result" not in answer:
            raise NotReached(f"initialize: {shown(answer)}")

    def thread(self, thread: str = THREAD) -> str:
        """A thread is open; returns the agent's session."""
        if not self.agent.initialized:
            self.ready()
        answer = self.request("thread/start", {"threadId": thread, "cwd": CWD})
        if answer is None or "result" not in answer:
            raise NotReached(f"thread/start: {shown(answer)}")
        return self.agent.sessions[-1]

    def turn(self, thread: str = THREAD, text: str = "Go on.", session: str | None = None) -> str:
        """A turn is open in an open thread, and the agent has the prompt; returns the agent's session."""
        session = session or self.agent.sessions[-1]
        before = self.agent.prompted(session)
        answer = self.prompt(thread, text)
        if not self.until(lambda: self.agent.prompted(session) > before):
            raise NotReached(f"turn/start: {shown(answer)}; the agent got no prompt")
        return session

    def prompt(self, thread: str = THREAD, text: str = "Go on.") -> Message | None:
        """Ask for a turn; the answer."""
        content = [{"type": "text", "text": text}]
        return self.request("turn/start", {"threadId": thread, "input": content, "clientRequestId": "prompt"})

    def opened(self, thread: str = THREAD) -> str:
        """A thread and a turn in it."""
        return self.turn(thread, session=self.thread(thread))

    def stop(self, thread: str = THREAD, intent: str = "interrupt") -> Message | None:
        """Stop the turn, or let go of the thread."""
        return self.request("thread/stop", {"threadId": thread, "intent": intent})

    def ask(self, session: str, call: str = "call-1", request_id: Any = None) -> Message:
        """The agent asks about a command it began; the bridge's question."""
        request_id = self.agent.request_ids[0] if request_id is None else request_id
        before = len(self.asked)
        self.agent_says(*self.agent.command(session, call, f"make {call}"))
        self.agent_says(*self.agent.ask(session, call, f"make {call}", request_id))
        if not self.until(lambda: len(self.asked) > before):
            raise NotReached("the agent's permission request became no interaction/request")
        return self.asked[-1]

    # -- carrying ------------------------------------------------------------------------------------

    def _take(self, outputs: Sequence[Output]) -> None:
        waiting = deque(outputs)
        while True:
            while waiting:
                output = waiting.popleft()
                if isinstance(output, ToRuntime):
                    self._to_runtime(output.message)
                elif isinstance(output, ToProvider):
                    message = decode(encode(output.message))
                    self.told.append(message)
                    self._replies.extend(self.agent.hear(message))
                elif isinstance(output, HostCall):
                    waiting.extend(self.subject.host_error(output.token, _NO_HOST))
            if not self._replies:
                return
            waiting.extend(self.subject.provider(self._replies.popleft()))

    def _to_runtime(self, message: Message) -> None:
        try:
            message = read_message(encode(message))
        except Malformed as error:
            self._malformed.append(str(error))
            return
        self.said.append(message)
        method, params = message.get("method"), message.get("params")
        if method is None:
            self.answers.setdefault(id_key(message["id"]), []).append(message)
        elif method == "thread/delta":
            known = []
            for document in message["params"]["deltas"]:
                delta, wrong = read_delta(encode(document))
                known += delta
                self._wrong += [f"{kind}: {what}" for kind, what in wrong]
            self._intake.deltas(message["params"]["threadId"], known)
        elif method == "interaction/request":
            self.asked.append(message)
            self._intake.request(message["id"], message["params"])
        elif method == "thread/identity":
            self._intake.identity(message["params"]["threadId"], message["params"]["providerThreadId"])
        elif method == "$/cancel_request":
            self._intake.withdrawn(message["params"]["requestId"])
        elif method == "error" and isinstance(params, dict):
            self._intake.error(params["threadId"], params["message"])

    def _stop(self, method: str, params: Any) -> None:
        if method == "thread/stop" and isinstance(params, dict) and params.get("intent") == "interrupt":
            self._intake.stopped(str(params.get("threadId")))


def expect(condition: bool, otherwise: str) -> None:
    """Raise Broken where the condition does not hold."""
    if not condition:
        raise Broken(otherwise)


def shown(value: Any) -> str:
    """A message or its absence, for a reason of one line."""
    if value is None:
        return "no answer"
    if isinstance(value, dict) and isinstance(value.get("error"), dict):
        error = value["error"]
        return f"error {error.get('code')}: {error.get('message')}"
    text = encode(value).decode("utf-8", "replace")
    return text if len(text) <= 160 else text[:159] + "…"


def error_code(answer: Message | None) -> Any:
    """The code of an error answer; None for any other."""
    error = answer.get("error") if answer is not None else None
    return error.get("code") if isinstance(error, dict) else None


@lru_cache(4096)
def read_delta(document: bytes) -> tuple[list[d.Delta], list[tuple[str, str]]]:
    """One delta as `read_deltas` reads it; the scenes of the rules say the same ones over and over."""
    return read_deltas([decode(document)])


def _document(event: e.Event) -> Json:
    document: Json = decode(encode(event))
    return document
