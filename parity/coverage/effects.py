"""Effects: what a bridge said because of a message, in short labels.

A refusal and an `unhandled` delta are no effect: the first says that nothing was done, the second that
nothing is known. Knows deltas and messages of the bridge, no protocol.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from parity.bridges import HostCall, Message, Output, ToRuntime
from parity.grammar import deltas as d
from parity.wire import decode, encode


def effects(outputs: Iterable[Output]) -> list[str]:
    """The labels of what was said, each once; empty where nothing came of the message."""
    found: dict[str, None] = {}
    for output in outputs:
        for label, _ in _told(output):
            found[label] = None
    return list(found)


def told(outputs: Sequence[Output]) -> list[tuple[str, Any]]:
    """(label, document) of everything that is an effect, in order: for comparing two runs."""
    return [(label, decode(encode(what))) for output in outputs for label, what in _told(output)]


def _told(output: Output) -> Iterable[tuple[str, Any]]:
    if isinstance(output, HostCall):
        return [(f"host call {output.method}", output)]
    message = output.message
    if not isinstance(output, ToRuntime):
        return [] if _refuses(message) else [(_to_agent(message), message)]
    method = message.get("method")
    if method == "thread/delta":
        deltas = message["params"]["deltas"]
        return [(_label(delta), delta) for delta in deltas if not isinstance(delta, d.Unhandled)]
    if method == "interaction/request":
        return [(f"interaction/request {message['params']['payload'].get('kind')}", message)]
    return [(method if isinstance(method, str) else "answer to the runtime", message)]


def _label(delta: Any) -> str:
    kind = str(delta.__struct_config__.tag)
    if isinstance(delta, d.ItemOpen):
        return f"{kind} {delta.item['type']}"
    if isinstance(delta, (d.TextDelta, d.TextClose)):
        return f"{kind} {delta.key.channel}"
    status = getattr(delta, "status", None)
    return f"{kind} {status}" if isinstance(status, str) else kind


def _to_agent(message: Message) -> str:
    method = message.get("method")
    return f"request {method}" if isinstance(method, str) else "answer to the agent"


def _refuses(message: Message) -> bool:
    """Whether it is an error as the answer to the agent's request."""
    body = message.get("response")
    refused = isinstance(body, dict) and body.get("subtype") == "error"
    return refused or ("method" not in message and message.get("error") is not None)
