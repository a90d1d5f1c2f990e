"""Which element of one stream is which element of another, in near-linear time.

Knows sequences of things that have an identity and a content. Must not know what the things are:
entries, rows, named items and plain list elements are all paired here.

How it works. Everything unmatched is a *gap* (a range of old, a range of new); each stage matches
some pairs inside each gap, in order, and so splits it into smaller gaps:

1. anchors   equal heads and tails, then what is unique on both sides (by identity, or by identity
             and content), kept in order by a longest increasing subsequence; repeated in the gaps
2. exact     equal identity and content, with the fewest insertions and removals
3. marks     the same identity class and some content that nothing else in the gap has
4. base      equal identity, whatever the content
5. kind      equal type, by position

Occurrence numbers play no part: they shift when one of a run of equal identities is inserted. The
edit search of stages 2, 4 and 5 is bounded (`_MAX_EDITS`); past the bound the n-th occurrence is
paired with the n-th, so no gap ever costs more than its length times a constant.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

_MAX_EDITS = 64
_ANCHOR_ROUNDS = 16

Pair = tuple[int, int]
Gap = tuple[int, int, int, int]  # old from, old to, new from, new to
Keys = Sequence[int] | Mapping[int, int]  # by index


class Alignable(Protocol):
    """What can be aligned: an identity without occurrence, a type, and a content."""

    @property
    def base(self) -> str:
        """Identity without the occurrence number."""

    @property
    def kind(self) -> str:
        """The type: what may be paired when identities differ."""

    @property
    def digest(self) -> bytes:
        """Stands for the whole content."""

    def marks(self) -> Iterable[Hashable]:
        """Parts of the content that tell this one from its neighbours."""


def align(old: Sequence[Alignable], new: Sequence[Alignable]) -> list[tuple[int | None, int | None]]:
    """Pair old and new indices, in order; (i, None) was removed, (None, j) was added.

    Every index of both sides occurs exactly once, and both columns increase. Between two matched
    pairs the removed come before the added.
    """
    aligned: list[tuple[int | None, int | None]] = []
    at_old = at_new = 0
    for i, j in [*matches(old, new), (len(old), len(new))]:
        aligned.extend((gone, None) for gone in range(at_old, i))
        aligned.extend((None, come) for come in range(at_new, j))
        if i < len(old):
            aligned.append((i, j))
        at_old, at_new = i + 1, j + 1
    return aligned


def matches(old: Sequence[Alignable], new: Sequence[Alignable], changed: bool = True) -> list[Pair]:
    """The matched pairs of `align` alone, increasing in both columns.

    With `changed` False only stages 1 and 2 run: what is equal, or has an identity of its own.
    """
    base_code: dict[Hashable, int] = {}
    exact_code: dict[Hashable, int] = {}
    base = _coded((e.base for e in old), base_code), _coded((e.base for e in new), base_code)
    exact = (
        _coded(((e.base, e.digest) for e in old), exact_code),
        _coded(((e.base, e.digest) for e in new), exact_code),
    )
    found: list[Pair] = []
    gaps: list[Gap] = [(0, len(old), 0, len(new))]
    for _ in range(_ANCHOR_ROUNDS):
        before = len(found)
        gaps = _split(gaps, found, lambda gap: _anchors(gap, exact, base))
        if len(found) == before:
            break
    gaps = _split(gaps, found, lambda gap: _in_order(gap, *exact))
    if not changed:
        return sorted(found)
    gaps = _split(gaps, found, lambda gap: _anchors(gap, exact, base))
    gaps = _split(gaps, found, lambda gap: increasing(by_marks(old, new, *_ranges(gap))))
    gaps = _split(gaps, found, lambda gap: _in_order(gap, *base))
    kind_code: dict[Hashable, int] = {}
    old_kind, new_kind = (
        {at: kind_code.setdefault(side[at].kind, len(kind_code)) for gap in gaps for at in _ranges(gap)[of]}
        for of, side in enumerate((old, new))
    )
    _split(gaps, found, lambda gap: _in_order(gap, old_kind, new_kind))
    return sorted(found)


def by_marks(
    old: Sequence[Alignable],
    new: Sequence[Alignable],
    old_at: Iterable[int],
    new_at: Iterable[int],
) -> list[Pair]:
    """Pairs, in any order, that share marks nothing else of these indices has; most shared win."""
    old_owner, new_owner = _owners(old, old_at), _owners(new, new_at)
    votes: Counter[Pair] = Counter()
    for mark, i in old_owner.items():
        j = new_owner.get(mark)
        if i is not None and j is not None:
            votes[i, j] += 1
    taken_old: set[int] = set()
    taken_new: set[int] = set()
    pairs: list[Pair] = []
    for (i, j), _ in sorted(votes.items(), key=lambda vote: (-vote[1], vote[0])):
        if i not in taken_old and j not in taken_new:
            taken_old.add(i)
            taken_new.add(j)
            pairs.append((i, j))
    return pairs


def increasing(pairs: Iterable[Pair]) -> list[Pair]:
    """The longest selection of the pairs that increases in both columns, O(n log n)."""
    ordered = sorted(pairs)
    tails: list[int] = []  # smallest new index that ends a run of each length
    tail_at: list[int] = []
    previous: list[int] = []
    for at, (_, j) in enumerate(ordered):
        length = len(tails) if not tails or tails[-1] < j else bisect_left(tails, j)
        if length == len(tails):
            tails.append(j)
            tail_at.append(at)
        else:
            tails[length] = j
            tail_at[length] = at
        previous.append(tail_at[length - 1] if length else -1)
    chosen: list[Pair] = []
    at = tail_at[-1] if tail_at else -1
    while at >= 0:
        chosen.append(ordered[at])
        at = previous[at]
    return chosen[::-1]


def _coded(keys: Iterable[Hashable], codes: dict[Hashable, int]) -> list[int]:
    return [codes.setdefault(key, len(codes)) for key in keys]


def _ranges(gap: Gap) -> tuple[range, range]:
    return range(gap[0], gap[1]), range(gap[2], gap[3])


def _split(gaps: list[Gap], found: list[Pair], stage: Callable[[Gap], list[Pair]]) -> list[Gap]:
    """Run a stage in each gap; add its pairs to `found`; the gaps left that have both sides."""
    left: list[Gap] = []
    for gap in gaps:
        old_from, old_to, new_from, new_to = gap
        if old_from == old_to or new_from == new_to:
            continue
        pairs = stage(gap)
        found.extend(pairs)
        for i, j in [*pairs, (old_to, new_to)]:
            if old_from < i and new_from < j:
                left.append((old_from, i, new_from, j))
            old_from, new_from = i + 1, j + 1
    return left


def _anchors(gap: Gap, exact: tuple[list[int], list[int]], base: tuple[list[int], list[int]]) -> list[Pair]:
    """Equal heads and tails, and between them what is unique on both sides."""
    head, inner, tail = _trimmed(gap, *exact)
    old_range, new_range = _ranges(inner)
    partner = dict(_once_on_both(*exact, old_range, new_range))
    candidates = list(partner.items())
    candidates += [(i, j) for i, j in _once_on_both(*base, old_range, new_range) if partner.get(i) != j]
    return head + increasing(candidates) + tail


def _trimmed(gap: Gap, old: Keys, new: Keys) -> tuple[list[Pair], Gap, list[Pair]]:
    old_from, old_to, new_from, new_to = gap
    head: list[Pair] = []
    while old_from < old_to and new_from < new_to and old[old_from] == new[new_from]:
        head.append((old_from, new_from))
        old_from, new_from = old_from + 1, new_from + 1
    tail: list[Pair] = []
    while old_from < old_to and new_from < new_to and old[old_to - 1] == new[new_to - 1]:
        old_to, new_to = old_to - 1, new_to - 1
        tail.append((old_to, new_to))
    return head, (old_from, old_to, new_from, new_to), tail[::-1]


def _once_on_both(old: list[int], new: list[int], old_at: range, new_at: range) -> Iterator[Pair]:
    """Where the keys are that occur once on each side."""
    theirs = _once(new, new_at)
    for key, i in _once(old, old_at).items():
        j = theirs.get(key)
        if j is not None:
            yield i, j


def _once(keys: list[int], indices: range) -> dict[int, int]:
    """The keys that occur once among the indices, with where."""
    here = keys[indices.start : indices.stop]
    count = Counter(here)
    return {key: at for key, at in zip(here, indices, strict=True) if count[key] == 1}


def _owners(side: Sequence[Alignable], indices: Iterable[int]) -> dict[Hashable, int | None]:
    """Each mark with the one index that has it, or None when several have."""
    owners: dict[Hashable, int | None] = {}
    for at in indices:
        for mark in set(side[at].marks()):
            owners[mark] = None if mark in owners else at
    return owners


def _in_order(gap: Gap, old: Keys, new: Keys) -> list[Pair]:
    """Pairs of equal keys in order, with the fewest left over as far as the bound allows."""
    head, inner, tail = _trimmed(gap, old, new)
    old_range, new_range = _ranges(inner)
    old_keys = [old[at] for at in old_range]
    new_keys = [new[at] for at in new_range]
    middle = _fewest_edits(old_keys, new_keys)
    if middle is None:
        middle = increasing(_by_occurrence(old_keys, new_keys))
    return head + [(inner[0] + i, inner[2] + j) for i, j in middle] + tail


def _by_occurrence(old: list[int], new: list[int]) -> Iterator[Pair]:
    """The n-th of each key with the n-th of it."""
    where: dict[int, list[int]] = {}
    for j in range(len(new) - 1, -1, -1):
        where.setdefault(new[j], []).append(j)
    for i, key in enumerate(old):
        if waiting := where.get(key):
            yield i, waiting.pop()


def _fewest_edits(old: list[int], new: list[int]) -> list[Pair] | None:
    """Myers' greedy edit search, O(n * edits); None when it takes more than `_MAX_EDITS`."""
    if not old or not new or set(old).isdisjoint(new):
        return []
    reach = {1: 0}  # diagonal (i - j) -> furthest i
    history: list[dict[int, int]] = []
    for edits in range(_MAX_EDITS + 1):
        history.append(reach.copy())
        for diagonal in range(-edits, edits + 1, 2):
            down = diagonal == -edits or (diagonal != edits and reach[diagonal - 1] < reach[diagonal + 1])
            i = reach[diagonal + 1] if down else reach[diagonal - 1] + 1
            j = i - diagonal
            while i < len(old) and j < len(new) and old[i] == new[j]:
                i, j = i + 1, j + 1
            reach[diagonal] = i
            if i >= len(old) and j >= len(new):
                return _walked_back(history, len(old), len(new))
    return None


def _walked_back(history: list[dict[int, int]], i: int, j: int) -> list[Pair]:
    pairs: list[Pair] = []
    for edits in range(len(history) - 1, -1, -1):
        reach, diagonal = history[edits], i - j
        down = diagonal == -edits or (diagonal != edits and reach[diagonal - 1] < reach[diagonal + 1])
        before = diagonal + 1 if down else diagonal - 1
        from_i = reach[before]
        start_i = from_i if down else from_i + 1
        while i > start_i:
            i, j = i - 1, j - 1
            pairs.append((i, j))
        i, j = from_i, from_i - before
    return pairs[::-1]
