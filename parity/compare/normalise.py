"""Entries: the documents of a layer without what may differ from run to run, each with an identity.

Knows the five layers: what one entry of each is, what identifies it and how to call it in print.
Must not know pins, files or allowances. What must never decide a comparison is blanked here:
moments, minted ids, the grouping of deltas into notifications.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from parity.compare.documents import digest
from parity.compare.names import (
    REFERENCES,
    TIME,
    TIME_FIELDS,
    Key,
    Namer,
    Renaming,
    Things,
    is_request,
    namer,
    rename_event,
    rename_message,
    request_name,
)
from parity.wire import JsonError, decode

LAYERS = ("bridge", "provider", "events", "rows", "grammar")
"""The layers two runs are compared in, in the order of the data's way."""

_TITLE = 60  # characters of a title in a label
_TELLING = 8  # characters a text needs to tell one row from another
_UNTELLING = frozenset(("children", "scope", "threadId", "id", "providerItemId", "status", "type"))
_CALL_KEYS = ("providerItemId", "toolCallId", "callId", "terminalId", "tool_use_id", "itemId")


@dataclass(slots=True)
class Entry:
    """One thing to compare: an event, a delta, a message, a row or a count of drops."""

    identity: str
    """Unique in its stream (a row: in its parent): `base`, and `@n` from the second occurrence."""
    label: str
    """The identity for people."""
    doc: dict[str, Any]
    """A copy of the document, moments blanked and minted ids replaced by names."""
    base: str
    """The identity without its occurrence."""
    kind: str
    """The type: entries of one kind may be paired when their identities differ."""
    digest: bytes
    """Stands for the whole content, children included."""
    source: int
    """Index of the document it came from (several deltas come from one lane line)."""
    children: list[Entry] = field(default_factory=list)
    """Rows only: one entry per element of `doc["children"]`."""

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
    renaming = RENAMINGS.get(layer)
    if renaming is None:
        return entries_of(layer, units, None)
    names = Things((doc for _, doc in units), renaming).own_names()
    return entries_of(layer, units, namer(names))


def unfold(layer: str, docs: Sequence[dict[str, Any]]) -> list[tuple[int, dict[str, Any]]]:
    """(index of the source document, what is compared): lane lines become messages and deltas."""
    if layer not in LAYERS:
        raise ValueError(f"unknown layer {layer!r}: one of {', '.join(LAYERS)}")
    if layer not in ("bridge", "provider"):
        return list(enumerate(docs))
    return [(at, message) for at, doc in enumerate(docs) for message in _messages(doc)]


def entries_of(layer: str, units: Sequence[tuple[int, dict[str, Any]]], name: Namer | None) -> list[Entry]:
    """Entries of the units, with minted ids named by `name` (None where the layer has none)."""
    if layer == "rows":
        return _row_entries([doc for _, doc in units])
    identify = _IDENTIFY[layer]
    renaming = RENAMINGS.get(layer)
    seen: Counter[str] = Counter()
    entries = []
    for source, unit in units:
        doc = renaming(unit, name) if renaming is not None and name is not None else dict(unit)
        kind, base, label = identify(doc)
        identity, label = _occurring(base, label, seen)
        entries.append(Entry(identity, label, doc, base, kind, digest(doc), source))
    return entries


def _occurring(base: str, label: str, seen: Counter[str]) -> tuple[str, str]:
    seen[base] += 1
    nth = seen[base]
    label = label.replace("\n", "\\n")  # Cursor's call ids hold one
    return (base, label) if nth == 1 else (f"{base}@{nth}", f"{label} ({nth})")


# -- events ----------------------------------------------------------------------------------------


