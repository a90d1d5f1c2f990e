"""The scripted rules: a bridge between a played runtime and a played agent, one short scene a rule."""

from __future__ import annotations

from parity.conformance.scripted import approvals, content, rpc, threads, turns

SCRIPTED = tuple(rule for topic in (rpc, threads, turns, approvals, content) for rule in topic.BOOK.rules)
"""Every scripted rule, in order."""
