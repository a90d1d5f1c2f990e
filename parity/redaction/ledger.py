"""The ledger: which placeholder stands for which value, the same one throughout a recording.

Numbers go by first sight, above those a recording already holds. A value that is the beginning of another one
(a text cut off, a terminal's output so far) gets the beginning of the other one's placeholder, so that a text
that grows still grows after redaction.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from urllib.parse import quote

from parity.redaction.texts import Match
from parity.redaction.values import PLACEHOLDER, looks_secret

_NOUNS = {"environment": "env", "id": "id", "path": "tmp"}
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_NUMBERED = re.compile(r"redacted-(token|env|id|tmp)-(\d+)|0{8}-0000-4000-8000-(\d{12})")

SHORTEST = 8
"""Characters; a shorter value is replaced where it was found and nowhere else."""

PART = 6
"""Characters; a shorter beginning or end of a value says nothing."""


class Ledger:
    """Values seen and what stands for them."""

    def __init__(self, texts: Iterable[str] = (), secrets: Iterable[str] = ()) -> None:
        self._last: Counter[str] = Counter()
        for text in texts:
            for noun, number, uuid in (
                _NUMBERED.findall(text) if "edacted-" in text or "-0000-4000-" in text else ()
            ):
                noun = noun or "uuid"
                self._last[noun] = max(self._last[noun], int(number or uuid))
        self._kinds: dict[str, str] = {}
        self._placeholders: dict[str, str] = {}
        self._pattern: re.Pattern[str] | None = None
        self._written: dict[str, str] = {}
        self._heads: dict[str, list[str]] = {}
        self._tails: dict[str, list[str]] = {}
        self._longest = 0
        self._listed = 0
        self.listening = True
        for secret in secrets:
            if len(secret) >= PART:
                self.placeholder("token", secret)

    @property
    def size(self) -> int:
        """How many values it knows."""
        return len(self._kinds)

    def placeholder(self, kind: str, value: str) -> str:
        """What stands for a value. While it listens, values are only gathered."""
        self._kinds.setdefault(value, kind)
        if self.listening:
            return value
        if value not in self._placeholders:
            longer = self._longer(value)
            self._placeholders[value] = (
                beginning(value, longer, self._placeholders[longer])
                if longer
                else self._numbered(kind, value)
            )
        return self._placeholders[value]

    def settle(self) -> None:
        """All values were seen: number them, those that begin others after those others."""
        self.listening = False
        ordered = list(self._kinds)
        whole = [value for value in ordered if not self._longer(value)]
        for value in (*whole, *ordered):
            self.placeholder(self._kinds[value], value)
        self._listed = -1

    def __call__(self, text: str) -> Iterator[Match]:
        """Where known values stand in a text, whole or cut off. While it listens, it knows none."""
        if self.listening:
            return
        if self._listed != len(self._kinds):
            self._list()
        if self._pattern is None:
            return
        for found in self._pattern.finditer(text):
            value = self._written[found[0]]
            yield Match(found.start(), found.end(), self._kinds[value], value, crosses=True)
        if len(text) >= PART:
            yield from self._cut_off(text)

    def _cut_off(self, text: str) -> Iterator[Match]:
        """A value cut off by the end of a text, or by its beginning."""
        for at in range(max(0, len(text) - self._longest), len(text) - PART + 1):
            for value in self._heads.get(text[at : at + PART], ()):
                part = text[at:]
                if len(part) < len(value) and value.startswith(part):
                    new = beginning(part, value, self._placeholders[value])
                    yield Match(at, len(text), self._kinds[value], value, new)
        for end in range(min(len(text), self._longest), PART - 1, -1):
            for value in self._tails.get(text[end - PART : end], ()):
                part = text[:end]
                if len(part) < len(value) and value.endswith(part) and not PLACEHOLDER.search(part):
                    new = self._placeholders[value]
                    yield Match(0, end, self._kinds[value], value, new[-len(beginning(part, value, new)) :])

    def _list(self) -> None:
        self._listed = len(self._kinds)
        self._written, self._heads, self._tails = {}, {}, {}
        for value in self._placeholders:
            if self._is_unique(value) and self._kinds[value] != "id":
                self._heads.setdefault(value[:PART], []).append(value)
                self._tails.setdefault(value[-PART:], []).append(value)
                self._longest = max(self._longest, len(value))
        for value in self._kinds:
            if self._is_unique(value):
                self._written[value] = value
                self._written.setdefault(quote(value, safe="", errors="replace"), value)
        texts = "|".join(re.escape(text) for text in sorted(self._written, key=len, reverse=True))
        self._pattern = re.compile(texts) if texts else None

    def _is_unique(self, value: str) -> bool:
        """Whether a value means the same wherever it stands, so that it goes everywhere."""
        kind = self._kinds[value]
        if kind == "environment":
            return looks_secret(value, "token")
        return len(value) >= SHORTEST and kind != "path"

    def _longer(self, value: str) -> str | None:
        """The longest value that begins with this one."""
        if len(value) < PART:
            return None
        longer = (other for other in self._kinds if len(other) > len(value) and other.startswith(value))
        return max(longer, key=len, default=None)

    def _numbered(self, kind: str, value: str) -> str:
        noun = "uuid" if kind == "id" and _UUID.fullmatch(value) else _NOUNS.get(kind, "token")
        self._last[noun] += 1
        number = self._last[noun]
        return f"00000000-0000-4000-8000-{number:012}" if noun == "uuid" else f"redacted-{noun}-{number}"


def beginning(part: str, whole: str, placeholder: str) -> str:
    """As much of a placeholder as there is of the value it stands for."""
    return placeholder[: max(1, round(len(placeholder) * len(part) / len(whole)))]
