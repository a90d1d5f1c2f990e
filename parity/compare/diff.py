"""Differences: what is added, removed or changed between two streams of one layer.

Knows entries, their alignment and JSON pointers. Must not know allowances, pins or how a difference
is printed. An entry that has no partner is one difference; partners that are unequal are looked
into, each differing field for itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any

import msgspec
from msgspec import UNSET

from parity.compare.align import align
from parity.compare.documents import describe, digest, pointer, same
from parity.compare.names import Key, Things, are_alike, paired_by_content, paired_by_id
from parity.compare.normalise import FINDERS, Entry, entries_of, plain_entries, unfold

_LONG = 200  # characters from which a string goes to deepdiff as a stand-in
_STAND_IN = "\x00"
_DEPTH = 100  # levels of nesting that are looked into

Aligned = list[tuple[int | None, int | None]]


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """One difference of one layer. Values are those of the normalised documents."""

    layer: str
    path: str
    """JSON pointer. Its first segment is the entry's index in the new stream, or in the old stream
    where the entry was removed; in a list inside the entry the same rule holds."""
    change: str
    """`added`, `removed` or `changed`."""
    old: Any = UNSET
    """The value before; UNSET where there was none (null is a value)."""
    new: Any = UNSET
    """The value now; UNSET where there is none."""
    identity: str
    label: str


def diff_docs(
    layer: str, old_docs: Sequence[dict[str, Any]], new_docs: Sequence[dict[str, Any]]
) -> list[Difference]:
    """All differences between two streams of a layer, in the order of the streams.

    Equal streams cost one comparison of their text. Raises ValueError for an unknown layer.
    """
    old_units, new_units = unfold(layer, old_docs), unfold(layer, new_docs)
    old_plain, new_plain = [doc for _, doc in old_units], [doc for _, doc in new_units]
    if len(old_plain) == len(new_plain) and all(map(same, old_plain, new_plain)):
        return []
    find = FINDERS.get(layer)
    if find is None:
        old, new = plain_entries(layer, old_plain), plain_entries(layer, new_plain)
        return list(_differences(layer, old, new, align(old, new), ""))

    old_things, new_things = Things(old_plain, find), Things(new_plain, find)
    old_names = old_things.own_names()
    old = entries_of(layer, old_units, old_things, old_names)

    def under(pairs: dict[Key, Key]) -> tuple[int, list[Entry], Aligned]:
        entries = entries_of(layer, new_units, new_things, new_things.names_like(old_names, pairs))
        aligned = align(old, entries)
        return _unequal(old, entries, aligned), entries, aligned

    by_id = paired_by_id(old_things, new_things)
    best = under(by_id)
    cost, new, aligned = best
    things = old_things, new_things, by_id
    if cost > max(1, abs(len(old) - len(new))) and not _is_best(*things, old, new, aligned):
        by_content = paired_by_content(old_things, new_things)
        if by_content != by_id:
            _, new, aligned = min(best, under(by_content), key=itemgetter(0))
    return list(_differences(layer, old, new, aligned, ""))


def _is_best(
    old_things: Things,
    new_things: Things,
    pairs: dict[Key, Key],
    old: Sequence[Entry],
    new: Sequence[Entry],
    aligned: Aligned,
) -> bool:
    """Whether no other pairing of things could make more entries equal, so that none needs to be looked for.

    Entries that are equal but for moments and minted ids are what better names could still make equal.
    """
    if not are_alike(old_things, new_things, pairs):
        return False
    left: set[bytes] = set()
    came: set[bytes] = set()
    for i, j in aligned:
        if i is None or j is None or old[i].digest != new[j].digest:
            if i is not None:
                left.add(old_things.mention(i))
            if j is not None:
                came.add(new_things.mention(j))
    return left.isdisjoint(came)


def _unequal(old: Sequence[Entry], new: Sequence[Entry], aligned: Aligned) -> int:
    return sum(i is None or j is None or old[i].digest != new[j].digest for i, j in aligned)


def _differences(
    layer: str,
    old: Sequence[Entry],
    new: Sequence[Entry],
    aligned: Aligned,
    above: str,
) -> Iterator[Difference]:
    for i, j in aligned:
        if i is None:
            assert j is not None
            entry = new[j]
            yield _whole(layer, f"{above}/{j}", "added", UNSET, entry.doc, entry)
        elif j is None:
            entry = old[i]
            yield _whole(layer, f"{above}/{i}", "removed", entry.doc, UNSET, entry)
        elif old[i].digest != new[j].digest:
            yield from _inside(layer, old[i], new[j], f"{above}/{j}")


def _whole(layer: str, path: str, change: str, old: Any, new: Any, entry: Entry) -> Difference:
    return Difference(
        layer=layer,
        path=path,
        change=change,
        old=old,
        new=new,
        identity=entry.identity,
        label=entry.label,
    )


def _inside(layer: str, old: Entry, new: Entry, path: str) -> Iterator[Difference]:
    """Differences of two partners; rows are compared without children, then child by child."""
    old_doc, new_doc = old.doc, new.doc
    if layer == "rows":
        by_child = bool(old.children or new.children)
        old_doc, new_doc = _shallow(old, by_child), _shallow(new, by_child)
        if "id" in old_doc and "id" in new_doc:  # being partners, they are the same row
            for key in ("title", "id"):
                if old_doc.get(key) == old_doc["id"] and new_doc.get(key) == new_doc["id"]:
                    old_doc[key] = new_doc[key]
    for tokens, change, before, after in diff_values(old_doc, new_doc):
        yield _whole(layer, path + pointer(tokens), change, before, after, new)
    if old.children or new.children:
        aligned = align(old.children, new.children)
        yield from _differences(layer, old.children, new.children, aligned, f"{path}/children")


def _shallow(row: Entry, by_child: bool) -> dict[str, Any]:
    """The row's document, without its children where those are compared as rows of their own."""
    doc = dict(row.doc)
    if by_child and (row.children or doc.get("children") == []):
        del doc["children"]
    return doc


