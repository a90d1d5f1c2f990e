"""Bridges of other distributions: the entry point group `parity.bridges`.

The name of an entry point is a provider id, or a family's name that provider ids begin with; the object is a
`Family`, or a factory that takes (provider, launch command or None) and returns a `Bridge`. Nothing is
loaded until a provider is asked for that no built-in family serves.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn

from parity.bridges.base import Bridge
from parity.wire import InputError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "parity.bridges"

_MEMBERS = ("runtime", "provider", "host_result", "host_error", "noise", "envelope")


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
        return bridge

    return make


def _serves(name: str, provider: str) -> bool:
    return provider == name or provider.startswith(f"{name}-")


def _broken(point: EntryPoint, what: str) -> NoReturn:
    distribution = point.dist.name if point.dist is not None else "an unnamed distribution"
    where = f"{point.name} = {point.value}"
    raise InputError(
        distribution, None, f"its entry point {GROUP}: {where} {what}", "mend or uninstall the distribution"
    ) from None
