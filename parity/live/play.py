"""Playing a cell through an external bridge: the replay, with a process where the built-in bridge would be.

Matching, grammar and rows are the replay's own. What is added here: lines that are no message reach the
bridge too, the recording is held back until the bridge has done what it did in it, and whatever becomes of
the process is a problem of the cell. Must not know pins; what is compared is the gates' business.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from pathlib import Path
from typing import Protocol

from parity.bridges import Message, bridge_for
from parity.bridges.base import Envelope, JsonRpc
from parity.live.bridge import ExternalBridge, agent_command
from parity.live.messages import RULE
from parity.live.process import BridgeProcess
from parity.replay.matching import IdKey, id_key
from parity.replay.provenance import Noting, RowLines
from parity.replay.replay import Outcome, Replay, Sink, ignored_methods
from parity.wire import (
    BRIDGE_TO_PROVIDER,
    BRIDGE_TO_RUNTIME,
    PROVIDER_TO_BRIDGE,
    RUNTIME_TO_BRIDGE,
    Cell,
    InputError,
    JsonError,
    LaneLine,
    decode,
    encode,
    read_ndjson,
)

LAYERS = ("events", "rows")
"""The streams in which an external bridge is held against the pins; its own messages are its business."""

_FLOOD_FLOOR = 16 * 1024 * 1024
_FLOOD_FACTOR = 8
"""A bridge may say this many times the bytes of its recording, and always the floor."""


class BridgeCommand(Protocol):
    """How a provider's external bridge is started (see `[tool.parity.providers]`)."""

    @property
    def bridge(self) -> Sequence[str]:
        """The command."""

    @property
    def env(self) -> Mapping[str, str]:
        """Variables added to the environment."""

    @property
    def timeout(self) -> float:
        """Seconds that bound each wait."""

    @property
    def folder(self) -> Path:
        """Where it runs."""


class Player:
    """Plays one cell through an external bridge; asked again, it tells what it kept."""

    def __init__(self, command: BridgeCommand) -> None:
        self._command = command
        self._kept: dict[Path, tuple[_Kept, Outcome, list[RowLines]]] = {}

    def __call__(self, cell: Cell, sink: Sink) -> Outcome:
        """The outcome; the streams go to the sink, the first time as they come.

        Raises InputError where there is no such command.
        """
        if cell.path not in self._kept:
            kept, noting = _Kept(sink), Noting()
            outcome = _play(cell, self._command, kept, noting)
            self._kept[cell.path] = kept, outcome, noting.rows
            return outcome
        kept, outcome, _ = self._kept[cell.path]
        for stream, line in kept.lines:
            getattr(sink, stream)(line)
        return outcome

    def row_lines(self, cell: Cell) -> list[RowLines]:
        """The recorded lines behind the rows of a cell that was played, for `with_provenance`.

        A row came from the last line that the bridge was given before it said what made or changed the row.
        """
        return self._kept[cell.path][2]


def player_of(commands: Mapping[str, BridgeCommand], cell: Cell) -> Player | None:
    """What plays the cell where its provider has an external bridge; None where it has none."""
    command = commands.get(cell.provider)
    return Player(command) if command is not None else None


class _Kept:
    """A sink that keeps everything, in order, and hands it on; bounded by what a bridge may say."""

    def __init__(self, sink: Sink) -> None:
        self.lines: list[tuple[str, bytes]] = []
        self._sink = sink

    def bridge(self, line: bytes) -> None:
        self.lines.append(("bridge", line))
        self._sink.bridge(line)

    def provider(self, line: bytes) -> None:
        self.lines.append(("provider", line))
        self._sink.provider(line)

    def event(self, line: bytes) -> None:
        self.lines.append(("event", line))
        self._sink.event(line)

    def row(self, line: bytes) -> None:
        self.lines.append(("row", line))
        self._sink.row(line)


