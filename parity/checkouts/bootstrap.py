"""What runs inside a side's process: it replays cells with that side's code and tells what came out.

A script, `python -E -P bootstrap.py IMPORT_FROM CACHE`: IMPORT_FROM is the folder that holds the side's
`parity`, CACHE takes its bytecode, so that none is read from or left in the tree. It knows the standard
library and three names of the side: `parity.wire.open_cell`, `parity.bridges.bridge_for` and
`parity.replay.replay.replay`. It must not use anything else of parity, for the side may be an old one; only
where asked for, `parity.live.play.Player` (a cell whose bridge is a command) and, if the side has it,
`parity.replay.provenance.replay_noting` (the recorded lines behind the rows).

Requests come as lines on standard input: `{"path", "provider", "command", "external", "provenance"}`;
`external` is null or says how the provider's bridge is started. Records go out as lines on what was standard
output (the side's own prints end on standard error), each a JSON array `[word, value]`: first `ready` or
`broken`; then for each request the streams' lines under `bridge`, `provider`, `events` and `rows`, perhaps
`lines` (those behind the rows), and one of `end` (the outcome), `unknown` (no bridge for that provider) or
`error`.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import platform
import sys
import time
import traceback
import types
from collections.abc import Callable
from typing import Any, BinaryIO

_FLUSH_SECONDS = 0.5
"""A slow replay shows that it goes on at least this often."""

LayerTeller = Callable[[bytes], None]


class Teller:
    """The records; also the sink of a replay."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._due = 0.0
        self.bridge = self._layer("bridge")
        self.provider = self._layer("provider")
        self.event = self._layer("events")
        self.row = self._layer("rows")

    def tell(self, word: str, value: Any) -> None:
        """One record, sent at once."""
        self._out.write(json.dumps([word, value]).encode() + b"\n")
        self._out.flush()

    def _layer(self, layer: str) -> LayerTeller:
        head = f'["{layer}",'.encode()

        def tell_line(line: bytes) -> None:
            self._out.write(head + line + b"]\n")
            now = time.monotonic()
            if now > self._due:
                self._due = now + _FLUSH_SECONDS
                self._out.flush()

        return tell_line


def stranger(import_from: str) -> str | None:
    """Why some loaded module of parity is not the side's own; None when all are."""
    inside = os.path.join(import_from, "parity") + os.sep
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "parity":
            file = getattr(module, "__file__", None)
            if not str(file).startswith(inside):
                return f"{name} was imported from {file}, not from {inside}"
    return None


def reason(error: BaseException) -> str:
    """The error in one line, with the place it was raised at."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    frames = traceback.extract_tb(error.__traceback__)
    return f"{text} ({frames[-1].filename}:{frames[-1].lineno})" if frames else text


def optional(module: str, name: str) -> Any:
    """What an older side may not have; None where it has not."""
    try:
        return getattr(importlib.import_module(module), name, None)
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.partition(".")[0] == "parity":
            return None
        raise


def serve(requests: BinaryIO, teller: Teller, import_from: str) -> int:
    """Import the side, then answer every request until there are no more."""
    try:
        importlib.import_module("parity")
        problem = stranger(import_from)
        if problem is None:
            from parity.bridges import bridge_for
            from parity.replay.replay import replay
            from parity.wire import open_cell

            problem = stranger(import_from)
    except BaseException as error:
        problem = f"its code cannot be imported: {reason(error)}"
    if problem is not None:
        teller.tell("broken", problem)
        return 1
    teller.tell("ready", {"python": platform.python_version()})

    def answer(request: dict[str, Any]) -> tuple[str, Any]:
        cell, provider, command = request["path"], request["provider"], request["command"]
        noted: Any = None
        if request["external"] is not None:
            new_player = optional("parity.live.play", "Player")
            if new_player is None:
                return "error", "this checkout is too old to drive a bridge that is a command"
            player = new_player(types.SimpleNamespace(**request["external"]))
            cell = open_cell(cell)
            outcome = player(cell, teller)
            noted = player.row_lines(cell) if hasattr(player, "row_lines") else None
        else:
            try:
                bridge_for(provider, command)
            except KeyError as error:
                if error.args != (provider,):
                    raise
                return "unknown", f"no bridge family serves {provider!r}"
            noting = optional("parity.replay.provenance", "replay_noting") if request["provenance"] else None
            work = (open_cell(cell), lambda: bridge_for(provider, command), teller)
            outcome, noted = noting(*work) if noting is not None else (replay(*work), None)
        if noted is not None and request["provenance"]:
            teller.tell("lines", noted)
        late = stranger(import_from)
        if late is not None:
            return "error", late
        names = ("lines", "events", "rows", "unhandled", "drops", "stalls", "unconsumed")
        return "end", {name: getattr(outcome, name) for name in names}

    for line in requests:
        request = json.loads(line)
        try:
            word, value = answer(request)
        except BaseException as error:
            word, value = "error", reason(error)
        teller.tell(word, value)
    return 0


def main(import_from: str, cache: str) -> int:
    """Take standard input and output for the records, put the side first on the path, and serve."""
    out = os.fdopen(os.dup(1), "wb", buffering=1 << 16)
    requests = os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    with contextlib.suppress(ImportError):
        importlib.import_module("msgspec")  # its bytecode is its own; only the side's goes to the cache
    for name in [name for name in sys.modules if name.partition(".")[0] == "parity"]:
        del sys.modules[name]  # some .pth file imported the installed one
    sys.path.insert(0, import_from)
    sys.pycache_prefix = cache
    return serve(requests, Teller(out), import_from)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
