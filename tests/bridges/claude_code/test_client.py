"""A foreign Claude Code client, read as the runtime; logs imported whole."""

import json
from pathlib import Path
from typing import Any

import pytest
from claude_frames import (
    CWD,
    SESSION,
    Json,
    assistant,
    can_use,
    control,
    done,
    init,
    result_of,
    text,
    use,
    user,
)
from hypothesis import given
from hypothesis import strategies as st

from parity.bridges.claude_code import asking
from parity.bridges.claude_code.client import is_from_client
from parity.importing.importer import ImportOptions, import_log
from parity.replay.replay import Outcome
from parity.wire import RUNTIME_TO_BRIDGE, Cell

HELLO = {
    "request_id": "req_1",
    "type": "control_request",
    "request": {"subtype": "initialize", "hooks": None},
}
VERSION = {"claude_code_version": "2.1.332", "models": []}


def answer(request_id: str, response: Json) -> Json:
    body = {"subtype": "success", "request_id": request_id, "response": response}
    return {"type": "control_response", "response": body}


def prompt(words: str, **more: Any) -> Json:
    return user(words, session_id="", **more)


def imported(tmp_path: Path, *lines: tuple[str, Json], bare: bool = False) -> tuple[Cell, Outcome]:
    """The cell of a log; each line is said by `>` (the client) or `<` (the agent)."""
    sides = {">": "client->agent", "<": "agent->client"}
    log = tmp_path / "log.ndjson"
    written = [
        message if bare else {"ts": 1000 + n, "dir": sides[side], "line": json.dumps(message)}
        for n, (side, message) in enumerate(lines)
    ]
    log.write_text("".join(json.dumps(line) + "\n" for line in written))
    return import_log(log, "claude-code", "cell", tmp_path / "recordings", ImportOptions())


def runtime(cell: Cell) -> list[Json]:
    return [json.loads(line.line) for line in cell.lines() if line.dir == RUNTIME_TO_BRIDGE]


ALLOWED = (
    (">", HELLO),
    ("<", answer("req_1", VERSION)),
    (">", prompt("go")),
    ("<", init()),
    ("<", assistant(use("c1"))),
    ("<", can_use("r1", "c1")),
    (">", answer("r1", {"behavior": "allow", "updatedInput": {"command": "make"}})),
    ("<", result_of("c1", "ok")),
    ("<", done("ok")),
)


@pytest.mark.parametrize("bare", [False, True])
def test_a_log_becomes_a_cell_without_stalls(tmp_path: Path, bare: bool) -> None:
    lines = list(ALLOWED)
    if bare:
        lines[3:] = [
            (side, {**m, "session_id": SESSION} if m["type"] == "user" else m) for side, m in lines[3:]
        ]
    cell, outcome = imported(tmp_path, *lines, bare=bare)
    assert (outcome.stalls, outcome.unconsumed) == ([], [])
    methods = [message.get("method") for message in runtime(cell)]
    assert methods == ["initialize", "thread/start", "turn/start", None]
    assert runtime(cell)[1]["params"] == {"threadId": "thread-1", "cwd": CWD}
    assert runtime(cell)[-1]["result"] == {"decision": "allowed"}
    assert (cell.manifest.agent.name, cell.manifest.agent.version) == ("claude-code", "2.1.332")


def test_a_session_the_client_names_first_is_resumed(tmp_path: Path) -> None:
    first = user("go", session_id=SESSION)
    cell, _ = imported(tmp_path, (">", first), ("<", init()), ("<", done("ok")))
    assert runtime(cell)[0]["method"] == "thread/resume"
    assert runtime(cell)[0]["params"]["providerThreadId"] == SESSION


def test_settings_before_the_first_prompt_are_options_of_the_thread(tmp_path: Path) -> None:
    cell, outcome = imported(
        tmp_path,
        (">", control("req_2", "set_permission_mode", mode="plan")),
        ("<", answer("req_2", {"mode": "plan"})),
        (">", prompt("go")),
        ("<", init()),
        ("<", done("ok")),
    )
    assert runtime(cell)[0]["params"]["options"] == {"mode": "plan"}
    assert (outcome.stalls, outcome.unconsumed, cell.manifest.ignored) == ([], [], [])


def test_a_setting_that_changes_later_is_ignored_with_the_reason(tmp_path: Path) -> None:
    cell, outcome = imported(
        tmp_path,
        (">", prompt("go")),
        ("<", init()),
        ("<", done("ok")),
        (">", control("req_2", "set_model", model="haiku")),
        ("<", answer("req_2", {})),
    )
    (ignored,) = cell.manifest.ignored
    assert ignored.method == "set_model"
    assert "inside a thread" in ignored.why
    assert (outcome.stalls, outcome.unconsumed) == ([], [])


