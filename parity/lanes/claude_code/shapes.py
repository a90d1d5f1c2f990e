"""Shapes: what item a tool call is, by the tool's name and what is known of its input.

A shape needs what makes it one: a Read without a path or a WebFetch without a URL (its input still streams)
stays a generic tool and is re-shaped when more is known (S17). Where a structured result is at hand, the
item takes from it what the input could not say: the diff of an edit, whether a write made the file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from parity.grammar import items
from parity.grammar.deltas import Presentation
from parity.grammar.items import Item
from parity.lanes.claude_code.calls import Call
from parity.lanes.claude_code.plan import TaskList, todo_steps
from parity.lanes.content import bound, bound_text, resolve

TASK_TOOLS = ("TaskCreate", "TaskUpdate", "TaskList", "TaskGet")
QUESTION_TOOL = "AskUserQuestion"
PLAN_TOOL = "ExitPlanMode"

_MCP = "mcp__"


def item_of(call: Call, cwd: str | None, tasks: TaskList, result: Any = None) -> Item:
    """The item the call is, as far as is known by now; `result` is its structured result, if any."""
    item: Item | None = None
    if call.name in TASK_TOOLS:
        if result is not None:
            steps = tasks.settle(call.name, call.input, result)
        else:
            steps = tasks.preview(call.name, call.input)
        item = items.plan_steps(steps) if steps is not None else None
    elif call.name in TOOLS:
        item = TOOLS[call.name](call, cwd, result if isinstance(result, dict) else {})
    return item if item is not None else tool_item(call)


def tool_item(call: Call, error: str | None = None) -> Item:
    """The generic tool; `mcp__server__tool` names its server."""
    name, server = call.name, None
    if name.startswith(_MCP) and "__" in name[len(_MCP) :]:
        server, name = name[len(_MCP) :].split("__", 1)
    return items.tool(name, server=server, args=bound(call.input) if call.input else None, error=error)


def presentation_of(call: Call) -> Presentation | None:
    """The agent's own words: a command's description, the first of its questions."""
    if call.name == QUESTION_TOOL:
        questions = call.input.get("questions")
        first = questions[0] if isinstance(questions, list) and questions else None
        asked = _text(first, "question") if isinstance(first, dict) else None
        return Presentation(title=asked) if asked is not None else None
    description = _text(call.input, "description") if call.name in COMMAND_TOOLS else None
    return Presentation(detail=bound_text(description)) if description else None


def plan_of(call: Call) -> str | None:
    """The plan an ExitPlanMode puts forward."""
    return _text(call.input, "plan")


# -- builders --------------------------------------------------------------------------------------------


def _command(call: Call, cwd: str | None, result: dict[str, Any]) -> Item | None:
    return items.command(_text(call.input, "command"))


def _read(call: Call, cwd: str | None, result: dict[str, Any]) -> Item | None:
    path = _text(call.input, "file_path", "notebook_path")
    return items.file_read(resolve(path, cwd)) if path is not None else None


def _edit(call: Call, cwd: str | None, result: dict[str, Any]) -> Item | None:
    path = _text(call.input, "file_path")
    if path is None:
        return None
    path = resolve(path, cwd)
    edits = call.input.get("edits")
    edits = [e for e in edits if isinstance(e, dict)] if isinstance(edits, list) else [call.input]
    created = bool(edits) and edits[0].get("old_string") == ""
    kind = "add" if created else "update"
    diff = _diff(result)
    if diff is not None:
        return items.file_change([items.change(path, kind, diff=bound_text(diff))])
    return items.file_change(
        [
            items.change(path, kind, old_text=_bounded(e, "old_string"), new_text=_bounded(e, "new_string"))
            for e in edits
        ]
    )


def _write(call: Call, cwd: str | None, result: dict[str, Any]) -> Item | None:
    path = _text(call.input, "file_path")
    if path is None:
        return None
    kind = {"create": "add", "update": "update"}.get(str(result.get("type")))
    diff = _diff(result)
    new_text = _bounded(call.input, "content") if diff is None else None
    change = items.change(
        resolve(path, cwd), kind, diff=bound_text(diff) if diff is not None else None, new_text=new_text
    )
    return items.file_change([change])


def _notebook(call: Call, cwd: str | None, result: dict[str, Any]) -> Item | None:
    path = _text(call.input, "notebook_path")
    if path is None:
        return None
    change = items.change(
        resolve(path, cwd),
        "update",
        old_text=_bounded(result, "old_source"),
        new_text=_bounded(call.input, "new_source"),
    )
    return items.file_change([change])


def _search(mode: str) -> Callable[[Call, str | None, dict[str, Any]], Item | None]:
    def build(call: Call, cwd: str | None, result: dict[str, Any]) -> Item | None:
        query, path = _text(call.input, "pattern"), _text(call.input, "path")
        if query is None:
            return None
        return items.search(mode=mode, query=query, path=resolve(path, cwd) if path is not None else None)

    return build


def _fetch(call: Call, cwd: str | None, result: dict[str, Any]) -> Item | None:
    url = _text(call.input, "url")
    return items.web_fetch(url, prompt=_text(call.input, "prompt")) if url is not None else None


def _web_search(call: Call, cwd: str | None, result: dict[str, Any]) -> Item | None:
    query = _text(call.input, "query")
    return items.web_search([query]) if query is not None else None


def _delegation(call: Call, cwd: str | None, result: dict[str, Any]) -> Item | None:
    return items.delegation(
        call.id,
        label=_text(call.input, "description"),
        background=call.background,
        summary=report_of(result),
    )


def report_of(result: dict[str, Any]) -> str | None:
    """A sub-agent's report, without the notes that the agent program says it put around it."""
    content = result.get("content")
    if not isinstance(content, list):
        return None
    head, tail = result.get("harnessNoteCount"), result.get("harnessTailCount")
    first = head if isinstance(head, int) else 0
    last = len(content) - (tail if isinstance(tail, int) else 0)
    texts = [b["text"] for b in content[first:last] if isinstance(b, dict) and isinstance(b.get("text"), str)]
    return bound_text("\n".join(texts)) if texts else None