Found = tuple[list[str | int], str, Any, Any]
"""(unescaped path, change, old, new)"""


def diff_values(old: Any, new: Any) -> list[Found]:
    """The differing places inside two JSON values, in document order, found by deepdiff.

    List elements are aligned by content first, so an inserted one shifts nothing.
    """
    if same(old, new):
        return []
    return _Looking().into(old, new)


class _Element:
    """A list element, as `align` wants it."""

    __slots__ = ("base", "digest", "kind", "value")

    def __init__(self, value: Any) -> None:
        self.base = self.kind = type(value).__name__
        self.value = value
        self.digest = digest(value)

    def marks(self) -> Iterator[tuple[str, bytes]]:
        if isinstance(self.value, dict):
            yield from ((key, digest(value)) for key, value in self.value.items())


class _Looking:
    """One run of deepdiff over two values that were first made cheap to compare.

    Equal parts are left out. A list becomes an object whose keys are ints: the new index of an
    element, or -1 - the old index of one that was removed; so deepdiff never runs its quadratic
    list search. Long texts become stand-ins, so it never makes a text diff of megabytes.
    """

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}

    def into(self, old: Any, new: Any) -> list[Found]:
        """The differing places of two unequal values."""
        from deepdiff import DeepDiff  # slow to import, and equal streams never need it

        old_part, new_part = self._apart(old, new)
        tree = DeepDiff(
            old_part,
            new_part,
            view="tree",
            verbose_level=2,
            threshold_to_diff_deeper=0,
            ignore_private_variables=False,
        )
        found: list[Found] = []
        for report, levels in tree.items():
            change = _CHANGES[report]
            for level in levels:
                tokens = level.path(output_format="list")
                before = UNSET if change == "added" else self._real(level.t1)
                after = UNSET if change == "removed" else self._real(level.t2)
                found.append((list(tokens), change, before, after))
        if not found:  # deepdiff thinks -0.0 and 0.0 equal
            return [([], "changed", old, new)]
        order = {id_: at for at, id_ in enumerate(_order(old_part, new_part, ()))}
        found.sort(key=lambda place: order.get(tuple(place[0]), 0))
        return [([_index(token) for token in at], *rest) for at, *rest in found]

    def _apart(self, old: Any, new: Any, depth: int = 0) -> tuple[Any, Any]:
        """Both values without their equal parts; below `_DEPTH` a value is compared as a whole."""
        if depth >= _DEPTH:
            return self._stand_in(old, True), self._stand_in(new, True)
        if isinstance(old, dict) and isinstance(new, dict):
            return self._kept(
                [(key, old.get(key, UNSET), new.get(key, UNSET)) for key in {**old, **new}],
                depth,
            )
        if isinstance(old, list) and isinstance(new, list):
            aligned = align([_Element(e) for e in old], [_Element(e) for e in new])
            return self._kept(
                [
                    (
                        -1 - (i or 0) if j is None else j,
                        UNSET if i is None else old[i],
                        UNSET if j is None else new[j],
                    )
                    for i, j in aligned
                ],
                depth,
            )
        return self._stand_in(old), self._stand_in(new)

    def _kept(self, members: list[tuple[Any, Any, Any]], depth: int) -> tuple[dict[Any, Any], dict[Any, Any]]:
        old_part: dict[Any, Any] = {}
        new_part: dict[Any, Any] = {}
        for key, old, new in members:
            if old is UNSET:
                new_part[key] = self._stand_in(new)
            elif new is UNSET:
                old_part[key] = self._stand_in(old)
            elif not same(old, new):
                old_part[key], new_part[key] = self._apart(old, new, depth + 1)
        return old_part, new_part

    def _stand_in(self, value: Any, always: bool = False) -> Any:
        if always or (isinstance(value, str) and (len(value) > _LONG or "\n" in value or "\x00" in value)):
            key = _STAND_IN + digest(value).hex()
            self._values[key] = value
            return key
        return value

    def _real(self, value: Any) -> Any:
        return self._values.get(value, value) if isinstance(value, str) else value


_CHANGES = {
    "values_changed": "changed",
    "type_changes": "changed",
    "dictionary_item_added": "added",
    "dictionary_item_removed": "removed",
}


def _order(old: Any, new: Any, above: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Paths of both values in document order."""
    yield above
    if isinstance(old, dict) and isinstance(new, dict):
        for key in {**old, **new}:
            yield from _order(old.get(key), new.get(key), (*above, key))


def _index(token: str | int) -> str | int:
    return -1 - token if isinstance(token, int) and token < 0 else token


__all__ = ["Difference", "describe", "diff_docs", "diff_values", "same"]
