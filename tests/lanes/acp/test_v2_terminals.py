"""ACP version 2: the agent's own terminals feed the command that shows them."""

from acp_v2_frames import RUNNING, command, idle, piece, printed, prompted, terminal
from acp_v2_frames import call as tool

SHOWN = [{"type": "terminal", "terminalId": "x"}]
EXIT = {"exitStatus": {"exitCode": 3}}


def shown(*frames):
    return prompted().feed(command("t1", status="in_progress", content=SHOWN), *frames)


def test_chunks_append_and_the_exit_gives_the_code() -> None:
    run = shown(printed("x", "one\n"), printed("x", "two\n"), terminal("x", **EXIT))
    run.feed(tool("t1", status="completed"), idle())
    row = run.call("t1")
    assert (row["output"], row["exitCode"], row["status"]) == ("one\ntwo\n", 3, "failed")
    assert run.output_deltas() == [("one\n", False), ("two\n", False)]


def test_a_character_split_over_chunks_is_one_character() -> None:
    data = "é€\U0001f600".encode()
    run = shown(*(printed("x", data[at : at + 1]) for at in range(len(data))))
    assert run.output_deltas() == [("é", False), ("€", False), ("\U0001f600", False)]
    run.feed(terminal("x", exitStatus={}), tool("t1", status="completed"), idle())
    assert run.call("t1")["output"] == "é€\U0001f600"


def test_a_character_that_is_never_completed_is_marked() -> None:
    run = shown(printed("x", b"a\xe2\x82"), tool("t1", status="completed"), idle())
    assert run.call("t1")["output"] == "a\ufffd"


def test_a_snapshot_may_end_inside_a_character() -> None:
    run = shown(terminal("x", "€".encode()[:2]), printed("x", "€".encode()[2:] + b"!"))
    run.feed(tool("t1", status="completed"), idle())
    assert run.call("t1")["output"] == "€!"


def test_a_snapshot_replaces_what_was_printed_and_null_clears_it() -> None:
    run = shown(printed("x", "junk"), terminal("x", "all"))
    assert run.output_deltas()[-1] == ("all", True)
    run.feed({**terminal("x"), "output": None}, tool("t1", status="completed"), idle())
    assert "output" not in run.call("t1")


def test_output_before_the_call_shows_the_terminal_is_not_lost() -> None:
    run = prompted().feed(terminal("x", "early "), printed("x", "bird"))
    run.feed(command("t1", status="in_progress", content=SHOWN))
    assert run.call("t1")["output"] == "early bird"


def test_a_content_chunk_may_show_the_terminal() -> None:
    run = prompted().feed(printed("x", "out"), command("t1", status="in_progress"))
    run.feed(piece("t1", SHOWN[0]))
    assert run.call("t1")["output"] == "out"


def test_the_terminal_says_what_runs_where_the_call_does_not() -> None:
    run = prompted().feed(tool("t1", kind="execute", status="in_progress", content=SHOWN))
    run.feed(terminal("x", command="make all", cwd="/b"))
    assert (run.call("t1")["command"], run.call("t1")["cwd"]) == ("make all", "/b")


def test_an_exit_after_the_call_settled_still_reaches_its_row() -> None:
    run = shown(tool("t1", status="completed"), printed("x", "late"), terminal("x", **EXIT))
    row = run.call("t1")
    assert (row["output"], row["exitCode"], row["status"]) == ("late", 3, "failed")


def test_output_after_the_call_settled_reaches_its_row_when_the_turn_ends() -> None:
    run = shown(tool("t1", status="completed"), printed("x", "la"), printed("x", "te"))
    assert run.feed(idle()).call("t1")["output"] == "late"


def test_an_exit_that_is_taken_back_is_not_reported() -> None:
    run = shown(terminal("x", **EXIT), terminal("x", exitStatus=None), tool("t1", status="completed"))
    assert "exitCode" not in run.feed(idle()).call("t1")


def test_a_signal_has_a_line_of_its_own() -> None:
    run = shown(printed("x", "a"), terminal("x", exitStatus={"signal": "SIGKILL"}))
    run.feed(tool("t1", status="failed"), idle())
    assert run.call("t1")["output"] == "a\n[terminated by signal SIGKILL]"


def test_what_is_no_base64_is_kept_as_unhandled() -> None:
    bad = {"sessionUpdate": "terminal_output_chunk", "terminalId": "x", "data": "?"}
    run = shown(bad, {**terminal("x"), "output": {"data": "?"}}, idle())
    assert [e["rawType"] for e in run.unhandled] == ["terminal_output_chunk", "terminal_update"]


def test_output_after_the_turn_is_neither_work_nor_unhandled() -> None:
    run = shown(printed("x", "a"), idle(), printed("x", "b"), terminal("x", **EXIT))
    assert not run.unhandled
    assert run.call("t1")["output"] == "a"


def test_a_terminal_of_an_earlier_turn_may_be_shown_again() -> None:
    run = shown(printed("x", "a"), idle(), printed("x", "b"))
    run.prompt()
    run.accept().feed(RUNNING, command("t2", status="in_progress", content=SHOWN))
    assert run.call("t2")["output"] == "ab"
