"""Commands that run in the client's terminals: output and exit code come from the terminal calls (S14)."""

from typing import Any

from acp_frames import AcpRun, command, prompted, request, terminal, turn, update


def create(run: AcpRun, terminal_id: str = "term-1") -> None:
    run.feed(request("terminal/create", command="make", args=[]))
    run.host_result({"terminalId": terminal_id})


def show(
    run: AcpRun, output: str, exit_status: dict[str, Any] | None = None, terminal_id: str = "term-1"
) -> None:
    shown = {"output": output, "truncated": False, "exitStatus": exit_status}
    run.terminal("output", terminal_id, shown)


def in_terminal(terminal_id: str = "term-1") -> dict[str, Any]:
    return command("t1", status="in_progress", content=[terminal(terminal_id)])


def test_s14_output_and_exit_code_come_from_the_terminal() -> None:
    run = prompted()
    create(run)
    run.feed(in_terminal())
    show(run, "a\n")
    show(run, "a\nb\n", {"exitCode": 3, "signal": None})
    run.terminal("release", "term-1", {})
    run.feed(update("t1", status="completed")).answer_prompt()
    row = run.call("t1")
    assert (row["status"], row["exitCode"], row["output"]) == ("failed", 3, "a\nb\n")
    assert run.output_deltas() == [("a\n", False), ("b\n", False)]


def test_s14_an_exit_that_was_waited_for_is_the_exit_code() -> None:
    run = prompted()
    create(run)
    run.feed(in_terminal())
    run.terminal("wait_for_exit", "term-1", {"exitCode": 2, "signal": None})
    show(run, "done\n")
    run.feed(update("t1", status="completed")).answer_prompt()
    assert (run.call("t1")["exitCode"], run.call("t1")["output"]) == (2, "done\n")


def test_s14_a_terminal_may_be_shown_by_its_call_only_at_the_close() -> None:
    run = prompted()
    create(run)
    run.feed(command("t1", status="in_progress"))
    show(run, "a\n", {"exitCode": 0})
    run.feed(update("t1", status="completed", content=[terminal("term-1")])).answer_prompt()
    assert (run.call("t1")["exitCode"], run.call("t1")["output"]) == (0, "a\n")


def test_s14_a_released_terminal_loses_neither_output_nor_code_nor_status() -> None:
    run = prompted()
    create(run)
    run.feed(in_terminal())
    show(run, "a\n", {"exitCode": 1})
    run.terminal("release", "term-1", {})
    run.feed(update("t1", status="failed")).answer_prompt()
    row = run.call("t1")
    assert (row["status"], row["exitCode"], row["output"]) == ("failed", 1, "a\n")


def test_s14_an_unknown_terminal_never_loses_the_status() -> None:
    run = turn(in_terminal("never-made"), update("t1", status="completed"))
    row = run.call("t1")
    assert row["status"] == "completed"
    assert not {"exitCode", "output"} & set(row)


def test_s14_a_terminal_the_host_cannot_make_never_loses_the_status() -> None:
    run = prompted().feed(request("terminal/create", "c1", command="make"))
    run.host_error(-32000, "no terminals here")
    run.feed(in_terminal("none"), update("t1", status="failed", content="could not start")).answer_prompt()
    assert run.responses("c1")[0]["error"]["message"] == "no terminals here"
    assert (run.call("t1")["status"], run.call("t1")["output"]) == ("failed", "could not start")


def test_s14_a_signal_of_the_terminal_is_noted_after_its_output() -> None:
    run = prompted()
    create(run)
    run.feed(in_terminal())
    show(run, "a\n", {"exitCode": None, "signal": "SIGTERM"})
    run.feed(update("t1", status="failed")).answer_prompt()
    assert run.call("t1")["output"] == "a\n[terminated by signal SIGTERM]"
    assert "exitCode" not in run.call("t1")


def test_s14_two_commands_keep_their_own_terminals() -> None:
    run = prompted()
    for number in ("1", "2"):
        create(run, f"term-{number}")
        run.feed(command(f"t{number}", status="in_progress", content=[terminal(f"term-{number}")]))
    show(run, "two\n", {"exitCode": 2}, "term-2")
    show(run, "one\n", {"exitCode": 0}, "term-1")
    run.feed(update("t2", status="completed"), update("t1", status="completed")).answer_prompt()
    assert (run.call("t1")["output"], run.call("t1")["exitCode"]) == ("one\n", 0)
    assert (run.call("t2")["output"], run.call("t2")["exitCode"]) == ("two\n", 2)


def test_s14_a_terminal_named_before_the_kind_is_known_still_gives_output_and_code() -> None:
    run = prompted()
    create(run)
    run.feed(update("t1", status="in_progress", content=[terminal("term-1")]))
    show(run, "a\n", {"exitCode": 5})
    run.feed(update("t1", kind="execute"), update("t1", status="completed")).answer_prompt()
    assert (run.call("t1")["exitCode"], run.call("t1")["output"]) == (5, "a\n")


def test_s14_the_reported_exit_of_the_call_wins_over_the_terminals() -> None:
    run = prompted()
    create(run)
    run.feed(in_terminal())
    show(run, "a\n", {"exitCode": 0})
    run.feed(update("t1", status="completed", raw_output={"exitCode": 7})).answer_prompt()
    assert run.call("t1")["exitCode"] == 7


def test_s14_a_terminal_of_one_turn_says_nothing_to_the_next() -> None:
    run = prompted()
    create(run)
    run.feed(in_terminal())
    show(run, "old\n", {"exitCode": 9})
    run.terminal("release", "term-1", {})
    run.feed(update("t1", status="completed")).answer_prompt()
    run.prompt()
    run.feed(command("t2", content=[terminal("term-1")]), update("t2", status="completed")).answer_prompt()
    assert not {"exitCode", "output"} & set(run.call("t2"))


def test_s14_terminal_output_of_no_call_changes_nothing() -> None:
    run = prompted()
    create(run)
    show(run, "a\n", {"exitCode": 1})
    run.answer_prompt()
    assert run.work == []
    assert run.turn["status"] == "completed"
