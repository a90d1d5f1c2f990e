"""What crosses a probe's wire, kept as it crosses: a client↔agent log, the four lanes, the lines in memory.

The log is the form `parity import` reads, `{"ts": ms, "dir": "client->agent", "line": "…"}`. Log and lanes
are raw: nothing is redacted in them.
"""

from __future__ import annotations

from pathlib import Path
from typing import IO

from parity.shell.lanes import LaneRecorder
from parity.wire import BRIDGE_TO_PROVIDER, PROVIDER_TO_BRIDGE, InputError, LaneLine, encode
from parity.wire.errors import unwritable

_SIDES = {BRIDGE_TO_PROVIDER: "client->agent", PROVIDER_TO_BRIDGE: "agent->client"}


class ProbeRecorder(LaneRecorder):
    """Records one agent; `count` lines so far."""

    def __init__(self, *, log: Path | None, lanes: Path | None, keep: bool, overwrite: bool) -> None:
        """`lanes` is a folder; `keep` holds the lines in `lines`. Raises InputError for a log that exists
        (unless `overwrite`) or a place that cannot be written."""
        self.count = 0
        self._log_path = log
        self._log: IO[bytes] | None = None
        super().__init__(lanes, keep=keep)
        if log is None:
            return
        try:
            log.parent.mkdir(parents=True, exist_ok=True)
            self._log = log.open("wb" if overwrite else "xb")
        except FileExistsError:
            self.close()
            raise InputError(log, None, "exists", "name another file, or replace it (--overwrite)") from None
        except OSError as error:
            self.close()
            raise unwritable(log, error) from error

    def append(self, lane: str, line: str) -> LaneLine:
        """Keep one line of a lane. Raises LineTooLong as ever."""
        entry = super().append(lane, line)
        self.count += 1
        side = _SIDES.get(lane)
        if self._log is not None and side is not None:
            self._log.write(encode({"ts": entry.ts, "dir": side, "line": line}) + b"\n")
            self._log.flush()
        return entry

    def close(self) -> None:
        """The probe is over; a log without a line is removed."""
        super().close()
        log, self._log = self._log, None
        if log is not None:
            log.close()
            if not self.count and self._log_path is not None:
                self._log_path.unlink(missing_ok=True)
