"""One session, written in both versions of ACP.

A list of small numbers becomes a session: `Author` decides what happens next among what is legal now, and
tells two writers at once. `V1` and `V2` put the same happening on the wire in the words of their version;
where version 2 has several ways to say a thing (a chunk or the whole, bytes split anywhere), the numbers
choose. Both drive a run of their own, whose rows can be compared.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import acp_frames as v1
import acp_v2_frames as v2
from acp_frames import AcpRun, Json
from acp_v2_frames import AcpV2Run

Step = tuple[int, int, int]
"""(what, which, how)."""

KINDS = [
    "execute",
    "execute",
    "execute",
    "read",
    "edit",
    "edit",
    "delete",
    "move",
    "search",
    "fetch",
    "think",
]
KINDS += ["other", "_vendor"]
INPUTS: list[Json | None] = [
    {"command": "make"},
    None,
    {"path": "a"},
    {"url": "https://a.example"},
    {"x": [1]},
]
TITLES = ["Job", "make", "Read a", "…"]
TEXTS = ["a", "ab\n", "é€\U0001f600", "two\nlines", " "]
RAW: list[Any] = [None, {"exitCode": 0}, {"exitCode": 2, "stdout": "o", "stderr": ""}, "raw", {"error": "no"}]
STOPS = ["end_turn", "end_turn", "cancelled", "max_tokens", "refusal", "max_turn_requests", "_bored"]
DECISIONS = [("allowed", "yes"), ("denied", "no"), ("allowed", "always"), ("cancelled", None)]
EXITS: list[Json] = [{"exitCode": 0}, {"exitCode": 3}, {"signal": "SIGKILL"}]


class Call:
    """What the author knows of a call."""

    def __init__(self, call_id: str, fields: Json) -> None:
        self.id = call_id
        self.fields = fields
        self.status = fields.get("status", "pending")
        self.content: list[Json] = []  # in version 1's words
        self.terminal: str | None = None
        self.output = ""
        self.exited = False
        self.asked = False
        self.settled = False


class V1:
    """Writes version 1."""

    def __init__(self) -> None:
        self.run = AcpRun()

    def accept(self) -> None: ...

    def work(self) -> None: ...

    def end(self, reason: str) -> None:
        self.run.answer_prompt(reason)

    def say(self, message_id: str, words: str, before: str, role: str, how: int) -> None:
        frame = v1.message if role == "agent_message" else v1.thought
        self.run.feed(frame(words, message_id=message_id))

    def begin(self, call: Call) -> None:
        self.run.feed(v1.tool_call(call.id, **call.fields))

    def update(self, call: Call, fields: Json) -> None:
        self.run.feed(v1.update(call.id, **fields))

    def content(self, call: Call, block: Json, how: int) -> None:
        self.run.feed(v1.update(call.id, status="in_progress", content=call.content))

    def terminal(self, call: Call, how: int) -> None:
        self.run.feed(v1.request("terminal/create", command="make"))
        self.run.host_result({"terminalId": call.terminal})
        self.content(call, v1.terminal(call.terminal or ""), how)

    def printed(self, call: Call, words: str, how: int) -> None:
        self.run.terminal("output", call.terminal or "", {"output": call.output, "truncated": False})

    def exited(self, call: Call, status: Json) -> None:
        result = {"output": call.output, "truncated": False, "exitStatus": status}
        self.run.terminal("output", call.terminal or "", result)

    def ask(self, call: Call, fields: Json, reason: str | None, how: int) -> None:
        self.run.feed(v1.ask(call.id, **fields, **({} if reason is None else {"content": reason})))

    def plan(self, entries: list[str]) -> None:
        self.run.feed(v1.plan(*entries))


class V2:
    """Writes version 2."""

    def __init__(self) -> None:
        self.run = AcpV2Run()

    def accept(self) -> None:
        self.run.accept()

    def work(self) -> None:
        self.run.feed(v2.RUNNING)

    def end(self, reason: str) -> None:
        self.run.feed(v2.idle(reason))

    def say(self, message_id: str, words: str, before: str, role: str, how: int) -> None:
        frames = [v2.chunk(message_id, words, role)]
        if how % 4 == 1:
            frames = [v2.whole(message_id, before, words, role=role)]
        elif how % 4 == 2:
            frames += [v2.whole(message_id, role=role, said=False)]
        elif how % 4 == 3:
            frames = [v2.chunk(message_id, "wrong", role), v2.whole(message_id, before + words, role=role)]
        self.run.feed(*frames)

    def begin(self, call: Call) -> None:
        self.run.feed(v2.call(call.id, **call.fields))

    def update(self, call: Call, fields: Json) -> None:
        self.run.feed(v2.call(call.id, **fields))

    def content(self, call: Call, block: Json, how: int) -> None:
        if call.status != "in_progress" or how % 2:
            content = [self._block(call, block) for block in call.content]
            self.run.feed(v2.call(call.id, status="in_progress", content=content))
        else:
            self.run.feed(v2.piece(call.id, self._block(call, block)))

    def _block(self, call: Call, block: Json) -> Json:
        if block["type"] != "diff":
            return block
        operation = "modify" if block.get("oldText") else "add"
        if call.fields.get("kind") == "delete":
            operation = "delete"
        return v2.diff(v2.change(operation, block["path"]), patch=v2.PATCH.format(path=block["path"]))

    def terminal(self, call: Call, how: int) -> None:
        self.run.feed(v2.terminal(call.terminal or "", cwd=None))
        self.content(call, v1.terminal(call.terminal or ""), how)

    def printed(self, call: Call, words: str, how: int) -> None:
        if how % 3 == 2:
            self.run.feed(v2.terminal(call.terminal or "", call.output))
            return
        data = words.encode()
        cut = how % (len(data) + 1)
        self.run.feed(
            v2.printed(call.terminal or "", data[:cut]), v2.printed(call.terminal or "", data[cut:])
        )

    def exited(self, call: Call, status: Json) -> None:
        self.run.feed(v2.terminal(call.terminal or "", exitStatus=status))

    def ask(self, call: Call, fields: Json, reason: str | None, how: int) -> None:
        line = (call.fields.get("raw_input") or {}).get("command")
        subject = v2.about_call(call.id, **fields, **({} if reason is None else {"content": reason}))
        if reason is None and line and not fields and how % 2:
            subject = v2.about_command(line, toolCallId=call.id)
            subject["cwd"] = None
        words = {} if reason is None else {"description": reason}
        self.run.feed(v2.state("requires_action"), v2.ask(subject=subject, **words))

    def plan(self, entries: list[str]) -> None:
        self.run.feed(v2.plan("plan", *entries))


class Author:
    """Decides what happens; `play` returns the two runs."""

    def __init__(self) -> None:
        self.writers: tuple[V1, V2] = (V1(), V2())
        self._prompting = False
        self._stopped = False
        self._calls: list[Call] = []
        self._named = 0
        self._message: tuple[str, str, str] | None = None  # role, id, text so far
        self._waits: list[Call] = []

    def play(self, steps: list[Step]) -> tuple[AcpRun, AcpV2Run]:
        for what, which, how in steps:
            if not self._prompting and what % 8 != 7:
                self._prompt(how)
            _STEPS[what % len(_STEPS)](self, which, how)
        if self._prompting:
            self._end(0, 0)
        return self.writers[0].run, self.writers[1].run

    def _each(self, tell: Callable[[Any], None]) -> None:
        for writer in self.writers:
            tell(writer)

    def _id(self, prefix: str) -> str:
        self._named += 1
        return f"{prefix}{self._named}"

    def _pick(self, which: int, fits: Callable[[Call], bool]) -> Call | None:
        found = [call for call in self._calls if fits(call)]
        return found[which % len(found)] if found else None

    # -- turns -----------------------------------------------------------------------------------------

    def _prompt(self, how: int) -> None:
        self._each(lambda w: w.run.prompt("go"))
        self._prompting, self._stopped, self._message = True, False, None
        early = how % 2
        self._each(lambda w: (w.work(), w.accept()) if early else (w.accept(), w.work()))

    def _end(self, which: int, how: int) -> None:
        if self._stopped:
            self._each(lambda w: w.end("cancelled"))
        else:
            self._each(lambda w: w.end(STOPS[how % len(STOPS)]))
        self._prompting = False
        self._calls, self._waits = [], []

    def _stop(self, which: int, how: int) -> None:
        if not self._stopped:
            self._each(lambda w: w.run.stop())
            self._stopped, self._waits = True, []

    def _steer(self, which: int, how: int) -> None:
        if self._stopped:
            return
        self._each(lambda w: w.run.steer("more"))
        self._each(lambda w: w.end("cancelled"))
        self._each(lambda w: (w.accept(), w.work()))
        self._waits, self._message = [], None
        for call in self._calls:
            call.settled = True

    def _outside(self, which: int, how: int) -> None:
        """Words no prompt asked for, and facts of the session."""
        if self._prompting:
            self._close(which, how)
        else:
            self._each(lambda w: w.say(self._id("out"), "x", "", "agent_message", 0))
        self._each(lambda w: w.run.feed(v1.other("session_info_update", title=TITLES[how % 4])))
        self._each(lambda w: w.run.feed(v1.other("usage_update", used=how, size=100)))
        self._each(lambda w: w.run.feed(v1.other("_vendor_update", value=how)))

    # -- text and plans --------------------------------------------------------------------------------

    def _say(self, which: int, how: int) -> None:
        role = "agent_thought" if which % 3 == 0 else "agent_message"
        words = TEXTS[how % len(TEXTS)]
        if self._message is None or self._message[0] != role or which % 5 == 0:
            self._message = (role, self._id("m"), "")
        _, message_id, before = self._message
        self._each(lambda w: w.say(message_id, words, before, role, how // 5))
        self._message = (role, message_id, before + words)

    def _plan(self, which: int, how: int) -> None:
        self._each(lambda w: w.plan(TEXTS[: how % 4]))

    # -- calls -----------------------------------------------------------------------------------------

    def _begin(self, which: int, how: int) -> None:
        fields: Json = {"kind": KINDS[which % len(KINDS)], "raw_input": INPUTS[how % len(INPUTS)]}
        if how % 3:
            fields["title"] = TITLES[how % len(TITLES)]
        if which % 3:
            fields["status"] = ["pending", "in_progress"][how % 2]
        if which % 4 == 0:
            fields["locations"] = ["/l"]
        call = Call(self._id("c"), {name: value for name, value in fields.items() if value is not None})
        self._calls.append(call)
        self._each(lambda w: w.begin(call))

    def _change(self, which: int, how: int) -> None:
        call = self._pick(which, lambda call: not call.settled or how % 3 == 0)
        if call is None:
            return
        fields: Json = [
            {"title": TITLES[how % len(TITLES)]},
            {"raw_input": {"command": "ls", "x": how}},
            {"locations": ["/m", "/n"]},
            {"meta": {"vendor": how}},
        ][how % 4]
        call.fields = {**call.fields, **fields}
        self._each(lambda w: w.update(call, fields))

    def _content(self, which: int, how: int) -> None:
        call = self._pick(which, lambda call: not call.settled and call.terminal is None)
        if call is None:
            return
        block = v1.text(TEXTS[how % len(TEXTS)])
        if call.fields.get("kind") in ("edit", "delete", "move") and how % 2:
            block = v1.diff(f"/f{len(call.content)}", [None, "old"][how // 2 % 2], "new")
        call.content.append(block)
        self._each(lambda w: w.content(call, block, how // 3))
        call.status = "in_progress"

    def _terminal(self, which: int, how: int) -> None:
        call = self._pick(
            which, lambda c: not c.settled and c.fields.get("kind") == "execute" and not c.content
        )
        if call is None:
            return
        call.terminal = self._id("x")
        call.content.append(v1.terminal(call.terminal))
        self._each(lambda w: w.terminal(call, how))
        call.status = "in_progress"

    def _print(self, which: int, how: int) -> None:
        call = self._pick(which, lambda c: not c.settled and c.terminal is not None and not c.exited)
        if call is None:
            self._terminal(which, how)
            return
        words = TEXTS[how % len(TEXTS)]
        call.output += words
        self._each(lambda w: w.printed(call, words, how // 5))

    def _exit(self, which: int, how: int) -> None:
        call = self._pick(which, lambda c: not c.settled and c.terminal is not None and not c.exited)
        if call is not None:
            call.exited = True
            self._each(lambda w: w.exited(call, EXITS[how % len(EXITS)]))

    def _close(self, which: int, how: int) -> None:
        call = self._pick(which, lambda call: not call.settled)
        if call is None:
            return
        fields: Json = {"status": ["completed", "failed"][how % 2]}
        if RAW[how % len(RAW)] is not None:
            fields["raw_output"] = RAW[how % len(RAW)]
        call.settled = True
        self._each(lambda w: w.update(call, fields))

    # -- permissions -----------------------------------------------------------------------------------

    def _ask(self, which: int, how: int) -> None:
        call = self._pick(which, lambda call: not call.settled and not call.asked)
        if call is None or self._stopped or call in self._waits:
            if all(c.settled or c.asked for c in self._calls) and not self._stopped:
                self._ask_first(which, how)
            return
        reason = "Because." if not call.content and call.status == "pending" and how % 3 == 0 else None
        fields: Json = {"title": TITLES[how % len(TITLES)]} if how % 2 else {}
        self._asked(call, fields, reason, how)

    def _ask_first(self, which: int, how: int) -> None:
        """A request that comes before its call."""
        fields = {"kind": KINDS[which % len(KINDS)], "title": "First", "raw_input": {"command": "make"}}
        call = Call(self._id("c"), dict(fields))
        self._calls.append(call)
        self._asked(call, fields, None, how)

    def _asked(self, call: Call, fields: Json, reason: str | None, how: int) -> None:
        call.asked = True
        call.fields = {**call.fields, **fields}
        self._each(lambda w: w.ask(call, fields, reason, how))
        self._waits.append(call)

    def _answer(self, which: int, how: int) -> None:
        if not self._waits:
            return
        call = self._waits.pop()
        decision, option = DECISIONS[how % len(DECISIONS)]
        self._each(lambda w: w.run.answer(decision, option))
        self._each(lambda w: w.run.asked.pop())  # the next answer is for the question before it
        refused_first = decision == "denied" and call.fields.get("title") == "First"
        call.settled = decision == "cancelled" or refused_first


_STEPS: list[Callable[[Author, int, int], None]] = [
    *(Author._say, Author._say, Author._begin, Author._begin, Author._begin, Author._change, Author._change),
    *(Author._outside, Author._content, Author._content, Author._content, Author._plan, Author._terminal),
    *(
        Author._print,
        Author._print,
        Author._outside,
        Author._exit,
        Author._exit,
        Author._close,
        Author._close,
    ),
    *(Author._close, Author._ask, Author._ask, Author._answer, Author._answer, Author._answer, Author._say),
    *(Author._close, Author._end, Author._steer, Author._stop, Author._exit),
]
