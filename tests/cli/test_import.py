"""`parity import`: foreign logs in every public form become the same cell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from parity_runs import parity

CWD = "/home/user/work"
SESSION = "s-1"


def request(number: int, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def result(number: int, value: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "result": value}


def update(**fields: Any) -> dict[str, Any]:
    params = {"sessionId": SESSION, "update": fields}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}


CLIENT, AGENT = "client", "agent"
START = [
    (CLIENT, request(1, "initialize", protocolVersion=1)),
    (AGENT, result(1, {"protocolVersion": 1, "agentInfo": {"name": "an agent", "version": "3"}})),
    (CLIENT, request(2, "session/new", cwd=CWD, mcpServers=[])),
    (AGENT, result(2, {"sessionId": SESSION})),
]
PROMPT = [{"type": "text", "text": "go"}]
ASK = request(
    0,
    "session/request_permission",
    sessionId=SESSION,
    toolCall={"toolCallId": "t1"},
    options=[
        {"optionId": "y", "name": "Yes", "kind": "allow_once"},
        {"optionId": "n", "name": "No", "kind": "reject_once"},
    ],
)
CALL = update(
    sessionUpdate="tool_call", toolCallId="t1", title="ls", kind="execute", rawInput={"command": "ls"}
)
DONE = update(
    sessionUpdate="tool_call_update", toolCallId="t1", status="completed", rawOutput={"exit_code": 0}
)
LOG = [
    *START,
    (CLIENT, request(3, "session/prompt", sessionId=SESSION, prompt=PROMPT)),
    (AGENT, CALL),
    (AGENT, ASK),
    (CLIENT, result(0, {"outcome": {"outcome": "selected", "optionId": "y"}})),
    (AGENT, DONE),
    (AGENT, result(3, {"stopReason": "end_turn"})),
]


def envelope(log: list[tuple[str, dict[str, Any]]]) -> str:
    sides = {CLIENT: "client->agent", AGENT: "agent->client"}
    return "".join(
        json.dumps({"ts": 1767225600000 + i, "dir": sides[side], "line": json.dumps(message)}) + "\n"
        for i, (side, message) in enumerate(log)
    )


def markers(log: list[tuple[str, dict[str, Any]]]) -> str:
    return "".join(f"{'>' if side == CLIENT else '<'} {json.dumps(message)}\n" for side, message in log)


def side_field(log: list[tuple[str, dict[str, Any]]]) -> str:
    return "".join(
        json.dumps({"who": "out" if side == CLIENT else "in", **message}) + "\n" for side, message in log
    )


def bare(log: list[tuple[str, dict[str, Any]]]) -> str:
    return "".join(json.dumps(message) + "\n" for _, message in log)


def zed(log: list[tuple[str, dict[str, Any]]]) -> str:
    """Zed's ACP log view: an array, every message folded into the same members."""
    entries = []
    for side, message in log:
        kind = "response" if "method" not in message else "request" if "id" in message else "notification"
        entries.append(
            {
                "_direction": "outgoing" if side == CLIENT else "incoming",
                "_type": kind,
                "id": message.get("id"),
                "method": message.get("method"),
                "params": message.get("result") if kind == "response" else message.get("params"),
            }
        )
    return json.dumps(entries, indent=2)


def imported(folder: Path, text: str, *options: object, cell: str = "new") -> dict[str, Any]:
    log = folder / f"{cell}.log"
    log.write_text(text, "utf-8")
    recordings = folder / "recordings"
    recordings.mkdir(exist_ok=True)
    run = parity(
        "import", log, "-p", "acp-generic", "-c", cell, "--recordings", recordings, "--json", *options
    )
    assert run.code == 0, run
    return dict(json.loads(run.out))


def rows(folder: Path, cell: str = "new") -> list[dict[str, Any]]:
    run = parity("show", folder / "recordings" / "acp-generic" / cell, "--json")
    return [json.loads(line) for line in run.out.splitlines()]


