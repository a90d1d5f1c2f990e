"""A `codex app-server` as a grammar: small numbers become a legal session, and what was said is noted.

Steps are read as in `acp_player`: (what, which, how); one that would be illegal now says nothing. A line is a
codex thread: a runtime thread's own, or its sub-agent's, whose work shows under a delegation.
"""

from __future__ import annotations

from typing import Any

from codex_frames import CWD, CodexRun, Json, activity, change, command, message, patch, spawn
from session_truth import CallTruth, Truth

Step = tuple[str, int, int]

TEXTS = ["a", "ab", "b\n", "", "|--|", "é\U0001f600", "--|", "a"]
CODES = [0, 1, 2, 127, -1]
ENDINGS = ["completed", "completed", "completed", "failed", "interrupted", "inProgress", "vendor_end"]
OVER = {"completed": "completed", "failed": "failed", "declined": "failed", "interrupted": "interrupted"}
DECISIONS = ["allowed", "denied", "cancelled"]
PART = "\n\n"
THREADS = 2

_APPROVALS = {"commandExecution": "commandExecution", "fileChange": "fileChange"}
_PIECES = {
    "commandExecution": "item/commandExecution/outputDelta",
    "fileChange": "item/fileChange/outputDelta",
    "mcpToolCall": "item/mcpToolCall/progress",
}


class Work:
    """One life of an item with a row."""

    def __init__(self, raw: Json, truth: CallTruth) -> None:
        self.raw = raw
        self.truth = truth
        self.streamed = ""
        self.whole = False  # an aggregate said it all
        self.settled = False


class Words:
    """An item of text: each channel's text and the part it is at."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.texts: dict[str, str] = {}
        self.parts: dict[str, int | None] = {}
        self.over = False
        self.whole = False
        self.scopes: dict[str, str] = {}  # the turn each channel's item began in


class Line:
    """A codex thread and its turn."""

    def __init__(self, codex: str, *, child: bool = False) -> None:
        self.codex = codex
        self.child = child
        self.turn: str | None = None
        self.turns = 0
        self.ended: list[str] = []
        self.works: dict[str, Work] = {}
        self.words: dict[str, Words] = {}

    def next_turn(self) -> str:
        self.turns += 1
        return f"{self.codex}-t{self.turns}"

    def over(self) -> None:
        if self.turn is not None:
            self.ended.append(self.turn)
        self.turn = None
        self.works, self.words = {}, {}


class Thread:
    """A runtime thread, its codex thread and its sub-agent."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.name = f"thread-{number}"
        self.line = Line(f"codex-{number}")
        self.started = self.begun = self.stopped = False
        self.turns = 0
        self.children = 0
        self.kid: Line | None = None
        self.spawning: str | None = None  # a spawning call that has not said which thread it started
        self.delegation = ""  # the sub-agent's call, or its thread where nothing else names it
        self.delegated: str | None = None  # the turn in whose rows the sub-agent's delegation stands
        self.working = False  # whether the delegation is open

    @property
    def turn(self) -> str:
        return f"turn-{self.turns}"


