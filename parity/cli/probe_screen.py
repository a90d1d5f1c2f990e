"""What a probe shows: the timeline as it grows, plain lines where there is no terminal, or events as NDJSON.

On a terminal what is settled scrolls by and what still changes stands below it; elsewhere only the former is
printed. With `--json` standard output has events and one last document, and everything said to the user goes
to standard error.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.text import Text

from parity.capture.probe_rows import GrowingRows, Told
from parity.cli.output import console, error_console, write_json
from parity.cli.timeline import timeline
from parity.grammar import events as e
from parity.grammar.rows import Row
from parity.wire import encode

_SECONDS = 0.1
"""Between two looks at what still changes."""

_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_STDERR_LINES = 20
_WIDTH = 200


def clean(text: str) -> str:
    """What an agent wrote, fit for a terminal: no control characters."""
    return _CONTROL.sub("", text)


def one_line(text: str) -> str:
    """The first line of it, bounded."""
    line = (clean(text).strip().splitlines() or [""])[0]
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"


class _Growing:
    """The end of what still changes, as much as the terminal has lines for."""

    def __init__(self, lines: Callable[[], Iterable[Text]]) -> None:
        self._lines = lines

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        room = max(1, options.size.height - 2)
        for line in list(self._lines())[-room:]:
            line.no_wrap, line.overflow = True, "ellipsis"
            yield line


class Screen:
    """The user's terminal, or what stands for it. `rows` is the projector whose rows it shows."""

    def __init__(self, *, as_json: bool) -> None:
        self.rows = GrowingRows(self._told)
        self._json = as_json
        self._err = error_console()
        self._out = self._err if as_json else console()
        self._live: Live | None = None
        self._refreshing: asyncio.Task[None] | None = None

    def say(self, text: str, style: str = "dim") -> None:
        """Say something to the user, between the rows."""
        (self._err if self._live is None else self._out).print(Text(clean(text), style))

    def ask(self, text: str) -> None:
        """The words before what the user types."""
        self._err.print(Text(text, "bold cyan"), end="")

    def event(self, event: e.Event) -> None:
        """An event came."""
        if self._json:
            sys.stdout.write(encode(event).decode() + "\n")
            sys.stdout.flush()

    def document(self, document: object) -> None:
        """The last document of `--json`."""
        write_json(document)

    def line(self, text: Text) -> None:
        """A line of the result."""
        self._out.print(text)

    def failed(self, what: str, stderr: str) -> None:
        """The agent failed: one line, and the end of what it wrote to standard error."""
        self._err.print(Text(f"parity: {one_line(what)}", "red"))
        lines = [line for line in clean(stderr).splitlines() if line.strip()]
        if lines:
            self._err.print(Text("  its standard error ends:", "dim"))
        for line in lines[-_STDERR_LINES:]:
            self._err.print(Text(f"  {line[:_WIDTH]}", "dim"))

    # -- rows ----------------------------------------------------------------------------------------

    @contextmanager
    def growing(self) -> Iterator[None]:
        """While this lasts, what still changes is shown below the rest."""
        self._start()
        try:
            yield
        finally:
            self._stop()

    @contextmanager
    def resting(self) -> Iterator[None]:
        """While this lasts, nothing moves: somebody is asked something."""
        was_live = self._live is not None
        self._stop()
        try:
            yield
        finally:
            if was_live:
                self._start()

    def _start(self) -> None:
        if self._json or not self._out.is_terminal:
            return
        self._live = Live(
            get_renderable=lambda: _Growing(self._growing_lines),
            console=self._out,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._live.start()
        self._refreshing = asyncio.create_task(_refresh(self._live))

    def _stop(self) -> None:
        live, self._live = self._live, None
        if self._refreshing is not None:
            self._refreshing.cancel()
        if live is not None:
            live.stop()

    def _growing_lines(self) -> Iterator[Text]:
        for depth, row in self.rows.growing():
            yield from _cleaned(timeline([row], depth))

    def _told(self, what: Told, depth: int, row: Row) -> None:
        if self._json:
            return
        if what == "changed":
            self._out.print(Text("  " * depth + "  in the end:", "dim italic"))
        if what == "closed":
            row = {name: value for name, value in row.items() if name != "input"}
            row["title"] = str(row["status"])
        for line in _cleaned(timeline([row], depth)):
            self._out.print(line)


def _cleaned(lines: Iterable[Text]) -> Iterator[Text]:
    for line in lines:
        if _CONTROL.search(line.plain):
            line = Text(clean(line.plain))
        yield line


async def _refresh(live: Live) -> None:
    while True:
        await asyncio.sleep(_SECONDS)
        live.refresh()
