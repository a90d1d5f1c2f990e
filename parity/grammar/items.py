"""Item shapes: what one piece of an agent's work looks like to the grammar.

An item is a JSON document with a `type`. Lanes build items with the constructors below, which leave out
everything the agent did not say (absent beats invented), and bridges in other languages send the same
documents as JSON, so unknown fields survive. This file knows shapes only: no wire, no state.
"""

from __future__ import annotations

from typing import Any, TypeAlias

Item: TypeAlias = dict[str, Any]
"""A JSON document with a `type`; the constructors name the fields of each type."""

EVENT_TYPES = {"command": "commandExecution", "tool": "toolCall", "compaction": "contextCompaction"}
"""Item types which events call by another name; the rest keep theirs."""

TEXT_TYPES = {
    "agentMessage": "agentMessage",
    "reasoningText": "reasoning",
    "reasoningSummary": "reasoning",
    "plan": "plan",
}
"""Text channel → type of the item its text builds up."""


def _item(kind: str, **fields: Any) -> Item:
    return {"type": kind, **{name: value for name, value in fields.items() if value is not None}}


def command(command: str | None = None, *, cwd: str | None = None) -> Item:
    """A shell command. `cwd` only where the provider says it; output and code arrive with the close."""
    return _item("command", command=command, cwd=cwd)


def tool(
    tool: str | None,
    *,
    server: str | None = None,
    args: Any = None,
    result: Any = None,
    error: str | None = None,
) -> Item:
    """A tool no other shape fits; `tool` is its programmatic name, `result` what it returned."""
    return _item("tool", tool=tool, server=server, args=args, result=result, error=error)


def change(
    path: str,
    kind: str | None = None,
    *,
    move_path: str | None = None,
    diff: str | None = None,
    old_text: str | None = None,
    new_text: str | None = None,
) -> dict[str, Any]:
    """One file of a fileChange; `kind` is add, update or delete, absent where the agent did not say."""
    fields = {
        "path": path,
        "kind": kind,
        "movePath": move_path,
        "diff": diff,
        "oldText": old_text,
        "newText": new_text,
    }
    return {name: value for name, value in fields.items() if value is not None}


def file_change(changes: list[dict[str, Any]]) -> Item:
    """Files written, moved or deleted; see `change`."""
    return _item("fileChange", changes=changes)


def file_read(path: str, *, cmd: str | None = None) -> Item:
    """One file read; `cmd` where a shell command did the reading."""
    return _item("fileRead", path=path, cmd=cmd)


def search(*, mode: str, query: str | None = None, path: str | None = None) -> Item:
    """A search of file contents (`mode` content) or names (`mode` path)."""
    return _item("search", mode=mode, query=query, path=path)


def web_fetch(url: str, *, prompt: str | None = None, pattern: str | None = None) -> Item:
    """One address fetched; `pattern` where the agent looked for a text in it."""
    return _item("webFetch", url=url, prompt=prompt, pattern=pattern)


def web_search(queries: list[str]) -> Item:
    """A web search by one or more queries."""
    return _item("webSearch", queries=queries)


def delegation(
    child_ref: str, *, label: str | None, background: bool | None, summary: str | None = None
) -> Item:
    """Work handed to a sub-agent; `childRef` is what the children's parentRef or session names."""
    return _item("delegation", childRef=child_ref, label=label, background=background, summary=summary)


def plan_steps(steps: list[dict[str, Any]], *, explanation: str | None = None) -> Item:
    """The agent's plan as a list of {step, status?, priority?}."""
    return _item("planSteps", steps=steps, explanation=explanation)
