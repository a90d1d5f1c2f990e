"""Damaged logs are imported or refused in one line; none of them makes our own code fail."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
from damaged_traffic import damaged

from parity.importing.importer import ImportOptions, import_log
from parity.wire import BRIDGE_TO_PROVIDER, PROVIDER_TO_BRIDGE, InputError, open_cell

DATA = Path(__file__).parents[1] / "data"
RECORDINGS = Path(__file__).parents[2] / "recordings"
ROLLOUTS = sorted(DATA.glob("codex-rollout-*.jsonl"))
CELLS = ("acp-grok/turn-tools", "claude-code/user-question", "codex/approval-deny")
ODD: tuple[Any, ...] = ([1], {"x": 1}, True)

Json = dict[str, Any]


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


def taken(folder: Path, lines: list[str], provider: str) -> bool:
    """Import them as a log: whether it became a cell; a refusal is one line that blames no file of ours."""
    log = folder / "log.jsonl"
    log.write_text("".join(line + "\n" for line in lines), "utf-8")
    try:
        import_log(log, provider, "new", folder / "recordings", ImportOptions(replace=True))
    except InputError as error:
        said = str(error)
        assert "\n" not in said
        assert "manifest.json" not in said
        assert "report it" not in said
        return False
    return True


@pytest.mark.parametrize("rollout", ROLLOUTS, ids=lambda path: path.stem)
def test_rollouts_with_fields_of_other_types(tmp_path: Path, rollout: Path) -> None:
    first, *records = map(json.loads, rollout.read_text("utf-8").splitlines())
    for seed in range(8):
        chance = random.Random(seed)
        spoiled = [{**record, "payload": damaged(record["payload"], chance)} for record in records]
        kept = [one for one in spoiled if isinstance(one["payload"], dict)]
        taken(tmp_path, [json.dumps(one) for one in (first, *kept)], "codex")


@pytest.mark.parametrize("key", CELLS)
def test_logs_with_fields_of_other_types(tmp_path: Path, key: str) -> None:
    cell = open_cell(RECORDINGS / key)
    marks = {BRIDGE_TO_PROVIDER: "> ", PROVIDER_TO_BRIDGE: "< "}
    lines = [line for line in cell.lines() if line.dir in marks]
    for seed in range(8):
        chance = random.Random(seed)
        said = [damaged(json.loads(line.line), chance) for line in lines]
        marked = [marks[line.dir] if seed % 2 else "" for line in lines]
        whole = [(mark, one) for mark, one in zip(marked, said, strict=True) if isinstance(one, dict)]
        taken(tmp_path, [mark + json.dumps(one) for mark, one in whole], cell.provider)


def told(side: str, **message: Any) -> str:
    return f"{side} {json.dumps({'jsonrpc': '2.0', **message})}"


ACP: list[tuple[str, Json]] = [
    (">", {"id": 1, "method": "initialize", "params": {"protocolVersion": 1}}),
    ("<", {"id": 1, "result": {"protocolVersion": 1, "agentInfo": {"name": "x", "version": "1"}}}),
    (">", {"id": 2, "method": "session/new", "params": {"cwd": "/w", "mcpServers": []}}),
    ("<", {"id": 2, "result": {"sessionId": "s"}}),
    (">", {"id": 3, "method": "session/set_config_option", "params": {"sessionId": "s", "configId": "c"}}),
    ("<", {"id": 3, "result": {}}),
    (">", {"id": 4, "method": "session/prompt", "params": {"sessionId": "s", "prompt": []}}),
    ("<", {"id": 9, "method": "session/request_permission", "params": {"sessionId": "s", "options": []}}),
    (">", {"id": 9, "result": {"outcome": {"outcome": "selected", "optionId": "y"}}}),
    ("<", {"id": 4, "result": {"stopReason": "end_turn"}}),
]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all members of an object, at every depth."""
    if not isinstance(value, dict):
        return []
    found = [(*path, name) for name in value]
    return found + [deep for name, part in value.items() for deep in places(part, (*path, name))]


def with_odd(message: Json, path: tuple[Any, ...], odd: Any) -> Json:
    name, *rest = path
    return {**message, name: with_odd(message[name], tuple(rest), odd) if rest else odd}


@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_every_member_of_an_acp_log_may_have_any_type(tmp_path: Path, odd: Any) -> None:
    for at, (_, message) in enumerate(ACP):
        for path in places(message):
            log = [*ACP[:at], (ACP[at][0], with_odd(message, path, odd)), *ACP[at + 1 :]]
            taken(tmp_path, [told(side, **one) for side, one in log], "acp-generic")


@pytest.mark.parametrize("options", [[1], ["y", None], {"optionId": "y"}, [{"optionId": "y", "kind": 3}]])
def test_options_that_are_none_leave_the_log_readable(tmp_path: Path, options: Any) -> None:
    asked = {**ACP[7][1], "params": {"sessionId": "s", "options": options}}
    log = [*ACP[:7], ("<", asked), *ACP[8:]]
    assert taken(tmp_path, [told(side, **one) for side, one in log], "acp-generic")


@pytest.mark.parametrize("info", [3, {"name": {}, "version": [1]}, {"name": "x"}])
def test_what_an_agent_says_of_itself_in_odd_types_is_left_out(tmp_path: Path, info: Any) -> None:
    answer = {"id": 1, "result": {"protocolVersion": {"v": 1}, "agentInfo": info}}
    log = [ACP[0], ("<", answer), *ACP[2:]]
    assert taken(tmp_path, [told(side, **one) for side, one in log], "acp-generic")


def test_a_deep_message_is_refused_or_taken_whole(tmp_path: Path) -> None:
    for depth in (100, 400, 600, 800, 950, 5000):
        deep = '{"a":' * depth + "1" + "}" * depth
        call = {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "t", "rawInput": "DEEP"}
        update = {"method": "session/update", "params": {"sessionId": "s", "update": call}}
        log = [told(side, **one) for side, one in (*ACP[:7], ("<", update), ACP[9])]
        taken(tmp_path, [line.replace('"DEEP"', deep) for line in log], "acp-generic")


def test_a_deep_record_of_a_rollout_is_refused_or_taken(tmp_path: Path) -> None:
    lines = ROLLOUTS[0].read_text("utf-8").splitlines()
    for depth in (400, 600, 900):
        deep = '{"a":' * depth + "1" + "}" * depth
        event = {"type": "token_count", "rate_limits": "DEEP"}
        record = json.dumps({"timestamp": "", "type": "event_msg", "payload": event}).replace('"DEEP"', deep)
        taken(tmp_path, [*lines, record], "codex")
