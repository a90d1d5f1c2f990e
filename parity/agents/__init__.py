"""Agents: which real agents can be recorded, how each is installed, started and pointed at a model."""

from parity.agents.launch import Launch, launch
from parity.agents.spec import AGENTS_FILE, Agents, AgentSpec, load_agents

__all__ = ["AGENTS_FILE", "AgentSpec", "Agents", "Launch", "launch", "load_agents"]
