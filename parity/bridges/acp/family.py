"""The family of agents that speak the Agent Client Protocol; a provider id says which agent it is."""

from __future__ import annotations

from parity.bridges.acp.bridge import AcpBridge
from parity.bridges.acp.client import CLIENT_METHODS, AcpClient
from parity.bridges.base import Message
from parity.bridges.family import Family


def _is_from_client(message: Message) -> bool | None:
    method = message.get("method")
    return method in CLIENT_METHODS if isinstance(method, str) else None


FAMILY = Family(lambda provider, command: AcpBridge(provider, command), AcpClient, _is_from_client)
"""The family's bridge and readers."""
