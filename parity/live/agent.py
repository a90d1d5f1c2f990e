"""A replay agent of its own, `parity replay-agent CELL`: says what the recorded agent said, in time.

For trying a bridge by hand: start it as the bridge's agent, and play the runtime yourself. It says what the
recorded agent said, each line once the bridge has written what it had written by then: requests and
notifications are told by method and order, answers by id. Answers carry the ids the bridge chose. It waits as
long as the bridge does and ends with its input. (`parity check` drives a bridge without this: see `relay`.)
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from typing import Any, BinaryIO

from parity.bridges.base import Envelope
from parity.replay.matching import IdKey, Requests, id_key
from parity.wire import (
    BRIDGE_TO_PROVIDER,
    PROVIDER_TO_BRIDGE,
    Cell,
    JsonError,
    LaneLine,
    LineSplitter,
    decode,
    encode,
)

_CHUNK = 64 * 1024


class ReplayAgent:
    """The lane of one agent process, played as the bridge's lines come. No I/O."""

    def __init__(self, lines: Iterable[LaneLine], envelope: Envelope) -> None:
        self._due = deque(line for line in lines if line.dir in (BRIDGE_TO_PROVIDER, PROVIDER_TO_BRIDGE))
        self._envelope = envelope
        self._requests = Requests()
        self._came: Counter[tuple[str, str] | IdKey] = Counter()
        self._wanted: Counter[tuple[str, str] | IdKey] = Counter()
        self._claimed = False

    def hear(self, line: bytes) -> list[bytes]:
        """What the agent says once the bridge has written this line; b"" only asks what comes first."""
        message = _message(line)
        if message is not None:
            kind, method, message_id = self._envelope.read(message)
            name = self._name(kind, method, message_id)
            if name is not None:
                self._came[name] += 1
            if method is not None:
                self._requests.emitted(method, message_id)
        said = []
        while self._due:
            line_due = self._due[0]
            if line_due.dir == PROVIDER_TO_BRIDGE:
                said.append(self._readdressed(line_due.line))
            elif not self._has_come(line_due.line):
                break
            self._due.popleft()
            self._claimed = False
        return said

    def _has_come(self, recorded: str) -> bool:
        message = _message(recorded.encode("utf-8", "replace"))
        if message is None:
            return True
        kind, method, message_id = self._envelope.read(message)
        name = self._name(kind, method, message_id)
        if name is None:
            return True
        if not self._claimed:
            self._claimed = True
            self._wanted[name] += 1
            if method is not None:
                self._requests.recorded(method, message_id)
        return self._came[name] >= self._wanted[name]

    def _name(self, kind: str, method: str | None, message_id: Any) -> tuple[str, str] | IdKey | None:
        """What tells this message of the bridge from its others."""
        if kind == "response":
            return id_key(message_id)
        return ("method", method) if method is not None else None

    def _readdressed(self, recorded: str) -> bytes:
        line = recorded.encode("utf-8", "replace")
        message = _message(line)
        if message is not None and self._envelope.read(message)[0] == "response":
            found, live, _ = self._requests.live_id(self._envelope.read(message)[2])
            if found:
                return encode(self._envelope.readdress(message, live))
        return line


def play_agent(cell: Cell, envelope: Envelope, run: int, stdin: BinaryIO, stdout: BinaryIO) -> None:
    """Play the agent of one bridge process of the cell until the input ends."""
    agent = ReplayAgent((line for line in cell.lines() if line.run == run), envelope)
    splitter = LineSplitter()
    lines = [b""]
    while True:
        for line in lines:
            for said in agent.hear(line):
                stdout.write(said + b"\n")
            stdout.flush()
        chunk = stdin.read1(_CHUNK) if hasattr(stdin, "read1") else stdin.read(_CHUNK)
        if not chunk:
            return
        lines = splitter.feed(chunk)


def _message(line: bytes) -> dict[str, Any] | None:
    try:
        message = decode(line)
    except (JsonError, UnicodeDecodeError):
        return None
    return message if isinstance(message, dict) else None
