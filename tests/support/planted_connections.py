"""Bugs of the connection and of threads; a bug's docstring says what is wrong."""

from __future__ import annotations

from typing import Any

from planted import Json, Planted, code, is_stop

from parity.bridges import ToProvider, ToRuntime

# -- the connection ------------------------------------------------------------------------------------------


class SilentHandshake(Planted):
    """`initialize` is never answered."""

    def tells_runtime(self, message: Json) -> list[Json]:
        return [] if "protocolVersion" in str(message.get("result")) or code(message) == -32000 else [message]


class HidesARefusedHandshake(Planted):
    """An agent that refuses `initialize` is welcome all the same."""

    def hears_agent(self, message: Any) -> Any:
        refused = message.get("id") == 1 and "error" in message if isinstance(message, dict) else False
        return {"jsonrpc": "2.0", "id": 1, "result": {}} if refused else message


class IgnoresUnknownMethods(Planted):
    """A request of an unknown method is never answered."""

    def tells_runtime(self, message: Json) -> list[Json]:
        return [] if code(message) == -32601 else [message]


class MisnamesUnknownMethods(Planted):
    """A request of an unknown method is an internal error."""

    def tells_runtime(self, message: Json) -> list[Json]:
        if code(message) == -32601:
            message["error"]["code"] = -32603
        return [message]


class AnswersNotifications(Planted):
    """A notification is answered, with a null id."""

    def hears_runtime(self, message: Any) -> Any:
        if isinstance(message, dict) and "method" in message and "id" not in message:
            self.extra.append(ToRuntime({"jsonrpc": "2.0", "id": None, "result": {}}))
        return message


class MisnamesBadParams(Planted):
    """Params that do not fit are an internal error."""

    def tells_runtime(self, message: Json) -> list[Json]:
        if code(message) == -32602:
            message["error"]["code"] = -32603
        return [message]


class RetypesIds(Planted):
    """An id that is a text of digits is answered as a number."""

    def tells_runtime(self, message: Json) -> list[Json]:
        if "method" not in message and str(message["id"]).isdigit():
            message["id"] = int(message["id"])
        return [message]


class AnswersTwice(Planted):
    """`turn/start` is answered at once, and again."""

    def tells_runtime(self, message: Json) -> list[Json]:
        return [message, message] if message.get("result") == {"threadId": "thread-1"} else [message]


class CountsNoNoise(Planted):
    """What is no message is not counted."""

    @property
    def noise(self) -> int:
        return 0


class AnswersNoise(Planted):
    """What is no message gets a parse error."""

    def hears_runtime(self, message: Any) -> Any:
        if not isinstance(message, dict):
            error = {"code": -32700, "message": "parse error"}
            self.extra.append(ToRuntime({"jsonrpc": "2.0", "id": None, "error": error}))
        return message


class TakesAnyTypeOfId(Planted):
    """The agent's answers are matched by the digits of their ids."""

    def hears_agent(self, message: Any) -> Any:
        if isinstance(message, dict) and "method" not in message and str(message.get("id")).isdigit():
            return {**message, "id": int(message["id"])}
        return message


class TakesAnyAnswer(Planted):
    """Whatever answer the runtime gives, it is one to the open question."""

    def hears_runtime(self, message: Any) -> Any:
        if isinstance(message, dict) and "method" not in message and "id" in message:
            return {**message, "id": 1}
        return message


class SaysNothingKnown(Planted):
    """A message to the runtime with neither method nor id, at each turn."""

    def tells_runtime(self, message: Json) -> list[Json]:
        is_turn = "turn.open" in str(message)
        return [message, {"jsonrpc": "2.0", "note": "a turn"}] if is_turn else [message]


class InventsADelta(Planted):
    """A delta of no known kind, at each turn."""

    def delta(self, delta: Json) -> list[Json]:
        return [delta, {"kind": "turn.invented"}] if delta["kind"] == "turn.open" else [delta]


class LeavesUnknownRequests(Planted):
    """A request of the agent that it does not know is never answered."""

    def tells_agent(self, message: Json) -> list[Json]:
        return [] if code(message) == -32601 else [message]


