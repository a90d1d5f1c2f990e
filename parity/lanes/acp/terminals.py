"""Client terminals: what each shows, how it ended, and the call that shows it (S14).

A terminal and its call may come in either order. A released terminal is remembered until its turn ends, so
that a call settling afterwards still has its output and exit code; an unknown one costs the call nothing.
"""

from __future__ import annotations

from parity.lanes.acp.calls import Call


class _Terminal:
    __slots__ = ("call", "exit_code", "output", "released", "signal")

    def __init__(self) -> None:
        self.call: Call | None = None
        self.output: str | None = None
        self.exit_code: int | None = None
        self.signal: str | None = None
        self.released = False


class Terminals:
    """The terminals of one session."""

    def __init__(self) -> None:
        self._known: dict[str, _Terminal] = {}

    def _terminal(self, terminal_id: str) -> _Terminal:
        return self._known.setdefault(terminal_id, _Terminal())

    def attach(self, terminal_id: str, call: Call) -> str | None:
        """The call shows this terminal; returns what it shows so far."""
        terminal = self._terminal(terminal_id)
        terminal.call = call
        return terminal.output

    def call(self, terminal_id: str) -> Call | None:
        """The call that shows the terminal."""
        terminal = self._known.get(terminal_id)
        return terminal.call if terminal is not None else None

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
            terminal.released = True

    def result(self, call: Call) -> tuple[str | None, int | None, str | None]:
        """Output, exit code and signal of the call's last terminal that said any."""
        output: str | None = None
        exit_code: int | None = None
        signal: str | None = None
        for terminal_id in call.terminals or ():
            terminal = self._known.get(terminal_id)
            if terminal is not None:
                output = terminal.output if terminal.output is not None else output
                exit_code = terminal.exit_code if terminal.exit_code is not None else exit_code
                signal = terminal.signal if terminal.signal is not None else signal
        return output, exit_code, signal

    def end_turn(self) -> None:
        """The turn's calls are gone; released terminals go with them."""
        for terminal_id in [key for key, terminal in self._known.items() if terminal.released]:
            del self._known[terminal_id]
        for terminal in self._known.values():
            terminal.call = None
