"""An ACP agent as a grammar: a list of small numbers becomes a legal session, and what was said is noted.

Each step is (what, which, how): `what` names a sentence an agent may say now, `which` picks the call, thread
or id it speaks of, `how` the words. A step that would be illegal now says nothing, so every list is a legal
session and a shorter list is a shorter session. The player speaks to the bridge as an agent and as a runtime.
"""

from __future__ import annotations

from typing import Any

from acp_frames import (
    AcpRun,
    Json,
    ask,
    command,
    diff,
    message,
    other,
    plan,
    request,
    terminal,
    text,
    thought,
    tool_call,
    update,
    user,
)
from session_truth import CallTruth, Truth

Step = tuple[str, int, int]

TEXTS = ["a", "ab", "abc", "b\n", "", "|--|", "é\U0001f600", "--|"]
KINDS = ["execute", "execute", "read", "edit", "search", "fetch", "think", "other", None, "teleport"]
INPUTS: list[Any] = [{"command": "make"}, {}, None, {"path": "a"}, {"url": "https://a.example"}, {"x": [1]}]
STOPS = ["end_turn", "cancelled", "max_tokens", "refusal", "max_turn_requests", "vendor_stop"]
CODES = [0, 1, 2, 127, -1]
DECISIONS = ["allowed", "denied", "cancelled"]

THREADS = 3


class _Thread:
    """One thread of the session and the turn that is open in it."""

    def __init__(self, number: int) -> None:
        self.name = f"thread-{number}"
        self.session = f"session-{number}"
        self.started = False
        self.history = False  # it was loaded, and nothing was asked of it yet
        self.prompt: int | None = None  # the id of the prompt in flight
        self.stopped = self.steered = False
        self.turns = 0
        self.settled: set[str] = set()
        self.began: set[str] = set()
        self.terminals: dict[str, tuple[str, str]] = {}  # terminal → (call, what it shows)

    @property
    def turn(self) -> str:
        return f"turn-{self.turns}"


