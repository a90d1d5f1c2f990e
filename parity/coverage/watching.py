"""Watching: which names the agent uses in a cell, and which of its messages have an effect, while it replays.

A watched bridge is a bridge around the real one, so a replay that is made anyway (of `parity check`) can be
watched. Only cells that a built-in family serves count: an external bridge reads the wire by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from parity.bridges import FAMILIES, Bridge, Message, Output, family_of
from parity.coverage.effects import effects
from parity.coverage.model import Key
from parity.coverage.names import NAMES, WHOLE, version_said
from parity.gates.check import Play, bridge_maker
from parity.replay.replay import Outcome, Sink, replay
from parity.wire import Cell


class Seen:
    """What all watched cells used so far."""

    def __init__(self) -> None:
        self.cells: dict[Key, set[str]] = {}
        """Name → the cells it occurs in."""
        self.becomes: dict[Key, set[str]] = {}
        """Name of a whole message → the effects it had."""

    def note(self, key: Key, cell: str, labels: Sequence[str]) -> None:
        """The cell has a message with this name."""
        self.cells.setdefault(key, set()).add(cell)
        if labels and key.category in WHOLE:
            self.becomes.setdefault(key, set()).update(labels)


def builtin_family(provider: str) -> str | None:
    """The name of the built-in family that serves a provider."""
    family = family_of(provider)
    return next((name for name, one in FAMILIES.items() if one is family), None)


def watched(cell: Cell, seen: Seen) -> Play | None:
    """Plays the cell as always, and notes in `seen` what its agent says.

    None where no built-in family serves it. Raises InputError as `bridge_maker`.
    """
    family = builtin_family(cell.provider)
    if family is None:
        return None
    new_bridge = bridge_maker(cell)

    def play(cell: Cell, sink: Sink) -> Outcome:
        return replay(cell, lambda: _Watched(new_bridge(), family, cell.key, seen), sink)

    return play


class _Watched:
    """The bridge, with an ear at the agent's side."""

    def __init__(self, bridge: Bridge, family: str, cell: str, seen: Seen) -> None:
        self._bridge = bridge
        self._names: Callable[[Message], Any] = NAMES[family]
        self._protocol = "acp-v1" if family == "acp" else family
        self._cell = cell
        self._seen = seen
        self.envelope = bridge.envelope
        self.runtime = bridge.runtime
        self.host_error = bridge.host_error
        self.host_result = bridge.host_result

    def __getattr__(self, name: str) -> Any:
        return getattr(self._bridge, name)

    @property
    def noise(self) -> int:
        return self._bridge.noise

    @noise.setter
    def noise(self, value: int) -> None:
        self._bridge.noise = value

    def provider(self, message: Any) -> Sequence[Output]:
        outputs = self._bridge.provider(message)
        if isinstance(message, dict):
            if self._protocol == "acp-v1" and version_said(message) == 2:
                self._protocol = "acp-v2"
            labels = None
            for category, name in self._names(message):
                if labels is None:
                    labels = effects(outputs)
                self._seen.note(Key(self._protocol, category, name), self._cell, labels)
        return outputs
