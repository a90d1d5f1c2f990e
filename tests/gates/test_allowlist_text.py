"""Editing an allowlist: entries come and go with their comments, and no other byte changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parity.gates.allowlist import Allowlist
from parity.wire import InputError

ENTRY: dict[str, Any] = {
    "issue": "#9",
    "reason": "new",
    "provider": "acp-grok",
    "cell": ["a", "b"],
    "layer": "rows",
    "path": "/*/title",
    "old": {"a": [None, 1.0]},
}
WRITTEN = """\
  - issue: "#9"
    reason: new
    provider: acp-grok
    cell: [a, b]
    layer: rows
    path: /*/title
    old: {a: [null, 1.0]}
"""


def block(name: str, extra: str = "") -> str:
    return f"""\
  - issue:  "#1"     # odd   spacing stays
    reason: {name}
    provider: '*'
    layer: rows
    path: /*/{name}
{extra}"""


FULL = (
    "# the file\n"
    "pinned:   # today's replay\n"
    "# a comment of the section\n"
    "  # about one\n  # and more about one\n"
    + block("one", "    # inside one\n")
    + "  # about two\n"
    + block("two")
    + "\n  # between, of nobody\n\n"
    + block("three")
    + "  # below the last\n"
    + "\n# about checkouts\ncheckouts:\n- issue: \"#2\"\n  reason: |\n    # text\n    - text\n"
    + "  provider: codex\n  layer: events\n  path: /*/a\n"
    + "counts: []  # the only way\n# the end\n"
)  # fmt: skip


def load(tmp_path: Path, text: str) -> Allowlist:
    path = tmp_path / "allowlist.yaml"
    path.write_bytes(text.encode())
    return Allowlist.load(path)


def without(tmp_path: Path, text: str, *reasons: str) -> str:
    allowlist = load(tmp_path, text)
    for allowance in list(allowlist.allowances):
        if allowance.reason.split("\n")[0] in reasons:
            allowlist.remove(allowance)
    allowlist.save()
    kept = [one.reason for one in Allowlist.load(allowlist.path).allowances]
    assert kept == [one.reason for one in allowlist.allowances]
    return allowlist.path.read_bytes().decode()


def with_entry(tmp_path: Path, text: str, section: str = "pinned") -> str:
    allowlist = load(tmp_path, text)
    allowlist.add(section, ENTRY)
    allowlist.save()
    assert Allowlist.load(allowlist.path).section(section)[-1].path == "/*/title"
    return allowlist.path.read_bytes().decode()


# -- taking out ------------------------------------------------------------------------------------------


def test_a_removed_entry_takes_its_comments_along(tmp_path: Path) -> None:
    gone = "  # about one\n  # and more about one\n" + block("one", "    # inside one\n")
    assert without(tmp_path, FULL, "one") == FULL.replace(gone, "")


def test_the_comment_of_the_next_entry_stays(tmp_path: Path) -> None:
    assert without(tmp_path, FULL, "two") == FULL.replace("  # about two\n" + block("two"), "")


def test_comments_of_nobody_stay(tmp_path: Path) -> None:
    after = without(tmp_path, FULL, "three")
    assert after == FULL.replace(block("three"), "")
    assert "between, of nobody" in after
    assert "below the last" in after


def test_a_text_that_looks_like_a_comment_goes_with_its_entry(tmp_path: Path) -> None:
    after = without(tmp_path, FULL, "# text")
    assert after.endswith("# about checkouts\ncheckouts:\ncounts: []  # the only way\n# the end\n")


def test_all_entries_can_go(tmp_path: Path) -> None:
    after = without(tmp_path, FULL, "one", "two", "three", "# text")
    assert [line for line in after.splitlines() if line.strip() and not line.lstrip().startswith("#")] == [
        "pinned:   # today's replay",
        "checkouts:",
        "counts: []  # the only way",
    ]


def test_an_inline_section_is_edited_too(tmp_path: Path) -> None:
    inline = 'pinned: [{issue: "#1", reason: %s, provider: "*", layer: rows, path: /*/a}]  # c\n'
    two = inline.replace("}]", '}, {issue: "#1", reason: other, provider: "*", layer: rows, path: /*/b}]')
    after = without(tmp_path, two % "one", "one")
    assert "reason: other" in after
    assert "# c" in after


def test_an_entry_that_another_refers_to_can_go(tmp_path: Path) -> None:
    text = "pinned:\n" + block("one").replace("  - issue", "  - &one\n    issue", 1)
    assert "reason: two" in without(tmp_path, text + "  - <<: *one\n    reason: two\n", "one")


# -- putting in ------------------------------------------------------------------------------------------


def test_an_entry_comes_after_the_last_of_its_section(tmp_path: Path) -> None:
    assert with_entry(tmp_path, FULL) == FULL.replace(block("three"), block("three") + WRITTEN)


def test_an_entry_is_indented_as_its_section_is(tmp_path: Path) -> None:
    after = with_entry(tmp_path, FULL, "checkouts")
    assert '  path: /*/a\n- issue: "#9"\n  reason: new\n' in after


def test_an_empty_list_becomes_one_with_an_entry_and_keeps_its_comment(tmp_path: Path) -> None:
    text = "pinned: []     # today\n# about checkouts\ncheckouts: []\n"
    after = f"pinned:        # today\n{WRITTEN}# about checkouts\ncheckouts: []\n"
    assert with_entry(tmp_path, text) == after


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("", f"pinned:\n{WRITTEN}checkouts:\ncounts:\n"),
        ("# only a comment", f"# only a comment\npinned:\n{WRITTEN}"),
        ("counts:\n", f"counts:\npinned:\n{WRITTEN}"),
        ("pinned:", f"pinned:\n{WRITTEN}"),
        ("pinned:\n  # none yet\ncounts:\n", f"pinned:\n  # none yet\n{WRITTEN}counts:\n"),
    ],
)
def test_a_section_without_entries_gets_its_first(tmp_path: Path, text: str, after: str) -> None:
    assert with_entry(tmp_path, text) == after


def test_line_ends_and_a_mark_at_the_start_stay(tmp_path: Path) -> None:
    text = "\ufeff" + ("pinned:\n" + block("one")).replace("\n", "\r\n")
    assert with_entry(tmp_path, text) == text + WRITTEN.replace("\n", "\r\n")


def test_a_file_that_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    allowlist = load(tmp_path, FULL)
    allowlist.add("pinned", ENTRY)
    allowlist.path.write_text("# other\n", "utf-8")
    with pytest.raises(InputError, match="changed meanwhile"):
        allowlist.save()
    assert allowlist.path.read_text("utf-8") == "# other\n"


def test_an_entry_added_and_removed_again_leaves_the_file(tmp_path: Path) -> None:
    allowlist = load(tmp_path, FULL)
    allowlist.remove(allowlist.add("pinned", ENTRY))
    allowlist.save()
    assert allowlist.path.read_bytes().decode() == FULL


@settings(max_examples=25, deadline=None)
@given(
    gone=st.sets(st.integers(0, 3)),
    spaces=st.lists(st.sampled_from(["", "\n", "  # a\n", "# b\n", "    # c\n"]), min_size=5, max_size=5),
)
def test_whatever_stands_between_entries_the_others_stay_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, gone: set[int], spaces: list[str]
) -> None:
    names = ["one", "two", "three", "four"]
    text = "pinned:\n" + "".join(space + block(name) for space, name in zip(spaces, names, strict=False))
    text += spaces[-1] + "counts: []\n"
    after = without(tmp_path_factory.mktemp("edit"), text, *(names[n] for n in gone))
    for number, name in enumerate(names):
        assert (block(name) in after) is (number not in gone)
    assert after.count("# b\n") == text.count("# b\n")
