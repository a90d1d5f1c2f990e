"""`manifest.json` read and written."""

import json
from pathlib import Path
from typing import Any

import pytest

from parity.wire import (
    Agent,
    Ignored,
    InputError,
    Manifest,
    cell_name_problem,
    check_cell_name,
    load_manifest,
    save_manifest,
)

FULL: dict[str, Any] = {
    "provider": "acp-grok",
    "cell": "turn-tools",
    "threadId": "thread-1",
    "scope": "process",
    "agent": {"name": "grok", "version": "1.0.41", "package": "g", "command": "grok agent stdio"},
    "protocol": "acp",
    "recordedAt": "2026-01-01T00:00:00Z",
    "origin": "imported",
    "model": "scripted",
    "description": "reads, edits → runs",
    "lines": {"runtime→bridge": 4},
    "bridgeRuns": 1,
    "ignored": [{"method": "x/y", "direction": "provider→bridge", "why": "noise"}],
}


def saved(folder: Path, document: Any) -> Path:
    file = folder / "acp-grok" / "turn-tools" / "manifest.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(document if isinstance(document, str) else json.dumps(document), "utf-8")
    return file


def refusal(file: Path) -> str:
    with pytest.raises(InputError) as caught:
        load_manifest(file)
    return str(caught.value)


def test_every_field_is_read(tmp_path: Path) -> None:
    assert load_manifest(saved(tmp_path, FULL)) == Manifest(
        provider="acp-grok",
        cell="turn-tools",
        thread_id="thread-1",
        scope="process",
        agent=Agent(name="grok", version="1.0.41", package="g", command="grok agent stdio"),
        protocol="acp",
        recorded_at="2026-01-01T00:00:00Z",
        origin="imported",
        model="scripted",
        description="reads, edits → runs",
        lines={"runtime→bridge": 4},
        bridge_runs=1,
        ignored=[Ignored(method="x/y", direction="provider→bridge", why="noise")],
    )


def test_a_full_manifest_is_saved_as_it_was(tmp_path: Path) -> None:
    file = saved(tmp_path, FULL)
    save_manifest(file, load_manifest(file))
    assert file.read_text("utf-8") == json.dumps(FULL, indent=2, ensure_ascii=False) + "\n"


def test_unknown_fields_survive_at_every_level(tmp_path: Path) -> None:
    document = FULL | {"extra": 1, "x-note": [1, {"a": None}]}
    document["agent"] = FULL["agent"] | {"extra": "e", "sha": "1"}
    document["ignored"] = [FULL["ignored"][0] | {"since": 3}]
    file = saved(tmp_path, document)
    save_manifest(file, load_manifest(file))
    assert json.loads(file.read_text("utf-8")) == document


def test_known_keys_are_saved_in_one_order_and_unknown_ones_after(tmp_path: Path) -> None:
    file = saved(tmp_path, {"z": 1, "cell": "turn-tools", "a": 2, "provider": "acp-grok"})
    save_manifest(file, load_manifest(file))
    assert list(json.loads(file.read_text("utf-8"))) == ["provider", "cell", "scope", "z", "a"]


def test_names_fall_back_to_the_folders(tmp_path: Path) -> None:
    manifest = load_manifest(saved(tmp_path, {}))
    assert (manifest.provider, manifest.cell, manifest.scope) == (
        "acp-grok",
        "turn-tools",
        "thread",
    )


def test_a_command_may_be_an_argv(tmp_path: Path) -> None:
    manifest = load_manifest(saved(tmp_path, {"agent": {"command": ["grok", "agent"]}}))
    assert manifest.agent == Agent(command=["grok", "agent"])


def test_a_byte_order_mark_is_accepted(tmp_path: Path) -> None:
    assert load_manifest(saved(tmp_path, "\ufeff{}")).cell == "turn-tools"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"threadId": 7}, "threadId"),
        ({"scope": "world"}, "scope"),
        ({"origin": "copied"}, "origin"),
        ({"model": "real"}, "model"),
        ({"agent": "grok"}, "agent"),
        ({"agent": {"version": 1}}, "agent.version"),
        ({"lines": {"runtime→bridge": "4"}}, "lines"),
        ({"ignored": {}}, "ignored"),
        ({"ignored": [{"method": "x", "direction": "y"}]}, "`why`"),
        ({"ignored": ["x"]}, "ignored[0]"),
        ({"provider": 1}, "provider"),
    ],
)
def test_a_wrong_type_or_value_is_refused_with_the_field_named(
    tmp_path: Path, change: dict[str, Any], field: str
) -> None:
    file = saved(tmp_path, FULL | change)
    message = refusal(file)
    assert message.startswith(f"{file}: ")
    assert field in message


def test_bad_json_is_refused_with_its_line(tmp_path: Path) -> None:
    file = saved(tmp_path, '{\n  "cell": oops\n}')
    assert refusal(file).startswith(f"{file}:2: not JSON (")


def test_a_manifest_that_ends_too_early_is_refused(tmp_path: Path) -> None:
    file = saved(tmp_path, '{\n  "cell": "a"\n')
    assert "not JSON" in refusal(file)


def test_a_manifest_that_is_no_object_is_refused(tmp_path: Path) -> None:
    assert "not a JSON object" in refusal(saved(tmp_path, []))


def test_a_missing_manifest_is_refused(tmp_path: Path) -> None:
    assert "does not exist" in refusal(tmp_path / "manifest.json")


def test_a_name_that_leaves_its_folder_is_refused(tmp_path: Path) -> None:
    file = saved(tmp_path, {"cell": "../other"})
    assert refusal(file).startswith(f"{file}: cell name '../other' cannot be used (")


@pytest.mark.parametrize("name", ["turn-tools", "acp-grok", "0.24.4", "A_b"])
def test_an_ordinary_name_is_accepted(name: str) -> None:
    assert cell_name_problem(name) is None


@pytest.mark.parametrize("name", ["", ".", "..", "a..b", "a/b", "a\\b", "-a", ".a", "a b", "ä", "a\n"])
def test_a_name_that_is_no_plain_folder_name_is_refused(name: str) -> None:
    assert cell_name_problem(name) is not None


def test_a_bad_name_is_an_error_about_the_file_it_came_from() -> None:
    with pytest.raises(InputError, match=r"^log.ndjson: cell name 'a b' cannot be used .*; rename it"):
        check_cell_name("cell", "a b", "log.ndjson")


@pytest.mark.parametrize("direction", ["", "bridge->provider", "provider"])
def test_traffic_ignored_in_no_lane_is_refused_with_the_field_named(tmp_path: Path, direction: str) -> None:
    ignored = [{"method": "m", "direction": direction, "why": "w"}]
    assert "ignored[0].direction" in refusal(saved(tmp_path, {"ignored": ignored}))


def test_a_name_longer_than_a_folder_may_be_is_refused_in_a_short_line() -> None:
    with pytest.raises(InputError) as caught:
        check_cell_name("cell", "x" * 300, "place")
    assert "200 characters" in str(caught.value)
    assert len(str(caught.value)) < 200
