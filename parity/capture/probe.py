"""A probe: any agent, started in a workspace, prompted and watched; what it said can become a cell.

States: *new* → *open* (`open`: the thread is there) ⇄ *working* (`prompt`) → *closed* (`close`: no process is
left). Everything that waits for the agent is bounded by its silence; nothing bounds a person who is asked.
Knows the runtime protocol. Must not know terminals.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import Any, Literal

from msgspec import Struct

from parity import __version__
from parity.bridges import bridge_for, family_of
from parity.capture.keeping import Kept, keep
from parity.capture.probe_findings import Ear, Findings
from parity.capture.probe_log import ProbeRecorder
from parity.capture.probe_rows import GrowingRows
from parity.grammar import events as e
from parity.redaction import Known, redact, this_machine
from parity.shell.host import Host
from parity.shell.limits import Limits
from parity.shell.live_bridge import LiveBridge
from parity.shell.runtime import Answer, Question, Runtime, RuntimeRefused, Turn
from parity.wire import BRIDGE_TO_PROVIDER, Agent, InputError, LaneLine, Manifest

THREAD = "thread-1"

_FOREVER = 1e9
_QUIET_SECONDS = 0.3
_SETTLE_SECONDS = 5.0
_POLL_SECONDS = 0.02


class ProbeFailed(Exception):
    """The agent cannot be probed any further; the text is one line."""


class Plan(Struct, kw_only=True, frozen=True):
    """What is probed. `command` is started in `workspace`; `shown` is how it was typed."""

    command: list[str]
    shown: list[str]
    provider: str
    workspace: Path
    protocol: int = 1
    silence: float | None = 120.0
    """Seconds the agent may say nothing while it is waited for; None: any."""


class Probe:
    """One agent. Callbacks: each event, and each question (None leaves it open)."""

    def __init__(
        self,
        plan: Plan,
        recorder: ProbeRecorder,
        rows: GrowingRows,
        on_event: Callable[[e.Event], None],
        on_question: Callable[[Question], Awaitable[Answer]],
    ) -> None:
        """Raises InputError where no bridge serves the provider."""
        self.plan = plan
        self.agent: dict[str, Any] = {}
        """The agent's answer to `initialize`."""
        self.turns: list[Turn] = []
        self._recorder = recorder
        self._on_event = on_event
        self._on_question = on_question
        self._open_turns: set[str] = set()
        self._asking = 0
        self._began = datetime.now(UTC)
        limits = Limits(silence=plan.silence)
        try:
            self._ear = Ear(bridge_for(plan.provider, plan.command))
        except KeyError:
            fix = "begin it with acp-, or see docs/bridges.md"
            raise InputError(plan.provider, None, "no bridge serves this provider", fix) from None
        self.live = LiveBridge(
            self._ear,
            plan.command,
            cwd=plan.workspace,
            env=os.environ,
            host=Host(plan.workspace, limits),
            recorder=recorder,
            limits=limits,
        )
        self._runtime = Runtime(
            self.live, on_event=self._event, on_question=self._asked, new_projector=lambda: rows
        )

    @property
    def working(self) -> bool:
        """Whether a turn is open, the agent's own included."""
        return bool(self._open_turns)

    # -- talking -------------------------------------------------------------------------------------

    async def open(self) -> None:
        """Start the agent and a thread. Raises InputError where it cannot be started, and ProbeFailed."""
        await self._runtime.start()
        workspace = {"threadId": THREAD, "cwd": str(self.plan.workspace)}
        info = {"name": "parity", "title": "parity probe", "version": __version__}
        hello: dict[str, Any] = {"clientInfo": info}
        if self.plan.protocol > 1:
            hello["protocolVersion"] = self.plan.protocol
        result = await self._ask("initialize", hello)
        self.agent = result if isinstance(result, dict) else {}
        await self._ask("thread/start", workspace)

    async def prompt(self, text: str) -> Turn:
        """One turn. Raises ProbeFailed where the agent is gone or does not take the prompt."""
        number = len(self.turns) + 1
        more = {"clientRequestId": f"prompt-{number}"}
        identity = self._runtime.identities.get(THREAD)
        if identity is not None:
            more["providerThreadId"] = identity
        try:
            turn = await self._runtime.turn(THREAD, text, _FOREVER, **more)
        except RuntimeRefused as refused:
            raise ProbeFailed(self.live.failure or f"the prompt was refused: {refused}") from None
        self.turns.append(turn)
        if self.live.failure is not None:
            raise ProbeFailed(self.live.failure)
        return turn

    async def interrupt(self) -> None:
        """Stop the open turn."""
        try:
            await self._runtime.interrupt(THREAD, _FOREVER)
        except RuntimeRefused as refused:
            raise ProbeFailed(f"the stop was refused: {refused}") from None

    async def settle(self) -> None:
        """Wait until nothing crosses for a moment and no turn is open; not for ever, and only while the agent
        is there. What it does on its own after a turn is seen by this."""
        loop = asyncio.get_running_loop()
        crossed, since, end = -1, loop.time(), loop.time() + _SETTLE_SECONDS
        silence = self.plan.silence or _FOREVER
        while self.live.failure is None:
            now, seq = loop.time(), self._recorder.count
            if seq != crossed or self._asking:
                crossed, since = seq, now
            quiet = now - since
            if quiet >= (silence if self.working else _QUIET_SECONDS) or (not self.working and now > end):
                return
            await asyncio.sleep(_POLL_SECONDS)

    async def close(self) -> None:
        """End the agent; no process is left."""
        await self._runtime.stop()

    async def _ask(self, method: str, params: dict[str, Any]) -> Any:
        try:
            return await self._runtime.request(method, params, _FOREVER)
        except RuntimeRefused as refused:
            if self.live.failure is not None:
                raise ProbeFailed(self.live.failure) from None
            raise ProbeFailed(
                f"the agent refused {_WIRE.get(method, method)}: {refused}{self._logins()}"
            ) from None

    def _logins(self) -> str:
        """The ways to log in that the agent offers."""
        methods = self.agent.get("authMethods")
        listed = [one for one in methods if isinstance(one, dict)] if isinstance(methods, list) else []
        names = [str(one.get("name") or one.get("id") or one.get("methodId")) for one in listed]
        return f"; log in by its own means first, it offers {', '.join(names)}" if names else ""

    async def _asked(self, thread_id: str, payload: Question) -> Answer:
        self._asking += 1
        try:
            return await self._on_question(payload)
        finally:
            self._asking -= 1

    def _event(self, event: e.Event) -> None:
        self._ear.event(event)
        if type(event) is e.TurnStarted:
            self._open_turns.add(event.turn_id)
        elif type(event) is e.TurnCompleted:
            self._open_turns.discard(event.turn_id)
        self._on_event(event)

    # -- what came of it -----------------------------------------------------------------------------

    def findings(self) -> Findings:
        """What the agent did that no lane knows."""
        return self._ear.findings(self._runtime.drops, self.live.noise)

    def told_name(self) -> tuple[str | None, str | None]:
        """The agent's own name and version."""
        family = family_of(self.plan.provider)
        return family.agent_info(self.agent) if family is not None else (None, None)

    @property
    def protocol(self) -> str | int | None:
        """The protocol version of the agent's answer."""
        number = self.agent.get("protocolVersion")
        return number if isinstance(number, str) or type(number) is int else None

    def keep(
        self,
        root: Path,
        cell: str,
        *,
        model: Literal["scripted", "live"] | None,
        description: str,
        replace: bool,
    ) -> Kept:
        """Make a cell of the lines. Raises RecordingFailed and InputError, and writes nothing then."""
        plan = self.plan
        known = this_machine(str(plan.workspace))
        name, version = self.told_name()
        manifest = Manifest(
            provider=plan.provider,
            cell=cell,
            thread_id=THREAD,
            agent=Agent(name=name, version=version, command=_redacted(" ".join(plan.shown), known)),
            protocol=self.protocol,
            recorded_at=self._began.strftime("%Y-%m-%dT%H:%M:%SZ"),
            origin="live",
            model=model,
            description=description,
            bridge_runs=1,
        )
        return keep(self._recorder.lines, manifest, known, root, replace=replace)


