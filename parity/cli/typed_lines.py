"""Lines from standard input, one when it is asked for, while the event loop goes on.

Works for a terminal, a pipe, a file and nothing at all. A terminal is left as it is (no raw mode, no flags of
its file description, which standard output shares).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import termios

_CHUNK = 64 * 1024
_LONGEST = 16 * 1024 * 1024


class TypedLines:
    """Standard input. `is_terminal`: whether a person types it."""

    def __init__(self, fd: int = 0) -> None:
        self._fd = fd
        self._text = b""
        self._over = False
        try:
            self.is_terminal = os.isatty(fd)
        except OSError:
            self.is_terminal, self._over = False, True

    async def next(self) -> str | None:
        """The next line without its end; None at the end of the input."""
        while b"\n" not in self._text and not self._over and len(self._text) < _LONGEST:
            await self._ready()
            try:
                chunk = os.read(self._fd, _CHUNK)
            except OSError:  # not open, or the terminal is gone
                chunk = b""
            self._over = not chunk
            self._text += chunk
        if not self._text:
            return None
        line, _, self._text = self._text.partition(b"\n")
        return line.decode("utf-8", "replace").rstrip("\r")

    def forget(self) -> None:
        """Forget what was typed ahead: it is no answer to what is asked now."""
        self._text = b""
        with contextlib.suppress(termios.error):
            termios.tcflush(self._fd, termios.TCIFLUSH)

    async def _ready(self) -> None:
        """Wait until there is something to read; a file always has."""
        loop = asyncio.get_running_loop()
        ready = asyncio.Event()
        try:
            loop.add_reader(self._fd, ready.set)
        except OSError:
            return
        try:
            await ready.wait()
        finally:
            loop.remove_reader(self._fd)
