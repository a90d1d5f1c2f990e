"""Everything the agent's schema allows goes through the bridge: no exception, no lost end, nothing silent.

Instances are made from the schema that `codex app-server` prints; what the lane cannot place is counted by
type and printed (`pytest -s`).
"""

from __future__ import annotations

import sys
from collections import Counter
from random import Random
from typing import Any

import pytest
from codex_frames import CODEX, TURN, CodexRun, branches, schema
from hypothesis import given, settings
from hypothesis import strategies as st
from schema_instances import first, instance, last

from parity.lanes.codex.known import (
    HANDLED_NOTIFICATIONS,
    IGNORED_NOTIFICATIONS,
    ITEM_TYPES,
    SERVER_REQUESTS,
)

NOTIFICATIONS = branches("ServerNotification")
REQUESTS = branches("ServerRequest")
ITEMS = {
    branch["properties"]["type"]["enum"][0]: branch
    for branch in schema("ServerNotification")["definitions"]["ThreadItem"]["oneOf"]
}
SEEDS = st.integers(0, 2**32)
UNHANDLED: Counter[str] = Counter()


@pytest.fixture(scope="module", autouse=True)
def table() -> Any:
    """The counts of what was kept as unhandled, once all of this file has run."""
    yield
    lines = [f"unhandled {count:4} × {raw_type}\n" for raw_type, count in sorted(UNHANDLED.items())]
    sys.stdout.write("\n" + "".join(lines))


def placed(params: Any) -> Any:
    """Params about the open turn of our thread."""
    if not isinstance(params, dict):
        return params
    for name, value in (("threadId", CODEX), ("conversationId", CODEX), ("turnId", TURN)):
        if name in params:
            params[name] = value
    return params


def made(document: str, branch: dict[str, Any], choose: Any) -> Any:
    params = branch["properties"].get("params", {})
    return placed(instance(params, schema(document)["definitions"], choose))


def ends(run: CodexRun) -> None:
    """The turn settles once, whatever was said in it, and so does everything in it."""
    if len(run.of("turn/started")) > len(run.of("turn/completed")):
        run.over()
    if len(run.of("turn/started")) > len(run.of("turn/completed")):
        run.tell("thread/closed")
    events = run.finish().events
    assert len(run.of("turn/completed")) == len(run.of("turn/started"))
    started = {event["item"]["id"] for event in events if event["type"] == "item/started"}
    settled = {
        event["item"]["id"] for event in events if event["type"].endswith("/completed") and "item" in event
    }
    background = {e["item"]["id"] for e in run.of("item/started") if e["item"].get("background")}
    assert started - settled <= background
    assert run.drops == {}
    UNHANDLED.update(event["rawType"] for event in run.of("provider/unhandled"))


def test_the_lists_name_exactly_what_the_schema_has() -> None:
    assert set(NOTIFICATIONS) == HANDLED_NOTIFICATIONS | set(IGNORED_NOTIFICATIONS)
    assert set(ITEMS) == set(ITEM_TYPES)
    assert set(REQUESTS) == set(SERVER_REQUESTS)


@pytest.mark.parametrize("choose", [first, last])
@pytest.mark.parametrize("method", sorted(NOTIFICATIONS))
def test_every_notification_passes_and_the_turn_still_ends(method: str, choose: Any) -> None:
    run = CodexRun().turn()
    params = made("ServerNotification", NOTIFICATIONS[method], choose)
    run.tell(method, **({"threadId": CODEX} | params if isinstance(params, dict) else {}))
    ends(run)


@pytest.mark.parametrize("method", sorted(NOTIFICATIONS))
@given(seed=SEEDS)
@settings(max_examples=10, deadline=None)
def test_any_notification_of_the_schema_passes(method: str, seed: int) -> None:
    choose = Random(seed).randrange
    run = CodexRun().turn()
    run.tell(method, **{"threadId": None, **made("ServerNotification", NOTIFICATIONS[method], choose)})
    ends(run)


@pytest.mark.parametrize("kind", sorted(ITEMS))
@given(seed=SEEDS)
@settings(max_examples=25, deadline=None)
def test_any_item_of_the_schema_opens_and_settles(kind: str, seed: int) -> None:
    choose = Random(seed).randrange
    definitions = schema("ServerNotification")["definitions"]
    run = CodexRun().turn()
    for method in (run.begin, run.end):
        method({**instance(ITEMS[kind], definitions, choose), "id": "i1", "type": kind})
    ends(run)
    assert run.all_rows("unhandled") == [] or kind == "subAgentActivity"


@pytest.mark.parametrize("method", sorted(REQUESTS))
@given(seed=SEEDS, decision=st.sampled_from(["allowed", "denied", "cancelled"]))
@settings(max_examples=25, deadline=None)
def test_every_request_of_the_schema_is_answered_once(method: str, seed: int, decision: str) -> None:
    run = CodexRun().turn()
    run.ask(method, "r1", **made("ServerRequest", REQUESTS[method], Random(seed).randrange))
    for question in run.asked:
        run.decide(question, decision=decision)
    assert [answer["id"] for answer in run.answers()] == ["r1"]
    ends(run)
