"""Comparing: every cell through both sides, and a verdict for each.

Knows the two sides' results, the five layers and the `checkouts` allowances. Must not know how a side runs
its code, nor how a verdict is shown. A cell passes only where both sides replayed it whole and no difference
is left; it is skipped only where neither side has a bridge for its provider.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from parity.checkouts.classes import DifferenceClass, classify
from parity.checkouts.side import Replayed, Side, SideRun
from parity.compare import LAYERS, diff_docs, normalise
from parity.gates.allowlist import Allowlist, Considered
from parity.gates.pins import STREAMS
from parity.live.play import LAYERS as COMPARED_OF_COMMANDS
from parity.wire import Cell, JsonError, decode, encode

ROLES = ("old", "new")


class Pair(Struct):
    """Both sides' results of one cell."""

    cell: Cell
    sides: dict[str, Replayed] = field(default_factory=dict)
    """`old` and `new`. Streams in `equal` may be gone."""
    equal: set[str] = field(default_factory=set)
    """Streams that are the same to the byte."""
    layers: tuple[str, ...] = LAYERS
    """What is compared."""


class Compared(Struct, kw_only=True):
    """What is to be said of one cell."""

    provider: str
    cell: str
    failures: list[str] = field(default_factory=list)
    """Why a side's replay is no result, beginning with `old: ` or `new: `."""
    skipped: str | None = None
    """Why the cell could not be compared, though nothing failed."""
    classes: list[DifferenceClass] = field(default_factory=list)
    """Differences that no allowance accepts."""
    masked: int = 0
    notes: list[str] = field(default_factory=list)
    given_up: bool = False
    """Whether every failure is of a side as a whole."""

    @property
    def key(self) -> str:
        """`provider/cell`."""
        return f"{self.provider}/{self.cell}"

    @property
    def verdict(self) -> str:
        """passed, failed or skipped."""
        if self.failures or self.classes:
            return "failed"
        return "skipped" if self.skipped is not None else "passed"


async def replay_both(
    sides: dict[str, Side],
    cells: Sequence[Cell],
    cache: Path,
    *,
    jobs: int,
    timeout: float,
    keep: Collection[str] = (),
    provenance: bool = False,
) -> list[Pair]:
    """Each cell through `old` and `new`; streams that are equal are let go at once, but for those in `keep`.

    `timeout` is in seconds without any output; with `provenance` the sides tell the lines behind their rows.
    A side's failures are in the results, none is raised. Where a side's bridge is a command, its messages are
    its own business and only events, rows and drops are compared. A cell for which neither side has code of
    its own is not replayed: it could not differ.
    """
    pairs = {cell.key: Pair(cell, layers=_layers(sides, cell)) for cell in cells}
    replayed = []
    for cell in cells:
        if any(side.has_code_for(cell.provider) for side in sides.values()):
            replayed.append(cell)
        else:
            why = f"no code of its own for {cell.provider!r}"
            pairs[cell.key].sides = {role: Replayed(unknown=why) for role in ROLES}

    def done(role: str, cell: Cell, result: Replayed) -> None:
        pair = pairs[cell.key]
        pair.sides[role] = result
        if len(pair.sides) < len(ROLES):
            return
        old, new = (pair.sides[role].streams for role in ROLES)
        pair.equal = {layer for layer in STREAMS if old[layer] == new[layer]}
        for layer in pair.equal.difference(keep):
            old[layer], new[layer] = [], []

    async with asyncio.TaskGroup() as group:
        for role in ROLES:
            run = SideRun(sides[role], replayed, cache, timeout, partial(done, role), provenance)
            group.create_task(run.run(jobs))
    return list(pairs.values())


def _layers(sides: Mapping[str, Side], cell: Cell) -> tuple[str, ...]:
    if any(cell.provider in side.bridges for side in sides.values()):
        return tuple(layer for layer in LAYERS if layer in (*COMPARED_OF_COMMANDS, "grammar"))
    return LAYERS


def compare_pair(pair: Pair, allowlist: Allowlist | None) -> Compared:
    """The verdict on one cell; `allowlist` None accepts no difference."""
    compared = Compared(provider=pair.cell.provider, cell=pair.cell.name)
    unknown = [role for role in ROLES if pair.sides[role].unknown is not None]
    if len(unknown) == len(ROLES):
        compared.skipped = f"{pair.sides['new'].unknown} on either side"
        return compared
    for role in ROLES:
        compared.failures += [f"{role}: {why}" for why in _failures(pair.sides[role])]
    outcomes = [pair.sides[role].outcome for role in ROLES]
    if None in outcomes:
        compared.given_up = all(side.given_up for side in pair.sides.values() if side.outcome is None)
        return compared
    if any(side.failure is not None for side in pair.sides.values()):
        return compared
    for layer in pair.layers:
        try:
            _compare_layer(layer, pair, compared, allowlist)
        except (JsonError, TypeError) as error:
            compared.failures.append(f"{layer}: a side said what cannot be compared: {error}")
    return compared


def _failures(side: Replayed) -> list[str]:
    if side.failure is not None:
        return [side.failure]
    if side.unknown is not None:
        return [f"{side.unknown}, and the other side has one"]
    assert side.outcome is not None
    stalls = [f"stall: {stall}" for stall in side.outcome.stalls]
    return stalls + [f"never consumed: {line}" for line in side.outcome.unconsumed]


def _compare_layer(layer: str, pair: Pair, compared: Compared, allowlist: Allowlist | None) -> None:
    if layer in pair.equal:
        return
    old, new = (docs_of(pair.sides[role], layer) for role in ROLES)
    found = diff_docs(layer, old, new)
    left = found
    if allowlist is not None:
        left = allowlist.mask("checkouts", compared.provider, compared.cell, found)
    compared.masked += len(found) - len(left)
    compared.classes += classify(left)
    if not found and layer != "grammar":
        compared.notes.append(f"{layer}: the bytes differ, the content does not")


def docs_of(side: Replayed, layer: str) -> list[dict[str, Any]]:
    """A layer of one side as documents. Raises JsonError, and TypeError for a document that is no object."""
    if layer == "grammar":
        drops = side.outcome.drops if side.outcome is not None else {}
        return [{"drop": drop, "count": count} for drop, count in sorted(drops.items())]
    docs = [decode(line) for line in side.streams[layer]]
    for number, doc in enumerate(docs, 1):
        if not isinstance(doc, dict):
            raise TypeError(f"line {number} is no object")
    return docs


def considered(results: Sequence[Compared], known: frozenset[str]) -> Considered:
    """What was compared whole, so that an allowance without a hit there is stale."""
    whole = [result for result in results if not result.failures]
    return Considered(frozenset(result.key for result in whole), known)


def dump(pairs: Sequence[Pair], folder: Path) -> None:
    """Both sides' normalised streams: `FOLDER/old/<provider>/<cell>/<layer>.ndjson`, and under `new`.

    Needs pairs whose equal streams were kept. A side that failed has no files.
    """
    for pair in pairs:
        for role in ROLES:
            side = pair.sides[role]
            if side.outcome is None:
                continue
            place = folder / role / pair.cell.provider / pair.cell.name
            place.mkdir(parents=True, exist_ok=True)
            for layer in pair.layers:
                try:
                    docs = docs_of(side, layer)
                except (JsonError, TypeError):  # `compare_pair` says so
                    continue
                text = b"".join(encode(entry.doc) + b"\n" for entry in normalise(layer, docs))
                (place / f"{layer}.ndjson").write_bytes(text)
