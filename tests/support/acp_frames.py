"""ACP frames in a few words, and a driver that runs them through bridge, assembler and rows.

The builders return what stands in `session/update` (`update` objects) or a permission request; `AcpRun` puts
them on the wire, as JSON, and plays the runtime's side. It knows the public faces of the bridge and of the
intake and nothing inside them.
"""

from __future__ import annotations

from typing import Any

from parity.bridges import HostCall, ToProvider
from parity.bridges.acp.bridge import AcpBridge
from parity.bridges.base import agent_gone
from parity.grammar import events as e
from parity.grammar.intake import Intake
from parity.grammar.rows import RowProjector, walk
from parity.wire import JsonError, LineSplitter, decode, decode_counted, encode

Json = dict[str, Any]

CWD = "/home/dev/app"
SESSION = "session-a"
THREAD = "thread-a"
OPTIONS = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "always", "name": "Always allow", "kind": "allow_always"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]

_WIRE_NAMES = {
    "raw_input": "rawInput",
    "raw_output": "rawOutput",
    "meta": "_meta",
    "message_id": "messageId",
}


def _fields(fields: Json) -> Json:
    named = {_WIRE_NAMES.get(name, name): value for name, value in fields.items()}
    content = named.get("content")
    if isinstance(content, str):
        named["content"] = [text(content)]
    locations = named.get("locations")
    if locations and all(isinstance(path, str) for path in locations):
        named["locations"] = [{"path": path} for path in locations]
    return named


# -- content blocks ----------------------------------------------------------------------------------------


def text(words: str) -> Json:
    return {"type": "content", "content": {"type": "text", "text": words}}


def diff(path: str, old: str | None, new: str) -> Json:
    block: Json = {"type": "diff", "path": path, "newText": new}
    return block if old is None else {**block, "oldText": old}


def terminal(terminal_id: str) -> Json:
    return {"type": "terminal", "terminalId": terminal_id}


# -- updates -----------------------------------------------------------------------------------------------


def tool_call(call_id: str, **fields: Any) -> Json:
    """A `tool_call`; `content` may be a text, `locations` a list of paths."""
    return {"sessionUpdate": "tool_call", "toolCallId": call_id, **_fields(fields)}


def update(call_id: str, **fields: Any) -> Json:
    """A `tool_call_update`."""
    return {"sessionUpdate": "tool_call_update", "toolCallId": call_id, **_fields(fields)}


def command(call_id: str, line: str = "make", **fields: Any) -> Json:
    """A `tool_call` of kind execute."""
    return tool_call(call_id, kind="execute", **{"title": line, "raw_input": {"command": line}, **fields})


def _chunk(role: str, words: str, fields: Json) -> Json:
    return {
        "sessionUpdate": f"{role}_chunk",
        "content": {"type": "text", "text": words},
        **_fields(fields),
    }


def message(words: str, **fields: Any) -> Json:
    return _chunk("agent_message", words, fields)


def thought(words: str, **fields: Any) -> Json:
    return _chunk("agent_thought", words, fields)


def user(words: str, **fields: Any) -> Json:
    return _chunk("user_message", words, fields)


def plan(*entries: Json | str) -> Json:
    """A plan; an entry given as text is a pending one."""
    steps = [
        {"content": entry, "status": "pending", "priority": "medium"} if isinstance(entry, str) else entry
        for entry in entries
    ]
    return {"sessionUpdate": "plan", "entries": steps}


def other(kind: str, **fields: Any) -> Json:
    """Any other update."""
    return {"sessionUpdate": kind, **fields}


# -- messages ----------------------------------------------------------------------------------------------


def ask(call_id: str, *, options: list[Json] | None = None, **fields: Any) -> Json:
    """A permission request without its id, which the run mints."""
    call = {"toolCallId": call_id, **_fields(fields)}
    params = {"toolCall": call, "options": OPTIONS if options is None else options}
    return {"method": "session/request_permission", "id": None, "params": params}


def request(method: str, request_id: Any = None, **params: Any) -> Json:
    """A request of the agent; the run mints the id where none is given."""
    return {"method": method, "id": request_id, "params": params}


def notice(method: str, **params: Any) -> Json:
    """A notification of the agent."""
    return {"method": method, "params": params}


