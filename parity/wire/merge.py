"""Four lanes back into the one order in which their lines crossed.

Knows that each lane rises by (run, seq) and that no two lines share one. Must not know cells or what
the lines say. This is the hot loop of every replay: per line it does one comparison or two, and
whatever only an error needs (a line number) is worked out when there is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NoReturn

from parity.wire.errors import InputError
from parity.wire.lane_file import LaneLine, read_lane


def merge_lanes(
    lanes: Sequence[tuple[Path, str]], on_replaced: Callable[[str, int], object]
) -> Iterator[LaneLine]:
    """The lines of these (file, lane) pairs sorted by (run, seq), as a stream.

    ``on_replaced`` gets (lane, number of lone surrogates replaced). Raises InputError as `read_lane`,
    and at the second of two lines, in different lanes, with the same (run, seq).
    """
    heads: list[LaneLine] = []
    sources: list[Iterator[LaneLine]] = []
    for path, lane in lanes:
        source = read_lane(path, lane, partial(on_replaced, lane))
        head = next(source, None)
        if head is not None:
            _insert(heads, sources, head, source)
    last: LaneLine | None = None
    last_run = 0
    last_seq: int | float = 0
    while heads:
        head = heads[0]
        run = head.run
        seq = head.seq
        if seq == last_seq and run == last_run and last is not None:
            _refuse_duplicate(lanes, last, head)
        yield head
        last = head
        last_run = run
        last_seq = seq
        source = sources[0]
        following = next(source, None)
        if following is None:
            del heads[0], sources[0]
            continue
        # `heads` is sorted: slide the lanes that come before this one's next line to the front.
        run = following.run
        seq = following.seq
        place = 0
        for other in heads[1:]:
            if other.run > run or (other.run == run and other.seq > seq):
                break
            heads[place] = other
            sources[place] = sources[place + 1]
            place += 1
        heads[place] = following
        sources[place] = source


def _insert(
    heads: list[LaneLine],
    sources: list[Iterator[LaneLine]],
    head: LaneLine,
    source: Iterator[LaneLine],
) -> None:
    place = sum((other.run, other.seq) <= (head.run, head.seq) for other in heads)
    heads.insert(place, head)
    sources.insert(place, source)


def _refuse_duplicate(lanes: Sequence[tuple[Path, str]], first: LaneLine, second: LaneLine) -> NoReturn:
    path = next(path for path, lane in lanes if lane == second.dir)
    number = next(
        number
        for number, line in enumerate(read_lane(path, second.dir), start=1)
        if line.run == second.run and line.seq == second.seq
    )
    raise InputError(
        path,
        number,
        f"duplicate (run {second.run}, seq {second.seq}): {first.dir} has it too",
        "give each line of a run its own seq",
    )
