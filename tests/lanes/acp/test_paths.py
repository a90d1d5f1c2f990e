"""Paths: against the session's folder, never the process's; nothing invented (S51)."""

from pathlib import Path

import pytest
from acp_frames import CWD, AcpRun, command, diff, tool_call, turn, update


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The process stands in another folder than the session."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_s51_a_relative_location_is_joined_with_the_sessions_folder() -> None:
    row = turn(tool_call("t1", kind="read", locations=["src/a.py"])).call("t1")
    assert row["path"] == f"{CWD}/src/a.py"


@pytest.mark.parametrize("field", ["target_file", "filePath", "file_path", "path"])
def test_s51_each_path_argument_is_joined(field: str) -> None:
    row = turn(tool_call("t1", kind="read", raw_input={field: "a.py"})).call("t1")
    assert row["path"] == f"{CWD}/a.py"


def test_s51_diff_paths_are_joined() -> None:
    row = turn(tool_call("t1", kind="edit", content=[diff("src/a.py", "x", "y")])).call("t1")
    assert row["changes"][0]["path"] == f"{CWD}/src/a.py"


def test_s51_the_path_of_a_search_is_joined() -> None:
    row = turn(tool_call("t1", kind="search", raw_input={"pattern": "x", "path": "src"})).call("t1")
    assert (row["query"], row["path"]) == ("x", f"{CWD}/src")


@pytest.mark.parametrize("path", ["/etc/hosts", f"{CWD}/a.py", "~/notes", "C:\\work\\a.py", "file:///a/b"])
def test_s51_an_absolute_path_stays_as_it_is(path: str) -> None:
    row = turn(tool_call("t1", kind="read", locations=[path])).call("t1")
    assert row["path"] == path


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("./a.py", f"{CWD}/a.py"),
        ("../other/a.py", "/home/dev/other/a.py"),
        (".", CWD),
        ("a/../b", f"{CWD}/b"),
    ],
)
def test_s51_dots_of_a_joined_path_are_resolved(said: str, meant: str) -> None:
    assert turn(tool_call("t1", kind="read", locations=[said])).call("t1")["path"] == meant


def test_s51_a_windows_session_joins_with_its_own_separator() -> None:
    run = AcpRun(cwd="C:\\work\\app")
    run.prompt()
    run.feed(tool_call("t1", kind="read", locations=["a.py"]))
    assert run.call("t1")["path"] == "C:\\work\\app\\a.py"


def test_s51_the_sessions_folder_is_not_invented_onto_a_command() -> None:
    run = turn(command("t1", "ls"), update("t1", status="completed"))
    assert "cwd" not in run.call("t1")
    assert "cwd" not in run.events_of("item/completed")[0]["item"]


def test_a_command_has_the_folder_its_agent_says() -> None:
    run = turn(tool_call("t1", kind="execute", raw_input={"command": "ls", "cwd": "/srv"}))
    assert run.call("t1")["cwd"] == "/srv"


def test_s51_an_argument_names_the_path_before_a_location_does() -> None:
    run = turn(tool_call("t1", kind="read", raw_input={"target_file": "a.py"}, locations=["src"]))
    assert run.call("t1")["path"] == f"{CWD}/a.py"


def test_s51_the_arguments_of_a_generic_tool_keep_the_agents_words() -> None:
    run = turn(tool_call("t1", name="x", raw_input={"path": "a.py"}))
    assert run.call("t1")["toolArgs"] == {"path": "a.py"}


def test_s51_a_resolved_path_never_holds_the_processs_folder(elsewhere: Path) -> None:
    run = turn(
        tool_call("t1", kind="read", locations=["a"]),
        tool_call("t2", kind="edit", content=[diff("b", "", "c")]),
    )
    assert str(elsewhere) not in str(run.events)
