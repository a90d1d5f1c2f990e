"""What a recording's wire says by itself, to hold rows and events against: no pin and no bridge is asked.

Reads the raw lines of the agent's two lanes. It errs on the side of silence: what the wire says in a form
this file does not know proves nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from parity.wire import BRIDGE_TO_PROVIDER, PROVIDER_TO_BRIDGE, Cell, JsonError, decode, encode

Json = dict[str, Any]

_CODE = re.compile(r'"(?:exit_?[cC]ode|exit)\\?":\s?(-?\d+)|Exit [cC]ode:? (-?\d+)|exit_code:\*\* (-?\d+)')
_TERMINAL = re.compile(r'"terminalId":\s?("(?:[^"\\]|\\.)*")')
_SETTLES = ("item/completed", "item/delegation/completed", "item/backgroundTask/completed")


class Wire:
    """The agent's two lanes of a cell, raw."""

    def __init__(self, cell: Cell) -> None:
        lanes = (PROVIDER_TO_BRIDGE, BRIDGE_TO_PROVIDER)
        self.lines = [line.line for line in cell.lines() if line.dir in lanes]
        self._begun: Counter[str] | None = None

    def about(self, call: str) -> Iterator[str]:
        """The lines that name a call."""
        name = encode(call).decode()
        return (line for line in self.lines if name in line)

    def codes(self, call: str) -> set[int]:
        """The exit codes said of a call or of a terminal it shows, but for those said while it still ran."""
        shown = {name for line in self.about(call) for name in _TERMINAL.findall(line)}
        said = [line for line in self.about(call) if '"status":"in_progress"' not in line]
        said += [line for line in self.lines if any(f'"terminalId":{name}' in line for name in shown)]
        return {
            int(next(code for code in match.groups() if code))
            for line in said
            for match in _CODE.finditer(line)
        }

    def begun(self) -> Counter[str]:
        """How often each call begins: a `tool_call` naming it after it had settled counts anew (ACP), and so
        does an `item/started`, in each thread of its own (codex)."""
        if self._begun is None:
            self._begun = _begun(self.lines)
        return self._begun


def _begun(lines: Iterable[str]) -> Counter[str]:
    counts: Counter[str] = Counter()
    settled: set[str] = set()
    for line in lines:
        try:
            message = decode(line)
        except (JsonError, ValueError):
            continue
        params = _member(message, "params")
        update = _member(params, "update")
        call = str(update.get("toolCallId"))
        if update.get("sessionUpdate") == "tool_call" and (call not in counts or call in settled):
            counts[call] += 1
            settled.discard(call)
        if update.get("status") in ("completed", "failed"):
            settled.add(call)
        if isinstance(message, dict) and message.get("method") == "item/started":
            counts[str(_member(params, "item").get("id"))] += 1
    return counts


def _member(value: Any, name: str) -> Json:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def doubled(rows: Iterable[Json], wire: Wire) -> dict[str, int]:
    """Calls with more rows than the wire begins them: call → its rows."""
    shown = Counter(row["providerItemId"] for row in rows if "providerItemId" in row)
    begun = wire.begun()
    return {call: count for call, count in shown.items() if count > max(1, begun[call])}


def unnamed(rows: Iterable[Json], wire: Wire) -> list[Json]:
    """Rows of calls that the wire does not name."""
    named = {row["providerItemId"] for row in rows if "providerItemId" in row}
    invented = {call for call in named if not any(wire.about(call))}
    return [row for row in rows if row.get("providerItemId") in invented]


def invented_codes(rows: Iterable[Json], wire: Wire) -> list[Json]:
    """Rows with an exit code that the wire says nowhere about their call."""
    return [
        row
        for row in rows
        if row.get("exitCode") is not None
        and "providerItemId" in row
        and row["exitCode"] not in wire.codes(row["providerItemId"])
    ]


def apart(events: Iterable[Json]) -> list[Json]:
    """The events with item ids, which are ordinals of their thread, made unique in the cell."""
    return [_with_thread(event) for event in events]


def torn_texts(events: Sequence[Json]) -> list[tuple[str, str]]:
    """(streamed, whole) of each message whose whole text is not what was streamed."""
    return list(_torn(events, "item/agentMessage/delta", "agentMessage", "text"))


def torn_outputs(events: Sequence[Json]) -> list[tuple[str, str]]:
    """(streamed, whole) of each command whose whole output is not what was streamed."""
    return list(_torn(events, "item/commandExecution/outputDelta", "commandExecution", "aggregatedOutput"))


def _torn(events: Sequence[Json], delta: str, kind: str, field: str) -> Iterator[tuple[str, str]]:
    streamed: dict[str, str] = {}
    for event in events:
        if event["type"] == delta:
            before = "" if event.get("reset") else streamed.get(event["itemId"], "")
            streamed[event["itemId"]] = before + event["delta"]
        elif event["type"] == "item/completed" and event["item"].get("type") == kind:
            pair = streamed.get(event["item"]["id"], ""), event["item"].get(field, "")
            if pair[0] != pair[1]:
                yield pair


def unsettled(events: Iterable[Json]) -> set[str]:
    """Items that were opened and not settled by the end; an item settled unopened counts too."""
    items: set[str] = set()
    for event in events:
        if event["type"] == "item/started":
            items.add(event["item"]["id"])
        elif event["type"] in _SETTLES:
            item = event["item"]["id"]
            items.symmetric_difference_update({item})
    return items


def _with_thread(event: Json) -> Json:
    thread = event["threadId"]
    if "itemId" in event:
        event = {**event, "itemId": f"{thread}/{event['itemId']}"}
    if isinstance(event.get("item"), dict):
        event = {**event, "item": {**event["item"], "id": f"{thread}/{event['item']['id']}"}}
    return event
