"""Every update and request of the published ACP version 2 schema, as generated instances, in a turn."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from acp_frames import notice, request
from acp_v2_frames import AcpV2Run, command, idle, prompted
from acp_v2_frames import call as tool
from schema_instances import first, instance, last

from parity.lanes.acp import decisions
from parity.lanes.acp.reader_v2 import UPDATES

SCHEMA = json.loads(
    gzip.decompress((Path(__file__).parents[2] / "data" / "acp-schema-v2.json.gz").read_bytes())
)
DEFINITIONS = SCHEMA["$defs"]
KINDS = {
    branch["properties"]["sessionUpdate"].get("const", "_vendor_update"): branch
    for branch in DEFINITIONS["SessionUpdate"]["anyOf"]
}
TOLD = sorted(
    (definition["x-method"], name)
    for name, definition in DEFINITIONS.items()
    if definition.get("x-side") in ("client", "protocol") and name.endswith(("Request", "Notification"))
)
"""(method, definition) of all an agent may say."""


def made(kind: str, choose: Callable[[int], int]) -> dict[str, Any]:
    """An instance of one kind: the branch's own member and all of the type it refers to."""
    body: dict[str, Any] = {}
    for part in KINDS[kind].get("allOf", []):
        body.update(instance(part, DEFINITIONS, choose))
    return {**body, "sessionUpdate": kind}


def choices() -> list[Callable[[int], int]]:
    """The smallest, the largest, and twenty drawn instances."""
    return [first, last, *(random.Random(seed).randrange for seed in range(20))]


def settled(run: AcpV2Run) -> bool:
    """Whether every turn ended and every item that began has settled."""
    open_items: set[str] = set()
    for event in run.events:
        if event["type"] == "item/started":
            open_items.add(event["item"]["id"])
        elif event["type"] == "item/completed":
            open_items.discard(event["item"]["id"])
    return not open_items and all(turn["status"] != "pending" for turn in run.turns)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_an_instance_never_breaks_the_lane_or_loses_a_terminal_state(kind: str) -> None:
    for choose in choices():
        run = prompted()
        said = made(kind, choose)
        run.feed(command("mine", status="in_progress"), said)
        run.feed(tool("mine", status="completed", raw_output={"exitCode": 0}), idle())
        assert settled(run)
        assert run.call("mine").get("exitCode") == (None if said.get("state") == "idle" else 0)


@pytest.mark.parametrize(("method", "name"), TOLD)
def test_every_request_is_answered_once_and_no_notification_breaks_anything(method: str, name: str) -> None:
    for choose in choices():
        run = prompted()
        params = instance(DEFINITIONS[name], DEFINITIONS, choose)
        params.pop("sessionId", None)
        is_request = name.endswith("Request")
        run.feed(request(method, 7, **params) if is_request else notice(method, **params))
        if run.asked:
            run.answer("allowed")
        run.feed(idle())
        assert len(run.responses(7)) == is_request
        assert settled(run) or method == "session/update"
        assert not run.unhandled or method == "session/update"


def test_what_is_unhandled_is_so_by_a_written_decision(capsys: pytest.CaptureFixture[str]) -> None:
    unhandled: Counter[str] = Counter()
    for kind in KINDS:
        for choose in choices():
            run = prompted()
            unhandled.update(event["rawType"] for event in run.feed(made(kind, choose)).unhandled)
    with capsys.disabled():
        print("\nunhandled ACP v2 updates by kind:", dict(unhandled) or "none")  # noqa: T201
    assert {kind for kind in unhandled if not kind.startswith("_")} <= set(decisions.KEPT_V2)


def test_the_reader_and_its_table_know_every_kind_of_the_schema() -> None:
    assert set(UPDATES) == set(KINDS) - {"_vendor_update"} == set(decisions.UPDATES_V2)
