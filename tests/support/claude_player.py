"""Claude Code as a grammar: a list of small numbers becomes a legal session, and what was said is noted.

Steps are read as in `acp_player`: (what, which, how); one that would be illegal now says nothing. The process
serves one thread. Whoever speaks is the agent itself or, under an open sub-agent's call, that sub-agent.
"""

from __future__ import annotations

import json

from claude_frames import (
    NOTIFIED,
    THREAD,
    ClaudeRun,
    Json,
    assistant,
    block_delta,
    block_start,
    block_stop,
    can_use,
    control,
    done,
    init,
    message_start,
    result_of,
    system,
    task,
    text,
    thinking,
    use,
    user,
)
from claude_questions import Questions
from session_truth import CallTruth, Truth

Step = tuple[str, int, int]

TEXTS = ["a", "ab", "b\n", "", "|--|", "é\U0001f600", "--|", "a"]
CODES = [1, 2, 127, 130]
DECISIONS = ["allowed", "denied", "cancelled"]
TOOLS: list[tuple[str, Json]] = [
    ("Bash", {"command": "make"}),
    ("Task", {"description": "look", "prompt": "look around"}),
    ("Read", {"file_path": "a.py"}),
    ("Edit", {"file_path": "a.py", "old_string": "a", "new_string": "b"}),
    ("mcp__server__tool", {"x": 1}),
    ("TodoWrite", {"todos": [{"content": "one", "status": "pending"}]}),
    ("WebSearch", {"query": "q"}),
    ("VendorTool", {}),
]


class Work:
    """One life of a call."""

    def __init__(self, call_id: str, name: str, value: Json, parent: Work | None, truth: CallTruth) -> None:
        self.id = call_id
        self.name = name
        self.value = value
        self.parent = parent
        self.truth = truth
        self.turn = ""
        self.settled = False
        self.streams = False  # its input is not whole yet
        self.task: str | None = None  # the background task that goes on with it

    @property
    def late(self) -> bool:
        """Whether it outlives its turn."""
        if self.settled:
            return False
        return self.task is not None or (self.parent is not None and self.parent.late)


class Streaming:
    """The message that streams under one parent, and its open block."""

    def __init__(self, message_id: str) -> None:
        self.message_id = message_id
        self.index = -1
        self.kind: str | None = None  # of the open block: text, thinking, tool_use
        self.said = ""
        self.call: Work | None = None
        self.scope: str | None = None  # the turn its block began in


