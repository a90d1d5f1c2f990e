"""Reading a YAML file of data into typed structs, with the line of every mistake.

Knows YAML and msgspec; must not know what the data is for.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from parity.wire import InputError
from parity.wire.errors import unreadable
from parity.wire.yaml import round_trip

T = TypeVar("T")

_STEP = re.compile(r"\.([^.\[\]`]+)|\[(\d+)\]|\[\.\.\.\]")


class Document:
    """A parsed file: `data` is plain, `line` finds the line of a path into it."""

    def __init__(self, path: Path) -> None:
        """Raises InputError where the file cannot be read or is no YAML mapping."""
        self.path = path
        try:
            text = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            if isinstance(error, OSError):
                raise unreadable(path, error) from error
            raise InputError(path, None, "not UTF-8", "save it as UTF-8") from None
        try:
            self._tree = round_trip().load(text)
        except MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            line = mark.line + 1 if mark is not None else None
            what = " ".join((error.problem or "it does not parse").split())
            raise InputError(path, line, f"not YAML: {what}", "mend the file") from None
        except RecursionError:
            raise InputError(path, None, "nested too deeply", "mend the file") from None
        except YAMLError as error:
            raise InputError(path, None, f"not YAML: {' '.join(str(error).split())}", "mend it") from None
        if not isinstance(self._tree, CommentedMap):
            raise InputError(path, 1, "not a mapping", "write `key: value` lines")
        self.data: dict[str, Any] = _plain(self._tree)

    def line(self, *steps: str | int) -> int | None:
        """The line of what lies at these keys and indexes, or of the last of them that is there."""
        node: Any = self._tree
        found: int | None = None
        for step in steps:
            if isinstance(node, CommentedMap) and step in node:
                found = node.lc.key(step)[0] + 1
            elif isinstance(node, CommentedSeq) and isinstance(step, int) and step < len(node):
                found = node.lc.item(step)[0] + 1
            else:
                break
            node = node[step]
        return found

    def struct(self, shape: type[T], data: Any, *at: str | int) -> T:
        """`data`, which lies at `at`, as a struct. Raises InputError with the line of what does not fit."""
        try:
            return msgspec.convert(data, shape)
        except msgspec.ValidationError as error:
            what, _, where = str(error).partition(" - at `$")
            steps = [*at, *_steps(where)]
            place = ".".join(str(step) for step in steps)
            unknown = re.search(r"unknown field `(.+?)`", what)
            line = self.line(*steps, unknown[1]) if unknown else self.line(*steps)
            told = f"{place}: {what}" if place else what
            raise InputError(self.path, line, told, "correct the field") from None

    def fail(self, what: str, fix: str, *at: str | int) -> InputError:
        """The error that says what is wrong at a place."""
        place = ".".join(str(step) for step in at)
        return InputError(self.path, self.line(*at), f"{place}: {what}" if place else what, fix)


def _steps(where: str) -> list[str | int]:
    return [int(step[1]) if step[1] else step[0] for step in _STEP.findall(where) if step[0] or step[1]]


def _plain(node: Any) -> Any:
    """The tree without comments, keys as text."""
    if isinstance(node, dict):
        return {str(key): _plain(value) for key, value in node.items()}
    if isinstance(node, list):
        return [_plain(value) for value in node]
    if isinstance(node, bool) or node is None:
        return node
    for kind in (str, int, float):
        if isinstance(node, kind):
            return kind(node)
    return node
