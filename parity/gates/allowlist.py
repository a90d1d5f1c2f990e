"""`allowlist.yaml`: which differences are accepted, by what issue, and which are stale.

Knows allowances and how they match differences. Must not know how a difference was found or what a
recording is. How the file is read and checked is in `allowlist_file`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parity.compare import Difference
from parity.gates.allowance import SECTIONS, Allowance
from parity.gates.allowlist_file import AllowlistFile


@dataclass(frozen=True, slots=True)
class Considered:
    """What a run looked at, so that it can be said which allowances had their chance.

    `ran`: the `provider/cell` names fully compared in this process. `known`: all there are; None
    means that it is not known, and then only allowances that name provider and cell can be stale.
    `layers`: the layers compared; None means all.
    """

    ran: frozenset[str]
    known: frozenset[str] | None = None
    layers: frozenset[str] | None = None

    @property
    def full(self) -> bool:
        """Whether nothing was left out."""
        return self.known is not None and self.known <= self.ran and self.layers is None

    def covers(self, allowance: Allowance) -> bool:
        """Whether the whole scope of the allowance was run, so that no hit elsewhere is possible.

        An allowance for provider `*` is covered by a full run only; so is one whose cells are gone.
        """
        if self.full:
            return True
        if allowance.providers is None:
            return False
        if self.layers is not None and allowance.layer not in {*self.layers, None}:
            return False
        if allowance.cells is not None:
            named = {f"{p}/{c}" for p in allowance.providers for c in allowance.cells}
            scope = named if self.known is None else named & self.known
            return bool(scope) and scope <= self.ran
        if self.known is None:
            return False
        scope = {name for name in self.known if name.split("/")[0] in allowance.providers}
        return bool(scope) and scope <= self.ran


class Allowlist:
    """All allowances of one file, with how often each was used in this process."""

    def __init__(self, file: AllowlistFile) -> None:
        self._file = file
        self.on_masked: Callable[[Allowance, str, Difference], None] | None = None
        """Told of each difference an allowance accepts, with its `provider/cell`."""

    @classmethod
    def load(cls, path: Path | str) -> Allowlist:
        """Read and check the file; a missing file is an empty list.

        Raises InputError, with the line, for anything that is not a valid allowance.
        """
        return cls(AllowlistFile(Path(path)))

    @property
    def path(self) -> Path:
        """The file the list came from."""
        return self._file.path

    @property
    def allowances(self) -> Sequence[Allowance]:
        """Every allowance, by section (pinned, checkouts, counts) and then by line."""
        return [entry for section in SECTIONS for entry in self._file.sections[section]]

    def section(self, section: str) -> Sequence[Allowance]:
        """The allowances of `pinned`, `checkouts` or `counts`. Raises KeyError for another name."""
        return self._file.sections[section]

    def mask(
        self, section: str, provider: str, cell: str, differences: Iterable[Difference]
    ) -> list[Difference]:
        """The differences no allowance accepts. Each allowance that matches one counts a hit."""
        allowances = [a for a in self.section(section) if a.concerns(provider, cell)]
        left = []
        for difference in differences:
            masked = [allowance for allowance in allowances if allowance.matches(difference)]
            for allowance in masked:
                allowance.hits += 1
                if self.on_masked is not None:
                    self.on_masked(allowance, f"{provider}/{cell}", difference)
            if not masked:
                left.append(difference)
        return left

    def count_allowances(self, provider: str, cell: str) -> list[Allowance]:
        """The `counts` allowances of a cell, for `judge`."""
        return [a for a in self.section("counts") if a.concerns(provider, cell)]

    def stale(self, section: str, considered: Considered | Callable[[Allowance], bool]) -> list[Allowance]:
        """Allowances that masked nothing although their whole scope was run.

        `considered` says what was run; a predicate may decide instead. A filtered run never calls
        an allowance of other cells stale. With several processes, add up their hits first
        (`add_hits`).
        """
        covers = considered.covers if isinstance(considered, Considered) else considered
        return [a for a in self.section(section) if a.hits == 0 and covers(a)]

    def dump_hits(self) -> list[int]:
        """Hits per allowance, in the order of `allowances`; to be sent to another process."""
        return [allowance.hits for allowance in self.allowances]

    def add_hits(self, hits: Sequence[int]) -> None:
        """Add the hits of another process that read the same file.

        Raises ValueError when the number of allowances differs, that is, the file was another.
        """
        for allowance, more in zip(self.allowances, hits, strict=True):
            allowance.hits += more

    def add(self, section: str, entry: Mapping[str, Any]) -> Allowance:
        """Append an allowance (keys as in the file); `save` writes it. Raises InputError."""
        return self._file.add(section, entry)

    def remove(self, allowance: Allowance) -> None:
        """Take an allowance out, and its comment with it; `save` writes it. Raises ValueError."""
        self._file.remove(allowance)

    def save(self) -> None:
        """Write the file; everything else in it stays byte for byte. Raises InputError."""
        self._file.save()
