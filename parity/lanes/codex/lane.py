"""The codex translator lane: notifications about one runtime thread in, deltas out.

Theory of operation
-------------------
The agent's turn notifications decide. A turn is *asked for* from the runtime's request until it begins, and
open from `turn/started` (or its first item) to `turn/completed`; a turn nobody asked for is the agent's own.
Who may change what: `requested`/`accepted`/`refused` the turn asked for, `interrupting` the open one,
`notification` everything else, `ask`/`answered` the approvals of items. Frames of a turn that has ended are
unhandled and revive nothing (S32). A sub-agent's turns are no turns of the thread: they open and settle its
delegation (S38).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from parity.grammar import deltas as d
from parity.lanes.codex import works
from parity.lanes.codex.approvals import Question
from parity.lanes.codex.children import Children
from parity.lanes.codex.known import IGNORED_NOTIFICATIONS
from parity.lanes.codex.notices import NOTICES, error_code, error_text
from parity.lanes.codex.pieces import PIECES
from parity.lanes.codex.shapes import SHAPED, Raw, text_of
from parity.lanes.codex.strand import Strand, Work

Params: TypeAlias = dict[str, Any]
Message: TypeAlias = dict[str, Any]


class CodexLane:
    """One runtime thread's translator: its codex thread and the sub-agents under it."""

    def __init__(self, cwd: str | None) -> None:
        self.main = Strand("", None)
        self.main.cwd = cwd
        self.children = Children(self.main)
        self.expected: str | None = None
        self._asked: d.InputAccepted | None = None
        self._echoes = 0
        self._interrupting = False
        self._goal: Any = None
        self._limits: Any = None

    # -- turns ---------------------------------------------------------------------------------------

    @property
    def turn_id(self) -> str | None:
        """The agent's id of the open turn, or of the one it has accepted and not begun."""
        return self.main.turn or self.expected

    @property
    def busy(self) -> bool:
        """Whether a turn is open or asked for."""
        return self.main.turn is not None or self._asked is not None

    def opened(self, thread_id: str, cwd: str | None, turns: Any) -> None:
        """The thread exists; turns it has already are history and make no rows (S43)."""
        self.main.thread_id = thread_id
        self.main.cwd = cwd or self.main.cwd
        self.children.strands[thread_id] = self.main
        for turn in turns if isinstance(turns, list) else []:
            turn_id = text_of(turn, "id")
            if turn_id is not None and turn.get("status") != "inProgress":
                self.main.ended.append(turn_id)

    def requested(self, accepted: d.InputAccepted) -> None:
        """The runtime's turn is on its way to the agent."""
        self._asked = accepted

    def accepted(self, turn_id: str | None) -> None:
        """The agent answered the request with the turn's id; `turn/started` may have come before."""
        if turn_id is not None and turn_id != self.main.turn and turn_id not in self.main.ended:
            self.expected = turn_id

    def refused(self) -> None:
        """The agent refused the turn: there is none."""
        self._asked = self.expected = None

    def steered(self, accepted: d.InputAccepted) -> list[d.Delta]:
        """More input reached the open turn."""
        self._echoes += 1
        return [accepted]

    def interrupting(self, wanted: bool) -> None:
        """A stop of the open turn is on its way (or was refused): it ends interrupted (S34)."""
        self._interrupting = wanted

    def _begin(self, turn_id: str) -> list[d.Delta]:
        out: list[d.Delta] = []
        if self.main.turn is not None:
            out += self._end("interrupted", None)
        self.main.turn = turn_id
        self.main.meter.begin_turn()
        asked = self._asked if self.expected in (None, turn_id) else None
        if asked is None:
            return [*out, d.TurnOpen("agent")]
        self._asked = self.expected = None
        self._echoes = 1
        return [*out, d.TurnOpen(), asked]

    def _end(self, status: str, error: str | None) -> list[d.Delta]:
        main = self.main
        out = works.settle_all(main, status) + self.children.turn_ended(main)
        out.append(d.TurnBoundary(status, error))
        main.end_turn()
        self._echoes = 0
        self._interrupting = False
        return out

    def lost(self) -> list[d.Delta]:
        """The agent is gone: what is open settles as in a turn that failed."""
        return [
            delta for strand in self.children.strands.values() for delta in works.settle_all(strand, "failed")
        ]

    # -- notifications -------------------------------------------------------------------------------

    def owns(self, thread_id: str) -> bool:
        """Whether a codex thread is this runtime thread's, or a sub-agent's under it."""
        return thread_id in self.children.strands

    def notification(self, method: str, params: Params, message: Message) -> list[d.Delta]:
        """The deltas of one notification; what no table knows is kept as unhandled (S45)."""
        if method in IGNORED_NOTIFICATIONS:
            return []
        notice = NOTICES.get(method)
        if notice is not None:
            return notice(params)
        handler = _HANDLERS.get(method)
        if handler is None:
            return self.unhandled(message, method, params)
        strand = self.children.strands.get(text_of(params, "threadId") or "", self.main)
        return handler(self, strand, params, message)

    def speaks(self, method: str) -> bool:
        """Whether a notification may say something a row could show."""
        return method not in IGNORED_NOTIFICATIONS

    def unhandled(self, message: Message, raw_type: str, params: Params) -> list[d.Delta]:
        """Traffic this lane has no place for."""
        turn_id = text_of(params, "turnId")
        return [d.Unhandled(message, raw_type, turn_id is not None and turn_id == self.main.turn)]

    def _homed(self, strand: Strand, params: Params, message: Message) -> tuple[bool, list[d.Delta]]:
        """(whether the frame's work has a turn to belong to, the deltas that come before its own)."""
        turn_id = text_of(params, "turnId") or strand.turn
        if turn_id is not None and turn_id not in strand.ended:
            if strand is not self.main:
                homed, out = self.children.working(strand)
                if homed:
                    strand.turn = turn_id
                    return True, out
            elif turn_id == strand.turn:
                return True, []
            elif strand.turn is None:
                return True, self._begin(turn_id)
        return False, self.unhandled(message, _raw_type(params, message), {})

    def _turn_started(self, strand: Strand, params: Params, message: Message) -> list[d.Delta]:
        turn_id = text_of(params.get("turn"), "id")
        if turn_id is None or turn_id in strand.ended:
            return self.unhandled(message, message["method"], params)
        if strand is not self.main:
            return self._homed(strand, {**params, "turnId": turn_id}, message)[1]
        return [] if turn_id == strand.turn else self._begin(turn_id)

    def _turn_completed(self, strand: Strand, params: Params, message: Message) -> list[d.Delta]:
        turn = params.get("turn")
        turn_id = text_of(turn, "id") or strand.turn
        if turn_id is None or turn_id in strand.ended:
            return self.unhandled(message, message["method"], params)
        out: list[d.Delta] = []
        if strand.turn is None and strand is self.main:
            out += self._begin(turn_id)
        if turn_id != strand.turn:
            return self.unhandled(message, message["method"], params)
        status, error = _outcome(turn, strand.error)
        if strand is not self.main:
            out += works.settle_all(strand, status) + self.children.turn_ended(strand)
            return out + self.children.ended(strand, status, error)
        if self._interrupting and status == "completed":
            status = "interrupted"
        return out + self._end(status, error)

    def _error(self, strand: Strand, params: Params, message: Message) -> list[d.Delta]:
        """A retried error is a warning; any other fails its turn, which `turn/completed` then ends (S37)."""
        error = params.get("error")
        text = error_text(error)
        if params.get("willRetry") is True:
            return [d.ProviderWarning(text)]
        turn_id = text_of(params, "turnId")
        if turn_id is not None and turn_id == strand.turn:
            strand.error = text
        if strand is not self.main:
            return []
        return [d.ProviderError(text, code=error_code(error))]

    # -- items ---------------------------------------------------------------------------------------

    def _item(self, strand: Strand, params: Params, message: Message) -> list[d.Delta]:
        raw, over = params.get("item"), message["method"] == "item/completed"
        if not isinstance(raw, dict) or not isinstance(raw.get("id"), str):
            return self.unhandled(message, message["method"], params)
        kind = text_of(raw, "type")
        if kind == "subAgentActivity":
            return self._activity(strand, raw, params, message)
        homed, out = self._homed(strand, params, message)
        if not homed:
            return out
        if kind in ("userMessage", "hookPrompt"):
            return out + (self._input(strand, raw) if over else [])
        if kind not in SHAPED and kind not in works.TEXT_ITEMS:
            return [*out, d.Unhandled(message, _raw_type(params, message), vouched_turn=True)]
        if kind == "collabAgentToolCall":
            if self.children.spawns(strand, raw):
                out += self.children.spawn(strand, raw, over=over)
                return out + self.children.states(raw.get("agentsStates"))
            out += self.children.states(raw.get("agentsStates"))
        if kind == "contextCompaction":
            strand.compacted = True
        return out + (works.completed(strand, raw) if over else works.started(strand, raw))

    def _activity(self, strand: Strand, raw: Raw, params: Params, message: Message) -> list[d.Delta]:
        told = self.children.activity(strand, raw)
        if told is None:
            return self.unhandled(message, _raw_type(params, message), params)
        return told

    def _input(self, strand: Strand, raw: Raw) -> list[d.Delta]:
        """An echo of the runtime's input is dropped (S44); a sub-agent's prompt stands on its delegation."""
        if strand is not self.main:
            return []
        if raw["type"] == "userMessage" and self._echoes > 0:
            self._echoes -= 1
            return []
        blocks = raw.get("content") if raw["type"] == "userMessage" else raw.get("fragments")
        texts = [text_of(block, "text") for block in (blocks if isinstance(blocks, list) else [])]
        said = "\n".join(text for text in texts if text)
        return [d.InputProvider(said)] if said else []

    def _piece(self, strand: Strand, params: Params, message: Message) -> list[d.Delta]:
        """Something is added to an item."""
        method = message["method"]
        kind, apply = PIECES[method]
        item_id = text_of(params, "itemId")
        if item_id is None:
            return self.unhandled(message, method, params)
        homed, out = self._homed(strand, params, message)
        if not homed:
            return out
        work, opening = works.known(strand, item_id, kind, method)
        if work.item is None and kind not in works.TEXT_ITEMS:  # known as a text: there is no row to add to
            return [*out, d.Unhandled(message, method, vouched_turn=True)]
        return out + opening + apply(strand, work, params, (message, method))

    def _reviewed(self, strand: Strand, params: Params, message: Message) -> list[d.Delta]:
        """An automatic reviewer decided about an item; why it refused one is the item's detail."""
        review = params.get("review")
        status, why = text_of(review, "status"), text_of(review, "rationale")
        if status in ("approved", "inProgress", None):
            return []
        said = f"the automatic review ended {status}" + (f": {why}" if why else "")
        work = strand.works.get(text_of(params, "targetItemId") or "")
        if work is not None and not work.settled:
            return works.explained(strand, work, said)
        return [d.ProviderWarning(said)]

    # -- approvals -----------------------------------------------------------------------------------

    def ask(
        self, params: Params, question: Question, message: Message
    ) -> tuple[bool, Work | None, list[d.Delta]]:
        """The agent asks a person: (whether a turn is open for it, the item it is about, deltas).

        What the request says of an item that was not opened before opens it; its `reason` becomes the detail.
        """
        strand = self.children.strands.get(text_of(params, "threadId") or "", self.main)
        homed, out = self._homed(strand, params, message)
        if not homed or question.item_id is None:
            return homed, None, out
        work = strand.works.get(question.item_id)
        if work is None and question.item_type:
            raw = {"type": question.item_type, "id": question.item_id, **question.raw}
            out += works.started(strand, raw)
            work = strand.works[question.item_id]
        if work is not None and work.settled:
            return False, None, [*out, *self.unhandled(message, message["method"], params)]
        reason = text_of(params, "reason")
        if work is not None and reason:
            out += works.explained(strand, work, reason)
        return True, work, out

    # -- facts ---------------------------------------------------------------------------------------

    def _usage(self, strand: Strand, params: Params, message: Message) -> list[d.Delta]:
        """Usage of the thread (S49); a sub-agent's is not the thread's and has no place."""
        usage = params.get("tokenUsage")
        usage = usage if isinstance(usage, dict) else {}
        total, last = usage.get("total"), usage.get("last")
        if strand is not self.main or not isinstance(total, dict) or not isinstance(last, dict):
            return []
        size, used = usage.get("modelContextWindow"), last.get("totalTokens")
        grown = strand.meter.update(total, last)
        turn = grown if strand.turn is not None else None
        return [
            d.Usage(last=last, total=total, turn=turn),
            d.ContextWindow(used if type(used) is int else None, size if type(size) is int else None),
        ]

    def _diff(self, strand: Strand, params: Params, message: Message) -> list[d.Delta]:
        diff = text_of(params, "diff")
        if strand is not self.main or diff is None:
            return []
        homed, out = self._homed(strand, params, message)
        if not homed or diff == strand.diff:
            return out
        strand.diff = diff
        return [*out, d.TurnDiff(diff)]

    def _plan(self, strand: Strand, params: Params, message: Message) -> list[d.Delta]:
        homed, out = self._homed(strand, params, message)
        if not homed:
            return out
        return out + works.plan_steps(strand, params.get("plan"), params.get("explanation"))

    def _compacted(self, strand: Strand, params: Params, message: Message) -> list[d.Delta]:
        """The old word for a compaction; the item of the same turn has said it already."""
        if strand is not self.main or strand.compacted:
            return []
        return [d.ContextCompacted()]

    def _name(self, strand: Strand, params: Params, message: Message) -> list[d.Delta]:
        name = text_of(params, "threadName")
        return [d.ThreadName(name)] if name and strand is self.main else []

    def _thread_goal(self, strand: Strand, params: Params, message: Message) -> list[d.Delta]:
        goal = params.get("goal")
        if strand is not self.main or goal == self._goal:
            return []
        self._goal = goal
        return [d.ExtensionState("codex.goal", goal)]

    def _rate_limits(self, strand: Strand, params: Params, message: Message) -> list[d.Delta]:
        limits = params.get("rateLimits")
        if limits == self._limits:
            return []
        self._limits = limits
        return [d.ProviderRateLimits(limits)]

    def _closed(self, strand: Strand, params: Params, message: Message) -> list[d.Delta]:
        """The agent unloaded a thread: nothing of it stays open."""
        if strand is not self.main:
            out = works.settle_all(strand, "interrupted") + self.children.turn_ended(strand)
            return out + self.children.ended(strand, "interrupted", None)
        out = self._end("interrupted", None) if strand.turn is not None else []
        self._asked = self.expected = None
        return [*out, d.SessionEnded()]


