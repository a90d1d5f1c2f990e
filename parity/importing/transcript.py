"""Claude Code transcripts (`~/.claude/projects/<project>/<session>.jsonl`) as a client↔agent log.

A transcript holds the conversation, not the wire: prompts and tool results, the model's blocks, a few system
notes. What the wire would have said is made of them: a prompt becomes the client's `user` line; `system/init`
is said before the first answer; a turn ends with a `result` where the model stopped by itself or the user
interrupted it. Permission requests are in no transcript, so none are made up; refusals stand with the results
they gave. A sub-agent's own file beside the transcript is read in by time.

Checked against transcripts of 2.1.332; older ones differ in that sub-agents stand in the same file
(`isSidechain`) and that `stop_reason` is missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from parity.importing.logs import AGENT, CLIENT, Entry
from parity.wire import InputError, JsonError, decode, encode, read_ndjson

_LOOK = 50
"""Lines looked at to tell a transcript from another log."""

_INTERRUPTED = "[Request interrupted by user"
_COMMAND_OUTPUT = re.compile(r"\A<local-command-stdout>(.*)</local-command-stdout>\s*\Z", re.DOTALL)
_COMMAND = re.compile(r"\A\s*<command-name>(.*?)</command-name>")
_ARGUMENTS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
_NOTE = re.compile(r"<(task-id|tool-use-id|status|summary|result)>(.*?)</\1>", re.DOTALL)
_OPEN_ENDED = ("tool_use", "pause_turn")


def is_transcript(path: Path) -> bool:
    """Whether the file is a transcript, told by its content: lines with a session, a uuid and a message."""
    try:
        for number, data in read_ndjson(path):
            if number > _LOOK:
                break
            line = decode(data)
            if isinstance(line, dict) and line.get("type") in ("user", "assistant"):
                return {"sessionId", "uuid", "message", "parentUuid"} <= line.keys()
    except (InputError, JsonError):
        return False
    return False


def read_transcript(path: Path) -> list[Entry]:
    """The lines that would have crossed the wire; raises InputError for a line that is no JSON object."""
    lines = list(_lines(path))
    children = sorted(path.with_suffix("").glob("subagents/agent-*.jsonl"))
    for child in children:
        parent = _parent_of(child)
        lines += [(line, number, parent) for line, number, _ in _lines(child)]
    if children:
        lines.sort(key=lambda entry: _time(entry[0]))
    conversation = _Conversation(lines)
    for line, number, parent in lines:
        conversation.take(line, number, parent)
    conversation.finish()
    if not conversation.entries:
        raise InputError(path, None, "the transcript holds no message", "pick another session")
    return conversation.entries


def _lines(path: Path) -> Iterator[tuple[dict[str, Any], int, str | None]]:
    for number, data in read_ndjson(path):
        try:
            line = decode(data)
        except JsonError as error:
            raise InputError(path, number, f"not JSON: {error}", "remove the line")
        if not isinstance(line, dict):
            raise InputError(path, number, "a transcript line must be a JSON object", "remove the line")
        yield line, number, None


def _parent_of(child: Path) -> str | None:
    """The call a sub-agent's file belongs to: its description beside it says so."""
    try:
        meta = decode(child.with_suffix(".meta.json").read_bytes())
    except (OSError, JsonError):
        return None
    parent = meta.get("toolUseId") if isinstance(meta, dict) else None
    return parent if isinstance(parent, str) else None


