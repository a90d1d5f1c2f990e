"""Foreign codex logs become cells that replay: what a real client leaves out is no gap of the recording."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from codex_frames import CODEX, CWD, TURN, command

from parity.importing.importer import ImportOptions, import_log
from parity.replay.replay import Outcome
from parity.wire import encode

ASK = "item/commandExecution/requestApproval"
OPENING = [
    (">", {"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "x", "version": "1"}}}),
    ("<", {"id": 1, "result": {"userAgent": "x/0.171.0 (y)"}}),
    (">", {"method": "initialized"}),
    (">", {"id": 2, "method": "thread/start", "params": {"cwd": CWD}}),
    ("<", {"id": 2, "result": {"thread": {"id": CODEX, "turns": []}, "cwd": CWD}}),
    (
        ">",
        {
            "id": 3,
            "method": "turn/start",
            "params": {"threadId": CODEX, "input": [{"type": "text", "text": "go"}]},
        },
    ),
    ("<", {"id": 3, "result": {"turn": {"id": TURN}}}),
    ("<", {"method": "turn/started", "params": {"threadId": CODEX, "turn": {"id": TURN}}}),
    ("<", {"method": "item/started", "params": {"threadId": CODEX, "turnId": TURN, "item": command()}}),
    ("<", {"id": 0, "method": ASK, "params": {"threadId": CODEX, "turnId": TURN, "itemId": "c1"}}),
]
STOP = (">", {"id": 4, "method": "turn/interrupt", "params": {"threadId": CODEX, "turnId": TURN}})
RESOLVED = ("<", {"method": "serverRequest/resolved", "params": {"threadId": CODEX, "requestId": 0}})
END = [
    ("<", {"id": 4, "result": {}}),
    (
        "<",
        {
            "method": "turn/completed",
            "params": {"threadId": CODEX, "turn": {"id": TURN, "status": "interrupted"}},
        },
    ),
]


def imported(tmp_path: Path, *messages: tuple[str, dict[str, Any]]) -> Outcome:
    log = tmp_path / "log"
    log.write_bytes(
        b"".join(mark.encode() + encode(message) + b"\n" for mark, message in (*OPENING, *messages))
    )
    return import_log(log, "codex", "cell", tmp_path / "cells", ImportOptions())[1]


def test_a_client_that_answers_its_approval_replays(tmp_path: Path) -> None:
    outcome = imported(tmp_path, (">", {"id": 0, "result": {"decision": "accept"}}), RESOLVED, STOP, *END)
    assert (outcome.stalls, outcome.unconsumed, outcome.drops) == ([], [], {})


def test_a_client_that_stops_without_answering_replays(tmp_path: Path) -> None:
    outcome = imported(tmp_path, STOP, RESOLVED, *END)
    assert (outcome.stalls, outcome.unconsumed, outcome.drops) == ([], [], {})


def test_an_approval_nobody_answered_when_the_turn_ended_replays(tmp_path: Path) -> None:
    outcome = imported(tmp_path, RESOLVED, *END[1:])
    assert (outcome.stalls, outcome.unconsumed, outcome.drops) == ([], [], {})
