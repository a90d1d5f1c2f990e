"""What an MCP server asks a person through Claude Code, as a grammar, and what each request must be answered.

Steps are numbers as in `claude_player`. A request is answered once: by the person, by a stop, by the end of a
turn, at once where no row can show it. It is not answered where the agent took it back or is gone.
"""

from __future__ import annotations

from claude_frames import ClaudeRun, Json, control

_FORMS: list[Json] = [
    {},
    {"mode": "form", "requested_schema": {"properties": {}}, "title": "Delete"},
    {"mode": "form", "requested_schema": {"properties": {"name": {"type": "string"}}}},
    {"mode": "url", "url": "https://example.com/sign-in", "elicitation_id": "x"},
]
_ANSWERS: list[tuple[str, Json]] = [
    ("allowed", {"action": "accept", "content": {}}),
    ("denied", {"action": "decline"}),
    ("cancelled", {"action": "cancel"}),
]


class Questions:
    """The elicitations of one session: which wait, and how the others were to be answered."""

    def __init__(self, run: ClaudeRun) -> None:
        self._run = run
        self._asked: dict[str, Json] = {}  # every request that was made
        self._waiting: dict[str, int] = {}  # those a person may answer → which question it is
        self._answers: dict[str, Json] = {}  # what the others were answered; none where there is none
        self._put = 0  # questions a person saw

    def ask(self, which: int, how: int) -> None:
        """A server asks; or a request that waits comes again."""
        if how == 0 and self._waiting:
            self._run.feed(self._asked[list(self._waiting)[which % len(self._waiting)]])
            return
        request_id = f"elicit-{len(self._asked)}"
        form = _FORMS[which % len(_FORMS)]
        request = control(request_id, "elicitation", mcp_server_name="docs", message="Sure?", **form)
        self._asked[request_id] = request
        self._run.feed(request)
        if which % len(_FORMS) < 2:
            self._put += 1
            self._waiting[request_id] = len(self._run.asked) - 1
        else:
            self._answers[request_id] = {"action": "decline"}

    def answer(self, which: int, how: int) -> None:
        """A person answers, or the agent takes the request back."""
        if not self._waiting:
            return
        request_id = list(self._waiting)[which % len(self._waiting)]
        index = self._waiting.pop(request_id)
        if how == 7:
            self._run.feed({"type": "control_cancel_request", "request_id": request_id})
            return
        decision, self._answers[request_id] = _ANSWERS[how % len(_ANSWERS)]
        self._run.decide(decision, index=index)

    def over(self) -> None:
        """A stop, or the end of a turn: nobody decides what waits."""
        self._answers.update({request_id: {"action": "cancel"} for request_id in self._waiting})
        self._waiting.clear()

    def check(self) -> None:
        """Each request was put to a person at most once, and has the answer it must have."""
        told = [answer for answer in self._run.decisions if answer["request_id"] in self._asked]
        assert all(answer["subtype"] == "success" for answer in told), told
        found = [(answer["request_id"], answer["response"]) for answer in told]
        assert sorted(found, key=str) == sorted(self._answers.items(), key=str)
        payloads = [asked["params"]["payload"] for asked in self._run.asked]
        put = [payload for payload in payloads if payload.get("reason") == "Sure?"]
        assert len(put) == self._put