class CodexPlayer:
    """Plays steps; `run` is the bridge and what came of it, `truth` what was said."""

    def __init__(self) -> None:
        self.run = CodexRun(opened=False)
        self.run.check = False
        self.truth = Truth()
        self.threads = [Thread(number) for number in range(THREADS)]
        self.gone = False
        self._count = 0
        self._asked: list[tuple[Thread, Line, Work | None, Json]] = []

    def play(self, steps: list[Step], *, gone: bool = False) -> CodexPlayer:
        """All steps, then the end of the session: every turn ends, or the agent is `gone`."""
        for what, which, how in steps:
            _STEPS[what](self, self.threads[which % THREADS if which >= 8 else 0], which, how)
        if gone:
            self.gone = True
            self.run.gone("the agent is gone")
            for thread in self.threads:
                for work in thread.kid.works.values() if thread.kid is not None else ():
                    work.truth.noted = False
            return self
        for thread in self.threads:
            self._end(thread, 0, 0)
            if thread.working and thread.kid is not None:
                if thread.kid.turn is None:
                    self._kid_begins(thread)
                self._kid_ends(thread, 0, 0)
        return self

    # -- threads and turns -------------------------------------------------------------------------------

    def _start(self, thread: Thread, how: int = 0) -> None:
        resumed = how % 2 == 1
        old = {"id": "old-turn", "status": "completed", "items": []}
        result = {"thread": {"id": thread.line.codex, "turns": [old] if resumed else []}, "cwd": CWD}
        if resumed:
            self.run.runtime("thread/resume", threadId=thread.name, providerThreadId=thread.line.codex)
        else:
            self.run.runtime("thread/start", threadId=thread.name, cwd=CWD)
        if how == 3:  # a frame that comes before the answer is held
            self.run.tell("vendor/early", threadId=thread.line.codex)
            self.truth.unhandled["vendor/early"] += 1
        self.run.answer(result)
        if resumed:
            thread.line.ended.append("old-turn")
        thread.started = True

    def _resume(self, thread: Thread, which: int, how: int) -> None:
        if not thread.started:
            self._start(thread, how)

    def _release(self, thread: Thread, which: int, how: int) -> None:
        """The runtime lets go of an idle thread; it may take the same codex thread up again."""
        if not thread.started or thread.line.turn is not None or thread.working or self._waits(thread):
            return
        self.run.release(thread.name)
        codex = thread.line.codex
        thread.name += "+"
        thread.started, thread.turns, thread.kid, thread.delegated = False, 0, None, None
        thread.line = Line(codex if how % 2 else f"{codex}+")
        thread.line.turns = 100 * len(thread.name)

    def _prompt(self, thread: Thread, which: int, how: int) -> None:
        if thread.line.turn is not None:
            return
        if not thread.started:
            self._start(thread)
        self.run.runtime("turn/start", threadId=thread.name, input=[{"type": "text", "text": "go"}])
        if how == 7:
            self.run.answer(error={"code": -32000, "message": "busy"})
            return
        turn = thread.line.next_turn()
        told = {"turn": {"id": turn, "items": [], "status": "inProgress"}}
        if how % 3 == 1:
            self._began(thread, turn)
        self.run.answer(told)
        if how % 3 == 0:
            self._began(thread, turn)
        thread.line.turn = turn
        thread.begun = how % 3 != 2  # else its first frame begins it
        self._new_turn(thread)

    def _own_turn(self, thread: Thread, which: int, how: int) -> None:
        """A turn nobody asked for."""
        if not thread.started or thread.line.turn is not None:
            return
        thread.line.turn = thread.line.next_turn()
        self._began(thread, thread.line.turn)
        thread.begun = True
        self._new_turn(thread)

    def _began(self, thread: Thread, turn: str) -> None:
        told = {"id": turn, "items": [], "status": "inProgress"}
        self.run.tell("turn/started", threadId=thread.line.codex, turn=told)

    def _new_turn(self, thread: Thread) -> None:
        thread.turns += 1
        thread.stopped = False

    def _end(self, thread: Thread, which: int, how: int) -> None:
        line = thread.line
        if line.turn is None:
            return
        status = ENDINGS[how % len(ENDINGS)]
        error = {"error": {"message": "boom"}} if status == "failed" else {}
        self.run.over(status, line.turn, line.codex, **error)
        self._asked = [asked for asked in self._asked if asked[0] is not thread]
        if thread.spawning is not None and thread.kid is None:
            self._doubtful(thread, thread.spawning).endings.add("interrupted")
            thread.spawning = None
        line.over()
        thread.begun = False

    def _stop(self, thread: Thread, which: int, how: int) -> None:
        if thread.line.turn is None or thread.stopped:
            return
        self.run.stop(thread.name)
        refused = how == 7
        self.run.answer({}, error={"code": -1, "message": "no"} if refused else None, method="turn/interrupt")
        thread.stopped = not refused
        for asking, _, work, _ in self._asked:
            if asking is thread and work is not None:
                work.truth.denied = False
        self._asked = [asked for asked in self._asked if asked[0] is not thread]

    def _steer(self, thread: Thread, which: int, how: int) -> None:
        if thread.line.turn is None or not thread.begun:
            return
        self.run.runtime("turn/steer", threadId=thread.name, input=[{"type": "text", "text": "more"}])
        self.run.answer({"turnId": thread.line.turn}, method="turn/steer")

    # -- which thread speaks -----------------------------------------------------------------------------

    def _line(self, thread: Thread, which: int) -> Line | None:
        """The line that speaks: the sub-agent's now and then, while it is at work."""
        kid = thread.kid
        if kid is not None and kid.turn is not None and which % 3 == 2:
            return kid
        return thread.line if thread.line.turn is not None else None

    def _tell(self, thread: Thread, line: Line, method: str, turn: str | None = None, **params: Any) -> None:
        if not line.child and method.startswith(("item/", "turn/")):
            thread.begun = True
        self.run.tell(method, threadId=line.codex, turnId=turn or line.turn, **params)

    def _home(self, thread: Thread, line: Line) -> str:
        """The turn in whose rows the line's work stands."""
        return (thread.delegated or thread.turn) if line.child else thread.turn

    def _scope(self, thread: Thread, line: Line) -> str:
        """The turn that events of new work name."""
        at_work = thread.line.turn is not None and thread.begun
        return thread.turn if at_work or not line.child else thread.delegated or thread.turn

    def _id(self, line: Line, which: int, kind: str = "i") -> str:
        return f"{line.codex}:{kind}{which % 4}"

    def _life(self, thread: Thread, line: Line, raw: Json) -> Work:
        """A new life of an item."""
        life = CallTruth()
        self.truth.calls[thread.name, self._home(thread, line)][raw["id"]].append(life)
        self.truth.ids.add(raw["id"])
        work = line.works[raw["id"]] = Work(raw, life)
        return work

    def _doubtful(self, thread: Thread, call_id: str) -> CallTruth:
        """A call of which only what was said of it is known, not how it must look."""
        lives = self.truth.calls[thread.name, thread.delegated or thread.turn][call_id]
        if not lives:
            lives.append(CallTruth())
        lives[-1].certain = False
        return lives[-1]

    # -- items -------------------------------------------------------------------------------------------

    def _item(self, item_id: str, how: int) -> Json:
        """A new item of some type; no two say the same."""
        self._count += 1
        n = self._count
        return [
            lambda: command(item_id, f"make {n}"),
            lambda: command(item_id, f"ls {n}"),
            lambda: patch(item_id, change(f"a{n}.py")),
            lambda: (
                {"type": "mcpToolCall", "id": item_id, "server": "s", "tool": f"t{n}", "arguments": {}}
                | {"status": "inProgress"}
            ),
            lambda: {"type": "webSearch", "id": item_id, "query": f"q{n}"},
            lambda: (
                {"type": "dynamicToolCall", "id": item_id, "tool": f"d{n}", "arguments": [n]}
                | {"status": "inProgress"}
            ),
            lambda: {"type": "imageView", "id": item_id, "path": f"p{n}.png"},
            lambda: {"type": "sleep", "id": item_id, "durationMs": n},
        ][how % 8]()

    def _begin(self, thread: Thread, which: int, how: int) -> None:
        """An item begins, an open one again, or one under the id of another that is over."""
        line = self._line(thread, which)
        if line is None:
            return
        item_id = self._id(line, which)
        work = line.works.get(item_id)
        if work is None or work.settled:
            work = self._life(thread, line, self._item(item_id, how))
        self._tell(thread, line, "item/started", item=work.raw)

    def _again(self, thread: Thread, which: int, how: int) -> None:
        """The start, or the end, of a settled item once more."""
        line = self._line(thread, which)
        work = line.works.get(self._id(line, which)) if line is not None else None
        if line is not None and work is not None and work.settled:
            method = "item/completed" if how % 2 else "item/started"
            self._tell(thread, line, method, item=work.raw)

    def _show(self, thread: Thread, which: int, how: int) -> None:
        """More output of a command or file change, a note of a tool; also of one that never began."""
        line = self._line(thread, which)
        if line is None:
            return
        item_id, words = self._id(line, which), TEXTS[how % len(TEXTS)]
        work = line.works.get(item_id)
        if work is None:
            work = self._life(thread, line, {"type": "commandExecution", "id": item_id})
        method = _PIECES.get(work.raw["type"])
        if method is None:
            return
        self._tell(thread, line, method, itemId=item_id, delta=words, message=words)
        if not work.settled:
            work.streamed += words
            work.truth.snapshot = work.streamed
        elif not work.whole:
            self.truth.unhandled[method] += 1

    def _close(self, thread: Thread, which: int, how: int) -> None:
        """An item is over; one that never began is over at once."""
        line = self._line(thread, which)
        if line is None:
            return
        item_id = self._id(line, which)
        work = line.works.get(item_id)
        if work is None:
            work = self._life(thread, line, self._item(item_id, how))
        if work.settled:
            return
        raw = {**work.raw, "status": ["completed", "completed", "failed", "inProgress"][how % 4]}
        if work.truth.denied:
            raw["status"] = "declined"
        ended = OVER.get(raw["status"], "completed")
        if raw["type"] == "commandExecution":
            ended = self._run_ends(work, raw, which, how, ended)
        elif "status" not in work.raw:
            del raw["status"]
            ended = "completed"
        self._tell(thread, line, "item/completed", item=raw)
        work.raw, work.settled = raw, True
        work.truth.ended = ended

    def _run_ends(self, work: Work, raw: Json, which: int, how: int, ended: str) -> str:
        """A command's code and all its output, where the agent says them."""
        if how != 3:
            raw["exitCode"] = CODES[which % len(CODES)] if how % 2 else None
        if raw.get("exitCode") is not None:
            work.truth.codes.add(raw["exitCode"])
            ended = "failed" if raw["exitCode"] and raw["status"] == "inProgress" else ended
        said = [None, work.streamed, work.streamed + "end", "other", "", work.streamed[:1]][which % 6]
        raw["aggregatedOutput"] = said
        work.whole = said is not None
        shown = work.streamed if not said or work.streamed.startswith(said) else said
        work.truth.snapshot = shown
        return ended

    def _late(self, thread: Thread, which: int, how: int) -> None:
        """A frame of a turn that is over: nothing is revived."""
        line = thread.line
        if not thread.started or not line.ended:
            return
        turn = line.ended[which % len(line.ended)]
        item_id = self._id(line, which)
        if how % 2:
            self.run.tell("item/completed", threadId=line.codex, turnId=turn, item=command(item_id, "late"))
            self.truth.unhandled["item/completed commandExecution"] += 1
        else:
            method = "item/commandExecution/outputDelta"
            self.run.tell(method, threadId=line.codex, turnId=turn, itemId=item_id, delta="late")
            self.truth.unhandled[method] += 1

    # -- text --------------------------------------------------------------------------------------------

    def _say(self, thread: Thread, which: int, how: int) -> None:
        """A piece of a message."""
        line = self._line(thread, which)
        if line is not None:
            self._piece(thread, line, self._id(line, which, "m"), "agentMessage", "agentMessage", how, None)

    def _think(self, thread: Thread, which: int, how: int) -> None:
        """A piece of a thought: of its summary or of itself, in parts."""
        line = self._line(thread, which)
        if line is None:
            return
        item_id = self._id(line, which, "r")
        channel = "summary" if which % 2 else "content"
        words = line.words.get(item_id)
        part = (words.parts.get(channel) if words is not None else None) or 0
        self._piece(thread, line, item_id, "reasoning", channel, how, part + (how % 4 == 3))

    def _piece(
        self, thread: Thread, line: Line, item_id: str, kind: str, channel: str, how: int, part: int | None
    ) -> None:
        words = line.words.get(item_id)
        if words is None:
            words = line.words[item_id] = Words(kind)
            if how % 2:
                begun = message(item_id) if kind == "agentMessage" else {"type": kind, "id": item_id}
                self._tell(thread, line, "item/started", item=begun)
        said = TEXTS[how % len(TEXTS)]
        method, fields = {
            "agentMessage": ("item/agentMessage/delta", {}),
            "summary": ("item/reasoning/summaryTextDelta", {"summaryIndex": part}),
            "content": ("item/reasoning/textDelta", {"contentIndex": part}),
        }[channel]
        self._tell(thread, line, method, itemId=item_id, delta=said, **fields)
        if words.over:
            if not words.whole:
                self.truth.unhandled[method] += 1
            return
        if said:
            before = words.texts.get(channel, "")
            if before and part != words.parts.get(channel):
                said = PART + said
            words.texts[channel] = before + said
            words.parts[channel] = part
            self._note(thread, line, words, channel, said)

    def _note(self, thread: Thread, line: Line, words: Words, channel: str, said: str) -> None:
        stream = "message" if words.kind == "agentMessage" else "thought"
        if said:
            scope = words.scopes.setdefault(channel, self._scope(thread, line))
            self.truth.text[thread.name, scope, stream] += said

    def _said(self, thread: Thread, which: int, how: int) -> None:
        """A message or thought is over; its end may not have been streamed."""
        line = self._line(thread, which)
        if line is None:
            return
        kind = "reasoning" if how % 2 else "agentMessage"
        item_id = self._id(line, which, "r" if how % 2 else "m")
        words = line.words.setdefault(item_id, Words(kind))
        more = ["", "", "end", "\U0001f600"][how // 2]
        over, words.over = words.over, True
        if kind == "agentMessage":
            whole = words.texts.get(kind, "") + more
            self._tell(thread, line, "item/completed", item=message(item_id, whole))
            self._rest(thread, line, words, kind, whole, over)
            return
        raw: Json = {"type": kind, "id": item_id}
        for channel in ("summary", "content"):
            text = words.texts.get(channel, "")
            parts = [part for part in (text, more) if part]
            raw[channel] = parts
            words.whole = words.whole or (bool(parts) and not over)
        self._tell(thread, line, "item/completed", item=raw)
        for channel in ("summary", "content"):
            self._rest(thread, line, words, channel, PART.join(raw[channel]), over)

    def _rest(self, thread: Thread, line: Line, words: Words, channel: str, whole: str, over: bool) -> None:
        """What of a whole text was not streamed."""
        if not over:
            words.whole = words.whole or bool(whole)
            self._note(thread, line, words, channel, whole[len(words.texts.get(channel, "")) :])
            words.texts[channel] = whole

    # -- sub-agents --------------------------------------------------------------------------------------

    def _spawn(self, thread: Thread, which: int, how: int) -> None:
        """A sub-agent begins: told by an activity, by a call, or by its thread alone."""
        line = thread.line
        if line.turn is None or not thread.begun or thread.kid is not None or thread.spawning is not None:
            return
        thread.children += 1
        call_id = f"{line.codex}:spawn{thread.children}"
        child = f"{thread.name}-kid-{thread.children}"
        if how % 3 == 0:
            item = activity(call_id, "started", child)
            self._tell(thread, line, "item/completed", item=item)
            thread.delegated, thread.working = thread.turn, True
            self._doubtful(thread, call_id)
            thread.delegation = call_id
        elif how % 3 == 1:
            thread.delegated = thread.turn
            self._tell(thread, line, "item/started", item=spawn(call_id))
            thread.spawning = thread.delegation = call_id
            self._doubtful(thread, call_id)
            if how == 1:
                self._tell(thread, line, "item/completed", item=spawn(call_id, [child], status="completed"))
                thread.spawning, thread.working = None, True
            else:
                return
        else:
            self.run.tell("thread/started", thread={"id": child, "parentThreadId": line.codex})
            thread.delegation = child
        thread.kid = Line(child, child=True)

    def _kid_starts(self, thread: Thread, which: int, how: int) -> None:
        if thread.spawning is not None and thread.kid is None and thread.begun:
            thread.kid = Line(f"{thread.name}-kid-{thread.children}", child=True)
            thread.spawning, thread.working = None, True
        if thread.kid is None or thread.kid.turn is not None:
            return
        if thread.working or (thread.line.turn is not None and thread.begun):
            self._kid_begins(thread)

    def _kid_begins(self, thread: Thread) -> None:
        kid = thread.kid
        assert kid is not None
        if not thread.working:
            thread.delegated, thread.working = thread.turn, True
        kid.turn = kid.next_turn()
        told = {"id": kid.turn, "items": [], "status": "inProgress"}
        self.run.tell("turn/started", threadId=kid.codex, turn=told)

    def _kid_ends(self, thread: Thread, which: int, how: int) -> None:
        kid = thread.kid
        if kid is None or kid.turn is None:
            return
        self.run.over(ENDINGS[how % 5], kid.turn, kid.codex)
        self._doubtful(thread, thread.delegation).endings.add(ENDINGS[how % 5])
        for work in kid.works.values():
            work.truth.noted = ENDINGS[how % 5] == "completed"
        self._asked = [asked for asked in self._asked if asked[1] is not kid]
        kid.over()
        thread.working = False

    # -- what the agent asks -----------------------------------------------------------------------------

    def _waits(self, thread: Thread) -> bool:
        return any(asked[0] is thread for asked in self._asked)

    def _ask(self, thread: Thread, which: int, how: int) -> None:
        """A person is asked about an item, perhaps one that is only begun by it, or about nothing."""
        line = thread.line
        if line.turn is None or thread.stopped:
            return
        item_id = self._id(line, which)
        work = line.works.get(item_id)
        self._count += 1
        request: Json = {"threadId": line.codex, "turnId": line.turn, "itemId": item_id}
        if how == 7:
            request["questions"] = [{"id": "q", "header": "h", "question": "Which?"}]
            request["itemId"] = f"{line.codex}:q{self._count}"
            method, work = "item/tool/requestUserInput", None
        else:
            if work is None:
                raw = {"type": "commandExecution", "id": item_id, "command": "make", "cwd": CWD}
                work = self._life(thread, line, raw)
            if work.settled or work.raw["type"] not in _APPROVALS:
                return
            if any(asked[2] is work for asked in self._asked) or work.truth.denied:
                return
            method = f"item/{work.raw['type']}/requestApproval"
            request |= {"command": work.raw.get("command"), "cwd": CWD} if "command" in method else {}
            if how % 2:
                request["reason"] = f"why {how}"
        thread.begun = True
        self.run.ask(method, self._count, **request)
        self._asked.append((thread, line, work, {**self.run.asked[-1], "agentId": self._count}))

    def _answer(self, thread: Thread, which: int, how: int) -> None:
        if not self._asked:
            return
        _, line, work, asked = self._asked.pop(which % len(self._asked))
        decision = DECISIONS[how % 3]
        self.run.decide(asked, decision=decision)
        if work is not None and not work.settled:
            work.truth.denied = decision == "denied"
        if how >= 3:
            self.run.tell("serverRequest/resolved", threadId=line.codex, requestId=asked["agentId"])

    # -- everything else ---------------------------------------------------------------------------------

    def _facts(self, thread: Thread, which: int, how: int) -> None:
        """News that makes no row of a call."""
        line = self._line(thread, which)
        if line is None:
            return
        tokens = {"totalTokens": how, "inputTokens": how, "outputTokens": 0}
        plan = [{"step": words, "status": "pending"} for words in TEXTS[: how % 4]]
        method, params = [
            ("thread/tokenUsage/updated", {"tokenUsage": {"total": tokens, "last": tokens}}),
            ("turn/diff/updated", {"diff": TEXTS[how]}),
            ("turn/plan/updated", {"plan": plan, "explanation": None}),
            ("error", {"error": {"message": "again"}, "willRetry": True}),
            ("error", {"error": {"message": "over"}, "willRetry": False}),
            ("warning", {"message": "mind"}),
            ("thread/name/updated", {"threadName": "name"}),
            ("thread/status/changed", {"status": {"type": "active"}}),
            ("item/started", {"item": {"type": "userMessage", "id": "u", "content": []}}),
            ("thread/compacted", {}),
            ("account/rateLimits/updated", {"rateLimits": {"primary": how}}),
            ("hook/started", {"run": {}}),
        ][which]
        self._tell(thread, line, method, **params)

    def _unknown(self, thread: Thread, which: int, how: int) -> None:
        """A notification or an item of a type nobody knows."""
        line = self._line(thread, which)
        if line is None:
            return
        if how % 2:
            item = {"type": "vendorItem", "id": f"{line.codex}:v"}
            self._tell(thread, line, "item/started", item=item)
            self.truth.unhandled["item/started vendorItem"] += 1
        else:
            self._tell(thread, line, "vendor/thing", value=how)
            self.truth.unhandled["vendor/thing"] += 1


_STEPS = {
    "prompt": CodexPlayer._prompt,
    "own": CodexPlayer._own_turn,
    "end": CodexPlayer._end,
    "stop": CodexPlayer._stop,
    "steer": CodexPlayer._steer,
    "resume": CodexPlayer._resume,
    "release": CodexPlayer._release,
    "begin": CodexPlayer._begin,
    "again": CodexPlayer._again,
    "show": CodexPlayer._show,
    "close": CodexPlayer._close,
    "late": CodexPlayer._late,
    "say": CodexPlayer._say,
    "think": CodexPlayer._think,
    "said": CodexPlayer._said,
    "spawn": CodexPlayer._spawn,
    "kid-start": CodexPlayer._kid_starts,
    "kid-end": CodexPlayer._kid_ends,
    "ask": CodexPlayer._ask,
    "answer": CodexPlayer._answer,
    "facts": CodexPlayer._facts,
    "unknown": CodexPlayer._unknown,
}
WORDS = [*_STEPS, "begin", "show", "close", "begin", "show", "close", "prompt"]
"""What may be said, the usual more often."""
