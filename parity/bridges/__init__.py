"""The bridges, and which one serves a provider.

A built-in family comes first, then what another distribution registers (see `registered`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, ClassVar, NoReturn

from msgspec import structs

from parity.bridges.base import Bridge, Client, HostCall, Message, Output, ToProvider, ToRuntime
from parity.bridges.family import Family
from parity.bridges.registered import made_by, registered
from parity.wire import InputError


class _Families(Mapping[str, Family]):
    """Family by name, each loaded when it is asked for: most runs need one of them."""

    _packages: ClassVar = {"acp": "acp", "claude-code": "claude_code", "codex": "codex"}

    def __getitem__(self, name: str) -> Family:
        family: Family = import_module(f"{__name__}.{self._packages[name]}.family").FAMILY
        return family

    def __iter__(self) -> Iterator[str]:
        return iter(self._packages)

    def __len__(self) -> int:
        return len(self._packages)

    def __contains__(self, name: object) -> bool:
        return name in self._packages


FAMILIES: Mapping[str, Family] = _Families()
"""Provider family by name; a provider `family-profile` belongs to the family before its first dash."""


def family_of(provider: str) -> Family | None:
    """The family of a provider id: its own name (`codex`), or the one it begins with (`acp-grok`).

    A built-in family comes before one that an entry point registers (see `registered`). None where no family
    serves it; raises InputError for an entry point that is broken.
    """
    for name in FAMILIES:
        if provider == name or provider.startswith(f"{name}-"):
            return FAMILIES[name]
    return _registered_family(provider)


def _registered_family(provider: str) -> Family | None:
    found = registered(provider)
    if found is None:
        return None
    point, registered_object = found
    if isinstance(registered_object, Family):
        if any(built_in is registered_object for built_in in FAMILIES.values()):
            return registered_object
        return structs.replace(registered_object, bridge=made_by(point, registered_object.bridge))

    def no_client(bridge: Any, messages: list[tuple[bool, Message]]) -> NoReturn:
        what = f"the bridge {point.value} reads no logs of foreign clients"
        raise InputError(provider, None, what, "register a Family that has a client")

    return Family(made_by(point, registered_object), no_client, lambda message: None)


def bridge_for(provider: str, command: list[str] | None = None) -> Bridge:
    """A new bridge for the provider; KeyError when no family serves it."""
    family = family_of(provider)
    if family is None:
        raise KeyError(provider)
    return family.bridge(provider, command)


__all__ = [
    "FAMILIES",
    "Bridge",
    "Client",
    "Family",
    "HostCall",
    "Message",
    "Output",
    "ToProvider",
    "ToRuntime",
    "bridge_for",
    "family_of",
]
