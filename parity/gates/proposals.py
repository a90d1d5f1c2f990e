"""Proposals: the narrowest allowances that would accept given differences.

Knows differences, paths and what makes an allowance broad. Must not know files, cells or how the differences
were found: the pins' and two checkouts' are proposed for alike.

Differences of one cell that share layer, change and path are one class. Positions that say only where in a
stream or list something stood become `*`; an index inside a document stays where the whole class has it. A
value (`old`, `new`) is in the entry where the whole class agrees on it. Entries that then differ only in
their cell become one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import UNSET, Struct, field

from parity.compare import LAYERS, Difference, same
from parity.compare.documents import canonical
from parity.gates.allowance import is_broad
from parity.gates.allowlist_file import survives

VALUE_BYTES = 400
"""The longest value, as JSON, that an entry is narrowed with."""


class Proposal(Struct):
    """Entries as `Allowlist.add` takes them, and what they leave out."""

    entries: list[dict[str, Any]] = field(default_factory=list)
    whole: list[tuple[str, Difference]] = field(default_factory=list)
    """(`provider/cell`, difference) for which only a broad entry would do."""


def propose(
    differences: Mapping[str, Iterable[Difference]], *, issue: str, reason: str, broad: bool = False
) -> Proposal:
    """Entries for the differences of each `provider/cell`, in the order of cells and layers.

    Where a difference is a whole event, message or row, its entry is made only with `broad`, and says
    `broad: true`.
    """
    proposal = Proposal()
    cells: dict[tuple[Any, ...], list[str]] = {}
    fields: dict[tuple[Any, ...], dict[str, Any]] = {}
    for name, found in differences.items():
        provider, _, cell = name.partition("/")
        for members in _classes(found):
            entry = _narrowest(members)
            if "broad" in entry and not broad:
                proposal.whole += [(name, member) for member in members]
                continue
            key = (provider, canonical(entry))
            fields[key] = entry
            cells.setdefault(key, []).append(cell)
    for key in sorted(fields, key=lambda key: (key[0], LAYERS.index(fields[key]["layer"]))):
        scope = {"issue": issue, "reason": reason, "provider": key[0], "cell": cells[key]}
        proposal.entries.append({**scope, **fields[key]})
    return proposal


def propose_counts(
    rises: Mapping[str, Mapping[str, int]], *, issue: str, reason: str
) -> list[dict[str, Any]]:
    """`counts` entries for guarded counts that rose: `provider/cell` → count → its value now."""
    cells: dict[tuple[str, str, int], list[str]] = {}
    for name, risen in rises.items():
        provider, _, cell = name.partition("/")
        for count, value in risen.items():
            cells.setdefault((provider, count, value), []).append(cell)
    return [
        {"issue": issue, "reason": reason, "provider": p, "cell": names, "count": count, "max": value}
        for (p, count, value), names in sorted(cells.items())
    ]


def _classes(differences: Iterable[Difference]) -> list[list[Difference]]:
    """Differences with the same layer, change and path, all positions aside."""
    found: dict[tuple[str, str, tuple[str, ...]], list[Difference]] = {}
    for difference in differences:
        shape = tuple("*" if part.isdecimal() else part for part in _segments(difference.path))
        found.setdefault((difference.layer, difference.change, shape), []).append(difference)
    return list(found.values())


def _narrowest(members: Sequence[Difference]) -> dict[str, Any]:
    """What one entry must say to accept a class, without its scope."""
    first = members[0]
    path = _pattern([_segments(member.path) for member in members])
    entry: dict[str, Any] = {"layer": first.layer, "path": path, "change": first.change}
    for name in ("old", "new"):
        value = getattr(first, name)
        if value is UNSET or not all(same(value, getattr(member, name)) for member in members):
            continue
        if len(canonical(value)) <= VALUE_BYTES and survives(value):
            entry[name] = value
    if is_broad(path):
        entry["broad"] = True
    return entry


def _pattern(paths: Sequence[Sequence[str]]) -> str:
    """The path of a class: `*` for the place of an entry or child, and for an index they differ in."""
    parts = []
    for at, part in enumerate(paths[0]):
        stands = part.isdecimal() and (at == 0 or paths[0][at - 1] == "children")
        telling = not stands and all(path[at] == part for path in paths)
        parts.append(part if telling else "*")
    return "".join(f"/{part}" for part in parts)


def _segments(path: str) -> list[str]:
    return path.split("/")[1:]
