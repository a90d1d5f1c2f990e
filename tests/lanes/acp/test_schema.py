"""Every `sessionUpdate` of the published ACP schema, as generated instances, goes through bridge and lane."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from acp_frames import AcpRun, prompted, tool_call, update
from schema_instances import first, instance, last

SCHEMA = json.loads(
    gzip.decompress((Path(__file__).parents[2] / "data" / "acp-schema-v1.json.gz").read_bytes())
)
DEFINITIONS = SCHEMA["$defs"]
KINDS = {
    branch["properties"]["sessionUpdate"]["const"]: branch for branch in DEFINITIONS["SessionUpdate"]["oneOf"]
}


def made(kind: str, choose: Callable[[int], int]) -> dict[str, Any]:
    """An instance of one kind: the branch's own member and all of the type it refers to."""
    branch = KINDS[kind]
    body: dict[str, Any] = {}
    for part in branch["allOf"]:
        body.update(instance(part, DEFINITIONS, choose))
    return {**body, "sessionUpdate": kind}


def choices() -> list[Callable[[int], int]]:
    """The smallest, the largest, and twenty drawn instances."""
    drawn = [random.Random(seed) for seed in range(20)]
    return [first, last, *(source.randrange for source in drawn)]


def settled(run: AcpRun) -> bool:
    """Whether the turn ended and every item that began has settled."""
    open_items: set[str] = set()
    for event in run.events:
        if event["type"] == "item/started":
            open_items.add(event["item"]["id"])
        elif event["type"] == "item/completed":
            open_items.discard(event["item"]["id"])
    return not open_items and run.turn["status"] == "completed"


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_an_instance_never_breaks_the_lane_or_loses_a_terminal_state(kind: str) -> None:
    for choose in choices():
        run = prompted().feed(tool_call("mine", kind="execute", raw_input={"command": "ls"}))
        run.feed(made(kind, choose))
        run.feed(update("mine", status="completed", raw_output={"exitCode": 0})).answer_prompt()
        assert settled(run)
        assert run.call("mine")["exitCode"] == 0


def test_no_kind_of_the_schema_is_unhandled(capsys: pytest.CaptureFixture[str]) -> None:
    unhandled: Counter[str] = Counter()
    for kind in KINDS:
        for choose in choices():
            run = prompted().feed(made(kind, choose))
            unhandled.update(event["rawType"] for event in run.unhandled)
    with capsys.disabled():
        print("\nunhandled ACP updates by kind:", dict(unhandled) or "none")  # noqa: T201
    assert not unhandled
