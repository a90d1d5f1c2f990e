"""A scripted agent: the other side of a bridge under judgement, played in memory.

It answers what a bridge asks of any agent at once (handshake, sessions, stops), remembers what it was told,
and says what a rule has it say: texts, a command, its output, a question, the end of the turn. Pure: messages
in, messages out. One class a family; what a family's protocol cannot show stands in `cannot`, with why.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from msgspec import Struct

from parity.bridges import Message
from parity.bridges.base import Envelope
from parity.replay.matching import IdKey, id_key

REFUSAL = "the agent refuses this"
"""The agent's own words where it is told to refuse."""


class Prompt(Struct):
    """What a bridge had the agent work on."""

    session: str
    text: str


class ScriptedAgent(ABC):
    """The agent's side of one connection. `refuses`: what it refuses (initialize, session, prompt)."""

    provider: ClassVar[str]
    """The provider id it stands for where none is named."""

    cannot: ClassVar[Mapping[str, str]] = {}
    """Rule id → why the rule does not apply to bridges of this family."""

    request_ids: ClassVar[tuple[Any, Any]] = (0, "0")
    """Two ids the agent may give its own requests; they differ in as little as the protocol allows."""

    streams_output: ClassVar[bool] = True
    """Whether a command's output is shown while it runs."""

    def __init__(self) -> None:
        self.envelope: Envelope = self._envelope()
        self.refuses: set[str] = set()
        self.sessions: list[str] = []
        self.prompts: list[Prompt] = []
        self.stops: list[str] = []
        self.initialized = 0
        self.requests: list[Message] = []
        """Every request of the bridge, in order."""
        self.answers: dict[IdKey, list[str]] = {}
        """What the bridge answered to each of the agent's own requests: `allowed`, `denied`, `error`, `?`."""

    def hear(self, message: Message) -> list[Message]:
        """Take a message of the bridge; what the agent says to it at once."""
        kind, method, message_id = self.envelope.read(message)
        if kind == "response":
            self.answers.setdefault(id_key(message_id), []).append(self._decision(message))
            return []
        if kind == "request":
            self.requests.append(message)
        return self._heard(method or "", message_id, message) if kind != "noise" else []

    def answers_to(self, request_id: Any) -> list[str]:
        """What the bridge has answered to the agent's request of exactly that id."""
        return self.answers.get(id_key(request_id), [])

    def prompted(self, session: str) -> int:
        """How many prompts the session got."""
        return sum(prompt.session == session for prompt in self.prompts)

    # -- what a family says --------------------------------------------------------------------------

    @abstractmethod
    def _envelope(self) -> Envelope:
        """The framing of the family."""

    @abstractmethod
    def _heard(self, method: str, message_id: Any, message: Message) -> list[Message]:
        """A request or notification of the bridge."""

    @abstractmethod
    def _decision(self, message: Message) -> str:
        """What an answer of the bridge decides."""

    @abstractmethod
    def expect(self, session: str) -> None:
        """A session of this id exists already: the bridge may resume it."""

    @abstractmethod
    def text(self, session: str, *pieces: str) -> list[Message]:
        """A message of the agent, in pieces."""

    @abstractmethod
    def command(self, session: str, call: str, command: str) -> list[Message]:
        """The agent begins to run a command."""

    @abstractmethod
    def output(self, session: str, call: str, whole: str, piece: str) -> list[Message]:
        """The command printed a piece; `whole` is all so far."""

    @abstractmethod
    def settle(self, session: str, call: str, output: str, code: int) -> list[Message]:
        """The command ended with all its output and a code that is not 0."""

    @abstractmethod
    def ask(self, session: str, call: str, command: str, request_id: Any) -> list[Message]:
        """The agent asks whether it may run the command it has begun."""

    @abstractmethod
    def end(self, session: str) -> list[Message]:
        """The turn ends well."""

    @abstractmethod
    def fail(self, session: str, text: str) -> list[Message]:
        """The turn ends with an error of these words."""

    @abstractmethod
    def stopped(self, session: str) -> list[Message]:
        """The turn ends because it was told to stop."""

    @abstractmethod
    def unheard_of(self, session: str) -> list[Message]:
        """News of a kind nobody knows; its text is `unheard-of news`."""

    @abstractmethod
    def odd(self, session: str) -> list[Message]:
        """Messages whose members have types no protocol gives them."""

    @abstractmethod
    def strange_request(self, session: str, request_id: Any) -> list[Message]:
        """A request of a kind nobody knows."""

    @abstractmethod
    def stray_answers(self) -> list[Message]:
        """Answers to requests that the bridge never made, one under an id much like that of a real one."""


def texts_of(blocks: Any) -> str:
    """The texts of content blocks, joined; what is none counts for nothing."""
    blocks = blocks if isinstance(blocks, list) else []
    found = [b["text"] for b in blocks if isinstance(b, dict) and isinstance(b.get("text"), str)]
    return "".join(found)
