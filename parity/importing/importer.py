"""Import: a foreign client↔agent log becomes a cell.

The provider's lanes are taken as they are. The runtime's lanes are what would have caused them: the log is
driven through our own bridge, a family-specific reader turns what the client did into runtime requests, and
where our bridge asks for a decision the client's answer becomes the runtime's.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from parity.bridges import FAMILIES, Bridge, Client, Message, family_of
from parity.importing.cleaning import Cleaning, clean, refuse_survivors
from parity.importing.logs import CLIENT, Entry, read_log
from parity.importing.rollout import is_rollout, read_rollout
from parity.importing.transcript import is_transcript, read_transcript
from parity.replay.matching import id_key
from parity.replay.replay import Outcome, Replay, failure_of, replay
from parity.wire import (
    BRIDGE_TO_PROVIDER,
    BRIDGE_TO_RUNTIME,
    LANES,
    PROVIDER_TO_BRIDGE,
    RUNTIME_TO_BRIDGE,
    Agent,
    Cell,
    Ignored,
    InputError,
    JsonError,
    LaneLine,
    Manifest,
    check_cell_name,
    create_cell,
    decode,
    encode,
)

Origin: TypeAlias = Literal["live", "imported", "transcribed"]
Model: TypeAlias = Literal["scripted", "live"] | None


class ImportOptions(Struct, kw_only=True):
    """What the log itself does not say."""

    cwd: str | None = None
    description: str = ""
    origin: Origin = "imported"
    model: Model = None
    agent: Agent | None = None
    direction: str | None = None
    """`markers` or `field:NAME`; None finds out line by line (see `logs`)."""
    replacements: list[tuple[str, str]] = []
    replace: bool = False
    cleaning: Cleaning | None = None
    """None takes the log as it is: for a cell that nobody will commit."""


class _Capture:
    """A sink that keeps what our bridge asks the runtime or refuses it, and drops the rest."""

    def __init__(self) -> None:
        self.asked: list[Message] = []
        self.refused: dict[Any, Any] = {}

    def bridge(self, line: bytes) -> None:
        message = decode(decode(line)["line"])
        if message.get("method") == "interaction/request":
            self.asked.append(message)
        elif isinstance(message.get("error"), dict):
            self.refused[id_key(message.get("id"))] = message["error"].get("message")

    def provider(self, line: bytes) -> None:
        pass

    def event(self, line: bytes) -> None:
        pass

    def row(self, line: bytes) -> None:
        pass


class _Import:
    def __init__(self, bridge: Bridge, client: Client, cwd: str | None) -> None:
        self.lanes: dict[str, list[LaneLine]] = {lane: [] for lane in LANES}
        self.ignored: dict[str, str] = {}
        self.initialized: dict[str, Any] = {}
        self._client = client
        self._cwd = cwd
        self._envelope = bridge.envelope
        self._capture = _Capture()
        self._ignore: set[tuple[str, str]] = set()
        self._replay = Replay(lambda: bridge, self._capture, self._ignore)
        self._seq = 0
        self._ts = 0
        self._agent_requests: dict[Any, tuple[Any, Any]] = {}
        self._interactions: dict[Any, Message] = {}
        self._initialize: Any = None
        self._asked_first: Any = None

    @property
    def refusal(self) -> Any:
        """Why our bridge refused the runtime's `initialize`; None where it did not."""
        return self._capture.refused.get(self._asked_first)

    def take(self, entry: Entry, message: Message) -> None:
        """Take one entry of the log and the message in it (empty for noise)."""
        self._ts = entry.ts
        if not message:
            lane = BRIDGE_TO_PROVIDER if entry.side == CLIENT else PROVIDER_TO_BRIDGE
            self._line(lane, entry.line)
        elif entry.side == CLIENT:
            self._from_client(entry, message)
        else:
            self._from_agent(entry, message)

    def finish(self) -> Outcome:
        """What the imported cell replays to."""
        return self._replay.finish()

    def _line(self, lane: str, text: str) -> None:
        self._seq += 1
        line = LaneLine(self._ts, 1, self._seq, lane, text)
        self.lanes[lane].append(line)
        self._replay.feed(line)

    def _from_client(self, entry: Entry, message: Message) -> None:
        kind, method, message_id = self._envelope.read(message)
        if kind == "response":
            self._decision(message_id, message)
        elif method is not None:
            if method == "initialize":
                self._initialize = message_id
            foreign = self._client.client_message(message)
            if foreign.ignored is not None:
                self.ignored[method] = foreign.ignored
                self._ignore.add((method, BRIDGE_TO_PROVIDER))
            for request in foreign.runtime or ():
                if request.get("method") == "initialize":
                    self._asked_first = id_key(request["id"])
                params = request.get("params")
                if self._cwd is not None and isinstance(params, dict) and "cwd" in params:
                    params["cwd"] = self._cwd
                self._line(RUNTIME_TO_BRIDGE, encode(request).decode())
        self._line(BRIDGE_TO_PROVIDER, entry.line)

    def _decision(self, message_id: Any, message: Message) -> None:
        """The client answered the agent; where our bridge asked the runtime, that is the runtime's answer."""
        key = id_key(message_id)
        asked = self._interactions.pop(key, None)
        method, request = self._agent_requests.pop(key, (None, None))
        if asked is None or method is None or not self._replay.waits_for(asked["id"]):
            return
        members = self._client.answer(method, request, message)
        response = {"jsonrpc": "2.0", "id": asked["id"], **members}
        self._line(RUNTIME_TO_BRIDGE, encode(response).decode())

    def _from_agent(self, entry: Entry, message: Message) -> None:
        kind, method, message_id = self._envelope.read(message)
        if kind == "request":
            self._agent_requests[id_key(message_id)] = (method, message)
        elif kind == "response" and message_id == self._initialize:
            result = message.get("result", message)  # a framing without results: the whole answer
            self.initialized = result if isinstance(result, dict) else {}
        self._client.agent_message(message)
        self._line(PROVIDER_TO_BRIDGE, entry.line)
        asked, self._capture.asked = self._capture.asked, []
        for question in asked:
            self._line(BRIDGE_TO_RUNTIME, encode(question).decode())
            if kind == "request":
                self._interactions[id_key(message_id)] = question


