"""Stage: a thread of today's bridge in which stored rows are played, one after another.

States: *new* · *in turn* · *ended*. `take` puts the stage where the row stood: in an open turn with its call
open, or (a settled row) after the end of that turn; then the agent says the row. What came of it is counted
from what the bridge says and the assembler's events. A stage that has taken much begins anew, so that memory
is bounded; a call's last update is then said again first, so that growth stays growth.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence

from msgspec import Struct

from parity.auditing.exports import Stored
from parity.auditing.scripts import SCRIPTS, Script
from parity.bridges import FAMILIES, HostCall, Message, Output, ToProvider, ToRuntime, bridge_for, family_of
from parity.grammar import events as e
from parity.grammar.assembler import Assembler

ROWS, BYTES = 256, 512 * 1024
"""What a stage takes before it begins anew."""

_THREAD = "audit"
_RECENT = 16  # calls whose last update is kept
_RECENT_BYTES = 512 * 1024


class Taken(Struct, gc=False):
    """What came of one row."""

    handled: bool
    quiet: bool = False
    """Handled by decision, with nothing to show."""
    characters: int = 0
    """Of output that streams."""
    assumed: bool = False
    """Whether its call was opened as a command on an assumption."""
    fits: bool = True
    """False where the row is no message of the provider's wire."""


class Stage:
    """A thread of one provider. Raises KeyError where no built-in family serves it."""

    def __init__(self, provider: str) -> None:
        self._provider = provider
        family = family_of(provider)
        name = next((name for name, one in FAMILIES.items() if one is family), provider)
        self._script_of: Callable[[], Script] = SCRIPTS[name]
        self._recent: OrderedDict[str, tuple[Message, int]] = OrderedDict()
        self._recent_bytes = 0
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._bridge = bridge_for(self._provider)
        self._script = self._script_of()
        self._assembler = Assembler(_THREAD)
        self._asked = 0
        self._rows = self._bytes = 0
        self._turn_id: str | None = None
        self._turns: set[str] = set()
        self._opened: dict[str | None, bool] = {}
        self._unhandled = self._characters = self._said = 0
        self._runtime("initialize", {})
        self._runtime("thread/start", {"threadId": _THREAD, "cwd": "/"})

    @property
    def held(self) -> int:
        """Bytes of rows the stage holds on to, at most."""
        return self._bytes + self._recent_bytes

    def call_id(self, row: Stored) -> str | None:
        """The agent's id of the call the row is about."""
        return self._script.call_id(row) or row.call_id

    def take(self, row: Stored, *, settled: bool, item_type: str | None = None) -> Taken:
        """Play one row; `settled`: after the end of its turn. `item_type` is what its call is known to be."""
        message = self._script.message(row)
        if message is None:
            return Taken(handled=False, fits=False)
        if self._rows >= ROWS or self._bytes >= BYTES:
            self._begin_anew()
        self._rows += 1
        self._bytes += row.size
        call_id = self.call_id(row)
        self._enter(self._script.turn_id(row) or row.turn_id)
        assumed = self._open(row, call_id, item_type)
        if settled:
            self._leave()
        noise = self._bridge.noise
        self._unhandled = self._characters = self._said = 0
        self._provider_says(message)
        taken = Taken(
            handled=self._unhandled == 0 and self._bridge.noise == noise,
            quiet=self._said == 0,
            characters=self._characters,
            assumed=assumed and self._characters > 0,
        )
        self._keep(call_id, message, row.size, settled)
        return taken

    # -- where the row stood -------------------------------------------------------------------------

    def _enter(self, turn_id: str | None) -> None:
        """Be in the row's turn."""
        other = turn_id is not None and self._turn_id not in (None, turn_id)
        if self._assembler.turn_open and other:
            self._leave()
        if turn_id is not None and turn_id in self._turns and not self._assembler.turn_open:
            rows, size = self._rows, self._bytes
            self._begin_anew()
            self._rows, self._bytes = rows, size
        if self._assembler.turn_open:
            return
        self._turn_id = turn_id or f"audit-{len(self._turns) + 1}"
        self._turns.add(self._turn_id)
        self._opened = {}
        began = self._script.begin(self._turn_id)
        text = [{"type": "text", "text": "audit"}]
        self._runtime("turn/start", {"threadId": _THREAD, "providerThreadId": "audit", "input": text})
        for message in began:
            self._provider_says(message)

    def _leave(self) -> None:
        """End the open turn."""
        if self._assembler.turn_open:
            for message in self._script.end():
                self._provider_says(message)

    def _open(self, row: Stored, call_id: str | None, item_type: str | None) -> bool:
        """Open the row's call, if it is not open; returns whether it was taken for a command."""
        if call_id is not None and call_id in self._opened:
            return self._opened[call_id]
        opening, assumed = self._script.opening(row, call_id, item_type)
        for message in opening:
            self._provider_says(message)
        if call_id is not None:
            self._opened[call_id] = assumed
            if call_id in self._recent and opening:
                self._provider_says(self._recent[call_id][0])
        return assumed

    def _keep(self, call_id: str | None, message: Message, size: int, settled: bool) -> None:
        """Keep a call's last update, for a stage that has to begin anew."""
        if call_id is None or settled or not self._script.cumulative or size > _RECENT_BYTES:
            return
        before = self._recent.pop(call_id, None)
        self._recent_bytes += size - (before[1] if before is not None else 0)
        self._recent[call_id] = message, size
        while len(self._recent) > _RECENT or self._recent_bytes > _RECENT_BYTES:
            self._recent_bytes -= self._recent.popitem(last=False)[1][1]

    # -- the connection ------------------------------------------------------------------------------

    def _runtime(self, method: str, params: Message) -> None:
        self._asked += 1
        request = {"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params}
        self._take(self._bridge.runtime(request))

    def _provider_says(self, message: Message) -> None:
        self._take(self._bridge.provider(message))

    def _take(self, outputs: Sequence[Output]) -> None:
        answers = []
        for output in outputs:
            if isinstance(output, ToRuntime):
                self._hear(output.message)
            elif isinstance(output, ToProvider):
                self._said += 1
                answers.append(self._script.answer(output.message))
            elif isinstance(output, HostCall):
                self._said += 1
        for answer in answers:
            if answer is not None:
                self._provider_says(answer)

    def _hear(self, message: Message) -> None:
        """What the bridge tells the runtime: deltas are assembled, everything else only noted."""
        self._said += 1
        if message.get("method") != "thread/delta":
            return
        for delta in message["params"]["deltas"]:
            for event in self._assembler.apply(delta):
                self._count(event)

    def _count(self, event: e.Event) -> None:
        if isinstance(event, (e.CommandOutputDelta, e.FileChangeOutputDelta)):
            self._characters += len(event.delta)
        elif isinstance(event, e.ProviderUnhandled):
            self._unhandled += 1
