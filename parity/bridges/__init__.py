"""The bridges, and which one serves a provider.

A built-in family comes first, then what another distribution registers (see `registered`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from msgspec import Struct

from parity.bridges.acp.bridge import AcpBridge
from parity.bridges.acp.client import CLIENT_METHODS, AcpClient
from parity.bridges.base import Bridge, Client, HostCall, Message, Output, ToProvider, ToRuntime
from parity.bridges.claude_code import client as claude_code
from parity.bridges.claude_code.bridge import ClaudeCodeBridge
from parity.bridges.codex import client as codex
from parity.bridges.codex.bridge import CodexBridge
from parity.bridges.registered import made_by, registered
from parity.wire import InputError


def _agent_info(initialized: Message) -> tuple[str | None, str | None]:
    info = initialized.get("agentInfo")
    info = info if isinstance(info, dict) else {}
    return info.get("name"), info.get("version")


class Family(Struct, frozen=True):
    """A bridge family: its bridge, the reader of its foreign clients, and what tells a client's messages."""

    bridge: Callable[[str, list[str] | None], Bridge]
    client: Callable[[Any, list[tuple[bool, Message]]], Client]
    is_from_client: Callable[[Message], bool | None]
    """Whose message a bare one is, where its form alone tells; None otherwise."""
    agent_info: Callable[[Message], tuple[str | None, str | None]] = _agent_info
    """The agent's (name, version), of its answer to `initialize`."""


def _acp_side(message: Message) -> bool | None:
    method = message.get("method")
    return method in CLIENT_METHODS if isinstance(method, str) else None


FAMILIES: dict[str, Family] = {
    "acp": Family(lambda provider, command: AcpBridge(provider, command), AcpClient, _acp_side),
    "claude-code": Family(
        lambda provider, command: ClaudeCodeBridge(),
        claude_code.ClaudeCodeClient,
        claude_code.is_from_client,
        claude_code.agent_info,
    ),
    "codex": Family(
        lambda provider, command: CodexBridge(), codex.CodexClient, codex.is_from_client, codex.agent_info
    ),
}
"""Provider family by name; a provider `family-profile` belongs to the family before its first dash."""


def family_of(provider: str) -> Family | None:
    """The family of a provider id: its own name (`codex`), or the one it begins with (`acp-grok`).

    A built-in family comes before one that an entry point registers (see `registered`). None where no family
    serves it; raises InputError for an entry point that is broken.
    """
    built_in = FAMILIES.get(provider) or next(
        (family for name, family in FAMILIES.items() if provider.startswith(f"{name}-")), None
    )
    return built_in or _registered_family(provider)


def _registered_family(provider: str) -> Family | None:
    found = registered(provider)
    if found is None:
        return None
    point, registered_object = found
    if isinstance(registered_object, Family):
        return registered_object

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
