"""The host: files inside the workspace and nowhere else; real terminals with bounded output."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shell_runs import TINY, run, running, runs, turn

from parity.shell.files import Workspace
from parity.shell.host import Host, HostRefused
from parity.shell.terminals import Transcript
from parity.wire import InputError

SECRET = "the secret"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A workspace `ws` beside a file `outside/secret`, with links that lead there."""
    workspace, outside = tmp_path / "ws", tmp_path / "outside"
    workspace.mkdir()
    outside.mkdir()
    (outside / "secret").write_text(SECRET)
    (workspace / "file").symlink_to(outside / "secret")
    (workspace / "folder").symlink_to(outside)
    (workspace / "loop").symlink_to("loop")
    (workspace / "dangling").symlink_to(outside / "new")
    (workspace / "sub").mkdir()
    os.mkfifo(workspace / "pipe")
    return workspace


REFUSED: dict[str, Callable[[Path], str]] = {
    "dots": lambda ws: f"{ws}/../outside/secret",
    "dots-inside": lambda ws: f"{ws}/sub/../../outside/secret",
    "relative-dots": lambda ws: "../outside/secret",
    "absolute": lambda ws: f"{ws.parent}/outside/secret",
    "sibling": lambda ws: f"{ws}-other/secret",
    "link": lambda ws: f"{ws}/file",
    "link-folder": lambda ws: f"{ws}/folder/secret",
    "link-folder-new": lambda ws: f"{ws}/folder/new",
    "loop": lambda ws: f"{ws}/loop",
    "dangling": lambda ws: f"{ws}/dangling",
    "pipe": lambda ws: f"{ws}/pipe",
    "device": lambda ws: "/dev/null",
    "folder": lambda ws: f"{ws}/sub",
    "workspace": lambda ws: f"{ws}",
    "nul": lambda ws: f"{ws}/a\0b",
    "empty": lambda ws: "",
}


def call(workspace: Path, method: str, **params: Any) -> Any:
    async def play() -> Any:
        host = Host(workspace, TINY)
        try:
            return await host.call(method, params)
        finally:
            await host.close()

    return run(play())


@pytest.mark.parametrize("case", REFUSED)
def test_a_path_out_of_the_workspace_is_refused_and_nothing_is_touched(place: Path, case: str) -> None:
    path = REFUSED[case](place)
    outside = place.parent / "outside"
    before = (outside / "secret").stat()
    for method, more in (("fs/read_text_file", {}), ("fs/write_text_file", {"content": "mine"})):
        with pytest.raises(HostRefused) as refused:
            call(place, method, path=path, **more)
        assert refused.value.message
    after = (outside / "secret").stat()
    assert (after.st_mtime_ns, after.st_atime_ns) == (before.st_mtime_ns, before.st_atime_ns)
    assert [entry.name for entry in outside.iterdir()] == ["secret"]


def test_a_refusal_says_why(place: Path) -> None:
    for case, why in (
        ("dots", "a path with .. is refused"),
        ("absolute", "outside the workspace"),
        ("link", "is a symbolic link"),
        ("link-folder", "folder is a symbolic link"),
        ("pipe", "is no regular file"),
    ):
        with pytest.raises(HostRefused, match=why):
            call(place, "fs/read_text_file", path=REFUSED[case](place))


