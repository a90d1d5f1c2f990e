"""The calls of a session: opened, known better, asked for, settled, and the tasks that carry them on.

Each method appends its deltas to `out`. A call belongs to its turn, unless it is *late*: background work, or
part of such work, which stays open when its turn ends and is settled by the news of its task.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from parity.grammar import deltas as d
from parity.grammar.newest import Newest
from parity.lanes.claude_code import frames as f
from parity.lanes.claude_code.calls import Call
from parity.lanes.claude_code.plan import TaskList
from parity.lanes.claude_code.results import background_task, refused, settle, status_of
from parity.lanes.claude_code.shapes import item_of, presentation_of
from parity.lanes.claude_code.tasks import Tasks
from parity.lanes.policy import REMEMBERED_CALLS
from parity.wire.json import JsonError, decode

ENDED_CALLS = 256
"""Calls of ended turns that are still recognised by their ids."""


class Work:
    """The calls of one session."""

    def __init__(self) -> None:
        self.cwd: str | None = None
        self._calls: dict[str, Call] = {}
        self._ended: deque[str] = deque(maxlen=ENDED_CALLS)
        self._streaming: dict[tuple[str | None, int], Call] = {}
        self._settled: Newest[Call] = Newest(REMEMBERED_CALLS)
        self._plan = TaskList()
        self._tasks = Tasks()

    def late(self, call_id: str | None) -> bool:
        """Whether the call is open work that outlives its turn, or part of such work."""
        seen: set[str] = set()
        while call_id is not None and call_id not in seen:  # an agent may name parents in a circle
            seen.add(call_id)
            call = self._calls.get(call_id)
            if call is None or call.settled is not None:
                return False
            if call.background:
                return True
            call_id = call.parent
        return False

    def is_open(self, call_id: str) -> bool | None:
        """Whether the call is open; None where it is not known. One that a turn ended with is over."""
        call = self._calls.get(call_id)
        if call is None:
            return False if call_id in self._ended else None
        return call.settled is None

    def parent_of(self, agent_id: str | None) -> str | None:
        """The call a sub-agent is the work of."""
        return self._tasks.call_of(agent_id)

    # -- a call begins -------------------------------------------------------------------------------

    def use(self, out: list[d.Delta], block: f.ToolUse, parent: str | None) -> Call:
        """A call, or more of one that is known; an id that is used again is a new call (S24)."""
        call = self._calls.get(block.id)
        if call is not None and call.settled is not None:
            if call.name == block.name and call.input == block.input:
                return call  # the same frame again
            call = None
        if call is None:
            call = self._calls[block.id] = Call(block.id, parent)
        call.parent = call.parent or parent
        call.merge(block.name, block.input)
        self._reopen(out, call)
        return call

    def stream(self, out: list[d.Delta], frame: f.Stream) -> None:
        """A call streams its input: it opens with its name, the input is read when it is whole."""
        place = (frame.parent, frame.index)
        if isinstance(frame.block, f.ToolUse):
            self._streaming[place] = self.use(out, frame.block, frame.parent)
        elif isinstance(frame.block, f.Text) and place in self._streaming:
            self._streaming[place].partial.append(frame.block.text)
        elif frame.event == "stop" and place in self._streaming:
            call = self._streaming.pop(place)
            if not call.input and call.settled is None:
                call.merge("", _object("".join(call.partial)))
                self._reopen(out, call)

    def _reopen(self, out: list[d.Delta], call: Call) -> None:
        """Open the item, or open it again where more is known than before."""
        self._show(out, call, item_of(call, self.cwd, self._plan))

    def _show(self, out: list[d.Delta], call: Call, item: dict[str, Any]) -> None:
        if item["type"] != "delegation" and self.late(call.id):
            item = {**item, "background": True}
        shown = (item, presentation_of(call), call.parent)
        if shown != call.shown:
            call.shown = shown
            out.append(d.ItemOpen(call.key, item, shown[1]))

    # -- a call ends ---------------------------------------------------------------------------------

    def result(
        self,
        out: list[d.Delta],
        block: f.ToolResult,
        result: Any,
        note: dict[str, Any],
        interrupting: bool,
    ) -> bool:
        """A call's result; False where the call is not known. A settled call is never revived (S30)."""
        call = self._calls.get(block.call_id)
        if call is None or call.settled is not None:
            return call is not None
        if refused(note) and call.decision != "cancelled":
            call.decision = "denied"
        task = background_task(result) if not block.is_error else None
        if task is not None:
            call.background = True
            self._tasks.adopt(task, call.id)
            self._reopen(out, call)
            return True
        status = status_of(call, block, result, note, interrupting)
        item, close = settle(call, block, result, status, self.cwd, self._plan)
        self._show(out, call, item)
        self._finish(out, call, close)
        return True

    def _finish(self, out: list[d.Delta], call: Call, close: d.ItemClose) -> None:
        call.settled = close.status
        call.closed = close
        out.append(close)
        forgotten = self._settled.add(call)
        if forgotten is not None and self._calls.get(forgotten.id) is forgotten:
            del self._calls[forgotten.id]
            self._ended.append(forgotten.id)

    def end_turn(self, out: list[d.Delta], detail: str | None, *, late: bool = False) -> None:
        """The turn ends: a call left open is interrupted with this detail, a refused one failed (S29).

        Of what is over, only the ids are remembered.

        `late`: so does work that would outlive the turn.
        """
        for call in list(self._calls.values()):
            if call.settled is not None or (not late and self.late(call.id)):
                continue
            close = d.ItemClose(call.key, "interrupted")
            if call.denied:
                close = d.ItemClose(call.key, "failed", approval_status="denied", result_text=call.reason)
            elif detail is not None:
                close.presentation = d.Presentation(detail=detail)
            self._finish(out, call, close)
        self._ended.extend(call.id for call in self._calls.values() if call.settled is not None)
        self._calls = {call.id: call for call in self._calls.values() if call.settled is None}
        self._streaming = {at: call for at, call in self._streaming.items() if call.settled is None}
        self._tasks.keep(self._calls)
        self._settled.clear()

    # -- permissions ---------------------------------------------------------------------------------

    def answered(
        self,
        out: list[d.Delta],
        call: Call,
        decision: str,
        reason: str | None,
        changed: dict[str, Any] | None,
    ) -> None:
        """A person decided, perhaps with a reason or another input; the call's result settles it."""
        call.decision = decision
        call.reason = reason
        if changed and call.settled is None:
            call.merge("", changed)
            self._reopen(out, call)

    def denied(self, call_id: str, reason: str | None) -> None:
        """The call was refused without asking."""
        call = self._calls.get(call_id)
        if call is not None:
            call.decision = "denied"
            call.reason = reason

    def deny_late(self, out: list[d.Delta], call_id: str) -> None:
        """The turn's end names a refusal that the call's own result did not show."""
        call = self._calls.get(call_id)
        if call is None or call.closed is None or call.settled != "failed" or call.denied:
            return
        call.decision = "denied"
        call.closed.approval_status = "denied"
        if call.shown is not None:
            out += [d.ItemOpen(call.key, call.shown[0], call.shown[1], True), call.closed]

    # -- tasks ---------------------------------------------------------------------------------------

    def task(self, out: list[d.Delta], frame: f.Task) -> None:
        """News of a task: whose work it is, that it runs in the background, how it gets on, its end."""
        self._tasks.learn(frame)
        call = self._calls.get(self._tasks.call_of(frame.id) or "")
        if frame.event == "notification":
            self._tasks.forget(frame.id)
        if call is None or call.settled is not None:
            return
        if frame.background is not None and frame.background != call.background:
            call.background = frame.background
            self._reopen(out, call)
        if frame.event == "progress" and frame.description:
            out.append(d.ItemProgress(call.key, frame.description))
        elif frame.event == "notification" and call.background:
            self._task_over(out, call, frame)

    def _task_over(self, out: list[d.Delta], call: Call, frame: f.Task) -> None:
        """Background work ended: its notification is the only result there is."""
        status = {"completed": "completed", "stopped": "interrupted"}.get(frame.status or "", "failed")
        item = item_of(call, self.cwd, self._plan)
        close = d.ItemClose(call.key, status)
        if item["type"] == "delegation" and status == "completed" and frame.summary:
            item = {**item, "summary": frame.summary}
        elif frame.summary:
            close.result_text = frame.summary
        self._show(out, call, item)
        self._finish(out, call, close)


def _object(text: str) -> dict[str, Any]:
    """The object a streamed input turned out to be; nothing while it is no whole one."""
    try:
        value = decode(text)
    except JsonError:
        return {}
    return value if isinstance(value, dict) else {}
