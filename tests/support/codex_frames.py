"""What `codex app-server` says in a few words, and a driver that runs it through bridge, assembler and rows.

`CodexRun` plays the runtime and the agent: it puts every message on the wire as JSON, checks what our bridge
sends against the agent's own schema, and collects events and rows. It knows the public faces of the bridge
and of the intake and nothing inside them.
"""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft7Validator

from parity.bridges import ToProvider
from parity.bridges.base import agent_gone
from parity.bridges.codex.bridge import CodexBridge
from parity.grammar import events as e
from parity.grammar.intake import Intake
from parity.grammar.rows import walk
from parity.wire import decode, encode

Json = dict[str, Any]

CWD = "/home/dev/app"
THREAD = "thread-a"
CODEX = "codex-thread"
TURN = "codex-turn-1"
CHILD = "child-thread"
CHILD_TURN = "child-turn-1"
SCHEMA = Path(__file__).parents[1] / "data" / "codex-schema.json.gz"


@cache
def schema(name: str) -> Json:
    """One document of the agent's JSON schema."""
    documents = decode(gzip.decompress(SCHEMA.read_bytes()))["documents"]
    return documents[name]  # type: ignore[no-any-return]


@cache
def validator(name: str) -> Draft7Validator:
    return Draft7Validator(schema(name))


def branches(name: str) -> dict[str, Json]:
    """Method → schema of its message, out of a document of alternatives."""
    return {branch["properties"]["method"]["enum"][0]: branch for branch in schema(name)["oneOf"]}


@cache
def _branch(name: str, method: str) -> Draft7Validator:
    document = schema(name)
    return Draft7Validator({**branches(name)[method], "definitions": document["definitions"]})


# -- items -------------------------------------------------------------------------------------------------


def command(item_id: str = "c1", script: str = "make", **fields: Any) -> Json:
    item = {"type": "commandExecution", "id": item_id, "command": f"/bin/bash -lc '{script}'", "cwd": CWD}
    return {**item, "status": "inProgress", "commandActions": [], **fields}


def ran(item_id: str = "c1", output: str | None = None, code: int | None = 0, **fields: Any) -> Json:
    """The same command when it is over."""
    status = "completed" if code in (0, None) else "failed"
    return command(item_id, **{"status": status, "aggregatedOutput": output, "exitCode": code, **fields})


def patch(item_id: str = "p1", *changes: Json, **fields: Any) -> Json:
    return {"type": "fileChange", "id": item_id, "changes": list(changes), "status": "inProgress", **fields}


def change(path: str, kind: str = "update", diff: str = "@@\n-a\n+b\n", **more: Any) -> Json:
    return {"path": path, "kind": {"type": kind, **more}, "diff": diff}


def message(item_id: str = "m1", text: str = "") -> Json:
    return {"type": "agentMessage", "id": item_id, "text": text}


def activity(item_id: str = "spawn", kind: str = "started", child: str = CHILD) -> Json:
    path = "/root/kid"
    return {
        "type": "subAgentActivity",
        "id": item_id,
        "kind": kind,
        "agentThreadId": child,
        "agentPath": path,
    }


def spawn(item_id: str = "spawn", receivers: list[str] | None = None, **fields: Any) -> Json:
    item = {"type": "collabAgentToolCall", "id": item_id, "tool": "spawnAgent", "senderThreadId": CODEX}
    told = {"receiverThreadIds": receivers or [], "prompt": "look around", "agentsStates": {}}
    return {**item, **told, "status": "inProgress", **fields}


def tokens(total: int) -> Json:
    return {
        "totalTokens": total,
        "inputTokens": total,
        "cachedInputTokens": 0,
        "outputTokens": 0,
        "reasoningOutputTokens": 0,
    }


# -- the driver --------------------------------------------------------------------------------------------


