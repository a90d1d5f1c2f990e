"""Rules for structure: what is secret, personal or a vendor's own by the name of its field.

Knows JSON objects (`document.Node`) and the lists in `kinds`. Must not know texts' patterns nor recordings.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from parity.redaction import kinds
from parity.redaction.document import Node
from parity.redaction.values import is_placeholder, looks_secret, snake

_CURRENT = ("currentmodelid", "currentmodeid", "currentvalue", "currentmodel", "model")
_ENTRY_NAMES = ("modelid", "id", "value", "name", "model")
_SCHEMES = ("bearer ", "basic ", "token ", "digest ", "negotiate ")


class Field(Struct):
    """A value that must go because of where it stands."""

    node: Node
    kind: str
    value: str
    new: str | None = None
    """What stands there instead; None leaves it to the ledger."""
    keeps: str = ""
    """A beginning that stays (an authorization's scheme)."""


class Trim(Struct):
    """An array of which only some items stay (their indices)."""

    node: Node
    kept: list[int]
    kind: str = "catalogue"


def of_object(node: Node, inside: str) -> Iterator[Field | Trim]:
    """What must go in the members of an object, not deeper. `inside` tells what it is part of (`inner`)."""
    members = {key.value.lower(): value for key, value in node.members}
    yield from _named(members)
    for key, value in node.members:
        lower = key.value.lower()
        if value.kind == "string":
            yield from _of_string(key.value, lower, value, inside, members)
        elif value.kind == "array":
            if lower in kinds.ENVIRONMENT_FIELDS:
                for item in value.items:
                    yield from _variable(item)
            elif (
                inside != "payload"
                and len(value.items) > kinds.CATALOGUE_MOST
                and _is_catalogue(lower, members, value)
            ):
                yield Trim(value, _kept(value, members))
        elif value.kind == "object" and lower in kinds.ENVIRONMENT_FIELDS:
            for name, variable in value.members:
                yield from _of_variable(name.value, variable)
        elif (
            value.kind == "scalar"
            and lower in kinds.ID_FIELDS
            and value.value.isdigit()
            and len(value.value) > 4
        ):
            yield Field(value, "id", value.value, "0")


def inner(name: str, inside: str) -> str:
    """What the value of a field is part of: a tool's `payload`, a `catalogue`, or nothing special."""
    lower = name.lower()
    if inside == "payload" or lower in kinds.PAYLOADS:
        return "payload"
    return "catalogue" if lower in kinds.CATALOGUES else inside


def _of_string(name: str, lower: str, node: Node, inside: str, members: dict[str, Node]) -> Iterator[Field]:
    value = node.value
    if not value or is_placeholder(value):
        return
    if lower in kinds.AUTHORIZATION_FIELDS:
        yield from _credential(node)
    elif lower in kinds.ID_FIELDS and len(value) > 2:
        yield Field(node, "id", value)
    elif _names_host(lower, members) and value not in (kinds.HOST, "localhost"):
        yield Field(node, "host", value, kinds.HOST)
    elif lower in kinds.USER_FIELDS and value != kinds.USER:
        yield Field(node, "user", value, kinds.USER)
    elif (
        lower not in kinds.PROTOCOL_TOKENS
        and kinds.SECRET_FIELD.search(snake(name))
        and looks_secret(value, name)
    ):
        yield Field(node, "token", value)
    elif inside == "payload":
        return
    elif len(value) > kinds.PROMPT_MOST and (lower in kinds.PROMPTS or _is_system(lower, members)):
        yield Field(node, "prompt", value, _shortened(value))
    elif inside == "catalogue" and len(value) > kinds.CATALOGUE_TEXT_MOST:
        yield Field(node, "catalogue", value, _shortened(value))


def _names_host(lower: str, members: dict[str, Node]) -> bool:
    return lower in kinds.HOST_FIELDS or (lower == "servername" and "installationid" in members)


def _is_system(lower: str, members: dict[str, Node]) -> bool:
    role = members.get("role")
    return lower in ("content", "text") and role is not None and role.value in ("system", "developer")


def _named(members: dict[str, Node]) -> Iterator[Field]:
    """`{"name": "Authorization", "value": …}`, as ACP lists headers; `{"name": "API_KEY", "value": …}`."""
    name, value = members.get("name"), members.get("value")
    if (
        name is None
        or value is None
        or value.kind != "string"
        or not value.value
        or is_placeholder(value.value)
    ):
        return
    if name.value.lower() in kinds.AUTHORIZATION_FIELDS:
        yield from _credential(value)
    elif kinds.SECRET_FIELD.search(snake(name.value)) and looks_secret(value.value, name.value):
        yield Field(value, "token", value.value)


def _credential(node: Node) -> Iterator[Field]:
    """The credentials of a header; its scheme stays."""
    scheme = next((s for s in _SCHEMES if node.value.lower().startswith(s)), "")
    keeps, value = node.value[: len(scheme)], node.value[len(scheme) :]
    if len(value) > 2 and not is_placeholder(value) and value[0] not in "$<{":
        yield Field(node, "authorization", value, keeps=keeps)


def _variable(item: Node) -> Iterator[Field]:
    """`{"name": …, "value": …}` or `"NAME=value"` of a list of variables."""
    if item.kind == "object":
        members = {key.value: value for key, value in item.members}
        if "name" in members and "value" in members:
            yield from _of_variable(members["name"].value, members["value"])
    elif item.kind == "string" and "=" in item.value:
        name, _, value = item.value.partition("=")
        if _must_go(name, value):
            yield Field(item, "environment", value, keeps=f"{name}=")


def _of_variable(name: str, node: Node) -> Iterator[Field]:
    if node.kind == "string" and _must_go(name, node.value):
        yield Field(node, "environment", node.value)


def _must_go(name: str, value: str) -> bool:
    return bool(value) and not is_placeholder(value) and kinds.ENVIRONMENT_ALLOWED.fullmatch(name) is None


def _is_catalogue(lower: str, members: dict[str, Node], node: Node) -> bool:
    if lower in kinds.CATALOGUES:
        return True
    if lower == "options":
        return "currentvalue" in members
    first = node.items[0]
    names = {key.value for key, _ in first.members}
    return lower == "data" and "displayName" in names and "model" in names


def _kept(node: Node, members: dict[str, Node]) -> list[int]:
    """The first few, and the one that is named as the current one."""
    current = {members[name].value for name in _CURRENT if name in members and members[name].kind == "string"}
    kept = list(range(kinds.CATALOGUE_KEPT))
    for index, item in enumerate(node.items[kinds.CATALOGUE_KEPT :], kinds.CATALOGUE_KEPT):
        said = {value.value for key, value in item.members if key.value.lower() in _ENTRY_NAMES}
        if current & (said | {item.value}):
            kept.append(index)
    return kept[: kinds.CATALOGUE_MOST]


def _shortened(value: str) -> str:
    return value[: kinds.TEXT_KEPT] + "…"
