"""What a bridge family is: its bridge, and what reads the logs of its foreign clients.

Knows no family: each says in a `family` module of its own what it is, and another distribution may too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from parity.bridges.base import Bridge, Client, Message


def _agent_info(initialized: Message) -> tuple[str | None, str | None]:
    info = initialized.get("agentInfo") or initialized.get("info")
    told = [info.get(name) if isinstance(info, dict) else None for name in ("name", "version")]
    name, version = (word if isinstance(word, str) else None for word in told)
    return name, version


class Family(Struct, frozen=True):
    """A bridge family: its bridge, the reader of its foreign clients, and what tells a client's messages."""

    bridge: Callable[[str, list[str] | None], Bridge]
    client: Callable[[Any, list[tuple[bool, Message]]], Client]
    is_from_client: Callable[[Message], bool | None]
    """Whose message a bare one is, where its form alone tells; None otherwise."""
    agent_info: Callable[[Message], tuple[str | None, str | None]] = _agent_info
    """The agent's (name, version), of its answer to `initialize`."""
