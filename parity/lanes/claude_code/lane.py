"""The Claude Code translator lane: frames of one session in, deltas out.

It owns the session's turn, text and calls; it knows frames and no control traffic. Who may change what:
`begin_turn`/`steer` are ours, `frame` opens and merges calls and text and ends turns, `ask`/`answered` join
permission requests, `interrupt`/`interrupted` a stop.

Policies: work with no turn open is a turn of the agent's own (S33), unless it continues background work; what
a finished turn's messages or calls still say is unhandled (S32); a call left open when its turn ends is
interrupted (S29), unless it runs in the background.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from parity.grammar import deltas as d
from parity.grammar.newest import Newest
from parity.lanes.claude_code import frames as f
from parity.lanes.claude_code.calls import Call
from parity.lanes.claude_code.ending import ending_of, error_of
from parity.lanes.claude_code.reader import SYNTHETIC
from parity.lanes.claude_code.text import TextBlocks
from parity.lanes.claude_code.turn import Turn
from parity.lanes.claude_code.usage import MessageUsage
from parity.lanes.claude_code.work import Work
from parity.lanes.policy import REMEMBERED_CALLS, UNREPORTED

_INTERRUPTED = "[Request interrupted by user"
_OWN_NOTIFICATION = "task-notification"


class ClaudeLane:
    """One session's translator."""

    def __init__(self, cwd: str | None) -> None:
        self._turn = Turn()
        self._before: Newest[str] = Newest(REMEMBERED_CALLS)  # the messages of the turn before
        self._steered = False  # a steered message may still begin a turn
        self._work = Work()
        self._work.cwd = cwd
        self._text = TextBlocks()
        self._usage = MessageUsage()
        self._mode: str | None = None
        self._goal: dict[str, Any] | None = None
        self._out: list[d.Delta] = []

    # -- turns ---------------------------------------------------------------------------------------

    @property
    def turn_open(self) -> bool:
        """Whether a turn is open."""
        return self._turn.open

    @property
    def agent_turn(self) -> bool:
        """Whether the open turn is the agent's own."""
        return self._turn.open and self._turn.agent

    @property
    def interrupting(self) -> bool:
        """Whether the open turn was asked to stop."""
        return self._turn.interrupting

    def begin_turn(self, prompts: Iterable[str]) -> None:
        """Our prompt is on its way; `prompts` are its texts and its uuid, which the agent may echo."""
        self._turn = Turn(is_open=True)
        self._turn.prompts.update(prompts)
        self._steered = False

    def steer(self, prompts: Iterable[str]) -> None:
        """Another message of ours goes into the open turn."""
        self._turn.steered = True
        self._turn.prompts.update(prompts)

    def interrupt(self) -> None:
        """We ask the agent to stop the open turn, if one is open."""
        self._turn.interrupting = self._turn.open

    def interrupted(self, failed: str | None) -> list[d.Delta]:
        """The agent took the interrupt, or refused it with this error."""
        self._out = []
        if failed is not None:
            self._turn.interrupting = False
            self._out.append(d.ProviderWarning(f"the agent did not stop: {failed}"))
        elif self._turn.open and self._turn.pending is not None:
            self._end("interrupted", None)
        return self._out

    def _has_home(self, parent: str | None, message_id: str | None) -> bool:
        """Whether work belongs to a turn; with none open the agent's own turn opens for it (S33)."""
        late = parent is not None and self._work.late(parent)
        if message_id is not None and message_id in self._before and not late:
            return False
        if self._turn.open:
            self._turn.worked = True
            return True
        if parent is not None:
            return late
        self._turn = Turn(is_open=True, agent=True)
        self._turn.worked = True
        self._out.append(d.TurnOpen(None if self._steered else "agent"))
        self._steered = False
        return True

    def _end(self, status: str, error: str | None) -> None:
        """Settle what is open, then the turn; forget its calls."""
        self._text.close_all(self._out, self._work.late)
        self._work.end_turn(self._out, UNREPORTED if status == "completed" else None)
        self._out.append(d.TurnBoundary(status, error))
        self._before = self._turn.messages
        self._steered = self._turn.steered
        self._turn = Turn()

    def lost(self) -> list[d.Delta]:
        """The agent is gone: what is open settles as in a turn that failed, background work too."""
        self._out = []
        self._text.close_all(self._out, lambda parent: False)
        self._work.end_turn(self._out, None, late=True)
        return self._out

    # -- frames --------------------------------------------------------------------------------------

    def frame(self, frame: f.Frame, raw: Any) -> list[d.Delta]:
        """The deltas of one frame; `raw` is kept where it has nowhere to go."""
        self._out = []
        handler = _HANDLERS.get(type(frame))
        if handler is not None:
            handler(self, frame, raw)
        return self._out

    def unhandled(self, raw: Any, raw_type: str) -> list[d.Delta]:
        """Traffic this lane has no place for."""
        return [d.Unhandled(raw, raw_type, self._turn.open)]

    def _homeless(self, raw: Any, raw_type: str) -> None:
        self._out.append(d.Unhandled(raw, raw_type, self._turn.open))

    def _assistant(self, frame: f.Assistant, raw: Any) -> None:
        if not self._has_home(frame.parent, frame.message_id):
            self._homeless(raw, "assistant")
            return
        if frame.message_id is not None:
            self._turn.messages.add(frame.message_id)
        if frame.error is not None:
            self._turn.errors.add(frame.error)
            self._out.append(d.ProviderError(frame.error, code=frame.error_status))
            return
        if frame.usage is not None and frame.parent is None and frame.model != SYNTHETIC:
            self._usage.record(self._out, frame.message_id, frame.usage, frame.model)
        for block in frame.blocks:
            self._block(block, frame, raw)

    def _block(self, block: f.Block, frame: f.Assistant, raw: Any) -> None:
        match block:
            case f.Text():
                self._heard(block, frame.parent)
                self._text.whole(self._out, frame.parent, frame.message_id, block.channel, block.text)
            case f.ToolUse():
                self._work.use(self._out, block, frame.parent)
            case f.ToolResult():
                self._tool_result(block, None, {}, raw)
            case f.Compacted() if frame.parent is None:  # a sub-agent's context is not the thread's
                self._out.append(d.ContextCompacted())
            case f.Foreign():
                self._homeless(block.raw, f"assistant/{block.kind}")

    def _heard(self, block: f.Text, parent: str | None) -> None:
        if block.text and parent is None and block.channel == "agentMessage":
            self._turn.said = True

    def _stream(self, frame: f.Stream, raw: Any) -> None:
        if frame.event == "start":
            if self._has_home(frame.parent, frame.message_id):
                if frame.message_id is not None:
                    self._turn.messages.add(frame.message_id)
                self._text.begin(self._out, frame.parent, frame.message_id)
                if frame.usage is not None and frame.parent is None:
                    self._usage.record(self._out, frame.message_id, frame.usage, frame.model)
        elif self._turn.open or self._work.late(frame.parent):
            self._piece(frame)

    def _piece(self, frame: f.Stream) -> None:
        """A part of the message that streams; a block no reader knows waits for its whole."""
        block = frame.block
        if isinstance(block, f.Text) and frame.event != "json":
            self._heard(block, frame.parent)
            put = self._text.start if frame.event == "block" else self._text.append
            put(self._out, frame.parent, frame.index, block.channel, block.text)
        elif frame.event == "usage":
            if frame.usage is not None and frame.parent is None:
                self._usage.more(frame.usage)
        else:
            self._work.stream(self._out, frame)

    def _user(self, frame: f.User, raw: Any) -> None:
        results = [block for block in frame.blocks if isinstance(block, f.ToolResult)]
        structured = frame.result if len(results) == 1 else None
        for block in frame.blocks:
            if isinstance(block, f.ToolResult):
                self._tool_result(block, structured, frame.notes.get(block.call_id, {}), raw)
            elif isinstance(block, f.Text):
                self._own_input(block.text, frame)
            elif isinstance(block, f.Foreign):
                self._homeless(block.raw, f"user/{block.kind}")
        if results:
            self._late_news()

    def _own_input(self, text: str, frame: f.User) -> None:
        """Input the agent gave itself; our prompt's echo, a sub-agent's prompt and stop marks are none."""
        if frame.parent is not None or frame.replay or text.startswith(_INTERRUPTED) or not text.strip():
            return
        if text in self._turn.prompts or frame.uuid in self._turn.prompts:
            return
        self._out.append(d.InputProvider(text))

    def _tool_result(self, block: f.ToolResult, result: Any, note: dict[str, Any], raw: Any) -> None:
        if not self._work.result(self._out, block, result, note, self._turn.interrupting):
            self._homeless(raw, "user/tool_result")

    def _task(self, frame: f.Task, raw: Any) -> None:
        self._work.task(self._out, frame)
        self._late_news()

    def _late_news(self) -> None:
        """Between two turns: what is no part of work that goes on is over."""
        if not self._turn.open:
            self._text.close_all(self._out, self._work.late)
            self._work.end_turn(self._out, UNREPORTED)

    # -- permission requests -------------------------------------------------------------------------

    def is_over(self, call_id: str) -> bool:
        """Whether the call is known and has settled: nobody can decide about it any more."""
        return self._work.is_open(call_id) is False

    def ask(self, use: f.ToolUse, agent_id: str | None) -> tuple[list[d.Delta], Call | None]:
        """Join a permission request to its call, or open the call where the request comes first (S21).

        None where the call belongs to nothing that is open.
        """
        self._out = []
        parent = self._work.parent_of(agent_id)
        known = self._work.is_open(use.id)
        if known is False or (known is None and not self._has_home(parent or agent_id, None)):
            return [], None
        return self._out, self._work.use(self._out, use, parent)

    def answered(
        self,
        call: Call,
        decision: str,
        reason: str | None = None,
        changed: dict[str, Any] | None = None,
    ) -> list[d.Delta]:
        """A person decided, perhaps with a reason or another input; the agent's result settles the call."""
        self._out = []
        self._work.answered(self._out, call, decision, reason, changed)
        return self._out

    def outlives(self, call: Call) -> bool:
        """Whether the call goes on when its turn ends."""
        return self._work.late(call.id)

    def _denied(self, frame: f.Denied, raw: Any) -> None:
        self._work.denied(frame.call_id, frame.reason)

    # -- the end of a turn ---------------------------------------------------------------------------

    def _result(self, frame: f.Result, raw: Any) -> None:
        turn = self._turn
        if not turn.open:
            self._stray_result(frame, raw)
            return
        if not turn.agent and not self._is_end(frame):
            return
        self._usage.of_result(self._out, frame.usage or {}, frame.model_usage)
        for call_id in frame.denials:
            self._work.deny_late(self._out, call_id)
        status, error = ending_of(frame, turn.interrupting)
        if status == "failed" and frame.subtype == "success" and frame.is_error:
            text = frame.text or error_of(frame)
            if text not in turn.errors:
                self._out.append(d.ProviderError(text, code=frame.error_status))
        elif status == "completed" and frame.text and not turn.said:
            self._text.whole(self._out, None, None, "agentMessage", frame.text)
        if turn.steered and frame.queued and status == "completed":
            turn.pending = (status, error)
            return
        self._end(status, error)

    def _is_end(self, frame: f.Result) -> bool:
        """Whether a result ends our turn (S39)."""
        turn = self._turn
        if frame.origin == _OWN_NOTIFICATION:
            return any(uuid in turn.prompts for uuid in frame.answered)
        if frame.num_turns == 0 and not (turn.worked or frame.is_error or turn.interrupting):
            turn.pending = ("completed", None)
            return False
        return True

    def _stray_result(self, frame: f.Result, raw: Any) -> None:
        """A result with no turn open: an error is worth knowing, a count of nothing is not."""
        if frame.is_error:
            self._out.append(d.ProviderError(error_of(frame), code=frame.error_status))
        elif frame.num_turns != 0 and frame.origin != _OWN_NOTIFICATION:
            self._homeless(raw, "result")

    def _idle(self, frame: f.Idle, raw: Any) -> None:
        if self._turn.open and self._turn.pending is not None:
            self._end(*self._turn.pending)

    # -- facts of the session ------------------------------------------------------------------------

    def _init(self, frame: f.Init, raw: Any) -> None:
        self._work.cwd = self._work.cwd or frame.cwd
        if frame.mode is not None:
            self._mode_is(frame.mode)

    def _mode_is(self, mode: str) -> None:
        if mode != self._mode:
            self._mode = mode
            self._out.append(d.ExtensionState("claude-code.mode", {"permissionMode": mode}))

    def _said(self, frame: f.Said, raw: Any) -> None:
        if self._has_home(None, None):
            self._turn.said = True
            self._text.whole(self._out, None, None, "agentMessage", frame.text)

    def _fact(self, frame: f.Frame, raw: Any) -> None:
        match frame:
            case f.Mode():
                self._mode_is(frame.mode)
            case f.Warn():
                self._out.append(d.ProviderWarning(frame.text))
            case f.Fallback():
                self._out.append(d.ProviderModelFallback(frame.model, frame.previous, frame.reason))
            case f.Limits():
                self._out.append(d.ProviderRateLimits(frame.limits))
            case f.Goal():
                if frame.goal != self._goal:
                    self._goal = frame.goal
                    self._out.append(d.ExtensionState("claude-code.goal", frame.goal))
            case f.Compacted():
                self._turn.worked = True
                self._out.append(d.ContextCompacted())
            case f.Cleared():
                self._turn.worked = True
                self._out.append(d.ContextCleared())
            case f.Unknown():
                self._homeless(raw, frame.kind)


_HANDLERS: dict[type, Callable[[ClaudeLane, Any, Any], None]] = {
    f.Assistant: ClaudeLane._assistant,
    f.User: ClaudeLane._user,
    f.Stream: ClaudeLane._stream,
    f.Result: ClaudeLane._result,
    f.Init: ClaudeLane._init,
    f.Task: ClaudeLane._task,
    f.Denied: ClaudeLane._denied,
    f.Said: ClaudeLane._said,
    f.Idle: ClaudeLane._idle,
    **dict.fromkeys(
        (f.Mode, f.Warn, f.Fallback, f.Limits, f.Goal, f.Compacted, f.Cleared, f.Unknown), ClaudeLane._fact
    ),
}
