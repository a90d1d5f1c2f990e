"""A folder that reaches its place in one step: filled in a hidden one beside it, which is then renamed.

Knows folders. Must not know what is in them. A writer holds a lock on each hidden folder of its own, so what
nobody holds was left by one that was killed. It goes with the next writer of the same place: a new folder
(`.NAME.….tmp`) is removed, and an old one that had stepped aside (`.NAME.….old`) goes back where its place is
empty.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

from parity.wire.errors import unwritable
from parity.wire.framing import lock, sync_directory


@contextlib.contextmanager
def new_folder(place: Path) -> Iterator[Path]:
    """A hidden folder to be filled; at the end it takes its place, and a folder that was there goes.

    If anything fails the old folder stays and nothing is left behind. Raises InputError where the system
    refuses.
    """
    with contextlib.ExitStack() as held:
        try:
            temporary = _hidden(place, held)
        except OSError as error:
            raise unwritable(place, error) from error
        try:
            yield temporary
            _swap_in(temporary, place, held)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise


def remove_left(place: Path) -> None:
    """Remove what killed writers of this place have left, or put it back."""
    name = re.compile(rf"\.{re.escape(place.name)}\.[0-9a-f]{{8}}\.(tmp|old)")
    with contextlib.suppress(OSError):
        for folder in list(place.parent.iterdir()):
            found = name.fullmatch(folder.name)
            if found is None:
                continue
            with contextlib.suppress(OSError), contextlib.ExitStack() as held:
                if _lock(folder, held) is not True:
                    continue
                if found[1] == "old" and not place.exists():
                    os.rename(folder, place)
                else:
                    shutil.rmtree(folder, ignore_errors=True)


def _hidden(place: Path, held: contextlib.ExitStack) -> Path:
    """A new folder beside the place, locked: the lock says that somebody is filling it."""
    while True:
        temporary = _beside(place, "tmp")
        temporary.mkdir()
        with contextlib.suppress(FileNotFoundError):  # taken for left over before it was locked
            if _lock(temporary, held) is not False and temporary.exists():
                return temporary


def _swap_in(temporary: Path, place: Path, held: contextlib.ExitStack) -> None:
    """Rename the finished folder into place; an old one steps aside first and back on failure."""
    try:
        if not place.exists():
            os.rename(temporary, place)
        else:
            with contextlib.suppress(OSError):
                _lock(place, held)
            old = _beside(place, "old")
            os.rename(place, old)
            try:
                os.rename(temporary, place)
            except BaseException:
                os.rename(old, place)
                raise
            _remove(old, _beside(place, "tmp"))
    except OSError as error:
        raise unwritable(place, error) from error
    sync_directory(place.parent)


def _remove(old: Path, left: Path) -> None:
    """Remove the old folder under a name by which nobody would put half of it back."""
    with contextlib.suppress(OSError):
        os.rename(old, left)
        shutil.rmtree(left, ignore_errors=True)


def _beside(place: Path, kind: str) -> Path:
    return place.with_name(f".{place.name}.{secrets.token_hex(4)}.{kind}")


def _lock(folder: Path, held: contextlib.ExitStack) -> bool | None:
    """Lock a folder until the end of `held`, unless somebody else has (False); None where that cannot be."""
    if not hasattr(os, "O_DIRECTORY"):
        return None
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    held.callback(os.close, descriptor)
    return lock(descriptor)
