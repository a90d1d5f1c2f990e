"""Trees: what `--old` and `--new` name, and the temporary worktree of a git ref.

Knows git, folders and the bridges a folder names. Must not know what is done with a tree. Everything made for
a comparison lies in one temporary folder that `workshop` removes, whatever happens; git is told to forget its
worktrees.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct

import parity
from parity.gates.settings import ProviderSettings, find_table, load_settings
from parity.wire import InputError

_LOCAL = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR")
"""What git sets for its hooks: it would make us work on the hook's repository and index."""


class Tree(Struct, frozen=True):
    """One side's code."""

    title: str
    """What the user named, and for a ref the commit."""
    top: Path
    """The absolute folder it was named by."""
    import_from: Path
    """The absolute folder that holds the package `parity` it runs with."""
    own: bool = True
    """Whether that package is the tree's own. A tree that only names bridges runs with the installed one."""


class Ref(Struct, frozen=True):
    """A commit of the repository that this checkout belongs to."""

    name: str
    commit: str
    repository: Path
    """The top folder of the repository."""
    inside: str
    """Where in the repository this checkout lies, "" for the top."""

    @property
    def title(self) -> str:
        """`main (1a2b3c4d)`."""
        return f"{self.name} ({self.commit[:8]})"


def this_checkout(start: Path) -> Path | None:
    """The nearest folder at or above `start` that holds a `parity` package; None where there is none.

    Where there is none, the folder of the nearest `[tool.parity]` that names bridges. Raises InputError for a
    table that is wrong.
    """
    start = start.absolute()
    for folder in (start, *start.parents):
        if _package_home(folder) is not None:
            return folder
    table = find_table(start)
    return table[0] if table is not None and bridges_of(table[0]) else None


def bridges_of(top: Path, inside: Path = Path()) -> Mapping[str, ProviderSettings]:
    """The external bridges that the nearest `[tool.parity]` at or above `inside` names, none above the top.

    Each runs in the tree, in the folder of its table. Raises InputError for a table that is wrong.
    """
    table = find_table(top / inside)
    if table is None or not table[0].is_relative_to(top.absolute()):
        return {}
    return load_settings(table[0]).providers


def resolve(option: str, name: str, start: Path) -> Tree | Ref:
    """What the user named: a git ref of the repository around `start`, else a directory.

    A name that begins with `.`, `/` or `~` is always a directory. Raises InputError, naming the option.
    """
    folder = Path(name).expanduser()
    if not name.startswith((".", "/", "~")):
        found = _ref(name, this_checkout(start) or start)
        if isinstance(found, Ref):
            return found
        if not folder.is_dir():
            raise InputError(option, None, f"{name!r} is no directory, and {found}", "name one of the two")
    return tree_of(option, start / folder, name)


def tree_of(option: str, folder: Path, title: str) -> Tree:
    """The tree in a folder. Raises InputError where it holds no `parity` package and names no bridges."""
    if not folder.is_dir():
        raise InputError(option, None, f"{title!r} is no directory", "check the path")
    top = Path(os.path.normpath(folder.absolute()))
    home = _package_home(top)
    if home is not None:
        return Tree(title, top, home)
    if bridges_of(top):
        return Tree(title, top, Path(parity.__file__).absolute().parent.parent, own=False)
    what = f"{title!r} holds no parity package, and names no bridge in [tool.parity.providers]"
    raise InputError(option, None, what, "name the top of a checkout")


def _package_home(folder: Path) -> Path | None:
    for home in (folder, folder / "src"):
        if (home / "parity" / "__init__.py").is_file():
            return home
    return None


@contextmanager
def workshop() -> Iterator[Path]:
    """A temporary folder, removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix="parity-compare-")).resolve()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def checked_out(option: str, named: Tree | Ref, place: Path) -> Iterator[Tree]:
    """The tree itself; a ref is checked out to `place` and removed at the end.

    As a detached worktree, without the repository's hooks; where git refuses that, as an archive. Raises
    InputError where neither works or the commit holds no code to run.
    """
    if isinstance(named, Tree):
        yield named
        return
    try:
        added = _git(
            named.repository, "worktree", "add", "--quiet", "--force", "--detach", str(place), named.commit
        )
        if added.returncode != 0:
            _unpack(option, named, place, _last_line(added.stderr))
        yield tree_of(option, place / named.inside, named.title)
    finally:
        _remove(named.repository, place)


def _unpack(option: str, ref: Ref, place: Path, refusal: str) -> None:
    """The commit's files from `git archive`."""
    _remove(ref.repository, place)
    place.mkdir(parents=True)
    archive = place.with_name(f"{place.name}.tar")
    made = _git(ref.repository, "archive", "--format=tar", f"--output={archive}", ref.commit)
    if made.returncode != 0:
        what = f"{ref.name!r} cannot be checked out: {refusal or _last_line(made.stderr)}"
        raise InputError(option, None, what, "check it out yourself and name the directory")
    try:
        with tarfile.open(archive) as tar:
            safely: Any = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
            tar.extractall(place, **safely)
    except (tarfile.TarError, OSError) as error:
        raise InputError(
            option, None, f"{ref.name!r} cannot be unpacked: {error}", "name a directory"
        ) from None


def _remove(repository: Path, place: Path) -> None:
    """Remove the worktree and what the repository keeps about it; never another's (as a prune might)."""
    pointer = place / ".git"
    if pointer.is_file():
        kept = Path(pointer.read_text("utf-8").removeprefix("gitdir:").strip())
        removed = _git(repository, "worktree", "remove", "--force", "--force", str(place))
        if removed.returncode != 0 and kept.parent.name == "worktrees":
            shutil.rmtree(kept, ignore_errors=True)
    shutil.rmtree(place, ignore_errors=True)


def _ref(name: str, start: Path) -> Ref | str:
    """The commit of a ref, or why there is none."""
    top = _git(start, "rev-parse", "--show-toplevel")
    if top.returncode != 0:
        return f"git says: {_last_line(top.stderr)}" if shutil.which("git") else "git is not installed"
    found = _git(start, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if found.returncode != 0:
        return "no git ref of this repository"
    inside = _git(start, "rev-parse", "--show-prefix").stdout.decode().removesuffix("\n")
    repository = Path(top.stdout.decode().removesuffix("\n"))
    return Ref(name, found.stdout.decode().strip(), repository, inside)


def _git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """A git command, out of reach of the terminal's Ctrl-C and without the repository's hooks."""
    command = ["git", "-c", f"core.hooksPath={os.devnull}", "-C", str(folder), *arguments]
    environment = {key: value for key, value in os.environ.items() if key not in _LOCAL}
    try:
        return subprocess.run(
            command,
            env={**environment, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            start_new_session=True,
            check=False,
        )
    except OSError as error:
        return subprocess.CompletedProcess(command, 127, b"", str(error).encode())


def _last_line(text: bytes) -> str:
    lines = text.decode("utf-8", "replace").strip().splitlines()
    return lines[-1].removeprefix("fatal: ") if lines else ""
