"""What a row shows of its item: the kind, the fields of that kind, the title.

Pure functions over an item's document and what was streamed of it. Must not know turns, nor how rows nest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

Row: TypeAlias = dict[str, Any]
"""id, kind, status, title, detail?, providerItemId?, the fields of its kind, approval?, children?"""

TITLE_LENGTH = 80
"""Characters of a text shown as a title."""


def fields_of(doc: dict[str, Any], streamed: list[str]) -> tuple[str, Row]:
    """(kind, the fields of that kind) of an item's document; `streamed`: its text or output so far."""
    return _FIELDS.get(doc["type"], _extension)(doc, streamed)


def _pick(doc: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: doc[name] for name in names if doc.get(name) is not None}


def _turn(doc: dict[str, Any], streamed: list[str]) -> tuple[str, Row]:
    return "turn", _pick(doc, "initiator", "input", "error")


def _command(doc: dict[str, Any], streamed: list[str]) -> tuple[str, Row]:
    fields = _pick(doc, "command", "cwd", "exitCode", "durationMs")
    output = doc.get("aggregatedOutput") or "".join(streamed)
    if output:
        fields["output"] = output
    return "command", fields


def _tool(doc: dict[str, Any], streamed: list[str]) -> tuple[str, Row]:
    fields: Row = {}
    for name, source in (("toolName", "tool"), ("server", "server"), ("toolArgs", "arguments")):
        if doc.get(source) is not None:
            fields[name] = doc[source]
    output = doc.get("resultText")
    if output is None:
        output = doc.get("result")
    if doc.get("error") is not None:
        fields["error"] = doc["error"]
        output = None if output == doc["error"] else output
    if output not in (None, ""):
        fields["output"] = output
    return "tool", fields


def _text_of(doc: dict[str, Any], streamed: list[str]) -> str:
    text = doc.get("text")
    return text if isinstance(text, str) else "".join(streamed)


def _plan(doc: dict[str, Any], streamed: list[str]) -> tuple[str, Row]:
    if doc["type"] == "plan":
        return "plan", {"text": _text_of(doc, streamed)}
    return "plan", _pick(doc, "steps", "explanation")


def _fields(kind: str, *names: str) -> Callable[[dict[str, Any], list[str]], tuple[str, Row]]:
    def fields(doc: dict[str, Any], streamed: list[str]) -> tuple[str, Row]:
        return kind, _pick(doc, *names)

    return fields


def _extension(doc: dict[str, Any], streamed: list[str]) -> tuple[str, Row]:
    skip = ("id", "type", "status", "presentation", "providerItemId", "parentItemId", "resultText")
    return doc["type"], {k: v for k, v in doc.items() if k not in skip and k != "title"}


_FIELDS: dict[str, Callable[[dict[str, Any], list[str]], tuple[str, Row]]] = {
    "turn": _turn,
    "commandExecution": _command,
    "toolCall": _tool,
    "fileChange": _fields("fileChange", "changes", "aggregatedOutput"),
    "fileRead": _fields("fileRead", "path", "cmd"),
    "search": _fields("search", "mode", "query", "path"),
    "webFetch": _fields("webFetch", "url", "prompt", "pattern"),
    "webSearch": _fields("webSearch", "queries"),
    "delegation": _fields("delegation", "label", "childRef", "background", "summary"),
    "planSteps": _plan,
    "plan": _plan,
    "agentMessage": lambda doc, streamed: ("message", {"text": _text_of(doc, streamed)}),
    "reasoning": lambda doc, streamed: ("reasoning", {"text": _text_of(doc, streamed)}),
    "contextCompaction": _fields("compaction"),
    "approval": _fields("approval"),
    "question": _fields("question"),
    "unhandled": _fields("unhandled"),
    "warning": _fields("warning"),
    "error": _fields("error"),
    "compaction": _fields("compaction"),
}
_TITLES = {"message": "Message", "reasoning": "Reasoning", "plan": "Plan", "fileChange": "Edit"}
_TITLE_FIELDS = {
    "command": ("command",),
    "tool": ("toolName",),
    "fileRead": ("path",),
    "search": ("query", "path"),
    "webFetch": ("url",),
    "delegation": ("label",),
    "turn": ("input",),
}


def title_of(kind: str, fields: Row, doc: dict[str, Any]) -> str:
    """What a row is called where nobody presented it: the field that says most of its kind."""
    for name in _TITLE_FIELDS.get(kind, ()):
        if fields.get(name):
            return _shorten(str(fields[name]))
    if kind == "fileChange" and fields.get("changes"):
        return ", ".join(str(change["path"]) for change in fields["changes"])
    if kind == "webSearch" and fields.get("queries"):
        return _shorten(str(fields["queries"][0]))
    return _shorten(str(doc.get("title") or _TITLES.get(kind, kind)))


def _shorten(text: str) -> str:
    line = text.strip().split("\n", 1)[0]
    return line if len(line) <= TITLE_LENGTH else line[: TITLE_LENGTH - 1] + "…"
