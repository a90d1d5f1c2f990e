"""An external bridge as a `Bridge`: any command that speaks the runtime protocol, driven by the replay.

One line goes in at a time, and its effects come out before the next: after each line the bridge is asked for
an unknown method (`$/parity/settle`), which the protocol obliges it to refuse. When it has, it has read all
that came before; the agent's side tells when a line was read and what was written to it. So the two sides
cannot overtake each other, and nothing waits but for a bridge that is silent where the recording is not.

`failed` is the state of no return: why the bridge is no longer driven. Knows the runtime protocol; must not
know recordings.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from parity.bridges import Message, Output, ToProvider, ToRuntime
from parity.bridges.base import Envelope
from parity.live import relay
from parity.live.messages import Malformed, read_deltas, read_message
from parity.live.process import BridgeProcess
from parity.replay.matching import IdKey, id_key
from parity.wire import JsonError, decode, encode

SETTLE = "$/parity/settle"
"""The unknown method whose refusal shows that the bridge has read all before it."""

START = 10.0
"""Seconds that a process may take until its first sign of life, beyond its timeout."""

LATE = 1.0
"""Seconds, at most, that a bridge gets at the end when it has said less than expected."""

_SETTLE_ID = "parity-settle-{}"
_SHOWN = 3


def agent_command(address: str) -> list[str]:
    """The command that starts the replay agent, which connects to the driver at `address`."""
    return [sys.executable, "-I", "-S", str(Path(relay.__file__).resolve()), address]


class ExternalBridge:
    """One process of an external bridge; `timeout` in seconds bounds each wait."""

    def __init__(self, process: BridgeProcess, envelope: Envelope, timeout: float) -> None:
        self.noise = 0
        self.envelope = envelope
        self.failed: str | None = None
        self.problems: list[str] = []
        self.wrong: list[tuple[str, str]] = []
        """(kind, what is wrong) of each unknown or malformed delta so far."""
        self._process = process
        self._timeout = timeout
        self._patience = timeout
        self._settles = 0
        self._settled = False
        self._outputs: list[Output] = []
        self._asked: dict[bool, Counter[str]] = {False: Counter(), True: Counter()}
        self._answered: Counter[IdKey] = Counter()
        self._malformed = 0

    # -- the bridge protocol -------------------------------------------------------------------------

    def runtime(self, message: Any) -> Sequence[Output]:
        """A message of the runtime; `initialize` also says how to start the agent."""
        if isinstance(message, dict) and message.get("method") == "initialize":
            params = message.get("params")
            params = {
                **(params if isinstance(params, dict) else {}),
                "agentCommand": self._process.agent_command,
            }
            message = {**message, "params": params}
        return self.runtime_line(encode(message))

    def provider(self, message: Any) -> Sequence[Output]:
        """A message of the agent."""
        return self.provider_line(encode(message))

    def host_result(self, token: int, result: Any) -> Sequence[Output]:
        """An external bridge makes its host calls itself."""
        return []

    def host_error(self, token: int, error: Message) -> Sequence[Output]:
        """An external bridge makes its host calls itself."""
        return []

    def agent_gone(self, reason: str) -> Sequence[Output]:
        """Its agent ends here; why, it finds out by itself."""
        if self.failed is None:
            self._process.end_agent()
            self._process.pump(lambda: bool(self._process.lines), min(LATE, self._timeout))
            self._settle()
        return self._take()

    def runtime_line(self, line: bytes) -> Sequence[Output]:
        """A line of the runtime, whatever it is."""
        if self.failed is None:
            self._process.write(line)
            self._settle()
        return self._take()

    def provider_line(self, line: bytes) -> Sequence[Output]:
        """A line of the agent, whatever it is."""
        process = self._process
        if self.failed is None and not self._wait(lambda: process.agent_runs):
            self._fail("has not started its agent (PARITY_AGENT_COMMAND)")
        if self.failed is None:
            process.write_as_agent(line)
            if not process.pump(lambda: process.drained, self._timeout):
                self._fail(f"did not read its agent's output for {self._timeout:g} s")
            self._settle()
        return self._take()

    # -- what the recording shows the bridge did -----------------------------------------------------

    def until_asked(self, method: str, number: int, *, provider: bool) -> Sequence[Output]:
        """Wait until the bridge has made this many such requests (or notifications) of one side."""
        asked = self._asked[provider]
        return self._until(lambda: asked[method] >= number)

    def until_answered(self, request_id: Any, number: int) -> Sequence[Output]:
        """Wait until the bridge has answered the agent's request of that id."""
        key = id_key(request_id)
        return self._until(lambda: self._answered[key] >= number)

    # -- the end -------------------------------------------------------------------------------------

    def more(self) -> Sequence[Output]:
        """What a bridge that has said less than expected says within a moment; [] when it stays silent."""
        process = self._process
        if self.failed is None:
            process.pump(lambda: bool(process.lines), min(LATE, self._timeout))
            self._read()
        return self._take()

    def end(self) -> None:
        """End its input and see that it ends; what it still says is not part of the recording."""
        process = self._process
        if self.failed is None:
            process.close_input()
            process.pump(lambda: False, self._timeout)
            if process.failure is not None or not process.ended:
                self._fail(f"did not end within {self._timeout:g} s of the end of its standard input")
            else:
                process.ended = False
                process.pump(lambda: process.exit_code is not None, self._timeout)
                if process.exit_code:
                    self._fail("failed at its end")
        if self._malformed > _SHOWN:
            self.problems.append(f"{self._malformed - _SHOWN} more lines of the bridge are malformed")
        self.kill()

    def kill(self) -> None:
        """End its processes, in any state."""
        self._process.kill()

    # -- inside --------------------------------------------------------------------------------------

    def _settle(self) -> None:
        """Wait until the bridge has read all that was sent, and take what it said meanwhile."""
        process = self._process
        if self.failed is None:
            self._settles += 1
            self._settled = False
            request = {
                "jsonrpc": "2.0",
                "id": _SETTLE_ID.format(self._settles),
                "method": SETTLE,
                "params": {},
            }
            process.write(encode(request))
            if self._settles == 1:
                process.pump(lambda: bool(process.lines) or process.agent_runs, START)
            if not process.pump(self._has_settled, self._timeout):
                self._fail(
                    f"was silent for {self._timeout:g} s; each request must be answered, also {SETTLE}"
                )
        if self.failed is None:
            process.flush_agent()
            if not process.pump(lambda: process.flushed, self._timeout):
                self._fail("ended")
        self._read()

    def _has_settled(self) -> bool:
        self._read()
        return self._settled

    def _until(self, condition: Any) -> Sequence[Output]:
        """Wait for what the recording shows; one that waited in vain once waits no more."""
        self._wait(condition)
        return self._take()

    def _wait(self, condition: Any) -> bool:
        def met() -> bool:
            self._read()
            return bool(condition())

        if met():
            return True
        if self.failed is None and not self._process.pump(met, self._patience):
            self._patience = 0
            self._read()
        return bool(condition())

    def _fail(self, what: str) -> None:
        """Drive the bridge no more, for the deepest reason known."""
        process, code = self._process, self._process.exit_code
        if process.failure is not None:
            what = process.failure
        elif process.ended:
            process.ended = False
            process.pump(lambda: process.exit_code is not None, min(LATE, self._timeout))
            code = process.exit_code
            what = "closed its standard output" if code is None else f"ended with {_exit(code)}"
        elif code is not None:
            what = f"ended with {_exit(code)}"
        tail = process.stderr_tail
        self.failed = f"the bridge {what}" + (f"; its standard error ends: {tail}" if tail else "")

    def _take(self) -> list[Output]:
        outputs, self._outputs = self._outputs, []
        return outputs

    def _read(self) -> None:
        """Read the lines that came."""
        lines, self._process.lines = self._process.lines, []
        for line in lines:
            self._from_bridge(line)
        told, self._process.told = self._process.told, []
        for line in told:
            self._to_agent(line)

    def _from_bridge(self, line: bytes) -> None:
        if not line.strip():
            return
        try:
            message = read_message(line)
        except Malformed as error:
            self._complain(f"the bridge wrote {error}")
            return
        method, message_id = message.get("method"), message.get("id")
        if method is None and message_id == _SETTLE_ID.format(self._settles):
            self._settled = True
            return
        if method == "thread/delta":
            known, wrong = read_deltas(message["params"]["deltas"])
            self.wrong += wrong
            message = {**message, "params": {**message["params"], "deltas": known}}
        elif method is not None:
            self._asked[False][method] += 1
        self._outputs.append(ToRuntime(message))

    def _to_agent(self, line: bytes) -> None:
        try:
            message = decode(line)
        except (JsonError, UnicodeDecodeError):
            message = None
        if not isinstance(message, dict):
            self._complain(f"the bridge wrote to its agent a line that is no message: {line[:120]!r}")
            return
        kind, method, message_id = self.envelope.read(message)
        if kind == "response":
            self._answered[id_key(message_id)] += 1
        elif method is not None:
            self._asked[True][method] += 1
        self._outputs.append(ToProvider(message))

    def _complain(self, problem: str) -> None:
        self._malformed += 1
        if self._malformed <= _SHOWN:
            self.problems.append(problem)


def _exit(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"signal {-code}"
