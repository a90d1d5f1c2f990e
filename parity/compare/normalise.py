"""Entries: the documents of a layer without what may differ from run to run, each with an identity.

Knows the five layers: what one entry of each is, what identifies it and how to call it in print.
Must not know pins, files or allowances. What must never decide a comparison is blanked here:
moments, minted ids, the grouping of deltas into notifications.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from msgspec import Struct

from parity.compare.documents import digest
from parity.compare.names import (
    REFERENCES,
    TIME,
    TIME_FIELDS,
    Finder,
    Key,
    Things,
    event_places,
    is_request,
    message_places,
    request_name,
)
from parity.wire import JsonError, decode

LAYERS = ("bridge", "provider", "events", "rows", "grammar")
"""The layers two runs are compared in, in the order of the data's way."""

_TITLE = 60  # characters of a title in a label
_TELLING = 8  # characters a text needs to tell one row from another
_UNTELLING = frozenset(("children", "scope", "threadId", "id", "providerItemId", "status", "type"))
_CALL_KEYS = ("providerItemId", "toolCallId", "callId", "terminalId", "tool_use_id", "itemId")


Unit: TypeAlias = tuple[int, dict[str, Any]]
"""(index of the source document, what is compared)."""


class Entry(Struct, eq=False, gc=False):
    """One thing to compare: an event, a delta, a message, a row or a count of drops.

    Most entries of two streams are equal and only their digests are looked at, so the rest is made when asked
    for. An entry is never part of a cycle.
    """

    base: str
    """The identity without its occurrence."""
    kind: str
    """The type: entries of one kind may be paired when their identities differ."""
    digest: bytes
    """Stands for the whole content, children included."""
    source: int
    """Index of the document it came from (several deltas come from one lane line)."""
    occurrence: int
    """How many of its base there are up to this one."""
    make: Callable[[int], dict[str, Any]]
    at: int
    describe: Callable[[dict[str, Any]], str]
    children: Sequence[Entry] = ()
    """Rows only: one entry per element of `doc["children"]`."""

    @property
    def identity(self) -> str:
        """Unique in its stream (a row: in its parent): `base`, and `@n` from the second occurrence."""
        return self.base if self.occurrence == 1 else f"{self.base}@{self.occurrence}"

    @property
    def doc(self) -> dict[str, Any]:
        """A copy of the document, moments blanked and minted ids replaced by names."""
        return self.make(self.at)

    @property
    def label(self) -> str:
        """The identity for people."""
        label = self.describe(self.doc).replace("\n", "\\n")  # Cursor's call ids hold one
        return label if self.occurrence == 1 else f"{label} ({self.occurrence})"

    def marks(self) -> Iterable[Hashable]:
        """Fields with content enough to tell this entry from others of its kind."""
        if self.children or self.kind.startswith("row "):
            for child in self.children:
                yield child.digest
                if "providerItemId" in child.doc:
                    yield child.base
            yield from _telling_fields("row", self.doc)
            return
        yield from _telling_fields(self.kind, self.doc)
        for part in ("item", "params", "payload"):
            if isinstance(self.doc.get(part), dict):
                yield from _telling_fields(f"{self.kind} {part}", self.doc[part])


def normalise(layer: str, docs: Sequence[dict[str, Any]]) -> list[Entry]:
    """The entries of one stream, named from that stream alone.

    `docs`: lane lines for `bridge` and `provider` (one entry per delta of a `thread/delta`),
    events, top-level rows, or `{"drop": "rule:type", "count": n}`. Raises ValueError for an unknown
    layer.
    """
    units = unfold(layer, docs)
    find = FINDERS.get(layer)
    if find is None:
        return plain_entries(layer, [doc for _, doc in units])
    things = Things([doc for _, doc in units], find)
    return entries_of(layer, units, things, things.own_names())


def unfold(layer: str, docs: Sequence[dict[str, Any]]) -> list[Unit]:
    """(index of the source document, what is compared): lane lines become messages and deltas."""
    if layer not in LAYERS:
        raise ValueError(f"unknown layer {layer!r}: one of {', '.join(LAYERS)}")
    if layer not in ("bridge", "provider"):
        return list(enumerate(docs))
    return [(at, message) for at, doc in enumerate(docs) for message in _messages(doc)]