def _raw_type(params: Params, message: Message) -> str:
    """The method, with the item's type where there is one."""
    kind = text_of(params.get("item"), "type")
    return f"{message['method']} {kind}" if kind is not None else str(message["method"])


def _outcome(turn: Any, error: str | None) -> tuple[str, str | None]:
    """(status, error) of a turn that is over; `error` is one reported before that was not retried."""
    status, told = text_of(turn, "status"), turn.get("error") if isinstance(turn, dict) else None
    if status == "interrupted":
        return "interrupted", None
    if status not in ("completed", "failed", "inProgress", None):
        return "failed", f"the agent ended the turn: {status}"
    if status == "failed" or error is not None or told is not None:
        return "failed", error_text(told) if told is not None else error or "the agent gave no reason"
    return "completed", None


_HANDLERS: dict[str, Callable[[CodexLane, Strand, Params, Message], list[d.Delta]]] = {
    **dict.fromkeys(PIECES, CodexLane._piece),
    "account/rateLimits/updated": CodexLane._rate_limits,
    "error": CodexLane._error,
    "item/autoApprovalReview/completed": CodexLane._reviewed,
    "item/completed": CodexLane._item,
    "item/started": CodexLane._item,
    "thread/closed": CodexLane._closed,
    "thread/compacted": CodexLane._compacted,
    "thread/deleted": CodexLane._closed,
    "thread/goal/cleared": CodexLane._thread_goal,
    "thread/goal/updated": CodexLane._thread_goal,
    "thread/name/updated": CodexLane._name,
    "thread/tokenUsage/updated": CodexLane._usage,
    "turn/completed": CodexLane._turn_completed,
    "turn/diff/updated": CodexLane._diff,
    "turn/plan/updated": CodexLane._plan,
    "turn/started": CodexLane._turn_started,
}
