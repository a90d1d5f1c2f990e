"""What an agent did that no lane knows: counted while it is probed.

Unhandled traffic by its type, the vendor's own notifications that came to nothing, members of `_meta` that no
reader looked at, what the ordering rules dropped, lines that are not JSON. An ear at the agent's side of a
bridge, and one at its events; neither changes anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from msgspec import Struct, field

from parity.bridges import Bridge, Output
from parity.grammar import events as e

_META = "_meta"


class Findings(Struct):
    """Counts so far. Keys are words of the agent's: methods, `sessionUpdate` kinds, names of members."""

    unhandled: Counter[str] = field(default_factory=Counter)
    passed_over: Counter[str] = field(default_factory=Counter)
    """The vendor's own notifications, of the methods that never came to anything."""
    unread: Counter[str] = field(default_factory=Counter)
    """`kind _meta.member`, of the members that no reader asked for in any message."""
    drops: dict[str, int] = field(default_factory=dict)
    """Events the ordering rules dropped, by `rule:eventType`."""
    noise: int = 0

    def document(self) -> dict[str, Any]:
        """As plain JSON."""
        return {
            "unhandled": dict(self.unhandled),
            "passedOver": dict(self.passed_over),
            "unreadMeta": dict(self.unread),
            "drops": dict(self.drops),
            "noise": self.noise,
        }


class Ear:
    """The bridge, with an ear at the agent's side and at the events."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge
        self.envelope = bridge.envelope
        self.runtime = bridge.runtime
        self.host_result = bridge.host_result
        self.host_error = bridge.host_error
        self._unhandled: Counter[str] = Counter()
        self._passed_over: Counter[str] = Counter()
        self._spoke: set[str] = set()
        self._said: Counter[str] = Counter()
        self._read: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._bridge, name)

    @property
    def noise(self) -> int:
        """Messages nothing could be made of."""
        return self._bridge.noise

    @noise.setter
    def noise(self, value: int) -> None:
        self._bridge.noise = value

    def provider(self, message: Any) -> Sequence[Output]:
        """The agent says something."""
        if not isinstance(message, dict):
            return self._bridge.provider(message)
        how, method, _ = self.envelope.read(message)
        kind = _kind(message, method)
        for meta in _metas(message, kind, self._read):
            self._said.update(f"{kind} {_META}.{name}" for name in meta)
        outputs = self._bridge.provider(message)
        if outputs:
            self._spoke.add(kind)
        elif how == "notification" and kind.startswith("_"):
            self._passed_over[kind] += 1
        return outputs

    def event(self, event: e.Event) -> None:
        """The bridge's messages came to this event."""
        if type(event) is e.ProviderUnhandled:
            self._unhandled[event.raw_type] += 1

    def findings(self, drops: dict[str, int], lines: int) -> Findings:
        """All that was found; `lines` of the agent were not JSON."""
        return Findings(
            unhandled=self._unhandled,
            passed_over=Counter(
                {kind: n for kind, n in self._passed_over.items() if kind not in self._spoke}
            ),
            unread=Counter({name: n for name, n in self._said.items() if name not in self._read}),
            drops=drops,
            noise=self.noise + lines,
        )


def _kind(message: dict[str, Any], method: str | None) -> str:
    params = message.get("params")
    update = params.get("update") if isinstance(params, dict) else None
    kind = update.get("sessionUpdate") if isinstance(update, dict) else None
    return kind if isinstance(kind, str) else method or "an answer"


class _Noted(dict[str, Any]):
    """A `_meta` that notes which of its members are asked for."""

    def __init__(self, meta: dict[str, Any], kind: str, read: set[str]) -> None:
        super().__init__(meta)
        self._kind, self._read = kind, read

    def get(self, name: str, default: Any = None) -> Any:
        """As ever."""
        self._read.add(f"{self._kind} {_META}.{name}")
        return super().get(name, default)

    def __getitem__(self, name: str) -> Any:
        self._read.add(f"{self._kind} {_META}.{name}")
        return super().__getitem__(name)


def _metas(message: dict[str, Any], kind: str, read: set[str]) -> list[dict[str, Any]]:
    """Put a noting one in the place of every `_meta` in a message; those that stand there now."""
    found: list[dict[str, Any]] = []
    todo: list[Any] = [message]
    while todo:
        one = todo.pop()
        if isinstance(one, list):
            todo.extend(one)
        elif isinstance(one, dict):
            meta = one.get(_META)
            if isinstance(meta, dict):
                one[_META] = _Noted(meta, kind, read)
                found.append(one[_META])
            todo.extend(value for name, value in one.items() if name != _META)
    return found
