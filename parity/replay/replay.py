"""Replay: a recording through a bridge, the assembler, the ordering rules and the row projection.

A function of (recording, code): lines go in by (run, seq), nothing waits, nothing leaves the process. Ids our
bridge mints are matched to recorded ones by method and order; host calls are answered from the recorded
answers. A request without a recorded answer, an answer nothing asked for and a recorded line that nothing
consumed are problems of the cell, unless the manifest ignores the method.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Sequence, Set
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct, field

from parity.bridges import Bridge, HostCall, Message, Output, ToProvider, ToRuntime
from parity.bridges.base import agent_gone
from parity.grammar import events as e
from parity.grammar.intake import Intake
from parity.grammar.rows import Row, RowProjector, count_rows
from parity.replay.matching import Answers, IdKey, Requests, id_key
from parity.wire import (
    BRIDGE_TO_PROVIDER,
    BRIDGE_TO_RUNTIME,
    PROVIDER_TO_BRIDGE,
    RUNTIME_TO_BRIDGE,
    Cell,
    InputError,
    JsonError,
    LaneLine,
    decode_counted,
    encode,
)

_FRACTION = 10_000
"""Lines our bridge may say to one recorded line, told apart by fractions of its seq."""


class Sink(Protocol):
    """Takes the streams of a replay as encoded lines, in order."""

    def bridge(self, line: bytes) -> None:
        """A lane line of bridge→runtime."""

    def provider(self, line: bytes) -> None:
        """A lane line of bridge→provider."""

    def event(self, line: bytes) -> None:
        """An event."""

    def row(self, line: bytes) -> None:
        """A top-level row."""


class Outcome(Struct):
    """What a replay came to."""

    lines: int = 0
    events: int = 0
    rows: int = 0
    unhandled: int = 0
    noise: int = 0
    replaced_surrogates: int = 0
    drops: dict[str, int] = field(default_factory=dict)
    stalls: list[str] = field(default_factory=list)
    unconsumed: list[str] = field(default_factory=list)
    crash: str | None = None
    """Our own code failed on a recorded line: which, how, and where in the code. Nothing after it was fed."""
    remarks: list[str] = field(default_factory=list)
    """What explains the drops, where it is known; a line each."""

    @property
    def grammar_drops(self) -> int:
        """Events the ordering rules dropped."""
        return sum(self.drops.values())


class Replay:
    """One replay of one cell; `new_projector` makes what projects the rows of one thread."""

    def __init__(
        self,
        new_bridge: Callable[[], Bridge],
        sink: Sink,
        ignored: Set[tuple[str, str]],
        new_projector: Callable[[], RowProjector] = RowProjector,
    ) -> None:
        self.outcome = Outcome()
        self._new_bridge = new_bridge
        self._sink = sink
        self._ignored = ignored
        self._run: int | None = None
        self._ts = 0
        self._seq: int | float = 0
        self._said = 0
        self._bridge = new_bridge()
        self._envelope = self._bridge.envelope
        self._intake = Intake(self._event, self._row, new_projector)
        self._fresh()

    def _fresh(self) -> None:
        """A new bridge process: its ids and what is outstanding begin anew."""
        self._to_provider = Requests()
        self._to_runtime = Requests()
        self._answers = Answers()
        self._hosts: dict[IdKey, int] = {}
        self._skipped: set[IdKey] = set()
        self._waiting: dict[Any, str] = {}

    def whole(self, lines: Iterable[LaneLine]) -> Outcome:
        """Take all lines to their end. A bug in a lane is a problem of the cell, named where it struck."""
        line = LaneLine(0, 0, 0, RUNTIME_TO_BRIDGE, "")
        try:
            for line in lines:
                self.feed(line)
            return self.finish()
        except InputError:
            raise
        except Exception as error:
            return self.crashed(line, error)

    # -- input ---------------------------------------------------------------------------------------

    def feed(self, line: LaneLine) -> None:
        """Take one recorded line."""
        if line.run != self._run:
            if self._run is not None:
                self._settle()
                self._intake.disconnected()
                self._bridge = self._new_bridge()
                self._fresh()
            self._run = line.run
        self._ts, self._seq, self._said = line.ts, line.seq, 0
        self.outcome.lines += 1
        if line.dir == BRIDGE_TO_RUNTIME and '"method":"thread/delta"' in line.line[:80]:
            return
        try:
            message, replaced = decode_counted(line.line)
        except JsonError:
            self.outcome.noise += 1
            return
        if replaced:
            self.outcome.replaced_surrogates += replaced
        _LANES[line.dir](self, message)

    def finish(self) -> Outcome:
        """End of the recording: what is outstanding is a stall or was never consumed."""
        self._settle()
        self._intake.finish()
        self.outcome.drops = dict(sorted(self._intake.drops.items()))
        return self.outcome

    def crashed(self, line: LaneLine, error: Exception) -> Outcome:
        """End the replay at a line our code failed on."""
        self.outcome.crash = f"crashed on {line.dir} {line.run}:{line.seq}: {failure_of(error)}"
        self.outcome.stalls.append(self.outcome.crash)
        return self.outcome

    def waits_for(self, request_id: Any) -> bool:
        """Whether our bridge's request to the runtime still waits for its answer."""
        return request_id in self._waiting

    def _provider_line(self, message: Any) -> None:
        if isinstance(message, dict):
            kind, method, message_id = self._envelope.read(message)
            if self._ignored and (method, PROVIDER_TO_BRIDGE) in self._ignored:
                if kind == "request":
                    self._answers.forgive(message_id)
                return
            if kind == "notification":
                if method == self._envelope.withdrawing:
                    self._answers.forgive(self._envelope.withdraws(message))
            elif kind == "response":
                key = id_key(message_id)
                if key in self._skipped:
                    self._skipped.discard(key)
                    return
                found, live, method = self._to_provider.live_id(message_id)
                if not found:
                    what = f"answer to {method}" if method else f"answer to id {message_id!r}"
                    self.outcome.stalls.append(f"{what}: our bridge never asked for it")
                    return
                message = self._envelope.readdress(message, live)
        self._take(self._bridge.provider(message))

    def _runtime_line(self, message: Any) -> None:
        method = message.get("method") if isinstance(message, dict) else None
        if self._ignored and (method, RUNTIME_TO_BRIDGE) in self._ignored:
            return
        if isinstance(message, dict) and "method" not in message and "id" in message:
            found, live, method = self._to_runtime.live_id(message["id"])
            if not found:
                self.outcome.stalls.append(
                    f"the runtime's answer to {method or message['id']}: our bridge never asked for it"
                )
                return
            if self._waiting.pop(live, None) is not None:
                self._intake.answer(live, message.get("result"))
            message = {**message, "id": live}
        elif isinstance(message, dict) and message.get("method") == "thread/stop":
            self._stopped(message.get("params"))
        self._take(self._bridge.runtime(message))
        if isinstance(message, dict) and message.get("method") == "thread/stop":
            params = message.get("params")
            if isinstance(params, dict) and params.get("intent") == "release":
                self._intake.release(str(params.get("threadId")))

    def _stopped(self, params: Any) -> None:
        """A stop withdraws what waits for a person: nobody needs to answer it any more."""
        if isinstance(params, dict) and params.get("intent") == "interrupt":
            thread_id = str(params.get("threadId"))
            self._intake.stopped(thread_id)
            self._waiting = {k: v for k, v in self._waiting.items() if v != thread_id}

    def _recorded_to_runtime(self, message: Any) -> None:
        if not isinstance(message, dict) or "method" not in message:
            return
        if "id" in message:
            self._to_runtime.recorded(message["method"], message["id"])
        elif message["method"] == "error":
            params = message.get("params")
            if isinstance(params, dict) and "threadId" not in params:
                self._agent_gone(str(params.get("message")))

    def _agent_gone(self, reason: str) -> None:
        """The recorded bridge lost its agent here: so does ours, and the agent owes no answer any more."""
        self._to_provider.forgive()
        self._hosts.clear()
        self._take(agent_gone(self._bridge, reason))

    def _recorded_to_provider(self, message: Any) -> None:
        if not isinstance(message, dict):
            return
        kind, method, message_id = self._envelope.read(message)
        if kind == "response":
            self._answers.add(message_id, -1)
            token = self._hosts.pop(id_key(message_id), None)
            if token is None:
                return
            if message.get("error") is not None:
                self._take(self._bridge.host_error(token, message["error"]))
            else:
                self._take(self._bridge.host_result(token, message.get("result")))
        elif method is not None:
            if (method, BRIDGE_TO_PROVIDER) not in self._ignored:
                self._to_provider.recorded(method, message_id)
            elif kind == "request":
                self._skipped.add(id_key(message_id))

    # -- output --------------------------------------------------------------------------------------

    def _take(self, outputs: Sequence[Output]) -> None:
        for output in outputs:
            if type(output) is ToRuntime:
                self._to_the_runtime(output.message)
            elif type(output) is ToProvider:
                self._to_the_provider(output.message)
            elif isinstance(output, HostCall):
                self._hosts[id_key(output.request_id)] = output.token

    def _to_the_provider(self, message: Message) -> None:
        kind, method, message_id = self._envelope.read(message)
        if kind == "response":
            self._answers.add(message_id, 1)
        elif method is not None:
            self._to_provider.emitted(method, message_id)
        self._sink.provider(self._lane_line(BRIDGE_TO_PROVIDER, message))

    def _to_the_runtime(self, message: Message) -> None:
        self._sink.bridge(self._lane_line(BRIDGE_TO_RUNTIME, message))
        method = message.get("method")
        if method == "thread/delta":
            params = message["params"]
            self._intake.deltas(params["threadId"], params["deltas"])
        elif method == "interaction/request":
            self._to_runtime.emitted(method, message["id"])
            self._waiting[message["id"]] = message["params"]["threadId"]
            self._intake.request(message["id"], message["params"])
        elif method == "thread/identity":
            params = message["params"]
            self._intake.identity(params["threadId"], params["providerThreadId"])
        elif method == "$/cancel_request":
            self._waiting.pop(message["params"]["requestId"], None)
            self._intake.withdrawn(message["params"]["requestId"])
        elif method == "error" and "threadId" in message["params"]:
            params = message["params"]
            self._intake.error(params["threadId"], params["message"])

    def _lane_line(self, lane: str, message: Message) -> bytes:
        """The line as a recording would hold it; its seq lies between the recorded ones, exactly."""
        self._said += 1
        seq = (self._seq * _FRACTION + self._said) / _FRACTION
        text = encode(message).decode()
        return encode(LaneLine(self._ts, self._run or 0, seq, lane, text))

    def _event(self, event: e.Event) -> None:
        self.outcome.events += 1
        if type(event) is e.ProviderUnhandled:
            self.outcome.unhandled += 1
        self._sink.event(encode(event))

    def _row(self, row: Row) -> None:
        self.outcome.rows += count_rows(row)
        self._sink.row(encode(row))

    # -- the end of a bridge process -----------------------------------------------------------------

    def _settle(self) -> None:
        outcome = self.outcome
        outcome.noise += self._bridge.noise
        for method in self._to_provider.unanswered():
            outcome.stalls.append(f"our {method}: the recording has no answer")
        for _ in self._waiting:
            outcome.stalls.append("our interaction/request: the recording has no answer")
        for key in self._hosts:
            outcome.stalls.append(f"host call {key[1]!r}: the recording has no answer")
        recorded, _ = self._to_provider.unmatched()
        for method, count in recorded.items():
            outcome.unconsumed.append(f"{BRIDGE_TO_PROVIDER}: {count} × {method}")
        only_recorded, only_live = self._answers.unmatched()
        for request_id in only_recorded:
            outcome.unconsumed.append(f"{BRIDGE_TO_PROVIDER}: the answer to id {request_id!r}")
        for request_id in only_live:
            outcome.stalls.append(f"our answer to id {request_id!r}: the recording has none")


_LANES: dict[str, Callable[[Replay, Any], None]] = {
    RUNTIME_TO_BRIDGE: Replay._runtime_line,
    PROVIDER_TO_BRIDGE: Replay._provider_line,
    BRIDGE_TO_RUNTIME: Replay._recorded_to_runtime,
    BRIDGE_TO_PROVIDER: Replay._recorded_to_provider,
}


def failure_of(error: Exception) -> str:
    """A failure of our own code in one line: which, and where in the code it struck."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"
    return f"{' '.join(f'{type(error).__name__}: {error}'.split())} ({where})"


def replay(cell: Cell, new_bridge: Callable[[], Bridge], sink: Sink) -> Outcome:
    """Replay a whole cell into a sink."""
    return Replay(new_bridge, sink, ignored_methods(cell)).whole(cell.lines())


def ignored_methods(cell: Cell) -> frozenset[tuple[str, str]]:
    """(method, direction) of the traffic the cell's manifest says to ignore."""
    return frozenset((entry.method, entry.direction) for entry in cell.manifest.ignored)