def runtime_requests(folder: Path, cell: str = "new") -> list[dict[str, Any]]:
    lane = folder / "recordings" / "acp-generic" / cell / "runtime→bridge.ndjson"
    return [json.loads(json.loads(line)["line"]) for line in lane.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("form", [envelope, markers, bare, zed], ids=lambda form: form.__name__)
def test_every_form_of_log_gives_the_same_rows(tmp_path: Path, form: Any) -> None:
    imported(tmp_path, envelope(LOG), cell="reference")
    report = imported(tmp_path, form(LOG))
    assert report["problems"] == []
    assert rows(tmp_path) == rows(tmp_path, "reference")
    assert rows(tmp_path)[0]["children"][0]["approval"] == {"decision": "allowed"}


def test_a_side_field_of_any_name_may_be_named(tmp_path: Path) -> None:
    imported(tmp_path, side_field(LOG), "--direction", "field:who")
    assert rows(tmp_path)[0]["children"][0]["exitCode"] == 0


def test_markers_may_be_demanded(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(bare(LOG))
    run = parity(
        "import", log, "-p", "acp-x", "-c", "new", "--recordings", tmp_path, "--direction", "markers"
    )
    assert run.code == 2
    assert "log:1" in run.err


def test_the_runtime_lane_is_what_would_have_caused_the_log(tmp_path: Path) -> None:
    imported(tmp_path, envelope(LOG))
    lane = runtime_requests(tmp_path)
    assert [message.get("method", "answer") for message in lane] == [
        "initialize",
        "thread/start",
        "turn/start",
        "answer",
    ]
    assert lane[1]["params"]["cwd"] == CWD
    assert lane[2]["params"]["input"] == PROMPT
    assert lane[3]["result"] == {"decision": "allowed", "optionId": "y"}


def test_a_cell_says_how_it_came_to_be(tmp_path: Path) -> None:
    imported(tmp_path, envelope(LOG), "--description", "A test.", "--model", "scripted")
    manifest = json.loads(
        (tmp_path / "recordings" / "acp-generic" / "new" / "manifest.json").read_text("utf-8")
    )
    assert manifest["agent"] == {"name": "an agent", "version": "3"}
    assert (manifest["origin"], manifest["model"], manifest["description"]) == (
        "imported",
        "scripted",
        "A test.",
    )
    assert manifest["recordedAt"] == "2026-01-01T00:00:00Z"
    assert manifest["lines"] == {
        "runtime→bridge": 4,
        "bridge→runtime": 1,
        "provider→bridge": 6,
        "bridge→provider": 4,
    }


def test_calls_our_bridge_does_not_make_are_ignored_with_the_reason(tmp_path: Path) -> None:
    listed = [(CLIENT, request(9, "session/list")), (AGENT, result(9, {"sessions": []}))]
    report = imported(tmp_path, envelope([*START, *listed, *LOG[4:]]))
    assert report["ignored"] == ["session/list"]
    assert report["problems"] == []


def mode(number: int) -> list[tuple[str, dict[str, Any]]]:
    change = request(number, "session/set_mode", sessionId=SESSION, modeId="plan")
    return [(CLIENT, change), (AGENT, result(number, {}))]


def test_a_mode_set_before_the_first_prompt_belongs_to_the_start(tmp_path: Path) -> None:
    report = imported(tmp_path, envelope([*START, *mode(8), *LOG[4:]]))
    assert (report["ignored"], report["problems"]) == ([], [])
    assert runtime_requests(tmp_path)[1]["params"]["options"] == {"mode": "plan"}


def test_a_client_that_sets_modes_inside_the_thread_set_them_all_by_itself(tmp_path: Path) -> None:
    report = imported(tmp_path, envelope([*START, *mode(8), *LOG[4:], *mode(9)]))
    assert (report["ignored"], report["problems"]) == (["session/set_mode"], [])
    assert parity("check", "--recordings", tmp_path / "recordings").code == 0


def test_a_prompt_while_one_is_open_is_a_steer(tmp_path: Path) -> None:
    second = request(4, "session/prompt", sessionId=SESSION, prompt=PROMPT)
    cancel = {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": SESSION}}
    log = [
        *LOG[:6],
        (CLIENT, cancel),
        (CLIENT, second),
        (AGENT, result(3, {"stopReason": "cancelled"})),
        (AGENT, result(4, {"stopReason": "end_turn"})),
    ]
    report = imported(tmp_path, envelope(log))
    assert report["problems"] == []
    assert [m.get("method") for m in runtime_requests(tmp_path)][-1] == "turn/steer"
    assert [row["status"] for row in rows(tmp_path)] == ["completed"]


def test_a_cancel_alone_is_a_stop(tmp_path: Path) -> None:
    cancel = {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": SESSION}}
    log = [*LOG[:6], (CLIENT, cancel), (AGENT, result(3, {"stopReason": "cancelled"}))]
    imported(tmp_path, envelope(log))
    assert runtime_requests(tmp_path)[-1]["params"]["intent"] == "interrupt"
    assert rows(tmp_path)[0]["status"] == "interrupted"


def test_a_banner_is_noise_that_is_kept_and_counted(tmp_path: Path) -> None:
    log = tmp_path / "banner.log"
    log.write_text("starting the agent\n" + bare(LOG))
    run = parity("import", log, "-p", "acp-generic", "-c", "new", "--recordings", tmp_path / "recordings")
    assert run.code == 0
    assert "1 line of noise" in run.out
    lane = tmp_path / "recordings" / "acp-generic" / "new" / "provider→bridge.ndjson"
    assert json.loads(lane.read_text("utf-8").splitlines()[0])["line"] == "starting the agent"


def test_a_broken_message_is_no_banner(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(bare(LOG) + '{"jsonrpc": "2.0", "meth')
    run = parity("import", log, "-p", "acp-generic", "-c", "new", "--recordings", tmp_path / "recordings")
    assert run.code == 2
    assert f"log:{len(LOG) + 1}" in run.err


def test_an_existing_cell_is_kept_unless_told_otherwise(tmp_path: Path) -> None:
    imported(tmp_path, envelope(LOG))
    log = tmp_path / "again.log"
    log.write_text(envelope(LOG[:4]))
    again = ("import", log, "-p", "acp-generic", "-c", "new", "--recordings", tmp_path / "recordings")
    refused = parity(*again)
    assert refused.code == 2
    assert "--overwrite" in refused.err
    assert len(rows(tmp_path)) == 1
    assert parity(*again, "--overwrite").code == 0
    assert rows(tmp_path) == []


def test_texts_are_replaced_also_inside_byte_arrays(tmp_path: Path) -> None:
    secret = "/tmp/me"
    raw = {"output": list(secret.encode()), "note": secret}
    log = [*LOG[:5], (AGENT, {**CALL, "params": {**CALL["params"], "_meta": raw}}), *LOG[8:]]
    imported(tmp_path, envelope(log), "--replace", f"{secret}=/home/u")
    lane = (tmp_path / "recordings" / "acp-generic" / "new" / "provider→bridge.ndjson").read_text("utf-8")
    assert secret not in lane
    assert str(list(secret.encode()))[1:-1] not in lane
    assert str(list(b"/home/u"))[1:-1] in lane


def test_a_null_error_beside_a_result_is_no_failure(tmp_path: Path) -> None:
    log = [*LOG[:-1], (AGENT, {**result(3, {"stopReason": "end_turn"}), "error": None})]
    imported(tmp_path, envelope(log))
    assert rows(tmp_path)[0]["status"] == "completed"


def test_a_time_that_gives_no_date_is_left_out(tmp_path: Path) -> None:
    text = envelope(LOG).replace('"ts": 1767225600', '"ts": 1767225600000000')
    imported(tmp_path, text)
    manifest = tmp_path / "recordings" / "acp-generic" / "new" / "manifest.json"
    assert "recordedAt" not in json.loads(manifest.read_text("utf-8"))
