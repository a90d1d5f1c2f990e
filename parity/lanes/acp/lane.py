"""The ACP translator lane: frames of one session in, deltas out.

It owns the session's turn, text streams and plans, and (see `work` and `asks`) its calls; it knows frames,
never messages, and asks the dialect for everything an agent says in its own way. Who may change what: `frame`
opens and merges calls and text, `ask`/`answered` join permission requests, `terminal_*` feed client
terminals, `end_turn` settles all.

Policies where the protocol leaves a choice are named by situation: a settled call is enriched but never
revived (S27, S30), a call left open when its turn ends is interrupted (S29), work outside a turn is
unhandled (S32, S33).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from parity.grammar import deltas as d
from parity.grammar import items
from parity.lanes.acp.asks import Asks
from parity.lanes.acp.dialects import Dialect
from parity.lanes.acp.frames import (
    ChunkFrame,
    ContentFrame,
    Frame,
    InfoFrame,
    MessageFrame,
    ModeFrame,
    PlanFrame,
    QuietFrame,
    StateFrame,
    TerminalFrame,
    ToolFrame,
    UnknownFrame,
    UsageFrame,
)
from parity.lanes.policy import PLAN_KEY, UNREPORTED

_CHANNELS = {"agent": "agentMessage", "thought": "reasoningText"}
_NAMES = {"agent": "agent_message", "thought": "agent_thought"}


class AcpLane(Asks):
    """One ACP session's translator, whichever protocol version its reader read."""

    def __init__(self, dialect: Dialect, cwd: str | None) -> None:
        super().__init__(dialect, cwd)
        self._plans: dict[str | None, list[dict[str, Any]]] = {}

    # -- turns ---------------------------------------------------------------------------------------

    def begin_turn(self) -> None:
        """A prompt is on its way: what comes now belongs to a turn."""
        self.turn_open, self.agent_turn = True, False

    def begin_agent_turn(self) -> list[d.Delta]:
        """The agent is at work and no prompt asked for it: the work is a turn of its own (S33)."""
        self.turn_open = self.agent_turn = True
        return [d.TurnOpen(initiator="agent")]

    def end_agent_turn(self) -> list[d.Delta]:
        """A prompt is about to be sent: a turn the agent began by itself is over (S33)."""
        return self.end_turn("completed") if self.agent_turn else []

    def end_turn(self, status: str, error: str | None = None) -> list[d.Delta]:
        """The work is over: settle what is open, then the turn; forget its calls."""
        out: list[d.Delta] = []
        self._out = out
        self._text.close_all(out)
        if self._late:
            self._settle_late()
        for call in list(self._open.values()):
            self._abandon(call, UNREPORTED if status == "completed" else None)
        for plan_id in self._plans:
            out.append(d.ItemClose(_plan_key(plan_id), "completed"))
        self._plans.clear()
        out.append(d.TurnBoundary(status, error))
        self.turn_open = self.agent_turn = False
        self._calls.clear()
        self._open.clear()
        self._aliases.clear()
        self._settled.clear()
        self._terminals.end_turn()
        return out

    def settle_open(self) -> list[d.Delta]:
        """Settle what is open without ending the turn: the work of a steered prompt, or all, is over."""
        out: list[d.Delta] = []
        self._out = out
        self._text.close_all(out)
        for call in list(self._open.values()):
            self._abandon(call, None)
        return out

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
        if not self.turn_open and self._homeless(raw, f"{_NAMES[frame.role]}_chunk"):
            return
        channel = _CHANNELS[frame.role]
        if frame.keeps and frame.message_id is not None:
            self._text.append_kept(self._out, channel, frame.text, frame.message_id, parent)
        else:
            self._text.append(self._out, channel, frame.text, frame.message_id, parent)

    def _message(self, frame: MessageFrame, raw: Any, parent: str | None) -> None:
        """A message said as a whole (protocol version 2); a prompt's echo shows nothing."""
        if frame.text is None:
            return
        if frame.role == "user":
            if frame.text and parent is None and not self.turn_open:
                self._out.append(d.Unhandled(raw, "user_message"))
            return
        if not self.turn_open and (not frame.text or self._homeless(raw, _NAMES[frame.role])):
            return
        self._text.replace(self._out, _CHANNELS[frame.role], frame.text, frame.message_id, parent)

    # -- other updates -------------------------------------------------------------------------------

    def _plan_update(self, frame: PlanFrame, raw: Any, parent: str | None) -> None:
        if self._homeless(raw, "plan" if frame.id is None else "plan_update"):
            return
        self._text.boundary(self._out, parent, always=False)
        self.plan(frame.entries, frame.id)

    def plan(self, steps: list[dict[str, Any]], plan_id: str | None = None) -> None:
        """A whole plan anew; an empty one clears (S50)."""
        if steps != self._plans.get(plan_id, []):
            self._plans[plan_id] = steps
            self._out.append(d.ItemOpen(_plan_key(plan_id), items.plan_steps(steps)))

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

    def _quiet(self, frame: QuietFrame | StateFrame, raw: Any, parent: str | None) -> None:
        """No row shows it: see `decisions`. What a state means for turns is the bridge's to say."""

    def _unknown(self, frame: UnknownFrame, raw: Any, parent: str | None) -> None:
        self._out.append(d.Unhandled(raw, frame.kind, self.turn_open))


def _plan_key(plan_id: str | None) -> d.Key:
    return PLAN_KEY if plan_id is None else d.Key(channel=f"{PLAN_KEY.channel} {plan_id}")


_HANDLERS: dict[type, Callable[[AcpLane, Any, Any, str | None], None]] = {
    ChunkFrame: AcpLane._chunk,
    ToolFrame: AcpLane._tool,
    ContentFrame: AcpLane._content,
    MessageFrame: AcpLane._message,
    TerminalFrame: AcpLane._terminal,
    StateFrame: AcpLane._quiet,
    PlanFrame: AcpLane._plan_update,
    UsageFrame: AcpLane._usage,
    InfoFrame: AcpLane._info,
    ModeFrame: AcpLane._mode,
    QuietFrame: AcpLane._quiet,
    UnknownFrame: AcpLane._unknown,
}