class _Conversation:
    """Turns transcript lines into entries, in order."""

    def __init__(self, lines: list[tuple[dict[str, Any], int, str | None]]) -> None:
        self.entries: list[Entry] = []
        self._calls = _agent_calls(line for line, _, _ in lines)
        self._branches: dict[str, str | None] = {}  # uuid of a sidechain line → its call
        self._session: str | None = None
        self._open = False  # a turn is open
        self._origin: Any = None  # what began it, when nobody asked
        self._ended = False  # the model stopped by itself, or was stopped
        self._aborted = False
        self._last: dict[str, Any] = {}  # the turn's last message of the model
        self._messages: set[str] = set()
        self._line: dict[str, Any] = {}
        self._number = 0

    def take(self, line: dict[str, Any], number: int, parent: str | None) -> None:
        """Take one line; `parent` is the call whose sub-agent's file it stands in."""
        self._line, self._number = line, number
        kind = line.get("type")
        if parent is None and line.get("isSidechain") is True:
            parent = self._branch(line)
            if parent is None:
                return
        if kind == "assistant" and isinstance(line.get("message"), dict):
            self._assistant(line, parent)
        elif kind == "user" and isinstance(line.get("message"), dict):
            self._user(line, parent)
        elif kind == "system" and parent is None:
            self._system(line)
        elif kind == "attachment" and parent is None:
            self._queued(line.get("attachment"))

    def finish(self) -> None:
        """The end of the file; a turn that was not seen to end stays open."""
        if self._ended:
            self._result()

    # -- lines ---------------------------------------------------------------------------------------

    def _assistant(self, line: dict[str, Any], parent: str | None) -> None:
        self._init()
        message = line["message"]
        frame = self._frame("assistant", parent)
        failed = line.get("isApiErrorMessage") is True
        if failed:
            frame["is_api_error_message"] = True
            frame["error"] = line.get("error")
            frame["api_error_status"] = line.get("apiErrorStatus")
        self._say(frame)
        if parent is None:
            self._open = True
            self._last = {**message, "failed": failed, "status": line.get("apiErrorStatus")}
            self._messages.add(str(message.get("id")))
            self._ended = failed or _ends(message)

    def _user(self, line: dict[str, Any], parent: str | None) -> None:
        content = line["message"].get("content")
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        results = [b for b in blocks if isinstance(b, dict) and b.get("type") == "tool_result"]
        text = "\n".join(
            str(b.get("text")) for b in blocks if isinstance(b, dict) and b.get("type") == "text"
        )
        origin = line.get("origin")
        if results:
            self._tool_result(line, results, parent)
        elif parent is not None or line.get("isMeta") or line.get("isCompactSummary"):
            return
        elif text.startswith(_INTERRUPTED):
            self._aborted = self._ended = self._open
            self._say(self._frame("user", None))
        elif isinstance(origin, dict) and origin.get("kind") == "task-notification":
            self._notification(text, origin)
        elif _COMMAND_OUTPUT.match(text):
            self._command_output(text)
        else:
            self._prompt(line["message"])

    def _tool_result(self, line: dict[str, Any], results: list[Any], parent: str | None) -> None:
        frame = self._frame("user", parent)
        if "toolUseResult" in line:
            frame["tool_use_result"] = line["toolUseResult"]
        note: dict[str, Any] = {"id": results[0].get("tool_use_id")}
        if line.get("toolDenialKind"):
            note["non_execution_kind"] = line["toolDenialKind"]
        if line.get("permissionDecision"):
            note["permission_decision"] = line["permissionDecision"]
        if len(note) > 1:
            frame["tool_result_meta"] = [note]
        self._say(frame)
        if parent is None:
            self._ended = False

    def _prompt(self, message: dict[str, Any]) -> None:
        """A prompt: a turn of its own, or more of one whose answer has not ended."""
        if self._ended:
            self._result()
        content = message.get("content")
        named = _COMMAND.match(content) if isinstance(content, str) else None
        if named is not None:
            arguments = _ARGUMENTS.search(str(content))
            content = f"{named[1]} {arguments[1] if arguments is not None else ''}".strip()
        self._put(
            CLIENT,
            {
                "type": "user",
                "session_id": "",
                "parent_tool_use_id": None,
                "message": {"role": "user", "content": content},
                "uuid": self._line.get("uuid"),
            },
        )
        self._open = True

    def _queued(self, attachment: Any) -> None:
        """A prompt the agent took up inside the open turn."""
        if not isinstance(attachment, dict) or attachment.get("type") != "queued_command":
            return
        if attachment.get("commandMode") == "prompt" and attachment.get("prompt"):
            self._prompt({"content": attachment["prompt"]})

    def _notification(self, text: str, origin: dict[str, Any]) -> None:
        """News of background work, which begins a turn of the agent's own."""
        if self._ended:
            self._result()
        said = dict(_NOTE.findall(text))
        if "task-id" in said:
            self._say(
                {
                    "type": "system",
                    "subtype": "task_notification",
                    "task_id": said["task-id"],
                    "tool_use_id": said.get("tool-use-id"),
                    "status": said.get("status"),
                    "summary": said.get("result") or said.get("summary"),
                }
            )
        if not self._open:
            self._origin = origin

    def _command_output(self, text: str) -> None:
        """What a command of the agent's own printed; it ends the command's turn."""
        match = _COMMAND_OUTPUT.match(text)
        output = match[1].strip() if match is not None else ""
        if output and self._open:
            self._say({"type": "system", "subtype": "local_command_output", "content": output})
        self._ended = self._open

    def _system(self, line: dict[str, Any]) -> None:
        subtype, content = line.get("subtype"), line.get("content")
        if subtype == "compact_boundary":
            self._say({"type": "system", "subtype": subtype})
        elif subtype == "local_command" and isinstance(content, str):
            self._command_output(content)
        elif subtype == "informational" and isinstance(content, str):
            self._say({"type": "system", "subtype": subtype, "content": content, "level": line.get("level")})

    # -- what the wire would have said ---------------------------------------------------------------

    def _init(self) -> None:
        session = self._line.get("sessionId")
        if session == self._session or not isinstance(session, str):
            return
        self._session = session
        frame: dict[str, Any] = {"type": "system", "subtype": "init", "cwd": self._line.get("cwd")}
        frame["session_id"] = session
        frame["claude_code_version"] = self._line.get("version")
        self._put(AGENT, frame)

    def _result(self) -> None:
        """The end of the open turn."""
        text = "\n".join(
            str(block.get("text"))
            for block in _blocks(self._last)
            if isinstance(block, dict) and block.get("type") == "text"
        )
        frame: dict[str, Any] = {"type": "result", "subtype": "success", "is_error": False}
        if self._aborted:
            frame.update(subtype="error_during_execution", is_error=True, terminal_reason="aborted_tools")
        else:
            frame["result"] = text
            frame["stop_reason"] = self._last.get("stop_reason")
        if self._last.get("failed"):
            frame.update(is_error=True, api_error_status=self._last.get("status"))
        frame["num_turns"] = len(self._messages)
        if self._origin is not None:
            frame["origin"] = self._origin
        frame["session_id"] = self._session
        self._put(AGENT, frame)
        self._open = self._ended = self._aborted = False
        self._origin, self._last, self._messages = None, {}, set()

    def _frame(self, kind: str, parent: str | None) -> dict[str, Any]:
        line = self._line
        return {
            "type": kind,
            "message": line["message"],
            "parent_tool_use_id": parent,
            "session_id": line.get("sessionId"),
            "uuid": line.get("uuid"),
            "timestamp": line.get("timestamp"),
        }

    def _say(self, frame: dict[str, Any]) -> None:
        self._init()
        self._put(AGENT, frame)

    def _put(self, side: str, message: dict[str, Any]) -> None:
        self.entries.append(Entry(_time(self._line), side, encode(message).decode(), self._number))

    # -- sub-agents in the same file -----------------------------------------------------------------

    def _branch(self, line: dict[str, Any]) -> str | None:
        """The call whose sub-agent said the line: its branch's first line repeats the call's prompt."""
        parent = self._branches.get(str(line.get("parentUuid")))
        if parent is None:
            message = line.get("message")
            content = message.get("content") if isinstance(message, dict) else None
            if isinstance(content, list) and content and isinstance(content[0], dict):
                content = content[0].get("text")
            parent = self._calls.get(str(content))
        self._branches[str(line.get("uuid"))] = parent
        return parent