def _todo(call: Call, cwd: str | None, result: dict[str, Any]) -> Item | None:
    steps = todo_steps(call.input.get("todos"))
    return items.plan_steps(steps) if steps is not None else None


def _plan(call: Call, cwd: str | None, result: dict[str, Any]) -> Item | None:
    text = _text(result, "plan") or plan_of(call)
    return {"type": "plan", "text": bound_text(text)} if text is not None else None


def _diff(result: dict[str, Any]) -> str | None:
    """The hunks of a structured patch as a unified diff; the change names the file."""
    patch = result.get("structuredPatch")
    if not isinstance(patch, list) or not patch:
        return None
    lines: list[str] = []
    for hunk in patch:
        if not isinstance(hunk, dict) or not isinstance(hunk.get("lines"), list):
            return None
        spans = [f"{hunk.get(f'{side}Start')},{hunk.get(f'{side}Lines')}" for side in ("old", "new")]
        lines.append(f"@@ -{spans[0]} +{spans[1]} @@")
        lines += [str(line) for line in hunk["lines"]]
    return "\n".join(lines) + "\n"


def _text(document: dict[str, Any], *names: str) -> str | None:
    for name in names:
        value = document.get(name)
        if isinstance(value, str) and value:
            return value
    return None


def _bounded(document: dict[str, Any], name: str) -> str | None:
    value = document.get(name)
    return bound_text(value) if isinstance(value, str) else None


COMMAND_TOOLS = ("Bash", "PowerShell")
TOOLS: dict[str, Callable[[Call, str | None, dict[str, Any]], Item | None]] = {
    **dict.fromkeys(COMMAND_TOOLS, _command),
    "Read": _read,
    "NotebookRead": _read,
    "Edit": _edit,
    "MultiEdit": _edit,
    "Write": _write,
    "NotebookEdit": _notebook,
    "Grep": _search("content"),
    "Glob": _search("path"),
    "WebFetch": _fetch,
    "web_fetch": _fetch,
    "WebSearch": _web_search,
    "web_search": _web_search,
    "Task": _delegation,
    "Agent": _delegation,
    "TodoWrite": _todo,
    PLAN_TOOL: _plan,
}
"""The agent's own tools (and the API's server tools, in lower case); all others are generic."""
