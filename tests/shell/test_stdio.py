"""`parity bridge`: the runtime protocol on standard input and output, and what becomes of the process."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from live_bridges import as_pinned, play
from shell_runs import fake_agent, runs

from parity.cli.bridge import run as serve
from parity.gates.settings import ProviderSettings
from parity.wire import (
    BRIDGE_TO_PROVIDER,
    LANES,
    PROVIDER_TO_BRIDGE,
    InputError,
    lane_file_name,
    read_lane,
)

SERVE = """
import sys
from pathlib import Path
from parity.cli.bridge import run_alone
sys.exit(run_alone("acp-fake", Path(sys.argv[1]), sys.argv[2:], None))
"""

COMMAND = [sys.executable, "-c", "from parity.cli.main import main; main()", "bridge"]


class Bridge:
    """A `parity bridge` process, spoken to by hand."""

    def __init__(self, folder: Path, *steps: Any, **env: str) -> None:
        command = [sys.executable, "-c", SERVE, str(folder), *fake_agent(*steps)]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **env},
        )
        self.said: list[dict[str, Any]] = []
        self.folder = folder

    def tell(self, number: int, method: str, **params: Any) -> None:
        assert self.process.stdin is not None
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def hear(self, number: int) -> dict[str, Any]:
        """Read until the answer to this request."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(json.loads(line))
            if self.said[-1].get("id") == number and "method" not in self.said[-1]:
                return self.said[-1]
        raise AssertionError(f"no answer to {number}")

    def until(self, kind: str) -> dict[str, Any]:
        """Read until a delta of this kind."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(json.loads(line))
            for delta in self.said[-1].get("params", {}).get("deltas", ()):
                if delta["kind"] == kind:
                    return dict(delta)
        raise AssertionError(f"no {kind}")

    def open(self) -> None:
        self.tell(1, "initialize")
        self.tell(2, "thread/start", threadId="t", cwd=str(self.folder))
        self.hear(2)

    def turn(self) -> None:
        self.tell(3, "turn/start", threadId="t", input=[{"type": "text", "text": "go"}])
        self.hear(3)

    def end(self) -> tuple[int, str]:
        """End its input; its exit code and its standard error."""
        _, errors = self.process.communicate(timeout=20)
        return self.process.returncode, errors.decode()

    def children(self) -> list[int]:
        """The numbers of its child processes."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [pid for pid in map(int, children.read_text().split()) if runs(pid)]

    def agent(self) -> int:
        """The number of the agent's process."""
        return self.children()[0]


@contextlib.contextmanager
def bridge(folder: Path, *steps: Any, **env: str) -> Iterator[Bridge]:
    made = Bridge(folder, *steps, **env)
    try:
        yield made
    finally:
        made.process.kill()
        made.process.communicate()


def test_a_signal_ends_it_in_the_middle_of_a_turn(tmp_path: Path) -> None:
    with bridge(tmp_path, "fork_away", ("call", "c1"), "hang") as live:
        live.open()
        live.turn()
        live.until("item.open")
        agent = live.agent()
        live.process.send_signal(signal.SIGTERM)
        assert live.end() == (128 + signal.SIGTERM, "")
    assert not runs(agent)


def test_a_failed_agent_is_told_to_both_sides(tmp_path: Path) -> None:
    with bridge(tmp_path, "fork_bare", ("stderr", "out of luck"), ("exit", 3)) as live:
        live.open()
        live.turn()
        live.until("provider.error")
        (orphan,) = live.children()
        code, errors = live.end()
    assert not runs(orphan)  # it had left its session and environment, and its parent was gone
    assert (code, errors) == (
        1,
        "parity: the agent ended with exit code 3; its standard error ends: out of luck\n",
    )
    assert {"message": "the agent ended with exit code 3"} in [
        message["params"] for message in live.said if message.get("method") == "error"
    ]


