"""What the bridge sends in ACP version 2 is what the published schema allows, and such a log imports."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from acp_frames import Json, request
from acp_v2_frames import (
    AGENT,
    CONFIG,
    RUNNING,
    AcpV2Run,
    about_call,
    about_command,
    ask,
    chunk,
    command,
    idle,
    printed,
    terminal,
)
from acp_v2_frames import call as tool
from jsonschema import Draft202012Validator

from parity.bridges.acp.bridge import AcpBridge
from parity.importing.importer import ImportOptions, import_log
from parity.replay.replay import replay

SCHEMA = json.loads(
    gzip.decompress((Path(__file__).parents[2] / "data" / "acp-schema-v2.json.gz").read_bytes())
)
ASKED = {
    definition["x-method"]: name
    for name, definition in SCHEMA["$defs"].items()
    if definition.get("x-side") == "agent" and name.endswith(("Request", "Notification"))
}
ANSWERED = {0: "RequestPermissionResponse", 1: "RequestPermissionResponse", 5: "CreateElicitationResponse"}


def session() -> AcpV2Run:
    """A session in which the bridge has occasion to say all it can."""
    run = AcpV2Run(start=False)
    run.initialize()
    servers = [{"name": "a", "command": "/a", "args": [], "env": []}]
    run.start(options={"mode": "plan", "config": {"deep": True}, "mcpServers": servers})
    run.answer_session(configOptions=CONFIG)
    run.prompt()
    run.accept().feed(RUNNING, command("t1"), ask("Run?", about_call("t1")))
    run.answer("allowed", "yes")
    run.feed(request("elicitation/create", 5, message="Who?", mode="form", requestedSchema={}))
    run.feed(ask("And?", about_command("ls", toolCallId="t2")))
    run.steer("wait")
    run.feed(idle("cancelled"))
    run.accept().feed(RUNNING)
    run.stop()
    run.feed(idle("cancelled"))
    run.runtime("thread/resume", threadId="b", cwd="/w", providerThreadId="session-b")
    return run


def test_every_request_of_the_bridge_keeps_the_schema() -> None:
    sent = [message for message in session().sent if "method" in message]
    for message in sent:
        Draft202012Validator(
            {**SCHEMA["$defs"][ASKED[message["method"]]], "$defs": SCHEMA["$defs"]}
        ).validate(message["params"])
    assert {message["method"] for message in sent} == {
        "initialize",
        "session/new",
        "session/set_config_option",
        "session/prompt",
        "session/cancel",
        "session/resume",
    }


def test_every_answer_of_the_bridge_keeps_the_schema() -> None:
    run = session()
    for request_id, name in ANSWERED.items():
        schema = {**SCHEMA["$defs"][name], "$defs": SCHEMA["$defs"]}
        Draft202012Validator(schema).validate(run.responses(request_id)[0]["result"])


class Rows:
    """Keeps the rows of a replay."""

    def __init__(self) -> None:
        self.rows: list[Json] = []

    def row(self, line: bytes) -> None:
        self.rows.append(json.loads(line))

    def bridge(self, line: bytes) -> None: ...

    provider = event = bridge


def crossing(*messages: tuple[str, Json]) -> str:
    return "".join(f"{side} {json.dumps({'jsonrpc': '2.0', **message})}\n" for side, message in messages)


def log() -> str:
    """What a client of version 2 and its agent said: a prompt, the agent's own turn, a steered prompt."""

    def told(update: Json) -> tuple[str, Json]:
        return "<", {"method": "session/update", "params": {"sessionId": "s", "update": update}}

    def prompt(request_id: int, words: str) -> list[tuple[str, Json]]:
        params = {"sessionId": "s", "prompt": [{"type": "text", "text": words}]}
        asked = {"id": request_id, "method": "session/prompt", "params": params}
        return [(">", asked), ("<", {"id": request_id, "result": {}})]

    shows = [{"type": "terminal", "terminalId": "x"}]
    start = {"protocolVersion": 2, "info": {"name": "editor", "version": "1"}, "capabilities": {}}
    allowed = {"outcome": {"outcome": "selected", "optionId": "yes"}}
    question = ask("Run?", about_call("t1"))
    question["params"]["sessionId"] = "s"
    return crossing(
        (">", {"id": 1, "method": "initialize", "params": start}),
        ("<", {"id": 1, "result": AGENT}),
        (">", {"id": 2, "method": "session/new", "params": {"cwd": "/w", "mcpServers": []}}),
        ("<", {"id": 2, "result": {"sessionId": "s"}}),
        *prompt(3, "build"),
        *(told(update) for update in (RUNNING, command("t1", status="in_progress", content=shows))),
        ("<", {**question, "id": 9}),
        (">", {"id": 9, "result": allowed}),
        told(printed("x", "done\n")),
        told(terminal("x", exitStatus={"exitCode": 0})),
        *(told(update) for update in (tool("t1", status="completed"), chunk("m", "Built."), idle())),
        *(told(update) for update in (RUNNING, chunk("n", "By the way."), idle())),
        *prompt(4, "more"),
        told(RUNNING),
        (">", {"method": "session/cancel", "params": {"sessionId": "s"}}),
        told(idle("cancelled")),
    )


def test_a_log_of_version_2_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.fsync", lambda descriptor: None)
    (tmp_path / "log.jsonl").write_text(log(), "utf-8")
    options = ImportOptions()
    cell, outcome = import_log(tmp_path / "log.jsonl", "acp-generic", "new", tmp_path / "recordings", options)
    assert (outcome.stalls, outcome.unconsumed, outcome.drops) == ([], [], {})
    assert (cell.manifest.protocol, cell.manifest.agent.name) == (2, "agent")
    rows = Rows()
    replay(cell, lambda: AcpBridge("generic"), rows)
    assert [(row["kind"], row["status"], row.get("initiator")) for row in rows.rows] == [
        ("turn", "completed", None),
        ("message", "completed", None),
        ("turn", "completed", "agent"),
        ("message", "completed", None),
        ("turn", "interrupted", None),
    ]
    (row,) = rows.rows[0]["children"]
    assert (row["output"], row["exitCode"], row["approval"]) == ("done\n", 0, {"decision": "allowed"})