def _identify_event(doc: dict[str, Any]) -> tuple[str, str, str]:
    kind = str(doc.get("type", "?"))
    item = doc.get("item")
    if isinstance(item, dict):
        name = str(item.get("id", ""))
        word = item.get("type", "?")
        call = item.get("providerItemId") or name.removeprefix("item:")
        label = f"{kind} {call}" if str(call).startswith(f"{word}#") else f"{kind} {word} {call}"
        return kind, f"{kind} {name}", label
    if "itemId" in doc:
        name = str(doc["itemId"])
    elif "interactionId" in doc:
        name = str(doc["interactionId"])
    elif kind.startswith("turn/") and isinstance(doc.get("scope"), dict):
        name = str(doc.get("turnId") or doc["scope"].get("turnId") or "")
    else:
        name = str(doc.get("rawType") or "")
    if not name:
        return kind, kind, kind
    return kind, f"{kind} {name}", f"{kind} {name.removeprefix('item:')}"


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


def _identify_message(doc: dict[str, Any]) -> tuple[str, str, str]:
    if "raw" in doc and "method" not in doc:
        return "raw", "raw", "a line that is no message"
    params = doc.get("params")
    delta = params.get("delta") if isinstance(params, dict) else None
    if doc.get("method") == "thread/delta" and isinstance(delta, dict):
        key = delta.get("key")
        key = key if isinstance(key, dict) else {}
        words = [str(delta.get("kind", "?"))]
        words += [str(key[part]) for part in ("providerItemId", "channel") if part in key]
        return f"delta {words[0]}", f"delta {' '.join(words)}", " ".join(words)
    if "method" not in doc and "id" in doc:
        word = "error" if "error" in doc else "answer"
        return "answer", f"answer {doc['id']!r}", f"{word} to {doc['id']}"
    if doc.get("type") == "control_response":
        inner = doc.get("response")
        of = inner.get("request_id") if isinstance(inner, dict) else None
        return "answer", f"answer {of!r}", f"answer to {of}"
    method = request_name(doc)
    kind = f"request {method}" if is_request(doc) else method
    call = _call_key(params)
    return kind, f"{kind} {call}".rstrip(), f"{method} {call}".rstrip()


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
    entries = []
    for source, row in enumerate(rows):
        kind = str(row.get("kind", "?"))
        call = row.get("providerItemId")
        base = f"row:{call}" if isinstance(call, str) else f"row:{kind}"
        title = str(row.get("title") or "")
        if len(title) > _TITLE:
            title = title[: _TITLE - 1] + "…"
        label = kind
        if title and title != row.get("id"):
            label += f' "{title}"'
        if isinstance(call, str):
            label += f" ({call})"
        identity, label = _occurring(base, label, seen)
        nested = _row_entries(_child_rows(row))
        blank = _renamed_row(row, "<row>")
        if nested:
            blank["children"] = [child.digest.hex() for child in nested]
        doc = _renamed_row(row, identity)
        if nested:
            doc["children"] = [child.doc for child in nested]
        entries.append(Entry(identity, label, doc, base, f"row {kind}", digest(blank), source, nested))
    return entries


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


def _identify_drop(doc: dict[str, Any]) -> tuple[str, str, str]:
    drop = str(doc.get("drop", "?"))
    return f"drop {drop}", f"drop {drop}", f"dropped {drop}"


def _telling_fields(prefix: str, doc: Mapping[str, Any]) -> Iterable[Hashable]:
    for key, value in doc.items():
        if key in _UNTELLING or value == doc.get("id"):
            continue
        if (isinstance(value, str) and len(value) >= _TELLING) or (isinstance(value, (dict, list)) and value):
            yield prefix, key, digest(value)


RENAMINGS: dict[str, Renaming] = {
    "bridge": rename_message,
    "provider": rename_message,
    "events": rename_event,
}
"""The layers with minted ids."""

_IDENTIFY: dict[str, Callable[[dict[str, Any]], tuple[str, str, str]]] = {
    "bridge": _identify_message,
    "provider": _identify_message,
    "events": _identify_event,
    "grammar": _identify_drop,
}

__all__ = ["LAYERS", "Entry", "Key", "entries_of", "normalise", "unfold"]
