"""Running `parity probe` in tests, with the fake agent or any other command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from parity_runs import Run, parity
from shell_runs import fake_agent

VENDOR_UPDATE = {"sessionUpdate": "mood_update", "mood": "calm"}


def probe(*words: object, steps: tuple[Any, ...] = (("say", "hello"),), prompt: str | None = "go") -> Run:
    """`parity probe WORDS --prompt go -- FAKE AGENT`."""
    prompts = [] if prompt is None else ["--prompt", prompt]
    return parity("probe", *prompts, *words, "--", *fake_agent(*steps))


def update(document: dict[str, Any]) -> tuple[str, str]:
    """A step of the fake agent: a `session/update`."""
    return notice("session/update", {"sessionId": "s1", "update": document})


def notice(method: str, params: dict[str, Any]) -> tuple[str, str]:
    """A step of the fake agent: a notification."""
    return "write", json.dumps({"jsonrpc": "2.0", "method": method, "params": params}) + "\n"


def documents(out: str) -> list[dict[str, Any]]:
    """The documents of NDJSON."""
    return [json.loads(line) for line in out.splitlines()]


def offered(log: Path) -> dict[str, Any]:
    """The params of the `initialize` in a log."""
    params: dict[str, Any] = json.loads(documents(log.read_text("utf-8"))[0]["line"])["params"]
    return params
