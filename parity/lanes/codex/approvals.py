"""Approvals and questions: what the agent asks a person, and the answer in either direction.

Pure functions over one request's method and params. `asked` makes the runtime's payload, `encode` the agent's
answer out of the runtime's, `decode` the runtime's out of an agent's client's (for imports).
"""

from __future__ import annotations

from typing import Any, TypeAlias

from msgspec import Struct

from parity.lanes.codex.shapes import Raw, changes_of, text_of

Params: TypeAlias = dict[str, Any]

COMMAND = "item/commandExecution/requestApproval"
FILE_CHANGE = "item/fileChange/requestApproval"
PERMISSIONS = "item/permissions/requestApproval"
QUESTION = "item/tool/requestUserInput"
ELICITATION = "mcpServer/elicitation/request"
OLD_COMMAND = "execCommandApproval"
OLD_PATCH = "applyPatchApproval"

REJECTION = "denied by the user"
"""Told to an agent whose way of denying wants a reason."""


class Choice(Struct):
    """One answer the agent takes: id, wording, meaning (`allow_once` … `cancel`), raw form."""

    id: str
    name: str
    kind: str
    raw: Any


class Question(Struct):
    """A request that waits for a person. `item_type` and `raw` are what it says of the item it is about."""

    payload: dict[str, Any]
    choices: list[Choice]
    item_id: str | None
    item_type: str
    raw: Raw


_PLAIN = {
    "accept": ("Allow once", "allow_once"),
    "acceptForSession": ("Allow for this session", "allow_always"),
    "decline": ("Deny", "reject_once"),
    "cancel": ("Deny and stop the turn", "cancel"),
}
_OLD = [
    Choice("approved", "Allow once", "allow_once", "approved"),
    Choice("approved_for_session", "Allow for this session", "allow_always", "approved_for_session"),
    Choice("denied", "Deny", "reject_once", {"denied": {"rejection": REJECTION}}),
    Choice("abort", "Deny and stop the turn", "cancel", "abort"),
]


def asked(method: str, params: Params) -> Question | None:
    """The person's question behind a request; None for a request nobody needs to see or can fill in."""
    if method == QUESTION:
        questions = params.get("questions")
        payload = {"kind": "user_question", "questions": questions if isinstance(questions, list) else []}
        if payload["questions"] and text_of(payload["questions"][0], "question"):
            payload["title"] = payload["questions"][0]["question"]
        return Question(payload, [], text_of(params, "itemId"), "", {})
    choices = choices_of(method, params)
    if not choices:
        return None
    payload = {"kind": "approval"}
    title, reason = _title(method, params), text_of(params, "reason")
    if title:
        payload["title"] = title
    if reason:
        payload["reason"] = reason
    payload["options"] = [{"optionId": c.id, "name": c.name, "kind": c.kind} for c in choices]
    item_id = text_of(params, "itemId") or text_of(params, "callId")
    return Question(payload, choices, item_id, *_item(method, params))


def _title(method: str, params: Params) -> str | None:
    network = params.get("networkApprovalContext")
    if isinstance(network, dict) and text_of(network, "host"):
        return f"Connect to {network['host']}"
    command = params.get("command")
    if isinstance(command, list):
        return " ".join(str(word) for word in command)
    if method == PERMISSIONS:
        return "More permissions"
    return command if isinstance(command, str) else text_of(params, "message")


def _item(method: str, params: Params) -> tuple[str, Raw]:
    """(type, fields) of the item a request is about, as far as the request says."""
    if method in (COMMAND, OLD_COMMAND):
        command = params.get("command")
        if isinstance(command, list):
            command = " ".join(str(word) for word in command)
        return "commandExecution", {"command": command, "cwd": params.get("cwd")}
    if method == FILE_CHANGE:
        return "fileChange", {}
    if method == OLD_PATCH:
        return "fileChange", {"changes": _old_changes(params.get("fileChanges"))}
    return "", {}


def _old_changes(changes: Any) -> list[dict[str, Any]]:
    told = []
    for path, change in changes.items() if isinstance(changes, dict) else ():
        if isinstance(change, dict):
            kind = {"type": change.get("type"), "move_path": change.get("move_path")}
            diff = change.get("unified_diff", change.get("content"))
            told.append({"path": path, "kind": kind, "diff": diff})
    return told if changes_of(told, None) else []


# -- choices ---------------------------------------------------------------------------------------------


def choices_of(method: str, params: Params) -> list[Choice]:
    """The answers the agent takes, in its order; none where it is no approval."""
    if method in (OLD_COMMAND, OLD_PATCH):
        return _OLD
    if method == COMMAND:
        offered = params.get("availableDecisions")
        if not isinstance(offered, list) or not offered:
            offered = [*_proposed(params), "decline", "cancel"]
        return [choice for choice in map(_choice, offered) if choice is not None]
    if method == FILE_CHANGE:
        return [_plain(word) for word in _PLAIN]
    if method == PERMISSIONS:
        return [_plain(word) for word in ("accept", "acceptForSession", "decline")]
    if method == ELICITATION and _asks_nothing(params):
        meta = params.get("_meta")
        persist = meta.get("persist") if isinstance(meta, dict) else None
        session = ["acceptForSession"] if isinstance(persist, (list, str)) and "session" in persist else []
        return [_plain(word) for word in ("accept", *session, "decline", "cancel")]
    return []


def _proposed(params: Params) -> list[Any]:
    """What may be accepted where the agent lists no decisions of its own."""
    offered: list[Any] = ["accept", "acceptForSession"]
    rule = params.get("proposedExecpolicyAmendment")
    if isinstance(rule, list) and rule:
        offered.append({"acceptWithExecpolicyAmendment": {"execpolicy_amendment": rule}})
    networks = params.get("proposedNetworkPolicyAmendments")
    for network in networks if isinstance(networks, list) else []:
        offered.append({"applyNetworkPolicyAmendment": {"network_policy_amendment": network}})
    return offered


