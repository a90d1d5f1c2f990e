"""Recording: a scenario played on a real agent, redacted, swept, replayed and only then written as a cell.

Everything happens in a temporary folder; the agent, the scripted model and the folder are gone at the end,
whatever happened. The cell is written in one step, and only one that is worth keeping. Knows how the parts
fit; must not know any agent.
"""

from __future__ import annotations

import asyncio
import getpass
import shutil
import socket
import tempfile
from collections.abc import Callable
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from parity.agents import AgentSpec, launch
from parity.agents.packages import cache_folder
from parity.bridges import bridge_for
from parity.capture.keeping import RecordingFailed, keep
from parity.capture.playing import THREAD, Player, ScenarioFailed
from parity.capture.scenarios import Part, Scenario, script_of
from parity.capture.script import ScriptedModel
from parity.capture.showing import missing_rows
from parity.capture.site import Site
from parity.grammar.rows import Row
from parity.redaction import Known
from parity.replay.replay import Outcome
from parity.shell.host import Host
from parity.shell.lanes import LaneRecorder
from parity.shell.limits import Limits
from parity.shell.live_bridge import LiveBridge
from parity.shell.runtime import Runtime
from parity.wire import Agent, Cell, InputError, Manifest
from parity.wire.manifest import check_cell_name

MODEL_URL = "http://127.0.0.1:4010"
SITE_URL = "http://127.0.0.1:4011"
CACHE = "/opt/agents"
"""What stands in a recording for the scripted model's URL, the scenario's pages and the cache folder."""

SILENCE = 120.0
"""Seconds an agent may say nothing while somebody waits for it."""


class Recording(Struct, kw_only=True):
    """What is to be recorded. `model` is None for the agent's own service."""

    agent: AgentSpec
    scenario: Scenario
    root: Path
    cell: str
    model: ScriptedModel | None
    replace: bool = False
    say: Callable[[str], None] = lambda text: None


class Recorded(Struct, kw_only=True):
    """What came of it: the cell and its replay. `redacted` counts what was taken out, by kind."""

    cell: Cell
    outcome: Outcome
    seconds: float
    redacted: dict[str, int] = field(default_factory=dict)

    @property
    def lines(self) -> int:
        """Lines of all lanes."""
        return sum(self.cell.manifest.lines.values())


