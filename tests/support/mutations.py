"""Recordings, damaged: what an agent said, with lines and values lost, doubled, moved or changed in kind.

A damage is (what, which, where, how), four small numbers, so that fewer and smaller ones are simpler. Only
what the agent said is damaged: what the runtime asked is ours.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from parity.wire import BRIDGE_TO_RUNTIME, PROVIDER_TO_BRIDGE, Cell, JsonError, LaneLine, decode, encode

Damage = tuple[str, int, int, int]

VALUES: list[Any] = [
    None,
    0,
    -1,
    "",
    "x",
    [],
    {},
    True,
    1.5,
    1e308,
    2**63,
    [None],
    [1, "a", {}],
    {"type": "vendor"},
    "\x00\x1b[31m\n",
    "\U0001f600" * 40,
]


_PLACE = "a deep place"


def deep(levels: int) -> Any:
    """A list in a list, so many levels down."""
    value: Any = "down"
    for _ in range(levels):
        value = [value]
    return value


def damaged(cell: Cell, damages: list[Damage]) -> list[LaneLine]:
    """The lines of a cell after the damages, numbered anew."""
    lines = list(cell.lines())
    for what, which, where, how in damages:
        said = [number for number, line in enumerate(lines) if line.dir == PROVIDER_TO_BRIDGE]
        if said:
            _DAMAGES[what](lines, said[which % len(said)], where, how)
    return [msgspec.structs.replace(line, seq=number + 1) for number, line in enumerate(lines)]


def gone(last: LaneLine) -> LaneLine:
    """What a recording shows, after its last line, when its agent is gone."""
    told = {"jsonrpc": "2.0", "method": "error", "params": {"message": "the agent is gone"}}
    return LaneLine(last.ts, last.run, last.seq + 1, BRIDGE_TO_RUNTIME, encode(told).decode())


def _drop(lines: list[LaneLine], at: int, where: int, how: int) -> None:
    del lines[at]


def _double(lines: list[LaneLine], at: int, where: int, how: int) -> None:
    lines.insert(min(at + 1 + _far(where), len(lines)), lines[at])


def _move(lines: list[LaneLine], at: int, where: int, how: int) -> None:
    line = lines.pop(at)
    lines.insert(max(0, at - 1 - _far(where)), line)


def _far(where: int) -> int:
    """How many lines away: mostly a few, now and then as many as it says."""
    return where if where % 3 == 2 else where % 5


def _late(lines: list[LaneLine], at: int, where: int, how: int) -> None:
    lines.append(lines.pop(at))


def _cut(lines: list[LaneLine], at: int, where: int, how: int) -> None:
    text = lines[at].line
    lines[at] = msgspec.structs.replace(lines[at], line=text[: where * 7919 % max(1, len(text))])


def _surrogate(lines: list[LaneLine], at: int, where: int, how: int) -> None:
    """A lone surrogate escape in a string of the line."""
    text = lines[at].line
    ends = [
        number for number in range(1, len(text)) if text[number] == '"' and text[number - 1] not in "\\{[,:"
    ]
    if ends:
        spot = ends[where % len(ends)]
        lines[at] = msgspec.structs.replace(lines[at], line=f"{text[:spot]}\\ud83d{text[spot:]}")


def _value(make: Callable[[int], Any]) -> Callable[[list[LaneLine], int, int, int], None]:
    def damage(lines: list[LaneLine], at: int, where: int, how: int) -> None:
        try:
            message = decode(lines[at].line)
        except JsonError:
            return
        found = places(message)
        if found:
            holder, name = found[where * 31 % len(found)]
            holder[name] = make(how)
            lines[at] = msgspec.structs.replace(lines[at], line=encode(message).decode())

    return damage


def _deep(lines: list[LaneLine], at: int, where: int, how: int) -> None:
    """A value so deep in lists that a reader may refuse it: up to a thousand levels and more."""
    levels = how * 20 if how < 8 else 880 + how * 12 + where % 12
    _value(lambda how: _PLACE)(lines, at, where, how)
    text = lines[at].line.replace(f'"{_PLACE}"', "[" * levels + '"down"' + "]" * levels)
    lines[at] = msgspec.structs.replace(lines[at], line=text)


def _lose(lines: list[LaneLine], at: int, where: int, how: int) -> None:
    """A member that is not there."""
    try:
        message = decode(lines[at].line)
    except JsonError:
        return
    found = [place for place in places(message) if isinstance(place[0], dict)]
    if found:
        holder, name = found[where * 31 % len(found)]
        del holder[name]
        lines[at] = msgspec.structs.replace(lines[at], line=encode(message).decode())


def _borrow(lines: list[LaneLine], at: int, where: int, how: int) -> None:
    """A value of another line of the agent in the place of one of this: an id, a text, a status it knows."""
    said = [number for number, line in enumerate(lines) if line.dir == PROVIDER_TO_BRIDGE]
    try:
        message, other = decode(lines[at].line), decode(lines[said[how * 13 % len(said)]].line)
    except JsonError:
        return
    found, others = places(message), places(other)
    if found and others:
        holder, name = found[where * 31 % len(found)]
        named = [value[key] for value, key in others if key == name] or [others[0][0][others[0][1]]]
        holder[name] = named[where % len(named)]
        lines[at] = msgspec.structs.replace(lines[at], line=encode(message).decode())


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, name) in a document, the outermost first."""
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        holder = waiting.pop(0)
        members = (
            holder.items()
            if isinstance(holder, dict)
            else enumerate(holder)
            if isinstance(holder, list)
            else ()
        )
        for name, member in members:
            found.append((holder, name))
            waiting.append(member)
    return found


_DAMAGES: dict[str, Callable[[list[LaneLine], int, int, int], None]] = {
    "drop": _drop,
    "double": _double,
    "move": _move,
    "late": _late,
    "cut": _cut,
    "surrogate": _surrogate,
    "null": _value(lambda how: None),
    "retype": _value(lambda how: VALUES[how % len(VALUES)]),
    "huge": _value(lambda how: "huge " * (how * 3000)),
    "deep": _deep,
    "lose": _lose,
    "borrow": _borrow,
}
SORTS = [*_DAMAGES, "drop", "double", "move", "retype", "null", "lose"]
"""The sorts of damage, the likely more often."""
