"""What makes an entry of `allowlist.yaml` valid, and the allowance it then is.

Knows the keys of an entry and their rules. Must not know the file around it. Every mistake is an InputError
with file and line: an allowance that is silently wrong would accept too much or nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn

from msgspec import UNSET
from ruamel.yaml.comments import CommentedMap

from parity.compare import LAYERS
from parity.gates.allowance import GUARDED, Allowance, is_broad
from parity.wire import InputError

ISSUE = re.compile(r"#\d+|https?://[^\s/]+/\S+")
"""What names an issue."""

LARGEST_VALUE = 100_000
"""Parts that an `old` or `new` may have, all levels together."""
DEEPEST_VALUE = 150
"""Levels that an `old` or `new` may have."""

_CHANGES = ("added", "removed", "changed")
_COMMON = ("issue", "reason", "provider", "cell")
_KEYS = {
    "pinned": (*_COMMON, "layer", "path", "change", "old", "new", "broad"),
    "checkouts": (*_COMMON, "layer", "path", "change", "old", "new", "broad"),
    "counts": (*_COMMON, "count", "max"),
}


class EntryReader:
    """Checks one entry and makes it an Allowance."""

    def __init__(self, path: Path, line: int | None, section: str, entry: object) -> None:
        self._path = path
        self._line = line
        self._section = section
        if not isinstance(entry, CommentedMap):
            self._fail(None, "an entry is not a mapping", "write it as `issue: …`, `reason: …`")
        self._entry = entry

    def allowance(self) -> Allowance:
        """The checked entry; raises InputError."""
        keys = _KEYS[self._section]
        for key in self._entry:
            if key not in keys:
                self._fail(
                    key,
                    f"unknown key {key!r} in {self._section}",
                    f"use {', '.join(keys)}",
                )
        allowance = Allowance(
            section=self._section,
            where=str(self._path) if self._line is None else f"{self._path}:{self._line}",
            issue=self._issue(),
            reason=self._text("reason", "say why the difference is accepted"),
            providers=self._names("provider", required=True),
            cells=self._names("cell", required=False),
        )
        if self._section == "counts":
            allowance.count = self._one_of("count", GUARDED)
            allowance.max = self._max()
            return allowance
        allowance.layer = self._one_of("layer", LAYERS)
        allowance.path = self._pattern()
        if "change" in self._entry:
            allowance.change = self._one_of("change", _CHANGES)
        allowance.old, allowance.new = self._value("old"), self._value("new")
        allowance.__post_init__()
        return allowance

    def _fail(self, key: object, what: str, fix: str) -> NoReturn:
        line = self._line
        if key is not None and line is not None:
            with suppress(KeyError, TypeError, AttributeError):  # a merged key has no place
                line = self._entry.lc.key(key)[0] + 1
        raise InputError(self._path, line, what, fix)

    def _issue(self) -> str:
        if self._entry.get("issue") is None:
            self._fail("issue", "no issue", 'write issue: "#123" with the quotes (# begins a comment)')
        issue = self._text("issue", 'write issue: "#123" or the issue\'s URL')
        if not ISSUE.fullmatch(issue):
            self._fail("issue", f"issue {issue!r} is no issue", 'write "#123" or its full URL')
        return issue

    def _text(self, key: str, fix: str) -> str:
        if key not in self._entry:
            self._fail(None, f"no {key}", fix)
        value = self._entry[key]
        if not isinstance(value, str) or not value.strip():
            self._fail(key, f"{key} is not a text", fix)
        return str(value)

    def _names(self, key: str, required: bool) -> frozenset[str] | None:
        """A name or a list of names; None where all are meant."""
        fix = f'write a name, a list of names or "*" as {key}'
        if key not in self._entry:
            if required:
                self._fail(None, f"no {key}", fix)
            return None
        value = self._entry[key]
        names = list(value) if isinstance(value, list) else [value]
        if not names or not all(isinstance(name, str) and name for name in names):
            self._fail(key, f"{key} is not a name or a list of names", f"{fix}; quote numbers")
        if "*" in names:
            return None
        return frozenset(str(name) for name in names)

    def _one_of(self, key: str, words: tuple[str, ...]) -> str:
        value = self._entry.get(key)
        if value not in words:
            what = f"no {key}" if key not in self._entry else f"unknown {key} {value!r}"
            self._fail(key, what, f"use one of {', '.join(words)}")
        return str(value)

    def _max(self) -> int | None:
        if "max" not in self._entry:
            return None
        value = self._entry["max"]
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            self._fail("max", f"max {value!r} is not a count", "write a whole number, 0 or more")
        return int(value)

    def _pattern(self) -> str:
        fix = "write a JSON pointer such as /*/item/exitCode"
        path = self._text("path", fix)
        if not path.startswith("/"):
            self._fail("path", f"path {path!r} does not begin with /", fix)
        broad = self._entry.get("broad", False)
        if not isinstance(broad, bool):
            self._fail("broad", f"broad {broad!r} is not true or false", "write broad: true")
        if is_broad(path) and not broad:
            self._fail(
                "path",
                f"path {path!r} accepts whole documents or items",
                "name the field, or add broad: true if that is meant",
            )
        return path

    def _value(self, key: str) -> Any:
        if key not in self._entry:
            return UNSET
        return plain(self._entry[key], lambda what: self._fail(key, what, "put it in quotes"))


def plain(value: Any, fail: Callable[[str], NoReturn]) -> Any:
    """The JSON value a YAML value stands for; ruamel's own types would never be equal to it.

    Aliases may name a value within itself, or the same one very often: what is too large is no value.
    """
    return _Plain(fail).of(value, 0)


class _Plain:
    def __init__(self, fail: Callable[[str], NoReturn]) -> None:
        self._fail = fail
        self._left = LARGEST_VALUE

    def of(self, value: Any, depth: int) -> Any:
        self._left -= 1
        if self._left < 0 or depth > DEEPEST_VALUE:
            self._fail("a value is too large or too deep")
        match value:
            case None | bool():
                return value
            case str():
                return str(value)
            case int():
                return bool(value) if type(value).__name__ == "ScalarBoolean" else int(value)
            case float() if isfinite(value):
                return float(value)
            case dict():
                if not all(isinstance(key, str) for key in value):
                    self._fail("a key is not a text")
                return {str(key): self.of(inner, depth + 1) for key, inner in value.items()}
            case list():
                return [self.of(inner, depth + 1) for inner in value]
        return self._fail(f"a {type(value).__name__} is no JSON value")
