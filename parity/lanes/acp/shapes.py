"""Shapes: what item a tool call is, by the dialect's tool table or else the protocol's kind.

A shape needs what makes it one: a read without a path, a fetch without a URL or a web search without a query
stays a generic tool until a later frame tells more, and is then re-shaped.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from parity.grammar import items
from parity.grammar.deltas import Presentation
from parity.grammar.items import Item
from parity.lanes.acp.calls import Call
from parity.lanes.acp.dialects import Dialect
from parity.lanes.acp.frames import KINDS, TERMINAL, Diff
from parity.lanes.acp.results import result_text
from parity.lanes.content import bound, bound_text, resolve

PATH_FIELDS = (
    "target_file",
    "filePath",
    "file_path",
    "path",
    "filepath",
    "notebook_path",
    "target_directory",
    "directory",
)
"""Arguments that name the file or folder a call is about."""

KIND_SHAPES = {
    "execute": "execute",
    "read": "read",
    "edit": "edit",
    "delete": "delete",
    "move": "move",
    "search": "search",
    "fetch": "fetch",
}
"""ACP tool kind → shape; the kinds not listed (think, switch_mode, other, unknown) are tools."""


def shape_of(call: Call, dialect: Dialect) -> str:
    """The name of the call's shape: the dialect's, else by the protocol's kind, else tool."""
    return dialect.shape(call) or KIND_SHAPES.get(call.effective_kind or "", "tool")


def item_of(call: Call, dialect: Dialect, cwd: str | None) -> Item:
    """The item the call is, as far as is known by now."""
    build = _BUILDERS.get(shape_of(call, dialect))
    item = build(call, dialect, cwd) if build is not None else None
    return item if item is not None else tool_item(call, dialect)


def tool_item(call: Call, dialect: Dialect) -> Item:
    """The generic tool: arguments, result, and the text of a failure as its error (S15).

    Without a name, a kind the protocol does not know is the tool's word (S28).
    """
    word = call.kind if call.kind is not None and call.kind not in KINDS else None
    return items.tool(
        call.name or word,
        server=call.server or dialect.server(call),
        args=bound(call.raw_input),
        result=bound(dialect.result(call)) if call.status in TERMINAL else None,
        error=result_text(call, dialect) if call.status == "failed" else None,
    )


def presentation_of(call: Call, item: Item) -> Presentation | None:
    """The agent's own words: the title, and the reason of the ask or the description as detail."""
    detail = call.ask.reason if call.ask is not None and call.ask.reason else call.note_text
    subject = item.get("command") or call.title
    if detail and subject and detail.strip() in (subject, f"$ {subject}"):
        detail = None
    if not call.title and not detail:
        return None
    return Presentation(call.title, bound_text(detail) if detail else None)


def _command(call: Call, dialect: Dialect, cwd: str | None) -> Item | None:
    said = call.args.get("cwd")
    return items.command(
        dialect.command(call) or call.command, cwd=said if isinstance(said, str) else call.cwd
    )


def _read(call: Call, dialect: Dialect, cwd: str | None) -> Item | None:
    path = path_of(call)
    return items.file_read(resolve(path, cwd)) if path is not None else None


def _change(kind: str | None) -> Callable[[Call, Dialect, str | None], Item | None]:
    def build(call: Call, dialect: Dialect, cwd: str | None) -> Item | None:
        if call.diffs:
            changes = [
                items.change(
                    resolve(diff.path, cwd),
                    diff.kind or kind or _kind(diff),
                    move_path=resolve(diff.move_path, cwd) if diff.move_path is not None else None,
                    diff=diff.patch,
                    old_text=diff.old_text,
                    new_text=diff.new_text,
                )
                for diff in call.diffs
            ]
        else:
            path = path_of(call)
            changes = [items.change(resolve(path, cwd), kind)] if path is not None else []
        return items.file_change(changes)

    return build


def _kind(diff: Diff) -> str | None:
    """What the texts of a file say was done to it."""
    if diff.old_text:
        return "update"
    return "add" if diff.new_text is not None else None


def _search(mode: str) -> Callable[[Call, Dialect, str | None], Item | None]:
    def build(call: Call, dialect: Dialect, cwd: str | None) -> Item | None:
        query, path = dialect.query(call), path_of(call)
        if query is None and path is None and mode == "content" and not call.title:
            return None
        where = resolve(path, cwd) if path is not None else None
        return items.search(mode=mode, query=query, path=where)

    return build


def _fetch(call: Call, dialect: Dialect, cwd: str | None) -> Item | None:
    url = dialect.url(call) or call.url
    prompt = call.args.get("prompt")
    if url is None:
        return None
    return items.web_fetch(url, prompt=prompt if isinstance(prompt, str) else None)


def _web_search(call: Call, dialect: Dialect, cwd: str | None) -> Item | None:
    query = dialect.query(call)
    return items.web_search([query]) if query is not None else None


def _delegation(call: Call, dialect: Dialect, cwd: str | None) -> Item | None:
    label = call.args.get("description")
    return items.delegation(
        call.child_ref or dialect.child_ref(call) or call.id,
        label=label if isinstance(label, str) and label else call.title,
        background=dialect.background(call),
        summary=result_text(call, dialect) if call.status == "completed" else None,
    )


def _todo(call: Call, dialect: Dialect, cwd: str | None) -> Item | None:
    todos = call.args.get("todos")
    if not isinstance(todos, list):
        return None
    steps: list[dict[str, Any]] = []
    for todo in todos:
        if isinstance(todo, dict) and isinstance(todo.get("content"), str):
            step = {"step": todo["content"]}
            step.update({k: todo[k] for k in ("status", "priority") if isinstance(todo.get(k), str)})
            steps.append(step)
    return items.plan_steps(steps)


def path_of(call: Call) -> str | None:
    """The path a call is about: its arguments' (the agent's own words), else its first location."""
    for field in PATH_FIELDS:
        value = call.args.get(field)
        if isinstance(value, str) and value:
            return value
    return call.locations[0] if call.locations else None


_BUILDERS: dict[str, Callable[[Call, Dialect, str | None], Item | None]] = {
    "execute": _command,
    "read": _read,
    "edit": _change(None),
    "delete": _change("delete"),
    "move": _change(None),
    "search": _search("content"),
    "find": _search("path"),
    "fetch": _fetch,
    "web_search": _web_search,
    "delegate": _delegation,
    "todo": _todo,
}
