"""What bounds a live agent and what it asks of the host: bytes, seconds, counts."""

from __future__ import annotations

from msgspec import Struct

_MIB = 1024 * 1024


class Limits(Struct, frozen=True, kw_only=True):
    """The bounds of one live bridge. Sizes are bytes, times seconds."""

    line: int = 64 * _MIB
    """The longest line an agent may write; no recording takes one over `MAX_LINE_BYTES` (S52)."""
    burst: int = 128 * _MIB
    """What an agent may write between two messages of the runtime."""
    noise: int = 100_000
    """Lines that are not JSON an agent may write between two messages of the runtime."""
    unread: int = 128 * _MIB
    """What may wait for an agent that does not read its standard input."""
    silence: float | None = 600.0
    """How long an agent may be silent while somebody waits for it and it waits for nobody; None: forever."""
    grace: float = 2.0
    """How long an agent gets after the end of its input, and again after SIGTERM."""
    drain: float = 0.25
    """How long the output of a process that ended is read on, where something else holds it open."""
    file: int = 8 * _MIB
    """The longest text a file is read or written with."""
    terminal_output: int = _MIB
    """The output kept of a terminal that asks for no limit, and the most it may ask for."""
    terminals: int = 32
    """Terminals at one time."""
