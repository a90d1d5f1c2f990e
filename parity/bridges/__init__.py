"""The bridges, and which one serves a provider."""

from __future__ import annotations

from collections.abc import Callable

from parity.bridges.acp.bridge import AcpBridge
from parity.bridges.base import Bridge, HostCall, Output, ToProvider, ToRuntime

FAMILIES: dict[str, Callable[[str, list[str] | None], Bridge]] = {
    "acp": lambda provider, command: AcpBridge(provider, command),
}
"""Provider family → its bridge; a provider `family-profile` belongs to the family before its first dash."""


def family_of(provider: str) -> str | None:
    """The bridge family of a provider id: its own name (`codex`) or the part before the dash (`acp`)."""
    if provider in FAMILIES:
        return provider
    head = provider.split("-", 1)[0]
    return head if head in FAMILIES else None


def bridge_for(provider: str, command: list[str] | None = None) -> Bridge:
    """A new bridge for the provider; KeyError when no family serves it."""
    family = family_of(provider)
    if family is None:
        raise KeyError(provider)
    return FAMILIES[family](provider, command)


__all__ = [
    "FAMILIES",
    "Bridge",
    "HostCall",
    "Output",
    "ToProvider",
    "ToRuntime",
    "bridge_for",
    "family_of",
]
