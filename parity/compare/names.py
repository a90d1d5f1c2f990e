"""Names for what a stream mints: turns, items, interactions and requests.

A minted id (`turn-2`, `item-7`, a JSON-RPC id) is an ordinal, so one inserted turn changes every id
after it. Here each id is replaced by the identity of what it names: `item:call_1` where the
provider named the call, else a type and an ordinal, `item:agentMessage#2`. To compare two streams
their things are paired first, so that a pair bears one name on both sides and an extra thing
renumbers nothing.

Knows which fields of an event or a message hold minted ids. Must not know the alignment of the
stream itself, nor files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from parity.compare.align import by_marks, matches
from parity.compare.documents import digest

TIME_FIELDS = frozenset(
    ("ts", "time", "timestamp", "at", "createdAt", "startedAt", "completedAt", "updatedAt")
)
"""Fields that hold a moment. A duration the provider reports is content and stays."""

TIME = "<time>"
REFERENCES = {
    "turnId": "turn",
    "itemId": "item",
    "parentItemId": "item",
    "interactionId": "interaction",
}
"""Fields that refer to a thing, and the sort of thing."""


class Key(NamedTuple):
    """One minted id: what sort of thing it names, the thread that counts it, the id itself."""

    sort: str
    thread: str
    id: int | str


Namer = Callable[[Key, bool], object]
"""(key, vouched) -> what to write instead. Not vouched: the id may also be the provider's own."""

Renaming = Callable[[dict[str, Any], Namer], dict[str, Any]]


@dataclass(slots=True)
class Thing:
    """One turn, item, interaction or request of a stream, and all that was said of it."""

    key: Key
    type: str | None = None
    provider: str | None = None
    mentions: list[bytes] = field(default_factory=list)

    @property
    def base(self) -> str:
        """The name without its ordinal."""
        if self.key.sort == "request":
            return str(self.type)
        if self.key.sort == "item":
            return f"item:{self.provider or self.type or '?'}"
        return self.key.sort

    @property
    def kind(self) -> str:
        """The type: things of other types are never paired for their position alone."""
        return f"{self.key.sort} {self.type}"

    @property
    def digest(self) -> bytes:
        """All mentions, in order."""
        return b"".join(self.mentions)

    def marks(self) -> Iterable[Hashable]:
        """The single mentions."""
        return self.mentions


class Things:
    """The things of one stream, by key, in order of first mention."""

    def __init__(self, docs: Iterable[dict[str, Any]], renamed: Renaming) -> None:
        self.by_key: dict[Key, Thing] = {}
        for doc in docs:
            self._read(doc, renamed)

    def _read(self, doc: dict[str, Any], renamed: Renaming) -> None:
        mentioned: dict[Key, None] = {}

        def blank(key: Key, vouched: bool) -> str:
            if vouched:
                mentioned[key] = None
            return f"<{key.sort}>"

        mention = digest(renamed(doc, blank))
        for key in mentioned:
            thing = self.by_key.setdefault(key, Thing(key))
            thing.mentions.append(mention)
            _learn(thing, doc)

    def own_names(self) -> dict[Key, str]:
        """Each thing's name from this stream alone."""
        counts: Counter[str] = Counter()
        return {key: _numbered(thing, counts, "#") for key, thing in self.by_key.items()}

    def names_like(self, old_names: Mapping[Key, str], pairs: Mapping[Key, Key]) -> dict[Key, str]:
        """The names of this (new) stream: the old name where paired, else `base+n`."""
        counts: Counter[str] = Counter()
        return {
            key: old_names[pairs[key]] if key in pairs else _numbered(thing, counts, "+")
            for key, thing in self.by_key.items()
        }


def paired_by_id(old: Things, new: Things) -> dict[Key, Key]:
    """New key -> old key, as if equal ids named equal things."""
    return {key: key for key in new.by_key if key in old.by_key}


def paired_by_content(old: Things, new: Things) -> dict[Key, Key]:
    """New key -> old key, by what is said of the things; ids are not looked at."""
    pairs: dict[Key, Key] = {}
    for sort in ("turn", "item", "interaction", "request"):
        old_side = [thing for thing in old.by_key.values() if thing.key.sort == sort]
        new_side = [thing for thing in new.by_key.values() if thing.key.sort == sort]
        for i, j in _paired(old_side, new_side):
            pairs[new_side[j].key] = old_side[i].key
    return pairs


def _paired(old: Sequence[Thing], new: Sequence[Thing]) -> list[tuple[int, int]]:
    """First what is equal and in order, then what moved or changed, last what stands alike.

    One early mention moves a thing to the front, so order alone must not decide.
    """
    pairs: list[tuple[int, int]] = []
    for stage in (_unchanged, _by_provider, by_marks, _in_order):
        old_left = sorted(set(range(len(old))).difference(i for i, _ in pairs))
        new_left = sorted(set(range(len(new))).difference(j for _, j in pairs))
        if not old_left or not new_left:
            break
        pairs.extend(stage(old, new, old_left, new_left))
    return pairs


