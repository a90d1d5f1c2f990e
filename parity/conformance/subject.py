"""The bridge under judgement, however it is hung in: an object in this process, or a command.

Both take a message and say what came of it; `more` is where a command is waited for, always with a bound. A
bridge that crashes, hangs or ends is no more than a reason: `failure` has it, and nothing is raised.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Protocol, TypeAlias

from parity.bridges import Bridge, Message, Output
from parity.bridges.base import Envelope
from parity.live.bridge import ExternalBridge, agent_command
from parity.live.play import BridgeCommand
from parity.live.process import BridgeProcess
from parity.wire import InputError, encode

_NO_MESSAGES: tuple[Any, ...] = (None, 7, "text", True, [], [{"jsonrpc": "2.0", "id": 1}])
_NO_LINES = (b"Debugger listening on port 9229", b"{", b"[1]", b'"x"', b"", b"\xff\xfe", b"{'id': 1}")
_MAY_SAY = 64 * 1024 * 1024
"""Bytes a command may say while one rule is judged."""


class Subject(Protocol):
    """A bridge under judgement. Its methods return what it said, in order."""

    has_process: ClassVar[bool]

    @property
    def failure(self) -> str | None:
        """Why nothing more will come of it; None while something may."""

    def runtime(self, message: Message) -> Sequence[Output]:
        """A message of the runtime."""

    def provider(self, message: Message) -> Sequence[Output]:
        """A message of the agent."""

    def host_error(self, token: int, error: Message) -> Sequence[Output]:
        """A host call cannot be served."""

    def garbage(self) -> tuple[Sequence[Output], str | None]:
        """Lines on both sides that are no messages: what was said to them, and what was not counted."""

    def more(self) -> Sequence[Output]:
        """What is said next; [] when nothing comes within the bound."""

    def complaints(self) -> tuple[list[str], list[str]]:
        """(malformed messages, malformed deltas) so far, where only the subject saw them."""

    def end(self) -> None:
        """See that it ends with its input."""

    def kill(self) -> None:
        """End it in any state."""


NewSubject: TypeAlias = Callable[[Envelope], Subject]
"""Makes a fresh subject; the envelope is the scripted agent's."""


class InProcess:
    """A bridge that is an object."""

    has_process: ClassVar[bool] = False

    def __init__(self, bridge: Bridge) -> None:
        self.failure: str | None = None
        self._bridge = bridge

    def runtime(self, message: Message) -> Sequence[Output]:
        """A message of the runtime."""
        return self._guarded(self._bridge.runtime, message)

    def provider(self, message: Message) -> Sequence[Output]:
        """A message of the agent."""
        return self._guarded(self._bridge.provider, message)

    def host_error(self, token: int, error: Message) -> Sequence[Output]:
        """A host call cannot be served."""
        return self._guarded(self._bridge.host_error, token, error)

    def garbage(self) -> tuple[Sequence[Output], str | None]:
        """Documents that are no objects, as a line that is JSON and no message comes to."""
        said: list[Output] = []
        for side in (self._bridge.runtime, self._bridge.provider):
            before = self._bridge.noise
            for value in _NO_MESSAGES:
                said += self._guarded(side, value)
            counted = self._bridge.noise - before
            if counted != len(_NO_MESSAGES) and self.failure is None:
                return said, f"{side.__name__}: counted {counted} of {len(_NO_MESSAGES)} as noise"
        return said, None

    def more(self) -> Sequence[Output]:
        """It has said all."""
        return []

    def complaints(self) -> tuple[list[str], list[str]]:
        """The stage reads its messages itself."""
        return [], []

    def end(self) -> None:
        """It has no end of its own."""

    def kill(self) -> None:
        """It has no process."""

    def _guarded(self, call: Callable[..., Sequence[Output]], *arguments: Any) -> Sequence[Output]:
        if self.failure is not None:
            return []
        try:
            return list(call(*arguments))
        except Exception as error:  # whatever it is, it is the bridge's
            self.failure = f"the bridge crashed: {type(error).__name__}: {error}"
            return []


class External(ExternalBridge):
    """A bridge that is a command; see `parity.live`."""

    has_process: ClassVar[bool] = True

    @property
    def failure(self) -> str | None:
        """Why it is driven no more."""
        return self.failed

    def garbage(self) -> tuple[Sequence[Output], str | None]:
        """Lines that are no messages; whether it counts them cannot be seen from outside."""
        said: list[Output] = []
        for line in _NO_LINES:
            said += self.runtime_line(line)
            said += self.provider_line(line)
        return said, None

    def more(self) -> Sequence[Output]:
        """Wait until it says something to either side; one that was silent too long is waited for no more."""
        return self._until(lambda: bool(self._outputs))

    def complaints(self) -> tuple[list[str], list[str]]:
        """What of its lines made no sense."""
        return self.problems, [f"{kind}: {what}" for kind, what in self.wrong]


def in_process(new_bridge: Callable[[], Bridge]) -> NewSubject:
    """Subjects that are objects of this process."""
    return lambda envelope: InProcess(new_bridge())


def external(command: BridgeCommand, provider: str) -> NewSubject:
    """Subjects that are processes of a command. Raises InputError, when made, where there is none."""

    def environment(agent: Sequence[str]) -> dict[str, str]:
        told = {"PARITY_AGENT_COMMAND": encode(list(agent)).decode(), "PARITY_PROVIDER": provider}
        return {**os.environ, **command.env, **told}

    def make(envelope: Envelope) -> Subject:
        try:
            process = BridgeProcess(command.bridge, agent_command, environment, command.folder, _MAY_SAY)
        except OSError as error:
            what = f"the bridge cannot be started ({error.strerror})"
            raise InputError(command.bridge[0], None, what, "install it, or mend the command") from None
        return External(process, envelope, command.timeout)

    return make
