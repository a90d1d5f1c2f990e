"""A folder that reaches its place in one step, and what a writer that was killed leaves."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from parity.wire import InputError
from parity.wire.folders import new_folder, remove_left

posix = pytest.mark.skipif(os.name != "posix", reason="needs locks, and kills forked processes")


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def write(place: Path, text: str) -> None:
    remove_left(place)
    with new_folder(place) as folder:
        (folder / "file").write_text(text)


def killed(work: Callable[[], None]) -> None:
    """Do this in a process that kills itself in the middle of it."""
    child = os.fork()
    if not child:
        work()
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def test_a_folder_is_new_or_replaced_whole(tmp_path: Path) -> None:
    for text in ("old", "new"):
        write(tmp_path / "a", text)
        assert (names_in(tmp_path), (tmp_path / "a" / "file").read_text()) == (["a"], text)


def test_a_failure_keeps_the_old_folder_and_leaves_nothing_else(tmp_path: Path) -> None:
    write(tmp_path / "a", "old")

    def fail() -> None:
        with new_folder(tmp_path / "a") as folder:
            (folder / "file").write_text("half")
            raise RuntimeError("cut")

    with pytest.raises(RuntimeError, match="cut"):
        fail()
    assert (names_in(tmp_path), (tmp_path / "a" / "file").read_text()) == (["a"], "old")


def test_a_parent_that_cannot_be_written_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        write(tmp_path / "file" / "a", "new")


@posix
def test_what_a_writer_killed_while_it_filled_its_folder_left_goes_with_the_next(tmp_path: Path) -> None:
    def fill() -> None:
        with new_folder(tmp_path / "a") as folder:
            (folder / "file").write_text("half")
            os.kill(os.getpid(), signal.SIGKILL)

    killed(fill)
    (left,) = names_in(tmp_path)
    for name in (of_another := left.replace(".a.", ".b."), like_it := ".a.notes.tmp"):
        (tmp_path / name).mkdir()
    write(tmp_path / "a", "new")
    assert names_in(tmp_path) == sorted([like_it, of_another, "a"])


@posix
@pytest.mark.parametrize(("renames", "text"), [(1, "old"), (2, "new"), (3, "new")])
def test_a_writer_killed_after_a_rename_leaves_the_old_folder_or_the_new_one(
    tmp_path: Path, renames: int, text: str
) -> None:
    place = tmp_path / "a"
    write(place, "old")

    def die() -> None:
        rename, done = os.rename, []

        def counted(*paths: Path) -> None:
            rename(*paths)
            done.append(paths)
            if len(done) == renames:
                os.kill(os.getpid(), signal.SIGKILL)

        os.rename = counted  # type: ignore[assignment]
        write(place, "new")

    killed(die)
    assert len(names_in(tmp_path)) > 1
    remove_left(place)
    assert (names_in(tmp_path), (place / "file").read_text()) == (["a"], text)


@posix
def test_the_folders_of_a_writer_that_is_at_work_are_not_taken_for_left_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, rename, seen = tmp_path / "a", os.rename, []
    write(place, "old")

    def looked_at(*paths: Path) -> None:
        before = names_in(tmp_path)
        rename(*paths)
        between = names_in(tmp_path)
        remove_left(place)
        seen.append((before, between == names_in(tmp_path)))

    with new_folder(place) as folder:
        remove_left(place)
        (folder / "file").write_text("outer")
        write(place, "inner")
        monkeypatch.setattr(os, "rename", looked_at)
    assert [kept for _, kept in seen] == [True, True, True]
    assert (names_in(tmp_path), (place / "file").read_text()) == (["a"], "outer")


@posix
def test_a_link_by_such_a_name_is_left_alone(tmp_path: Path) -> None:
    write(tmp_path / "elsewhere", "mine")
    (tmp_path / ".a.0123abcd.tmp").symlink_to("elsewhere")
    write(tmp_path / "a", "new")
    assert names_in(tmp_path) == [".a.0123abcd.tmp", "a", "elsewhere"]
    assert names_in(tmp_path / "elsewhere") == ["file"]
