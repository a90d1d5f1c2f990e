"""What is answered to an agent that asks: the runtime's answers to approvals and questions.

Knows the payload of an `interaction/request` and the answers to it. Must not know who decides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

from parity.shell.runtime import Question

Decision: TypeAlias = Literal["allow", "deny", "cancel"]

CANCELLED: dict[str, Any] = {"decision": "cancelled"}


def is_question(payload: Question) -> bool:
    """Whether the agent asks for words, not for leave."""
    return payload.get("kind") == "user_question"


def options_of(payload: Question) -> list[dict[str, Any]]:
    """The options of an approval that can be chosen."""
    options = payload.get("options")
    listed = options if isinstance(options, list) else []
    return [one for one in listed if isinstance(one, dict) and one.get("optionId") is not None]


def decide(payload: Question, decision: Decision) -> dict[str, Any]:
    """The answer to an approval: this time only, where the agent tells times apart."""
    if decision == "cancel":
        return CANCELLED
    begin, word = ("allow", "allowed") if decision == "allow" else ("reject", "denied")
    options = [one for one in options_of(payload) if str(one.get("kind")).startswith(begin)]
    options.sort(key=lambda one: one.get("kind") != f"{begin}_once")
    return chosen(options[0]) if options else {"decision": word}


def chosen(option: dict[str, Any]) -> dict[str, Any]:
    """The answer that picks an option."""
    allows = not str(option.get("kind")).startswith("reject")
    return {"decision": "allowed" if allows else "denied", "optionId": option["optionId"]}


def questions_of(payload: Question) -> list[dict[str, Any]]:
    """The questions of a `user_question`."""
    questions = payload.get("questions")
    return [one for one in questions if isinstance(one, dict)] if isinstance(questions, list) else []


def labels_of(question: dict[str, Any]) -> list[str]:
    """The answers a question offers."""
    options = question.get("options")
    listed = options if isinstance(options, list) else []
    return [str(one.get("label")) for one in listed if isinstance(one, dict)]


def answered(payload: Question, choose: Callable[[Sequence[str]], str]) -> dict[str, Any]:
    """The answer to a `user_question`; `choose` picks one of the labels of each question, or says its own."""
    answers = {name_of(question): choose(labels_of(question)) for question in questions_of(payload)}
    return {"decision": "answered", "answers": answers}


def name_of(question: dict[str, Any]) -> str:
    """What the agent knows the answer to a question by."""
    return str(question.get("id") or question.get("question") or question.get("prompt"))