def entries_of(layer: str, units: Sequence[Unit], things: Things, names: Mapping[Key, str]) -> list[Entry]:
    """Entries of the units, whose things bear these names."""
    identify, describe = _IDENTIFY[layer], _LABELS[layer]
    seen: Counter[str] = Counter()
    entries = []

    def make(at: int) -> dict[str, Any]:
        return things.renamed(at, names)

    for at, (source, _) in enumerate(units):
        doc = things.renamed(at, names)
        kind, base = identify(doc)
        seen[base] += 1
        entries.append(Entry(base, kind, digest(doc), source, seen[base], make, at, describe))
    return entries


def plain_entries(layer: str, docs: Sequence[dict[str, Any]]) -> list[Entry]:
    """Entries of a layer whose minted ids need no names: rows and drops."""
    return _row_entries(docs) if layer == "rows" else _drop_entries(docs)


# -- events ----------------------------------------------------------------------------------------


def _identify_event(doc: dict[str, Any]) -> tuple[str, str]:
    kind, name = str(doc.get("type", "?")), _named(doc)
    return kind, f"{kind} {name}" if name else kind


def _named(doc: dict[str, Any]) -> str:
    """What an event is about."""
    item = doc.get("item")
    if isinstance(item, dict):
        return str(item.get("id", ""))
    if "itemId" in doc:
        return str(doc["itemId"])
    if "interactionId" in doc:
        return str(doc["interactionId"])
    if str(doc.get("type", "?")).startswith("turn/") and isinstance(doc.get("scope"), dict):
        return str(doc.get("turnId") or doc["scope"].get("turnId") or "")
    return str(doc.get("rawType") or "")


def _event_label(doc: dict[str, Any]) -> str:
    kind, name = str(doc.get("type", "?")), _named(doc)
    item = doc.get("item")
    if isinstance(item, dict):
        word = item.get("type", "?")
        call = item.get("providerItemId") or name.removeprefix("item:")
        return f"{kind} {call}" if str(call).startswith(f"{word}#") else f"{kind} {word} {call}"
    return f"{kind} {name.removeprefix('item:')}" if name else kind


# -- bridge and provider ---------------------------------------------------------------------------


def _messages(doc: dict[str, Any]) -> list[dict[str, Any]]:
    """The message of a lane line; a `thread/delta` as one message per delta (`params.delta`)."""
    line = doc.get("line")
    if not isinstance(line, str):
        return [{key: value for key, value in doc.items() if key not in ("ts", "seq", "run")}]
    try:
        message = decode(line)
    except JsonError:
        return [{"raw": line}]
    if not isinstance(message, dict):
        return [{"raw": message}]
    params = message.get("params")
    if message.get("method") == "thread/delta" and isinstance(params, dict):
        deltas = params.get("deltas")
        if isinstance(deltas, list) and deltas:
            rest = {key: value for key, value in params.items() if key != "deltas"}
            return [{**message, "params": {**rest, "delta": delta}} for delta in deltas]
    return [message]


def _identify_message(doc: dict[str, Any]) -> tuple[str, str]:
    if "raw" in doc and "method" not in doc:
        return "raw", "raw"
    if (words := _delta_words(doc)) is not None:
        return f"delta {words[0]}", f"delta {' '.join(words)}"
    if (answered := _answered(doc)) is not None:
        return "answer", f"answer {answered[1]!r}"
    method = request_name(doc)
    kind = f"request {method}" if is_request(doc) else method
    return kind, f"{kind} {_call_key(doc.get('params'))}".rstrip()


def _message_label(doc: dict[str, Any]) -> str:
    if "raw" in doc and "method" not in doc:
        return "a line that is no message"
    if (words := _delta_words(doc)) is not None:
        return " ".join(words)
    if (answered := _answered(doc)) is not None:
        return f"{answered[0]} to {answered[1]}"
    return f"{request_name(doc)} {_call_key(doc.get('params'))}".rstrip()


def _delta_words(doc: dict[str, Any]) -> list[str] | None:
    """Kind, call and channel of a delta; None where the message is none."""
    params = doc.get("params")
    delta = params.get("delta") if isinstance(params, dict) else None
    if doc.get("method") != "thread/delta" or not isinstance(delta, dict):
        return None
    key = delta.get("key")
    key = key if isinstance(key, dict) else {}
    return [str(delta.get("kind", "?")), *(str(key[p]) for p in ("providerItemId", "channel") if p in key)]


