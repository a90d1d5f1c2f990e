"""Measure: every name of every vocabulary, with the cells it occurs in and what becomes of it.

A name is *handled* where the bridge says something because of it: in a replay of a recorded message, or of
the published instance in a turn made for it. It is *ignored* where nothing comes of it and the lane has
written down why. Everything else is *unhandled*. Nothing here says by itself what is handled.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache
from typing import Any

from parity.coverage.decisions import decision_of
from parity.coverage.model import HANDLED, IGNORED, PROTOCOLS, UNHANDLED, Entry, Key
from parity.coverage.names import WHOLE, family_of_protocol
from parity.coverage.probes import BECOMES
from parity.coverage.published import vocabulary
from parity.coverage.watching import Seen, builtin_family, watched
from parity.gates.pins import KeepSink
from parity.wire import Cell


def measure(cells: Iterable[Cell], external: Collection[str] = ()) -> list[Entry]:
    """What is known of every name, by a replay of the cells. Raises InputError as `watch`."""
    return entries(watch(cells, external))


def watch(cells: Iterable[Cell], external: Collection[str] = ()) -> Seen:
    """Replay the cells and note what their agents say. Raises InputError for a cell that cannot be read.

    Cells of `external` providers are left out: another bridge reads their wire.
    """
    seen, nowhere = Seen(), KeepSink(())
    for cell in cells:
        play = watched(cell, seen) if cell.provider not in external else None
        if play is not None:
            play(cell, nowhere)
    return seen


def entries(seen: Seen, families: Collection[str] | None = None) -> list[Entry]:
    """An entry for each published name and each that occurs, grouped by protocol and category."""
    found = []
    for protocol in PROTOCOLS:
        if families is not None and family_of_protocol(protocol) not in families:
            continue
        published = {
            Key(protocol, category, name)
            for category, names in vocabulary(protocol).items()
            for name in names
        }
        foreign = {key for key in seen.cells if key.protocol == protocol and key not in published}
        order = {category: at for at, category in enumerate(vocabulary(protocol))}
        keys = sorted(
            published | foreign,
            key=lambda key: (order.get(key.category, len(order)), key in foreign, key),
        )
        found += [entry_of(key, seen) for key in keys]
    return found


def families_of(cells: Iterable[Cell]) -> set[str]:
    """The built-in families that serve the cells."""
    named = (builtin_family(cell.provider) for cell in cells)
    return {family for family in named if family is not None}


def entry_of(key: Key, seen: Seen) -> Entry:
    """What is known of one name."""
    published = _instances(key)
    becomes = sorted(seen.becomes.get(key, ()))
    if not becomes and (published is not None or key.category not in WHOLE):  # a word can always be said
        becomes = list(said(key))
    decision = decision_of(key) if not becomes else None
    verdict = HANDLED if becomes else UNHANDLED if decision is None else IGNORED
    return Entry(
        protocol=key.protocol,
        category=key.category,
        name=key.name,
        verdict=verdict,
        becomes=becomes,
        decision=decision,
        cells=sorted(seen.cells.get(key, ())),
        published=published is not None,
    )


@cache
def said(key: Key) -> tuple[str, ...]:
    """What comes of a name that is said to a bridge; a function of the code alone."""
    return tuple(BECOMES[key.protocol](key.category, key.name, _instances(key) or []))


def _instances(key: Key) -> list[Any] | None:
    """The published instances of a name; None where it is not published."""
    return vocabulary(key.protocol).get(key.category, {}).get(key.name)
