"""Foreign logs: whatever a client↔agent log looks like, read as (time, side, raw line).

Formats, told apart line by line:

* an envelope `{"ts": ms, "dir": "client->agent" | "agent->client", "line": "…"}`; any of the field names in
  `SIDE_FIELDS` and words in `SIDES` will do, and the message may stand in `line`, `message`, `msg`,
  `payload` or `data` as text or as an object;
* a marker and a bare JSON-RPC message: `> {…}` from the client, `< {…}` from the agent;
* a bare JSON-RPC message with a side field of its own (`"_direction": "outgoing"`);
* a bare JSON-RPC message: its side is told by the method, or by whose request the answer belongs to;
* any other text is a banner: noise of the agent's output, kept as such.

It knows no protocol beyond JSON-RPC and the method names it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from parity.replay.matching import IdKey, id_key
from parity.wire import InputError, JsonError, decode, encode, read_ndjson

CLIENT, AGENT = "client", "agent"
SIDE_FIELDS = ("dir", "direction", "side", "_direction", "from", "sender")
MESSAGE_FIELDS = ("line", "message", "msg", "payload", "data")
TIME_FIELDS = ("ts", "timestamp", "time", "at")
SIDES = {
    "client->agent": CLIENT,
    "client→agent": CLIENT,
    "outgoing": CLIENT,
    "out": CLIENT,
    "sent": CLIENT,
    "send": CLIENT,
    "stdin": CLIENT,
    "client": CLIENT,
    ">": CLIENT,
    "->": CLIENT,
    "agent->client": AGENT,
    "agent→client": AGENT,
    "incoming": AGENT,
    "in": AGENT,
    "received": AGENT,
    "recv": AGENT,
    "stdout": AGENT,
    "agent": AGENT,
    "server": AGENT,
    "<": AGENT,
    "<-": AGENT,
}


class Entry(Struct):
    """One logged line: `ts` in ms (0 where the log has none), the side that sent it, the raw line."""

    ts: int
    side: str
    line: str
    number: int


def read_log(
    path: Path, is_from_client: Callable[[dict[str, Any]], bool | None], direction: str | None = None
) -> list[Entry]:
    """All entries of a log; `is_from_client` says whose a bare message is, where its form tells.

    `direction` None finds each line's side by itself; `markers` demands `>` or `<` before every message;
    `field:NAME` takes the side from that field of the line.

    Raises InputError with the line for what is no message or whose side cannot be told.
    """
    sides = _Sides(is_from_client)
    fields: tuple[str, ...] = SIDE_FIELDS
    if direction is not None and direction.startswith("field:") and direction != "field:":
        fields = (direction.removeprefix("field:"),)
    elif direction not in (None, "markers"):
        raise InputError(
            "--direction", None, f"{direction!r} is no way to tell sides", "use markers or field:NAME"
        )
    entries = []
    for number, data in _lines(path):
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            raise InputError(path, number, f"not UTF-8 at byte {error.start}", "re-export the log")
        if fields is not SIDE_FIELDS and text[:1] in ("<", ">"):
            raise InputError(path, number, f"a marker and no field {fields[0]!r}", "drop --direction")
        if direction == "markers" and text[:1] not in ("<", ">"):
            raise InputError(path, number, "no '>' or '<' marker", "mark it, or drop --direction")
        entries.append(_entry(path, number, text, sides, fields))
    if not any(isinstance(_decoded(entry.line), dict) for entry in entries):
        raise InputError(path, None, "no message in the log", "record a session first")
    return entries


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The log's lines; a log that is one JSON array counts its elements as lines."""
    reader = read_ndjson(path)
    first = next(reader, None)
    if first is None:
        return
    if first[1].lstrip()[:1] == b"[":
        whole = first[1] + b"".join(b"\n" + data for _, data in reader)
        try:
            elements = decode(whole)
        except JsonError as error:
            raise InputError(path, 1, f"a JSON array that does not parse: {error}", "re-export it")
        for number, element in enumerate(elements, 1):
            yield number, encode(element)
        return
    yield first
    yield from reader


