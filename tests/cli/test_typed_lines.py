"""Lines from standard input, whatever it is."""

from __future__ import annotations

import asyncio
import os
import pty
from pathlib import Path

from parity.cli.typed_lines import TypedLines


def lines(fd: int) -> list[str]:
    async def read() -> list[str]:
        typed, found = TypedLines(fd), []
        while (line := await typed.next()) is not None:
            found.append(line)
        return found

    return asyncio.run(asyncio.wait_for(read(), 20))


def test_a_pipe_is_read_to_its_end() -> None:
    out, into = os.pipe()
    os.write(into, "one\r\n\ntwö\nthree".encode())
    os.close(into)
    assert lines(out) == ["one", "", "twö", "three"]
    os.close(out)


def test_a_file_is_read_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "prompts").write_text("one\ntwo\n")
    fd = os.open(tmp_path / "prompts", os.O_RDONLY)
    assert lines(fd) == ["one", "two"]
    os.close(fd)


def test_nothing_is_the_end() -> None:
    fd = os.open(os.devnull, os.O_RDONLY)
    assert lines(fd) == []
    os.close(fd)
    assert lines(fd) == []


def test_what_was_typed_ahead_answers_nothing() -> None:
    ours, theirs = pty.openpty()

    async def ask() -> tuple[str | None, str | None]:
        typed = TypedLines(theirs)
        assert typed.is_terminal
        os.write(ours, b"prompt\nahead\n")
        first = await typed.next()
        typed.forget()
        os.write(ours, b"answer\n")
        return first, await typed.next()

    assert asyncio.run(asyncio.wait_for(ask(), 20)) == ("prompt", "answer")
    os.close(ours)
    os.close(theirs)
