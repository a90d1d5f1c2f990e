"""`parity probe` with agents that behave, and ones that do not."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from parity_runs import parity, snapshot
from probe_runs import VENDOR_UPDATE, documents, notice, offered, probe, update

from parity.capture import probe as probing
from parity.capture.probe import placed, provider_of
from parity.wire import open_cell

SDK_AGENT = Path(__file__).parents[1] / "support" / "sdk_agent.py"


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing, "_QUIET_SECONDS", 0.03)
    monkeypatch.chdir(tmp_path)


# -- what is seen ------------------------------------------------------------------------------------------


def test_an_agent_on_the_official_python_sdk_gives_a_timeline_and_a_cell(tmp_path: Path) -> None:
    words = ["probe", "--allow", "--prompt", "look", "--prompt", "look again"]
    ran = parity(*words, "--as", "acp-sdk/turns", "--into", "r", "--", sys.executable, SDK_AGENT)
    assert ran.code == 0, ran.err
    assert ran.out.splitlines()[:8] == [
        "… turn        look",
        "  ✗ command     cat missing.txt  exit 1 · allowed",
        "      no such file",
        "✓ turn        completed",
        "✓ message    ",
        "    You said: look",
        "… turn        look again",
        "  ✗ command     cat missing.txt  exit 1 · allowed",
    ]
    assert "agent       sdk-agent 1.2.3 · protocol 1 · acp-sdk\n" in ran.out
    assert "unread      2 × agent_message_chunk _meta.mood\n" in ran.out
    shown = parity("show", tmp_path / "r" / "acp-sdk" / "turns")
    assert shown.out.count("cat missing.txt  exit 1 · allowed") == 2


def test_what_no_lane_knows_is_counted_by_its_type() -> None:
    steps = (update(VENDOR_UPDATE), update(VENDOR_UPDATE), notice("_mine/mood", {}), ("write", "not json\n"))
    ran = probe(steps=steps)
    assert "unhandled   2 × mood_update\n" in ran.out
    assert "passed over 1 × _mine/mood\n" in ran.out
    assert "noise       1 line that made no sense\n" in ran.out
    assert ran.code == 0


def test_json_is_events_and_one_report() -> None:
    ran = probe("--json", steps=(("say", "hello"), update(VENDOR_UPDATE)))
    *events, report = documents(ran.out)
    types = [event["type"] for event in events]
    assert {"turn/started", "item/agentMessage/delta", "provider/unhandled", "turn/completed"} <= set(types)
    assert report["type"] == "probe/report"
    assert (report["turns"], report["unhandled"]) == (["completed"], {"mood_update": 1})


def test_control_characters_of_an_agent_never_reach_the_terminal() -> None:
    ran = probe(steps=(("say", "a\x1b[2Jb\x07c"),))
    assert "    abc\n" in ran.out
    assert "\x1b" not in ran.out


# -- what it asks ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["--allow"], "allowed"),
        (["--deny"], "denied"),
        (["--cancel"], "cancelled"),
        ([], "cancelled"),
    ],
)
def test_what_an_agent_asks_is_answered_by_the_flag_else_cancelled(words: list[str], answer: str) -> None:
    ran = probe(*words, "--json", steps=(("ask",),))
    resolved = [event for event in documents(ran.out) if event["type"] == "interaction/resolved"]
    assert [event["decision"] for event in resolved] == [answer]
    assert ("nobody is here to answer" in ran.err) == (not words)


def test_two_answers_contradict_each_other() -> None:
    ran = probe("--allow", "--deny")
    assert (ran.code, ran.err) == (
        2,
        "parity: --allow and --deny: contradict each other; give one of them\n",
    )


# -- what is kept ------------------------------------------------------------------------------------------


def test_a_cell_is_redacted_and_says_what_it_is(tmp_path: Path) -> None:
    said = f"I am {Path.home()}/secret, ask me@somecorp.dev"
    words = ["--as", "acp-mine/first", "--into", "r", "--model", "scripted", "--description", "A test."]
    ran = probe(*words, steps=(("say", said),))
    assert ran.code == 0, ran.err
    cell = open_cell(tmp_path / "r" / "acp-mine" / "first")
    manifest = cell.manifest
    assert (manifest.origin, manifest.model, manifest.description) == ("live", "scripted", "A test.")
    assert (manifest.thread_id, manifest.bridge_runs, manifest.protocol) == ("thread-1", 1, 1)
    text = "\n".join(line.line for line in cell.lines())
    assert "me@some" not in text
    assert "parity-probe-" not in text
    assert '"cwd":"/home/user/workspace"' in text


def test_the_log_imports_to_the_rows_of_the_cell(tmp_path: Path) -> None:
    words = ["--allow", "--as", "acp-mine/live", "--into", "r", "--log", "log.ndjson", "--lanes", "lanes"]
    assert probe(*words, steps=(("ask",), ("say", "done"))).code == 0
    assert (tmp_path / "lanes" / "runtime→bridge.ndjson").read_text("utf-8").count("\n") == 4
    params = offered(tmp_path / "log.ndjson")
    assert (params["protocolVersion"], params["clientInfo"]["name"]) == (1, "parity")
    words = ["log.ndjson", "-p", "acp-mine", "-c", "imported", "--recordings", "r"]
    assert parity("import", *words).code == 0
    live, imported = (parity("show", f"r/acp-mine/{name}", "--json").out for name in ("live", "imported"))
    assert live
    assert live == imported


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--as", "acp-mine"], "--as: 'acp-mine' is no PROVIDER/CELL; write e.g. acp-mine/turn-tools"),
        (["--as", "acp-mine/x", "-p", "acp-you"], "--as: acp-mine is not acp-you; give one provider"),
        (["--as", "acp-mine/there", "--into", "."], "acp-mine/there: the cell exists; choose"),
        (["--model", "live"], "--model: is for a cell; name the cell with --as PROVIDER/CELL"),
        (["--as", "acp-x/y", "--model", "my"], "--model: 'my' is none of its values; choose from"),
        (["--log", "there.log"], "there.log: exists; name another file, or replace it (--overwrite)"),
        (["--cwd", "nowhere"], "nowhere: is no folder; name the agent's workspace"),
        (["--timeout", "-1"], "--timeout: -1 is below 0; give seconds, or 0 for any"),
        (["-p", "codex", "--protocol", "2"], "--protocol: codex has no versions to offer; leave it out"),
        (["-p", "nobody"], "nobody: no bridge serves this provider; begin it with acp-, or see"),
    ],
)
def test_a_mistake_is_one_line_before_anything_is_started(
    tmp_path: Path, words: list[str], said: str
) -> None:
    (tmp_path / "acp-mine" / "there").mkdir(parents=True)
    (tmp_path / "there.log").write_text("mine")
    before = snapshot(tmp_path)
    ran = probe(*words)
    assert ran.code == 2
    assert ran.err.startswith(f"parity: {said}") or f"/{said}" in ran.err
    assert ran.err.count("\n") == 1
    assert snapshot(tmp_path) == before


# -- where it works ----------------------------------------------------------------------------------------


def test_an_agent_works_in_a_folder_that_is_gone_afterwards(tmp_path: Path) -> None:
    ran = probe(steps=(("request", "fs/write_text_file", {"path": "notes.txt", "content": "x"}),))
    assert ran.err.startswith("workspace: a temporary folder")
    assert snapshot(tmp_path) == {}


def test_a_folder_of_ones_own_is_worked_in(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    path = str(tmp_path / "mine" / "notes.txt")
    probe("--cwd", "mine", steps=(("request", "fs/write_text_file", {"path": path, "content": "x"}),))
    assert snapshot(tmp_path) == {"mine/notes.txt": b"x"}


def test_words_that_name_files_here_are_started_from_anywhere(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    for name in ("agent.py", "bin/run", "acp"):
        (tmp_path / name).write_text("")
    command = ["bin/run", "agent.py", "acp", "--config=agent.py", "other.py", "/bin/sh", "bin"]
    made = [str(tmp_path / "bin/run"), str(tmp_path / "agent.py"), *command[2:]]
    assert placed(command, tmp_path) == made


@pytest.mark.parametrize(
    ("command", "provider"),
    [
        ("gemini --acp", "acp-gemini"),
        ("/usr/bin/node dist/My_Agent.mjs", "acp-my-agent"),
        ("python3.12 -m my.agent", "acp-my-agent"),
        ("npx --yes @scope/agent-acp@1.2.3", "acp-agent-acp"),
        ("uv run agent.py", "acp-agent"),
        ("env KEY=x opencode acp", "acp-opencode"),
        ("node", "acp-node"),
    ],
)
def test_the_provider_is_named_after_what_is_started(command: str, provider: str) -> None:
    assert provider_of(command.split()) == provider


def test_version_2_is_offered_when_asked_for(tmp_path: Path) -> None:
    probe("--protocol", "2", "--log", "log.ndjson")
    assert offered(tmp_path / "log.ndjson")["protocolVersion"] == 2


# -- agents that fail --------------------------------------------------------------------------------------


def test_an_agent_that_cannot_be_started_is_one_line(tmp_path: Path) -> None:
    ran = parity("probe", "--prompt", "go", "--log", "log", "--", "/nowhere/agent")
    assert ran.code == 2
    assert ran.err.splitlines()[-1].startswith("parity: /nowhere/agent: ")
    assert snapshot(tmp_path) == {}


def test_an_agent_that_ends_at_once_is_told_with_its_last_words() -> None:
    script = "import sys; sys.stderr.write('no config\\x1b[31m!\\n'); sys.exit(3)"
    ran = parity("probe", "--prompt", "go", "--", sys.executable, "-I", "-S", "-c", script)
    assert ran.code == 1
    assert "parity: the agent ended with exit code 3\n" in ran.err
    assert "  no config!\n" in ran.err
    assert "--cwd . starts it here" in ran.err


def test_an_agent_that_dies_in_a_turn_leaves_a_cell_that_replays(tmp_path: Path) -> None:
    steps = (("call", "c1"), ("stderr", "out of memory\n"), ("exit", 7))
    ran = probe("--as", "acp-mine/dies", "--into", "r", steps=steps)
    assert ran.code == 1
    assert "parity: the agent ended with exit code 7\n" in ran.err
    assert "  out of memory\n" in ran.err
    assert "✗ turn        failed  the agent ended with exit code 7" in ran.out
    shown = parity("show", "r/acp-mine/dies")
    assert "✗ error       the agent ended with exit code 7" in shown.out
    assert "!" not in shown.out


def test_an_agent_that_hangs_is_given_up() -> None:
    ran = probe("--timeout", "0.3", steps=(("hang",),))
    assert ran.code == 1
    assert "parity: the agent was silent for 0.3 s\n" in ran.err


def test_an_agent_that_refuses_is_told_with_the_logins_it_offers() -> None:
    script = (
        "import sys, json\n"
        "for line in sys.stdin:\n"
        "    m = json.loads(line)\n"
        "    ok = {'protocolVersion': 1, 'authMethods': [{'id': 'o', 'name': 'OAuth'}]}\n"
        "    no = {'code': -32000, 'message': 'Authentication required'}\n"
        "    answer = {'result': ok} if m['method'] == 'initialize' else {'error': no}\n"
        "    print(json.dumps({'jsonrpc': '2.0', 'id': m['id'], **answer}), flush=True)\n"
    )
    ran = parity("probe", "--prompt", "go", "--", sys.executable, "-I", "-S", "-c", script)
    assert ran.code == 1
    said = "the agent refused a new session: Authentication required"
    assert f"parity: {said}; log in by its own means first, it offers OAuth\n" in ran.err


# -- Ctrl-C ------------------------------------------------------------------------------------------------


def test_the_first_interrupt_stops_the_turn(tmp_path: Path) -> None:
    steps = (("signal_parent",), ("cancelled",))
    ran = probe("--as", "acp-mine/stopped", "--into", "r", steps=steps)
    assert ran.code == 0
    assert "■ turn        interrupted" in ran.out
    assert "replays to" in ran.out


def test_the_second_interrupt_ends_the_probe_and_writes_no_cell(tmp_path: Path) -> None:
    steps = (("signal_parent",), ("cancelled",), ("signal_parent",), ("cancelled",))
    ran = probe("--as", "acp-mine/cut", "--into", "r", "--log", "log", steps=steps)
    assert ran.code == 130
    assert "acp-mine/cut: ended in the middle of a turn; no cell was written" in ran.err
    assert [name for name in snapshot(tmp_path) if name != "log"] == []
    assert os.path.getsize("log") > 0