def _unchanged(
    old: Sequence[Thing], new: Sequence[Thing], old_at: list[int], new_at: list[int]
) -> list[tuple[int, int]]:
    return matches(old, new, changed=False)


def _in_order(
    old: Sequence[Thing], new: Sequence[Thing], old_at: list[int], new_at: list[int]
) -> list[tuple[int, int]]:
    found = matches([old[i] for i in old_at], [new[j] for j in new_at])
    return [(old_at[i], new_at[j]) for i, j in found]


def _by_provider(
    old: Sequence[Thing], new: Sequence[Thing], old_at: Iterable[int], new_at: Iterable[int]
) -> list[tuple[int, int]]:
    waiting = {new[j].base: j for j in reversed(list(new_at)) if new[j].provider is not None}
    return [(i, waiting.pop(old[i].base)) for i in old_at if old[i].base in waiting]


def namer(names: Mapping[Key, str]) -> Namer:
    """Write the given names; an id that names nothing known stays as it is."""

    def name(key: Key, vouched: bool) -> object:
        return names.get(key, key.id)

    return name


def rename_event(doc: dict[str, Any], name: Namer) -> dict[str, Any]:
    """A copy of an event with its minted ids named and its times blanked."""
    thread = str(doc.get("threadId", ""))
    out = _referenced(doc, thread, name, vouched=True)
    for part, vouched in (("scope", True), ("item", True), ("payload", False)):
        inner = out.get(part)
        if isinstance(inner, dict):
            out[part] = _referenced(inner, thread, name, vouched)
            if part == "item" and _is_id(inner.get("id")):
                out[part]["id"] = name(Key("item", thread, inner["id"]), True)
    return out


def rename_message(doc: dict[str, Any], name: Namer) -> dict[str, Any]:
    """A copy of a bridge's message: ids of its own requests named, its interactions named.

    An answer keeps its id: the other side chose it.
    """
    out = dict(doc)
    if is_request(doc):
        out["id"] = name(Key("request", "", doc["id"]), True)
    elif doc.get("type") == "control_request" and _is_id(doc.get("request_id")):
        out["request_id"] = name(Key("request", "", doc["request_id"]), True)
    params = doc.get("params")
    if isinstance(params, dict):
        params = _timeless(params)
        if _is_id(params.get("interactionId")):
            key = Key("interaction", str(params.get("threadId", "")), params["interactionId"])
            params["interactionId"] = name(key, True)
        if _is_id(params.get("requestId")):
            params["requestId"] = name(Key("request", "", params["requestId"]), False)
        if isinstance(params.get("delta"), dict):
            params["delta"] = _timeless(params["delta"])
        out["params"] = params
    return out


def is_request(message: Mapping[str, Any]) -> bool:
    """Whether a JSON-RPC message asks for an answer."""
    return isinstance(message.get("method"), str) and _is_id(message.get("id"))


def _learn(thing: Thing, doc: dict[str, Any]) -> None:
    """Take the thing's type and provider key from a document that mentions it."""
    if thing.key.sort == "request":
        thing.type = request_name(doc)
    if thing.key.sort != "item":
        return
    item = doc.get("item")
    if isinstance(item, dict) and item.get("id") == thing.key.id:
        if thing.provider is None and isinstance(item.get("providerItemId"), str):
            thing.provider = item["providerItemId"]
        if thing.type is None and isinstance(item.get("type"), str):
            thing.type = item["type"]
    elif thing.type is None and doc.get("itemId") == thing.key.id:
        parts = str(doc.get("type", "")).split("/")
        if parts[0] == "item" and len(parts) > 2:
            thing.type = parts[1]


def request_name(message: Mapping[str, Any]) -> str:
    """The method, or `control_request <subtype>` in stream-json."""
    if isinstance(message.get("method"), str):
        return str(message["method"])
    request = message.get("request")
    subtype = request.get("subtype") if isinstance(request, dict) else None
    return f"{message.get('type', '?')} {subtype}" if subtype else str(message.get("type", "?"))


def _numbered(thing: Thing, counts: Counter[str], mark: str) -> str:
    """`base#n`; the first thing of a provider key needs no ordinal."""
    base = thing.base
    counts[base] += 1
    if mark == "#" and thing.provider is not None and counts[base] == 1:
        return base
    return f"{base}{mark}{counts[base]}"


def _timeless(doc: dict[str, Any]) -> dict[str, Any]:
    out = dict(doc)
    if not TIME_FIELDS.isdisjoint(doc):
        out.update(dict.fromkeys(TIME_FIELDS.intersection(doc), TIME))
    return out


def _referenced(doc: dict[str, Any], thread: str, name: Namer, vouched: bool) -> dict[str, Any]:
    """A shallow copy with reference fields named; times blanked where the fields are ours."""
    out = _timeless(doc) if vouched else dict(doc)
    for key, sort in REFERENCES.items():
        if key in doc and _is_id(doc[key]):
            out[key] = name(Key(sort, thread, doc[key]), vouched)
    return out


def _is_id(value: object) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool)
