"""The family of `claude`, the command of Claude Code."""

from __future__ import annotations

from parity.bridges.claude_code.bridge import ClaudeCodeBridge
from parity.bridges.claude_code.client import ClaudeCodeClient, agent_info, is_from_client
from parity.bridges.family import Family

FAMILY = Family(lambda provider, command: ClaudeCodeBridge(), ClaudeCodeClient, is_from_client, agent_info)
"""The family's bridge and readers."""
