"""Outcomes that every lane owes its user in the same words, whatever the protocol.

Constants only; what they answer stands with each.
"""

from __future__ import annotations

from parity.grammar import deltas as d

UNREPORTED = "the agent ended the turn without reporting a result"
"""Detail of a call that was still open when its turn ended (policy, S29)."""

PLAN_KEY = d.Key(channel="planSteps")
"""The one plan of a turn: each update replaces it (S50)."""

REMEMBERED_CALLS = 4096
"""Settled calls of an open turn that are still known by their ids, for late news of them and for ids that are
used again. Of older ones nothing is known: an update of one is an update of a call never opened (S25)."""
