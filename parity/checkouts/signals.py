"""Signals wait while two checkouts are at work, so that what was made for them is always removed.

Knows the process's signal handlers. Must not know what is being cleaned up.

States: *waiting* (a signal is noted and, where `run` is at work, cancels it) until the block is left; then
the old handlers are back and the noted signal is raised again, to do what it would have done.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeVar

T = TypeVar("T")

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


class Stopped(BaseException):
    """A signal came; leave, cleaning up on the way."""


class Waiting:
    """The signal that came, if any."""

    def __init__(self) -> None:
        self.signal: int | None = None
        self._cancel: Callable[[], object] | None = None

    def note(self, number: int, frame: FrameType | None) -> None:
        """The handler: the first signal cancels, later ones change nothing."""
        if self.signal is None:
            self.signal = number
            if self._cancel is not None:
                self._cancel()

    def check(self) -> None:
        """Raises Stopped where a signal has come."""
        if self.signal is not None:
            raise Stopped

    def run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run the coroutine; a signal cancels it, and Stopped is raised once it has cleaned up."""

        async def cancellable() -> T:
            task, loop = asyncio.current_task(), asyncio.get_running_loop()
            assert task is not None
            self._cancel = lambda: loop.call_soon_threadsafe(task.cancel)
            try:
                self.check()
                return await work()
            finally:
                self._cancel = None

        try:
            return asyncio.run(cancellable())
        except asyncio.CancelledError:
            raise Stopped from None


@contextmanager
def signals_wait() -> Iterator[Waiting]:
    """Within the block SIGINT, SIGTERM and SIGHUP are noted only; the first is raised again at its end."""
    waiting = Waiting()
    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        for name in _NAMES:
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) not in (signal.SIG_IGN, None):
                before[number] = signal.signal(number, waiting.note)
    try:
        yield waiting
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if waiting.signal is not None:
            signal.raise_signal(waiting.signal)
            raise SystemExit(128 + waiting.signal)
