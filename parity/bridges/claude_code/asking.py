"""Requests to a person: what the runtime is asked, and Claude Code's form of the answer.

`can_use_tool` is an approval, a question (AskUserQuestion) or a plan to leave plan mode with (ExitPlanMode).
The answer is {behavior: allow, updatedInput} or {behavior: deny, message, interrupt?}: an answered question
is allowed with the answers put into its input. `elicitation` is an approval where an MCP server wants no more
than a yes; its answer is {action: accept | decline | cancel, content?}. Both directions stand here, so that
one inverts the other.
"""

from __future__ import annotations

import re
from typing import Any

from parity.bridges import elicitations
from parity.lanes.claude_code.shapes import PLAN_TOOL, QUESTION_TOOL

DENIED = "The user denied this call."
CANCELLED = "The user cancelled this request."
INTERRUPTED = "The user interrupted the turn."
RELEASED = "The session is over."
OVER = "This call is over."
"""What the agent is told where nobody gave a reason of their own."""

ELICITATION = "elicitation"
ACTIONS = ("accept", "decline", "cancel")
"""What an elicitation may be answered with."""
_ALWAYS = "allow_always"
_OPTIONS = (
    {"optionId": "allow_once", "kind": "allow_once", "name": "Allow"},
    {"optionId": _ALWAYS, "kind": "allow_always", "name": "Allow, and apply the suggested rules"},
    {"optionId": "reject_once", "kind": "reject_once", "name": "Deny"},
)
_ACCEPTED: dict[str, Any] = {"action": "accept", "content": {}}
_ACTIONS = {"denied": elicitations.DECLINED, "cancelled": {"action": "cancel"}}
_DECISIONS = {"accept": "allowed", "decline": "denied"}
_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def payload_of(request: dict[str, Any], plan: str | None) -> dict[str, Any]:
    """The interaction a request asks for; `plan` is the call's, where a `can_use_tool` has none."""
    if request.get("subtype") == ELICITATION:
        return _elicited(request)
    tool = request.get("tool_name")
    asked = request.get("input")
    asked = asked if isinstance(asked, dict) else {}
    payload: dict[str, Any] = {"kind": "approval"}
    if tool == QUESTION_TOOL:
        questions = asked.get("questions")
        return {"kind": "user_question", "questions": questions if isinstance(questions, list) else []}
    if tool == PLAN_TOOL:
        payload["kind"] = "plan_exit"
        if plan is not None:
            payload["plan"] = plan
    title = request.get("title") or request.get("display_name") or tool
    if isinstance(title, str):
        payload["title"] = title
    reason = request.get("decision_reason")
    if isinstance(reason, str) and reason:
        payload["reason"] = _ANSI.sub("", reason)
    always = bool(request.get("permission_suggestions")) and not request.get("suppress_always_allow_rule")
    payload["options"] = [option for option in _OPTIONS if always or option["optionId"] != _ALWAYS]
    return payload


def _elicited(request: dict[str, Any]) -> dict[str, Any]:
    """The question of an MCP server; without a title of its own it is the server's name."""
    title = _said(request, "title") or _said(request, "display_name") or _said(request, "mcp_server_name")
    reason = "\n".join(filter(None, (_said(request, "message"), _said(request, "description"))))
    payload: dict[str, Any] = {"kind": "approval"}
    if title:
        payload["title"] = title
    if reason:
        payload["reason"] = reason
    payload["options"] = [option for option in _OPTIONS if option["optionId"] != _ALWAYS]
    return payload


def asks_nothing(request: dict[str, Any]) -> bool:
    """Whether an elicitation wants no more than a yes: a form without fields, and no page to be opened."""
    schema = request.get("requested_schema")
    fields = schema.get("properties") if isinstance(schema, dict) else None
    return request.get("mode") in (None, "form") and not fields and not request.get("url")


def _said(request: dict[str, Any], name: str) -> str | None:
    value = request.get(name)
    return value if isinstance(value, str) else None


def undecided(request: dict[str, Any], message: str) -> dict[str, Any]:
    """The answer to a request that nobody decides any more."""
    if request.get("subtype") == ELICITATION:
        return {"action": "cancel"}
    return {"behavior": "deny", "message": message}


def decision_of(result: dict[str, Any]) -> str:
    """The runtime's decision: its word, else what the option it took stands for."""
    decision = result.get("decision")
    if decision in ("allowed", "denied", "cancelled", "answered"):
        return str(decision)
    option = str(result.get("optionId"))
    if option.startswith("allow"):
        return "allowed"
    return "denied" if option.startswith("reject") else "cancelled"


def encode(result: dict[str, Any], request: dict[str, Any]) -> dict[str, Any]:
    """Claude Code's form of the runtime's answer to the request."""
    decision = decision_of(result)
    if request.get("subtype") == ELICITATION:
        return dict(_ACTIONS.get(decision, _ACCEPTED))
    if decision in ("denied", "cancelled"):
        message = result.get("message")
        default = DENIED if decision == "denied" else CANCELLED
        answer: dict[str, Any] = {"behavior": "deny", "message": str(message or default)}
        if result.get("interrupt") is True:
            answer["interrupt"] = True
        return answer
    changed = result.get("updatedInput")
    value = changed if isinstance(changed, dict) else request.get("input")
    value = value if isinstance(value, dict) else {}
    if isinstance(result.get("answers"), dict):
        value = {**value, "answers": result["answers"]}
    answer = {"behavior": "allow", "updatedInput": value}
    rules = result.get("updatedPermissions")
    if rules is None and result.get("optionId") == _ALWAYS:
        rules = request.get("permission_suggestions")
    if isinstance(rules, list) and rules:
        answer["updatedPermissions"] = rules
    return answer


def decode(answer: dict[str, Any], request: dict[str, Any]) -> dict[str, Any]:
    """The runtime's answer behind a recorded one; inverse of `encode`."""
    if request.get("subtype") == ELICITATION:
        return {"decision": _DECISIONS.get(str(answer.get("action")), "cancelled")}
    if answer.get("behavior") == "deny":
        denied: dict[str, Any] = {"decision": "denied"}
        for name in ("message", "interrupt"):
            if answer.get(name):
                denied[name] = answer[name]
        return denied
    if answer.get("behavior") != "allow":
        return {"decision": "cancelled"}
    asked = request.get("input")
    asked = asked if isinstance(asked, dict) else {}
    value = answer.get("updatedInput")
    value = dict(value) if isinstance(value, dict) else asked
    allowed: dict[str, Any] = {"decision": "allowed"}
    answers = value.get("answers")
    if request.get("tool_name") == QUESTION_TOOL and isinstance(answers, dict) and answers:
        allowed = {"decision": "answered", "answers": answers}
        value = {name: part for name, part in value.items() if name != "answers"}
    if value != asked:
        allowed["updatedInput"] = value
    if answer.get("updatedPermissions"):
        allowed["updatedPermissions"] = answer["updatedPermissions"]
    return allowed