class CrashesOnOddUpdates(Planted):
    """An update that is none is a crash."""

    def hears_agent(self, message: Any) -> Any:
        params = message.get("params") if isinstance(message, dict) else None
        if isinstance(params, dict) and "update" in params:
            params["update"]["sessionUpdate"]
        return message


# -- threads -------------------------------------------------------------------------------------------------


class TellsNoIdentity(Planted):
    """`thread/identity` is never sent."""

    def tells_runtime(self, message: Json) -> list[Json]:
        return [] if message.get("method") == "thread/identity" else [message]


class ForgetsTheProvidersId(Planted):
    """`thread/identity` lacks the agent's id."""

    def tells_runtime(self, message: Json) -> list[Json]:
        if message.get("method") == "thread/identity":
            del message["params"]["providerThreadId"]
        return [message]


class TellsIdentityTwice(Planted):
    """`thread/identity` is sent twice."""

    def tells_runtime(self, message: Json) -> list[Json]:
        return [message, message] if message.get("method") == "thread/identity" else [message]


class HidesARefusedThread(Planted):
    """A thread that the agent refused is started all the same."""

    def tells_runtime(self, message: Json) -> list[Json]:
        if code(message) == -32000 and self.inner._agent:
            return [{"jsonrpc": "2.0", "id": message["id"], "result": {}}]
        return [message]


class StartsThreadsAgain(Planted):
    """A thread that exists may be started again; nothing comes of it."""

    def tells_runtime(self, message: Json) -> list[Json]:
        if "exists already" in str(message.get("error")):
            return [{"jsonrpc": "2.0", "id": message["id"], "result": {}}]
        return [message]


class MixesThreads(Planted):
    """Texts of any session are the first one's."""

    def hears_agent(self, message: Any) -> Any:
        if "agent_message_chunk" in str(message) and message["params"]["sessionId"] == "session-2":
            message["params"]["sessionId"] = "session-1"
        return message


class StopsEverySession(Planted):
    """A stop of one thread stops the agent's other sessions too."""

    def tells_agent(self, message: Json) -> list[Json]:
        if message.get("method") != "session/cancel":
            return [message]
        every = [thread.session_id for thread in self.inner.sessions.threads.values()]
        return [{**message, "params": {"sessionId": one}} for one in every]


class ResumesAnew(Planted):
    """A resumed thread is a new session."""

    def hears_runtime(self, message: Any) -> Any:
        resumes = isinstance(message, dict) and message.get("method") == "thread/resume"
        if resumes and "providerThreadId" in message["params"]:
            return {**message, "method": "thread/start"}
        return message


class ShowsHistory(Planted):
    """What a resumed session repeats is a turn of its own."""

    def hears_agent(self, message: Any) -> Any:
        if "long ago" in str(message):
            key = {"channel": "agentMessage"}
            text = {"kind": "item.textDelta", "key": key, "text": "long ago"}
            self.say({"kind": "turn.open"}, text, {"kind": "turn.boundary", "status": "completed"})
        return message


class StopsOnRelease(Planted):
    """A release tells the agent to stop."""

    def hears_runtime(self, message: Any) -> Any:
        if is_stop(message, "release"):
            cancel = {"method": "session/cancel", "params": {"sessionId": "session-1"}}
            self.extra.append(ToProvider({"jsonrpc": "2.0", **cancel}))
        return message


class EndsTheTurnOnRelease(Planted):
    """A release ends the open turn for the runtime."""

    def hears_runtime(self, message: Any) -> Any:
        if is_stop(message, "release"):
            self.say({"kind": "turn.boundary", "status": "interrupted"})
        return message


class NeverLetsGo(Planted):
    """A release is answered, and nothing is released."""

    def hears_runtime(self, message: Any) -> Any:
        if is_stop(message, "release"):
            answer = {"jsonrpc": "2.0", "id": message["id"], "result": {}}
            self.extra.append(ToRuntime(answer))
            return {"jsonrpc": "2.0", "id": 999_999, "result": {}}
        return message
