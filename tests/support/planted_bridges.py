"""Bridges with one bug each. `BUGS` has them by name.

`python planted_bridges.py NAME` is the same bug as a process on standard input and output, behind an agent of
its own; a name that is none is the bridge without a bug.
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
from collections.abc import Sequence

import planted_connections
import planted_turns
from planted import BUGS, Planted

from parity.bridges import HostCall, Output, ToProvider
from parity.wire import LineSplitter, encode

__all__ = ["BUGS", "Planted", "planted_connections", "planted_turns"]


def main(name: str) -> None:
    """The bug on standard input and output; `fails-at-its-end` has no other."""
    bridge = BUGS.get(name, Planted)()
    command = json.loads(os.environ["PARITY_AGENT_COMMAND"])
    agent = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    assert agent.stdin is not None
    assert agent.stdout is not None

    def emit(outputs: Sequence[Output]) -> None:
        for output in outputs:
            if isinstance(output, HostCall):
                emit(bridge.host_error(output.token, {"code": -32000, "message": "not here"}))
            else:
                to = agent.stdin if isinstance(output, ToProvider) else sys.stdout.buffer
                to.write(encode(output.message) + b"\n")  # type: ignore[union-attr]
        sys.stdout.buffer.flush()

    selector = selectors.DefaultSelector()
    for fd, take in ((0, bridge.runtime), (agent.stdout.fileno(), bridge.provider)):
        selector.register(fd, selectors.EVENT_READ, (take, LineSplitter()))
    while True:
        for key, _ in selector.select():
            take, splitter = key.data
            chunk = os.read(key.fd, 65536)
            if not chunk:
                sys.exit(7 if name == "fails-at-its-end" else 0)
            for line in splitter.feed(chunk):
                try:
                    message = json.loads(line)
                except ValueError:
                    continue
                emit(take(message))


if __name__ == "__main__":
    main(sys.argv[1])
