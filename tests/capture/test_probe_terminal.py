"""`parity probe` at a terminal: a person types prompts and answers, rows grow."""

from __future__ import annotations

import os
import pty
import select
import sys
import time
from pathlib import Path

from shell_runs import fake_agent


class Terminal:
    """A program at a terminal of its own; every wait is bounded."""

    def __init__(self, words: list[str], folder: Path) -> None:
        self.seen = ""
        self._read = 0
        self._pid, self._fd = pty.fork()
        if self._pid == 0:  # pragma: no cover
            os.chdir(folder)
            os.execve(words[0], words, {**os.environ, "TERM": "xterm", "COLUMNS": "80", "LINES": "24"})

    def see(self, text: str) -> None:
        """Wait until this is shown, after what was waited for last."""
        end = time.monotonic() + 30
        while text not in self.seen[self._read :]:
            assert time.monotonic() < end, self.seen
            if select.select([self._fd], [], [], 0.1)[0]:
                self.seen += os.read(self._fd, 65536).decode("utf-8", "replace")
        self._read = self.seen.index(text, self._read) + len(text)

    def type(self, keys: str) -> None:
        """What the person types."""
        os.write(self._fd, keys.encode())

    def end(self) -> int:
        """The exit code."""
        try:
            while select.select([self._fd], [], [], 30)[0] and (data := os.read(self._fd, 65536)):
                self.seen += data.decode("utf-8", "replace")
        except OSError:
            pass
        code = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        os.close(self._fd)
        return code


def test_a_person_prompts_answers_stops_and_leaves(tmp_path: Path) -> None:
    ask = fake_agent(("say", "working"), ("ask",), ("call", "c9", "slow work"), ("cancelled",))
    terminal = Terminal([sys.executable, "-m", "parity.cli.main", "probe", "--", *ask], tmp_path)
    terminal.see("prompt (Ctrl-D ends)>")
    terminal.type("go\n")
    terminal.see("? touch")
    terminal.see("1  Yes")
    terminal.see("to cancel>")
    terminal.type("7\n")
    terminal.see("give a number from 1 to 1")
    terminal.see("to cancel>")
    terminal.type("1\n")
    terminal.see("slow work")
    terminal.type("\x03")
    terminal.see("stopping the turn; Ctrl-C again ends the probe")
    terminal.see("interrupted")
    terminal.see("prompt (Ctrl-D ends)>")
    terminal.type("\x04")
    assert terminal.end() == 0
    assert "turns       " in terminal.seen
    assert "1: interrupted" in terminal.seen
    assert "allowed" in terminal.seen
