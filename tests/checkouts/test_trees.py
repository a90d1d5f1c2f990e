"""Trees: what a name means, and that a ref's checkout never outlives the comparison."""

from __future__ import annotations

from pathlib import Path

import pytest
from side_trees import commit_all, git, tiny_tree

from parity.checkouts.trees import Ref, Tree, checked_out, resolve, this_checkout
from parity.wire import InputError


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two commits, the first tagged `before`; the working tree has a file that no commit has."""
    folder = tiny_tree(tmp_path / "repository")
    (folder / "marker").write_text("before", "utf-8")
    commit_all(folder)
    git(folder, "tag", "before")
    (folder / "marker").write_text("after", "utf-8")
    commit_all(folder)
    (folder / "untracked").write_text("", "utf-8")
    return folder


def ref(name: str, start: Path) -> Ref:
    found = resolve("--old", name, start)
    assert isinstance(found, Ref)
    return found


def worktrees(repository: Path) -> int:
    kept = repository / ".git" / "worktrees"
    return len(list(kept.iterdir())) if kept.is_dir() else 0


def test_a_ref_is_checked_out_as_it_was_committed(repository: Path, tmp_path: Path) -> None:
    with checked_out("--old", ref("before", repository), tmp_path / "old") as tree:
        assert (tree.import_from / "marker").read_text("utf-8") == "before"
        assert not (tree.import_from / "untracked").exists()
    assert (repository / "marker").read_text("utf-8") == "after"


def test_the_worktree_is_gone_after_use_and_after_an_error(repository: Path, tmp_path: Path) -> None:
    with checked_out("--old", ref("main", repository), tmp_path / "old"):
        assert worktrees(repository) == 1
    assert (worktrees(repository), (tmp_path / "old").exists()) == (0, False)
    with pytest.raises(ZeroDivisionError), checked_out("--old", ref("main", repository), tmp_path / "old"):
        raise ZeroDivisionError
    assert (worktrees(repository), (tmp_path / "old").exists()) == (0, False)


def test_a_worktree_somebody_broke_is_still_forgotten_and_no_other(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "--quiet", "--detach", str(tmp_path / "theirs"))
    with checked_out("--old", ref("main", repository), tmp_path / "old") as tree:
        git(repository, "worktree", "lock", str(tree.import_from))
        (tree.import_from / "litter").write_text("", "utf-8")
    assert worktrees(repository) == 1
    assert (tmp_path / "theirs" / "marker").is_file()


def test_without_a_worktree_an_archive_serves(repository: Path, tmp_path: Path) -> None:
    (repository / ".git" / "worktrees").write_text("in the way", "utf-8")
    with checked_out("--old", ref("before", repository), tmp_path / "old") as tree:
        assert (tree.import_from / "marker").read_text("utf-8") == "before"
        assert not (tree.import_from / ".git").exists()
    assert not (tmp_path / "old").exists()


def test_hooks_of_the_repository_do_not_run(repository: Path, tmp_path: Path) -> None:
    hook = repository / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n", "utf-8")
    hook.chmod(0o755)
    with checked_out("--old", ref("before", repository), tmp_path / "old"):
        assert not (tmp_path / "ran").exists()


def test_inside_a_hook_the_repository_is_still_that_of_the_folder(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    with checked_out("--old", ref("before", repository), tmp_path / "old") as tree:
        assert (tree.import_from / "marker").is_file()
    assert not (tmp_path / "index").exists()


def test_a_checkout_below_the_top_of_its_repository_is_found_in_the_ref(tmp_path: Path) -> None:
    project = tiny_tree(tmp_path / "mono" / "tools" / "parity-project")
    commit_all(tmp_path / "mono")
    below = project / "parity" / "wire"
    assert this_checkout(below) == project
    with checked_out("--old", ref("HEAD", below), tmp_path / "old") as tree:
        assert tree.import_from == tmp_path / "old" / "tools" / "parity-project"


def test_a_package_under_src_is_found(tmp_path: Path) -> None:
    tiny_tree(tmp_path / "project" / "src")
    assert resolve("--old", str(tmp_path / "project"), tmp_path) == Tree(
        str(tmp_path / "project"), tmp_path / "project", tmp_path / "project" / "src"
    )


def test_a_name_that_looks_like_a_path_is_a_directory_even_where_a_ref_has_it(repository: Path) -> None:
    tiny_tree(repository / "main")
    assert isinstance(resolve("--old", "main", repository), Ref)
    assert resolve("--old", "./main", repository) == Tree("./main", repository / "main", repository / "main")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("no-such-ref", "'no-such-ref' is no directory, and no git ref of this repository"),
        ("--upload-pack=x", "is no directory"),
        ("./nowhere", "'./nowhere' is no directory"),
        (".git", "'.git' holds no parity package"),
    ],
)
def test_what_is_no_checkout_is_an_error_of_one_line(repository: Path, name: str, why: str) -> None:
    with pytest.raises(InputError) as error:
        resolve("--old", name, repository)
    assert str(error.value).startswith("--old: ")
    assert why in str(error.value)
    assert "\n" not in str(error.value)


def test_outside_a_repository_only_directories_are_checkouts(tmp_path: Path) -> None:
    tiny_tree(tmp_path / "plain")
    assert isinstance(resolve("--old", "../plain", tmp_path / "plain"), Tree)
    with pytest.raises(InputError, match="git says: not a git repository"):
        resolve("--old", "main", tmp_path / "plain")


def test_a_commit_without_the_package_is_an_error_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "readme").write_text("", "utf-8")
    commit_all(tmp_path)
    with (
        pytest.raises(InputError, match="holds no parity package"),
        checked_out("--old", ref("main", tmp_path), tmp_path / "old"),
    ):
        pass
    assert (worktrees(tmp_path), (tmp_path / "old").exists()) == (0, False)