class CodexRun:
    """A bridge with one runtime thread open (unless told not to), driven over the wire."""

    def __init__(self, *, opened: bool = True) -> None:
        self.bridge = CodexBridge()
        self.check = True
        self.events: list[Json] = []
        self.structs: list[e.Event] = []
        self.rows: list[Json] = []
        self.sent: list[Json] = []
        self.told: list[Json] = []
        self._intake = Intake(self._event, self.rows.append)
        self._asked = 0
        self._agent_requests: dict[Any, str] = {}
        if opened:
            self.open()

    def _event(self, event: e.Event) -> None:
        self.structs.append(event)
        self.events.append(decode(encode(event)))

    # -- the runtime -----------------------------------------------------------------------------------

    def runtime(self, method: str, **params: Any) -> int:
        self._asked += 1
        request = {"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params}
        self._take(self.bridge.runtime(decode(encode(request))))
        return self._asked

    def open(self, thread: str = THREAD, codex: str = CODEX) -> None:
        self.runtime("thread/start", threadId=thread, cwd=CWD)
        self.answer({"thread": {"id": codex, "turns": []}, "cwd": CWD})

    def turn(self, text: str = "go", turn: str = TURN, thread: str = THREAD, codex: str = CODEX) -> CodexRun:
        """A turn asked for, accepted and begun."""
        self.runtime("turn/start", threadId=thread, input=[{"type": "text", "text": text}])
        self.answer({"turn": {"id": turn, "items": [], "status": "inProgress"}})
        self.tell("turn/started", turn={"id": turn, "items": [], "status": "inProgress"}, threadId=codex)
        return self

    def stop(self, thread: str = THREAD) -> int:
        self._intake.stopped(thread)
        return self.runtime("thread/stop", threadId=thread, intent="interrupt")

    def release(self, thread: str) -> None:
        """The runtime lets go of a thread, and the agent takes note."""
        self.runtime("thread/stop", threadId=thread, intent="release")
        self._intake.release(thread)
        self.answer(method="thread/unsubscribe")

    def gone(self, reason: str) -> None:
        """The agent is no more."""
        self._take(agent_gone(self.bridge, reason))

    def decide(self, asked: Json, **result: Any) -> None:
        """The person's answer to an `interaction/request`."""
        self._intake.answer(asked["id"], result)
        self._take(self.bridge.runtime({"jsonrpc": "2.0", "id": asked["id"], "result": result}))

    def reply(self, request_id: int) -> Json:
        """The bridge's answer to a runtime request."""
        return next(m for m in self.told if m.get("id") == request_id and "method" not in m)

    # -- the agent -------------------------------------------------------------------------------------

    def answer(self, result: Any = None, *, error: Json | None = None, method: str | None = None) -> None:
        """The agent's answer to the last request the bridge made (of that method)."""
        asked = [m for m in self.sent if "id" in m and "method" in m and method in (None, m["method"])][-1]
        body = {"error": error} if error is not None else {"result": {} if result is None else result}
        self._take(self.bridge.provider(decode(encode({"id": asked["id"], **body}))))

    def tell(self, method: str, **params: Any) -> None:
        params = {"threadId": CODEX, **params}
        notification = {"method": method, "params": params, "emittedAtMs": 1}
        self._take(self.bridge.provider(decode(encode(notification))))

    def ask(self, method: str, request_id: Any = 0, **params: Any) -> None:
        self._agent_requests[request_id] = method
        request = {"id": request_id, "method": method, "params": params}
        self._take(self.bridge.provider(decode(encode(request))))

    def begin(self, item: Json, turn: str = TURN, thread: str = CODEX) -> None:
        self.tell("item/started", item=item, turnId=turn, threadId=thread)

    def end(self, item: Json, turn: str = TURN, thread: str = CODEX) -> None:
        self.tell("item/completed", item=item, turnId=turn, threadId=thread)

    def delta(
        self,
        item_id: str,
        text: str,
        kind: str = "commandExecution/outputDelta",
        turn: str = TURN,
        **more: Any,
    ) -> None:
        self.tell(f"item/{kind}", itemId=item_id, delta=text, turnId=turn, **more)

    def over(self, status: str = "completed", turn: str = TURN, thread: str = CODEX, **fields: Any) -> None:
        told = {"id": turn, "items": [], "status": status, **fields}
        self.tell("turn/completed", turn=told, threadId=thread)

    def usage(self, total: int, last: int, turn: str = TURN, window: int | None = None) -> None:
        told = {"total": tokens(total), "last": tokens(last), "modelContextWindow": window}
        self.tell("thread/tokenUsage/updated", tokenUsage=told, turnId=turn)

    # -- what came of it -------------------------------------------------------------------------------

    def finish(self) -> CodexRun:
        self._intake.finish()
        return self

    @property
    def drops(self) -> Json:
        return dict(self._intake.drops)

    def all_rows(self, kind: str | None = None) -> list[Json]:
        """Every row, the open ones too, in reading order."""
        self.finish()
        found = [row for top in self.rows for row in walk(top)]
        return [decode(encode(row)) for row in found if kind in (None, row["kind"])]

    def row(self, kind: str) -> Json:
        (found,) = self.all_rows(kind)
        return found

    def of(self, kind: str) -> list[Json]:
        """The events of a type."""
        return [event for event in self.events if event["type"] == kind]

    def requests(self, method: str) -> list[Json]:
        """What the bridge asked or told the agent by that method."""
        return [m for m in self.sent if m.get("method") == method]

    def answers(self) -> list[Json]:
        """The bridge's answers to the agent."""
        return [m for m in self.sent if "method" not in m]

    @property
    def asked(self) -> list[Json]:
        """The `interaction/request`s so far."""
        return [m for m in self.told if m.get("method") == "interaction/request"]

    def _take(self, outputs: Any) -> None:
        for output in outputs:
            said = decode(encode(output.message))
            if isinstance(output, ToProvider):
                self.sent.append(said)
                if self.check:
                    self._check(said)
                continue
            self.told.append(said)
            params = output.message.get("params") or {}
            method = output.message.get("method")
            if method == "thread/delta":
                self._intake.deltas(params["threadId"], params["deltas"])
            elif method == "interaction/request":
                self._intake.request(output.message["id"], params)
            elif method == "$/cancel_request":
                self._intake.withdrawn(params["requestId"])

    def _check(self, said: Json) -> None:
        """What we say to the agent is what its schema allows, and never has a `jsonrpc` member."""
        assert "jsonrpc" not in said
        if "method" in said and "id" in said:
            _branch("ClientRequest", said["method"]).validate(said)
        elif "result" in said:
            document = _RESPONSES.get(self._agent_requests.get(said["id"], ""))
            if document is not None:
                validator(document).validate(said["result"])


_RESPONSES = {
    "applyPatchApproval": "ApplyPatchApprovalResponse",
    "execCommandApproval": "ExecCommandApprovalResponse",
    "item/commandExecution/requestApproval": "CommandExecutionRequestApprovalResponse",
    "item/fileChange/requestApproval": "FileChangeRequestApprovalResponse",
    "item/permissions/requestApproval": "PermissionsRequestApprovalResponse",
    "item/tool/call": "DynamicToolCallResponse",
    "item/tool/requestUserInput": "ToolRequestUserInputResponse",
    "mcpServer/elicitation/request": "McpServerElicitationRequestResponse",
}
