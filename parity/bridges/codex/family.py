"""The family of `codex app-server`."""

from __future__ import annotations

from parity.bridges.codex.bridge import CodexBridge
from parity.bridges.codex.client import CodexClient, agent_info, is_from_client
from parity.bridges.family import Family

FAMILY = Family(lambda provider, command: CodexBridge(), CodexClient, is_from_client, agent_info)
"""The family's bridge and readers."""
