"""Agents: which real agents can be recorded, how each is installed, started and pointed at a model."""
