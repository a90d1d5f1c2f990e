"""Make docs/lanes.md: which wire message becomes which delta and row, as the committed recordings show it.

    python scripts/lanes_page.py           write the page
    python scripts/lanes_page.py --check   exit 1 when the page is not what the code and recordings say

Every provider→bridge line of the corpus is fed to its bridge, and what came of it is tabulated. A message
that never has an effect must have a written reason; without one the page is refused.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from parity.bridges.acp.requests import HOST_METHODS
from parity.gates.check import bridge_maker
from parity.lanes.acp import decisions, shapes
from parity.lanes.acp.dialects import DIALECTS
from parity.lanes.claude_code import decisions as claude_decisions
from parity.lanes.claude_code import shapes as claude_shapes
from parity.lanes.codex import known as codex
from parity.replay.replay import Replay
from parity.wire import BRIDGE_TO_PROVIDER, PROVIDER_TO_BRIDGE, Cell, JsonError, decode, find_cells

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "lanes.md"
ROWS = {
    "command": "command",
    "fileChange": "fileChange",
    "tool": "tool",
    "fileRead": "fileRead",
    "search": "search",
    "webFetch": "webFetch",
    "webSearch": "webSearch",
    "delegation": "delegation",
    "planSteps": "plan",
    "plan": "plan",
}
FACTS = {
    "item.textDelta": "message",
    "turn.open": "turn",
    "turn.boundary": "turn",
    "provider.warning": "warning",
    "provider.error": "error",
    "unhandled": "unhandled",
    "context.compacted": "compaction",
}


class Effect(NamedTuple):
    deltas: Counter[str]
    rows: Counter[str]


class Sink:
    """Keeps what the bridge says to one line."""

    def __init__(self) -> None:
        self.said: list[Any] = []
        self.answered = False

    def bridge(self, line: bytes) -> None:
        self.said.append(decode(decode(line)["line"]))

    def provider(self, line: bytes) -> None:
        self.answered = True

    def event(self, line: bytes) -> None:
        pass

    def row(self, line: bytes) -> None:
        pass


def family(provider: str) -> str:
    return "acp" if provider.startswith("acp-") else provider


def observe(cells: list[Cell]) -> dict[str, dict[str, tuple[int, Effect]]]:
    """Family → wire message → (times seen, effect)."""
    seen: dict[str, dict[str, tuple[int, Effect]]] = {}
    for cell in cells:
        sink = Sink()
        replay = Replay(bridge_maker(cell), sink, {(e.method, e.direction) for e in cell.manifest.ignored})
        asked: dict[Any, str] = {}
        for line in cell.lines():
            sink.said, sink.answered = [], False
            replay.feed(line)
            try:
                message = decode(line.line)
            except JsonError:
                continue
            if not isinstance(message, dict):
                continue
            if line.dir != PROVIDER_TO_BRIDGE:
                if line.dir == BRIDGE_TO_PROVIDER and "method" in message and "id" in message:
                    asked[message["id"]] = message["method"]
                continue
            name = label(family(cell.provider), message, asked)
            count, effect = seen.setdefault(family(cell.provider), {}).get(
                name, (0, Effect(Counter(), Counter()))
            )
            add(effect, sink)
            if name in HOST_METHODS:
                effect.deltas["host call"] += 1
            seen[family(cell.provider)][name] = (count + 1, effect)
    return seen


def label(kind: str, message: dict[str, Any], asked: dict[Any, str]) -> str:
    """The wire's own name of a message."""
    if kind == "claude-code":
        return claude_label(message)
    if "method" not in message:
        return f"{asked.get(message.get('id'), 'unknown')} answer"
    method, params = str(message["method"]), message.get("params")
    params = params if isinstance(params, dict) else {}
    if kind == "acp" and method == "session/update":
        update = params.get("update") or {}
        name = str(update.get("sessionUpdate"))
        return f"{name} {update['status']}" if update.get("status") else name
    if kind == "acp" and isinstance(params.get("update"), dict):
        return f"{method} {params['update'].get('sessionUpdate')}"
    item = params.get("item")
    return f"{method} {item.get('type')}" if isinstance(item, dict) else method


def claude_label(message: dict[str, Any]) -> str:
    kind = str(message.get("type"))
    if kind in ("assistant", "user"):
        content = (message.get("message") or {}).get("content")
        blocks = [b.get("type") for b in content if isinstance(b, dict)] if isinstance(content, list) else []
        return f"{kind} {' + '.join(sorted(set(map(str, blocks)))) or 'text'}"
    if kind == "stream_event":
        event = message.get("event") or {}
        delta = event.get("delta") or {}
        return f"stream_event {event.get('type')} {delta.get('type') or ''}".rstrip()
    if kind == "control_request":
        return f"control_request {(message.get('request') or {}).get('subtype')}"
    subtype = message.get("subtype")
    return f"{kind} {subtype}" if subtype else kind


