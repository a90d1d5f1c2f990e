"""Bugs of turns, approvals and content; a bug's docstring says what is wrong."""

from __future__ import annotations

from typing import Any

from planted import Json, Planted, is_stop

from parity.bridges import ToProvider, ToRuntime
from parity.wire import decode, encode

# -- turns ---------------------------------------------------------------------------------------------------


class StartsTurnsTwice(Planted):
    """A turn starts inside itself."""

    def delta(self, delta: Json) -> list[Json]:
        return [delta, delta] if delta["kind"] == "turn.open" else [delta]


class SettlesTurnsTwice(Planted):
    """A turn settles twice."""

    def delta(self, delta: Json) -> list[Json]:
        return [delta, delta] if delta["kind"] == "turn.boundary" else [delta]


class NeverSettlesTurns(Planted):
    """No turn settles."""

    def delta(self, delta: Json) -> list[Json]:
        return [] if delta["kind"] == "turn.boundary" else [delta]


class SettlesInItsOwnWords(Planted):
    """A turn settles with a status nobody knows."""

    def delta(self, delta: Json) -> list[Json]:
        return [{**delta, "status": "done"}] if delta.get("status") == "completed" else [delta]


class WorksAfterTheTurn(Planted):
    """An item opens when its turn is over."""

    def delta(self, delta: Json) -> list[Json]:
        late = {"kind": "item.open", "key": {"providerItemId": "late"}, "item": {"type": "tool", "tool": "x"}}
        return [delta, late] if delta["kind"] == "turn.boundary" else [delta]


class TalksOfUnopenedItems(Planted):
    """Progress is told of an item that never opened."""

    def delta(self, delta: Json) -> list[Json]:
        early = {"kind": "item.progress", "key": {"providerItemId": "none"}, "message": "…"}
        return [delta, early] if delta["kind"] == "turn.open" else [delta]


class SettlesItemsTwice(Planted):
    """A call settles twice."""

    def delta(self, delta: Json) -> list[Json]:
        return [delta, delta] if delta["kind"] == "item.close" else [delta]


class LeavesOutTheSecondRefusal(Planted):
    """A turn in an open turn is not refused; nothing comes of it."""

    def tells_runtime(self, message: Json) -> list[Json]:
        if "is open; steer or stop it" in str(message.get("error")):
            return [{"jsonrpc": "2.0", "id": message["id"], "result": {}}]
        return [message]


class TrimsInput(Planted):
    """The agent gets the input without the space around it."""

    def tells_agent(self, message: Json) -> list[Json]:
        if message.get("method") == "session/prompt":
            for block in message["params"]["prompt"]:
                block["text"] = block["text"].strip()
        return [message]


class TellsNoInput(Planted):
    """That input was accepted is never told."""

    def delta(self, delta: Json) -> list[Json]:
        return [] if delta["kind"] == "input.accepted" else [delta]


class HidesErrors(Planted):
    """A prompt that ends in an error went well."""

    def hears_agent(self, message: Any) -> Any:
        if isinstance(message, dict) and "error" in message and int(message.get("id") or 0) > 2:
            return {"jsonrpc": "2.0", "id": message["id"], "result": {"stopReason": "end_turn"}}
        return message


class LosesTheAgentsWords(Planted):
    """A failed turn does not say why."""

    def delta(self, delta: Json) -> list[Json]:
        if delta["kind"] == "provider.error":
            return []
        return [{**delta, "error": "something failed"}] if "error" in delta else [delta]


class SteersNothing(Planted):
    """Input into an open turn is accepted and thrown away."""

    def hears_runtime(self, message: Any) -> Any:
        if isinstance(message, dict) and message.get("method") == "turn/steer":
            self.extra.append(ToRuntime({"jsonrpc": "2.0", "id": message["id"], "result": {}}))
            return {"jsonrpc": "2.0", "id": 999_999, "result": {}}
        return message


class IgnoresStops(Planted):
    """A stop is answered, and the agent never hears of it."""

    def tells_agent(self, message: Json) -> list[Json]:
        return [] if message.get("method") == "session/cancel" else [message]


class SettlesOnStop(Planted):
    """A stop ends the turn before the agent does."""

    def tells_agent(self, message: Json) -> list[Json]:
        if message.get("method") == "session/cancel" and not any(
            session.steering for session in self.inner.sessions.threads.values()
        ):
            self.say({"kind": "turn.boundary", "status": "interrupted"})
        return [message]


class InventsASignalsCode(Planted):
    """A stopped command has the exit code 130."""

    def delta(self, delta: Json) -> list[Json]:
        stopped = delta["kind"] == "item.close" and delta["status"] == "interrupted"
        return [{**delta, "exitCode": 130}] if stopped else [delta]


class StopsNothing(Planted):
    """A stop with no turn open makes a turn to stop."""

    def hears_runtime(self, message: Any) -> Any:
        if is_stop(message, "interrupt"):
            session = self.inner.sessions.threads.get(message["params"]["threadId"])
            if session is not None and not session.prompting:
                self.say({"kind": "turn.open"}, {"kind": "turn.boundary", "status": "interrupted"})
        return message


class StaysStopped(Planted):
    """After a stop every turn is an interrupted one."""

    stopped = False

    def hears_runtime(self, message: Any) -> Any:
        self.stopped = self.stopped or is_stop(message, "interrupt")
        return message

    def delta(self, delta: Json) -> list[Json]:
        is_end = delta["kind"] == "turn.boundary" and self.stopped
        return [{**delta, "status": "interrupted"}] if is_end else [delta]


