"""The ACP translator lane: frames of one session in, deltas out.

It owns the session's calls and text streams; it knows frames, never messages, and asks the dialect for
everything an agent says in its own way. Who may change what: `frame` opens and merges calls and text,
`ask`/`answered` join permission requests, `terminal_*` feed client terminals, `end_turn` settles all.

Policies where the protocol leaves a choice are named by situation: a settled call is enriched but never
revived (S27, S30), a call left open when its turn ends is interrupted (S29), work outside a turn is
unhandled (S32, S33).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from parity.grammar import deltas as d
from parity.grammar import items
from parity.lanes.acp.calls import Ask, Call
from parity.lanes.acp.dialects import Dialect
from parity.lanes.acp.frames import (
    TERMINAL,
    ChunkFrame,
    Frame,
    InfoFrame,
    ModeFrame,
    PlanFrame,
    QuietFrame,
    ToolFrame,
    UnknownFrame,
    UsageFrame,
)
from parity.lanes.acp.results import close_of
from parity.lanes.acp.shapes import item_of, presentation_of, shape_of
from parity.lanes.acp.terminals import Terminals
from parity.lanes.acp.text import TextStreams
from parity.lanes.policy import PLAN_KEY, UNREPORTED


class AcpLane:
    """One ACP session's translator."""

    def __init__(self, dialect: Dialect, cwd: str | None) -> None:
        self.dialect = dialect
        self.cwd = cwd
        self.turn_open = False
        self.agent_turn = False
        self.children: dict[str, str] = {}
        self._calls: dict[str, Call] = {}
        self._open: dict[str, Call] = {}
        self._aliases: dict[str, Call] = {}
        self._text = TextStreams()
        self._terminals = Terminals()
        self._plan: list[dict[str, Any]] | None = None
        self._out: list[d.Delta] = []

    # -- turns ---------------------------------------------------------------------------------------

    def begin_turn(self) -> None:
        """A prompt is on its way: what comes now belongs to a turn."""
        self.turn_open = True

    def end_agent_turn(self) -> list[d.Delta]:
        """A prompt is about to be sent: a turn the agent began by itself is over (S33)."""
        return self.end_turn("completed") if self.agent_turn else []

    def end_turn(self, status: str, error: str | None = None) -> list[d.Delta]:
        """The prompt was answered: settle what is open, then the turn; forget its calls."""
        out: list[d.Delta] = []
        self._out = out
        self._text.close_all(out)
        for call in list(self._open.values()):
            self._abandon(call, UNREPORTED if status == "completed" else None)
        if self._plan is not None:
            out.append(d.ItemClose(PLAN_KEY, "completed"))
            self._plan = None
        out.append(d.TurnBoundary(status, error))
        self.turn_open = self.agent_turn = False
        self._calls.clear()
        self._open.clear()
        self._aliases.clear()
        self._terminals.end_turn()
        return out

    def settle_open(self) -> list[d.Delta]:
        """Settle what is open without ending the turn: a steered prompt was answered."""
        out: list[d.Delta] = []
        self._out = out
        self._text.close_all(out)
        for call in list(self._open.values()):
            self._abandon(call, None)
        return out

    def _abandon(self, call: Call, detail: str | None) -> None:
        """Settle a call its agent left open: a refused one failed, any other was interrupted."""
        close = d.ItemClose(_key(call), "interrupted")
        if call.denied:
            close = d.ItemClose(_key(call), "failed", approval_status="denied")
        elif detail is not None:
            close.presentation = d.Presentation(call.title, detail)
        self._finish(call, close)

    # -- frames --------------------------------------------------------------------------------------

    def frame(self, frame: Frame, raw: Any, parent: str | None = None) -> list[d.Delta]:
        """The deltas of one update; `raw` is kept when it has nowhere to go, `parent` is the call whose
        child session said it."""
        self._out = []
        handler = _HANDLERS.get(type(frame))
        if handler is not None:
            handler(self, frame, raw, parent)
        return self._out

    def unhandled(self, raw: Any, raw_type: str) -> list[d.Delta]:
        """Traffic this lane has no place for."""
        return [d.Unhandled(raw, raw_type, self.turn_open)]

    def _homeless(self, raw: Any, raw_type: str) -> bool:
        """Whether there is no turn for the work; it is then kept as unhandled (S32, S33)."""
        if self.turn_open:
            return False
        if self.dialect.starts_turns:
            self.turn_open = self.agent_turn = True
            self._out.append(d.TurnOpen(initiator="agent"))
            return False
        self._out.append(d.Unhandled(raw, raw_type))
        return True

    def _chunk(self, frame: ChunkFrame, raw: Any, parent: str | None) -> None:
        usage = self.dialect.usage(frame) if frame.meta else None
        if usage is not None:
            self._out.append(d.Usage(last=usage))
        if not frame.text:
            return
        if frame.role == "user":
            if parent is None and not self.turn_open:
                self._out.append(d.Unhandled(raw, "user_message_chunk"))
            return
        kind = "message" if frame.role == "agent" else "thought"
        if not self.turn_open and self._homeless(raw, f"agent_{kind}_chunk"):
            return
        channel = "agentMessage" if frame.role == "agent" else "reasoningText"
        self._text.append(self._out, channel, frame.text, frame.message_id, parent)

    def _tool(self, frame: ToolFrame, raw: Any, parent: str | None) -> None:
        call = self._aliases.get(frame.id) or self._calls.get(frame.id)
        if call is not None and call.settled is not None and frame.begins and call.began:
            call = None  # the id is used again (S24)
        if call is None:
            if self._homeless(raw, "tool_call" if frame.begins else "tool_call_update"):
                return
            call = self._new_call(frame.id, parent)
            if not frame.begins:
                self._out.append(d.ProviderWarning(f"tool_call_update for a call never opened: {frame.id!r}"))
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
            self._finish(call, close_of(call, _key(call), self.dialect, status, text, self._terminals))

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
        item = item_of(call, self.dialect, self.cwd)
        presentation = presentation_of(call, item)
        moved = call.opened_under != call.parent_ref
        if late or moved or item != call.item or presentation != call.presentation:
            call.item, call.presentation = item, presentation
            call.opened_under = call.parent_ref
            self._out.append(d.ItemOpen(_key(call), item, presentation, late))

    def _stream(self, call: Call, frame: ToolFrame, ended: bool) -> None:
        """Output of a command on the way: increments, snapshots, client terminals (M2)."""
        increment = self.dialect.increment(frame) if frame.meta else None
        if increment:
            call.streamed = [*(call.streamed or ()), increment]
            self._out.append(d.OutputDelta(_key(call), increment))
        if call.item is None or call.item["type"] != "command":
            return
        if call.text is not None and call.running and not ended:
            self._show(call, call.text)
        for terminal_id in call.terminals or ():
            shown = self._terminals.attach(terminal_id, call)
            if shown is not None:
                self._show(call, shown)

    def _show(self, call: Call, text: str) -> None:
        if text != (call.output or ""):
            call.output = text
            self._out.append(d.OutputSnapshot(_key(call), text))

    def _finish(self, call: Call, close: d.ItemClose) -> None:
        self._out.append(close)
        call.closed = close
        call.settled = close.status
        self._open.pop(call.id, None)

    def _enrich(self, call: Call, frame: ToolFrame, text: str | None) -> None:
        """A late frame of a settled call: more detail, the same status (S27, S30)."""
        before = call.closed
        if before is None:
            return
        if text:
            call.text = text
        known = call.item
        call.item = item_of(call, self.dialect, self.cwd)
        close = close_of(call, _key(call), self.dialect, before.status, text, self._terminals)
        increment = self.dialect.increment(frame) if frame.meta else None
        if increment:
            call.streamed = [*(call.streamed or ()), increment]
            close.aggregated_output = "".join(call.streamed)
        for field in ("result_text", "exit_code", "aggregated_output", "approval_status"):
            if getattr(close, field) is None:
                setattr(close, field, getattr(before, field))
        close.presentation = before.presentation
        worded = presentation_of(call, call.item)
        moved = call.opened_under != call.parent_ref
        if call.item != known or worded != call.presentation or close != before or moved:
            self._reopen(call, late=True)
            self._finish(call, close)

    # -- permission requests -------------------------------------------------------------------------

    def ask(self, frame: ToolFrame, parent: str | None = None) -> tuple[list[d.Delta], Call]:
        """Join a permission request to the call it describes, or open a row for it (M5, S18–S22)."""
        self._out = []
        call = self._asked(frame)
        if call is None:
            call = self._new_call(frame.id, parent)
            call.asked_first = True
        elif call.id != frame.id:
            self._aliases[frame.id] = call
        call.merge_ask(frame)
        self._identify_ask(call, frame)
        reason = frame.content.text if frame.content is not None else None
        call.ask = Ask(reason or None)
        self._reopen(call)
        return self._out, call

    def _identify_ask(self, call: Call, frame: ToolFrame) -> None:
        dialect = self.dialect
        call.name = call.name or dialect.tool_name(frame)
        call.hint = call.hint or dialect.kind_hint(frame, call)
        call.parent_ref = call.parent_ref or dialect.parent(frame)
        call.server = call.server or dialect.ask_server(frame, call)
        if shape_of(call, dialect) == "fetch" and dialect.url(call) is None:
            call.url = call.url or dialect.ask_url(frame)

    def _asked(self, frame: ToolFrame) -> Call | None:
        known = self._aliases.get(frame.id) or self._calls.get(frame.id)
        if known is not None and known.settled is None:
            return known
        if self.dialect.asks_by_call_id:
            return None
        unasked = [call for call in self._open.values() if call.ask is None]
        if frame.kind is not None:
            same = [call for call in unasked if call.effective_kind == frame.kind]
            vague = [call for call in unasked if call.effective_kind in (None, "other")]
            unasked = same or (vague if frame.kind != "other" and len(unasked) == 1 else [])
        return unasked[0] if len(unasked) == 1 else None

    def answered(self, call: Call, decision: str) -> list[d.Delta]:
        """A person decided; a refused or cancelled row that only the ask opened settles now (S20, S31)."""
        self._out = []
        if call.ask is not None:
            call.ask.decision = decision
        ends = decision == "cancelled" or (call.denied and not call.updated)
        if ends and call.settled is None and call.ask is not None:
            self._abandon(call, None)
        return self._out

    def open_call(self, call_id: str) -> Call | None:
        """The open call of that id (or alias)."""
        call = self._aliases.get(call_id) or self._calls.get(call_id)
        return call if call is not None and call.settled is None else None

    def inform(self, call_id: str | None, label: str | None, child_ref: str | None) -> list[d.Delta]:
        """What a vendor request says about delegated work."""
        self._out = []
        call = self.open_call(call_id) if call_id is not None else None
        if call is not None:
            if label is not None and "description" not in call.args:
                call.raw_input = {**call.args, "description": label}
            call.child_ref = child_ref or call.child_ref
            self._reopen(call)
        return self._out

    def adopt(self, session_id: str) -> list[d.Delta]:
        """A child session began: it is the work of the newest open delegation without one."""
        self._out = []
        for call in reversed(list(self._open.values())):
            if shape_of(call, self.dialect) == "delegate" and call.child_ref is None:
                call.child_ref = session_id
                self.children[session_id] = call.id
                self._reopen(call)
                break
        return self._out

    # -- other updates -------------------------------------------------------------------------------

    def _plan_update(self, frame: PlanFrame, raw: Any, parent: str | None) -> None:
        if self._homeless(raw, "plan"):
            return
        self._text.boundary(self._out, parent, always=False)
        self.plan(frame.entries)

    def plan(self, steps: list[dict[str, Any]]) -> None:
        """The whole plan anew; an empty one clears (S50)."""
        if steps != (self._plan or []):
            self._plan = steps
            self._out.append(d.ItemOpen(PLAN_KEY, items.plan_steps(steps)))

    def vendor_plan(self, steps: list[dict[str, Any]]) -> list[d.Delta]:
        """A plan said by a vendor method."""
        self._out = []
        if self.turn_open:
            self.plan(steps)
        return self._out

    def _usage(self, frame: UsageFrame, raw: Any, parent: str | None) -> None:
        self._out.append(d.ContextWindow(frame.used, frame.size))

    def _info(self, frame: InfoFrame, raw: Any, parent: str | None) -> None:
        if frame.title and parent is None:
            self._out.append(d.ThreadName(frame.title))
        warning = self.dialect.info_warning(frame) if frame.meta else None
        if warning is not None:
            self._out.append(d.ProviderWarning(warning))

    def _mode(self, frame: ModeFrame, raw: Any, parent: str | None) -> None:
        self._out.append(d.ExtensionState("acp.mode", {"currentModeId": frame.mode_id}))

    def _quiet(self, frame: QuietFrame, raw: Any, parent: str | None) -> None:
        """Commands and configuration on offer: a client may ask for them, no row shows them."""

    def _unknown(self, frame: UnknownFrame, raw: Any, parent: str | None) -> None:
        self._out.append(d.Unhandled(raw, frame.kind, self.turn_open))

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


def _key(call: Call) -> d.Key:
    return d.Key(call.id, None, call.parent_ref)


_HANDLERS: dict[type, Callable[[AcpLane, Any, Any, str | None], None]] = {
    ChunkFrame: AcpLane._chunk,
    ToolFrame: AcpLane._tool,
    PlanFrame: AcpLane._plan_update,
    UsageFrame: AcpLane._usage,
    InfoFrame: AcpLane._info,
    ModeFrame: AcpLane._mode,
    QuietFrame: AcpLane._quiet,
    UnknownFrame: AcpLane._unknown,
}