def test_a_line_of_200_mb_is_stopped_in_bounded_memory(tmp_path: Path) -> None:
    with bridge(tmp_path, ("flood_line", 200_000_000)) as live:
        live.open()
        before = _peak(live.process.pid)
        live.turn()
        assert live.until("provider.error")["message"] == "the agent wrote a line longer than 67108864 bytes"
        assert _peak(live.process.pid) - before < 192 * 1024
        assert live.end()[0] == 1


def _peak(pid: int) -> int:
    """The most memory a process had, in KiB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0])


def test_conversations_end_with_their_input_leave_nothing_and_record_into_one_folder(tmp_path: Path) -> None:
    folder = tmp_path / "recording"
    for _ in range(2):
        with bridge(tmp_path, ("say", "hi"), "fork_away", PARITY_RECORD_DIR=str(folder)) as live:
            live.open()
            agent = live.agent()
            live.turn()
            assert live.until("turn.boundary")["status"] == "completed"
            assert live.end() == (0, "")
        assert not runs(agent)
    lines = [line for lane in LANES for line in read_lane(folder / lane_file_name(lane), lane)]
    assert {line.run for line in lines} == {1, 2}
    assert len([line for line in lines if line.run == 1]) == len(lines) / 2


@pytest.mark.parametrize("end", ["input", "SIGTERM"])
def test_what_an_agent_waits_for_is_answered_before_it_is_let_go(tmp_path: Path, end: str) -> None:
    script = f"echo $$ > {tmp_path}/pid; sleep 60"
    steps = [
        ("request", "terminal/create", {"command": "/bin/sh", "args": ["-c", script]}),
        ("wait_for", f"{tmp_path}/pid"),
        ("request_into", f"{tmp_path}/answer", "terminal/wait_for_exit", {"terminalId": "terminal-1"}),
    ]
    folder = tmp_path / "recording"
    with bridge(tmp_path, *steps, PARITY_RECORD_DIR=str(folder)) as live:
        live.open()
        live.turn()
        asked = folder / lane_file_name(PROVIDER_TO_BRIDGE)
        while "terminal/wait_for_exit" not in asked.read_text():
            time.sleep(0.01)
        if end == "SIGTERM":
            live.process.send_signal(signal.SIGTERM)
        assert live.end() == (0 if end == "input" else 128 + signal.SIGTERM, "")
    killed = {"exitCode": None, "signal": "SIGKILL"}
    assert json.loads((tmp_path / "answer").read_text()) == killed
    told = read_lane(folder / lane_file_name(BRIDGE_TO_PROVIDER), BRIDGE_TO_PROVIDER)
    answers = [message for line in told if (message := json.loads(line.line)).get("id") == "kept"]
    assert [answer["result"] for answer in answers] == [killed]
    assert not runs(int((tmp_path / "pid").read_text()))


@pytest.mark.parametrize(
    ("provider", "folder", "command", "said"),
    [
        ("nobody", ".", ["true"], "nobody: no bridge serves this provider; "),
        ("acp-unheard-of", ".", [], "acp-unheard-of: no agent is known for this provider; "),
        ("acp-x", "/no/such", ["true"], "/no/such: is no folder; "),
        (
            "acp-x",
            ".",
            ["/no/such/agent", "--x"],
            "/no/such/agent: the agent cannot be started (No such file",
        ),
    ],
)
def test_a_mistake_is_one_clear_line(provider: str, folder: str, command: list[str], said: str) -> None:
    with pytest.raises(InputError) as mistake:
        serve(provider, Path(folder), command, None)
    assert str(mistake.value).startswith(said)


def test_a_cell_played_through_it_comes_to_its_pins() -> None:
    cell = "acp-cursor/approval-allow"
    settings = ProviderSettings([*COMMAND, "--provider", "acp-cursor"], Path.cwd(), {}, 10.0)
    outcome, sink = play(settings, cell)
    assert (outcome.stalls, outcome.unconsumed) == ([], [])
    assert as_pinned(sink, cell, "events")
    assert as_pinned(sink, cell, "rows")