class AcpPlayer:
    """Plays steps; `run` is the bridge and what came of it, `truth` what was said."""

    def __init__(self, profile: str | None = None) -> None:
        self.run = AcpRun(profile, start=False)
        self.run.initialize()
        self.truth = Truth()
        self.threads = [_Thread(number) for number in range(THREADS)]
        self._ids = 0
        self._asked: list[tuple[_Thread, str, CallTruth, int]] = []

    def play(self, steps: list[Step], *, gone: bool = False) -> AcpPlayer:
        """All steps, then the end of the session: every prompt is answered, or the agent is `gone`."""
        for what, which, how in steps:
            _STEPS[what](self, self.threads[which % THREADS if which >= 8 else 0], which, how)
        if gone:
            self.run.gone("the agent is gone")
            for thread in self.threads:
                self._withdraw(thread)
            return self
        for thread in self.threads:
            while thread.prompt is not None:
                self._end(thread, 0, 0)
        return self

    # -- sessions and turns ----------------------------------------------------------------------------

    def _start(self, thread: _Thread, how: int = 0) -> None:
        self.run.start(thread.name)
        if how % 2:  # what comes before the answer is held
            self.run.feed(message("early"), other("vendor_thing"), session=thread.session)
            self.truth.unhandled.update(("agent_message_chunk", "vendor_thing"))
        self.run.answer_session(thread.session)
        thread.started = True

    def _release(self, thread: _Thread, which: int, how: int) -> None:
        """The runtime lets go of an idle thread; it may load the same session again under another name."""
        if not thread.started or thread.prompt is not None:
            return
        self.run.stop("release", thread.name)
        thread.name += "+"
        thread.started, thread.turns = False, 0

    def _load(self, thread: _Thread, which: int, how: int) -> None:
        """A session that is loaded: what it replays is history and no work."""
        if thread.started:
            return
        resume = {"threadId": thread.name, "cwd": self.run.cwd, "providerThreadId": thread.session}
        self.run.runtime("thread/resume", **resume)
        history = [
            user("before"),
            message("then"),
            tool_call("old", status="pending"),
            update("old", status="failed"),
        ]
        self.run.feed(*history[: how % 5], session=thread.session)
        self.run.respond("session/load", None)
        thread.started = thread.history = True

    def _prompt(self, thread: _Thread, which: int, how: int) -> None:
        if thread.prompt is not None:
            return
        if not thread.started:
            self._start(thread, how)
        self.run.prompt("go", thread.name)
        thread.history = False
        thread.prompt = self.run.sent_of("session/prompt")[-1]["id"]
        thread.turns += 1
        thread.stopped = thread.steered = False
        thread.settled, thread.began, thread.terminals = set(), set(), {}

    def _end(self, thread: _Thread, which: int, how: int) -> None:
        if thread.prompt is None:
            return
        outcome: Json = {"result": {"stopReason": STOPS[how % len(STOPS)]}}
        if how == 7:
            outcome = {"error": {"code": -32603, "message": "boom"}}
        self.run.provider({"jsonrpc": "2.0", "id": thread.prompt, **outcome})
        thread.prompt = None
        self._withdraw(thread)
        if thread.steered:
            self._goes_on(thread)

    def _goes_on(self, thread: _Thread) -> None:
        """The turn goes on with the prompt that steers it; what was left open is interrupted."""
        thread.steered = False
        thread.prompt = self.run.sent_of("session/prompt")[-1]["id"]
        for call_id, lives in self.truth.calls[thread.name, thread.turn].items():
            if lives[-1].ended is None:
                lives[-1].ended = "failed" if lives[-1].denied else "interrupted"
                thread.settled.add(call_id)

    def _steer(self, thread: _Thread, which: int, how: int) -> None:
        if thread.prompt is not None and not thread.stopped:
            self.run.steer("more", thread.name)
            thread.steered = True
            self._withdraw(thread)

    def _stop(self, thread: _Thread, which: int, how: int) -> None:
        if thread.prompt is None or thread.stopped:
            return
        self.run.stop("interrupt", thread.name)
        thread.stopped, thread.steered = True, False
        self._withdraw(thread)

    # -- text ------------------------------------------------------------------------------------------

    def _say(self, thread: _Thread, which: int, how: int) -> None:
        if not thread.started:
            return
        words = TEXTS[how % len(TEXTS)]
        stream, frame = ("thought", thought) if which % 2 else ("message", message)
        named = {"message_id": f"m{which % 3}"} if which % 4 < 2 else {}
        self.run.feed(frame(words, **named), session=thread.session)
        if thread.prompt is not None:
            self.truth.text[thread.name, thread.turn, stream] += words
        elif words and not thread.history:
            self.truth.unhandled[f"agent_{stream}_chunk"] += 1

    def _echo(self, thread: _Thread, which: int, how: int) -> None:
        if thread.prompt is not None:
            self.run.feed(user("go"), session=thread.session)

    def _plan(self, thread: _Thread, which: int, how: int) -> None:
        if thread.prompt is not None:
            self.run.feed(plan(*TEXTS[: how % 4]), session=thread.session)

    def _facts(self, thread: _Thread, which: int, how: int) -> None:
        """News that makes no row."""
        news = [
            other("usage_update", used=how, size=100),
            other("current_mode_update", currentModeId=f"mode-{how}"),
            other("session_info_update", title=TEXTS[how % len(TEXTS)]),
            other("available_commands_update", availableCommands=[]),
            other("config_option_update", configOptions=[]),
        ]
        if thread.started:
            self.run.feed(news[which % len(news)], session=thread.session)

    def _unknown(self, thread: _Thread, which: int, how: int) -> None:
        """An update no lane knows, or one of a session nobody knows."""
        if thread.started:
            session = "session-x" if how == 7 else thread.session
            self.run.feed(other("vendor_thing", value=how), session=session)
            self.truth.unhandled["vendor_thing"] += 1

    # -- calls -----------------------------------------------------------------------------------------

    def _begin(self, thread: _Thread, which: int, how: int) -> None:
        """A `tool_call`: a new id, an open one again, or a settled one's used again."""
        call_id = f"c{which % 4}"
        kind = KINDS[how % len(KINDS)]
        fields: Json = {"raw_input": INPUTS[which % len(INPUTS)], "status": "pending"}
        if kind is not None:
            fields["kind"] = kind
        self._frame(thread, tool_call(call_id, title="Job", **fields), call_id, begins=True)

    def _run_command(self, thread: _Thread, which: int, how: int) -> None:
        call_id = f"c{which % 4}"
        self._frame(thread, command(call_id, status="in_progress"), call_id, begins=True)

    def _show(self, thread: _Thread, which: int, how: int) -> None:
        """A command's whole output so far."""
        call_id, words = f"c{which % 4}", TEXTS[how % len(TEXTS)]
        life = self._frame(thread, update(call_id, status="in_progress", content=words), call_id)
        if life is not None and (words or life.ended is None):  # a late one adds detail (S27)
            life.snapshot = words

    def _close(self, thread: _Thread, which: int, how: int) -> None:
        call_id = f"c{which % 4}"
        status = "failed" if how % 3 == 2 else "completed"
        fields: Json = {}
        if how % 2:
            code = CODES[how % len(CODES)]
            fields["raw_output"] = {"exitCode": code, "stdout": "", "stderr": ""}
        life = self._frame(thread, update(call_id, status=status, **fields), call_id)
        if life is None:
            return
        if "raw_output" in fields:
            life.codes.add(code)
            life.exact = False
        if life.ended is None:
            life.ended = status
            thread.settled.add(call_id)

    def _change(self, thread: _Thread, which: int, how: int) -> None:
        """A change of a file, beside words or alone."""
        call_id = f"c{which % 4}"
        block = diff(f"f{how % 3}.py", None if how % 2 else "a", "b")
        content = [text("changed"), block] if how >= 4 else [block]
        life = self._frame(thread, update(call_id, content=content), call_id)
        if life is not None:
            life.exact = False

    def _detail(self, thread: _Thread, which: int, how: int) -> None:
        """An update that ends nothing: late, rich or empty."""
        call_id = f"c{which % 4}"
        fields: Json = [
            {},
            {"title": "Better"},
            {"kind": "read"},
            {"locations": ["/x"]},
            {"status": "vendor_busy"},
        ][how % 5]
        life = self._frame(thread, update(call_id, **fields), call_id)
        if life is not None and "kind" in fields:
            life.exact = False

    def _frame(self, thread: _Thread, frame: Json, call_id: str, *, begins: bool = False) -> CallTruth | None:
        if not thread.started:
            return None
        self.run.feed(frame, session=thread.session)
        self.truth.ids.add(call_id)
        if thread.prompt is None:
            if not thread.history:
                self.truth.unhandled["tool_call" if begins else "tool_call_update"] += 1
            return None
        lives = self.truth.calls[thread.name, thread.turn][call_id]
        again = begins and call_id in thread.settled and call_id in thread.began
        if begins and lives and not lives[-1].certain:  # it may have settled, under another id
            lives.append(CallTruth())
            _doubt(lives[-1])
        if not lives or again:
            lives.append(CallTruth())
            thread.settled.discard(call_id)
            thread.began.discard(call_id)
        if begins:
            thread.began.add(call_id)
        return lives[-1]

    # -- what an agent asks ----------------------------------------------------------------------------

    def _ask(self, thread: _Thread, which: int, how: int) -> None:
        """A permission request for a call that is open and was not asked for yet."""
        call_id = f"c{which % 4}"
        lives = self.truth.calls[thread.name, thread.turn].get(call_id)
        if thread.prompt is None or thread.stopped or thread.steered:
            self._ask_in_vain(thread, call_id)
            return
        if not lives or lives[-1].ended is not None:
            return
        if any(asked[1] == call_id for asked in self._asked):
            return
        self.run.feed(ask(call_id, title="May I"), session=thread.session)
        lives[-1].exact = False
        if not lives[-1].certain:  # what is asked about may have settled, under another id
            lives.append(CallTruth())
            self._doubt_all(thread)
        self._asked.append((thread, call_id, lives[-1], len(self.run.asked) - 1))

    def _ask_in_vain(self, thread: _Thread, call_id: str) -> None:
        """Nobody is asked outside a turn, nor once its prompt was cancelled."""
        if thread.started:
            self.run.feed(ask(call_id, title="May I"), session=thread.session)
            self.truth.unhandled["session/request_permission"] += 1

    def _doubt_all(self, thread: _Thread) -> None:
        for lives in self.truth.calls[thread.name, thread.turn].values():
            _doubt(lives[-1])

    def _ask_aside(self, thread: _Thread, which: int, how: int) -> None:
        """A request under an id of its own (S19, S20): it may be about any call that is open."""
        if thread.prompt is None or thread.stopped or thread.steered:
            return
        self._ids += 1
        call_id = f"x{self._ids}"
        kind = KINDS[how % len(KINDS)]
        told: Json = {"kind": kind} if kind is not None else {}
        life = CallTruth()
        self.truth.calls[thread.name, thread.turn][call_id].append(life)
        self.truth.ids.add(call_id)
        self._doubt_all(thread)
        self.run.feed(ask(call_id, title="May I", **told), session=thread.session)
        self._asked.append((thread, call_id, life, len(self.run.asked) - 1))
        if which % 3 == 0:
            self.run.feed(update(call_id, status="completed"), session=thread.session)

    def _answer(self, thread: _Thread, which: int, how: int) -> None:
        if not self._asked:
            return
        asking, call_id, life, index = self._asked.pop(which % len(self._asked))
        decision = DECISIONS[how % 3]
        self.run.answer(decision, index=index)
        if decision == "denied":
            life.denied = True
        if decision == "cancelled":
            self._cancelled(asking, call_id, life)

    def _withdraw(self, thread: _Thread) -> None:
        """Whatever waits for a person in this thread waits no more."""
        for asking, call_id, life, _ in self._asked:
            if asking is thread:
                self._cancelled(thread, call_id, life)
        self._asked = [asked for asked in self._asked if asked[0] is not thread]

    def _cancelled(self, thread: _Thread, call_id: str, life: CallTruth) -> None:
        """Nobody decides any more: the call that asked is over (S31)."""
        if life.ended is None:
            life.ended = "interrupted"
            thread.settled.add(call_id)

    def _terminal(self, thread: _Thread, which: int, how: int) -> None:
        """A client terminal of a call: it is made, shows more, ends, and is released."""
        if thread.prompt is None:
            return
        call_id = f"c{which % 4}"
        lives = self.truth.calls[thread.name, thread.turn].get(call_id)
        if not lives or lives[-1].ended is not None:
            return
        name = next((t for t, (of, _) in thread.terminals.items() if of == call_id), None)
        if name is None:
            self._ids += 1
            name = f"term-{self._ids}"
            self.run.feed(request("terminal/create", command="make"), session=thread.session)
            self.run.host_result({"terminalId": name})
            self._frame(thread, update(call_id, content=[terminal(name)]), call_id)
            thread.terminals[name] = (call_id, "")
            lives[-1].exact = False
        shown = thread.terminals[name][1] + TEXTS[how % len(TEXTS)]
        thread.terminals[name] = (call_id, shown)
        result: Json = {"output": shown, "truncated": False}
        if how % 4 == 3:
            code = CODES[which % len(CODES)]
            result["exitStatus"] = {"exitCode": code}
            lives[-1].codes.add(code)
        self.run.terminal("output", name, result, session=thread.session)
        if how == 7:
            self.run.terminal("release", name, {}, session=thread.session)