def import_log(
    log: Path, provider: str, cell: str, root: Path, options: ImportOptions
) -> tuple[Cell, Outcome]:
    """Make `root/provider/cell` of a log; returns it with what it replays to.

    Raises InputError for a bad name, an unknown provider family, an unreadable log or an existing cell;
    nothing is written then.
    """
    check_cell_name("provider", provider, root)
    check_cell_name("cell", cell, root)
    family = family_of(provider)
    if family is None:
        known = ", ".join(sorted(FAMILIES))
        raise InputError(log, None, f"no bridge family serves {provider!r}", f"begin it with one of: {known}")
    if is_rollout(log):
        if provider.split("-", 1)[0] != "codex":
            raise InputError(log, None, "a codex rollout", "import it with the provider codex")
        entries = read_rollout(log)
    elif is_transcript(log):
        if family is not FAMILIES["claude-code"]:
            raise InputError(log, None, "a Claude Code transcript", "import it with the provider claude-code")
        entries = read_transcript(log)
    else:
        entries = read_log(log, family.is_from_client, options.direction)
    for old, new in options.replacements:
        if not _is_unicode(old + new):
            raise InputError("--replace", None, f"{old + '=' + new!r} is not UTF-8", "write it in UTF-8")
    hits: set[str] = set()
    for entry in entries:
        replaced = _replaced(entry.line, options.replacements, hits)
        if replaced != entry.line and _is_json(entry.line) and not _is_json(replaced):
            raise InputError(
                log, entry.number, "no JSON any more after --replace", "escape the new text as JSON"
            )
        entry.line = replaced
    if options.cleaning is not None:
        clean(entries, options.cleaning)
    bridge = family.bridge(provider, None)
    messages = _messages(entries)
    run = _Import(bridge, family.client(bridge, messages), options.cwd)
    for entry, (_, message) in zip(entries, messages, strict=True):
        try:
            run.take(entry, message)
        except (JsonError, RecursionError):
            raise InputError(
                log, entry.number, "nested too deeply to be read", "leave the line out"
            ) from None
        except Exception as error:  # a bug of ours, named where it struck, as a replay does
            raise InputError(log, entry.number, failure_of(error), "report it; leave the line out") from error
    outcome = run.finish()
    if not outcome.events and run.refusal is not None:
        raise InputError(
            log, None, f"initialize was refused: {run.refusal}", "import a session that parity can read"
        )
    if not outcome.events:
        raise InputError(log, None, f"nothing in it is traffic of {provider!r}", _likely(provider, messages))
    for old, _ in options.replacements:
        if old not in hits:
            raise InputError("--replace", None, f"{old!r} stands nowhere in {log}", "mend or drop it")
    manifest = _manifest(provider, cell, entries, run, options)
    if options.cleaning is not None:
        refuse_survivors(log, run.lanes, encode(manifest).decode(), options.cleaning)
    made = create_cell(root, manifest, run.lanes, replace=options.replace)
    return made, replay(made, lambda: family.bridge(provider, None), _Capture())


