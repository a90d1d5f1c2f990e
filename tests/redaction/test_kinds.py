"""Each kind of secret, and each disguise: what the redactor leaves when it is told to, the sweep finds."""

from __future__ import annotations

import base64
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from planted_secrets import BOX, HOME, KNOWN, OWNER, as_cell

from parity.gates.allowlist import Allowlist
from parity.gates.check import check_cell
from parity.redaction import redact, sweep
from parity.redaction.kinds import FORMS, KINDS
from parity.wire import PROVIDER_TO_BRIDGE, LaneLine

TOKEN = "sk" + "-" + "a1B2c3D4e5" * 4
CUT = "sk" + "-" + "z9Y8x7W6v5" * 4
MAIL = "jo@" + "mailbox.io"


def update(**fields: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": fields}}


def chunk(text: str) -> dict[str, Any]:
    return update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": text})


SAID: dict[str, list[dict[str, Any]]] = {
    "path": [{"method": "_x/a", "params": {"file": "/".join(("", "home", "zoe", "a.txt"))}}],
    "user": [{"method": "_x/a", "params": {"text": f"by {OWNER} today"}}],
    "host": [{"method": "_x/a", "params": {"text": f"on {BOX} today"}}],
    "email": [{"method": "_x/a", "params": {"text": f"from {MAIL}"}}],
    "authorization": [{"method": "_x/a", "params": {"headers": {"Authorization": "Bearer " + "q7" * 12}}}],
    "token": [{"method": "_x/a", "params": {"text": f"with {TOKEN}"}}],
    "environment": [{"method": "_x/a", "params": {"env": [{"name": "STAGE", "value": "inner ring"}]}}],
    "id": [{"method": "_x/a", "params": {"installationId": "5f2b7c1e-1111-4222-8333-123456789abc"}}],
    "catalogue": [
        {"method": "_x/a", "params": {"availableModels": [{"modelId": f"m{n}"} for n in range(40)]}}
    ],
    "prompt": [{"method": "_x/a", "params": {"systemPrompt": "You are an agent. " * 40}}],
    "registry": [
        {"method": "_x/a", "params": {"text": "GET https://" + ".".join(("py" + "pi", "org")) + "/x"}}
    ],
    "nested": [{"method": "_x/a", "params": {"log": json.dumps({"env": {"STAGE": "inner ring"}})}}],
    "bytes": [{"method": "_x/a", "params": {"output": list(f"with {TOKEN}".encode())}}],
    "base64": [{"method": "_x/a", "params": {"blob": base64.b64encode(f"with {TOKEN}".encode()).decode()}}],
    "streams": [chunk("it is " + CUT[:9]), chunk(CUT[9:20]), chunk(CUT[20:] + ".")],
}


@cache
def lines() -> list[LaneLine]:
    said = [json.dumps(message) for messages in SAID.values() for message in messages]
    return [LaneLine(0, 1, number, PROVIDER_TO_BRIDGE, text) for number, text in enumerate(said, 1)]


@cache
def left_by(name: str) -> tuple[list[LaneLine], dict[str, int]]:
    """What a redactor leaves that does not know a kind, or a disguise."""
    return redact(lines(), KNOWN, without=(name,))


def test_every_kind_and_every_form_is_said() -> None:
    assert set(SAID) == {*KINDS, *FORMS}


def test_nothing_survives_where_every_rule_is_on(tmp_path: Path) -> None:
    clean, counts = redact(lines(), KNOWN)
    assert set(counts) == set(KINDS)
    assert sweep(as_cell(tmp_path, "acp", clean), KNOWN) == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_the_redactor_leaves_is_found_by_the_sweep(kind: str, tmp_path: Path) -> None:
    left, counts = left_by(kind)
    assert kind not in counts
    assert kind in {finding.kind for finding in sweep(as_cell(tmp_path, "acp", left), KNOWN)}


@pytest.mark.parametrize("form", FORMS)
def test_a_disguise_the_redactor_does_not_see_through_is_found_by_the_sweep(
    form: str, tmp_path: Path
) -> None:
    left, _ = left_by(form)
    assert sweep(as_cell(tmp_path, "acp", left), KNOWN)


@pytest.mark.parametrize("kind", [k for k in (*KINDS, *FORMS) if k not in ("user", "host")])
def test_the_gate_finds_it_on_any_machine(kind: str, tmp_path: Path) -> None:
    left, _ = left_by(kind)
    report = check_cell(as_cell(tmp_path, "acp", left), Allowlist.load(tmp_path / "allowlist.yaml"), {})
    assert "clean" in report.failed_gates


def test_a_finding_names_file_line_and_kind_and_hides_the_secret(tmp_path: Path) -> None:
    made = lines()
    cell = as_cell(tmp_path, "acp", made)
    found = [finding for finding in sweep(cell) if finding.kind == "token"]
    wanted = [
        n for n, line in enumerate((x for x in made if x.dir == PROVIDER_TO_BRIDGE), 1) if TOKEN in line.line
    ]
    assert {f.line for f in found} >= set(wanted)
    assert str(found[0]).startswith(f"provider→bridge.ndjson:{found[0].line}: token: sk-a… (43 characters)")
    assert all(TOKEN[:8] not in str(finding) for finding in found)


@pytest.mark.parametrize("file", ["manifest.json", "rows.current.ndjson", "bridge→runtime.current.ndjson"])
def test_a_hand_edited_file_of_a_clean_cell_is_found(file: str, tmp_path: Path) -> None:
    cell = as_cell(tmp_path, "acp", redact(lines(), KNOWN)[0])
    path = cell.path / file
    before = path.read_text("utf-8") if path.exists() else ""
    if file == "manifest.json":
        path.write_text(before.replace("{", '{\n  "description2": "see ' + HOME + '/x",', 1), "utf-8")
    else:
        path.write_text(json.dumps({"id": "row-1", "text": f"see {TOKEN}"}) + "\n", "utf-8")
    assert [finding.file.name for finding in sweep(cell)] == [file]