def test_a_link_swapped_in_between_is_not_followed(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder is swapped for a link after its own look and before the file in it is opened."""
    real = os.open
    (place / "sub" / "secret").write_text("ours")

    def opening(path: Any, flags: int, *args: Any, **options: Any) -> int:
        if path == "secret":
            (place / "sub").rename(place / "gone")
            (place / "sub").symlink_to(place.parent / "outside")
        return real(path, flags, *args, **options)

    monkeypatch.setattr(os, "open", opening)
    assert Workspace(place, 100).read(f"{place}/sub/secret", None, None) == "ours"


def test_a_final_link_swapped_in_is_not_written_through(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.open

    def opening(path: Any, flags: int, *args: Any, **options: Any) -> int:
        if path == "new":
            (place / "new").symlink_to(place.parent / "outside" / "secret")
        return real(path, flags, *args, **options)

    monkeypatch.setattr(os, "open", opening)
    with pytest.raises(HostRefused, match="is a symbolic link"):
        Workspace(place, 100).write(f"{place}/new", "mine")
    assert (place.parent / "outside" / "secret").read_text() == SECRET


def test_a_file_is_read_whole_or_from_a_line_on(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes("eins\r\nzwei\ndrei €".encode())
    path = f"{tmp_path}/f"
    assert call(tmp_path, "fs/read_text_file", path=path) == {"content": "eins\r\nzwei\ndrei €"}
    assert call(tmp_path, "fs/read_text_file", path=path, line=2) == {"content": "zwei\ndrei €"}
    assert call(tmp_path, "fs/read_text_file", path=path, line=2, limit=1) == {"content": "zwei\n"}
    assert call(tmp_path, "fs/read_text_file", path=path, limit=1) == {"content": "eins\r\n"}
    assert call(tmp_path, "fs/read_text_file", path=path, line=9, limit=5) == {"content": ""}
    assert call(tmp_path, "fs/read_text_file", path=path, limit=0) == {"content": ""}


def test_a_large_file_is_read_in_parts_only(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("0123456789\n" * 1000)
    with pytest.raises(HostRefused, match="read it in parts"):
        call(tmp_path, "fs/read_text_file", path=f"{tmp_path}/f")
    assert call(tmp_path, "fs/read_text_file", path=f"{tmp_path}/f", line=999, limit=1) == {
        "content": "0123456789\n"
    }


def test_what_is_no_text_or_not_there_is_said(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"\xff\xfe")
    with pytest.raises(HostRefused, match="not UTF-8 text"):
        call(tmp_path, "fs/read_text_file", path=f"{tmp_path}/f")
    with pytest.raises(HostRefused, match="does not exist") as refused:
        call(tmp_path, "fs/read_text_file", path=f"{tmp_path}/g")
    assert refused.value.code == -32002


def test_a_file_is_written_with_its_folders_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "f"
    assert call(tmp_path, "fs/write_text_file", path=str(path), content="a long first text") == {}
    call(tmp_path, "fs/write_text_file", path=str(path), content="short €")
    assert path.read_text() == "short €"


def test_a_workspace_reached_through_a_link_is_known_by_both_names(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    for root in ("link", "real"):
        call(tmp_path / "link", "fs/write_text_file", path=str(tmp_path / root / "f"), content=root)
        assert (tmp_path / "real" / "f").read_text() == root


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("fs/read_text_file", {}),
        ("fs/read_text_file", {"path": 7}),
        ("fs/read_text_file", {"path": "f", "line": -1}),
        ("fs/read_text_file", {"path": "f", "limit": True}),
        ("fs/write_text_file", {"path": "f"}),
        ("terminal/create", {}),
        ("terminal/create", {"command": "true", "args": "x"}),
        ("terminal/create", {"command": "true", "args": [7]}),
        ("terminal/create", {"command": "true", "env": {"A": "b"}}),
        ("terminal/create", {"command": "true", "env": [{"name": "A"}]}),
        ("terminal/output", {"terminalId": None}),
    ],
)
def test_odd_params_are_refused(tmp_path: Path, method: str, params: dict[str, Any]) -> None:
    with pytest.raises(HostRefused) as refused:
        call(tmp_path, method, **params)
    assert refused.value.code == -32602


def test_a_workspace_that_is_no_folder_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no folder"):
        Host(tmp_path / "none")


# -- terminals ---------------------------------------------------------------------------------------


def terminal(workspace: Path, script: str, *then: str, **more: Any) -> list[Any]:
    """Run a shell script in a terminal and make these calls of it."""

    async def play() -> list[Any]:
        host = Host(workspace, TINY)
        try:
            params = {"command": "/bin/sh", "args": ["-c", script], **more}
            made = await host.call("terminal/create", params)
            return [await host.call(f"terminal/{name}", made) for name in then]
        finally:
            await host.close()

    return run(play())


def test_a_command_runs_in_the_workspace_with_its_environment(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    more = {"env": [{"name": "WORD", "value": "hello"}], "cwd": f"{tmp_path}/sub"}
    _, said = terminal(tmp_path, "echo $WORD; pwd; echo oops >&2", "wait_for_exit", "output", **more)
    assert said == {
        "output": f"hello\n{tmp_path}/sub\noops\n",
        "truncated": False,
        "exitStatus": {"exitCode": 0, "signal": None},
    }


def test_an_exit_code_and_a_signal_are_told_apart(tmp_path: Path) -> None:
    assert terminal(tmp_path, "exit 7", "wait_for_exit") == [{"exitCode": 7, "signal": None}]
    assert terminal(tmp_path, "kill -9 $$", "wait_for_exit") == [{"exitCode": None, "signal": "SIGKILL"}]


def test_a_running_command_has_no_exit_status_and_can_be_killed(tmp_path: Path) -> None:
    running_, _, killed, again = terminal(tmp_path, "sleep 60", "output", "kill", "output", "wait_for_exit")
    assert "exitStatus" not in running_
    assert killed["exitStatus"] == again == {"exitCode": None, "signal": "SIGTERM"}


def test_a_command_that_ignores_sigterm_is_killed(tmp_path: Path) -> None:
    script = "trap '' TERM; echo on; while :; do sleep 60; done"
    assert terminal(tmp_path, script, "kill", "wait_for_exit")[1]["signal"] in ("SIGKILL", "SIGTERM")


def test_output_is_cut_at_its_beginning_and_at_a_character(tmp_path: Path) -> None:
    _, said = terminal(tmp_path, "printf 'aaaa€€€'", "wait_for_exit", "output", outputByteLimit=8)
    assert (said["output"], said["truncated"]) == ("€€", True)


def test_a_flood_of_output_is_bounded(tmp_path: Path) -> None:
    script = "head -c 3000000 /dev/zero | tr '\\0' x"
    _, said = terminal(tmp_path, script, "wait_for_exit", "output", outputByteLimit=10**9)
    assert (said["output"], said["truncated"]) == ("x" * TINY.terminal_output, True)


def test_a_released_terminal_is_unknown_and_all_it_started_is_ended(tmp_path: Path) -> None:
    async def play() -> int:
        host = Host(tmp_path, TINY)
        script = "setsid sleep 60 & echo $!; exit 0"
        made = await host.call("terminal/create", {"command": "/bin/sh", "args": ["-c", script]})
        await host.call("terminal/wait_for_exit", made)
        pid = int((await host.call("terminal/output", made))["output"])
        assert runs(pid)
        await host.call("terminal/release", made)
        with pytest.raises(HostRefused, match="no terminal"):
            await host.call("terminal/output", made)
        return pid

    assert not runs(run(play()))


def test_terminals_are_bounded_and_closing_the_host_ends_them(tmp_path: Path) -> None:
    async def play() -> int:
        host = Host(tmp_path, TINY)
        sleeps = {"command": "/bin/sh", "args": ["-c", "echo $$; sleep 60"]}
        made = [await host.call("terminal/create", sleeps) for _ in range(TINY.terminals)]
        with pytest.raises(HostRefused, match="3 terminals are open; release one"):
            await host.call("terminal/create", sleeps)
        said = await host.call("terminal/output", made[0])
        while not said["output"]:
            said = await _soon(host.call("terminal/output", made[0]))
        await host.close()
        with pytest.raises(HostRefused, match="shutting down"):
            await host.call("terminal/create", sleeps)
        return int(said["output"])

    assert not runs(run(play()))


async def _soon(coroutine: Any) -> Any:
    await asyncio.sleep(0.01)
    return await coroutine


def test_a_command_that_is_not_there_and_a_folder_outside_are_refused(place: Path) -> None:
    with pytest.raises(HostRefused, match="No such file"):
        call(place, "terminal/create", command="no-such-command-at-all")
    with pytest.raises(HostRefused, match="outside the workspace"):
        call(place, "terminal/create", command="true", cwd="/")
    with pytest.raises(HostRefused, match="folder is a symbolic link"):
        call(place, "terminal/create", command="true", cwd=f"{place}/folder")


def test_a_whole_command_line_without_args_is_the_shells(tmp_path: Path) -> None:
    async def play() -> Any:
        host = Host(tmp_path, TINY)
        made = await host.call("terminal/create", {"command": "echo a b | tr a c"})
        await host.call("terminal/wait_for_exit", made)
        said = await host.call("terminal/output", made)
        await host.close()
        return said["output"]

    assert run(play()) == "c b\n"


@settings(max_examples=40, deadline=None)
@given(st.text("aé€\U0001d11e", max_size=40), st.integers(0, 60), st.lists(st.integers(0, 120), max_size=6))
def test_a_transcript_is_the_same_for_any_chunks(text: str, limit: int, cuts: list[int]) -> None:
    data = text.encode("utf-8", "replace")
    places = sorted({min(cut, len(data)) for cut in cuts} | {0, len(data)})
    chunked = Transcript(limit)
    for start, end in itertools.pairwise(places):
        chunked.feed(data[start:end])
        assert len(chunked.text.encode()) <= limit
    chunked.feed(b"", final=True)
    whole = data.decode()
    assert whole.endswith(chunked.text)
    assert chunked.truncated == (len(data) > limit)
    rest = whole[: len(whole) - len(chunked.text)]
    assert not chunked.truncated or len((rest[-1:] + chunked.text).encode()) > limit


# -- through a bridge --------------------------------------------------------------------------------


def test_an_agent_is_served_through_its_bridge(tmp_path: Path) -> None:
    async def play() -> list[Any]:
        steps: list[Any] = [
            ("request", "fs/write_text_file", {"path": f"{tmp_path}/new", "content": "text"}),
            ("request", "fs/read_text_file", {"path": f"{tmp_path}/new"}),
            ("request", "fs/read_text_file", {"path": "/etc/passwd"}),
            ("request", "terminal/create", {"command": "/bin/sh", "args": ["-c", "echo out; exit 3"]}),
            ("request", "terminal/wait_for_exit", {"terminalId": "terminal-1"}),
            ("request", "terminal/output", {"terminalId": "terminal-1"}),
            ("request", "terminal/release", {"terminalId": "terminal-1"}),
        ]
        async with running(tmp_path, *steps) as live:
            assert (await turn(live)).status == "completed"
        return live.answers()

    status = {"exitCode": 3, "signal": None}
    refusal = {"code": -32000, "message": f"/etc/passwd: outside the workspace {tmp_path}"}
    assert run(play()) == [
        {"result": {}},
        {"result": {"content": "text"}},
        {"error": refusal},
        {"result": {"terminalId": "terminal-1"}},
        {"result": status},
        {"result": {"output": "out\n", "truncated": False, "exitStatus": status}},
        {"result": {}},
    ]


def test_terminals_of_an_agent_that_died_are_ended(tmp_path: Path) -> None:
    async def play() -> Any:
        script = f"echo $$ > {tmp_path}/pid; sleep 60"
        steps: list[Any] = [
            ("request", "terminal/create", {"command": "/bin/sh", "args": ["-c", script]}),
            ("wait_for", f"{tmp_path}/pid"),
            "kill",
        ]
        async with running(tmp_path, *steps) as live:
            assert (await turn(live)).error == f"the agent was ended by {signal.SIGKILL.name}"

    run(play())
    assert not runs(int((tmp_path / "pid").read_text()))
