"""Bad input: one clear line, exit code 2, nothing written, nothing lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from parity_runs import Run, copy_cells, parity, snapshot

CELL = "acp-grok/turn-tools"
LANE = "provider→bridge.ndjson"
ENTRY = 'pinned:\n  - {issue: "#1", reason: r, provider: p, layer: rows, path: /*/x, '
BOMB = "&l0 [1, 1]" + "".join(f", &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]" for n in range(1, 12))
COMMANDS = (("check",), ("rerecord",), ("show", CELL))


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    return copy_cells(tmp_path, CELL)


def refused(recordings: Path, *said: str) -> None:
    """Every command refuses with one line that says all of `said`, and changes no byte."""
    for command in COMMANDS:
        before = snapshot(recordings.parent)
        run = parity(*command, "--recordings", recordings)
        assert run.code == 2, (command, run)
        assert one_line(run), (command, run)
        for words in said:
            assert words in run.err, (command, run)
        assert snapshot(recordings.parent) == before


def one_line(run: Run) -> bool:
    return run.err.count("\n") == 1 and "Traceback" not in run.err and run.out == ""


def lines(recordings: Path) -> list[str]:
    return (recordings / CELL / LANE).read_text("utf-8").splitlines()


def write(recordings: Path, data: bytes) -> None:
    (recordings / CELL / LANE).write_bytes(data)


def test_a_truncated_last_line(recordings: Path) -> None:
    whole = "\n".join(lines(recordings))
    write(recordings, whole[:-20].encode())
    refused(recordings, f"{LANE}:{len(lines(recordings))}", "truncated")


def test_invalid_utf8(recordings: Path) -> None:
    write(recordings, (recordings / CELL / LANE).read_bytes().replace(b"demo", b"d\xffmo", 1))
    refused(recordings, LANE, "UTF-8")


def test_a_wrong_dir(recordings: Path) -> None:
    first, *rest = lines(recordings)
    entry = {**json.loads(first), "dir": "bridge→provider"}
    write(recordings, "\n".join([json.dumps(entry), *rest]).encode())
    refused(recordings, f"{LANE}:1", "dir")


def test_a_duplicate_seq(recordings: Path) -> None:
    first, second, *rest = lines(recordings)
    entry = {**json.loads(second), "seq": json.loads(first)["seq"]}
    write(recordings, "\n".join([first, json.dumps(entry), *rest]).encode())
    refused(recordings, f"{LANE}:2", "seq")


def test_a_thirty_megabyte_line(recordings: Path) -> None:
    entry = json.loads(lines(recordings)[0])
    entry["line"] = "x" * 30_000_000
    write(recordings, json.dumps(entry).encode() + b"\n")
    refused(recordings, f"{LANE}:1", "longer than")


def test_an_unknown_lane_file(recordings: Path) -> None:
    (recordings / CELL / "provider→runtime.ndjson").write_text("{}\n")
    refused(recordings, "provider→runtime.ndjson")


def test_an_empty_cell(recordings: Path) -> None:
    for file in (recordings / CELL).iterdir():
        file.unlink()
    refused(recordings, "turn-tools")


@pytest.mark.parametrize("name", ["..", "../x", "a/../b", "a..b", ".hidden", "a b", ""])
def test_a_cell_name_that_leaves_its_place(recordings: Path, tmp_path: Path, name: str) -> None:
    log = tmp_path / "log.ndjson"
    log.write_text('{"ts":1,"dir":"client->agent","line":"{}"}\n')
    before = snapshot(tmp_path)
    run = parity("import", log, "-p", "acp-grok", "-c", name, "--recordings", recordings)
    assert run.code == 2
    assert one_line(run)
    assert snapshot(tmp_path) == before


def test_a_cell_that_does_not_exist_names_the_nearest(recordings: Path) -> None:
    run = parity("check", "-p", "acp-grok", "-c", "turn-tool", "--recordings", recordings)
    assert run.code == 2
    assert "turn-tools" in run.err


@pytest.mark.parametrize("name", ["../../etc", "acp-grok/..", "nowhere"])
def test_showing_what_is_no_cell(recordings: Path, name: str) -> None:
    run = parity("show", name, "--recordings", recordings)
    assert run.code == 2
    assert one_line(run)


def test_recordings_that_are_not_there(tmp_path: Path) -> None:
    run = parity("check", "--recordings", tmp_path / "none")
    assert run.code == 2
    assert one_line(run)


@pytest.mark.parametrize(
    ("file", "text", "line"),
    [
        ("allowlist.yaml", "pinned:\n  - issue: 12\n", ":2"),
        ("allowlist.yaml", "pinned: [\n", ":"),
        ("row-counts.json", '{"a/b": {"events": -1}}', ":1"),
        ("row-counts.json", "{", ":1"),
        ("row-counts.json", '{"a/b": ' + "[" * 5000, ":1"),
        ("row-counts.json", '{"a/b": {"events": ' + "9" * 5000 + "}}", ":1"),
        ("row-counts.json", '{"a/b": {"events": ' + "9" * 30 + "}}", ":1"),
        ("allowlist.yaml", ENTRY + "old: !mine 1}\n", ":2"),
        ("allowlist.yaml", ENTRY + "old: .nan}\n", ":2"),
        ("allowlist.yaml", ENTRY + "old: " + "[" * 200 + "]" * 200 + "}\n", ":"),
        ("allowlist.yaml", "pinned:\n  " + "[" * 5000, ":2"),
        ("allowlist.yaml", "pinned:\n  " + "{a: " * 5000, ":2"),
        ("allowlist.yaml", "- " * 5000, ":"),
        ("allowlist.yaml", ENTRY + "old: " + "9" * 5000 + "}\n", ":"),
        ("allowlist.yaml", ENTRY + f"old: [{BOMB}]}}\n", ":2"),
        ("allowlist.yaml", "pinned: &x\n  - {<<: *x}\n", ":"),
    ],
)
def test_a_gate_file_that_cannot_be_read(recordings: Path, file: str, text: str, line: str) -> None:
    (recordings.parent / file).write_text(text)
    run = parity("check", "--recordings", recordings)
    assert run.code == 2
    assert one_line(run)
    assert f"{file}{line}" in run.err


def test_a_manifest_with_a_wrong_type_names_the_field(recordings: Path) -> None:
    manifest = recordings / CELL / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "origin": "invented"}))
    refused(recordings, "manifest.json", "origin")


def test_a_provider_no_family_serves(tmp_path: Path, recordings: Path) -> None:
    (recordings / "acp-grok").rename(recordings / "unheard")
    manifest = recordings / "unheard" / "turn-tools" / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "provider": "unheard"}))
    run = parity("check", "--recordings", recordings)
    assert run.code == 2
    assert one_line(run)
    assert "unheard" in run.err


@pytest.mark.parametrize(
    "log",
    [
        b"",
        b"not json\n",
        b'{"ts":1,"dir":"sideways","line":"{}"}\n',
        b"[1, 2]\n",
        b'{"jsonrpc":"2.0","id":1,"result":{}}\n',
        b"\xff\n",
    ],
)
def test_a_log_that_is_none(recordings: Path, tmp_path: Path, log: bytes) -> None:
    file = tmp_path / "log.ndjson"
    file.write_bytes(log)
    before = snapshot(tmp_path)
    run = parity("import", file, "-p", "acp-grok", "-c", "new", "--recordings", recordings)
    assert run.code == 2, run
    assert one_line(run)
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("command", ["check", "rerecord"])
@pytest.mark.parametrize("options", [("-p", "a", "--provider", "b"), ("-c", "a", "-c", "b")])
def test_an_option_of_one_value_given_twice(recordings: Path, command: str, options: tuple[str, ...]) -> None:
    run = parity(command, *options, "--recordings", recordings)
    assert run.code == 2
    assert one_line(run)
    assert "given more than once" in run.err


def test_a_pin_that_cannot_be_read(recordings: Path) -> None:
    pin = recordings / CELL / "rows.current.ndjson"
    pin.unlink()
    pin.mkdir()
    for command in ("check", "rerecord"):
        run = parity(command, "--recordings", recordings)
        assert run.code == 2
        assert one_line(run)
        assert "rows.current.ndjson: cannot be read" in run.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tool = 3\n", "tool is no table"),
        ('[tool.parity]\nrecordings = "a\\u0000b"\n', "must be a path"),
        ("[tool.parity]\nrecordings = 3\n", "must be a path"),
        ("a = " + "[" * 5000, "not TOML"),
        ("a = " + "9" * 5000, "not TOML"),
        ("[tool\n", "not TOML"),
    ],
)
def test_a_pyproject_that_cannot_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    run = parity("check")
    assert run.code == 2
    assert one_line(run)
    assert f"pyproject.toml: {said}" in run.err or f"[tool.parity] recordings {said}" in run.err


def test_a_pyproject_that_is_a_folder_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").mkdir()
    monkeypatch.chdir(tmp_path)
    assert "recordings: does not exist" in parity("check").err


def test_a_current_folder_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    run = parity("check")
    monkeypatch.chdir(tmp_path)
    assert run.code == 2
    assert one_line(run)
    assert "does not exist any more" in run.err


@pytest.mark.parametrize("name", ["x" * 300, "x" * 5000])
def test_names_longer_than_the_disk_takes(recordings: Path, tmp_path: Path, name: str) -> None:
    log = tmp_path / "log.ndjson"
    log.write_text('> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n')
    for command in (
        ("check", "-c", name, "--recordings", recordings),
        ("show", name, "--recordings", recordings),
        ("check", "--recordings", tmp_path / name),
        ("import", log, "-p", "acp-grok", "-c", name, "--recordings", recordings),
        ("import", log, "-p", f"acp-{name}", "-c", "new", "--recordings", recordings),
    ):
        run = parity(*command)
        assert run.code == 2, command
        assert one_line(run), run


@pytest.mark.parametrize(
    ("replace", "said"),
    [
        ("initialize=a\udcff", "is not UTF-8"),
        ("\udcff=b", "is not UTF-8"),
        ('initialize=say "hi"', "log.ndjson:1: no JSON any more after --replace"),
    ],
)
def test_a_replacement_that_spoils_the_log(recordings: Path, tmp_path: Path, replace: str, said: str) -> None:
    log = tmp_path / "log.ndjson"
    log.write_text('> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n')
    before = snapshot(tmp_path)
    run = parity("import", log, "-p", "acp-x", "-c", "n", "--recordings", recordings, "--replace", replace)
    assert run.code == 2
    assert one_line(run)
    assert said in run.err
    assert snapshot(tmp_path) == before
