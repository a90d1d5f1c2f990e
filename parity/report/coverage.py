"""The page of the coverage: each protocol's vocabulary, where it occurs, and what becomes of each name.

Knows the shape of an entry, not how one is measured. The page lies beside the index and is, like every page,
one file that loads nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from parity.report.model import ReportData
from parity.report.pages import environment, frame
from parity.wire import InputError, write_atomic_bytes

PAGE = "coverage.html"
_VERDICTS = ("handled", "ignored", "unhandled")


class Entry(Protocol):
    """What is known of one name of a vocabulary."""

    @property
    def category(self) -> str:
        """What kind of name it is."""

    @property
    def name(self) -> str:
        """The wire's own word."""

    @property
    def verdict(self) -> str:
        """handled, ignored or unhandled."""

    @property
    def becomes(self) -> Sequence[str]:
        """What comes of it."""

    @property
    def decision(self) -> str | None:
        """Why nothing does."""

    @property
    def cells(self) -> Sequence[str]:
        """Where it occurs."""

    @property
    def published(self) -> bool:
        """Whether its protocol's vocabulary has it."""


class _Part(Struct):
    title: str
    names: int
    occur: int
    verdicts: list[tuple[str, int]]
    categories: list[tuple[str, list[Entry]]]


def write_coverage(folder: Path | str, protocols: Mapping[str, Sequence[Entry]]) -> Path:
    """Write the page into the folder of a report; `protocols` are entries by title, grouped by category.

    Raises InputError where it cannot be written.
    """
    page = (
        environment()
        .get_template(PAGE)
        .render(
            **frame(ReportData(cells=(), passed=True), "coverage.css"),
            parts=[_part(title, entries) for title, entries in protocols.items()],
        )
    )
    path = Path(folder) / PAGE
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic_bytes(path, page.encode("utf-8", "replace"))
    except OSError as error:
        what = f"the report cannot be written ({error.strerror})"
        raise InputError(folder, None, what, "name a folder that can be written") from None
    return path


def _part(title: str, entries: Sequence[Entry]) -> _Part:
    counted = Counter(entry.verdict for entry in entries)
    return _Part(
        title,
        len(entries),
        sum(bool(entry.cells) for entry in entries),
        [(verdict, counted[verdict]) for verdict in _VERDICTS if counted[verdict]],
        [(name, list(group)) for name, group in groupby(entries, key=lambda entry: entry.category)],
    )