def _doubt(life: CallTruth) -> None:
    """Nobody can say how the row of this call looks, but that it shows nothing that was not said."""
    life.certain = False
    life.endings |= {"completed", "failed"}


def _rest(player: AcpPlayer, thread: _Thread, which: int, how: int) -> None:
    """Nothing is said."""


_STEPS = {
    "rest": _rest,
    "prompt": AcpPlayer._prompt,
    "end": AcpPlayer._end,
    "stop": AcpPlayer._stop,
    "load": AcpPlayer._load,
    "say": AcpPlayer._say,
    "echo": AcpPlayer._echo,
    "steer": AcpPlayer._steer,
    "release": AcpPlayer._release,
    "facts": AcpPlayer._facts,
    "change": AcpPlayer._change,
    "ask-aside": AcpPlayer._ask_aside,
    "plan": AcpPlayer._plan,
    "unknown": AcpPlayer._unknown,
    "begin": AcpPlayer._begin,
    "command": AcpPlayer._run_command,
    "show": AcpPlayer._show,
    "close": AcpPlayer._close,
    "detail": AcpPlayer._detail,
    "ask": AcpPlayer._ask,
    "answer": AcpPlayer._answer,
    "terminal": AcpPlayer._terminal,
}
WORDS = [*_STEPS, "command", "show", "close", "begin", "close", "show"]
"""What may be said, the usual more often."""