# -- approvals -----------------------------------------------------------------------------------------------


class AsksTwice(Planted):
    """A person is asked twice about one call."""

    def tells_runtime(self, message: Json) -> list[Json]:
        if message.get("method") == "interaction/request":
            return [message, {**message, "id": message["id"] + 1000}]
        return [message]


class AsksAboutNothing(Planted):
    """A question does not say which call it is about."""

    def tells_runtime(self, message: Json) -> list[Json]:
        if message.get("method") == "interaction/request":
            del message["params"]["itemId"]
        return [message]


class NeverAsks(Planted):
    """A permission request of the agent reaches nobody."""

    def tells_runtime(self, message: Json) -> list[Json]:
        return [] if message.get("method") == "interaction/request" else [message]


class AllowsWhatWasDenied(Planted):
    """Whatever the person decides, the agent may go on."""

    def tells_agent(self, message: Json) -> list[Json]:
        return [decode(encode(message).replace(b'"optionId":"no"', b'"optionId":"yes"'))]


class AnswersAgentsInText(Planted):
    """The agent's requests are answered under the texts of their ids."""

    def tells_agent(self, message: Json) -> list[Json]:
        return [message] if "method" in message else [{**message, "id": str(message["id"])}]


class LeavesQuestionsOnStop(Planted):
    """A stop leaves the agent waiting for its answer."""

    def tells_agent(self, message: Json) -> list[Json]:
        return [] if '"outcome":"cancelled"' in encode(message).decode() else [message]


class AllowsOnStop(Planted):
    """A stop allows what was being asked."""

    def tells_agent(self, message: Json) -> list[Json]:
        if '"outcome":"cancelled"' in encode(message).decode():
            message["result"] = {"outcome": {"outcome": "selected", "optionId": "yes"}}
        return [message]


class PassesLateAnswersOn(Planted):
    """An answer that comes after the stop is passed on to the agent."""

    stopped = False

    def hears_runtime(self, message: Any) -> Any:
        self.stopped = self.stopped or is_stop(message, "interrupt")
        if self.stopped and isinstance(message, dict) and "method" not in message and message.get("id") == 1:
            outcome = {"outcome": {"outcome": "selected", "optionId": "yes"}}
            self.extra.append(ToProvider({"jsonrpc": "2.0", "id": 0, "result": outcome}))
        return message


# -- content -------------------------------------------------------------------------------------------------


class TrimsText(Planted):
    """Pieces of a text lose the space around them."""

    def delta(self, delta: Json) -> list[Json]:
        return [{**delta, "text": delta["text"].strip()}] if delta["kind"] == "item.textDelta" else [delta]


class JoinsEqualPieces(Planted):
    """A piece of text that repeats the one before is taken for a copy."""

    last = ""

    def delta(self, delta: Json) -> list[Json]:
        if delta["kind"] != "item.textDelta":
            return [delta]
        self.last, before = delta["text"], self.last
        return [] if before == delta["text"] else [delta]


class ShortensWholeTexts(Planted):
    """The whole text of a message is only its beginning."""

    def delta(self, delta: Json) -> list[Json]:
        return [{**delta, "text": "…"}] if delta["kind"] == "item.textClose" else [delta]


class LosesOutput(Planted):
    """What a command printed is not told."""

    def delta(self, delta: Json) -> list[Json]:
        delta.pop("aggregatedOutput", None)
        return [] if delta["kind"] == "command.outputSnapshot" else [delta]


class AppendsSnapshots(Planted):
    """All of a command's output is appended each time some comes."""

    def delta(self, delta: Json) -> list[Json]:
        return (
            [{**delta, "kind": "item.outputDelta"}] if delta["kind"] == "command.outputSnapshot" else [delta]
        )


class LosesExitCodes(Planted):
    """A command has no exit code."""

    def delta(self, delta: Json) -> list[Json]:
        delta.pop("exitCode", None)
        return [delta]


class InventsExitCodes(Planted):
    """A command that reports no exit code has 0."""

    def delta(self, delta: Json) -> list[Json]:
        return [{"exitCode": 0, **delta}] if delta["kind"] == "item.close" else [delta]


class RenamesCalls(Planted):
    """A call has an id of the bridge's own."""

    def delta(self, delta: Json) -> list[Json]:
        key = delta.get("key", {})
        if "providerItemId" in key:
            key["providerItemId"] = f"ours/{key['providerItemId']}"
        return [delta]


class DoublesCalls(Planted):
    """Each update of a call that changes it is a call of its own."""

    def delta(self, delta: Json) -> list[Json]:
        if delta["kind"] != "item.close":
            return [delta]
        close = {"kind": "item.close", "key": delta["key"], "status": "completed"}
        tool = {"type": "tool", "tool": "again"}
        return [delta, {"kind": "item.open", "key": delta["key"], "item": tool}, close]


class LeavesWorkOpen(Planted):
    """A call goes on in the background for ever."""

    def delta(self, delta: Json) -> list[Json]:
        if delta["kind"] == "item.open":
            delta["item"]["background"] = True
        return [] if delta["kind"] == "item.close" else [delta]


class DropsUnknownNews(Planted):
    """What it does not know is thrown away."""

    def delta(self, delta: Json) -> list[Json]:
        return [] if delta["kind"] == "unhandled" else [delta]


class SaysNothing(Planted):
    """No delta is ever sent."""

    def tells_runtime(self, message: Json) -> list[Json]:
        return [] if message.get("method") == "thread/delta" else [message]