class ClaudePlayer:
    """Plays steps; `run` is the bridge and what came of it, `truth` what was said."""

    def __init__(self) -> None:
        self.run = ClaudeRun()
        self.truth = Truth()
        self.turns = 0
        self.open = self.own = self.stopped = self.worked = self.steered = False
        self.calls: dict[str, Work] = {}
        self.streaming: dict[str | None, Streaming] = {}
        self._last: set[str] = set()  # the messages of the turn before
        self._messages: set[str] = set()
        self._over: list[str] = []  # ids of calls of turns before
        self._count = 0
        self._asked: list[tuple[Work, int, str]] = []
        self.questions = Questions(self.run)

    def play(self, steps: list[Step], *, gone: bool = False) -> ClaudePlayer:
        """All steps, then the end of the session: turns and tasks end, or the agent is `gone`."""
        for what, which, how in steps:
            _STEPS[what](self, which, how)
        if gone:
            for work in self.calls.values():
                work.truth.noted = False
            self.run.gone("the agent is gone")
            return self
        self._end(0, 0)
        while late := [work for work in self.calls.values() if work.late and not self._has_parts(work)]:
            for work in late:
                if work.task is None:
                    self._result_of(work, 0, 0)
                else:
                    self._notify(work, 0)
        return self

    @property
    def turn(self) -> str:
        return f"turn-{self.turns}"

    # -- turns -------------------------------------------------------------------------------------------

    def _prompt(self, which: int, how: int) -> None:
        if self.open:
            return
        self.run.prompt("go")
        self._begin_turn(own=False)
        if how % 2:
            self.run.feed(init())
        if how == 3:
            self.run.feed(user("go"))

    def _begin_turn(self, *, own: bool) -> None:
        self.turns += 1
        self.open, self.own = True, own
        self.stopped = self.worked = self.steered = False

    def _home(self, parent: Work | None) -> str:
        """The turn in whose rows work stands; work with no turn open is a turn of the agent's own."""
        if not self.open and parent is None:
            self._begin_turn(own=True)
        self.worked = self.worked or self.open
        return parent.turn if parent is not None else self.turn

    def _steer(self, which: int, how: int) -> None:
        if self.open and not self.own:
            self.run.steer("more")
            if how % 2:
                self.run.feed(user("more"))

    def _stop(self, which: int, how: int) -> None:
        if not self.open or self.stopped:
            return
        self.run.stop()
        self._asked_no_more()
        refused = how == 7
        self.run.answer("interrupt", error="no" if refused else None)
        self.stopped = not refused

    def _asked_no_more(self) -> None:
        self.questions.over()
        for work, _, _ in self._asked:
            work.truth.cancelled = True
        self._asked = []

    def _end(self, which: int, how: int) -> None:
        """The result of a turn."""
        if not self.open:
            return
        fields: Json = [
            {},
            {"usage": {"input_tokens": 1, "output_tokens": 2}},
            {"subtype": "error_max_turns", "is_error": True},
            {"is_error": True, "api_error_status": 401, "result": "no key"},
            {"stop_reason": "max_tokens"},
            {},
            {"subtype": "error_during_execution", "is_error": True, "terminal_reason": "aborted_tools"},
            {"subtype": "vendor_end", "is_error": True},
        ][how]
        if self.own and which % 2:
            fields = {**fields, "origin": NOTIFIED}
        self.run.feed(done("", **fields))
        self._ended()

    def _no_end(self, which: int, how: int) -> None:
        """A result that is not the end of the person's turn (S39)."""
        if self.open and not self.own:
            self.run.feed(done("", origin=NOTIFIED))

    def _ended(self) -> None:
        self.open = self.stopped = False
        self.questions.over()
        self._last, self._messages = self._messages, set()
        self._asked = [asked for asked in self._asked if asked[0].late]
        self._over += [work.id for work in self.calls.values() if not work.late]
        self.calls = {call_id: work for call_id, work in self.calls.items() if work.late}
        self.streaming = {of: one for of, one in self.streaming.items() if of in self.calls}

    # -- messages ----------------------------------------------------------------------------------------

    def _parent(self, which: int) -> Work | None:
        """The open sub-agent that speaks now, now and then."""
        agents = [work for work in self.calls.values() if work.name == "Task" and not work.settled]
        return agents[which % len(agents)] if agents and which % 3 == 2 else None

    def _message_id(self, parent: Work | None, which: int) -> str:
        """An id of this turn's messages."""
        self._home(parent)
        self._count += 1
        number = self._count if which % 2 else 0
        message_id = f"msg-{self.turns}-{number}-{parent.id if parent is not None else ''}"
        self._messages.add(message_id)
        return message_id

    def _scope(self, parent: Work | None) -> str:
        return self.turn if self.open or parent is None else parent.turn

    def _note(self, parent: Work | None, kind: str, words: str, streaming: Streaming | None = None) -> None:
        stream = "message" if kind == "text" else "thought"
        scope = self._scope(parent)
        if words and streaming is not None:
            scope = streaming.scope = streaming.scope or scope
        self.truth.text[THREAD, scope, stream] += words

    def _say(self, which: int, how: int) -> None:
        """A whole block that did not stream."""
        parent = self._parent(which)
        of = parent.id if parent is not None else None
        if of in self.streaming:
            return
        self._count += 1
        words, kind = TEXTS[how % len(TEXTS)], "thinking" if which % 2 else "text"
        message_id = self._message_id(parent, which)
        block = thinking(words) if kind == "thinking" else text(words)
        self.run.feed(assistant(block, message_id=message_id, parent=of))
        self._note(parent, kind, words)

    def _stream(self, which: int, how: int) -> None:
        """A message begins to stream, or its next block does."""
        parent = self._parent(which)
        of = parent.id if parent is not None else None
        streaming = self.streaming.get(of)
        if streaming is None or (streaming.kind is None and how == 7):
            self._count += 1
            message_id = self._message_id(parent, which)
            streaming = self.streaming[of] = Streaming(message_id)
            self.run.feed(_under(message_start(message_id), of))
        if streaming.kind is not None:
            return
        self._home(parent)
        streaming.index += 1
        streaming.said, streaming.scope = "", None
        streaming.kind = ["text", "thinking", "tool_use"][how % 3]
        if streaming.kind == "tool_use":
            work = self._new_call(which, how, parent)
            if work is None:
                streaming.kind = None
                return
            streaming.call = work
            work.streams = True
            block: Json = {"type": "tool_use", "id": work.id, "name": work.name, "input": {}}
        else:
            block = thinking("") if streaming.kind == "thinking" else text("")
        self.run.feed(_under(block_start(streaming.index, block), of))

    def _piece(self, which: int, how: int) -> None:
        """A piece of the block that streams."""
        parent = self._parent(which)
        of = parent.id if parent is not None else None
        streaming = self.streaming.get(of)
        if streaming is None or streaming.kind is None:
            return
        words = TEXTS[how % len(TEXTS)]
        if streaming.kind == "tool_use":
            call = streaming.call
            rest = json.dumps(call.value)[len(streaming.said) :] if call is not None else ""
            words = rest[: 1 + how]
            frame = block_delta(streaming.index, "input_json_delta", "partial_json", words)
        else:
            field = "text" if streaming.kind == "text" else "thinking"
            frame = block_delta(streaming.index, f"{field}_delta", field, words)
            self._note(parent, streaming.kind, words, streaming)
        streaming.said += words
        self.run.feed(_under(frame, of))

    def _whole(self, which: int, how: int) -> None:
        """The block that streams comes as a whole, with an end that did not stream, and stops."""
        parent = self._parent(which)
        of = parent.id if parent is not None else None
        streaming = self.streaming.get(of)
        if streaming is None or streaming.kind is None:
            return
        kind, streaming.kind = streaming.kind, None
        if kind == "tool_use":
            call, streaming.call = streaming.call, None
            assert call is not None
            call.streams = False
            block = use(call.id, call.name, **call.value)
        else:
            more = ["", "", "", "end"][how % 4]
            whole = streaming.said + more
            self._note(parent, kind, more, streaming)
            block = thinking(whole) if kind == "thinking" else text(whole)
        lines = [
            assistant(block, message_id=streaming.message_id, parent=of),
            _under(block_stop(streaming.index), of),
        ]
        self.run.feed(*(lines if how % 2 else lines[::-1]))

    def _aside(self, which: int, how: int) -> None:
        """A block that is no work, and shows nothing but that the context was shortened."""
        parent = self._parent(which)
        of = parent.id if parent is not None else None
        if of not in self.streaming:
            message_id = self._message_id(parent, which)
            self.run.feed(assistant(_ASIDES[how % len(_ASIDES)], message_id=message_id, parent=of))

    # -- calls -------------------------------------------------------------------------------------------

    def _new_call(self, which: int, how: int, parent: Work | None) -> Work | None:
        """A new call, perhaps under the id of one that settled; None where that id is open."""
        call_id = f"toolu-{which % 4}"
        known = self.calls.get(call_id)
        if known is not None and (not known.settled or parent is known):
            return None
        name, value = TOOLS[how % len(TOOLS)]
        self._count += 1
        value = {**value, "n": self._count}
        home = self._home(parent)
        life = CallTruth()
        self.truth.calls[THREAD, home][call_id].append(life)
        self.truth.ids.add(call_id)
        self.calls.pop(call_id, None)
        work = self.calls[call_id] = Work(call_id, name, value, parent, life)
        work.turn = home
        if name == "Bash":
            life.snapshot = ""
        return work

    def _use(self, which: int, how: int) -> None:
        """A call, or an open one once more."""
        parent = self._parent(which)
        of = parent.id if parent is not None else None
        known = self.calls.get(f"toolu-{which % 4}")
        if known is not None and not known.settled:
            if known is parent:
                return
            parent, of = known.parent, known.parent.id if known.parent is not None else None
        if of in self.streaming:
            return
        work = known if known is not None and not known.settled else self._new_call(which, how, parent)
        if work is None:
            return
        message_id = self._message_id(parent, which)
        block = use(work.id, work.name, **work.value)
        self.run.feed(assistant(block, message_id=message_id, parent=of))

    def _result(self, which: int, how: int) -> None:
        """What came of a call, perhaps once more."""
        work = self.calls.get(f"toolu-{which % 4}")
        if work is None or work.streams or self._has_parts(work):
            return
        if work.task is None or work.settled:
            self._result_of(work, which, how)

    def _result_of(self, work: Work, which: int, how: int) -> None:
        parent = work.parent.id if work.parent is not None else None
        life, words = work.truth, TEXTS[which % len(TEXTS)]
        if life.denied:
            self.run.feed(result_of(work.id, "no", error=True, result="Error: no", parent=parent))
            ended = "failed"
        elif how in (1, 2) and not work.settled and self.open and parent is None and not self._waits(work):
            self._hand_over(work, how)
            return
        elif how in (3, 4):
            code = CODES[which % len(CODES)]
            said = f"Exit code {code}" + (f"\n{words}" if words else "")
            self.run.feed(result_of(work.id, said, error=True, result="Error", parent=parent))
            if work.name == "Bash" and not work.settled:
                life.codes.add(code)
                life.snapshot = words
            ended = "interrupted" if life.cancelled else "failed"
            if work.name != "Bash" and life.cancelled:
                ended = "interrupted"
        elif how == 5:
            self.run.feed(result_of(work.id, "broken", error=True, parent=parent))
            ended = "interrupted" if life.cancelled or self.stopped else "failed"
        else:
            told = {"stdout": words, "stderr": "", "interrupted": how == 6}
            shape = told if work.name == "Bash" else None
            self.run.feed(result_of(work.id, words, result=shape, parent=parent))
            ended = "interrupted" if how == 6 and work.name == "Bash" else "completed"
            if work.name == "Bash" and not work.settled:
                life.snapshot = words
        if not work.settled:
            life.ended = ended
            self._settled(work)

    def _has_parts(self, work: Work) -> bool:
        """Whether a call of the sub-agent that it is has not ended."""
        return any(other.parent is work and not other.settled for other in self.calls.values())

    def _waits(self, work: Work) -> bool:
        return any(asked[0] is work for asked in self._asked)

    def _hand_over(self, work: Work, how: int) -> None:
        """The call goes on in the background."""
        self._count += 1
        work.task = f"task-{self._count}"
        if work.name == "Task":
            told: Json = {"status": "async_launched", "agentId": work.task}
        else:
            told = {"stdout": "", "stderr": "", "backgroundTaskId": work.task}
        self.run.feed(result_of(work.id, "started", result=told))
        if how == 2:
            self.run.feed(task("started", work.task, work.id, description="job"))

    def _news(self, which: int, how: int) -> None:
        """News of background work: how it gets on, or its end."""
        tasks = [work for work in self.calls.values() if work.task is not None and not work.settled]
        if not tasks:
            return
        work = tasks[which % len(tasks)]
        if how % 2:
            self.run.feed(task("progress", str(work.task), work.id, description=TEXTS[how]))
        elif not self._has_parts(work):
            self._notify(work, how)

    def _notify(self, work: Work, how: int) -> None:
        status, ended = [("completed", "completed"), ("failed", "failed"), ("stopped", "interrupted")][
            how % 3
        ]
        self.run.feed(task("notification", str(work.task), work.id, status=status, summary="did it"))
        work.truth.ended = ended
        work.truth.exact = False
        self._settled(work)

    def _settled(self, work: Work) -> None:
        """A call is over; between two turns only its id is remembered."""
        work.settled = True
        if not self.open:
            self._over.append(work.id)
            del self.calls[work.id]

    def _late(self, which: int, how: int) -> None:
        """A result, or a message, of a turn that is over: nothing is revived."""
        if how % 2 and self._last:
            message_id = sorted(self._last)[which % len(self._last)]
            self.run.feed(assistant(text("late"), message_id=message_id))
            self.truth.unhandled["assistant"] += 1
            return
        over = [call_id for call_id in self._over if call_id not in self.calls]
        if over:
            self.run.feed(result_of(over[which % len(over)], "late"))
            self.truth.unhandled["user/tool_result"] += 1

    # -- permissions -------------------------------------------------------------------------------------

    def _ask(self, which: int, how: int) -> None:
        """A person is asked about an open call, or about one that is only begun by it."""
        if not self.open or self.stopped:
            return
        call_id = f"toolu-{which % 4}"
        work = self.calls.get(call_id)
        if work is None and call_id not in self._over:
            work = self._new_call(which, how, None)
        if work is None or work.settled or work.streams or work.task is not None or work.truth.denied:
            return
        if self._waits(work):
            return
        self._count += 1
        request_id = f"ask-{self._count}"
        self.run.feed(can_use(request_id, work.id, work.name, work.value))
        self._asked.append((work, len(self.run.asked) - 1, request_id))

    def _answer(self, which: int, how: int) -> None:
        if not self._asked:
            return
        work, index, request_id = self._asked.pop(which % len(self._asked))
        if how == 7:
            self.run.feed({"type": "control_cancel_request", "request_id": request_id})
            return
        decision = DECISIONS[how % 3]
        self.run.decide(decision, index=index)
        if not work.settled:
            work.truth.denied = decision == "denied"
            work.truth.cancelled = decision == "cancelled"

    def _elicit(self, which: int, how: int) -> None:
        """An MCP server asks a person, in a turn or outside one."""
        self.questions.ask(which, how)

    def _elicited(self, which: int, how: int) -> None:
        self.questions.answer(which, how)

    # -- everything else ---------------------------------------------------------------------------------

    def _facts(self, which: int, how: int) -> None:
        """News that makes no row of a call."""
        self.run.feed(
            [
                init(),
                system("status", permissionMode="plan"),
                system("api_retry", attempt=how, max_retries=9, error_status=529, error="overloaded"),
                system("compact_boundary"),
                {"type": "rate_limit_event", "rate_limit_info": {"status": how}},
                {"type": "keep_alive"},
                system("session_state_changed", state="running"),
                system("hook_started"),
                system("informational", content="mind", level="warning"),
                system("model_refusal_fallback", fallback_model="b", original_model="a"),
                {"type": "tool_progress", "tool_use_id": "toolu-0"},
                {"type": "conversation_reset"},
            ][which]
            if how != 7
            else _MORE_FACTS[which % len(_MORE_FACTS)]
        )

    def _api_error(self, which: int, how: int) -> None:
        if self.open:
            self._home(None)
            self._count += 1
            message_id = f"error-{self._count}"
            self._messages.add(message_id)
            frame = assistant(text("API Error: 500"), message_id=message_id, is_api_error_message=True)
            self.run.feed({**frame, "api_error_status": 500})

    def _unknown(self, which: int, how: int) -> None:
        """A type, a subtype or a request nobody knows."""
        if which % 3 == 0:
            self.run.feed({"type": "vendor_thing", "value": how})
            self.truth.unhandled["vendor_thing"] += 1
        elif which % 3 == 1:
            self.run.feed(system("vendor_news"))
            self.truth.unhandled["system/vendor_news"] += 1
        else:
            self._count += 1
            request = {"subtype": "vendor_request"}
            self.run.feed({"type": "control_request", "request_id": f"v{self._count}", "request": request})
            self.truth.unhandled["control_request/vendor_request"] += 1


