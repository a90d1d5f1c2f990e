"""What is said about calls from outside their own frames: permission requests, answers, delegated work.

A permission request is joined to the call it is about; where it comes first it opens the row (M5, S18–S22).
"""

from __future__ import annotations

from parity.grammar import deltas as d
from parity.lanes.acp.calls import Ask, Call
from parity.lanes.acp.dialects import Dialect
from parity.lanes.acp.frames import AskFrame, ToolFrame
from parity.lanes.acp.shapes import shape_of
from parity.lanes.acp.work import Work, key_of
from parity.lanes.policy import REMEMBERED_CALLS


class Asks(Work):
    """The calls of one session and who was asked about them."""

    def __init__(self, dialect: Dialect, cwd: str | None) -> None:
        super().__init__(dialect, cwd)
        self.children: dict[str, str] = {}

    # -- permission requests -------------------------------------------------------------------------

    def ask(self, asked: AskFrame, parent: str | None = None) -> tuple[list[d.Delta], Call | None]:
        """Join a permission request to the call it describes, or open a row for it (M5, S18–S22).

        None where it describes none: a person decides it all the same.
        """
        self._out = []
        frame = asked.call
        if frame is None:
            call = self._commanded(asked)
            if call is not None:
                self._about(call, asked)
                call.ask = Ask(None)
                self._reopen(call)
            return self._out, call
        call = self._asked(frame)
        if call is None:
            call = self._new_call(frame.id, parent)
            call.asked_first = True
        elif call.id != frame.id:
            self._aliases[frame.id] = call
            call.alias = frame.id
        call.merge_ask(frame)
        self._identify_ask(call, frame)
        self._about(call, asked)
        call.ask = Ask(None if frame.patch else asked.reason or None)
        self._reopen(call)
        return self._out, call

    def _about(self, call: Call, asked: AskFrame) -> None:
        """What the request says would run."""
        call.command, call.cwd = call.command or asked.command, call.cwd or asked.cwd
        if asked.command is not None and call.kind is None:
            call.hint = call.hint or "execute"

    def _commanded(self, asked: AskFrame) -> Call | None:
        """The open call a command belongs to: by its terminal, else the one that runs these words."""
        if asked.terminal_id is not None:
            call = self._terminals.call(asked.terminal_id)
            if call is not None and call.settled is None:
                return call
        if asked.command is None:
            return None
        same = [
            call
            for call in self._open.values()
            if call.ask is None and asked.command in (self.dialect.command(call), call.command)
        ]
        return same[0] if len(same) == 1 else None

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
        if self.dialect.asks_by_call_id or frame.patch:
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
                while len(self.children) > REMEMBERED_CALLS:
                    del self.children[next(iter(self.children))]
                self._reopen(call)
                break
        return self._out

    def _abandon(self, call: Call, detail: str | None) -> None:
        """Settle a call its agent left open: a refused one failed, any other was interrupted."""
        close = d.ItemClose(key_of(call), "interrupted")
        if call.denied:
            close = d.ItemClose(key_of(call), "failed", approval_status="denied")
        elif detail is not None:
            close.presentation = d.Presentation(call.title, detail)
        self._finish(call, close)
