"""The scripted agents, one a family."""

from __future__ import annotations

from parity.conformance.agents.acp import AcpAgent
from parity.conformance.agents.base import REFUSAL, ScriptedAgent
from parity.conformance.agents.claude_code import ClaudeCodeAgent
from parity.conformance.agents.codex import CodexAgent

AGENTS: dict[str, type[ScriptedAgent]] = {
    "acp": AcpAgent,
    "claude-code": ClaudeCodeAgent,
    "codex": CodexAgent,
}
"""Family → its agent."""


def agent_of(provider: str) -> str:
    """The family whose agent plays a provider's: the one its id begins with, else `acp`."""
    return next((name for name in AGENTS if provider == name or provider.startswith(f"{name}-")), "acp")


__all__ = ["AGENTS", "REFUSAL", "ScriptedAgent", "agent_of"]
