"""Rules of content: what the agent said is what the runtime is told, whole and nothing besides."""

from __future__ import annotations

from parity.conformance.stage import Stage, expect, shown
from parity.conformance.verdicts import RuleBook

BOOK: RuleBook[Stage] = RuleBook()

_VERBATIM = "docs/policies.md, text and plans"
_PIECES = ("A piece, ", "ends in \n", "", "  spaces  ", "\n\n", "ü \U0001f9ea", " end", " end")


@BOOK.rule(
    "text/never-lost",
    "A text is the agent's pieces joined, nothing lost, doubled or trimmed.",
    _VERBATIM,
)
def _text(stage: Stage) -> None:
    session = stage.opened()
    stage.agent_says(*stage.agent.text(session, *_PIECES), *stage.agent.end(session))
    stage.until(lambda: bool(stage.settled()))
    texts = [item.get("text") for item in stage.items("agentMessage")]
    expect(texts == ["".join(_PIECES)], f"the agent said {''.join(_PIECES)!r}; the texts are {texts!r}")
    streamed = "".join(e["delta"] for e in stage.of("item/agentMessage/delta"))
    expect(streamed in ("".join(_PIECES), ""), f"streamed was {streamed!r}")


def _ran(stage: Stage) -> tuple[dict[str, object], str]:
    """A command that printed two lines and exited with 2: its settled item, what was streamed before that."""
    session, agent = stage.opened(), stage.agent
    stage.agent_says(*agent.command(session, "call-0", "make test"))
    stage.agent_says(*agent.output(session, "call-0", "one", "one"))
    stage.agent_says(*agent.output(session, "call-0", "one\ntwo", "\ntwo"))
    while_running = _streamed(stage)
    stage.agent_says(*agent.settle(session, "call-0", "one\ntwo", 2), *agent.end(session))
    stage.until(lambda: bool(stage.settled()))
    items = stage.items("commandExecution")
    expect(len(items) == 1, f"the agent ran one command; {len(items)} settled: {shown(items)}")
    return items[0], while_running


@BOOK.rule(
    "output/never-lost",
    "A command's output is what the agent showed of it, each line once, streamed and whole.",
    "docs/policies.md, output",
)
def _output(stage: Stage) -> None:
    item, running = _ran(stage)
    expect("one\ntwo".startswith(running), f"while it ran, streamed was {running!r}")
    expect(item.get("aggregatedOutput") == "one\ntwo", f"the output is {item.get('aggregatedOutput')!r}")
    expect(_streamed(stage) == "one\ntwo", f"streamed was {_streamed(stage)!r}")


def _streamed(stage: Stage) -> str:
    streamed = ""
    for event in stage.of("item/commandExecution/outputDelta"):
        streamed = event["delta"] if event.get("reset") else streamed + event["delta"]
    return streamed


@BOOK.rule(
    "call/as-said",
    "A call is one item with the agent's id, command, status and exit code.",
    "docs/policies.md, exit codes, and one call, one row",
)
def _as_said(stage: Stage) -> None:
    item, _ = _ran(stage)
    wanted = {"providerItemId": "call-0", "command": "make test", "exitCode": 2}
    got = {name: item.get(name) for name in wanted}
    expect(got == wanted, f"the agent said {shown(wanted)}; the item says {shown(got)}")
    expect(item["status"] in ("failed", "completed"), f"the command ended; its item is {item['status']!r}")
    ids = {e["item"]["id"] for e in stage.of("item/started") if e["item"].get("providerItemId") == "call-0"}
    expect(len(ids) == 1, f"one call, {len(ids)} items")


@BOOK.rule(
    "unhandled/kept",
    "News of a kind nobody knows are kept whole as `provider/unhandled`; the turn goes on.",
    "docs/policies.md, unknown things",
)
def _unhandled(stage: Stage) -> None:
    session = stage.opened()
    stage.agent_says(*stage.agent.unheard_of(session), *stage.agent.end(session))
    stage.until(lambda: bool(stage.settled()))
    kept = stage.of("provider/unhandled")
    expect(len(kept) == 1, f"{len(kept)} unhandled events for one piece of news")
    expect("unheard-of news" in str(kept[0]), f"what it said is lost: {shown(kept[0])}")
    expect(stage.settled() == ["completed"], f"the turn settled as {stage.settled()}")
