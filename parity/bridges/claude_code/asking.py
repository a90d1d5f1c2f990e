"""Permission requests: what the runtime is asked, and Claude Code's form of the answer.

`can_use_tool` is an approval, a question (AskUserQuestion) or a plan to leave plan mode with (ExitPlanMode).
The answer is {behavior: allow, updatedInput} or {behavior: deny, message, interrupt?}: an answered question
is allowed with the answers put into its input. Both directions stand here, so that one inverts the other.
"""

from __future__ import annotations

import re
from typing import Any

from parity.lanes.claude_code.shapes import PLAN_TOOL, QUESTION_TOOL

DENIED = "The user denied this call."
CANCELLED = "The user cancelled this request."
INTERRUPTED = "The user interrupted the turn."
RELEASED = "The session is over."
OVER = "This call is over."
"""What the agent is told where nobody gave a reason of their own."""

_ALWAYS = "allow_always"
_OPTIONS = (
    {"optionId": "allow_once", "kind": "allow_once", "name": "Allow"},
    {"optionId": _ALWAYS, "kind": "allow_always", "name": "Allow, and apply the suggested rules"},
    {"optionId": "reject_once", "kind": "reject_once", "name": "Deny"},
)
_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def payload_of(request: dict[str, Any], plan: str | None) -> dict[str, Any]:
    """The interaction a `can_use_tool` request asks for; `plan` is the call's, where the request has none."""
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