class AcpRun:
    """A bridge with a started thread, the runtime before it and an agent behind it.

    `structs` are the events as the intake makes them, `events` and `rows` documents, `sent` what the agent
    was sent, `asked` the interaction requests, `answers` the runtime's answers by id, `hosts` the host
    calls that wait.
    """

    def __init__(
        self,
        profile: str | None = None,
        *,
        cwd: str = CWD,
        options: Json | None = None,
        agent: Json | None = None,
        start: bool = True,
    ) -> None:
        self.bridge = AcpBridge(profile)
        self.structs: list[e.Event] = []
        self._handed_out: list[Json] = []
        self._intake = Intake(self.structs.append, self._handed_out.append)
        self.sent: list[Json] = []
        self.asked: list[Json] = []
        self.told: list[Json] = []
        self.answers: list[Json] = []
        self.hosts: list[HostCall] = []
        self.noise = 0
        self.surrogates = 0
        self._requests = 0
        self._agent_requests = 0
        self.cwd = cwd
        if start:
            self.initialize(agent)
            self.start(options=options)
            self.answer_session()

    # -- what came of it -----------------------------------------------------------------------------------

    @property
    def events(self) -> list[Json]:
        return [decode(encode(event)) for event in self.structs]

    def events_of(self, *types: str) -> list[Json]:
        return [event for event in self.events if event["type"] in types]

    @property
    def rows(self) -> list[Json]:
        """The top-level rows as a person sees them now."""
        projector = RowProjector()
        rows = [row for event in self.structs for row in projector.feed(event)]
        return decode(encode(rows + projector.flush()))

    @property
    def finished_rows(self) -> list[Json]:
        """The rows the intake has handed out so far."""
        return decode(encode(self._handed_out))

    @property
    def drops(self) -> Json:
        return dict(self._intake.drops)

    @property
    def turns(self) -> list[Json]:
        return [row for row in self.rows if row["kind"] == "turn"]

    @property
    def turn(self) -> Json:
        """The last turn's row."""
        return self.turns[-1]

    @property
    def work(self) -> list[Json]:
        """The rows directly below the last turn."""
        return self.turn.get("children", [])

    @property
    def texts(self) -> list[str]:
        """The texts of all message rows, in reading order."""
        return [row["text"] for row in self.all_rows if row["kind"] == "message"]

    @property
    def all_rows(self) -> list[Json]:
        return [row for top in self.rows for row in walk(top)]

    def calls(self, call_id: str) -> list[Json]:
        """All rows of the provider's call."""
        return [row for row in self.all_rows if row.get("providerItemId") == call_id]

    def call(self, call_id: str) -> Json:
        """The one row of the provider's call."""
        rows = self.calls(call_id)
        assert len(rows) == 1, f"{len(rows)} rows for {call_id}"
        return rows[0]

    def only(self, kind: str) -> Json:
        """The one row of that kind."""
        rows = [row for row in self.all_rows if row["kind"] == kind]
        assert len(rows) == 1, f"{len(rows)} rows of kind {kind}"
        return rows[0]

    def kinds(self, kind: str) -> list[Json]:
        return [row for row in self.all_rows if row["kind"] == kind]

    def item_events(self, call_id: str) -> list[Json]:
        """The item/started and item/completed events of the provider's call."""
        return [event for event in self.events if event.get("item", {}).get("providerItemId") == call_id]

    def output_deltas(self) -> list[tuple[str, bool]]:
        """(text, reset) of each piece of streamed command output."""
        found = self.events_of("item/commandExecution/outputDelta")
        return [(event["delta"], event.get("reset", False)) for event in found]

    @property
    def unhandled(self) -> list[Json]:
        return self.events_of("provider/unhandled")

    def sent_of(self, method: str) -> list[Json]:
        return [message for message in self.sent if message.get("method") == method]

    def responses(self, request_id: Any) -> list[Json]:
        """What the agent was answered to its request."""
        return [
            message
            for message in self.sent
            if "method" not in message
            and message["id"] == request_id
            and type(message["id"]) is type(request_id)
        ]

    # -- the runtime ---------------------------------------------------------------------------------------

    def runtime(self, method: str, request_id: Any = None, **params: Any) -> Any:
        """A request of the runtime; returns its id."""
        if request_id is None:
            self._requests += 1
            request_id = f"r{self._requests}"
        request = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
        self._take(self.bridge.runtime(decode(encode(request))))
        return request_id

    def answer_of(self, request_id: Any) -> Json:
        """The bridge's one answer to the runtime's request."""
        found = [a for a in self.answers if a["id"] == request_id and type(a["id"]) is type(request_id)]
        assert len(found) == 1, f"{len(found)} answers to {request_id!r}"
        return found[0]

    def initialize(self, agent: Json | None = None) -> None:
        self.runtime("initialize", clientInfo={"name": "test", "version": "1"})
        result = (
            {"protocolVersion": 1, "agentCapabilities": {"loadSession": True}} if agent is None else agent
        )
        self.respond("initialize", result)

    def start(self, thread: str = THREAD, options: Json | None = None) -> Any:
        extra = {"options": options} if options is not None else {}
        return self.runtime("thread/start", threadId=thread, cwd=self.cwd, **extra)

    def answer_session(self, session: str = SESSION, **result: Any) -> None:
        self.respond("session/new", {"sessionId": session, **result})

    def prompt(self, words: str = "go", thread: str = THREAD) -> Any:
        block = {"type": "text", "text": words}
        return self.runtime("turn/start", threadId=thread, providerThreadId=SESSION, input=[block])

    def steer(self, words: str, thread: str = THREAD) -> Any:
        return self.runtime("turn/steer", threadId=thread, input=[{"type": "text", "text": words}])

    def answer(self, decision: str, option_id: str | None = None, *, index: int = -1, **more: Any) -> None:
        """The person's answer to an interaction request, the newest unless told otherwise."""
        request_id = self.asked[index]["id"]
        result: Json = {"decision": decision, **more}
        if option_id is not None:
            result["optionId"] = option_id
        self._intake.answer(request_id, result)
        self._take(self.bridge.runtime({"jsonrpc": "2.0", "id": request_id, "result": result}))

    def gone(self, reason: str) -> None:
        """The agent is no more."""
        self._take(agent_gone(self.bridge, reason))

    def stop(self, intent: str = "interrupt", thread: str = THREAD) -> Any:
        if intent == "interrupt":
            self._intake.stopped(thread)
        request_id = self.runtime("thread/stop", threadId=thread, intent=intent)
        if intent == "release":
            self._intake.release(thread)
        return request_id

    # -- the agent -----------------------------------------------------------------------------------------

    def feed(self, *frames: Json, session: str = SESSION) -> AcpRun:
        """Updates, asks, requests and notifications of the agent, in order."""
        for frame in frames:
            self.provider(self.wire(frame, session))
        return self

    def wire(self, frame: Json, session: str = SESSION) -> Json:
        """The frame as the message that crosses."""
        if "sessionUpdate" in frame:
            params = {"sessionId": session, "update": frame}
            return {"jsonrpc": "2.0", "method": "session/update", "params": params}
        crossing = {"jsonrpc": "2.0", **frame}
        crossing["params"] = {"sessionId": session, **frame["params"]}
        if "id" in frame and frame["id"] is None:
            crossing["id"] = self._agent_requests
            self._agent_requests += 1
        return crossing

    def provider(self, message: Any) -> None:
        """One message of the agent."""
        self._take(self.bridge.provider(decode(encode(message))))

    def stream(self, *chunks: bytes) -> AcpRun:
        """Bytes of the agent as they arrive, to the end of its output."""
        splitter = LineSplitter()
        for chunk in chunks:
            self._lines(splitter.feed(chunk))
        self._lines(splitter.flush())
        return self

    def _lines(self, lines: list[bytes]) -> None:
        for line in lines:
            try:
                message, replaced = decode_counted(line)
            except JsonError:
                self.noise += 1
                continue
            self.surrogates += replaced
            self._take(self.bridge.provider(message))

    def respond(self, method: str, result: Any = None, *, error: Json | None = None) -> None:
        """The agent's answer to our newest request of that method."""
        request_id = self.sent_of(method)[-1]["id"]
        outcome = {"result": result} if error is None else {"error": error}
        self.provider({"jsonrpc": "2.0", "id": request_id, **outcome})

    def answer_prompt(self, stop_reason: Any = "end_turn", **result: Any) -> AcpRun:
        self.respond("session/prompt", {"stopReason": stop_reason, **result})
        return self

    def fail_prompt(self, message: str = "boom", code: int = -32603) -> AcpRun:
        self.respond("session/prompt", error={"code": code, "message": message})
        return self

    def host_result(self, result: Any) -> None:
        """The host did what the oldest waiting host call asks."""
        self._take(self.bridge.host_result(self.hosts.pop(0).token, result))

    def host_error(self, code: int, message: str) -> None:
        error = {"code": code, "message": message}
        self._take(self.bridge.host_error(self.hosts.pop(0).token, error))

    def terminal(self, method: str, terminal_id: str, result: Any, session: str = SESSION) -> None:
        """One `terminal/*` request of the agent and the host's answer."""
        self.feed(request(f"terminal/{method}", terminalId=terminal_id), session=session)
        self.host_result(result)

    def _take(self, outputs: Any) -> None:
        for output in outputs:
            if isinstance(output, HostCall):
                self.hosts.append(output)
            elif isinstance(output, ToProvider):
                self.sent.append(decode(encode(output.message)))
            else:
                self._to_runtime(output.message)

    def _to_runtime(self, message: Json) -> None:
        method = message.get("method")
        if method is None:
            self.answers.append(decode(encode(message)))
            return
        params = message["params"]
        if method == "thread/delta":
            self._intake.deltas(params["threadId"], params["deltas"])
        elif method == "interaction/request":
            self.asked.append(decode(encode(message)))
            self._intake.request(message["id"], params)
        elif method == "thread/identity":
            self._intake.identity(params["threadId"], params["providerThreadId"])
        elif method == "$/cancel_request":
            self._intake.withdrawn(params["requestId"])
        self.told.append(decode(encode(message)))


def prompted(profile: str | None = None, **run: Any) -> AcpRun:
    """A run whose first prompt is in flight."""
    started = AcpRun(profile, **run)
    started.prompt()
    return started


def turn(*frames: Json, profile: str | None = None, stop_reason: str = "end_turn") -> AcpRun:
    """A run of one whole turn."""
    return prompted(profile).feed(*frames).answer_prompt(stop_reason)
