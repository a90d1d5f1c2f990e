"""Probes of ACP: what becomes of each name of its vocabulary, version 1 or 2, in a turn of an agent.

A message is said alone; a word (a kind, a status, a stop reason) and a block are said inside a message and
held against the same message without them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from parity.bridges import Message
from parity.bridges.acp.bridge import AcpBridge
from parity.coverage.stages import CWD, SESSION, Stage, Told, difference

CALL, TERMINAL, ASKED = "call-1", "terminal-1", "asked-1"
_OPTION = {"optionId": "yes", "name": "Allow", "kind": "allow_once"}
_INPUT = {
    "command": "ls",
    "path": f"{CWD}/a.txt",
    "query": "text",
    "pattern": "text",
    "url": "https://example.com/",
}
Probe: TypeAlias = Callable[["AcpProbes", str, Any], list[str]]


class AcpProbes:
    """Probes one version of the protocol."""

    def __init__(self, version: int) -> None:
        self._version = version

    def becomes(self, category: str, name: str, samples: list[Any]) -> list[str]:
        """The labels of what the bridge says because of a name; empty for nothing."""
        probe = _PROBES.get(category)
        if probe is None:
            return []
        found: dict[str, None] = {}
        for sample in samples or [None]:
            found.update(dict.fromkeys(probe(self, name, sample)))
        return list(found)

    # -- the agent -----------------------------------------------------------------------------------

    def _stage(self) -> Stage:
        """In an open turn."""

        def answers(request: Message) -> Message | None:
            if "method" not in request or "id" not in request:
                return None
            if request["method"] == "session/prompt" and self._version == 1:
                return None  # the answer ends the turn
            results = {
                "initialize": {"protocolVersion": self._version},
                "session/new": {"sessionId": SESSION},
            }
            return {"jsonrpc": "2.0", "id": request["id"], "result": results.get(request["method"], {})}

        stage = Stage(AcpBridge(), answers)
        stage.prompt()
        if self._version == 2:
            stage.before(_update({"sessionUpdate": "state_update", "state": "running"}))
        return stage

    def _call(self, **fields: Any) -> Message:
        """What begins a call, or updates it where version 2 leaves no difference."""
        kind = "tool_call" if self._version == 1 else "tool_call_update"
        return _update({"sessionUpdate": kind, "toolCallId": CALL, **fields})

    def _ask(self, call: Message, options: list[Message], title: str = "May I?") -> Message:
        params: Message = {"sessionId": SESSION, "options": options}
        if self._version == 1:
            params["toolCall"] = call
        else:
            params |= {"title": title, "subject": {"type": "tool_call", "toolCall": call}}
        return _request("session/request_permission", params)

    def _against(self, say: Callable[[Stage, Any], Told], value: Any, without: Any = None) -> list[str]:
        """What is told with the value and not without it."""
        return difference(say(self._stage(), value), say(self._stage(), without))

    # -- whole messages ------------------------------------------------------------------------------

    def _session_update(self, name: str, sample: Any) -> list[str]:
        stage = self._stage()
        if name in ("tool_call_update", "tool_call_content_chunk"):
            stage.before(self._call(title="ls", kind="execute", status="in_progress"))
        if name.startswith("terminal_"):
            shown = [{"type": "terminal", "terminalId": TERMINAL}]
            stage.before(self._call(title="ls", kind="execute", status="in_progress", content=shown))
        return difference(stage.agent(_update(_placed(sample or {"sessionUpdate": name}))), [])

    def _client_method(self, name: str, sample: Any) -> list[str]:
        stage = self._stage()
        params = _placed(sample or {})
        if name == "$/cancel_request":
            stage.before(self._ask({"toolCallId": CALL, "title": "ls"}, [_OPTION]))
            return difference(stage.agent(_notice(name, {"requestId": ASKED})), [])
        tells = name == "elicitation/complete"
        return difference(stage.agent(_notice(name, params) if tells else _request(name, params)), [])

    # -- blocks --------------------------------------------------------------------------------------

    def _content_block(self, name: str, sample: Any) -> list[str]:
        def chunk(stage: Stage, block: Any) -> Told:
            update = {"sessionUpdate": "agent_message_chunk", "messageId": "message-1", "content": block}
            return stage.agent(_update(update))

        def result(stage: Stage, block: Any) -> Told:
            content = [{"type": "content", "content": block}] if block is not None else []
            return stage.agent(self._call(title="ls", kind="other", status="completed", content=content))

        return self._against(chunk, sample) + self._against(result, sample)

    def _tool_content(self, name: str, sample: Any) -> list[str]:
        def call(stage: Stage, block: Any) -> Told:
            content = [_placed(block)] if block is not None else []
            kind = "edit" if name == "diff" else "execute"
            begun = stage.agent(self._call(title="ls", kind=kind, status="in_progress", content=content))
            if self._version == 1:
                params = {"sessionId": SESSION, "terminalId": TERMINAL}
                return begun + stage.agent(_request("terminal/output", params))
            output = {
                "sessionUpdate": "terminal_update",
                "terminalId": TERMINAL,
                "output": {"data": "dGV4dA=="},
            }
            return begun + stage.agent(_update(output))

        return self._against(call, sample)

    def _diff_change(self, name: str, sample: Any) -> list[str]:
        def call(stage: Stage, change: Any) -> Told:
            block = {"type": "diff", "changes": [change] if change is not None else []}
            return stage.agent(self._call(title="edit", kind="edit", status="in_progress", content=[block]))

        unknown = {**(sample or {}), "operation": "_unknown"}
        return self._against(call, sample, unknown)

    def _plan_content(self, name: str, sample: Any) -> list[str]:
        return difference(self._stage().agent(_update({"sessionUpdate": "plan_update", "plan": sample})), [])

    def _permission_subject(self, name: str, sample: Any) -> list[str]:
        def ask(stage: Stage, subject: Any) -> Told:
            params = {"sessionId": SESSION, "title": "May I?", "options": [_OPTION]}
            if subject is not None:
                params["subject"] = _placed(subject)
            return stage.agent(_request("session/request_permission", params))

        return self._against(ask, sample)

    # -- words ---------------------------------------------------------------------------------------

    def _tool_kind(self, name: str, sample: Any) -> list[str]:
        def call(stage: Stage, kind: Any) -> Told:
            named = {"kind": kind} if kind is not None else {}
            where = [{"path": f"{CWD}/a.txt"}]
            begun = stage.agent(self._call(title="text", rawInput=_INPUT, locations=where, **named))
            asked = stage.agent(self._ask({"toolCallId": CALL, "title": "text", **named}, [_OPTION]))
            return begun + asked

        return self._against(call, name)

    def _tool_status(self, name: str, sample: Any) -> list[str]:
        def call(stage: Stage, status: Any) -> Told:
            begun = stage.agent(self._call(title="ls", kind="execute", rawInput={"command": "ls"}))
            said = {"status": status} if status is not None else {}
            content = [{"type": "content", "content": {"type": "text", "text": "text"}}]
            update = {"sessionUpdate": "tool_call_update", "toolCallId": CALL, "content": content, **said}
            return begun + stage.agent(_update(update))

        return self._against(call, name)

    def _stop_reason(self, name: str, sample: Any) -> list[str]:
        def end(stage: Stage, reason: Any) -> Told:
            said = {"stopReason": reason} if reason is not None else {}
            if self._version == 2:  # where idle alone ends a turn well
                said = {"stopReason": reason or "_unknown"}
                return stage.agent(_update({"sessionUpdate": "state_update", "state": "idle", **said}))
            prompt = next(one for one in stage.asked if one.get("method") == "session/prompt")
            return stage.agent({"jsonrpc": "2.0", "id": prompt["id"], "result": said})

        return self._against(end, name)

    def _state(self, name: str, sample: Any) -> list[str]:
        """A state is news where it changes: `running` is said in a session that is idle."""
        stage = self._stage()
        if name == "running":
            stage.before(
                _update({"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn"})
            )
        return difference(stage.agent(_update({**(sample or {}), "sessionUpdate": "state_update"})), [])

    def _plan_word(self, member: str, name: str) -> list[str]:
        def plan(stage: Stage, word: Any) -> Told:
            entry = {"content": "text"} if word is None else {"content": "text", member: word}
            if self._version == 1:
                return stage.agent(_update({"sessionUpdate": "plan", "entries": [entry]}))
            body = {"type": "items", "planId": "plan-1", "entries": [entry]}
            return stage.agent(_update({"sessionUpdate": "plan_update", "plan": body}))

        return self._against(plan, name)

    def _plan_status(self, name: str, sample: Any) -> list[str]:
        return self._plan_word("status", name)

    def _plan_priority(self, name: str, sample: Any) -> list[str]:
        return self._plan_word("priority", name)

    def _permission_option(self, name: str, sample: Any) -> list[str]:
        def ask(stage: Stage, kind: Any) -> Told:
            option = {"optionId": "it", "name": "text"} if kind is None else {**_OPTION, "kind": kind}
            return stage.agent(self._ask({"toolCallId": CALL, "title": "ls"}, [option]))

        return self._against(ask, name)


_PROBES: dict[str, Probe] = {
    "client method": AcpProbes._client_method,
    "content block": AcpProbes._content_block,
    "diff change": AcpProbes._diff_change,
    "permission option": AcpProbes._permission_option,
    "permission subject": AcpProbes._permission_subject,
    "plan content": AcpProbes._plan_content,
    "plan priority": AcpProbes._plan_priority,
    "plan status": AcpProbes._plan_status,
    "session update": AcpProbes._session_update,
    "state": AcpProbes._state,
    "stop reason": AcpProbes._stop_reason,
    "tool content": AcpProbes._tool_content,
    "tool kind": AcpProbes._tool_kind,
    "tool status": AcpProbes._tool_status,
}


def _update(update: Message) -> Message:
    return _notice("session/update", {"sessionId": SESSION, "update": update})


def _notice(method: str, params: Message) -> Message:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def _request(method: str, params: Message) -> Message:
    return {"jsonrpc": "2.0", "id": ASKED, "method": method, "params": params}


def _placed(value: Any) -> Any:
    """The instance, about the stage's session, call and terminal."""
    ids = {"sessionId": SESSION, "toolCallId": CALL, "terminalId": TERMINAL}
    if isinstance(value, list):
        return [_placed(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {name: ids.get(name) or _placed(member) for name, member in value.items()}
