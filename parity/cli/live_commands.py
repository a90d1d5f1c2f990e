"""Commands that talk to live processes: replay-agent, bridge, agents, record, probe.

Signatures only: each command's module is imported when it runs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from parity.cli.app import (
    CellArgument,
    Json,
    Recordings,
    app,
    settings_for,
)


@app.command(name="replay-agent")
def replay_agent(
    cell: CellArgument,
    run: Annotated[int, typer.Option("--run", metavar="N", help="Which bridge process of the cell.")] = 1,
    recordings: Recordings = None,
) -> None:
    """Play a cell's agent on standard input and output: start it with a bridge that you try by hand."""
    from parity.cli.replay_agent import run as play

    raise typer.Exit(play(settings_for(recordings), cell, run))


@app.command(name="bridge")
def bridge(
    provider: Annotated[str, typer.Option("--provider", "-p", metavar="P", help="Whose bridge.")],
    agent: Annotated[
        list[str] | None,
        typer.Argument(metavar="-- AGENT COMMAND", help="Starts the agent; by default the installed one."),
    ] = None,
    workspace: Annotated[
        Path, typer.Option("--workspace", metavar="DIR", help="Where the agent runs and may read and write.")
    ] = Path(),
    silence: Annotated[
        float,
        typer.Option("--silence", metavar="S", help="Seconds an agent may be silent in a turn; 0: any."),
    ] = 600.0,
) -> None:
    """Serve a provider's bridge on standard input and output, with its agent as a child process."""
    from parity.cli.bridge import run_alone

    raise typer.Exit(run_alone(provider, workspace, agent or [], silence or None))


agents_app = typer.Typer(name="agents", help="The agents that can be recorded.", no_args_is_help=True)
app.add_typer(agents_app)

AgentsFile = Annotated[
    Path | None, typer.Option("--agents", metavar="FILE", help="Your own agents, beside the built-in ones.")
]
AgentName = Annotated[str, typer.Argument(metavar="P", help="An agent's name or its provider id.")]


@agents_app.command(name="list")
def agents_list(agents: AgentsFile = None, as_json: Json = False) -> None:
    """All agents: version, provider, whether it is installed."""
    from parity.cli.agents import run_list

    raise typer.Exit(run_list(agents, as_json=as_json))


@agents_app.command(name="install")
def agents_install(name: AgentName, agents: AgentsFile = None) -> None:
    """Install an agent, and what it needs, into the cache folder."""
    from parity.cli.agents import run_install

    raise typer.Exit(run_install(name, agents))


@agents_app.command(name="doctor")
def agents_doctor(name: AgentName, agents: AgentsFile = None) -> None:
    """Say what keeps an agent from being recorded."""
    from parity.cli.agents import run_doctor

    raise typer.Exit(run_doctor(name, agents))


@app.command(name="record")
def record(
    provider: Annotated[
        str | None, typer.Option("--provider", "-p", metavar="P", help="The agent: provider id or name.")
    ] = None,
    scenario: Annotated[
        str | None, typer.Option("--scenario", "-s", metavar="S", help="A built-in scenario or a .yaml file.")
    ] = None,
    into: Annotated[
        Path | None, typer.Option("--into", metavar="DIR", help="Recordings; by default the project's.")
    ] = None,
    cell: Annotated[
        str | None, typer.Option("--cell", "-c", metavar="C", help="Name of the cell; else the scenario's.")
    ] = None,
    agents: AgentsFile = None,
    live: Annotated[bool, typer.Option("--live", help="The agent's own service, login and home.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing cell.")] = False,
    pin: Annotated[bool, typer.Option("--pin", help="Also write the *.current.ndjson pins.")] = False,
    list_them: Annotated[bool, typer.Option("--list", help="List the built-in scenarios.")] = False,
    as_json: Json = False,
) -> None:
    """Record a scenario on a real agent, with a scripted model, into a cell."""
    from parity.cli.record import Request, run, run_scenarios

    if list_them:
        raise typer.Exit(run_scenarios(as_json=as_json))
    if provider is None or scenario is None:
        raise typer.BadParameter("--provider and --scenario are needed (or --list)")
    request = Request(
        provider=provider,
        scenario=scenario,
        into=into,
        cell=cell,
        agents=agents,
        live=live,
        overwrite=overwrite,
        pin=pin,
    )
    raise typer.Exit(run(settings_for(None), request, as_json=as_json))


@app.command(name="probe")
def probe(
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND", help="Starts the agent.")],
    prompt: Annotated[
        list[str] | None, typer.Option("--prompt", metavar="TEXT", help="A prompt; may be repeated.")
    ] = None,
    provider: Annotated[
        str | None, typer.Option("--provider", "-p", metavar="P", help="Whose bridge; else acp-<executable>.")
    ] = None,
    allow: Annotated[bool, typer.Option("--allow", help="Allow what the agent asks for.")] = False,
    deny: Annotated[bool, typer.Option("--deny", help="Deny it.")] = False,
    cancel: Annotated[bool, typer.Option("--cancel", help="Cancel it.")] = False,
    cwd: Annotated[
        Path | None,
        typer.Option("--cwd", metavar="DIR", help="The agent's workspace; else a temporary folder."),
    ] = None,
    protocol: Annotated[
        int, typer.Option("--protocol", metavar="N", min=1, max=2, help="The newest ACP version offered.")
    ] = 1,
    timeout: Annotated[
        float,
        typer.Option("--timeout", metavar="S", help="Seconds it may say nothing while waited for; 0: any."),
    ] = 120.0,
    log: Annotated[
        Path | None, typer.Option("--log", metavar="FILE", help="Keep the raw log, for parity import.")
    ] = None,
    lanes: Annotated[
        Path | None, typer.Option("--lanes", metavar="DIR", help="Keep the four lanes, raw.")
    ] = None,
    cell: Annotated[
        str | None, typer.Option("--as", metavar="PROVIDER/CELL", help="Make a cell of it, redacted.")
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option("--into", "--recordings", metavar="DIR", help="Recordings; by default the project's."),
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="scripted|live", help="Who answered the agent.")
    ] = None,
    description: Annotated[
        str, typer.Option("--description", metavar="TEXT", help="What the cell is about.")
    ] = "",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing cell or log.")] = False,
    as_json: Json = False,
) -> None:
    """Talk to an agent: prompts in, its timeline in the terminal, what it said kept."""
    from parity.cli.probe import request_of, run

    request = request_of(
        command=command,
        prompts=prompt or [],
        provider=provider,
        decisions={"allow": allow, "deny": deny, "cancel": cancel},
        cwd=cwd,
        protocol=protocol,
        timeout=timeout,
        log=log,
        lanes=lanes,
        cell=cell,
        into=into,
        model=model,
        description=description,
        overwrite=overwrite,
    )
    raise typer.Exit(run(settings_for(None), request, as_json=as_json))
