"""`parity record`: a scenario on a real agent becomes a cell; says what it replays to."""

from __future__ import annotations

import re
from pathlib import Path

from msgspec import Struct
from rich.text import Text

from parity.agents import AGENTS_FILE, load_agents
from parity.agents.doctor import doctor
from parity.capture.aimock import Aimock
from parity.capture.keeping import RecordingFailed
from parity.capture.record import Recorded, Recording, record
from parity.capture.scenarios import load_scenario, scenario_names
from parity.capture.script import ModelFailed
from parity.cli.agents import MODEL_PROGRAM
from parity.cli.cells import next_steps
from parity.cli.output import console, error_console, plural, write_json
from parity.gates.check import built_in
from parity.gates.pins import STREAMS, KeepSink, write_pin
from parity.gates.settings import Settings
from parity.wire import InputError

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_WIDTH = 200


class Request(Struct, kw_only=True):
    """What the user asked for, as typed."""

    provider: str
    scenario: str
    into: Path | None
    cell: str | None
    agents: Path | None
    live: bool
    overwrite: bool
    pin: bool


def run(settings: Settings, request: Request, *, as_json: bool) -> int:
    """Record one cell; the exit code: 1 where nothing was written or the cell does not replay cleanly."""
    agents = load_agents(request.agents or AGENTS_FILE)
    agent = agents.find(request.provider)
    scenario = load_scenario(request.scenario)
    cannot = scenario.part(agent).cannot
    if cannot is not None:
        raise InputError(
            agent.name, None, f"cannot play {scenario.name}: {cannot}", "choose another scenario"
        )
    if agent.scripted is None and not request.live:
        fix = "record its own service with --live"
        raise InputError(agent.name, None, "cannot be pointed at a scripted model", fix)
    problems = doctor(agent, scripted=not request.live)
    if problems:
        raise InputError(agent.name, None, problems[0].what, problems[0].fix)
    err = error_console()
    with err.status(f"recording {agent.provider}/{request.cell or scenario.name}") as status:

        def say(text: str) -> None:
            err.print(Text(f"  {_one_line(text)}", "dim"))
            status.update(f"recording {agent.provider}/{request.cell or scenario.name}")

        recording = Recording(
            agent=agent,
            scenario=scenario,
            root=request.into or settings.recordings,
            cell=request.cell or scenario.name,
            model=None if request.live else Aimock(agents.programs[MODEL_PROGRAM]),
            replace=request.overwrite,
            say=say,
        )
        try:
            recorded = record(recording)
        except (RecordingFailed, ModelFailed) as failed:
            for line in failed.details if isinstance(failed, RecordingFailed) else ():
                err.print(Text(f"  {_one_line(line)}", "dim"))
            err.print(Text(f"{agent.provider}/{recording.cell}: {failed}; nothing was written", "red"))
            return 1
    return _tell(recorded, request, as_json)


def _one_line(text: str) -> str:
    """What an agent wrote, fit for a terminal."""
    plain = _ANSI.sub("", text).strip().splitlines() or [""]
    shown = "".join(char if char.isprintable() else "·" for char in plain[0])
    return shown if len(shown) <= _WIDTH else f"{shown[: _WIDTH - 1]}…"


def run_scenarios(*, as_json: bool) -> int:
    """The built-in scenarios and what they are about."""
    for name in scenario_names():
        scenario = load_scenario(name)
        cannot = {agent: part.cannot for agent, part in scenario.agents.items() if part.cannot}
        if as_json:
            write_json({"scenario": name, "about": scenario.about, "cannot": cannot})
            continue
        console().print(Text.assemble((f"{name:<18}", "bold"), scenario.about))
    return 0


def _tell(recorded: Recorded, request: Request, as_json: bool) -> int:
    cell, outcome = recorded.cell, recorded.outcome
    problems = [*outcome.stalls, *(f"never consumed: {line}" for line in outcome.unconsumed)]
    if request.pin and not problems:
        sink = KeepSink()
        built_in(cell)(cell, sink)
        for layer in STREAMS:
            write_pin(cell, layer, sink.lines[layer])
    if as_json:
        write_json(
            {
                "cell": cell.key,
                "path": str(cell.path),
                "lines": recorded.lines,
                "seconds": round(recorded.seconds, 1),
                "rows": outcome.rows,
                "events": outcome.events,
                "unhandled": outcome.unhandled,
                "grammarDrops": sum(outcome.drops.values()),
                "redacted": recorded.redacted,
                "problems": problems,
            }
        )
        return int(bool(problems))
    out = console()
    seconds = f"{recorded.seconds:.1f} s"
    out.print(Text(f"{cell.path}: {plural(recorded.lines, 'line')} in {seconds}", "bold"))
    out.print(
        Text(f"  replays to {outcome.events} events, {outcome.rows} rows, {outcome.unhandled} unhandled")
    )
    if recorded.redacted:
        taken = ", ".join(f"{count} {kind}" for kind, count in sorted(recorded.redacted.items()))
        out.print(Text(f"  redacted: {taken}"))
    for rule, count in sorted(outcome.drops.items()):
        out.print(Text(f"  dropped: {count} × {rule}", "yellow"))
    for problem in problems:
        out.print(Text(f"  {problem}", "red"))
    if problems:
        out.print(Text("  next: see the problems above; a cell that stalls is not pinned", "dim"))
    elif not request.pin:
        out.print(Text("  next: " + "\n        ".join(next_steps(cell)), "dim"))
    return int(bool(problems))