def _answered(doc: dict[str, Any]) -> tuple[str, Any] | None:
    """(error or answer, the id of what it answers); None where the message is no answer."""
    if "method" not in doc and "id" in doc:
        return "error" if "error" in doc else "answer", doc["id"]
    if doc.get("type") == "control_response":
        inner = doc.get("response")
        return "answer", inner.get("request_id") if isinstance(inner, dict) else None
    return None


def _call_key(params: object) -> str:
    """The id of the call a message is about, where it names one."""
    if not isinstance(params, dict):
        return ""
    for place in (params, params.get("payload"), params.get("toolCall"), params.get("key")):
        if isinstance(place, Mapping):
            for key in _CALL_KEYS:
                if isinstance(place.get(key), str):
                    return str(place[key])
    return ""


# -- rows ------------------------------------------------------------------------------------------


def _row_entries(rows: Sequence[dict[str, Any]]) -> list[Entry]:
    """Entries of sibling rows. A row's own `id` is its identity, so it is never compared."""
    seen: Counter[str] = Counter()
    entries: list[Entry] = []
    docs: list[dict[str, Any]] = []
    for source, row in enumerate(rows):
        kind = str(row.get("kind", "?"))
        call = row.get("providerItemId")
        base = f"row:{call}" if isinstance(call, str) else f"row:{kind}"
        seen[base] += 1
        nested = _row_entries(_child_rows(row))
        blank = _renamed_row(row, "<row>")
        if nested:
            blank["children"] = [child.digest.hex() for child in nested]
        nth, make = seen[base], docs.__getitem__
        entry = Entry(base, f"row {kind}", digest(blank), source, nth, make, source, _row_label, nested)
        doc = _renamed_row(row, entry.identity)
        if nested:
            doc["children"] = [child.doc for child in nested]
        docs.append(doc)
        entries.append(entry)
    return entries


def _row_label(row: dict[str, Any]) -> str:
    kind, title, call = str(row.get("kind", "?")), str(row.get("title") or ""), row.get("providerItemId")
    label = kind
    if title and title != row.get("id"):
        label += f' "{title if len(title) <= _TITLE else title[: _TITLE - 1] + "…"}"'
    if isinstance(call, str):
        label += f" ({call})"
    return label


def _renamed_row(row: dict[str, Any], name: str) -> dict[str, Any]:
    """A shallow copy: moments blanked, its id (and a title that only repeats it) replaced.

    References to other minted ids carry only the sort of thing they name: a row's place says which.
    """
    out: dict[str, Any] = {k: TIME if k in TIME_FIELDS else v for k, v in row.items()}
    if "id" in row:
        out["id"] = name
        if row.get("title") == row["id"]:
            out["title"] = name
    out.update({key: f"<{sort}>" for key, sort in REFERENCES.items() if key in row})
    return out


def _child_rows(row: dict[str, Any]) -> list[dict[str, Any]]:
    children = row.get("children")
    if isinstance(children, list) and all(isinstance(child, dict) for child in children):
        return children
    return []


# -- grammar ---------------------------------------------------------------------------------------


def _drop_entries(docs: Sequence[dict[str, Any]]) -> list[Entry]:
    seen: Counter[str] = Counter()
    entries = []
    for source, doc in enumerate(docs):
        base = f"drop {doc.get('drop', '?')}"
        seen[base] += 1
        entries.append(
            Entry(base, base, digest(doc), source, seen[base], docs.__getitem__, source, _drop_label)
        )
    return entries


def _drop_label(doc: dict[str, Any]) -> str:
    return f"dropped {doc.get('drop', '?')}"


def _telling_fields(prefix: str, doc: Mapping[str, Any]) -> Iterable[Hashable]:
    for key, value in doc.items():
        if key in _UNTELLING or value == doc.get("id"):
            continue
        if (isinstance(value, str) and len(value) >= _TELLING) or (isinstance(value, (dict, list)) and value):
            yield prefix, key, digest(value)


FINDERS: dict[str, Finder] = {
    "bridge": message_places,
    "provider": message_places,
    "events": event_places,
}
"""The layers with minted ids."""

_IDENTIFY: dict[str, Callable[[dict[str, Any]], tuple[str, str]]] = {
    "bridge": _identify_message,
    "provider": _identify_message,
    "events": _identify_event,
}

_LABELS: dict[str, Callable[[dict[str, Any]], str]] = {
    "bridge": _message_label,
    "provider": _message_label,
    "events": _event_label,
}

__all__ = ["LAYERS", "Entry", "Key", "entries_of", "normalise", "plain_entries", "unfold"]
