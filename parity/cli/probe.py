"""`parity probe`: talk to an agent in the terminal, see its timeline grow, keep what it said.

Prompts come from `--prompt` or from standard input, answers to what it asks from a flag or from the person
at the terminal; where there is neither, it is cancelled. Ctrl-C stops the turn, a second one the probe.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import signal
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

from msgspec import Struct

from parity.capture.answers import (
    CANCELLED,
    Decision,
    answered,
    chosen,
    decide,
    is_question,
    labels_of,
    name_of,
    options_of,
    questions_of,
)
from parity.capture.keeping import Kept, RecordingFailed
from parity.capture.probe import Plan, Probe, ProbeFailed, placed, provider_of
from parity.capture.probe_log import ProbeRecorder
from parity.cli.probe_report import report, report_document
from parity.cli.probe_screen import Screen, one_line
from parity.cli.typed_lines import TypedLines
from parity.gates.settings import Settings
from parity.shell.runtime import Answer, Question
from parity.wire import InputError
from parity.wire.manifest import check_cell_name

INTERRUPTED = 130

Model: TypeAlias = Literal["scripted", "live"] | None


class Request(Struct, kw_only=True):
    """What the user asked for, as typed."""

    command: list[str]
    prompts: list[str]
    provider: str | None
    decision: Decision | None
    cwd: Path | None
    protocol: int
    timeout: float
    log: Path | None
    lanes: Path | None
    cell: str | None
    into: Path | None
    model: Model
    description: str
    overwrite: bool


def request_of(*, decisions: dict[str, bool], model: str | None, **typed: Any) -> Request:
    """The request in the words of the command line. Raises InputError."""
    given = [name for name, is_given in decisions.items() if is_given]
    if len(given) > 1:
        flags = " and ".join(f"--{name}" for name in given)
        raise InputError(flags, None, "contradict each other", "give one of them")
    if model not in ("scripted", "live", None):
        raise InputError("--model", None, f"{model!r} is none of its values", "choose from scripted, live")
    decision = cast("Decision | None", given[0] if given else None)
    return Request(decision=decision, model=cast("Model", model), **typed)


class _Place(Struct):
    """The cell to be."""

    root: Path
    provider: str
    cell: str


def run(settings: Settings, request: Request, *, as_json: bool) -> int:
    """Probe an agent; the exit code. Raises InputError before anything is started.

    0 when all went well, 1 when the agent or a turn failed or the cell does not replay cleanly, 130 when it
    was ended in the middle of a turn.
    """
    place = _place(settings, request)
    provider = place.provider if place is not None else request.provider or provider_of(request.command)
    if request.timeout < 0:
        raise InputError("--timeout", None, f"{request.timeout:g} is below 0", "give seconds, or 0 for any")
    if request.protocol != 1 and provider.split("-", 1)[0] != "acp":
        raise InputError("--protocol", None, f"{provider} has no versions to offer", "leave it out")
    with _workspace(request) as (workspace, command):
        plan = Plan(
            command=command,
            shown=request.command,
            provider=provider,
            workspace=workspace,
            protocol=request.protocol,
            silence=request.timeout or None,
        )
        recorder = ProbeRecorder(
            log=request.log, lanes=request.lanes, keep=place is not None, overwrite=request.overwrite
        )
        try:
            return asyncio.run(_Talk(plan, request, recorder, place, as_json=as_json).run())
        finally:
            recorder.close()


def _place(settings: Settings, request: Request) -> _Place | None:
    if request.cell is None:
        for option, given in (("--model", request.model), ("--into", request.into)):
            if given is not None:
                raise InputError(option, None, "is for a cell", "name the cell with --as PROVIDER/CELL")
        return None
    provider, _, cell = request.cell.partition("/")
    root = request.into or settings.recordings
    if not cell:
        raise InputError(
            "--as", None, f"{request.cell!r} is no PROVIDER/CELL", "write e.g. acp-mine/turn-tools"
        )
    check_cell_name("provider", provider, root)
    check_cell_name("cell", cell, root)
    if request.provider is not None and request.provider != provider:
        raise InputError("--as", None, f"{provider} is not {request.provider}", "give one provider")
    if (root / provider / cell).exists() and not request.overwrite:
        what = "the cell exists"
        raise InputError(
            root / provider / cell, None, what, "choose another name, or replace it (--overwrite)"
        )
    return _Place(root, provider, cell)


@contextlib.contextmanager
def _workspace(request: Request) -> Iterator[tuple[Path, list[str]]]:
    """Where the agent works, and its command as it is started there."""
    if request.cwd is not None:
        if not request.cwd.is_dir():
            raise InputError(request.cwd, None, "is no folder", "name the agent's workspace")
        yield request.cwd.resolve(), placed(request.command, Path.cwd())
        return
    folder = Path(tempfile.mkdtemp(prefix="parity-probe-")).resolve()
    workspace = folder / "workspace"
    workspace.mkdir()
    try:
        yield workspace, placed(request.command, Path.cwd())
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _Talk:
    """One conversation at the terminal."""

    def __init__(
        self, plan: Plan, request: Request, recorder: ProbeRecorder, place: _Place | None, *, as_json: bool
    ) -> None:
        self._plan = plan
        self._request = request
        self._place = place
        self._json = as_json
        self._screen = Screen(as_json=as_json)
        self._typed = TypedLines()
        self._probe = Probe(plan, recorder, self._screen.rows, self._screen.event, self._asked)
        self._main: asyncio.Task[None] | None = None
        self._stopping: asyncio.Task[None] | None = None
        self._cut = False
        self._asking = asyncio.Lock()

    async def run(self) -> int:
        """All of it: the conversation, the report, the cell; the exit code."""
        self._main = asyncio.create_task(self._converse())
        loop = asyncio.get_running_loop()
        numbers = (signal.SIGINT, signal.SIGTERM)
        with contextlib.suppress(ValueError, RuntimeError):  # not the main thread
            loop.add_signal_handler(signal.SIGINT, self._interrupted)
            loop.add_signal_handler(signal.SIGTERM, self._ended)
        failure = None
        try:
            await self._main
        except ProbeFailed as failed:
            failure = str(failed)
        except asyncio.CancelledError:
            pass
        finally:
            await self._probe.close()
            for number in numbers:
                loop.remove_signal_handler(number)
        if failure is not None:
            self._screen.failed(failure, self._probe.live.stderr_tail)
            self._hint()
        return self._finish(failure)

    # -- prompts -------------------------------------------------------------------------------------

    async def _converse(self) -> None:
        probe, screen = self._probe, self._screen
        if self._request.cwd is None:
            screen.say("workspace: a temporary folder; --cwd DIR for one of yours, --cwd . for this one")
        with screen.growing():
            await probe.open()
        name, version = probe.told_name()
        words = " ".join(word for word in (name, version) if word) or "an agent without a name"
        screen.say(f"{words}, as {self._plan.provider}")
        prompts: Sequence[str] | None = self._request.prompts or None
        at = 0
        while True:
            text = await self._typed_prompt() if prompts is None else "".join(prompts[at : at + 1]) or None
            at += 1
            if text is None:
                return
            if not text.strip():
                continue
            with screen.growing():
                await probe.prompt(text)
                await probe.settle()

    async def _typed_prompt(self) -> str | None:
        if self._typed.is_terminal:
            self._screen.ask("prompt (Ctrl-D ends)> ")
        text = await self._typed.next()
        if text is None and self._typed.is_terminal:
            self._screen.say("")
        return text

    # -- what the agent asks -------------------------------------------------------------------------

    async def _asked(self, payload: Question) -> Answer:
        """One question at a time."""
        async with self._asking:
            title = one_line(str(payload.get("title") or payload.get("kind") or "something"))
            decision = self._request.decision
            if decision is None and self._typed.is_terminal:
                with self._screen.resting():
                    return await self._person(payload, title)
            if decision is None:
                self._screen.say(f"asked: {title} → cancelled; nobody is here to answer (--allow, --deny)")
                return CANCELLED
            self._screen.say(f"asked: {title} → {decision}")
            if is_question(payload) and decision == "allow":
                return answered(payload, lambda labels: labels[0] if labels else "yes")
            return CANCELLED if is_question(payload) else decide(payload, decision)

    async def _person(self, payload: Question, title: str) -> Answer:
        if is_question(payload):
            answers = {}
            for question in questions_of(payload):
                words = one_line(str(question.get("question") or question.get("prompt") or title))
                told = await self._choice(words, labels_of(question), free=True)
                if told is None:
                    return CANCELLED
                answers[name_of(question)] = told
            return {"decision": "answered", "answers": answers}
        options = options_of(payload)
        labels = [str(one.get("name") or one["optionId"]) for one in options] or ["Allow", "Deny"]
        reason = payload.get("reason")
        if reason:
            self._screen.say(f"  {one_line(str(reason))}")
        told = await self._choice(title, labels)
        if told is None:
            return CANCELLED
        if not options:
            return decide(payload, "allow" if told == "Allow" else "deny")
        return chosen(options[labels.index(told)])

    async def _choice(self, title: str, labels: list[str], *, free: bool = False) -> str | None:
        """One of the labels, or (`free`) any words; None cancels."""
        self._typed.forget()
        self._screen.say(f"? {title}", "bold")
        for number, label in enumerate(labels, 1):
            self._screen.say(f"  {number}  {one_line(label)}", "")
        while True:
            self._screen.ask("number, or nothing to cancel> " if not free else "number or words> ")
            told = await self._typed.next()
            if told is None or not told.strip():
                return None
            told = told.strip()
            if told.isdigit() and 1 <= int(told) <= len(labels):
                return labels[int(told) - 1]
            if free:
                return told
            self._screen.say(f"give a number from 1 to {len(labels)}")

    # -- the end -------------------------------------------------------------------------------------

    def _interrupted(self) -> None:
        """Ctrl-C."""
        if not self._probe.working or (self._stopping is not None and not self._stopping.done()):
            self._ended()
            return
        self._screen.say("stopping the turn; Ctrl-C again ends the probe", "yellow")
        self._stopping = asyncio.create_task(self._stop())

    async def _stop(self) -> None:
        with contextlib.suppress(ProbeFailed):
            await self._probe.interrupt()
        while self._probe.working:
            await asyncio.sleep(0.02)

    def _ended(self) -> None:
        self._cut = self._probe.working
        if self._main is not None:
            self._main.cancel()

    def _hint(self) -> None:
        """What may help an agent that did not even say what it is."""
        if self._probe.agent:
            return
        if self._probe.live.failure is None and self._plan.protocol == 1:
            self._screen.say("  one that speaks only the draft of ACP 2 needs --protocol 2")
        elif self._probe.live.failure is not None and self._request.cwd is None:
            self._screen.say("  it was started in a temporary folder; --cwd . starts it here")

    def _finish(self, failure: str | None) -> int:
        probe, screen, place = self._probe, self._screen, self._place
        kept: Kept | None = None
        refusal: str | None = None
        if place is not None and self._cut:
            refusal = "ended in the middle of a turn"
        elif place is not None and not probe.turns:
            refusal = "there was no turn"
        elif place is not None:
            request = self._request
            try:
                kept = probe.keep(
                    place.root,
                    place.cell,
                    model=request.model,
                    description=request.description,
                    replace=request.overwrite,
                )
            except RecordingFailed as failed:
                refusal = str(failed)
                for line in failed.details:
                    screen.say(f"  {one_line(line)}")
        if self._json:
            screen.document(report_document(probe, failure, self._request.log, kept))
        else:
            for text in report(probe, self._request.log, self._request.lanes, kept):
                screen.line(text)
        if refusal is not None and place is not None:
            screen.say(f"{place.provider}/{place.cell}: {refusal}; no cell was written", "red")
        if self._cut:
            return INTERRUPTED
        problems = kept is not None and (kept.outcome.stalls or kept.outcome.unconsumed)
        failed_turns = any(turn.status == "failed" for turn in probe.turns)
        return int(bool(failure or failed_turns or problems or refusal))
