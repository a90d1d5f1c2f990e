"""The protocol versions a bridge speaks, and how each words what the bridge asks of the agent.

The runtime says in `initialize` which version may be offered (`protocolVersion`, 1 where it says nothing);
the agent's answer decides. A version knows its reader and its requests; it holds no state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from parity.bridges.base import Message
from parity.bridges.jsonrpc import Params, members, string
from parity.lanes.acp import reader_v1, reader_v2
from parity.lanes.acp.frames import AskFrame, Frame

LATEST = 2
"""The newest version a bridge can speak."""

_DEFAULT_CAPABILITIES = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": True}
_NOBODY = {"name": "parity", "version": "0"}
_MODE = "mode"
_MODEL = "model"


class Version1:
    """Version 1: the answer to a prompt ends its turn; the client has files and terminals."""

    number: ClassVar[int] = 1
    tells_state: ClassVar[bool] = False
    """Whether `state_update` opens and ends work, and the answer to a prompt only accepts it."""
    serves_host: ClassVar[bool] = True
    """Whether the agent may ask the client for files and terminals."""
    read_update: Callable[[Any], Frame] = staticmethod(reader_v1.read_update)
    read_ask: Callable[[Params], AskFrame | None] = staticmethod(reader_v1.read_ask)

    def session_capabilities(self, agent: Params) -> Params:
        """The session methods beyond the baseline, of the agent's answer to `initialize`."""
        return members(members(agent, "agentCapabilities"), "sessionCapabilities")

    def workspace(self, params: Params) -> Params:
        """The folder and the MCP servers of a runtime request that opens a session."""
        servers = members(params, "options").get("mcpServers")
        return {"cwd": string(params, "cwd"), "mcpServers": servers if servers is not None else []}

    def resuming(self, agent: Params) -> str:
        """The method that takes up a session again."""
        loads = members(agent, "agentCapabilities").get("loadSession") is not False
        return (
            "session/load" if loads or "resume" not in self.session_capabilities(agent) else "session/resume"
        )

    def settings(self, options: Params, result: Params) -> Iterator[tuple[str, Params]]:
        """(method, params) of each setting a thread was started with; `result` opened its session."""
        mode = options.get(_MODE)
        if isinstance(mode, str):
            yield "session/set_mode", {"modeId": mode}
        for config_id, value in members(options, "config").items():
            yield "session/set_config_option", {"configId": config_id, "value": value}

    def models(self, result: Params) -> list[Any] | None:
        """The models on offer, of the answer that opened a session; None where it says nothing of them."""
        models = result.get("models")
        if not models:
            return None
        offered = models.get("availableModels") if isinstance(models, dict) else None
        return offered or []


class Version2(Version1):
    """Version 2 (draft): states open and end work; files, terminals and modes are the agent's own matter."""

    number = 2
    tells_state = True
    serves_host = False
    read_update = staticmethod(reader_v2.read_update)
    read_ask = staticmethod(reader_v2.read_ask)

    def session_capabilities(self, agent: Params) -> Params:
        """The session capabilities of the agent's answer to `initialize`."""
        return members(members(agent, "capabilities"), "session")

    def workspace(self, params: Params) -> Params:
        """As in version 1, but every MCP server says its type."""
        workspace = super().workspace(params)
        servers = workspace["mcpServers"]
        if isinstance(servers, list):
            workspace["mcpServers"] = [
                {"type": "stdio", **server} if isinstance(server, dict) else server for server in servers
            ]
        return workspace

    def resuming(self, agent: Params) -> str:
        """Always the same: the history is not asked for, so nothing is repeated."""
        return "session/resume"

    def settings(self, options: Params, result: Params) -> Iterator[tuple[str, Params]]:
        """All settings are configuration options; the mode is the one of that category."""
        mode = options.get(_MODE)
        if isinstance(mode, str):
            option = _option(result, _MODE)
            yield "session/set_config_option", _setting(option.get("configId", _MODE), mode)
        for config_id, value in members(options, "config").items():
            yield "session/set_config_option", _setting(config_id, value)

    def models(self, result: Params) -> list[Any] | None:
        """The values of the configuration option whose category is `model`."""
        option = _option(result, _MODEL)
        values = option.get("options")
        if not isinstance(values, list):
            return None
        flat: list[Any] = []
        for value in values:
            grouped = value.get("options") if isinstance(value, dict) else None
            flat.extend(grouped if isinstance(grouped, list) else [value])
        return [
            {"modelId": value["value"], **{k: value[k] for k in ("name", "description") if k in value}}
            for value in flat
            if isinstance(value, dict) and "value" in value
        ]


def offer(params: Params) -> Message:
    """The `initialize` request: the newest version the runtime allows, in words of every version up to it."""
    asked = params.get("protocolVersion")
    newest = min(asked, LATEST) if type(asked) is int and asked > 1 else 1
    capabilities = params.get("clientCapabilities")
    request: Params = {"protocolVersion": newest, "clientCapabilities": capabilities or _DEFAULT_CAPABILITIES}
    info = params.get("clientInfo")
    if isinstance(info, dict):
        request["clientInfo"] = info
    if newest > 1:
        known = {k: v for k, v in (capabilities or {}).items() if k not in _DEFAULT_CAPABILITIES}
        request |= {"info": info if isinstance(info, dict) else _NOBODY, "capabilities": known}
    return request


def agreed(answer: Params) -> Version1 | None:
    """The version of the agent's answer; None where it is one this bridge cannot speak."""
    number = answer.get("protocolVersion")
    if number == LATEST:
        return Version2()
    return None if type(number) is int and number > LATEST else Version1()


def _option(result: Params, category: str) -> Params:
    """The configuration option of a category; empty where there is none."""
    options = result.get("configOptions")
    for option in options if isinstance(options, list) else []:
        if isinstance(option, dict) and option.get("category") == category:
            return option
    return {}


def _setting(config_id: Any, value: Any) -> Params:
    kind = "boolean" if isinstance(value, bool) else "id"
    return {"configId": config_id, "type": kind, "value": value}
