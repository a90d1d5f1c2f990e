"""The generic dialect: how an ACP agent is read when nothing special is known about it.

A dialect answers questions about one agent's side channels (free-form `rawInput`/`rawOutput`, `_meta`,
vendor methods) and never changes what a protocol field means. All vendor keys live in this package. The
subclasses override only what their agent says differently.

Questions: what a tool is called and which shape it has (`tool_name`, `tools`, `kind_hint`, `shape`), what
a command was and what came of it (`command`, `outcome`, `increment`), whose child a frame is (`parent`), and
what the vendor's own notifications and requests mean (`notification`, `question`, `acknowledge`).
"""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import Struct

from parity.lanes.acp.calls import Call
from parity.lanes.acp.frames import ChunkFrame, InfoFrame, ToolFrame


class Outcome(Struct):
    """What a command came to: output None = did not say; code None = not reported (S01–S04)."""

    output: str | None = None
    exit_code: int | None = None
    signal: str | None = None
    timed_out: bool = False


class Question(Struct):
    """A vendor request that waits for a person."""

    payload: dict[str, Any]
    call_id: str | None = None


class Notice(Struct):
    """What a vendor notification means: a link, a fact, or (all empty) nothing a person needs."""

    child_session: str | None = None
    warning: str | None = None
    plan: list[dict[str, Any]] | None = None


class Acknowledgement(Struct):
    """A vendor request that only informs: what to answer, and what it says about a call."""

    answer: Any
    call_id: str | None = None
    label: str | None = None
    child_ref: str | None = None
    plan: list[dict[str, Any]] | None = None


