"""Reads the type declarations of a TypeScript `.d.ts` file as JSON schema, as far as wire messages need it.

Knows literals, names, objects, arrays, records, unions, intersections and interfaces. Everything else
(functions, other generics, imports that are not there) becomes the schema that allows anything.
"""

from __future__ import annotations

import re
from typing import Any

Json = dict[str, Any]

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_DECLARED = re.compile(
    r"^[ \t]*(?:export )?(?:declare )?(?:type (\w+) =|interface (\w+)(?: extends ([\w, ]+))? (?=\{))",
    re.MULTILINE,
)
_TOKEN = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[\w$.]+|=>|[{}()\[\]<>|&;,:?=]""")
_PLAIN = {
    "string": {"type": "string"},
    "UUID": {"type": "string"},
    "number": {"type": "integer"},
    "boolean": {"type": "boolean"},
    "true": {"const": True},
    "false": {"const": False},
    "null": {"type": "null"},
    "undefined": {"type": "null"},
}
_CLOSING = {"(": ")", "<": ">", "[": "]", "{": "}"}


def definitions(*texts: str) -> Json:
    """Name → schema of every type and interface the files declare."""
    found: Json = {}
    for text in texts:
        text = _COMMENT.sub("", text)
        for match in _DECLARED.finditer(text):
            name = match[1] or match[2]
            reader = _Reader(text, match.end())
            found[name] = reader.union() if match[1] else reader.primary()
            if match[3]:
                bases = [{"$ref": f"#/{base.strip()}"} for base in match[3].split(",")]
                found[name] = {"allOf": [*bases, found[name]]}
    return found


class _Reader:
    """Reads one type from a place in a text."""

    def __init__(self, text: str, at: int) -> None:
        self._tokens = _TOKEN.finditer(text, at)
        self._next = next(self._tokens, None)

    @property
    def token(self) -> str:
        return self._next[0] if self._next is not None else ""

    def take(self) -> str:
        token, self._next = self.token, next(self._tokens, None)
        return token

    def union(self) -> Json:
        parts = self._parts("|", self._intersection)
        return parts[0] if len(parts) == 1 else {"anyOf": parts}

    def _intersection(self) -> Json:
        parts = self._parts("&", self.primary)
        return parts[0] if len(parts) == 1 else {"allOf": parts}

    def _parts(self, between: str, read: Any) -> list[Json]:
        if self.token == between:
            self.take()
        parts = [read()]
        while self.token == between:
            self.take()
            parts.append(read())
        return parts

    def primary(self) -> Json:
        value = self._simple()
        while self.token == "[":
            self.take()
            if self.token == "]":
                value = {"type": "array", "items": value}
            else:
                value = {}
                while self.token not in ("]", ""):
                    self.take()
            self.take()
        return value

    def _simple(self) -> Json:
        token = self.take()
        if token == "{":
            return self._object()
        if token == "(":
            value = self.union()
            if self.token == ")":
                self.take()
            return value
        if token[:1] in "'\"" and token:
            return {"const": token[1:-1]}
        if token == "Array" and self.token == "<":
            self.take()
            value = {"type": "array", "items": self.union()}
            self.take()
            return value
        if self.token == "<":
            self._skip()
            return {"type": "object"} if token == "Record" else {}
        if token in _PLAIN:
            return dict(_PLAIN[token])
        name = token.rpartition(".")[2]
        return {"$ref": f"#/{name}"} if name[:1].isupper() else {}

    def _object(self) -> Json:
        value: Json = {"type": "object", "properties": {}, "required": []}
        while self.token not in ("}", ""):
            name = self.take()
            if name in (";", ",", "readonly"):
                continue
            if name == "[":
                while self.take() not in ("]", ""):
                    pass
            optional = self.token == "?"
            if optional:
                self.take()
            if self.token != ":":
                continue
            self.take()
            member = self.union()
            while self.token not in (";", ",", "}", ""):
                self._skip() if self.token in _CLOSING else self.take()
            if name != "[":
                name = name.strip("'\"")
                value["properties"][name] = member
                value["required"] += [] if optional else [name]
        self.take()
        return value

    def _skip(self) -> None:
        """Pass over a bracket and all within."""
        closing = _CLOSING[self.take()]
        while self.token not in (closing, ""):
            self._skip() if self.token in _CLOSING else self.take()
        self.take()
