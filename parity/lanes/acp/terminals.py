"""Terminals: what each shows, how it ended, and the call that shows it (S14).

A terminal is the client's (version 1: `terminal/*` requests) or the agent's (version 2: its bytes cross as
they are printed, and a UTF-8 character may be split between two messages). It and its call may come in
either order. A released or ended terminal is remembered until its turn ends, so that a call settling
afterwards still has its output and exit code (of the newest, up to a bound); an unknown one costs the call
nothing.
"""

from __future__ import annotations

import codecs

from parity.grammar.newest import Newest
from parity.lanes.acp.calls import Call
from parity.lanes.acp.frames import TerminalFrame
from parity.lanes.policy import REMEMBERED_CALLS

_Utf8 = codecs.getincrementaldecoder("utf-8")


class _Terminal:
    __slots__ = ("_decoder", "_pieces", "call", "command", "cwd", "exit_code", "output", "over", "signal")

    def __init__(self) -> None:
        self.call: Call | None = None
        self.command: str | None = None
        self.cwd: str | None = None
        self.output: str | None = None
        self.exit_code: int | None = None
        self.signal: str | None = None
        self.over = False  # released, or its command ended
        self._decoder: codecs.IncrementalDecoder | None = None
        self._pieces: list[str] = []

    def append(self, data: bytes) -> str:
        """More bytes were printed; returns the characters they complete."""
        if self._decoder is None:
            self._decoder = _Utf8(errors="replace")
        text = self._decoder.decode(data)
        if text:
            self._pieces.append(text)
        return text

    def replace(self, data: bytes) -> None:
        """All the bytes there are."""
        self._decoder = None
        self._pieces = []
        self.append(data)
        self.output = ""

    def shown(self) -> str | None:
        """All it shows by now; None where it showed nothing yet."""
        if self._pieces:
            self.output = "".join((self.output or "", *self._pieces))
            self._pieces = []
        return self.output

    def whole(self) -> str | None:
        """All it showed, with a mark for a character that was never completed."""
        text = self.shown()
        rest = self._decoder.getstate()[0] if self._decoder is not None else b""
        return f"{text or ''}\ufffd" if rest else text


class Terminals:
    """The terminals of one session."""

    def __init__(self) -> None:
        self._known: dict[str, _Terminal] = {}
        self._named: Newest[str] = Newest(REMEMBERED_CALLS)

    def _terminal(self, terminal_id: str) -> _Terminal:
        terminal = self._known.get(terminal_id)
        if terminal is None:
            terminal = self._known[terminal_id] = _Terminal()
            forgotten = self._named.add(terminal_id)
            if forgotten is not None:
                del self._known[forgotten]
        return terminal

    def attach(self, terminal_id: str, call: Call) -> str | None:
        """The call shows this terminal; returns what it shows so far."""
        terminal = self._terminal(terminal_id)
        terminal.call = call
        return terminal.shown()

    def call(self, terminal_id: str) -> Call | None:
        """The call that shows the terminal."""
        terminal = self._known.get(terminal_id)
        return terminal.call if terminal is not None else None

    def describe(self, call: Call) -> None:
        """Let the call know what its terminals run, where it does not know itself."""
        for terminal_id in call.terminals or ():
            terminal = self._known.get(terminal_id)
            if terminal is not None:
                call.command, call.cwd = terminal.command or call.command, terminal.cwd or call.cwd

    def output(self, terminal_id: str, output: str, exit_code: int | None, signal: str | None) -> None:
        """All the terminal shows now; the exit when it has ended."""
        terminal = self._terminal(terminal_id)
        terminal.output = output
        self.ended(terminal_id, exit_code, signal)

    def ended(self, terminal_id: str, exit_code: int | None, signal: str | None) -> None:
        """The terminal's command ended; what was not said stays as it was."""
        terminal = self._terminal(terminal_id)
        terminal.exit_code = exit_code if exit_code is not None else terminal.exit_code
        terminal.signal = signal if signal is not None else terminal.signal

    def released(self, terminal_id: str) -> None:
        """The agent is done with the terminal."""
        terminal = self._known.get(terminal_id)
        if terminal is not None:
            terminal.over = True

    def news(self, frame: TerminalFrame) -> str | None:
        """What the agent says of its terminal; returns the text to append, None where all is said anew."""
        terminal = self._terminal(frame.id)
        if frame.appends:
            return terminal.append(frame.output or b"")
        for field in frame.cleared:
            if field == "output":
                terminal.replace(b"")
            elif field == "exit":
                terminal.exit_code, terminal.signal, terminal.over = None, None, False
            else:
                setattr(terminal, field, None)
        terminal.command = frame.command if frame.command is not None else terminal.command
        terminal.cwd = frame.cwd if frame.cwd is not None else terminal.cwd
        if frame.output is not None:
            terminal.replace(frame.output)
        if frame.ended:
            terminal.exit_code, terminal.signal, terminal.over = frame.exit_code, frame.signal, True
        return None

    def shown(self, terminal_id: str) -> str:
        """All the terminal shows by now."""
        terminal = self._known.get(terminal_id)
        return (terminal.shown() if terminal is not None else None) or ""

    def result(self, call: Call) -> tuple[str | None, int | None, str | None]:
        """Output, exit code and signal of the call's last terminal that said any."""
        output: str | None = None
        exit_code: int | None = None
        signal: str | None = None
        for terminal_id in call.terminals or ():
            terminal = self._known.get(terminal_id)
            if terminal is not None:
                shown = terminal.whole()
                output = shown if shown is not None else output
                exit_code = terminal.exit_code if terminal.exit_code is not None else exit_code
                signal = terminal.signal if terminal.signal is not None else signal
        return output, exit_code, signal

    def end_turn(self) -> None:
        """The turn's calls are gone; terminals that are over go with them."""
        for terminal_id in [key for key, terminal in self._known.items() if terminal.over]:
            del self._known[terminal_id]
            self._named.discard(terminal_id)
        for terminal in self._known.values():
            terminal.call = None