def record(recording: Recording) -> Recorded:
    """Record one cell. Raises InputError for a mistake of the user and RecordingFailed."""
    check_cell_name("cell", recording.cell, recording.root)
    place = recording.root / recording.agent.provider / recording.cell
    if place.exists() and not recording.replace:
        raise InputError(place, None, "the cell exists", "choose another name, or replace it (--overwrite)")
    part = recording.scenario.part(recording.agent)
    if part.cannot is not None:
        raise InputError(recording.agent.name, None, part.cannot, "choose another scenario")
    folder = Path(tempfile.mkdtemp(prefix="parity-record-")).resolve()
    try:
        return asyncio.run(_Engine(recording, part, folder).run())
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _Engine:
    """One recording in its folder."""

    def __init__(self, recording: Recording, part: Part, folder: Path) -> None:
        self._recording = recording
        self._part = part
        self._folder = folder
        self._home, self._workspace = folder / "home", folder / "workspace"
        self._recorders: list[LaneRecorder] = []
        self._lives: list[LiveBridge] = []
        self._hosts: list[Host] = []
        self._paths: dict[str, str] = {str(cache_folder()): CACHE}

    async def run(self) -> Recorded:
        recording = self._recording
        started = asyncio.get_running_loop().time()
        recorded_at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        self._home.mkdir()
        for name, text in {"": None, **recording.scenario.files}.items():
            path = self._workspace / name
            if text is None:
                path.mkdir(parents=True)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, "utf-8")
        async with AsyncExitStack() as stack:
            url = await self._serve(stack)
            player = self._player(url)
            try:
                await player.play()
            except ScenarioFailed as failed:
                raise RecordingFailed(str(failed), self._last_words()) from None
        seconds = asyncio.get_running_loop().time() - started
        return self._keep(player, recorded_at, seconds)

    async def _serve(self, stack: AsyncExitStack) -> str | None:
        """Start what the agent talks to; the scripted model's URL."""
        recording = self._recording
        site = Site(recording.scenario.pages)
        stack.push_async_callback(site.stop)
        site_url = await site.start()
        if site_url:
            self._paths |= _written_urls(site_url, SITE_URL)
        if recording.model is None:
            return None
        names = {"workspace": str(self._workspace), "site": site_url}
        script = script_of(recording.scenario, recording.agent, names)
        stack.push_async_callback(recording.model.stop)
        url = await recording.model.start(script)
        self._paths |= _written_urls(url, MODEL_URL)
        recording.say("scripted model started")
        return url

    def _player(self, url: str | None) -> Player:
        agent = self._recording.agent
        made = launch(agent, self._home, self._workspace, url)
        limits = Limits(silence=SILENCE)

        def connect(run: int) -> Runtime:
            recorder = LaneRecorder()
            recorder.run = run
            host = Host(self._workspace, limits, made.env)
            try:
                bridge = bridge_for(agent.provider, made.command)
            except KeyError:
                fix = "see docs/bridges.md"
                raise InputError(agent.provider, None, "no bridge serves this provider", fix) from None
            live = LiveBridge(
                bridge,
                made.command,
                cwd=self._workspace,
                env=made.env,
                host=host,
                recorder=recorder,
                limits=limits,
            )
            self._hosts.append(host)
            self._recorders.append(recorder)
            self._lives.append(live)
            return Runtime(live)

        return Player(
            self._part.steps or [],
            connect,
            lambda: sum(len(recorder.lines) for recorder in self._recorders),
            lambda: self._hosts[-1].close(),
            workspace=self._workspace,
            initialize=agent.initialize,
            options={**agent.options, **self._part.options},
            say=self._recording.say,
        )

    def _last_words(self) -> list[str]:
        tails = [live.stderr_tail.strip() for live in self._lives]
        return [line for tail in tails for line in tail.splitlines()[-20:]]

    # -- from lines to a cell ------------------------------------------------------------------------

    def _keep(self, player: Player, recorded_at: str, seconds: float) -> Recorded:
        recording = self._recording
        kept = keep(
            [line for one in self._recorders for line in one.lines],
            self._manifest(player, recorded_at),
            self._known(),
            recording.root,
            replace=recording.replace,
            judge=self._judge if recording.model is not None else lambda rows: None,
        )
        return Recorded(cell=kept.cell, outcome=kept.outcome, seconds=seconds, redacted=kept.redacted)

    def _judge(self, rows: list[Row]) -> None:
        missing = missing_rows(self._part.shows or [], rows)
        if missing:
            told = [f"no row like {row}" for row in missing]
            raise RecordingFailed("the recording does not show what the scenario is about", told)

    def _known(self) -> Known:
        live = self._recording.model is None
        return Known(
            home=str(Path.home() if live else self._home),
            workspace=str(self._workspace),
            user=getpass.getuser(),
            host=socket.gethostname(),
            paths={**self._written_folders(), **self._paths},
        )

    def _written_folders(self) -> dict[str, str]:
        """The temporary folder as agents write it: whole, from the root, from the folder it is in."""
        folder = str(self._folder)
        inside = {f"{self._folder.name}/{name}": f"user/{name}" for name in ("home", "workspace")}
        return {folder: "/home/user", folder.lstrip("/"): "home/user", **inside}

    def _manifest(self, player: Player, recorded_at: str) -> Manifest:
        recording, agent = self._recording, self._recording.agent
        protocol = player.agent.get("protocolVersion") if isinstance(player.agent, dict) else None
        spec = agent.install.spec if agent.install is not None else None
        return Manifest(
            provider=agent.provider,
            cell=recording.cell,
            thread_id=THREAD,
            agent=Agent(
                name=agent.name,
                version=agent.version or _told_version(player.agent),
                package=spec,
                command=agent.shown_command,
            ),
            protocol=protocol if isinstance(protocol, int | str) else None,
            recorded_at=recorded_at,
            origin="live",
            model="live" if recording.model is None else "scripted",
            description=recording.scenario.about,
            bridge_runs=player.runs,
        )


def _written_urls(url: str, instead: str) -> dict[str, str]:
    """A URL on loopback as agents write it: whole, and without its scheme."""
    return {url: instead, url.removeprefix("http://"): instead.removeprefix("http://")}


def _told_version(initialized: Any) -> str | None:
    info = initialized.get("agentInfo") if isinstance(initialized, dict) else None
    version = info.get("version") if isinstance(info, dict) else None
    return version if isinstance(version, str) else None