def add(effect: Effect, sink: Sink) -> None:
    for said in sink.said:
        method = said.get("method")
        if method == "interaction/request":
            kind = said["params"]["payload"]["kind"]
            effect.deltas[f"interaction/request ({kind})"] += 1
            effect.rows["question" if kind == "user_question" else "approval"] += 1
        elif method is None:
            effect.deltas["answer to the runtime"] += 1
        elif method != "thread/delta":
            effect.deltas[method] += 1
        for delta in said["params"]["deltas"] if method == "thread/delta" else ():
            effect.deltas[delta["kind"]] += 1
            item = delta.get("item", {}).get("type")
            row = ROWS.get(item, item) if item else FACTS.get(delta["kind"])
            if delta["kind"] == "item.textDelta" and delta["key"].get("channel") != "agentMessage":
                row = "plan" if delta["key"].get("channel") == "plan" else "reasoning"
            if row:
                effect.rows[row] += 1
    if sink.answered and not effect.deltas:
        effect.deltas["answered"] += 1


def reason(kind: str, name: str) -> str | None:
    """Why a message that never has an effect has none."""
    head = name.split(" ")[0]
    if kind == "acp":
        return decisions.reason(name) or decisions.reason(head)
    if kind == "codex":
        return codex.IGNORED_NOTIFICATIONS.get(head) or codex.QUIET.get(name)
    return claude_decisions.reason(name)


def page() -> str:
    """The whole page. Raises SystemExit naming the messages that have no effect and no reason."""
    missing: list[str] = []
    seen = observe(find_cells(ROOT / "recordings"))
    parts = [HEAD]
    for kind, title in (("acp", "ACP agents"), ("codex", "codex"), ("claude-code", "claude-code")):
        parts.append(f"## {title}\n")
        parts.append(TABLES[kind]())
        parts.append("| wire message | seen | becomes | rows it opens or changes |\n|---|---:|---|---|")
        quiet = []
        for name, (count, effect) in sorted(seen[kind].items()):
            if not effect.deltas:
                why = reason(kind, name)
                if why is None:
                    missing.append(f"{kind}: {name!r} never has an effect and no written reason")
                quiet.append(f"| `{name}` | {count} | {why} |")
                continue
            deltas = ", ".join(f"`{delta}`" for delta, _ in sorted(effect.deltas.items()))
            rows = ", ".join(sorted(effect.rows))
            parts.append(f"| `{name}` | {count} | {deltas} | {rows} |")
        parts.append("\nWithout an effect, and why:\n\n| wire message | seen | why |\n|---|---:|---|")
        parts.append("\n".join(quiet) + "\n")
    if missing:
        raise SystemExit("\n".join(missing))
    return "\n".join(parts)


def acp_tables() -> str:
    lines = ["Kinds of the protocol and their shapes:\n", "| kind | shape |", "|---|---|"]
    lines += [f"| `{kind}` | {shape} |" for kind, shape in sorted(shapes.KIND_SHAPES.items())]
    lines += [
        "| any other | tool |",
        "",
        "Tools a dialect shapes by name:\n",
        "| dialect | tools |",
        "|---|---|",
    ]
    for name, dialect in sorted(DIALECTS.items()):
        tools = ", ".join(f"`{tool}` → {shape}" for tool, shape in sorted(dialect.tools.items()))
        lines.append(f"| {name} | {tools or '—'} |")
    lines += ["", "Session updates of protocol version 2 (draft):\n", "| update | becomes |", "|---|---|"]
    lines += [f"| `{name}` | {what} |" for name, what in decisions.UPDATES_V2.items()]
    lines += ["", "Of these, kept as an `unhandled` row:\n", "| update | when |", "|---|---|"]
    lines += [f"| `{name}` | {why} |" for name, why in decisions.KEPT_V2.items()]
    return "\n".join(lines) + "\n"


def codex_tables() -> str:
    lines = ["Item types:\n", "| item type | becomes |", "|---|---|"]
    lines += [f"| `{name}` | {what} |" for name, what in codex.ITEM_TYPES.items()]
    lines += ["", "Requests of the agent:\n", "| request | answer |", "|---|---|"]
    lines += [f"| `{name}` | {what} |" for name, what in codex.SERVER_REQUESTS.items()]
    lines += ["", "Notifications no recording has: handled "]
    lines[-1] += (
        ", ".join(f"`{name}`" for name in sorted(codex.HANDLED_NOTIFICATIONS)) + "; ignored by decision:\n"
    )
    lines += ["| notification | why |", "|---|---|"]
    lines += [f"| `{name}` | {why} |" for name, why in codex.IGNORED_NOTIFICATIONS.items()]
    return "\n".join(lines) + "\n"


def claude_tables() -> str:
    tools = ", ".join(f"`{name}`" for name in sorted(claude_shapes.TOOLS))
    return (
        f"Tools with a shape of their own: {tools}, `{'`, `'.join(claude_shapes.TASK_TOOLS)}` and"
        " `mcp__server__tool`; any other is a tool row.\n"
    )


TABLES = {"acp": acp_tables, "codex": codex_tables, "claude-code": claude_tables}
HEAD = """# Lanes: what becomes of each wire message

Made by `python scripts/lanes_page.py` from the code and the committed recordings; a test holds it to them.
"Seen" counts the messages in the recordings. What is in none of these tables survives as an `unhandled` row.
"""


def main() -> int:
    text = page()
    if "--check" in sys.argv[1:]:
        return int(not PAGE.exists() or PAGE.read_text("utf-8") != text)
    PAGE.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
