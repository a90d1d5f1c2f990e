"""Matching of a live bridge's requests with the recorded ones, by method and order.

The two sides may come in either order and ids may be used again, so nothing but what is outstanding is
kept. `recorded` is told of each recorded request, `emitted` of each live one; `live_id` answers which live
id stands for a recorded id, and `finish` what never found its other half.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, TypeAlias

from parity.wire import encode

IdKey: TypeAlias = tuple[str, Any]


def id_key(request_id: Any) -> IdKey:
    """A JSON-RPC id as a key: the same number and string stay different."""
    if isinstance(request_id, (dict, list)):
        return "json", encode(request_id)
    return type(request_id).__name__, request_id


class Requests:
    """The requests one side of the bridge makes: live and recorded."""

    def __init__(self) -> None:
        self._recorded: dict[str, int] = {}
        self._emitted: dict[str, int] = {}
        self._names: dict[IdKey, tuple[str, int]] = {}
        self._live: dict[tuple[str, int], Any] = {}

    def recorded(self, method: str, request_id: Any) -> None:
        """A recorded request (`request_id` None for a notification)."""
        number = self._recorded.get(method, 0) + 1
        self._recorded[method] = number
        if request_id is not None:
            self._names[id_key(request_id)] = (method, number)

    def emitted(self, method: str, request_id: Any) -> None:
        """A live request or notification."""
        number = self._emitted.get(method, 0) + 1
        self._emitted[method] = number
        if request_id is not None:
            self._live[(method, number)] = request_id

    def live_id(self, recorded_id: Any) -> tuple[bool, Any, str | None]:
        """(found, live id, method) of the request a recorded answer is for; the pair is then done."""
        name = self._names.pop(id_key(recorded_id), None)
        if name is None:
            return False, None, None
        if name in self._live:
            return True, self._live.pop(name), name[0]
        return False, None, name[0]

    def forgive(self) -> None:
        """What is asked now gets no answer, and owes none."""
        self._live.clear()

    def unanswered(self) -> list[str]:
        """Methods of live requests that nothing recorded answered."""
        return [method for method, _ in self._live]

    def unmatched(self) -> tuple[Counter[str], Counter[str]]:
        """(recorded but never made live, live but never recorded), by method."""
        recorded, emitted = Counter(self._recorded), Counter(self._emitted)
        return recorded - emitted, emitted - recorded


class Answers:
    """The answers to the agent's requests: recorded ones against live ones, by id."""

    def __init__(self) -> None:
        self._open: Counter[IdKey] = Counter()
        self._forgiven: set[IdKey] = set()

    def add(self, request_id: Any, weight: int) -> None:
        """A live answer (+1) or a recorded one (-1)."""
        key = id_key(request_id)
        self._open[key] += weight
        if self._open[key] == 0:
            del self._open[key]

    def forgive(self, request_id: Any) -> None:
        """The agent took its request back (None: it did not): nobody owes an answer any more.

        One that the recording has given by then is owed still: it came before the taking back.
        """
        if request_id is not None and self._open.get(id_key(request_id), 0) >= 0:
            self._forgiven.add(id_key(request_id))

    def unmatched(self) -> tuple[list[Any], list[Any]]:
        """(ids only the recording answered, ids only the live bridge answered)."""
        owed = [(key[1], balance) for key, balance in self._open.items() if key not in self._forgiven]
        return [key for key, balance in owed if balance < 0], [key for key, balance in owed if balance > 0]
