"""The scripted model served by `@copilotkit/aimock`: a Node process on a free port of loopback.

Knows its fixture format and command line; docs/recording.md says what it cannot send. Everything the rest of
the package wants of it is in `ScriptedModel`.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import signal
import tempfile
from pathlib import Path
from typing import Any

from parity.agents.packages import Package, installed
from parity.capture.script import Entry, ModelFailed, Reply
from parity.wire import InputError, encode
from parity.wire.framing import write_atomic_bytes

START_SECONDS = 20.0
STOP_SECONDS = 3.0

_LISTENING = re.compile(rb"listening on (http://127\.0\.0\.1:\d+)")
_NAMESPACES = Path(__file__).with_name("namespaces.cjs")
_CLOSING = "Done."
"""The reply to whatever no entry is for: titles, summaries, news of finished tasks."""


class Aimock:
    """One aimock process."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._process: asyncio.subprocess.Process | None = None
        self._folder: Path | None = None
        self._reader: asyncio.Task[None] | None = None

    async def start(self, script: list[Entry]) -> str:
        """Serve the script; the base URL. Raises InputError where it or Node is missing, and ModelFailed."""
        program, node = installed(self._package), shutil.which("node")
        if program is None:
            fix = "install any agent with `parity agents install`; that installs it too"
            raise InputError(self._package.package, None, "not installed", fix)
        if node is None:
            raise InputError("node", None, "not on PATH", "install Node 20 or newer")
        self._folder = Path(tempfile.mkdtemp(prefix="parity-model-"))
        fixtures = self._folder / "fixtures.json"
        write_atomic_bytes(fixtures, encode({"fixtures": fixtures_of(script)}))
        words = [node, "--require", str(_NAMESPACES), str(program), "--fixtures", str(fixtures)]
        env = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(self._folder)}
        self._process = await asyncio.create_subprocess_exec(
            *words, "--host", "127.0.0.1", "--port", "0", "--log-level", "info",
            env=env, cwd=self._folder, stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        try:
            return await asyncio.wait_for(self._url(self._process), START_SECONDS)
        except TimeoutError:
            raise ModelFailed(f"the scripted model did not start within {START_SECONDS:g} s") from None

    async def stop(self) -> None:
        """End the process and remove its files."""
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            _signal(process, signal.SIGTERM)
            try:
                await asyncio.wait_for(process.wait(), STOP_SECONDS)
            except TimeoutError:
                _signal(process, signal.SIGKILL)
                await process.wait()
        if self._reader is not None:
            self._reader.cancel()
            await asyncio.gather(self._reader, return_exceptions=True)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    async def _url(self, process: asyncio.subprocess.Process) -> str:
        output = process.stdout
        if output is None:
            raise ModelFailed("the scripted model has no output")
        said = b""
        while line := await output.readline():
            found = _LISTENING.search(line)
            if found:
                self._reader = asyncio.create_task(_discard(output))
                return found[1].decode()
            said += line
        tail = " ".join(said.decode("utf-8", "replace").split())[-300:]
        raise ModelFailed(f"the scripted model ended before it served: {tail}")


async def _discard(output: asyncio.StreamReader) -> None:
    while await output.read(65536):
        pass


def _signal(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def fixtures_of(script: list[Entry]) -> list[dict[str, Any]]:
    """The script as aimock's fixtures, of which the first that fits a request answers it.

    First the prompts with one answer, which need no look at what else is in the request (a prompt that comes
    while a command runs may arrive beside its result); then what follows a call, then the other prompts, then
    the rest. A reply to several calls is bound to each: which result comes last is the agent's choice.
    """
    alone: list[dict[str, Any]] = []
    after: list[dict[str, Any]] = []
    first: list[dict[str, Any]] = []
    for entry in script:
        prompt: dict[str, Any] = {"userMessage": entry.prompt}
        calls: list[str] = []
        for number, reply in enumerate(entry.replies):
            fixture = _fixture(reply)
            if len(entry.replies) == 1:
                alone.append({"match": prompt, **fixture})
            elif number == 0:
                first.append({"match": {**prompt, "hasToolResult": False}, **fixture})
            after += [{"match": {"toolCallId": call}, **fixture} for call in calls]
            calls = [call.id for call in reply.calls]
    return [*alone, *after, *first, {"match": {}, "response": {"content": _CLOSING}}]


def _fixture(reply: Reply) -> dict[str, Any]:
    paced = {"latency": reply.pace} if reply.pace else {}
    if reply.refusal is not None:
        error = {"message": reply.refusal.message, "type": "api_error"}
        return {"response": {"error": error, "status": reply.refusal.status}}
    response: dict[str, Any] = {}
    if reply.think:
        response["reasoning"] = reply.think
    if reply.say or not reply.calls:
        response["content"] = reply.say
    if reply.calls:
        response["toolCalls"] = [
            {"id": call.id, "name": call.name, "arguments": call.arguments} for call in reply.calls
        ]
    return {"response": response, **paced}