def _agent_calls(lines: Iterator[dict[str, Any]]) -> dict[str, str]:
    """Prompt of each sub-agent → the call that made it."""
    calls: dict[str, str] = {}
    for line in lines:
        message = line.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        for block in content if isinstance(content, list) else ():
            if isinstance(block, dict) and block.get("name") in ("Task", "Agent"):
                made = block.get("input")
                if isinstance(made, dict) and isinstance(made.get("prompt"), str):
                    calls.setdefault(made["prompt"], str(block.get("id")))
    return calls


def _ends(message: dict[str, Any]) -> bool:
    """Whether the model stopped with this message; a version that does not say stops without a call."""
    reason = message.get("stop_reason")
    if reason is not None:
        return reason not in _OPEN_ENDED
    kinds = [block.get("type") for block in _blocks(message) if isinstance(block, dict)]
    return "tool_use" not in kinds and "text" in kinds


def _blocks(message: dict[str, Any]) -> list[Any]:
    content = message.get("content")
    return content if isinstance(content, list) else []


def _time(line: dict[str, Any]) -> int:
    """Milliseconds since 1970; 0 where the line has no time."""
    stamp = line.get("timestamp")
    try:
        return int(datetime.fromisoformat(str(stamp).replace("Z", "+00:00")).timestamp() * 1000)
    except ValueError:
        return 0