def _messages(entries: list[Entry]) -> list[tuple[bool, Message]]:
    messages = []
    for entry in entries:
        try:
            message = decode(entry.line)
        except JsonError:
            message = {}
        messages.append((entry.side == CLIENT, message if isinstance(message, dict) else {}))
    return messages


def _replaced(line: str, replacements: list[tuple[str, str]], hits: set[str]) -> str:
    """The line with each text replaced, also where it stands as an array of bytes; `hits`: those found."""
    for old, new in replacements:
        before = line
        line = line.replace(old, new)
        for comma in (",", ", "):
            line = line.replace(_as_bytes(old, comma), _as_bytes(new, comma))
        if line != before:
            hits.add(old)
    return line


def _likely(provider: str, messages: list[tuple[bool, Message]]) -> str:
    """What to try for a log its provider's family can make nothing of."""
    methods = {str(message.get("method")) for _, message in messages}
    family, looks = "", "check --provider"
    if methods & {"session/prompt", "session/update"}:
        family, looks = "acp", "it looks like ACP: use -p acp-<agent>"
    elif methods & {"turn/start", "turn/started"}:
        family, looks = "codex", "it looks like codex's app-server: use -p codex"
    elif any(message.get("type") in ("assistant", "control_request") for _, message in messages):
        family, looks = "claude-code", "it looks like Claude Code's stream-json: use -p claude-code"
    if provider == family or provider.startswith(f"{family}-"):
        return "a session cannot be entered half way: start the log where the session starts"
    return looks


def _is_json(line: str) -> bool:
    try:
        decode(line)
    except JsonError:
        return False
    return True


def _is_unicode(text: str) -> bool:
    """Whether a text of the command line is one: bytes that are no UTF-8 come as lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _as_bytes(text: str, comma: str) -> str:
    return comma.join(map(str, text.encode()))


def _moment(ts: int) -> datetime | None:
    """A time in ms; None where it is none (0, or in a unit that gives no date)."""
    try:
        return datetime.fromtimestamp(ts / 1000, UTC) if ts else None
    except (ValueError, OverflowError, OSError):
        return None


def _manifest(
    provider: str, cell: str, entries: list[Entry], run: _Import, options: ImportOptions
) -> Manifest:
    family = family_of(provider)
    name, version = family.agent_info(run.initialized) if family is not None else (None, None)
    agent = options.agent or Agent(name=name, version=version)
    protocol = run.initialized.get("protocolVersion")
    started = _moment(entries[0].ts)
    return Manifest(
        provider=provider,
        cell=cell,
        thread_id="thread-1",
        agent=agent,
        protocol=protocol if isinstance(protocol, str) or type(protocol) is int else None,
        recorded_at=started.isoformat(timespec="seconds").replace("+00:00", "Z") if started else None,
        origin=options.origin,
        model=options.model,
        description=options.description,
        bridge_runs=1,
        ignored=[
            Ignored(method=method, direction=BRIDGE_TO_PROVIDER, why=why)
            for method, why in run.ignored.items()
        ],
    )
