"""gemini: ids hold the tool's name, titles hold the command, asked calls have no `tool_call`."""

from acp_frames import ask, diff, prompted, tool_call, turn, update

SHELL = "run_shell_command__c0"


def test_s20_an_asked_command_is_one_row_from_ask_to_update() -> None:
    run = prompted("gemini").feed(ask(SHELL, status="pending", title="ls /x", kind="execute"))
    run.answer("allowed")
    run.feed(
        update(SHELL, status="completed", title="ls /x", kind="execute", content=[], locations=[])
    ).answer_prompt()
    row = run.call(SHELL)
    assert (row["kind"], row["command"], row["status"]) == ("command", "ls /x", "completed")
    assert not {"exitCode", "output"} & set(row)
    assert run.events_of("provider/warning") == []


def test_s20_a_refused_command_gets_no_frame_and_the_turn_goes_on() -> None:
    run = prompted("gemini").feed(ask(SHELL, status="pending", title="ls /x", kind="execute"))
    run.answer("denied")
    assert run.call(SHELL)["status"] == "failed"
    read = tool_call(
        "read_file__c1", status="in_progress", title="README.md", kind="read", locations=["/w/README.md"]
    )
    run.feed(read, update("read_file__c1", status="completed")).answer_prompt()
    assert run.turn["status"] == "completed"
    assert run.call("read_file__c1")["path"] == "/w/README.md"


def test_s20_a_command_asked_while_another_runs_is_a_row_of_its_own() -> None:
    run = prompted("gemini").feed(
        tool_call("run_shell_command__a", kind="execute", title="sleep 9", status="in_progress"),
        ask(SHELL, kind="execute", title="ls"),
    )
    assert "approval" not in run.call("run_shell_command__a")
    assert run.call(SHELL)["command"] == "ls"


def test_an_edit_asked_for_shows_its_change_before_it_is_made() -> None:
    run = prompted("gemini").feed(
        ask("replace__c2", kind="edit", title="calc.py: a => b", content=[diff("/w/calc.py", "a", "b")])
    )
    assert run.call("replace__c2")["changes"][0]["newText"] == "b"
    assert "reason" not in run.call("replace__c2")["approval"]


def test_tools_are_named_by_their_ids() -> None:
    run = turn(
        tool_call("save_memory__c3", kind="other", title="Saving"),
        tool_call("list_directory__c4", kind="search", title="."),
        tool_call("grep_search__c5", kind="search", title="'Hello'"),
        profile="gemini",
    )
    assert run.call("save_memory__c3")["toolName"] == "save_memory"
    assert run.call("list_directory__c4")["mode"] == "path"
    assert (run.call("grep_search__c5")["mode"], run.call("grep_search__c5")["query"]) == ("content", "Hello")


def test_the_text_of_a_cancelled_command_is_its_output() -> None:
    run = prompted("gemini").feed(tool_call(SHELL, kind="execute", title="sleep 9", status="in_progress"))
    run.stop()
    run.feed(update(SHELL, status="completed", content="Command was cancelled.\n1\n")).answer_prompt(
        "cancelled"
    )
    assert run.call(SHELL)["output"] == "Command was cancelled.\n1\n"
    assert run.turn["status"] == "interrupted"


def test_usage_stands_in_the_answers_quota() -> None:
    run = prompted("gemini")
    quota = {"quota": {"token_count": {"input_tokens": 8, "output_tokens": 2}, "model_usage": []}}
    run.answer_prompt(_meta=quota)
    usage = run.events_of("thread/tokenUsage/updated")[0]
    assert usage["turn"] == {"inputTokens": 8, "outputTokens": 2}


def test_todos_are_a_tool_call() -> None:
    run = turn(tool_call("write_todos__c6", kind="other", title="Set 2 todos"), profile="gemini")
    assert (run.call("write_todos__c6")["kind"], run.call("write_todos__c6")["toolName"]) == (
        "tool",
        "write_todos",
    )
