"""Recordings, damaged: what an agent said, with lines and values lost, doubled, moved or changed in kind.

A damage is (what, which, where, how), four small numbers, so that fewer and smaller ones are simpler. Only
what the agent said is damaged: what the runtime asked is ours.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from parity.wire import PROVIDER_TO_BRIDGE, Cell, JsonError, LaneLine, decode, encode

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


def _drop(lines: list[LaneLine], at: int, where: int, how: int) -> None:
    del lines[at]


def _double(lines: list[LaneLine], at: int, where: int, how: int) -> None:
    lines.insert(min(at + 1 + where % 5, len(lines)), lines[at])


def _move(lines: list[LaneLine], at: int, where: int, how: int) -> None:
    line = lines.pop(at)
    lines.insert(max(0, at - 1 - where % 5), line)


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
    "deep": _value(lambda how: deep(how * 20)),
    "lose": _lose,
}
SORTS = [*_DAMAGES, "drop", "double", "move", "retype", "null", "lose"]
"""The sorts of damage, the likely more often."""
