"""What is personal or secret in a log goes before a cell is made of it; none is made where some stays.

Knows entries and lanes. What counts is the business of `parity.redaction`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct, field

from parity.importing.logs import CLIENT, Entry
from parity.redaction import Known, redact, survivors
from parity.wire import BRIDGE_TO_PROVIDER, PROVIDER_TO_BRIDGE, InputError, LaneLine


class Cleaning(Struct):
    """How a log is cleaned: what is known of its machine, and whether it is redacted or only swept.

    `counts` is filled by the import: how many different values of each kind were taken out.
    """

    known: Known
    redact: bool = True
    counts: dict[str, int] = field(default_factory=dict)


def clean(entries: Sequence[Entry], cleaning: Cleaning) -> None:
    """Redact the lines of a log in place, before anything is made of them."""
    if not cleaning.redact:
        return
    lines = [
        LaneLine(0, 1, number, BRIDGE_TO_PROVIDER if entry.side == CLIENT else PROVIDER_TO_BRIDGE, entry.line)
        for number, entry in enumerate(entries)
    ]
    redacted, counts = redact(lines, cleaning.known)
    cleaning.counts.update(counts)
    for entry, line in zip(entries, redacted, strict=True):
        entry.line = line.line


def refuse_survivors(
    log: Path, lanes: Mapping[str, Sequence[LaneLine]], manifest: str, cleaning: Cleaning
) -> None:
    """Raise InputError where something survives in the lanes or in the manifest of a cell to be."""
    places = [(lane, lines) for lane, lines in lanes.items()]
    places.append(("manifest", [LaneLine(0, 1, 1, "manifest", manifest)]))
    found = [(name, *one) for name, lines in places for one in survivors(lines, cleaning.known)]
    if not found:
        return
    name, line, kind, shown = found[0]
    what = f"{kind} in {name}, line {line}: {shown}" + (
        f", and {len(found) - 1} more" if len(found) > 1 else ""
    )
    if cleaning.redact:
        raise InputError(log, None, f"survives redaction: {what}", "take it out with --replace OLD=NEW")
    raise InputError(log, None, f"not fit to be committed: {what}", "import it without --no-redact")
