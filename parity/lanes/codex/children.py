"""Sub-agents: each is a codex thread of its own on the same connection, nested under one delegation row.

A delegation is open while its sub-agent has a turn, and may outlive the turn that began it. Which call began
a sub-agent is told by `subAgentActivity` (its agentThreadId), by `collabAgentToolCall` (its receivers, known
only when it completes: until then the newest spawning call without one is taken), or by `thread/started`
(the parent alone: the delegation is then named after the thread). A settled delegation whose sub-agent works
again is reopened; its row stays one (S38). Of sub-agents that are over, the newest stay known.
"""

from __future__ import annotations

from typing import Any

from parity.grammar import deltas as d
from parity.grammar import items
from parity.grammar.items import Item
from parity.grammar.newest import Newest
from parity.lanes.codex.shapes import Raw, text_of
from parity.lanes.codex.strand import Strand, Work
from parity.lanes.policy import REMEMBERED_CALLS

_OVER = {"completed": "completed", "errored": "failed", "interrupted": "interrupted", "shutdown": "completed"}
"""Statuses of an agent that works no more, and what its delegation settles as."""


class Children:
    """The sub-agents under one runtime thread, the main strand among the strands."""

    def __init__(self, main: Strand) -> None:
        self._main = main
        self.strands: dict[str, Strand] = {}
        self._resting: Newest[str] = Newest(REMEMBERED_CALLS)
        self._spawning: dict[str | None, tuple[Strand, Work]] = {}

    def announced(self, thread: dict[str, Any]) -> bool:
        """`thread/started`: whether the thread is a sub-agent of a strand known here."""
        thread_id, parent_id = text_of(thread, "id"), _parent_of(thread)
        parent = self.strands.get(parent_id or "")
        if thread_id is None or parent is None:
            return False
        if thread_id not in self.strands:
            label = text_of(thread, "agentNickname") or text_of(thread, "preview") or None
            self._join(thread_id, parent, label)
        return True

    def _join(self, thread_id: str, parent: Strand, label: str | None) -> Strand:
        strand = self.strands[thread_id] = Strand(thread_id, parent, label)
        self._rest(thread_id)
        return strand

    def _rest(self, thread_id: str) -> None:
        """A sub-agent has no turn; of those whose work is over only the newest stay known."""
        forgotten = self._resting.add(thread_id)
        strand = self.strands.get(forgotten) if forgotten is not None else None
        if strand is None or strand.turn is not None:
            return
        if strand.delegation is None or strand.delegation.settled:
            del self.strands[strand.thread_id]

    def adopt(self, thread_id: str) -> bool:
        """A thread nobody named works: it is the newest spawning call's, if one has no sub-agent yet."""
        for name, (parent, work) in reversed(self._spawning.items()):
            strand = self._join(thread_id, parent, text_of(work.raw, "prompt"))
            strand.delegation = work
            del self._spawning[name]
            return True
        return False

    # -- what the parent's items say -----------------------------------------------------------------

    def spawns(self, parent: Strand, raw: Raw) -> bool:
        """Whether a `collabAgentToolCall` starts a sub-agent; its first frame decides."""
        if _name(parent, raw) in self._spawning or self._bound(parent, raw["id"]):
            return True
        known = parent.works.get(raw["id"])
        if known is not None:
            return known.item is not None and known.item["type"] == "delegation"
        return raw.get("tool") == "spawnAgent"

    def _bound(self, parent: Strand, item_id: str) -> bool:
        """Whether the item has its sub-agent already."""
        key = parent.key(item_id)
        return any(s.delegation is not None and s.delegation.key == key for s in self.strands.values())

    def spawn(self, parent: Strand, raw: Raw, *, over: bool) -> list[d.Delta]:
        """A `collabAgentToolCall` that spawns: its row is the delegation."""
        receivers = raw.get("receiverThreadIds")
        child_id = receivers[0] if isinstance(receivers, list) and receivers else None
        if self._bound(parent, raw["id"]) or raw["id"] in parent.works:
            return []
        if isinstance(child_id, str):
            _, work = self._spawning.pop(_name(parent, raw), (parent, None))
            return self._named(parent, child_id, raw, text_of(raw, "prompt"), work)
        out: list[d.Delta] = []
        _, work = self._spawning.get(_name(parent, raw), (parent, None))
        if work is None:
            work = Work(parent.key(raw["id"]), raw)
            self._spawning[_name(parent, raw)] = (parent, work)
            out += _open(work, parent, raw["id"], text_of(raw, "prompt"))
        if over:
            del self._spawning[_name(parent, raw)]
            parent.works[raw["id"]] = work
            out += _close(work, "failed" if raw.get("status") == "failed" else "completed", None)
        return out

    def activity(self, parent: Strand, raw: Raw) -> list[d.Delta] | None:
        """A `subAgentActivity`; None where it tells of a sub-agent nobody began."""
        child_id, kind = text_of(raw, "agentThreadId"), text_of(raw, "kind")
        if child_id is None:
            return None
        child = self.strands.get(child_id)
        if kind in _OVER:
            if child is None or child.delegation is None:
                return None
            return self._over(child, _OVER[kind], None)
        if child is not None and child.delegation is not None:
            return []
        if not self._can_open(parent):
            return None
        path = text_of(raw, "agentPath")
        label = path.rstrip("/").rsplit("/", 1)[-1] if path else None
        return self._named(parent, child_id, raw, label, None)

    def states(self, states: Any) -> list[d.Delta]:
        """`agentsStates` of a call: how sub-agents whose stream says nothing are doing."""
        out: list[d.Delta] = []
        for thread_id, state in states.items() if isinstance(states, dict) else ():
            child = self.strands.get(thread_id)
            status = _OVER.get(text_of(state, "status") or "")
            if child is not None and status is not None:
                out += self._over(child, status, text_of(state, "message"))
        return out

    def _named(
        self, parent: Strand, child_id: str, raw: Raw, label: str | None, work: Work | None
    ) -> list[d.Delta]:
        child = self.strands.get(child_id)
        if child is None:
            child = self._join(child_id, parent, label)
        child.label = label or child.label
        if child.delegation is not None:
            return []
        child.delegation = work or Work(parent.key(raw["id"]), raw)
        return _open(child.delegation, parent, child_id, child.label)

    # -- what the sub-agent itself does --------------------------------------------------------------

    def working(self, child: Strand) -> tuple[bool, list[d.Delta]]:
        """A sub-agent works: (whether its work has a place, the deltas that make one)."""
        work = child.delegation
        parent = child.parent
        if parent is not None and work is not None and not work.settled:
            named = work.item is not None and work.item["childRef"] == child.thread_id
            return True, [] if named else _open(work, parent, child.thread_id, child.label)
        if parent is None or not self._can_open(parent):
            return False, []
        if work is None:
            raw: Raw = {"type": "thread", "id": child.thread_id}
            work = child.delegation = Work(parent.key(child.thread_id), raw)
            return True, _open(work, parent, child.thread_id, child.label)
        work.settled = False
        return True, _open(work, parent, child.thread_id, child.label, reopen=True)

    def ended(self, child: Strand, status: str, error: str | None) -> list[d.Delta]:
        """The sub-agent's turn ended; its own works are settled already."""
        child.end_turn()
        self._rest(child.thread_id)
        if child.delegation is None or child.delegation.settled:
            return []
        return _close(child.delegation, status, error if status == "failed" else None)

    def turn_ended(self, strand: Strand) -> list[d.Delta]:
        """A turn ended: calls of it that were to start a sub-agent and never said which started none."""
        out: list[d.Delta] = []
        for name, (parent, work) in list(self._spawning.items()):
            if parent is strand:
                del self._spawning[name]
                out += _close(work, "interrupted", None)
        return out

    def _over(self, child: Strand, status: str, message: str | None) -> list[d.Delta]:
        """Somebody else says the sub-agent is done: its own stream decides while it has a turn."""
        work = child.delegation
        if child.turn is not None or work is None or work.settled or child.parent is None:
            return []
        out: list[d.Delta] = []
        if message and status == "completed":
            out += _open(work, child.parent, child.thread_id, child.label, summary=message)
        return out + _close(work, status, message if status == "failed" else None)

    def _can_open(self, parent: Strand) -> bool:
        """An item has a place in the open turn, or under a delegation that is open still."""
        if self._main.turn is not None:
            return True
        return parent.delegation is not None and not parent.delegation.settled


def _name(parent: Strand, raw: Raw) -> str | None:
    return parent.key(raw["id"]).provider_item_id


def _open(
    work: Work,
    parent: Strand,
    child_ref: str,
    label: str | None,
    *,
    summary: str | None = None,
    reopen: bool = False,
) -> list[d.Delta]:
    item: Item = items.delegation(child_ref, label=label, background=True, summary=summary)
    if parent.nest is not None:
        item["providerItemId"] = work.raw["id"]
    work.item = item
    return [d.ItemOpen(work.key, item, reopen=reopen)]


def _close(work: Work, status: str, text: str | None) -> list[d.Delta]:
    work.settled = True
    return [d.ItemClose(work.key, status, result_text=text)]


def _parent_of(thread: dict[str, Any]) -> str | None:
    parent = text_of(thread, "parentThreadId")
    source = thread.get("source")
    agent = source.get("subAgent") if isinstance(source, dict) else None
    spawn = agent.get("thread_spawn") if isinstance(agent, dict) else None
    return parent or text_of(spawn, "parent_thread_id")
