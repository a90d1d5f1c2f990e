"""What a planted bug is made of: the real ACP bridge, and the four places where a bug changes something."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from parity.bridges import Output, ToProvider, ToRuntime
from parity.bridges.acp.bridge import AcpBridge
from parity.live.messages import read_deltas
from parity.wire import decode, encode

Json = dict[str, Any]

BUGS: dict[str, type[Planted]] = {}


class Planted:
    """No bug. A bug overrides one of the four: what is heard of either side, what is told to it."""

    def __init__(self) -> None:
        self.inner = AcpBridge("acp")
        self.envelope = self.inner.envelope
        self.extra: list[Output] = []

    def __init_subclass__(cls) -> None:
        BUGS["".join(f"-{c.lower()}" if c.isupper() else c for c in cls.__name__).strip("-")] = cls

    @property
    def noise(self) -> int:
        return self.inner.noise

    def hears_runtime(self, message: Any) -> Any:
        return message

    def hears_agent(self, message: Any) -> Any:
        return message

    def tells_runtime(self, message: Json) -> list[Json]:
        """Of a `thread/delta`, the deltas are plain documents."""
        return [message]

    def tells_agent(self, message: Json) -> list[Json]:
        return [message]

    def delta(self, delta: Json) -> list[Json]:
        """What becomes of one delta."""
        return [delta]

    # -- the bridge protocol ---------------------------------------------------------------------------

    def runtime(self, message: Any) -> Sequence[Output]:
        return self._out(self.inner.runtime(self.hears_runtime(message)))

    def provider(self, message: Any) -> Sequence[Output]:
        return self._out(self.inner.provider(self.hears_agent(message)))

    def host_result(self, token: int, result: Any) -> Sequence[Output]:
        return self._out(self.inner.host_result(token, result))

    def host_error(self, token: int, error: Json) -> Sequence[Output]:
        return self._out(self.inner.host_error(token, error))

    def _out(self, outputs: Sequence[Output]) -> list[Output]:
        bug, told = type(self), list[Output]()
        changes_deltas = bug.delta is not Planted.delta
        for output in outputs:
            if isinstance(output, ToRuntime) and (
                changes_deltas or bug.tells_runtime is not Planted.tells_runtime
            ):
                message = decode(encode(output.message))
                if message.get("method") == "thread/delta":
                    deltas = message["params"]["deltas"]
                    message["params"]["deltas"] = [one for delta in deltas for one in self.delta(delta)]
                told += [ToRuntime(_typed(one)) for one in self.tells_runtime(message)]
            elif isinstance(output, ToProvider):
                told += [ToProvider(one) for one in self.tells_agent(decode(encode(output.message)))]
            else:
                told.append(output)
        told, self.extra = told + self.extra, []
        return told

    def say(self, *deltas: Json, thread: str = "thread-1") -> None:
        """Deltas of its own, after what it says now."""
        params = {"threadId": thread, "deltas": list(deltas)}
        self.extra.append(ToRuntime(_typed({"method": "thread/delta", "params": params})))


def _typed(message: Json) -> Json:
    """The message with its deltas as structs, where they are some."""
    if message.get("method") != "thread/delta":
        return message
    deltas = [_struct(encode(delta)) for delta in message["params"]["deltas"]]
    return {**message, "params": {**message["params"], "deltas": deltas}}


@cache
def _struct(delta: bytes) -> Any:
    document = decode(delta)
    known, _ = read_deltas([document])
    return known[0] if known else document


def code(message: Json) -> Any:
    error = message.get("error")
    return error.get("code") if isinstance(error, dict) else None


def is_stop(message: Any, intent: str) -> bool:
    return (
        isinstance(message, dict)
        and message.get("method") == "thread/stop"
        and isinstance(message.get("params"), dict)
        and message["params"].get("intent") == intent
    )
