"""The items of a codex rollout, as `codex app-server` would have told them.

A rollout of codex keeps its history in one of two ways: as finished items (*paginated*) or as the model's own
records, calls and their outputs (*legacy*). Pure functions from either to app-server items; what a record
does not say is absent.
"""

from __future__ import annotations

import re
import shlex
from typing import Any, TypeAlias

from parity.wire import JsonError, decode

Document: TypeAlias = dict[str, Any]

SHELLS = frozenset(("exec_command", "shell", "shell_command", "local_shell", "container.exec"))
"""Functions by which the model runs a command."""

_EXIT = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d+)$", re.MULTILINE)
_OUTPUT = re.compile(r"^(?:Total output lines: \d+\n|)Output:\n", re.MULTILINE)
_PATCHED = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$", re.MULTILINE)
_SNAKE = re.compile(r"_([a-z0-9])")


def camel(value: Any) -> Any:
    """The value with its snake_case keys in camelCase, at every depth."""
    if isinstance(value, dict):
        return {_camel(str(key)): camel(item) for key, item in value.items()}
    return [camel(item) for item in value] if isinstance(value, list) else value


def _camel(word: str) -> str:
    return _SNAKE.sub(lambda match: match[1].upper(), word)


def text_of(document: Any, name: str) -> str | None:
    """A member that is a string."""
    value = document.get(name) if isinstance(document, dict) else None
    return value if isinstance(value, str) else None


def millis(duration: Any) -> int | None:
    """Milliseconds of a duration {secs, nanos}."""
    if not isinstance(duration, dict):
        return None
    secs, nanos = duration.get("secs"), duration.get("nanos")
    return secs * 1000 + nanos // 1_000_000 if type(secs) is int and type(nanos) is int else None


# -- finished items --------------------------------------------------------------------------------------


def finished(item: Document) -> Document:
    """An item of an `item_completed` record."""
    kind = str(item.get("type"))
    kind = kind[:1].lower() + kind[1:]
    if kind == "commandExecution":
        return command(item)
    if kind == "fileChange":
        return file_change(item)
    told: Document = {"type": kind}
    for name, value in item.items():
        if name in ("arguments", "result", "content", "error"):
            told[name] = value
        elif name not in ("type", "duration", "action"):
            told[_camel(name)] = value
    if kind == "agentMessage":
        told["text"] = _texts(told.pop("content", None))
    elif kind == "reasoning":
        told["summary"], told["content"] = told.pop("summaryText", []), told.pop("rawContent", [])
    elif kind == "webSearch":
        told["action"] = action(item.get("action"))
    elif kind == "mcpToolCall":
        told.update(_outcome(item.get("result")))
    if millis(item.get("duration")) is not None:
        told["durationMs"] = millis(item.get("duration"))
    if text_of(told, "status"):
        told["status"] = _camel(told["status"])
    return told


def command(record: Document) -> Document:
    """A command that ended: a CommandExecution item, or an `exec_command_end` event."""
    words = record.get("command")
    line = shlex.join(map(str, words)) if isinstance(words, list) else words
    output, cwd = text_of(record, "aggregated_output"), text_of(record, "cwd")
    return {
        "type": "commandExecution",
        "id": record.get("id") or record.get("call_id"),
        "command": line,
        "cwd": cwd.removeprefix("file://") if cwd is not None else None,
        "status": _camel(text_of(record, "status") or "completed"),
        "commandActions": [],
        "aggregatedOutput": output,
        "exitCode": record.get("exit_code"),
        "durationMs": millis(record.get("duration")),
    }


def file_change(record: Document) -> Document:
    """A patch that ended: a FileChange item, or a `patch_apply_end` event."""
    changes, told = record.get("changes"), []
    for path, change in changes.items() if isinstance(changes, dict) else ():
        change = change if isinstance(change, dict) else {}
        kind: Document = {"type": change.get("type")}
        if change.get("move_path") is not None:
            kind["move_path"] = change["move_path"]
        diff = change.get("unified_diff", change.get("content"))
        told.append({"path": path, "kind": kind, "diff": diff})
    status = text_of(record, "status") or ("completed" if record.get("success") else "failed")
    item_id = record.get("id") or record.get("call_id")
    told.sort(key=lambda change: str(change["path"]))
    return {"type": "fileChange", "id": item_id, "changes": told, "status": status}