_WIRE = {"thread/start": "a new session"}


def _redacted(text: str, known: Known) -> str:
    return redact([LaneLine(0, 1, 1, BRIDGE_TO_PROVIDER, text)], known)[0][0].line


# -- names and places ----------------------------------------------------------------------------------------

_LAUNCHERS = re.compile(r"(python|node|nodejs|bun|deno|npx|bunx|pnpm|npm|uvx?|pipx|env|tsx|sh|bash)[\d.]*")
_VERBS = frozenset(("run", "exec", "x", "dlx", "tool", "start"))
_SUFFIX = re.compile(r"\.(py|m?js|cjs|m?ts|sh|exe)$")


def provider_of(command: Sequence[str]) -> str:
    """The provider id of a command: `acp-` and what is started, launchers and interpreters passed over."""
    names = [word for word in command if not word.startswith("-") and "=" not in word] or list(command)
    for word in names:
        base = PurePath(word).name
        if not _LAUNCHERS.fullmatch(base) and base not in _VERBS:
            break
    else:
        base = PurePath(names[0]).name
    base = _SUFFIX.sub("", base.split("@")[0] or base.strip("@"))
    return f"acp-{re.sub('[^a-z0-9-]+', '-', base.lower()).strip('-') or 'agent'}"


def placed(command: Sequence[str], here: Path) -> list[str]:
    """The command for a process that starts elsewhere: words that name files of `here` become their paths."""
    return [str(here / word) if _names_a_file(word, here) else word for word in command]


def _names_a_file(word: str, here: Path) -> bool:
    if not word or word.startswith(("-", "/")) or not ("/" in word or PurePath(word).suffix):
        return False
    try:
        return (here / word).is_file()
    except OSError:
        return False
