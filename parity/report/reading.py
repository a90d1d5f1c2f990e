"""How a row reads: its subject, the facts beside it, the texts under it, each bounded.

The pages and the terminal both show this. Knows the kinds of rows. Must not know HTML, nor that there is
another row to compare with; every part says which field of the row it shows, so that a page can mark those
that differ.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from parity.grammar.rows import Row
from parity.wire import encode

HEAD_LINES = 8
HEAD_CHARACTERS = 1200
"""What of a text is seen at once."""
REST_CHARACTERS = 8192
"""What of a text can be unfolded; a page holds no more of it."""
_DIFF_LINES = 400
_SHORT = 140

TONES = {"denied": "bad", "cancelled": "warn", "allowed": "good", "pending": "warn"}


class Fact(Struct, frozen=True):
    """A short fact beside the subject."""

    field: str
    text: str
    tone: str = ""


class Block(Struct, frozen=True):
    """A text under the subject: `head` is seen, `rest` unfolds, `cut` characters are left out."""

    field: str
    text: str
    style: str = "text"
    """`text`, `code` or `diff`."""

    @property
    def head(self) -> str:
        """What is seen at once."""
        return self.text[: self._seen()].rstrip("\n")

    @property
    def rest(self) -> str:
        """What can be unfolded."""
        return self._after()[:REST_CHARACTERS]

    @property
    def cut(self) -> int:
        """Characters that are left out."""
        return max(0, len(self._after()) - REST_CHARACTERS)

    @property
    def more(self) -> int:
        """Lines that unfold."""
        return self.rest.count("\n") + 1 if self.rest else 0

    def _seen(self) -> int:
        at = min(_end_of_line(self.text, HEAD_LINES), HEAD_CHARACTERS)
        is_short = len(self.text) <= at + 80 and self.text.count("\n", at) == 0
        return len(self.text) if is_short else at

    def _after(self) -> str:
        return self.text[self._seen() :].removeprefix("\n")


class Reading(Struct):
    """One row, to be looked at."""

    kind: str
    status: str
    subject: str = ""
    subject_field: str = "title"
    is_code: bool = False
    facts: list[Fact] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    steps: list[tuple[str, str]] = field(default_factory=list)


_SUBJECTS = {
    "command": "command",
    "fileRead": "path",
    "webFetch": "url",
    "delegation": "label",
    "tool": "toolName",
    "turn": "input",
}
_CODE = frozenset(("command", "fileRead", "webFetch", "search", "unhandled"))
_SPOKEN = frozenset(("message", "reasoning"))
_SHOWN = frozenset(
    (
        "id",
        "kind",
        "status",
        "title",
        "detail",
        "providerItemId",
        "children",
        "provenance",
        "command",
        "exitCode",
        "output",
        "aggregatedOutput",
        "changes",
        "toolName",
        "server",
        "toolArgs",
        "error",
        "path",
        "cmd",
        "mode",
        "query",
        "url",
        "prompt",
        "pattern",
        "queries",
        "label",
        "childRef",
        "background",
        "summary",
        "steps",
        "explanation",
        "text",
        "approval",
        "decision",
        "reason",
        "questions",
        "answers",
        "initiator",
        "input",
        "cwd",
        "durationMs",
    )
)


def read(row: Row) -> Reading:
    """How the row reads."""
    kind = str(row.get("kind", "?"))
    reading = Reading(kind=kind, status=str(row.get("status", "")), is_code=kind in _CODE)
    reading.subject_field, reading.subject = _subject(kind, row)
    reading.facts = list(_facts(kind, row))
    reading.blocks = list(_blocks(kind, row))
    steps = row.get("steps")
    for step in steps if isinstance(steps, list) else ():
        if isinstance(step, dict):
            reading.steps.append((str(step.get("status", "")), _line(step.get("step"))))
    return reading


def _subject(kind: str, row: Row) -> tuple[str, str]:
    if kind in _SPOKEN:
        return "text", ""
    if kind in ("warning", "error") and row.get("detail"):
        return "detail", _line(row["detail"], 2000)
    if kind == "search":
        words = [str(row[name]) for name in ("query", "path") if row.get(name)]
        return "query", " in ".join(words) or _line(row.get("title"))
    if kind == "webSearch" and isinstance(row.get("queries"), list):
        return "queries", " · ".join(str(query) for query in row["queries"])[:2000]
    name = _SUBJECTS.get(kind, "title")
    value = row.get(name)
    if isinstance(value, str) and value:
        return name, value if len(value) <= 2000 else value[:2000] + "…"
    return "title", _line(row.get("title"), 2000)


def _facts(kind: str, row: Row) -> Iterator[Fact]:
    if "exitCode" in row:
        yield Fact("exitCode", f"exit {row['exitCode']}", "bad" if row["exitCode"] else "good")
    if row.get("initiator"):
        yield Fact("initiator", f"started by the {row['initiator']}")
    approval = row.get("approval")
    if isinstance(approval, Mapping):
        yield _decision("approval", approval)
    if "decision" in row:
        yield _decision("decision", row)
    if row.get("server"):
        yield Fact("server", str(row["server"]))
    for name in ("mode", "prompt", "pattern", "cwd", "cmd", "summary", "explanation"):
        if row.get(name):
            yield Fact(name, f"{name} {_line(row[name])}")
    if row.get("background"):
        yield Fact("background", "in the background")
    if "durationMs" in row:
        yield Fact("durationMs", f"{row['durationMs']} ms")
    detail = row.get("detail")
    reason = approval.get("reason") if isinstance(approval, Mapping) else None
    if detail and detail != reason and kind not in ("warning", "error"):
        yield Fact("detail", _line(detail))
    changes = row.get("changes")
    for change in changes if isinstance(changes, list) else ():
        if isinstance(change, dict):
            moved = f" → {change['movePath']}" if change.get("movePath") else ""
            yield Fact("changes", f"{change.get('kind', 'change')} {change.get('path', '')}{moved}", "code")
    if row.get("error") and kind != "tool":
        yield Fact("error", _line(row["error"]), "bad")


def _decision(name: str, of: Mapping[str, Any]) -> Fact:
    decision, reason = str(of.get("decision", "")), of.get("reason")
    return Fact(name, f"{decision}: {_line(reason)}" if reason else decision, TONES.get(decision, ""))


def _blocks(kind: str, row: Row) -> Iterator[Block]:
    if row.get("text"):
        yield _block("text", row["text"], "text")
    if row.get("toolArgs") not in (None, {}, ""):
        yield _block("toolArgs", row["toolArgs"], "code")
    for name in ("output", "aggregatedOutput"):
        if row.get(name) not in (None, ""):
            yield _block(name, row[name], "code")
    if kind == "tool" and row.get("error"):
        yield _block("error", row["error"], "code")
    changes = row.get("changes")
    for change in changes if isinstance(changes, list) else ():
        if isinstance(change, dict) and (text := _diff(change)):
            yield _block("changes", text, "diff")
    for name in ("questions", "answers"):
        if row.get(name):
            yield _block(name, row[name], "code")
    others = {name: value for name, value in row.items() if name not in _SHOWN}
    if others:
        yield _block(next(iter(others)), others, "code")


def _diff(change: Mapping[str, Any]) -> str:
    if isinstance(change.get("diff"), str):
        return str(change["diff"])
    old, new = change.get("oldText"), change.get("newText")
    if not isinstance(new, str):
        return ""
    before = old.splitlines() if isinstance(old, str) else []
    after = new.splitlines()
    if len(before) + len(after) > _DIFF_LINES:
        return f"{len(before)} lines before, {len(after)} after"
    if not before:
        return "\n".join(f"+{line}" for line in after)
    return "\n".join(list(difflib.unified_diff(before, after, lineterm="", n=2))[2:])


def _block(name: str, value: Any, style: str) -> Block:
    text = value if isinstance(value, str) else encode(value).decode()
    return Block(name, text.strip("\n"), style)


def _end_of_line(text: str, number: int) -> int:
    """Where the n-th line ends."""
    at = -1
    for _ in range(number):
        at = text.find("\n", at + 1)
        if at < 0:
            return len(text)
    return at


def _line(value: Any, most: int = _SHORT) -> str:
    """The value in one line."""
    text = value if isinstance(value, str) else "" if value is None else encode(value).decode()
    text = " ".join(text[: most * 2].split())
    return text if len(text) <= most else f"{text[: most - 1]}…"
