"""Filling `${name}` in texts and in trees of them. Braces alone, as in JSON and shell, stay as they are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_NAME = re.compile(r"\$\{([a-z][a-z0-9_-]*)\}")


class UnknownName(KeyError):
    """A text names what nothing is known of; the argument is the name."""


def fill(node: Any, values: Mapping[str, Any]) -> Any:
    """The tree with every `${name}` filled. Raises UnknownName.

    A text that is one name alone becomes its value, of whatever type. A mapping `{each: name, as: tree}`
    becomes a list: the tree once for each mapping in the named list, whose members are names inside.
    A member whose value becomes None is left out.
    """
    if isinstance(node, str):
        return _text(node, values)
    if isinstance(node, list):
        return [fill(part, values) for part in node]
    if isinstance(node, dict):
        if set(node) == {"each", "as"}:
            entries = values.get(node["each"]) or []
            return [
                fill(node["as"], {**values, "number": str(number), **entry})
                for number, entry in enumerate(entries, 1)
            ]
        filled = {key: fill(value, values) for key, value in node.items()}
        return {key: value for key, value in filled.items() if value is not None}
    return node


def _text(text: str, values: Mapping[str, Any]) -> Any:
    whole = _NAME.fullmatch(text)
    if whole:
        return _value(whole[1], values)
    return _NAME.sub(lambda match: str(_value(match[1], values)), text)


def _value(name: str, values: Mapping[str, Any]) -> Any:
    if name not in values:
        raise UnknownName(name)
    return values[name]
