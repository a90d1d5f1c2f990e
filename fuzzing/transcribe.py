"""Write a session down as a cell: a finding, minimised, becomes a recording that guards its fix.

    python fuzzing/transcribe.py PROVIDER CELL DESCRIPTION < session.ndjson
    parity rerecord -p PROVIDER -c CELL

Each line of the session is a message to the bridge: {"runtime": …}, {"agent": …} (or {"agent": "text"} for a
line that is no JSON), {"host": result} for the oldest request that only the host can serve, or {"gone": why}
when the agent is no more. What the bridge says in between is written down as it says it. The cell goes to
`recordings/regressions/` (`--into` names another folder); an old one of that name is replaced.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict, deque
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from parity.bridges import HostCall, ToProvider, bridge_for  # noqa: E402
from parity.wire import (  # noqa: E402
    BRIDGE_TO_PROVIDER,
    BRIDGE_TO_RUNTIME,
    PROVIDER_TO_BRIDGE,
    RUNTIME_TO_BRIDGE,
    LaneLine,
    Manifest,
    create_cell,
    decode,
    encode,
)

_BEGAN = 1767225600000


class Transcript:
    """The lanes of a session as it is played."""

    def __init__(self, provider: str) -> None:
        self.lanes: dict[str, list[LaneLine]] = defaultdict(list)
        self._bridge = bridge_for(provider)
        self._hosts: deque[HostCall] = deque()
        self._seq = 0

    def play(self, step: dict[str, Any]) -> None:
        """One line of the session."""
        ((side, message),) = step.items()
        if side == "gone":
            told = {"jsonrpc": "2.0", "method": "error", "params": {"message": message}}
            self._write(BRIDGE_TO_RUNTIME, encode(told).decode())
        elif side == "host":
            call = self._hosts.popleft()
            answer = {"jsonrpc": "2.0", "id": call.request_id, "result": message}
            self._write(BRIDGE_TO_PROVIDER, encode(answer).decode())
            self._take(self._bridge.host_result(call.token, message))
        elif isinstance(message, str):
            self._write(PROVIDER_TO_BRIDGE, message)
        else:
            text = encode(message).decode()
            self._write(RUNTIME_TO_BRIDGE if side == "runtime" else PROVIDER_TO_BRIDGE, text)
            take = self._bridge.runtime if side == "runtime" else self._bridge.provider
            self._take(take(decode(text)))

    def _take(self, outputs: Any) -> None:
        for output in outputs:
            if isinstance(output, HostCall):
                self._hosts.append(output)
            elif isinstance(output, ToProvider):
                self._write(BRIDGE_TO_PROVIDER, encode(output.message).decode())
            elif output.message.get("method") == "interaction/request":
                self._write(BRIDGE_TO_RUNTIME, encode(output.message).decode())

    def _write(self, lane: str, text: str) -> None:
        self._seq += 1
        self.lanes[lane].append(LaneLine(_BEGAN + 7 * self._seq, 1, self._seq, lane, text))


def main() -> None:
    """Read the session, write the cell."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("provider")
    parser.add_argument("cell")
    parser.add_argument("description")
    parser.add_argument("--into", type=Path, default=HERE.parent / "recordings" / "regressions")
    options = parser.parse_args()
    transcript = Transcript(options.provider)
    for line in sys.stdin:
        if line.strip():
            transcript.play(json.loads(line))
    manifest = Manifest(
        provider=options.provider,
        cell=options.cell,
        thread_id="thread-1",
        scope="thread",
        recorded_at="2026-01-01T00:00:00Z",
        origin="transcribed",
        description=options.description,
        bridge_runs=1,
    )
    cell = create_cell(options.into, manifest, transcript.lanes, replace=True)
    sys.stdout.write(f"{cell.path}: {sum(map(len, transcript.lanes.values()))} lines\n")


if __name__ == "__main__":
    main()
