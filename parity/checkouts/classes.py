"""Classes of difference: the same change at the same place of many documents, said once.

Knows differences and JSON pointers. Must not know where the two streams came from. A class is (layer, path
with `*` for list indices, change); whole entries that were added or removed are told apart by what they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from msgspec import UNSET, Struct

from parity.compare import LAYERS, Difference

_INDEX = re.compile(r"/\d+(?=/|$)")


class DifferenceClass(Struct, kw_only=True):
    """Differences of one class in one cell."""

    layer: str
    name: str
    """For people: `item/exitCode`; for whole entries their type, `item/commandExecution/outputDelta`."""
    path: str
    """The path as an allowance would name it: `/*/item/exitCode`."""
    change: str
    """`added`, `removed` or `changed`."""
    differences: list[Difference]
    """At least one, in the order of the streams."""

    def __str__(self) -> str:
        return f"{self.layer} {self.name} {self.change} ×{len(self.differences)}"


def classify(differences: Iterable[Difference]) -> list[DifferenceClass]:
    """The classes, by layer in the order of the data's way, then in the order they first occur."""
    found: dict[tuple[str, str, str, str], DifferenceClass] = {}
    for one in differences:
        path = generalised(one.path)
        key = (one.layer, path, one.change, name_of(one))
        if key in found:
            found[key].differences.append(one)
        else:
            found[key] = DifferenceClass(
                layer=one.layer, name=key[3], path=path, change=one.change, differences=[one]
            )
    return sorted(found.values(), key=lambda group: LAYERS.index(group.layer))


def generalised(path: str) -> str:
    """The path with `*` for every index."""
    return _INDEX.sub("/*", path)


def name_of(difference: Difference) -> str:
    """What differs, for people; the same for all differences of a class."""
    layer = difference.layer
    segments = [part for part in generalised(difference.path).split("/")[1:] if part != "*"]
    if layer == "grammar":
        return difference.label
    if layer == "rows":
        segments = [part for part in segments if part != "children"]
        return "/".join(["row", *segments]) if segments else _type(layer, difference)
    if not segments:
        return _type(layer, difference)
    return "/".join(segments[1:] if segments[0] == "params" and len(segments) > 1 else segments)


def _type(layer: str, difference: Difference) -> str:
    """The type of a whole entry."""
    entry: Any = difference.old if difference.new is UNSET else difference.new
    if not isinstance(entry, dict):
        return "entry"
    if layer == "rows":
        return f"{entry.get('kind', '?')} row"
    if layer == "events":
        return str(entry.get("type", "?"))
    params = entry.get("params")
    delta = params.get("delta") if isinstance(params, dict) else None
    if isinstance(delta, dict):
        return str(delta.get("kind", "?"))
    return str(entry.get("method") or entry.get("type") or "answer")
