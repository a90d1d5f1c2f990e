"""The lane's tool calls: what a frame opens, changes and settles, and the deltas that say so.

The part of the lane that holds calls and terminals. It knows frames and asks the dialect for what an agent
says in its own way. A settled call is enriched but never revived (S27, S30); work outside a turn is
unhandled (S32, S33).
"""

from __future__ import annotations

from typing import Any

from parity.grammar import deltas as d
from parity.grammar.items import Item
from parity.grammar.newest import Newest
from parity.lanes.acp.blocks import NO_META, join_texts
from parity.lanes.acp.calls import Call
from parity.lanes.acp.dialects import Dialect
from parity.lanes.acp.frames import TERMINAL, ContentFrame, TerminalFrame, ToolFrame
from parity.lanes.acp.results import close_of
from parity.lanes.acp.shapes import item_of, presentation_of
from parity.lanes.acp.terminals import Terminals
from parity.lanes.acp.text import TextStreams
from parity.lanes.policy import REMEMBERED_CALLS


class Work:
    """The calls of one session."""

    def __init__(self, dialect: Dialect, cwd: str | None) -> None:
        self.dialect = dialect
        self.cwd = cwd
        self.turn_open = False
        self.agent_turn = False
        self.starts_turns = dialect.starts_turns  # whether work outside a turn begins one
        self._calls: dict[str, Call] = {}
        self._open: dict[str, Call] = {}
        self._aliases: dict[str, Call] = {}
        self._late: dict[str, Call] = {}
        self._settled: Newest[Call] = Newest(REMEMBERED_CALLS)
        self._text = TextStreams()
        self._terminals = Terminals()
        self._out: list[d.Delta] = []

    def _homeless(self, raw: Any, raw_type: str) -> bool:
        """Whether there is no turn for the work; it is then kept as unhandled (S32, S33)."""
        if self.turn_open:
            return False
        if self.starts_turns:
            self.turn_open = self.agent_turn = True
            self._out.append(d.TurnOpen(initiator="agent"))
            return False
        self._out.append(d.Unhandled(raw, raw_type))
        return True

    # -- frames of a call ----------------------------------------------------------------------------

    def _tool(self, frame: ToolFrame, raw: Any, parent: str | None) -> None:
        call = self._aliases.get(frame.id) or self._calls.get(frame.id)
        if call is not None and call.settled is not None and frame.begins and call.began:
            call = None  # the id is used again (S24)
        if call is None:
            if self._homeless(raw, "tool_call" if frame.begins else "tool_call_update"):
                return
            call = self._new_call(frame.id, parent)
            if not frame.begins and not frame.patch:
                self._never_opened("tool_call_update", frame.id)
        elif call.pieces is not None:
            call.collect()
        frame.raw_output = self.dialect.raw_output(frame)
        tells = call.item is None or not frame.only_output
        call.merge(frame)
        if tells:
            self._identify(call, frame)
        text = frame.content.text if frame.content is not None else None
        if call.settled is not None:
            self._enrich(call, frame, text)
            return
        ended = call.status in TERMINAL
        if text is not None:
            if ended or call.running:
                call.text = text
            else:
                call.note_text = text
        if tells or ended or not call.running:
            self._reopen(call)
        self._stream(call, frame, ended)
        if ended:
            call.refused = call.denied or self.dialect.never_ran(call, frame)
            status = TERMINAL[call.status or ""]
            if call.item is not None and call.item["type"] == "delegation":
                self._text.boundary(self._out, parent, always=False)
            self._finish(call, close_of(call, key_of(call), self.dialect, status, text, self._terminals))

    def _content(self, frame: ContentFrame, raw: Any, parent: str | None) -> None:
        """One more item of a call's content (protocol version 2)."""
        call = self._aliases.get(frame.id) or self._calls.get(frame.id)
        if call is None:
            if self._homeless(raw, "tool_call_content_chunk"):
                return
            call = self._new_call(frame.id, parent)
            self._never_opened("tool_call_content_chunk", frame.id)
        content = frame.content
        call.updated = True
        if content.diffs:
            call.diffs = [*(call.diffs or ()), *content.diffs]
        if content.terminals:
            call.terminals = [*(call.terminals or ()), *content.terminals]
        if call.settled is not None:
            if content.text is not None:
                call.append(content.text)
                call.collect()
            self._enrich(call, _silent(call), call.text if content.text is not None else None)
            return
        if content.text is not None:
            self._append(call, content.text)
        if call.item is None or content.diffs or content.terminals or not call.running:
            self._reopen(call)
        if content.terminals and call.item is not None and call.item["type"] == "command":
            self._attach(call)

    def _append(self, call: Call, text: str) -> None:
        """Text appended to a call's content: of a running command, output; before it runs, a description."""
        if not call.running:
            call.note_text = join_texts([call.note_text, text]) if call.note_text else text
            return
        added = call.append(text)
        is_command = call.item is not None and call.item["type"] == "command"
        if added and is_command and not call.terminals:  # else the terminal is what it shows
            call.output = None
            self._out.append(d.OutputDelta(key_of(call), added))

    def _never_opened(self, kind: str, call_id: str) -> None:
        self._out.append(d.ProviderWarning(f"{kind} for a call never opened: {call_id!r}"))

    def _new_call(self, call_id: str, parent: str | None) -> Call:
        call = self._calls[call_id] = self._open[call_id] = Call(call_id)
        call.parent_ref = parent
        self._text.boundary(self._out, parent, always=self.dialect.ids_repeat)
        return call

    def _identify(self, call: Call, frame: ToolFrame) -> None:
        """What the dialect knows of the call from this frame: name, kind, parent, terminal exit."""
        dialect = self.dialect
        name = dialect.tool_name(frame)
        if name is not None:
            call.name = name
        hint = dialect.kind_hint(frame, call)
        if hint is not None:
            call.hint = hint
        if frame.meta:
            parent = dialect.parent(frame)
            if parent is not None:
                call.parent_ref = parent
            ended = dialect.terminal_exit(frame)
            if ended is not None:
                call.exit_code, call.signal = ended

    # -- what a call becomes -------------------------------------------------------------------------

    def _reopen(self, call: Call, *, late: bool = False) -> None:
        """Open the item, or open it again where more is known than before."""
        if call.terminals:
            self._terminals.describe(call)
        item = item_of(call, self.dialect, self.cwd)
        presentation = self._words(call, item)
        moved = call.opened_under != call.parent_ref
        if late or moved or item != call.item or presentation != call.presentation:
            call.item, call.presentation = item, presentation
            call.opened_under = call.parent_ref
            self._out.append(d.ItemOpen(key_of(call), item, presentation, late))

    def _words(self, call: Call, item: Item) -> d.Presentation | None:
        """The agent's words for the call; empty ones where it took back what it had said."""
        words = presentation_of(call, item)
        taken_back = words is None and call.patched and call.presentation is not None
        return d.Presentation() if taken_back else words

    def _stream(self, call: Call, frame: ToolFrame, ended: bool) -> None:
        """Output of a command on the way: increments, snapshots, client terminals (M2)."""
        increment = self.dialect.increment(frame) if frame.meta else None
        if increment:
            call.streamed = [*(call.streamed or ()), increment]
            self._out.append(d.OutputDelta(key_of(call), increment))
        if call.item is None or call.item["type"] != "command":
            return
        if call.text is not None and call.running and not ended:
            self._show(call, call.text)
        elif frame.patch and call.text is None and (frame.content is not None or "content" in frame.cleared):
            self._snapshot(call, "")
        if call.terminals:
            self._attach(call)

    def _attach(self, call: Call) -> None:
        for terminal_id in call.terminals or ():
            shown = self._terminals.attach(terminal_id, call)
            if shown is not None:
                self._show(call, shown)

    def _show(self, call: Call, text: str) -> None:
        if text != (call.output or ""):
            self._snapshot(call, text)

    def _snapshot(self, call: Call, text: str) -> None:
        call.output = text
        self._out.append(d.OutputSnapshot(key_of(call), text))

    def _finish(self, call: Call, close: d.ItemClose) -> None:
        self._out.append(close)
        call.closed = close
        call.settled = close.status
        self._open.pop(call.id, None)
        forgotten = self._settled.add(call)
        if forgotten is not None:
            self._forget(forgotten)

    def _forget(self, call: Call) -> None:
        """The call settled long ago: its id, and the one it was asked about under, are known no more."""
        for table, name in ((self._calls, call.id), (self._aliases, call.alias)):
            if name is not None and table.get(name) is call:
                del table[name]
        self._late.pop(call.id, None)

    def _enrich(self, call: Call, frame: ToolFrame, text: str | None) -> None:
        """A late frame of a settled call: more detail, the same status (S27, S30)."""
        before = call.closed
        if before is None:
            return
        if text:
            call.text = text
        known = call.item
        if call.terminals:
            self._terminals.describe(call)
        call.item = item_of(call, self.dialect, self.cwd)
        close = close_of(call, key_of(call), self.dialect, before.status, text, self._terminals)
        increment = self.dialect.increment(frame) if frame.meta else None
        if increment:
            call.streamed = [*(call.streamed or ()), increment]
            close.aggregated_output = "".join(call.streamed)
        for field in ("result_text", "exit_code", "aggregated_output", "approval_status"):
            if getattr(close, field) is None and not (field == "result_text" and "content" in frame.cleared):
                setattr(close, field, getattr(before, field))
        close.presentation = before.presentation
        worded = self._words(call, call.item)
        moved = call.opened_under != call.parent_ref
        if call.item != known or worded != call.presentation or close != before or moved:
            self._reopen(call, late=True)
            self._finish(call, close)

    # -- client terminals (S14) ----------------------------------------------------------------------

    def terminal_output(
        self, terminal_id: str, output: str, exit_code: int | None, signal: str | None
    ) -> list[d.Delta]:
        """What a client terminal shows now, and how it ended if it did."""
        self._out = []
        self._terminals.output(terminal_id, output, exit_code, signal)
        call = self._terminals.call(terminal_id)
        if call is not None and call.settled is None:
            self._show(call, output)
        return self._out

    def terminal_exit(self, terminal_id: str, exit_code: int | None, signal: str | None) -> None:
        """A client terminal's command ended."""
        self._terminals.ended(terminal_id, exit_code, signal)

    def terminal_released(self, terminal_id: str) -> None:
        """A client terminal was released; what it showed stays known for its turn."""
        self._terminals.released(terminal_id)

    # -- the agent's own terminals (protocol version 2) ----------------------------------------------

    def _terminal(self, frame: TerminalFrame, raw: Any, parent: str | None) -> None:
        """News of a terminal: known until its turn ends, shown by the call that names it."""
        added = self._terminals.news(frame)
        call = self._terminals.call(frame.id)
        if call is None:
            return
        if call.settled is not None:
            self._late[call.id] = call
            if frame.ended:
                self._settle_late()
            return
        if not frame.appends:
            self._reopen(call)
        if added:
            call.output = None
            self._out.append(d.OutputDelta(key_of(call), added))
        elif frame.output is not None or "output" in frame.cleared:
            self._snapshot(call, self._terminals.shown(frame.id))

    def _settle_late(self) -> None:
        """Settled calls whose terminals printed or ended since: their rows get the rest."""
        late, self._late = self._late, {}
        for call in late.values():
            self._enrich(call, _silent(call), None)


def key_of(call: Call) -> d.Key:
    """What the deltas of a call are about."""
    return d.Key(call.id, None, call.parent_ref)


def _silent(call: Call) -> ToolFrame:
    """A frame that says nothing of the call."""
    return ToolFrame(call.id, begins=False, meta=NO_META, patch=True)
