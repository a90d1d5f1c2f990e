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
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

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

Key: TypeAlias = tuple[str, str, int | str]
"""One minted id: what sort of thing it names, the thread that counts it, the id itself."""

Place: TypeAlias = tuple[tuple[str, ...], str, Key | None, bool]
"""Where a document holds what is set aside: the parts that lead there, the field, the id in it (None for a
moment), and whether that is surely a minted one; where not, it may also be the provider's own."""

Finder: TypeAlias = Callable[[dict[str, Any]], list[Place]]

_REFERENCES = tuple(REFERENCES.items())


@dataclass(slots=True, eq=False)
class Thing:
    """One turn, item, interaction or request of a stream, and all that was said of it."""

    key: Key
    stream: Things
    type: str | None = None
    provider: str | None = None
    mentioned: list[int] = field(default_factory=list)
    """Indices of the documents that mention it."""

    @property
    def base(self) -> str:
        """The name without its ordinal."""
        sort = self.key[0]
        if sort == "request":
            return str(self.type)
        if sort == "item":
            return f"item:{self.provider or self.type or '?'}"
        return sort

    @property
    def kind(self) -> str:
        """The type: things of other types are never paired for their position alone."""
        return f"{self.key[0]} {self.type}"

    @property
    def digest(self) -> bytes:
        """All mentions, in order."""
        return b"".join(self.marks())

    def marks(self) -> Iterable[bytes]:
        """The single mentions."""
        return map(self.stream.mention, self.mentioned)


class Things:
    """The documents of one stream and the things in them, by key, in order of first mention."""

    def __init__(self, docs: Sequence[dict[str, Any]], find: Finder) -> None:
        self.by_key: dict[Key, Thing] = {}
        self.places = [tuple(find(doc)) for doc in docs]  # tuples of texts cost the garbage collector nothing
        self._docs = docs
        self._mentions: dict[int, bytes] = {}
        for at, places in enumerate(self.places):
            for _, _, key, vouched in places:
                if key is not None and vouched:
                    self._read(key, at)

    def _read(self, key: Key, at: int) -> None:
        thing = self.by_key.get(key)
        if thing is None:
            thing = self.by_key[key] = Thing(key, self)
        elif thing.mentioned[-1] == at:
            return
        thing.mentioned.append(at)
        if (thing.type is None or thing.provider is None) and key[0] in ("item", "request"):
            _learn(thing, self._docs[at])

    def renamed(self, at: int, names: Mapping[Key, str]) -> dict[str, Any]:
        """A copy of a document with moments blanked and ids named; one that names nothing known stays."""
        return _with_names(self._docs[at], self.places[at], names)

    def mention(self, at: int) -> bytes:
        """Stands for a document without its moments and ids."""
        found = self._mentions.get(at)
        if found is None:
            places = self.places[at]
            blanks = {key: f"<{key[0]}>" for _, _, key, _ in places if key is not None}
            found = self._mentions[at] = digest(_with_names(self._docs[at], places, blanks))
        return found

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


def _with_names(doc: dict[str, Any], places: Iterable[Place], names: Mapping[Key, str]) -> dict[str, Any]:
    out = dict(doc)
    for path, name, key, _ in places:
        inner = out
        for part in path:
            copy = inner[part] = dict(inner[part])
            inner = copy
        inner[name] = TIME if key is None else names.get(key, key[2])
    return out


def paired_by_id(old: Things, new: Things) -> dict[Key, Key]:
    """New key -> old key, as if equal ids named equal things."""
    return {key: key for key in new.by_key if key in old.by_key}


def are_alike(old: Things, new: Things, pairs: Mapping[Key, Key]) -> bool:
    """Whether nothing known of the things speaks against the pairs: their types and provider keys agree."""
    return all(
        old.by_key[before].type == thing.type and old.by_key[before].provider == thing.provider
        for thing, before in ((new.by_key[after], before) for after, before in pairs.items())
    )


def paired_by_content(old: Things, new: Things) -> dict[Key, Key]:
    """New key -> old key, by what is said of the things; ids are not looked at."""
    pairs: dict[Key, Key] = {}
    for sort in ("turn", "item", "interaction", "request"):
        old_side = [thing for thing in old.by_key.values() if thing.key[0] == sort]
        new_side = [thing for thing in new.by_key.values() if thing.key[0] == sort]
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


def event_places(doc: dict[str, Any]) -> list[Place]:
    """Where an event holds minted ids and moments."""
    thread = str(doc.get("threadId", ""))
    found: list[Place] = []
    _refer(doc, (), thread, True, found)
    scope = doc.get("scope")
    if isinstance(scope, dict):
        _refer(scope, ("scope",), thread, True, found)
    item = doc.get("item")
    if isinstance(item, dict):
        _refer(item, ("item",), thread, True, found)
        if _is_id(item.get("id")):
            found.append((("item",), "id", ("item", thread, item["id"]), True))
    payload = doc.get("payload")
    if isinstance(payload, dict):
        _refer(payload, ("payload",), thread, False, found)
    return found


def _refer(
    doc: dict[str, Any], path: tuple[str, ...], thread: str, vouched: bool, found: list[Place]
) -> None:
    """Reference fields; moments where the fields are ours."""
    for name, sort in _REFERENCES:
        if name in doc and _is_id(doc[name]):
            found.append((path, name, (sort, thread, doc[name]), vouched))
    if vouched:
        _moments(doc, path, found)


def message_places(doc: dict[str, Any]) -> list[Place]:
    """Where a bridge's message holds ids of its own requests and interactions, and moments.

    An answer keeps its id: the other side chose it.
    """
    found: list[Place] = []
    if is_request(doc):
        found.append(((), "id", ("request", "", doc["id"]), True))
    elif doc.get("type") == "control_request" and _is_id(doc.get("request_id")):
        found.append(((), "request_id", ("request", "", doc["request_id"]), True))
    params = doc.get("params")
    if isinstance(params, dict):
        _moments(params, ("params",), found)
        if _is_id(params.get("interactionId")):
            key = ("interaction", str(params.get("threadId", "")), params["interactionId"])
            found.append((("params",), "interactionId", key, True))
        if _is_id(params.get("requestId")):
            found.append((("params",), "requestId", ("request", "", params["requestId"]), False))
        if isinstance(params.get("delta"), dict):
            _moments(params["delta"], ("params", "delta"), found)
    return found


def _moments(doc: dict[str, Any], path: tuple[str, ...], found: list[Place]) -> None:
    if not TIME_FIELDS.isdisjoint(doc):
        found += [(path, name, None, True) for name in doc if name in TIME_FIELDS]


def is_request(message: Mapping[str, Any]) -> bool:
    """Whether a JSON-RPC message asks for an answer."""
    return isinstance(message.get("method"), str) and _is_id(message.get("id"))


def _learn(thing: Thing, doc: dict[str, Any]) -> None:
    """Take the thing's type and provider key from a document that mentions it."""
    if thing.key[0] == "request":
        thing.type = request_name(doc)
    if thing.key[0] != "item":
        return
    item = doc.get("item")
    if isinstance(item, dict) and item.get("id") == thing.key[2]:
        if thing.provider is None and isinstance(item.get("providerItemId"), str):
            thing.provider = item["providerItemId"]
        if thing.type is None and isinstance(item.get("type"), str):
            thing.type = item["type"]
    elif thing.type is None and doc.get("itemId") == thing.key[2]:
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


def _is_id(value: object) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool)