def _entry(path: Path, number: int, text: str, sides: _Sides, fields: tuple[str, ...]) -> Entry:
    marker, rest = text[:1], text[1:].lstrip()
    if marker in ("<", ">"):
        sides.saw(SIDES[marker], _decoded(rest))
        return Entry(0, SIDES[marker], rest, number)
    try:
        document = decode(text)
    except JsonError as error:
        if text.lstrip()[:1] not in ("{", "["):
            return Entry(0, AGENT, text, number)  # a banner: noise of the agent's output
        raise InputError(
            path,
            number,
            f"neither an entry nor a JSON-RPC message: {error}",
            "expected an envelope, a '<' or '>' marker, or a bare message",
        )
    if not isinstance(document, dict):
        raise InputError(path, number, "an entry must be a JSON object", "remove the line")
    side = _side(path, number, document, fields)
    if side is None and fields is not SIDE_FIELDS:
        raise InputError(path, number, f"no field {fields[0]!r} that tells the side", "name another field")
    message = None if side is None and sides.knows(document) else _enveloped(document)
    if message is None:
        bare = {k: v for k, v in document.items() if k not in fields or k == "from"}
        message = encode(_unfolded(bare)).decode() if side is not None else text
    if side is None:
        side = sides.tell(_decoded(message))
    if side is None:
        raise InputError(path, number, "cannot tell who sent this message", "mark the lines with '>' and '<'")
    sides.saw(side, _decoded(message))
    return Entry(_time(document), side, message, number)


def _side(path: Path, number: int, document: dict[str, Any], fields: tuple[str, ...]) -> str | None:
    """The side a line's own field tells; a word that tells none is a mistake, not a reason to guess."""
    for field in fields:
        word = document.get(field)
        if isinstance(word, str) and word.lower() in SIDES:
            return SIDES[word.lower()]
        if isinstance(word, str) and "method" not in document and "jsonrpc" not in document:
            known = ", ".join(sorted(SIDES))
            raise InputError(path, number, f"{field} {word!r} is neither side", f"known words are: {known}")
    return None


def _enveloped(document: dict[str, Any]) -> str | None:
    if "jsonrpc" in document or "method" in document:
        return None
    for field in MESSAGE_FIELDS:
        message = document.get(field)
        if isinstance(message, str):
            return message
        if isinstance(message, dict):
            return encode(message).decode()
    return None


def _unfolded(document: dict[str, Any]) -> dict[str, Any]:
    """A message whose log folded every kind into {_type, id, method, params} (Zed's log view)."""
    kind = document.pop("_type", None)
    if kind == "response":
        params = document.get("params")
        is_error = isinstance(params, dict) and set(params) >= {"code", "message"}
        return {
            "jsonrpc": "2.0",
            "id": document.get("id"),
            "error" if is_error else "result": params,
        }
    if kind == "notification":
        document.pop("id", None)
    for field in TIME_FIELDS:
        document.pop(field, None)
    return {"jsonrpc": "2.0", **document}


def _decoded(message: str) -> Any:
    try:
        return decode(message)
    except JsonError:
        return None


def _time(document: dict[str, Any]) -> int:
    for field in TIME_FIELDS:
        value = document.get(field)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return int(value)
    return 0


class _Sides:
    """Whose message a bare one is: by its method, or by whose open request it answers."""

    def __init__(self, is_from_client: Callable[[dict[str, Any]], bool | None]) -> None:
        self._is_from_client = is_from_client
        self._open: dict[str, set[IdKey]] = {CLIENT: set(), AGENT: set()}

    def knows(self, message: dict[str, Any]) -> bool:
        """Whether the document itself is a message, though it may look like an envelope of one."""
        return self._is_from_client(message) is not None

    def tell(self, message: Any) -> str | None:
        if not isinstance(message, dict):
            return AGENT  # a banner or noise: only the agent's stdout has those
        told = self._is_from_client(message)
        if told is not None:
            return CLIENT if told else AGENT
        asked = [side for side in (CLIENT, AGENT) if id_key(message.get("id")) in self._open[side]]
        if len(asked) == 1:
            return AGENT if asked[0] == CLIENT else CLIENT
        return None

    def saw(self, side: str, message: Any) -> None:
        if not isinstance(message, dict) or "id" not in message:
            return
        if "method" in message:
            self._open[side].add(id_key(message["id"]))
        else:
            self._open[AGENT if side == CLIENT else CLIENT].discard(id_key(message["id"]))