def mcp(record: Document) -> Document:
    """An `mcp_tool_call_end` event."""
    call = record.get("invocation")
    call = call if isinstance(call, dict) else {}
    told = {
        "type": "mcpToolCall",
        "id": record.get("call_id"),
        "server": call.get("server"),
        "tool": call.get("tool"),
        "arguments": call.get("arguments"),
        "durationMs": millis(record.get("duration")),
        **_outcome(record.get("result")),
    }
    return {"status": "failed" if told.get("error") else "completed", **told}


def _outcome(result: Any) -> Document:
    """`result` or `error` of a {Ok} or {Err}; a plain result is itself."""
    if isinstance(result, dict) and "Err" in result:
        return {"error": {"message": str(result["Err"])}}
    if isinstance(result, dict) and "Ok" in result:
        result = result["Ok"]
    if not isinstance(result, dict):
        return {}
    told = {"content": result.get("content") or []}
    if result.get("structured_content") is not None:
        told["structuredContent"] = result["structured_content"]
    if result.get("isError") or result.get("is_error"):
        return {"error": {"message": _texts(told["content"]) or "the tool reported an error"}}
    return {"result": told}


def action(record: Any) -> Document | None:
    """A web search's action."""
    if not isinstance(record, dict):
        return None
    return {**record, "type": _camel(str(record.get("type")))}


# -- the model's own records -----------------------------------------------------------------------------


def message(record: Document) -> Document:
    """The assistant's message."""
    told = {"type": "agentMessage", "id": record.get("id"), "text": _texts(record.get("content"))}
    return told if told["id"] is not None else {**told, "id": "message"}


def reasoning(record: Document) -> Document:
    """A reasoning record: its summary parts, and its text where it is not encrypted."""
    parts = {name: _parts(record.get(name)) for name in ("summary", "content")}
    return {"type": "reasoning", "id": record.get("id") or "reasoning", **parts}


def call(record: Document) -> Document:
    """A function call that has begun."""
    call_id, name = record.get("call_id") or record.get("id"), text_of(record, "name") or "local_shell"
    args = _decoded(record.get("arguments", record.get("input", record.get("action"))))
    if name in SHELLS:
        words = args.get("cmd", args.get("command")) if isinstance(args, dict) else args
        line = shlex.join(map(str, words)) if isinstance(words, list) else words
        cwd = args.get("workdir", args.get("working_directory")) if isinstance(args, dict) else None
        return {"type": "commandExecution", "id": call_id, "command": line, "cwd": cwd, "commandActions": []}
    if name == "apply_patch":
        patch = args.get("input", args.get("patch")) if isinstance(args, dict) else args
        return {"type": "fileChange", "id": call_id, "changes": _patched(patch)}
    told = {"type": "dynamicToolCall", "id": call_id, "tool": name, "arguments": args}
    return told if record.get("namespace") is None else {**told, "namespace": record["namespace"]}


def answered(begun: Document, record: Document) -> Document:
    """The call with its output: codex writes exit code and output into one text for the model."""
    output = record.get("output")
    text = output if isinstance(output, str) else _texts(output)
    if isinstance(output, dict):
        text = text_of(output, "content") or ""
    if begun["type"] == "dynamicToolCall":
        return {**begun, "status": "completed", "contentItems": [{"type": "inputText", "text": text}]}
    code, shown = _result(text)
    if begun["type"] == "fileChange":
        return {**begun, "status": "failed" if code else "completed"}
    ended = {**begun, "aggregatedOutput": shown or None, "status": "failed" if code else "completed"}
    return ended if code is None else {**ended, "exitCode": code}


def _result(text: str) -> tuple[int | None, str]:
    """(exit code, output) out of the text a command's output was wrapped in."""
    wrapped = _decoded(text)
    if isinstance(wrapped, dict) and isinstance(wrapped.get("output"), str):
        told = wrapped.get("metadata")
        code = told.get("exit_code") if isinstance(told, dict) else None
        return (code if type(code) is int else None), wrapped["output"]
    head = _OUTPUT.search(text)
    if head is None:
        return None, text
    code = _EXIT.search(text, 0, head.start())
    return (int(code[1]) if code is not None else None), text[head.end() :]


def _decoded(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return decode(value)
    except JsonError:
        return value


def _patched(patch: Any) -> list[Document]:
    """The files a patch names; without the event of its outcome their diffs are not known."""
    found = _PATCHED.findall(patch) if isinstance(patch, str) else []
    return [{"path": path, "kind": {"type": word.lower()}} for word, path in found]


def _parts(blocks: Any) -> list[str]:
    texts = [text_of(block, "text") for block in (blocks if isinstance(blocks, list) else [])]
    return [text for text in texts if text]


def _texts(blocks: Any) -> str:
    return "".join(_parts(blocks))
