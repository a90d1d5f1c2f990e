"""One fuzzed session: a recording up to its first prompt, then whatever lines the agent is made to say.

The input is text: the first line names a cell of the family (any other: the first one), each further line
is one of the agent's. What our bridge asks is answered: a person allows or denies, the host obeys. At the end
the agent is gone, so everything must have settled.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from parity.gates.check import bridge_maker
from parity.replay.replay import Replay, ignored_methods
from parity.wire import (
    BRIDGE_TO_PROVIDER,
    BRIDGE_TO_RUNTIME,
    PROVIDER_TO_BRIDGE,
    RUNTIME_TO_BRIDGE,
    Cell,
    JsonError,
    LaneLine,
    decode,
)

_HOST_RESULTS: dict[str, Any] = {
    "fs/read_text_file": {"content": "text"},
    "terminal/create": {"terminalId": "terminal-1"},
    "terminal/output": {"output": "out", "truncated": False, "exitStatus": {"exitCode": 3}},
    "terminal/wait_for_exit": {"exitCode": 3},
}


class _Sink:
    """Keeps rows and events, and what our bridge says as lines of a recording."""

    def __init__(self) -> None:
        self.kept: dict[str, list[Any]] = {"rows": [], "events": []}
        self.said: list[LaneLine] = []

    def bridge(self, line: bytes) -> None:
        if b"thread/delta" not in line:
            self.said.append(msgspec.json.decode(line, type=LaneLine))

    def provider(self, line: bytes) -> None:
        self.said.append(msgspec.json.decode(line, type=LaneLine))

    def event(self, line: bytes) -> None:
        self.kept["events"].append(decode(line))

    def row(self, line: bytes) -> None:
        self.kept["rows"].append(decode(line))


class FuzzedSession:
    """A session of one cell's agent; `rows` and `events` are documents once it is finished."""

    def __init__(self, cell: Cell) -> None:
        self._sink = _Sink()
        self._run = Replay(bridge_maker(cell), self._sink, ignored_methods(cell))
        self._seq = 0
        self._answers = 0
        prompted = False
        for line in cell.lines():
            if prompted and line.dir in (PROVIDER_TO_BRIDGE, RUNTIME_TO_BRIDGE):
                break
            self._run.feed(line)
            self._seq = int(line.seq)
            prompted = prompted or (line.dir == RUNTIME_TO_BRIDGE and '"turn/start"' in line.line)
        self._sink.said.clear()

    def say(self, text: str) -> None:
        """The agent says one line."""
        self._feed(PROVIDER_TO_BRIDGE, text)
        self._obey(text)
        waiting = self._sink.said
        while waiting:
            line = waiting.pop(0)
            self._run.feed(line)
            message = decode(line.line)
            if line.dir == BRIDGE_TO_RUNTIME and message.get("method") == "interaction/request":
                self._answer(message["id"])

    def _obey(self, text: str) -> None:
        """Do what only the host can do, where the agent asks for it."""
        try:
            message = decode(text)
        except JsonError:
            return
        method = message.get("method") if isinstance(message, dict) else None
        if isinstance(method, str) and method.startswith(("fs/", "terminal/")) and "id" in message:
            answer = {"jsonrpc": "2.0", "id": message["id"], "result": _HOST_RESULTS.get(method, {})}
            self._feed(BRIDGE_TO_PROVIDER, json.dumps(answer))

    def finish(self) -> dict[str, int]:
        """The agent is gone; the grammar drops there were."""
        gone = {"jsonrpc": "2.0", "method": "error", "params": {"message": "the agent is gone"}}
        self._feed(BRIDGE_TO_RUNTIME, json.dumps(gone))
        return self._run.finish().drops

    @property
    def rows(self) -> list[Any]:
        """The top-level rows."""
        return self._sink.kept["rows"]

    @property
    def events(self) -> list[Any]:
        """All events."""
        return self._sink.kept["events"]

    def _answer(self, request_id: Any) -> None:
        self._answers += 1
        decision = ("allowed", "denied", "cancelled")[self._answers % 3]
        answer = {"jsonrpc": "2.0", "id": request_id, "result": {"decision": decision}}
        self._feed(RUNTIME_TO_BRIDGE, json.dumps(answer))

    def _feed(self, lane: str, text: str) -> None:
        self._seq += 1
        self._run.feed(LaneLine(0, 1, self._seq, lane, text))
