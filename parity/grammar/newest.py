"""What is remembered of things that are over: the newest, up to a bound.

A turn may hold any number of calls, so nothing may be kept of each for as long as the turn lasts. It knows no
deltas, events or calls.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class Newest(Generic[T]):
    """A set that forgets what was added longest ago once it holds more than `bound`."""

    __slots__ = ("_bound", "_kept")

    def __init__(self, bound: int) -> None:
        self._bound = bound
        self._kept: OrderedDict[T, None] = OrderedDict()

    def add(self, value: T) -> T | None:
        """Remember a value, or remember it anew; returns the one that is forgotten for it."""
        kept = self._kept
        if value in kept:
            kept.move_to_end(value)
            return None
        kept[value] = None
        return kept.popitem(last=False)[0] if len(kept) > self._bound else None

    def discard(self, value: T) -> None:
        """Forget a value, if it is remembered."""
        self._kept.pop(value, None)

    def clear(self) -> None:
        """Forget all."""
        self._kept.clear()

    def __contains__(self, value: object) -> bool:
        return value in self._kept

    def __len__(self) -> int:
        return len(self._kept)