def _plain(word: str) -> Choice:
    return Choice(word, *_PLAIN[word], word)


def _choice(raw: Any) -> Choice | None:
    if isinstance(raw, str):
        name, kind = _PLAIN.get(raw, (raw, _guess(raw)))
        return Choice(raw, name, kind, raw)
    if not isinstance(raw, dict) or len(raw) != 1:
        return None
    ((word, told),) = raw.items()
    told = told if isinstance(told, dict) else {}
    rule, network = told.get("execpolicy_amendment"), told.get("network_policy_amendment")
    if isinstance(rule, list):
        return Choice(word, f"Always allow `{' '.join(map(str, rule))}`", "allow_always", raw)
    if isinstance(network, dict):
        action, host = network.get("action"), network.get("host")
        kind = "reject_always" if action == "deny" else "allow_always"
        return Choice(f"{word}:{action}:{host}", f"Always {action} {host}", kind, raw)
    return Choice(word, word, _guess(word), raw)


def _guess(word: str) -> str:
    """What a decision of a later version means: only a word that says so allows anything."""
    return "allow_always" if word.startswith(("accept", "approve")) else "reject_once"


def _asks_nothing(params: Params) -> bool:
    """A form without fields is a plain yes or no, as codex uses it for the approval of an MCP tool call."""
    schema = params.get("requestedSchema")
    forms = ("form", "openaiForm", "openai/form")
    return params.get("mode") in forms and isinstance(schema, dict) and not schema.get("properties")


_KINDS = {"allowed": ("allow_once", "allow_always"), "denied": ("reject_once",)}
_MEANS = {"cancel": "cancelled", "reject_once": "denied", "reject_always": "denied"}


def _decision(choice: Choice) -> str:
    return _MEANS.get(choice.kind, "allowed")


# -- answers ---------------------------------------------------------------------------------------------


def chosen(choices: list[Choice], result: dict[str, Any]) -> tuple[str, str]:
    """(decision, id of the choice) behind the runtime's answer: the one it names, else one that fits."""
    decision, option_id = result.get("decision"), result.get("optionId")
    for choice in choices:
        if option_id is not None and choice.id == option_id:
            return _decision(choice), choice.id
    for kind in _KINDS.get(str(decision), ()):
        for choice in choices:
            if choice.kind == kind:
                return str(decision), choice.id
    if decision == "denied":
        return "denied", "decline"  # not always offered, always taken
    return "cancelled", "cancel"


def encode(method: str, params: Params, result: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """(decision, the agent's answer) for the runtime's answer {decision, optionId?, answers?}."""
    if method == QUESTION:
        answers = result.get("answers")
        told = answers if isinstance(answers, dict) and result.get("decision") == "answered" else {}
        by_id = {key: {"answers": _texts(value)} for key, value in told.items()}
        return ("answered" if told else "cancelled"), {"answers": by_id}
    choices = choices_of(method, params)
    decision, choice_id = chosen(choices, result)
    if method == PERMISSIONS:
        if decision != "allowed":
            return decision, {"permissions": {}}
        scope = "session" if choice_id == "acceptForSession" else "turn"
        return decision, {"permissions": params.get("permissions") or {}, "scope": scope}
    if method == ELICITATION:
        if decision != "allowed":
            return decision, {"action": "decline" if decision == "denied" else "cancel"}
        answer: dict[str, Any] = {"action": "accept", "content": {}}
        if choice_id == "acceptForSession":
            answer["_meta"] = {"persist": "session"}
        return decision, answer
    old = method in (OLD_COMMAND, OLD_PATCH)
    raw: Any = "abort" if old else choice_id
    for choice in choices:
        if choice.id == choice_id:
            raw = choice.raw
    return decision, {"decision": raw}


def decode(method: str, params: Params, result: Any) -> dict[str, Any]:
    """The runtime's answer behind what a client answered the agent."""
    result = result if isinstance(result, dict) else {}
    if method == QUESTION:
        answers = result.get("answers")
        told = answers.items() if isinstance(answers, dict) else ()
        texts = {key: _texts(value.get("answers")) for key, value in told if isinstance(value, dict)}
        return {"decision": "answered", "answers": texts} if texts else {"decision": "cancelled"}
    if method == PERMISSIONS:
        if not result.get("permissions"):
            return {"decision": "denied", "optionId": "decline"}
        session = result.get("scope") == "session"
        return {"decision": "allowed", "optionId": "acceptForSession" if session else "accept"}
    if method == ELICITATION:
        meta = result.get("_meta")
        option = str(result.get("action"))
        if option == "accept" and isinstance(meta, dict) and meta.get("persist") == "session":
            option = "acceptForSession"
        return _decoded(_choice(option))
    if method in (OLD_COMMAND, OLD_PATCH):
        return _decoded(_old_choice(result))
    return _decoded(_choice(result.get("decision")))


def _old_choice(result: dict[str, Any]) -> Choice | None:
    raw = result.get("decision")
    word = next(iter(raw)) if isinstance(raw, dict) and raw else raw
    for choice in _OLD:
        if choice.id == word:
            return choice
    allows = isinstance(word, str) and word.startswith("approved")
    return Choice(str(word), str(word), "allow_always" if allows else "cancel", raw)


def _decoded(choice: Choice | None) -> dict[str, Any]:
    if choice is None:
        return {"decision": "cancelled"}
    return {"decision": _decision(choice), "optionId": choice.id}


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []
