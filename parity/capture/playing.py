"""A scenario's steps, played on a live agent: prompts, answers, stops and steers after a moment, resumes.

One bridge process after the other: *opened* (initialize, thread) → steps → *settled* (the agent says no more)
→ ended. Every wait is bounded. Knows the runtime protocol; must not know agents or where anything is kept.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from parity.capture.answers import answered, decide, is_question
from parity.capture.scenarios import During, Step, When
from parity.grammar import events as e
from parity.shell.runtime import Answer, Question, Runtime, RuntimeRefused
from parity.wire import encode

THREAD = "thread-1"

OPEN_SECONDS = 90.0
"""What bounds `initialize` and the start or resumption of a thread."""
_QUIET_SECONDS = 0.4
_SETTLE_SECONDS = 5.0
_POLL_SECONDS = 0.02


class ScenarioFailed(Exception):
    """The scenario did not come to its end; the text is one line."""


class Player:
    """Plays steps.

    `connect(run)` makes the runtime of bridge process `run`, `release` ends the terminals the host still runs
    in it, and `crossed` counts the lines of all lanes so far.
    """

    def __init__(
        self,
        steps: Sequence[Step],
        connect: Callable[[int], Runtime],
        crossed: Callable[[], int],
        release: Callable[[], Awaitable[None]],
        *,
        workspace: Path,
        initialize: dict[str, Any],
        options: dict[str, Any],
        say: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.runs = 0
        self.agent: dict[str, Any] = {}
        """The agent's answer to `initialize`."""
        self._steps = steps
        self._connect = connect
        self._crossed = crossed
        self._release = release
        self._workspace = workspace
        self._initialize = initialize
        self._thread = {
            "threadId": THREAD,
            "cwd": str(workspace),
            **({"options": options} if options else {}),
        }
        self._say = say
        self._prompts = itertools.count(1)
        self._runtime: Runtime | None = None
        self._identity: str | None = None
        self._step = Step(wait=When())
        self._answers: itertools.count[int] = itertools.count()
        self._questions: itertools.count[int] = itertools.count()
        self._seen: list[tuple[str, str]] = []

    async def play(self) -> None:
        """All steps, in as many processes as they ask for. Raises ScenarioFailed and InputError."""
        try:
            await self._open()
            for step in self._steps:
                self._step, self._seen = step, []
                self._answers, self._questions = itertools.count(), itertools.count()
                await self._play(step)
            await self._leave()
        except RuntimeRefused as refused:
            raise ScenarioFailed(f"the agent refused: {refused}") from None
        except TimeoutError:
            raise ScenarioFailed("the agent did not answer in time") from None
        finally:
            await self._close()
        self._check()

    async def _play(self, step: Step) -> None:
        if step.resume:
            await self._leave()
            await self._close()
            self._check()
            self._say("a second process resumes the thread")
            await self._open()
        elif step.wait is not None:
            if not await self._reached(step.wait, step.seconds):
                raise ScenarioFailed(f"{_told(step.wait)} was not seen within {step.seconds:g} s")
            self._say(f"saw {_told(step.wait)}")
            await self._settle()
        else:
            await self._turn(step)

    async def _turn(self, step: Step) -> None:
        runtime = self._live()
        text = step.prompt or ""
        self._say(f"prompt: {text.strip()}")
        more = {"clientRequestId": f"prompt-{next(self._prompts)}"}
        if self._identity is not None:
            more["providerThreadId"] = self._identity
        await runtime.start_turn(THREAD, text, OPEN_SECONDS, **more)
        reached: list[During] = []
        meanwhile = [
            asyncio.create_task(self._when(during, step.seconds, reached.append)) for during in step.during
        ]
        try:
            turn = await runtime.turn_end(THREAD, step.seconds)
            late = [task for during, task in zip(step.during, meanwhile, strict=True) if during in reached]
            if late:
                await asyncio.wait(late, timeout=step.seconds)
        finally:
            for task in meanwhile:
                task.cancel()
            done = await asyncio.gather(*meanwhile, return_exceptions=True)
        self._check()
        self._say(f"turn {turn.status}" + (f": {turn.error}" if turn.error else ""))
        for during, result in zip(step.during, done, strict=True):
            if during not in reached:
                raise ScenarioFailed(f"the turn ended before {_told(during.when)} was seen")
            if isinstance(result, BaseException):
                raise result
        await self._settle()

    async def _when(self, during: During, seconds: float, reached: Callable[[During], None]) -> None:
        if not await self._reached(during.when, seconds):
            return
        await self._settle()
        reached(during)
        runtime = self._live()
        if during.stop:
            self._say(f"saw {_told(during.when)}: stop")
            await runtime.interrupt(THREAD)
        elif during.steer is not None:
            self._say(f"saw {_told(during.when)}: steer")
            await runtime.steer(THREAD, during.steer)

    # -- the connection ------------------------------------------------------------------------------

    async def _open(self) -> None:
        self.runs += 1
        runtime = self._runtime = self._connect(self.runs)
        runtime.on_event = self._event
        runtime.on_question = self._asked
        await runtime.start()
        self.agent = await self._ask("initialize", self._initialize)
        if self._identity is None:
            await self._ask("thread/start", self._thread)
            self._identity = runtime.identities.get(THREAD)
        else:
            await self._ask("thread/resume", {**self._thread, "providerThreadId": self._identity})
        self._say(f"agent started (process {self.runs})")

    async def _ask(self, method: str, params: dict[str, Any]) -> Any:
        runtime = self._live()
        try:
            return await runtime.request(method, params, OPEN_SECONDS)
        except RuntimeRefused as refused:
            self._check()
            raise ScenarioFailed(f"{method} was refused: {refused}") from None
        except TimeoutError:
            raise ScenarioFailed(f"{method} was not answered within {OPEN_SECONDS:g} s") from None

    async def _close(self) -> None:
        runtime = self._runtime
        if runtime is not None:
            self._identity = runtime.identities.get(THREAD, self._identity)
            await runtime.stop()

    async def _leave(self) -> None:
        """Let the agent come to rest; what it waits for of its terminals is answered before it is ended."""
        await self._settle()
        crossed = self._crossed()
        await self._release()
        await asyncio.sleep(_POLL_SECONDS)
        if self._crossed() != crossed:
            await self._settle()

    async def _settle(self) -> None:
        """Wait until nothing crosses any more, for a while and not for ever."""
        loop = asyncio.get_running_loop()
        end, last, since = loop.time() + _SETTLE_SECONDS, -1, loop.time()
        while (now := loop.time()) < end:
            crossed = self._crossed()
            if crossed != last:
                last, since = crossed, now
            elif now - since >= _QUIET_SECONDS:
                return
            await asyncio.sleep(_POLL_SECONDS)

    def _live(self) -> Runtime:
        if self._runtime is None:
            raise ScenarioFailed("no agent is there")
        return self._runtime

    def _check(self) -> None:
        failure = self._runtime.live.failure if self._runtime is not None else None
        if failure is not None:
            raise ScenarioFailed(failure)

    # -- what is seen and asked ----------------------------------------------------------------------

    def _event(self, event: e.Event) -> None:
        document = encode(event).decode()
        self._seen.append((_type_of(event), document))

    async def _reached(self, when: When, seconds: float) -> bool:
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while not self._is_reached(when):
            if loop.time() > end or self._live().live.failure is not None:
                return False
            await asyncio.sleep(_POLL_SECONDS)
        return True

    def _is_reached(self, when: When) -> bool:
        if when.file is not None and not (self._workspace / when.file).exists():
            return False
        if when.event is None and when.contains is None:
            return True
        return any(
            (when.event is None or kind == when.event)
            and (when.contains is None or when.contains in document)
            for kind, document in self._seen
        )

    async def _asked(self, thread_id: str, payload: Question) -> Answer:
        if is_question(payload):
            answer = answered(payload, self._choose)
            told = ", ".join(map(str, answer["answers"].values()))
        else:
            decisions = self._step.answer if isinstance(self._step.answer, list) else [self._step.answer]
            told = decisions[min(next(self._answers), len(decisions) - 1)]
            answer = decide(payload, told)
        self._say(f"asked: {payload.get('title') or payload.get('kind')} → {told}")
        return answer

    def _choose(self, labels: Sequence[str]) -> str:
        """The label the step chooses for the next question, else the first."""
        number = next(self._questions)
        if number < len(self._step.choose):
            return self._step.choose[number]
        return labels[0] if labels else "yes"


def _type_of(event: e.Event) -> str:
    config = type(event).__struct_config__
    with contextlib.suppress(AttributeError):
        return str(config.tag)
    return type(event).__name__


def _told(when: When) -> str:
    parts = [when.event or "", f"{when.contains!r}" if when.contains else "", when.file or ""]
    return " ".join(part for part in parts if part) or "anything"
