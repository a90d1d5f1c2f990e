"""What must hold of any session, whoever played it: checked on events, rows and what is still remembered.

`Truth` is what a player wrote down while it spoke as the agent: how often each call began in each turn, which
codes and statuses the wire said, which text it streamed. The checks know events and rows, and no provider.
"""

from __future__ import annotations

import gc
import types
from collections import Counter, defaultdict, deque
from collections.abc import Iterable
from typing import Any

from parity.grammar import events as e
from parity.grammar.rows import RowProjector, walk
from parity.lanes.policy import UNREPORTED
from parity.wire import decode, encode

Json = dict[str, Any]

_ENDINGS = ("item/completed", "item/delegation/completed", "item/backgroundTask/completed")
_STREAMS = {
    "item/agentMessage/delta": "message",
    "item/reasoning/textDelta": "thought",
    "item/reasoning/summaryTextDelta": "thought",
}


class CallTruth:
    """What the wire said of one life of a call."""

    def __init__(self) -> None:
        self.codes: set[int] = set()
        self.ended: str | None = None  # the first terminal status said
        self.endings: set[str] = set()  # others that its row may have
        self.denied = False
        self.cancelled = False  # nobody decided it
        self.snapshot: str | None = None  # the last whole output said, where that is all there is
        self.exact = True  # whether `snapshot` is all that was said of its output
        self.noted = True  # whether a completed turn owes a word about it where it was left open (S29)
        self.certain = True  # whether the player knows how its row must look


class Truth:
    """What the agent said, by thread and turn; turns are numbered from 1 as the events number them."""

    def __init__(self) -> None:
        self.calls: dict[tuple[str, str], dict[str, list[CallTruth]]] = defaultdict(lambda: defaultdict(list))
        self.text: dict[tuple[str, str, str], str] = defaultdict(str)  # (thread, turn, stream) → all of it
        self.unhandled: Counter[str] = Counter()
        self.ids: set[str] = set()


def events_by_thread(events: Iterable[e.Event]) -> dict[str, list[Json]]:
    """The events as documents, each thread's in order."""
    found: dict[str, list[Json]] = defaultdict(list)
    for event in events:
        document = decode(encode(event))
        found[document["threadId"]].append(document)
    return found


def rows_by_thread(events: Iterable[e.Event]) -> dict[str, list[Json]]:
    """Each thread's top-level rows."""
    projectors: dict[str, RowProjector] = defaultdict(RowProjector)
    rows: dict[str, list[Any]] = defaultdict(list)
    for event in events:
        rows[event.thread_id] += projectors[event.thread_id].feed(event)
    for thread, projector in projectors.items():
        rows[thread] += projector.flush()
    return {thread: decode(encode(found)) for thread, found in rows.items()}


def check_session(events: Iterable[e.Event], truth: Truth, *, exact: bool) -> None:
    """All that must hold of what came of a session: each thread's events and rows, and what is unhandled."""
    events = list(events)
    rows = rows_by_thread(events)
    unhandled: list[str] = []
    for thread, told in events_by_thread(events).items():
        check_settling(told)
        check_streams(told)
        check_rows(truth, thread, rows[thread], exact=exact)
        if exact:
            check_text(truth, thread, told)
        unhandled += [event["rawType"] for event in told if event["type"] == "provider/unhandled"]
    if exact:
        assert sorted(unhandled) == sorted(truth.unhandled.elements())


def check_settling(events: list[Json]) -> None:
    """Every turn and every item that began settled exactly once for each time it began."""
    open_items: set[str] = set()
    open_turns: set[str] = set()
    for event in events:
        if event["type"] == "item/started":
            open_items.add(event["item"]["id"])
        elif event["type"] in _ENDINGS:
            assert event["item"]["id"] in open_items, f"settled twice: {event}"
            open_items.discard(event["item"]["id"])
        elif event["type"] == "turn/started":
            assert not open_turns, f"two turns at once: {event}"
            open_turns.add(event["turnId"])
        elif event["type"] == "turn/completed":
            assert event["turnId"] in open_turns, f"ended twice: {event}"
            open_turns.discard(event["turnId"])
    assert not open_items, f"never settled: {open_items}"
    assert not open_turns, f"never ended: {open_turns}"


def check_lives(events: list[Json]) -> None:
    """A call is one item at a time: another begins under its id only once it has settled."""
    alive: dict[tuple[str, Any], str] = {}
    for event in events:
        item = event.get("item") or {}
        if "providerItemId" not in item or item["type"] in ("agentMessage", "reasoning", "plan"):
            continue  # a text may have a channel of its own under the same id
        call = item["providerItemId"], item.get("parentItemId")
        if event["type"] == "item/started":
            assert alive.setdefault(call, item["id"]) == item["id"], f"two items at once: {event}"
        elif event["type"] in _ENDINGS and alive.get(call) == item["id"]:
            del alive[call]


