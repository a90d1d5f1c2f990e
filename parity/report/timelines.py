"""Two timelines side by side: which old row is which new row, and what differs between them.

Knows rows, alignment and differences. Must not know HTML. Rows are paired by the same alignment the gates
use, so a page and a verdict never disagree about what is whose partner.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import UNSET, Struct, field

from parity.compare import Difference, Entry, align, describe, normalise
from parity.grammar.rows import Row
from parity.replay.provenance import LineId
from parity.report.model import Masked
from parity.report.reading import Reading, read

WIDTH = 160
"""Characters shown of a value that differs."""


class Change(Struct, frozen=True):
    """One difference, in words."""

    where: str
    """The path below the row or entry; "" where the whole of it is meant."""
    change: str
    old: str | None
    new: str | None
    allowed_by: str | None = None
    """The issue of the allowance that accepts it."""
    label: str = ""

    @property
    def worth_telling(self) -> bool:
        """Whether it says more than that the row is there on one side alone, which is seen."""
        return bool(self.where or self.allowed_by)

    @property
    def field(self) -> str:
        """The field of the row that differs."""
        return self.where.split("/")[1] if self.where else ""


class Pair(Struct):
    """One line of the two timelines."""

    depth: int
    old: Row | None
    new: Row | None
    state: str = "same"
    """`same`, `changed`, `added`, `removed`, or `allowed` where an allowance accepts all that differs."""
    changes: list[Change] = field(default_factory=list)
    lines: list[LineId] = field(default_factory=list)
    """The recorded lines behind the row of either side, in the order of the recording."""

    @property
    def row(self) -> Row:
        """The new row, or the old one that is gone."""
        row = self.new if self.new is not None else self.old
        assert row is not None
        return row

    @property
    def call(self) -> str | None:
        """The provider's id of the call."""
        call = self.row.get("providerItemId")
        return call if isinstance(call, str) else None

    @property
    def fields(self) -> frozenset[str]:
        """The fields that differ."""
        return frozenset(change.field for change in self.changes)

    @property
    def old_reading(self) -> Reading | None:
        """How the old row reads."""
        return read(self.old) if self.old is not None else None

    @property
    def new_reading(self) -> Reading | None:
        """How the new row reads."""
        return read(self.new) if self.new is not None else None


def paired(
    old: Sequence[Row] | None,
    new: Sequence[Row] | None,
    differences: Sequence[Difference] = (),
    masked: Sequence[Masked] = (),
) -> list[Pair]:
    """The rows of both sides in reading order. With one side None, the other's rows alone, all `same`."""
    pairing = _Pairing(None not in (old, new))
    pairing.pair(old or (), new or (), _entries(old), _entries(new), 0, "")
    for difference in differences:
        pairing.tell(difference, None)
    for one in masked:
        if one.difference.layer == "rows":
            pairing.tell(one.difference, one.allowance.issue)
    for pair in pairing.pairs:
        if pair.changes and all(change.allowed_by for change in pair.changes):
            pair.state = "allowed"
        elif pair.changes and pair.state == "same":
            pair.state = "changed"
    return pairing.pairs


def in_words(difference: Difference, where: str, allowed_by: str | None = None) -> Change:
    """A difference as a page says it."""
    old, new = difference.old, difference.new
    return Change(
        where=where,
        change=difference.change,
        old=None if old is UNSET else describe(old, new, WIDTH),
        new=None if new is UNSET else describe(new, old, WIDTH),
        allowed_by=allowed_by,
        label=difference.label,
    )


def _entries(rows: Sequence[Row] | None) -> list[Entry]:
    return normalise("rows", [_plain(row) for row in rows or ()])


def _plain(row: Row) -> Row:
    """The row without what is no part of its stream."""
    plain = {name: value for name, value in row.items() if name != "provenance"}
    if "children" in row:
        plain["children"] = [_plain(child) for child in row["children"]]
    return plain


class _Pairing:
    """The pairs, and where each is found by a difference's path."""

    def __init__(self, both: bool) -> None:
        self.pairs: list[Pair] = []
        self._both = both
        self._present: dict[str, Pair] = {}
        self._removed: dict[str, Pair] = {}

    def pair(
        self,
        old_rows: Sequence[Row],
        new_rows: Sequence[Row],
        old: Sequence[Entry],
        new: Sequence[Entry],
        depth: int,
        above: str,
    ) -> None:
        for i, j in align(old, new):
            before = old_rows[i] if i is not None else None
            after = new_rows[j] if j is not None else None
            state = "same" if not self._both or None not in (i, j) else "added" if i is None else "removed"
            pair = Pair(depth, before, after, state)
            sides = [row.get("provenance", ()) for row in (before, after) if row is not None]
            pair.lines = sorted({(run, seq, lane) for lines in sides for run, seq, lane in lines})
            self.pairs.append(pair)
            path = f"{above}/{i if j is None else j}"
            (self._removed if j is None else self._present)[path] = pair
            self.pair(
                _children(before),
                _children(after),
                old[i].children if i is not None else (),
                new[j].children if j is not None else (),
                depth + 1,
                f"{path}/children" if j is not None else f"{path}/gone",
            )

    def tell(self, difference: Difference, allowed_by: str | None) -> None:
        """Give a difference to the pair it is about: the deepest one on its path."""
        path = difference.path
        if difference.change == "removed" and path in self._removed:
            self._removed[path].changes.append(in_words(difference, "", allowed_by))
            return
        for at in _prefixes(path):
            pair = self._present.get(at)
            if pair is not None:
                pair.changes.append(in_words(difference, path[len(at) :], allowed_by))
                return


def _children(row: Row | None) -> Sequence[Row]:
    return row.get("children", ()) if row is not None else ()


def _prefixes(path: str) -> Iterator[str]:
    """The path and every path above it."""
    while path:
        yield path
        path = path.rpartition("/")[0]
