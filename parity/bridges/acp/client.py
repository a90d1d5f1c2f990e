"""A foreign ACP client's traffic, read as the runtime requests that would have caused it.

The inverse of the bridge's provider side, for `parity import`: session/new → thread/start, session/load →
thread/resume, session/prompt → turn/start (turn/steer while one is open), session/cancel → thread/stop, an
answer to a permission request → the runtime's decision. Calls our bridge never makes are named as ignored.
"""

from __future__ import annotations

from typing import Any

from parity.bridges.acp.bridge import AcpBridge
from parity.bridges.base import Foreign, Message

_OPENS = {
    "session/new": "thread/start",
    "session/load": "thread/resume",
    "session/resume": "thread/resume",
    "session/fork": "thread/fork",
}
CLIENT_METHODS = frozenset(
    (
        "initialize",
        "authenticate",
        "logout",
        "auth/login",
        "auth/logout",
        "session/new",
        "session/load",
        "session/resume",
        "session/fork",
        "session/list",
        "session/delete",
        "session/close",
        "session/prompt",
        "session/cancel",
        "session/set_mode",
        "session/set_model",
        "session/set_config_option",
    )
)
"""Methods only a client sends: they tell the side of a bare message."""

_SETTINGS = ("session/set_mode", "session/set_config_option")
_IGNORED = {
    "authenticate": "the bridge leaves signing in to the agent's own command",
    "auth/login": "the bridge leaves signing in to the agent's own command",
    "auth/logout": "the bridge leaves signing in to the agent's own command",
    "logout": "the bridge leaves signing in to the agent's own command",
    "session/list": "the runtime keeps its own list of threads",
    "session/delete": "the runtime never deletes an agent's session",
    "session/close": "releasing a thread sends the agent nothing",
    "session/set_model": "the model is an option of the thread",
}