def check_once(row: Json) -> None:
    """An item is one row, wherever it stands."""
    ids = Counter(below["id"] for below in walk(row))
    assert max(ids.values()) == 1, f"shown twice: {ids.most_common(1)}"


def check_streams(events: list[Json]) -> None:
    """What was streamed is what stands in the settled item: output, messages, thoughts."""
    output: dict[str, str] = defaultdict(str)
    text: dict[str, str] = defaultdict(str)
    for event in events:
        if event["type"] == "item/commandExecution/outputDelta":
            before = "" if event.get("reset") else output[event["itemId"]]
            output[event["itemId"]] = before + event["delta"]
        elif event["type"] in _STREAMS:
            text[event["itemId"]] += event["delta"]
        elif event["type"] == "item/completed":
            item = event["item"]
            if item["type"] == "commandExecution":
                assert output[item["id"]] == item.get("aggregatedOutput", ""), f"output differs: {item}"
            elif item["type"] in ("agentMessage", "reasoning"):
                whole, seen = item.get("text", ""), text[item["id"]]
                # a piece the wire lost is not made up for: the whole text is the agent's last word
                assert whole == seen or not whole.startswith(seen), f"text differs: {item}"


def check_rows(truth: Truth, thread: str, rows: list[Json], *, exact: bool) -> None:
    """One row for each life of a call, with no code and no status that the wire did not say.

    `exact`: the player knows how the agent's frames read, so counts, statuses and outputs are equal; else
    nothing is more than was said.
    """
    for turn in (row for row in rows if row["kind"] == "turn"):
        found: dict[str, list[Json]] = defaultdict(list)
        for row in walk(turn):
            if "providerItemId" in row:
                found[row["providerItemId"]].append(row)
        for seen in found.values():  # in the order they began
            seen.sort(key=lambda row: int(row["id"].rpartition("-")[2]))
        said = truth.calls[thread, turn["id"]]
        for call_id, seen in found.items():
            assert len(seen) <= max(1, len(said.get(call_id, ()))), f"{len(seen)} rows for {call_id!r}"
            lives = said.get(call_id, [])
            if not all(life.certain for life in lives):  # which of these calls it was said of is open
                doubted = (life for others in said.values() for life in others if not life.certain)
                lives = [*lives, *doubted]
            codes = {code for life in lives for code in life.codes}
            assert all(row.get("exitCode") in codes | {None} for row in seen), f"a code nobody said: {seen}"
            endings = {life.ended for life in lives} | {"failed" for life in lives if life.denied}
            endings |= {status for life in lives for status in life.endings}
            endings |= {"failed" for code in codes if code}
            for row in seen:
                assert row["status"] not in ("completed", "failed") or row["status"] in endings, row
        if exact:
            for call_id, lives in said.items():
                if not all(life.certain for life in lives):
                    continue
                _check_lives(call_id, lives, found[call_id])
                if turn["status"] == "completed":
                    left = [life.noted and life.ended is None and not life.denied for life in lives]
                    noted = [row.get("detail") == UNREPORTED for row in found[call_id]]
                    assert noted == left, f"what was left open is not said to be (S29): {found[call_id]}"


def _check_lives(call_id: str, lives: list[CallTruth], rows: list[Json]) -> None:
    assert len(rows) == len(lives), f"{len(rows)} rows for {len(lives)} lives of {call_id!r}"
    for life, row in zip(lives, rows, strict=True):
        if life.ended is None:
            expected = "failed" if life.denied else "interrupted"
        else:
            expected = "failed" if row.get("exitCode") else life.ended
        assert row["status"] == expected, f"{row} but the wire said {life.ended}"
        if row["kind"] == "command" and life.exact and not life.denied:
            assert row.get("output", "") == (life.snapshot or ""), f"{row} but {life.snapshot!r} was shown"


def check_text(truth: Truth, thread: str, events: list[Json]) -> None:
    """The text of each turn is the concatenation of its chunks."""
    seen: dict[tuple[str, str], str] = defaultdict(str)
    for event in events:
        stream = _STREAMS.get(event["type"])
        if stream is not None:
            seen[event["scope"]["turnId"], stream] += event["delta"]
    said = {(turn, stream): text for (of, turn, stream), text in truth.text.items() if of == thread and text}
    assert dict(seen) == said


def remembered(root: Any, names: set[str]) -> set[str]:
    """Which of these strings something reachable from `root` still holds, but for deques with a bound."""
    skipped = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.CodeType)
    seen: set[int] = set()
    found: set[str] = set()
    waiting = [root]
    while waiting:
        value = waiting.pop()
        if id(value) in seen or isinstance(value, skipped):
            continue
        seen.add(id(value))
        if isinstance(value, str):
            if value in names:
                found.add(value)
            continue
        if isinstance(value, deque) and value.maxlen is not None:
            continue
        if isinstance(value, types.MethodType):
            waiting.append(value.__self__)
            continue
        waiting += gc.get_referents(value)
    return found