class Dialect:
    """The generic dialect."""

    id: ClassVar[str] = "generic"
    tools: ClassVar[dict[str, str]] = {}
    """Programmatic tool name → shape: execute, read, edit, search, find, fetch, web_search, delegate,
    todo, tool. A name not listed is shaped by the protocol's `kind`."""
    asks_by_call_id: ClassVar[bool] = False
    """Whether a permission request always comes under its call's id, so that an unknown id is a new
    call (S20) and never another id of an open one (S19)."""
    ids_repeat: ClassVar[bool] = False
    """Whether message ids come round again, so that tool calls separate messages even with ids."""
    starts_turns: ClassVar[bool] = False
    """Whether the agent begins work of its own with no prompt in flight (S33)."""

    # -- names and kinds -----------------------------------------------------------------------------

    def tool_name(self, frame: ToolFrame) -> str | None:
        """The programmatic name the frame gives the tool: the protocol's `name`, else the dialect's."""
        return frame.name

    def kind_hint(self, frame: ToolFrame, call: Call) -> str | None:
        """The ACP kind this agent's side channel tells while the protocol's `kind` says nothing."""
        return None

    def shape(self, call: Call) -> str | None:
        """The shape of the call where the dialect knows its tool; else None (the kind decides)."""
        return self.tools.get(call.name) if call.name is not None else None

    def server(self, call: Call) -> str | None:
        """The MCP server of a tool."""
        return None

    def ask_server(self, frame: ToolFrame, call: Call) -> str | None:
        """The MCP server of a tool, where only the permission request names it."""
        return None

    # -- commands ------------------------------------------------------------------------------------

    def command(self, call: Call) -> str | None:
        """The command line, where the agent says it."""
        return command_of(call.args.get("command"))

    def increment(self, frame: ToolFrame) -> str | None:
        """Output to append: `_meta.terminal_output_delta` or `_meta.terminal_output` (S12)."""
        for key in ("terminal_output_delta", "terminal_output"):
            value = frame.meta.get(key)
            if isinstance(value, dict) and isinstance(value.get("data"), str):
                return str(value["data"])
        return None

    def terminal_exit(self, frame: ToolFrame) -> tuple[int | None, str | None] | None:
        """`_meta.terminal_exit`: the exit code and signal it reports (S12)."""
        value = frame.meta.get("terminal_exit")
        if not isinstance(value, dict):
            return None
        signal = value.get("signal")
        return integer(value.get("exit_code")), signal if isinstance(signal, str) else None

    def outcome(self, call: Call, text: str | None) -> Outcome:
        """What a settled command came to; `text` is the standard content, which wins over raw output."""
        raw = call.raw_output
        outcome = raw_outcome(raw)
        if text:
            outcome.output = text
        return outcome

    def never_ran(self, call: Call, frame: ToolFrame) -> bool:
        """Whether the agent says a settled command was never run, so that its text is no output."""
        return False

    def raw_output(self, frame: ToolFrame) -> Any:
        """The frame's raw output, wherever this agent puts it."""
        return frame.raw_output

    def text(self, call: Call, text: str | None) -> str | None:
        """The result's text: the standard content, unless this agent decorates it."""
        return text

    # -- results -------------------------------------------------------------------------------------

    def result(self, call: Call) -> Any:
        """The raw output as a tool row may show it."""
        return call.raw_output

    def query(self, call: Call) -> str | None:
        """What a search looks for."""
        for key in ("pattern", "query", "glob", "regex"):
            value = call.args.get(key)
            if isinstance(value, str) and value:
                return value
        return None

    def url(self, call: Call) -> str | None:
        """The address of a fetch."""
        value = call.args.get("url")
        return value if isinstance(value, str) and value else None

    def ask_url(self, frame: ToolFrame) -> str | None:
        """The address of a fetch, where only the permission request says it (S22)."""
        return None

    def background(self, call: Call) -> bool | None:
        """Whether delegated work runs in the background; None when the agent did not say."""
        for key in ("background", "run_in_background"):
            value = call.args.get(key)
            if isinstance(value, bool):
                return value
        return None

    def child_ref(self, call: Call) -> str | None:
        """The name of the child session or thread that delegated work runs in."""
        return None

    # -- structure and side channels -----------------------------------------------------------------

    def parent(self, frame: ToolFrame) -> str | None:
        """The id of the call this frame's call works for."""
        return None

    def usage(self, frame: ChunkFrame) -> dict[str, Any] | None:
        """Token usage riding on a message chunk."""
        return None

    def turn_usage(self, result: dict[str, Any]) -> dict[str, Any] | None:
        """Token usage in the prompt's answer."""
        usage = result.get("usage")
        return usage if isinstance(usage, dict) else None

    def info_warning(self, frame: InfoFrame) -> str | None:
        """A warning inside a session info update."""
        return None

    def notification(self, method: str, params: dict[str, Any]) -> Notice | None:
        """What a vendor notification means; None when this dialect does not know it."""
        return Notice() if method.startswith("_") else None

    def question(self, method: str, params: dict[str, Any]) -> Question | None:
        """The person's question behind a vendor request; None when this dialect does not know it."""
        return None

    def encode_answer(self, method: str, result: dict[str, Any]) -> Any:
        """The vendor's form of a person's answer to `question`."""
        return result

    def decode_answer(self, method: str, result: Any) -> dict[str, Any]:
        """The runtime's form of a recorded answer to `question`; inverse of `encode_answer`."""
        return result if isinstance(result, dict) and "decision" in result else {"decision": "answered"}

    def declines(self, method: str) -> bool:
        """Whether a vendor request is known, refused like any unknown one, and worth no row."""
        return False

    def acknowledge(self, method: str, params: dict[str, Any]) -> Acknowledgement | None:
        """The answer to a vendor request that only informs; None when this dialect does not know it."""
        return None


def integer(value: Any) -> int | None:
    """An integer that is one: not a bool, not a string, not a fraction."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def command_of(value: Any) -> str | None:
    """A command line said as a string or as a list of words."""
    if isinstance(value, str) and value:
        return value
    if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
        return " ".join(value)
    return None


def raw_outcome(raw: Any) -> Outcome:
    """The common spellings of a command's raw output: text, or {exitCode|exit_code, stdout, stderr, …}."""
    if isinstance(raw, str):
        return Outcome(output=raw)
    if not isinstance(raw, dict):
        return Outcome()
    code = integer(raw.get("exitCode"))
    if code is None:
        code = integer(raw.get("exit_code"))
    stdout, stderr = raw.get("stdout"), raw.get("stderr")
    output: str | None = None
    if isinstance(stdout, str) or isinstance(stderr, str):
        output = join_streams(stdout, stderr)
    elif isinstance(raw.get("output"), str):
        output = raw["output"]
    signal = raw.get("signal")
    return Outcome(
        output,
        code,
        str(signal) if signal not in (None, "", False, 0) else None,
        raw.get("timed_out") is True or raw.get("timedOut") is True,
    )


def join_streams(stdout: Any, stderr: Any) -> str:
    """Standard output, then standard error on a line of its own."""
    first = stdout if isinstance(stdout, str) else ""
    second = stderr if isinstance(stderr, str) else ""
    if first and second and not first.endswith("\n"):
        return f"{first}\n{second}"
    return first + second