class ExternalReplay(Replay):
    """One replay of one cell through processes of an external bridge."""

    def __init__(
        self,
        new_bridge: Callable[[], ExternalBridge],
        sink: Sink,
        ignored: Set[tuple[str, str]],
        expected_events: int,
        noting: Noting,
    ) -> None:
        self._live: list[ExternalBridge] = []
        self._expected = expected_events
        self._new_external = new_bridge
        self._noting = noting
        super().__init__(self._started, sink, ignored, noting.projector)

    def _started(self) -> ExternalBridge:
        self._live.append(self._new_external())
        self._counted: Counter[tuple[str, str]] = Counter()
        self._answers_due: Counter[IdKey] = Counter()
        return self._live[-1]

    def feed(self, line: LaneLine) -> None:
        """Take one recorded line, once the bridge has done what comes before it."""
        if line.run == self._run and self._live[-1].failed is not None:
            self.outcome.lines += 1
            return
        if line.run == self._run and line.dir in (BRIDGE_TO_PROVIDER, BRIDGE_TO_RUNTIME):
            self._await(line)
        if line.dir in (RUNTIME_TO_BRIDGE, PROVIDER_TO_BRIDGE):
            self._noting.at(line)
        noise = self.outcome.noise
        super().feed(line)
        if self.outcome.noise > noise and line.line.strip():
            if line.dir == PROVIDER_TO_BRIDGE:
                self._take(self._live[-1].provider_line(line.line.encode("utf-8", "replace")))
            elif line.dir == RUNTIME_TO_BRIDGE:
                self._take(self._live[-1].runtime_line(line.line.encode("utf-8", "replace")))

    def finish(self) -> Outcome:
        """End of the recording: a bridge that has said less than is pinned gets a moment more."""
        live = self._live[-1]
        while self.outcome.events < self._expected and (more := live.more()):
            self._take(more)
        outcome = super().finish()
        wrong = [entry for bridge in self._live for entry in bridge.wrong]
        for kind, _ in wrong:
            key = f"{RULE}:{kind}"
            outcome.drops[key] = outcome.drops.get(key, 0) + 1
        outcome.drops = dict(sorted(outcome.drops.items()))
        outcome.remarks += dict.fromkeys(f"{kind}: {what}" for kind, what in wrong)
        return outcome

    def kill(self) -> None:
        """End the processes, whatever happened."""
        for bridge in self._live:
            bridge.kill()

    # -- the order of the recording ------------------------------------------------------------------

    def _await(self, line: LaneLine) -> None:
        """Wait until the bridge has said what it says on this line of the recording."""
        try:
            message = decode(line.line)
        except (JsonError, ValueError):
            return
        if not isinstance(message, dict):
            return
        live = self._live[-1]
        if line.dir == BRIDGE_TO_RUNTIME:
            method = message.get("method")
            if isinstance(method, str) and "id" in message:
                self._take(live.until_asked(method, self._number(line.dir, method), provider=False))
            return
        kind, method, message_id = self._envelope.read(message)
        if kind == "response":
            self._answers_due[id_key(message_id)] += 1
            self._take(live.until_answered(message_id, self._answers_due[id_key(message_id)]))
        elif method is not None and (method, line.dir) not in self._ignored:
            self._take(live.until_asked(method, self._number(line.dir, method), provider=True))

    def _number(self, lane: str, method: str) -> int:
        self._counted[(lane, method)] += 1
        return self._counted[(lane, method)]

    # -- what the bridge says ------------------------------------------------------------------------

    def _to_the_runtime(self, message: Message) -> None:
        method = message.get("method")
        if method not in (None, "interaction/request") and "id" in message:
            self._to_runtime.emitted(str(method), message["id"])
        try:
            super()._to_the_runtime(message)
        except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
            what = f"what the bridge said in {method} makes no sense: {type(error).__name__} {error}"
            self.outcome.stalls.append(what)

    # -- the end of a process ------------------------------------------------------------------------

    def _settle(self) -> None:
        live = self._live[-1]
        live.end()
        before = len(self.outcome.stalls), len(self.outcome.unconsumed)
        super()._settle()
        if live.failed is not None:  # what never came after that needs no telling
            del self.outcome.stalls[before[0] :], self.outcome.unconsumed[before[1] :]
            self.outcome.stalls.append(live.failed)
        self.outcome.stalls += live.problems


def _play(cell: Cell, command: BridgeCommand, sink: Sink, noting: Noting) -> Outcome:
    envelope = envelope_of(cell.provider)
    limit = max(_FLOOD_FLOOR, _FLOOD_FACTOR * _size(cell))

    def environment(agent: Sequence[str]) -> dict[str, str]:
        return {
            **os.environ,
            **command.env,
            "PARITY_AGENT_COMMAND": encode(list(agent)).decode(),
            "PARITY_PROVIDER": cell.provider,
        }

    def new_bridge() -> ExternalBridge:
        try:
            process = BridgeProcess(command.bridge, agent_command, environment, command.folder, limit)
        except OSError as error:
            what = f"the bridge of {cell.provider} cannot be started ({error.strerror})"
            fix = "install it, or mend `bridge` in [tool.parity.providers]"
            raise InputError(command.bridge[0], None, what, fix) from None
        return ExternalBridge(process, envelope, command.timeout)

    replay = ExternalReplay(new_bridge, sink, ignored_methods(cell), _pinned_events(cell), noting)
    try:
        return replay.whole(cell.lines())
    finally:
        replay.kill()


def envelope_of(provider: str) -> Envelope:
    """How the provider's agent frames its messages: as its built-in family knows, else JSON-RPC."""
    try:
        return bridge_for(provider).envelope
    except KeyError:
        return JsonRpc()


def _size(cell: Cell) -> int:
    return sum(file.stat().st_size for file in cell.path.glob("*.ndjson"))


def _pinned_events(cell: Cell) -> int:
    path = cell.pin("events")
    return sum(1 for _ in read_ndjson(path, None)) if path.is_file() else 0
