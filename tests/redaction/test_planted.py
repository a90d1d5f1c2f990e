"""500 secrets planted in the traffic of a fake agent of each family: none reaches the cell."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from parity_runs import parity
from planted_secrets import (
    BOX,
    FORMS,
    KNOWN,
    OWNER,
    TEMPLATES,
    Secret,
    as_cell,
    as_log,
    leaks,
    planted,
    readings,
    secrets,
)

from parity.bridges import bridge_for
from parity.gates.pins import KeepSink
from parity.redaction import Known, redact, sweep
from parity.replay.replay import replay
from parity.wire import Cell, LaneLine, decode, open_cell

FAMILIES = tuple(TEMPLATES)


@cache
def traffic(family: str) -> tuple[list[Secret], list[LaneLine]]:
    mine = [secret for secret in secrets() if secret.family == family]
    return mine, planted(family, mine)


@cache
def redacted(family: str) -> list[LaneLine]:
    return redact(traffic(family)[1], KNOWN)[0]


def rows(cell: Cell) -> list[dict[str, Any]]:
    kept = KeepSink()
    outcome = replay(cell, lambda: bridge_for(cell.provider, None), kept)
    assert not outcome.stalls
    assert not outcome.unconsumed
    return kept.docs("rows")


def test_there_are_500_secrets_in_every_disguise_and_family() -> None:
    found = secrets()
    assert len(found) >= 500
    ways = {(secret.family, secret.form) for secret in found}
    assert ways == {(family, form) for family in FAMILIES for form in FORMS}


@pytest.mark.parametrize("family", FAMILIES)
def test_no_planted_secret_is_in_the_cell(family: str, tmp_path: Path) -> None:
    hidden, _ = traffic(family)
    cell = as_cell(tmp_path, family, redacted(family))
    assert leaks(cell, hidden) == []
    words = re.compile(rf"(?<![A-Za-z0-9])(?:{OWNER}|{BOX})(?![A-Za-z0-9])", re.IGNORECASE)
    assert [text[:80] for text in readings(cell) if words.search(text)] == []
    assert sweep(cell, KNOWN) == []


@pytest.mark.parametrize("family", FAMILIES)
def test_all_of_them_are_in_a_cell_of_the_same_traffic_that_was_not_redacted(
    family: str, tmp_path: Path
) -> None:
    hidden, lines = traffic(family)
    assert leaks(as_cell(tmp_path, family, lines), hidden) == hidden


@pytest.mark.parametrize("family", FAMILIES)
def test_a_rough_look_misses_nothing_that_a_close_one_finds(family: str, tmp_path: Path) -> None:
    cell = as_cell(tmp_path, family, planted(family, traffic(family)[0][::3]))
    assert sweep(cell) == sweep(cell, Known())


@pytest.mark.parametrize("family", FAMILIES)
def test_redacting_twice_changes_nothing(family: str) -> None:
    once = redacted(family)
    assert redact(once, KNOWN) == (once, {})


@pytest.mark.parametrize("family", FAMILIES)
def test_every_line_that_was_json_still_is_and_has_its_fields(family: str) -> None:
    for before, after in zip(traffic(family)[1], redacted(family), strict=True):
        assert shape(json.loads(before.line)) == shape(json.loads(after.line))


def shape(value: Any) -> Any:
    """Keys, types, numbers: all but what strings and arrays of bytes say."""
    if isinstance(value, dict):
        return {name: shape(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return "bytes" if len(value) > 8 and isinstance(value[0], int) else [shape(inner) for inner in value]
    return str if isinstance(value, str) else value


@pytest.mark.parametrize("family", FAMILIES)
def test_a_redacted_recording_replays_to_the_same_rows_but_for_the_placeholders(
    family: str, tmp_path: Path
) -> None:
    hidden, lines = traffic(family)
    before = rows(as_cell(tmp_path, family, lines, "raw"))
    after = rows(as_cell(tmp_path, family, redacted(family)))
    assert [skeleton(row) for row in before] == [skeleton(row) for row in after]
    texts = list(strings(after))
    for secret in hidden:
        if secret.form in ("plain", "split") and "Cookie" not in secret.said:  # a cookie goes as a whole
            around = (re.escape(part) for part in secret.said.split(secret.text))
            said = re.compile("[^ ]{1,60}".join(around))
            assert any(said.search(text) for text in texts), secret


EXACT = ("id", "kind", "status", "providerItemId", "exitCode")


def skeleton(value: Any, name: str = "") -> Any:
    """A row with all that identifies it, and without what it says."""
    if isinstance(value, dict):
        return {key: skeleton(inner, key) for key, inner in value.items()}
    if isinstance(value, list):
        return [skeleton(inner) for inner in value]
    return value if name in EXACT or not isinstance(value, str) else str


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from strings(inner)


@pytest.mark.parametrize("family", FAMILIES)
def test_an_imported_log_is_redacted_and_what_was_taken_out_is_counted(family: str, tmp_path: Path) -> None:
    hidden = [secret for secret in traffic(family)[0] if secret.kind not in ("user", "host")][:40]
    hidden = [secret for secret in hidden if OWNER not in secret.text]
    log = as_log(tmp_path / "log.ndjson", planted(family, hidden))
    provider = {"acp": "acp-grok"}.get(family, family)
    run = parity("import", log, "-p", provider, "-c", "new", "--recordings", tmp_path / "r", "--json")
    assert run.code == 0, run.err
    assert set(decode(run.out)["redacted"]) >= {"path", "email", "token"}
    assert leaks(open_cell(tmp_path / "r" / provider / "new"), hidden) == []


def test_an_import_that_is_told_not_to_redact_refuses_in_one_line_and_writes_nothing(tmp_path: Path) -> None:
    hidden = [secret for secret in traffic("acp")[0] if secret.kind == "token"][:1]
    log = as_log(tmp_path / "log.ndjson", planted("acp", hidden))
    recordings = tmp_path / "r"
    run = parity("import", log, "-p", "acp-grok", "-c", "new", "--recordings", recordings, "--no-redact")
    assert run.code == 2
    assert run.err.count("\n") == 1
    assert "token in provider→bridge" in run.err
    assert hidden[0].text not in run.err
    assert not recordings.exists()