class AcpClient:
    """Reads one recorded client. `messages` is all it sent and was sent, for what must be known early."""

    def __init__(self, bridge: AcpBridge, messages: list[tuple[bool, Message]]) -> None:
        self._bridge = bridge
        self._threads = 0
        self._asked = 0
        self._prompting: set[str] = set()
        self._prompts: dict[Any, str] = {}  # by the key of its request
        self._ahead = _Ahead(messages)

    def client_message(self, message: Message) -> Foreign:
        """What the runtime would have sent where this request or notification was sent."""
        method = message["method"]
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        if method == "initialize":
            return self._request("initialize", _initialize(params))
        if method in _OPENS:
            return self._open(method, message.get("id"), params)
        if method == "session/prompt":
            return self._prompt(message.get("id"), params)
        if id(message) in self._ahead.accounted:
            return Foreign(runtime=[])
        thread_id = self._thread(params)
        if method == "session/cancel":
            return self._request("thread/stop", {"threadId": thread_id, "intent": "interrupt"})
        if method in _SETTINGS:
            return Foreign(ignored="a change inside a thread; the bridge sets modes when it starts one")
        if method.startswith("$/"):
            return Foreign(ignored="the bridge withdraws no request of its own")
        return Foreign(ignored=_IGNORED.get(method, "not a call of our bridge"))

    def agent_message(self, message: Message) -> None:
        """An answer to a prompt ends it: the next one is a turn of its own. In version 2 a state does so."""
        if self._ahead.tells_state:
            state, session_id = _state(message)
            if state is not None:
                (self._prompting.discard if state == "idle" else self._prompting.add)(str(session_id))
            if message.get("error") is None:
                return
        if "method" not in message and _key(message.get("id")) in self._prompts:
            self._prompting.discard(self._prompts.pop(_key(message["id"])))

    def answer(self, method: str, request: Message, response: Message) -> Message:
        """The runtime's response members behind the client's response to an agent's request."""
        params = request.get("params")
        if response.get("error") is not None:
            return {"error": response["error"]}
        result = response.get("result")
        if method != "session/request_permission":
            return {"result": self._bridge.dialect.decode_answer(method, result)}
        outcome = result.get("outcome") if isinstance(result, dict) else None
        option_id = outcome.get("optionId") if isinstance(outcome, dict) else None
        options = params.get("options") if isinstance(params, dict) else None
        for option in options if isinstance(options, list) else []:
            if not isinstance(option, dict):
                continue
            if option_id is not None and option.get("optionId") == option_id:
                allowed = str(option.get("kind")).startswith("allow")
                decision = "allowed" if allowed else "denied"
                return {"result": {"decision": decision, "optionId": option_id}}
        return {"result": {"decision": "cancelled"}}

    # -- requests ------------------------------------------------------------------------------------

    def _request(self, method: str, params: dict[str, Any]) -> Foreign:
        self._asked += 1
        request = {"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params}
        return Foreign(runtime=[request])

    def _open(self, method: str, request_id: Any, params: dict[str, Any]) -> Foreign:
        self._threads += 1
        request: dict[str, Any] = {"threadId": f"thread-{self._threads}"}
        if "sessionId" in params:
            request["providerThreadId"] = params["sessionId"]
        request["cwd"] = params.get("cwd")
        options = dict(self._ahead.options.get(_key(request_id), {}))
        if params.get("mcpServers"):
            options["mcpServers"] = params["mcpServers"]
        if options:
            request["options"] = options
        return self._request(_OPENS[method], request)

    def _prompt(self, request_id: Any, params: dict[str, Any]) -> Foreign:
        session_id = params.get("sessionId")
        thread_id = self._thread(params)
        method = "turn/steer" if str(session_id) in self._prompting else "turn/start"
        self._prompting.add(str(session_id))
        self._prompts[_key(request_id)] = str(session_id)
        request: dict[str, Any] = {"threadId": thread_id, "providerThreadId": session_id}
        request["input"] = params.get("prompt")
        request["clientRequestId"] = f"prompt-{request_id}"
        return self._request(method, request)

    def _thread(self, params: dict[str, Any]) -> str | None:
        return self._bridge.thread_of(str(params.get("sessionId")))


class _Ahead:
    """What must be known before it is read: the whole log, looked at once.

    `options`: per opening request, the modes and options its client set before the first prompt; they belong
    to the start of the thread. `accounted`: the messages those, and the cancels of steered prompts, are made
    of: our bridge makes them by itself. A client that also set a mode later set it by itself altogether.
    """

    def __init__(self, messages: list[tuple[bool, Message]]) -> None:
        self.options: dict[Any, dict[str, Any]] = {}
        self.accounted: set[int] = set()
        self._requests: dict[Any, Any] = {}  # session id → id of the request that opened it
        self._prompts: dict[Any, Any] = {}  # session id → id of the prompt in flight
        self._prompted: set[Any] = set()
        self._cancels: dict[Any, Message] = {}  # session id → the cancel of the prompt in flight
        self._settings: list[tuple[Any, Message]] = []
        self._late: set[str] = set()
        self._opening: set[Any] = set()
        self.tells_state = any(not sent and _answers_version(message, 2) for sent, message in messages)
        for from_client, message in messages:
            if from_client:
                self._sent(message)
            elif "method" not in message:
                self._answered(message)
            elif self.tells_state and _state(message)[0] == "idle":
                self._over(_key(_state(message)[1]))
        for request_id, message in self._settings:
            if message["method"] not in self._late:
                self._set(self.options.setdefault(request_id, {}), message)
                self.accounted.add(id(message))

    def _sent(self, message: Message) -> None:
        method, params = message.get("method"), message.get("params")
        params = params if isinstance(params, dict) else {}
        session_id, request_id = _key(params.get("sessionId")), _key(message.get("id"))
        if not isinstance(method, str):
            return
        if method in _OPENS:
            self._opening.add(request_id)
            if session_id is not None and method != "session/fork":
                self._requests[session_id] = request_id
        elif method == "session/prompt":
            if session_id in self._prompts and session_id in self._cancels:
                self.accounted.add(id(self._cancels[session_id]))
            self._cancels.pop(session_id, None)
            self._prompts[session_id] = request_id
            self._prompted.add(session_id)
        elif method == "session/cancel":
            self._cancels[session_id] = message
        elif method in _SETTINGS:
            if session_id in self._requests and session_id not in self._prompted:
                self._settings.append((self._requests[session_id], message))
            else:
                self._late.add(method)

    def _answered(self, message: Message) -> None:
        request_id, result = _key(message.get("id")), message.get("result")
        if request_id in self._opening and isinstance(result, dict) and "sessionId" in result:
            self._requests[_key(result["sessionId"])] = request_id
        for session_id, prompt_id in list(self._prompts.items()):
            if prompt_id == request_id and not (self.tells_state and "error" not in message):
                self._over(session_id)

    def _over(self, session_id: Any) -> None:
        """The session's prompt is over."""
        self._prompts.pop(session_id, None)
        self._cancels.pop(session_id, None)

    def _set(self, options: dict[str, Any], message: Message) -> None:
        params = message["params"]
        if message["method"] == "session/set_mode":
            options["mode"] = params.get("modeId")
        else:
            options.setdefault("config", {})[str(params.get("configId"))] = params.get("value")


def _initialize(params: dict[str, Any]) -> dict[str, Any]:
    """The runtime's `initialize` behind a client's; version 2 calls the same members by shorter names."""
    if params.get("protocolVersion") != 2:
        wanted = ("clientInfo", "clientCapabilities")
        return {k: params[k] for k in wanted if k in params}
    named = {"protocolVersion": "protocolVersion", "info": "clientInfo", "capabilities": "clientCapabilities"}
    return {name: params[member] for member, name in named.items() if member in params}


def _answers_version(message: Message, number: int) -> bool:
    """Whether this is the answer to `initialize` with that version; nothing else has one."""
    result = message.get("result")
    return "method" not in message and isinstance(result, dict) and result.get("protocolVersion") == number


def _state(message: Message) -> tuple[str | None, Any]:
    """The state and the session of a `state_update`."""
    params = message.get("params")
    update = params.get("update") if isinstance(params, dict) else None
    if not isinstance(update, dict) or update.get("sessionUpdate") != "state_update":
        return None, None
    state = update.get("state")
    return (state if isinstance(state, str) else None), params.get("sessionId") if params else None


def _key(value: Any) -> Any:
    """A key for an id of the log: ids are texts or numbers, and in a bad log anything at all."""
    return repr(value) if isinstance(value, (dict, list)) else value
