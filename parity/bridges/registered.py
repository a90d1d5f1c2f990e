"""Bridges of other distributions: the entry point group `parity.bridges`.

The name of an entry point is a provider id, or a family's name that provider ids begin with; the object is a
`Family`, or a factory that takes (provider, launch command or None) and returns a `Bridge`. Nothing is
loaded until a provider is asked for that no built-in family serves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn, cast

from parity.bridges.base import Bridge, HostCall, Output, ToProvider, ToRuntime
from parity.grammar import deltas as d
from parity.wire import InputError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "parity.bridges"

_SPEAKS = ("runtime", "provider", "host_result", "host_error")
_MEMBERS = (*_SPEAKS, "noise", "envelope")
_DELTAS = {delta for delta in d.Delta.__subclasses__() if delta.__module__ == d.__name__}
_SHOWN = 120


class NotUnderstood(TypeError):
    """A bridge of another distribution said something that is none of what a bridge says."""


@cache
def registered(provider: str) -> tuple[EntryPoint, Any] | None:
    """The entry point that serves a provider, and its object; None where there is none.

    One of the provider's own name comes before one of its family, a longer family before a shorter one.
    Raises InputError for one that does not load.
    """
    from importlib.metadata import entry_points  # slow to load, and most runs need none

    found = [point for point in entry_points(group=GROUP) if _serves(point.name, provider)]
    if not found:
        return None
    point = max(found, key=lambda point: len(point.name))
    try:
        return point, point.load()
    except Exception as error:
        _broken(point, f"does not load ({type(error).__name__}: {error})")


def made_by(point: EntryPoint, factory: Any) -> Callable[[str, list[str] | None], Bridge]:
    """The factory of a foreign bridge, checked. Raises InputError where it is none or makes none."""
    if not callable(factory):
        _broken(point, f"is a {type(factory).__name__}, neither a Family nor a factory")

    def make(provider: str, command: list[str] | None) -> Bridge:
        try:
            bridge: Bridge = factory(provider, command)
        except Exception as error:
            _broken(point, f"does not make a bridge ({type(error).__name__}: {error})")
        missing = [name for name in _MEMBERS if not hasattr(bridge, name)]
        if missing:
            _broken(point, f"makes a {type(bridge).__name__}, which has no {missing[0]!r}")
        return cast(Bridge, _Checked(f"{_named(point)} {point.name} = {point.value}", bridge))

    return make


class _Checked:
    """A foreign bridge that is listened to: what is no output, or no delta, is refused and not lost."""

    def __init__(self, name: str, bridge: Bridge) -> None:
        self._name = name
        self._bridge = bridge

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._bridge, name)
        if name not in _SPEAKS and name != "agent_gone":
            return member
        return lambda *said: self._look(member(*said))

    def _look(self, outputs: Any) -> list[Output]:
        """What the bridge says. Raises NotUnderstood."""
        if not isinstance(outputs, Iterable):
            self._refuse(outputs, "is no list of ToRuntime, ToProvider and HostCall")
        said = list(outputs)
        for output in said:
            if not isinstance(output, ToRuntime | ToProvider | HostCall):
                self._refuse(output, "is no ToRuntime, ToProvider or HostCall")
            if isinstance(output, HostCall):
                continue
            message = output.message
            if not isinstance(message, dict):
                self._refuse(message, "is no message: a message is a dict")
            if isinstance(output, ToRuntime) and message.get("method") == "thread/delta":
                self._look_at_deltas(message)
        return said

    def _look_at_deltas(self, message: dict[str, Any]) -> None:
        params = message.get("params")
        deltas = params.get("deltas") if isinstance(params, dict) else None
        if not isinstance(deltas, list | tuple):
            self._refuse(message, "has no list of deltas")
        for delta in deltas:
            if type(delta) not in _DELTAS:
                self._refuse(delta, "is no delta: a delta is an object of parity.grammar.deltas")

    def _refuse(self, said: Any, why: str) -> NoReturn:
        shown = " ".join(repr(said).split())
        shown = shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "…"
        raise NotUnderstood(f"the bridge of {self._name} emitted {shown}, which {why}")


def _serves(name: str, provider: str) -> bool:
    return provider == name or provider.startswith(f"{name}-")


def _named(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else "an unnamed distribution"


def _broken(point: EntryPoint, what: str) -> NoReturn:
    where = f"{point.name} = {point.value}"
    raise InputError(
        _named(point), None, f"its entry point {GROUP}: {where} {what}", "mend or uninstall the distribution"
    ) from None