_ASIDES: list[Json] = [
    {"type": "compaction", "content": "It was about tea.", "encrypted_content": None},
    {"type": "compaction", "content": None, "encrypted_content": None},
    {"type": "mcp_tool_listing", "mcp_server_name": "docs", "tools": []},
    {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "find"}},
    {"type": "tool_removal", "tool": {"type": "tool_reference", "name": "find"}},
]
_MORE_FACTS: list[Json] = [
    {"type": "active_goal", "value": {"condition": "done", "iterations": 1}},
    {"type": "active_goal", "value": None},
    system("session_writes_lost", error_code="ENOSPC", lost=["transcript"]),
    control("dialog", "request_user_dialog", dialog_kind="vendor_dialog", payload={}),
]


def _under(frame: Json, parent: str | None) -> Json:
    return {**frame, "parent_tool_use_id": parent}


_STEPS = {
    "prompt": ClaudePlayer._prompt,
    "end": ClaudePlayer._end,
    "no-end": ClaudePlayer._no_end,
    "stop": ClaudePlayer._stop,
    "steer": ClaudePlayer._steer,
    "say": ClaudePlayer._say,
    "stream": ClaudePlayer._stream,
    "piece": ClaudePlayer._piece,
    "whole": ClaudePlayer._whole,
    "aside": ClaudePlayer._aside,
    "use": ClaudePlayer._use,
    "result": ClaudePlayer._result,
    "news": ClaudePlayer._news,
    "late": ClaudePlayer._late,
    "ask": ClaudePlayer._ask,
    "answer": ClaudePlayer._answer,
    "elicit": ClaudePlayer._elicit,
    "elicited": ClaudePlayer._elicited,
    "facts": ClaudePlayer._facts,
    "api-error": ClaudePlayer._api_error,
    "unknown": ClaudePlayer._unknown,
}
WORDS = [*_STEPS, "use", "result", "stream", "piece", "whole", "use", "result", "piece", "prompt"]
"""What may be said, the usual more often."""