def test_a_second_prompt_in_an_open_turn_is_a_steer(tmp_path: Path) -> None:
    cell, _ = imported(
        tmp_path,
        (">", prompt("go")),
        ("<", init()),
        (">", prompt("and tea")),
        ("<", done("ok", queued_turn_count=0)),
        (">", prompt("next")),
        ("<", done("ok")),
    )
    methods = [message["method"] for message in runtime(cell)]
    assert methods == ["thread/start", "turn/start", "turn/steer", "turn/start"]


def test_s39_a_prompt_after_news_of_the_agents_own_is_still_the_open_turns(tmp_path: Path) -> None:
    cell, outcome = imported(
        tmp_path,
        (">", prompt("go")),
        ("<", init()),
        ("<", done("news", origin={"kind": "task-notification"})),
        ("<", assistant(text("yes"))),
        ("<", done("yes")),
        (">", prompt("next")),
        ("<", done("ok")),
    )
    assert [m["method"] for m in runtime(cell)] == ["thread/start", "turn/start", "turn/start"]
    assert outcome.stalls == []


def test_an_interrupt_is_a_stop_and_a_request_the_agent_took_back_needs_no_answer(tmp_path: Path) -> None:
    cell, outcome = imported(
        tmp_path,
        (">", prompt("go")),
        ("<", init()),
        ("<", assistant(use("c1"))),
        ("<", can_use("r1", "c1")),
        (">", control("req_2", "interrupt")),
        ("<", {"type": "control_cancel_request", "request_id": "r1"}),
        ("<", answer("req_2", {"still_queued": []})),
        ("<", result_of("c1", "rejected", error=True)),
        ("<", {"type": "result", "subtype": "error_during_execution", "is_error": True, "num_turns": 2}),
    )
    assert runtime(cell)[-1]["params"] == {"threadId": "thread-1", "intent": "interrupt"}
    assert (outcome.stalls, outcome.unconsumed) == ([], [])


def test_whose_a_bare_line_is_stands_in_its_form() -> None:
    theirs = [assistant(text("x")), init(), done(), can_use("r", "c"), answer("req_1", VERSION)]
    theirs.append({**result_of("c1", "x"), "session_id": SESSION})
    ours = [HELLO, prompt("go"), answer("r", {"behavior": "deny", "message": "no"})]
    assert [is_from_client(message) for message in theirs] == [False] * len(theirs)
    assert [is_from_client(message) for message in ours] == [True] * len(ours)
    assert is_from_client({"type": "keep_alive"}) is None


inputs = st.dictionaries(st.text(min_size=1, max_size=5), st.integers() | st.text(max_size=5), max_size=3)
answers = st.one_of(
    st.builds(
        lambda message, interrupt: {"decision": "denied", "message": message, **interrupt},
        st.text(min_size=1, max_size=9),
        st.sampled_from([{}, {"interrupt": True}]),
    ),
    st.just({"decision": "allowed"}),
    st.just({"decision": "allowed", "updatedInput": {"command": "other"}}),
    st.just({"decision": "allowed", "updatedPermissions": [{"type": "setMode"}]}),
)


@pytest.mark.parametrize(
    ("result", "action"), [("allowed", "accept"), ("denied", "decline"), ("cancelled", "cancel")]
)
def test_a_log_in_which_an_mcp_server_asks_becomes_a_cell(tmp_path: Path, result: str, action: str) -> None:
    asked = control("e1", "elicitation", mcp_server_name="docs", message="Delete it?", mode="form")
    told = answer("e1", {"action": action})
    assert (is_from_client(asked), is_from_client(told)) == (False, True)
    cell, outcome = imported(
        tmp_path, (">", prompt("go")), ("<", init()), ("<", asked), (">", told), ("<", done("ok"))
    )
    assert runtime(cell)[-1]["result"] == {"decision": result}
    assert (outcome.stalls, outcome.unconsumed) == ([], [])


@given(result=answers, value=inputs)
def test_no_decision_changes_when_it_is_written_and_read_again(result: Json, value: Json) -> None:
    request = {"subtype": "can_use_tool", "tool_name": "Bash", "input": value}
    assert asking.decode(asking.encode(result, request), request) == result


def test_answers_to_a_question_survive_being_written_and_read_again() -> None:
    request = {"tool_name": "AskUserQuestion", "input": {"questions": []}}
    result = {"decision": "answered", "answers": {"Which?": "B"}}
    assert asking.decode(asking.encode(result, request), request) == result
    unanswered = {"behavior": "allow", "updatedInput": {"questions": []}}
    assert asking.decode(unanswered, request) == {"decision": "allowed"}
