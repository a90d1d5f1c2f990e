"""Instances of a JSON schema: a small one, a full one, and any number of random ones.

`instance(schema, definitions, choose)` walks a draft-07 schema; `choose` decides every alternative, so the
same walk gives the smallest, the largest and drawn instances. It knows schemas and nothing of any agent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Json = dict[str, Any]
Choose = Callable[[int], int]
"""How many alternatives → the one to take."""

_DEPTH = 7
_TEXTS = {None: ["", "text", "two\nlines"], "base64": ["", "dGV4dA==", "w6k="]}


def first(count: int) -> int:
    """Always the first alternative: required members only, the first of each choice."""
    return 0


def last(count: int) -> int:
    """Always the last: every member there is, the last of each choice."""
    return count - 1


def instance(schema: Any, definitions: Json, choose: Choose, depth: int = 0) -> Any:
    """A value the schema allows."""
    if schema is True or schema == {}:
        return [None, "text", {"x": [1]}][choose(3)]
    if "$ref" in schema:
        return instance(definitions[schema["$ref"].rsplit("/", 1)[-1]], definitions, choose, depth)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][choose(len(schema["enum"]))]
    for word in ("oneOf", "anyOf", "allOf"):
        if word in schema:
            options = schema[word]
            if depth > _DEPTH:
                options = [o for o in options if o.get("type") == "null"] or options[:1]
            value = instance(options[choose(len(options))], definitions, choose, depth)
            own = _object(schema, definitions, choose, depth) if "properties" in schema else {}
            return {**own, **value} if own else value
    kinds = schema.get("type", "object")
    if isinstance(kinds, list):
        kinds = "null" if depth > _DEPTH and "null" in kinds else kinds[choose(len(kinds))]
    return _VALUES[kinds](schema, definitions, choose, depth)


def _object(schema: Json, definitions: Json, choose: Choose, depth: int) -> Json:
    required = schema.get("required", [])
    value: Json = {}
    for name, member in schema.get("properties", {}).items():
        if name in required or (depth <= _DEPTH and choose(2)):
            value[name] = instance(member, definitions, choose, depth + 1)
    more = schema.get("additionalProperties")
    if isinstance(more, dict) and depth <= _DEPTH and choose(2):
        value["key"] = instance(more, definitions, choose, depth + 1)
    return value


def _array(schema: Json, definitions: Json, choose: Choose, depth: int) -> list[Any]:
    count = schema.get("minItems", 0) or (choose(3) if depth <= _DEPTH else 0)
    return [instance(schema.get("items", True), definitions, choose, depth + 1) for _ in range(count)]


_VALUES: dict[str, Callable[[Json, Json, Choose, int], Any]] = {
    "array": _array,
    "boolean": lambda schema, definitions, choose, depth: bool(choose(2)),
    "integer": lambda schema, definitions, choose, depth: int(schema.get("minimum", 0)) + choose(5),
    "null": lambda schema, definitions, choose, depth: None,
    "number": lambda schema, definitions, choose, depth: choose(5) / 2,
    "object": _object,
    "string": lambda schema, definitions, choose, depth: _TEXTS[schema.get("contentEncoding")][choose(3)],
}
