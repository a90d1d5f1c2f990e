"""Coverage-guided fuzzing (atheris) of the framing and of each family's lanes.

    pip install -e '.[fuzz]'
    python fuzzing/fuzz.py TARGET [--seconds N]        TARGET: framing, acp, codex, claude-code
    python fuzzing/fuzz.py TARGET --seed               write the seeds of a target's corpus anew
    python fuzzing/fuzz.py TARGET --reduce             keep of the corpus what adds coverage

New inputs are kept in `fuzzing/found/TARGET` (not committed), the seeds in `fuzzing/corpus/TARGET`. A finding
is written to `fuzzing/found/crash-…` and ends the run. Mutations know lines and JSON: a line is dropped,
doubled, moved or exchanged, a value becomes another, and now and then the bytes are shaken.
"""

from __future__ import annotations

import argparse
import importlib
import random
import sys
from pathlib import Path
from typing import Any

import atheris

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tests" / "support"), str(HERE.parent)]

with atheris.instrument_imports(include=["parity"]):
    for family in ("acp", "codex", "claude_code"):
        importlib.import_module(f"parity.bridges.{family}.bridge")
    importlib.import_module("parity.replay.replay")
    from parity.grammar.rows import walk
    from parity.wire import (
        PROVIDER_TO_BRIDGE,
        Cell,
        JsonError,
        LineSplitter,
        decode,
        decode_counted,
        encode,
        find_cells,
    )

from mutations import VALUES, deep, places  # noqa: E402
from session import FuzzedSession  # noqa: E402
from session_truth import check_settling, check_streams  # noqa: E402

FAMILIES = {"acp": "acp-", "codex": "codex", "claude-code": "claude-code"}
_SEED_BYTES = 6000


def cells_of(family: str) -> dict[str, Cell]:
    """The family's cells by key."""
    found = find_cells(HERE.parent / "recordings")
    return {cell.key: cell for cell in found if cell.provider.startswith(FAMILIES[family])}


# -- targets ---------------------------------------------------------------------------------------------


def framing(data: bytes) -> None:
    """The same lines whatever the chunks; a line is JSON or refused as none."""
    cuts, _, stream = data.partition(b"\n")
    whole = LineSplitter()
    lines = whole.feed(stream) + whole.flush()
    parts, chunked, at = LineSplitter(), [], 0
    for size in cuts:
        chunked += parts.feed(stream[at : at + size])
        at += size
    chunked += parts.feed(stream[at:]) + parts.flush()
    assert chunked == lines
    for line in lines:
        try:
            value, _ = decode_counted(line)
        except JsonError:
            continue
        encode(value)


class Sessions:
    """The target of a family: see `session`."""

    def __init__(self, family: str) -> None:
        self._cells = cells_of(family)
        self._first = next(iter(self._cells.values()))

    def __call__(self, data: bytes) -> None:
        """Play the input and check what holds of any session."""
        head, *lines = data.decode("utf-8", "replace").split("\n")
        session = FuzzedSession(self._cells.get(head, self._first))
        for line in lines:
            session.say(line)
        assert not session.finish()
        threads: dict[str, list[Any]] = {}
        for event in session.events:
            threads.setdefault(event["threadId"], []).append(event)
        for events in threads.values():
            check_settling(events)
            check_streams(events)
        for row in (row for top in session.rows for row in walk(top)):
            code = row.get("exitCode")
            assert code is None or code == 3 or str(code) in "".join(lines), f"nobody said {code}"


# -- mutation --------------------------------------------------------------------------------------------


def mutate(data: bytes, max_size: int, seed: int) -> bytes:
    """A damage that knows lines and JSON; one in eight shakes the bytes."""
    choose = random.Random(seed)
    if choose.randrange(8) == 0:
        return atheris.Mutate(data, max_size)
    lines = data.split(b"\n")
    at = choose.randrange(len(lines))
    what = choose.randrange(8)
    if what == 0:
        del lines[at]
    elif what == 1:
        lines.insert(choose.randrange(len(lines) + 1), lines[at])
    elif what == 2:
        lines.insert(choose.randrange(len(lines)), lines.pop(at))
    else:
        lines[at] = _another(lines[at], choose)
    return b"\n".join(lines)[:max_size]


def _another(line: bytes, choose: random.Random) -> bytes:
    """The line with one value changed, lost, or taken from elsewhere in it."""
    try:
        message = decode(line)
    except JsonError:
        return line
    found = places(message)
    if not found:
        return line
    holder, name = found[choose.randrange(len(found))]
    what = choose.randrange(5)
    if what == 0 and isinstance(holder, dict):
        del holder[name]
    elif what == 1:
        other, at = found[choose.randrange(len(found))]
        if other is not holder or at != name:
            holder[name] = decode(encode(other[at]))
    elif what == 2:
        holder[name] = deep(choose.randrange(60))
    else:
        holder[name] = VALUES[choose.randrange(len(VALUES))]
    return encode(message)


# -- the command -----------------------------------------------------------------------------------------


def seed(target: str, corpus: Path) -> None:
    """Write the seeds: of each cell, what its agent said after the first prompt, cut to a few KB."""
    corpus.mkdir(parents=True, exist_ok=True)
    for old in corpus.iterdir():
        old.unlink()
    if target == "framing":
        texts = [
            b'\x01\x02\x07\n{"a":1}\r\n[]\n',
            b'\n\xef\xbb\xbf{}\n"\\ud83d"',
            '\x03\n"\u2028\x85"\n'.encode(),
        ]
        for number, text in enumerate(texts):
            (corpus / f"seed-{number}").write_bytes(text)
        return
    for key, cell in cells_of(target).items():
        said = [line.line for line in cell.lines() if line.dir == PROVIDER_TO_BRIDGE]
        kept = [key]
        for line in said[len(said) // 6 :]:
            if len(line) < 1500 and sum(map(len, kept)) < _SEED_BYTES:
                kept.append(line)
        (corpus / key.replace("/", "-")).write_text("\n".join(kept), encoding="utf-8")


def main() -> None:
    """Parse the command, run the target."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("target", choices=["framing", *FAMILIES])
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", action="store_true")
    parser.add_argument("--reduce", action="store_true")
    options = parser.parse_args()
    corpus, found = HERE / "corpus" / options.target, HERE / "found" / options.target
    if options.seed:
        seed(options.target, corpus)
        return
    target = framing if options.target == "framing" else Sessions(options.target)
    found.mkdir(parents=True, exist_ok=True)
    flags = [f"-artifact_prefix={found.parent}/", "-rss_limit_mb=2048", "-timeout=20", "-max_len=12000"]
    if options.reduce:
        flags += ["-merge=1", str(found), str(corpus)]
    else:
        flags += [f"-max_total_time={options.seconds}", "-print_final_stats=1", str(found), str(corpus)]
    mutator = None if options.target == "framing" else mutate
    atheris.Setup([sys.argv[0], *flags], target, custom_mutator=mutator)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
