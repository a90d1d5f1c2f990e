"""Running: from what the user named to both sides' replays, and nothing left behind.

Knows what `--old` and `--new` may be, interpreters and the bridges each tree names. Must not know verdicts,
allowances or how anything is shown.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from parity.checkouts.comparing import ROLES, Pair, replay_both
from parity.checkouts.side import Side
from parity.checkouts.signals import signals_wait
from parity.checkouts.trees import (
    Ref,
    Tree,
    bridges_of,
    checked_out,
    resolve,
    this_checkout,
    tree_of,
    workshop,
)
from parity.gates.settings import ProviderSettings, Settings, find_table
from parity.wire import Cell, InputError


class Wanted(Struct, kw_only=True):
    """Which two checkouts, as the user typed it."""

    old: str
    new: str | None = None
    old_python: str | None = None
    new_python: str | None = None
    jobs: int = 2
    timeout: float = 30.0
    """Seconds that a side may say nothing."""


class Sides(Struct):
    """What was compared: titles for people, the commands that are bridges, and the results."""

    titles: dict[str, str]
    bridges: dict[str, dict[str, list[str] | None]]
    """Provider → role → the command of its bridge; None where that side's code has the bridge."""
    pairs: list[Pair]


def replay_sides(
    settings: Settings,
    cells: Sequence[Cell],
    wanted: Wanted,
    *,
    keep: Collection[str] = (),
    provenance: bool = False,
) -> Sides:
    """Both sides over the cells; see `replay_both`. What was made for them is gone at the end.

    Raises InputError for what the user named wrongly.
    """
    _check(wanted)
    here = Path.cwd()
    named = {"old": resolve("--old", wanted.old, here), "new": _new(wanted.new, here)}
    pythons = {
        "old": _interpreter("--old-python", wanted.old_python),
        "new": _interpreter("--new-python", wanted.new_python),
    }
    titles = {
        role: named[role].title + (f" with {pythons[role]}" if pythons[role] != sys.executable else "")
        for role in ROLES
    }
    inside = _inside(settings, here)
    with (
        signals_wait() as waiting,
        workshop() as shop,
        checked_out("--old", named["old"], shop / "old") as old,
        checked_out("--new", named["new"], shop / "new") as new,
    ):
        sides = {
            role: Side(tree.import_from, pythons[role], bridges_of(tree.top, inside), tree.own)
            for role, tree in (("old", old), ("new", new))
        }
        work = (sides, cells, shop / "bytecode")
        pairs = waiting.run(
            lambda: replay_both(
                *work, jobs=wanted.jobs, timeout=wanted.timeout, keep=keep, provenance=provenance
            )
        )
    return Sides(titles, _commands(settings.providers, sides, cells), pairs)


def _check(wanted: Wanted) -> None:
    if wanted.jobs < 1:
        raise InputError("--jobs", None, f"{wanted.jobs} is no number of processes", "use 1 or more")
    if not 0 < wanted.timeout < float("inf"):
        raise InputError("--timeout", None, f"{wanted.timeout:g} is no time to wait", "use seconds, over 0")


def _inside(settings: Settings, here: Path) -> Path:
    """Where in this checkout, and so in each side's, the folder is whose `[tool.parity]` counts."""
    table, top = find_table(here), this_checkout(here)
    folder = table[0] if table is not None else here
    folder = next((one.folder for one in settings.providers.values()), folder)
    return folder.relative_to(top) if top is not None and folder.is_relative_to(top) else Path()


def _commands(
    providers: Mapping[str, ProviderSettings], sides: Mapping[str, Side], cells: Sequence[Cell]
) -> dict[str, dict[str, list[str] | None]]:
    """The bridges that are commands, for the providers of these cells, today's settings included."""
    found: dict[str, dict[str, list[str] | None]] = {}
    for provider in dict.fromkeys(cell.provider for cell in cells):
        of = {role: side.bridges.get(provider) for role, side in sides.items()}
        if provider in providers or any(one is not None for one in of.values()):
            found[provider] = {role: one.bridge if one is not None else None for role, one in of.items()}
    return found


def _new(name: str | None, here: Path) -> Tree | Ref:
    if name is not None:
        return resolve("--new", name, here)
    folder = this_checkout(here)
    if folder is None:
        what = f"no parity package at or above {here}, nor a bridge in [tool.parity.providers]"
        raise InputError("--new", None, what, "run it inside a checkout, or name one with --new")
    return tree_of("--new", folder, "this checkout as it is")


def _interpreter(option: str, name: str | None) -> str:
    if name is None:
        return sys.executable
    found = shutil.which(Path(name).expanduser())
    if found is None:
        raise InputError(option, None, f"{name!r} is no program", "give the path of a Python interpreter")
    return str(Path(found).absolute())
