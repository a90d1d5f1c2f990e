"""The allowlist: strict to read, exact in what it masks, careful about what is stale."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from parity.compare import Difference
from parity.gates.allowance import is_broad
from parity.gates.allowlist import Allowlist, Considered
from parity.wire import InputError

ENTRY = {
    "issue": '"#1"',
    "reason": "because",
    "provider": "acp-grok",
    "layer": "events",
    "path": "/*/item/exitCode",
}
COUNT = {
    "issue": '"#1"',
    "reason": "because",
    "provider": "acp-grok",
    "count": "unhandled",
}


def entry(base: dict[str, str] = ENTRY, /, **fields: str | None) -> str:
    """One YAML entry; a field given as None is left out."""
    kept = {k: v for k, v in {**base, **fields}.items() if v is not None}
    return "  - " + "\n    ".join(f"{key}: {value}" for key, value in kept.items()) + "\n"


def allowlist(tmp_path: Path, text: str) -> Allowlist:
    path = tmp_path / "allowlist.yaml"
    path.write_text(text, encoding="utf-8")
    return Allowlist.load(path)


def checkouts(tmp_path: Path, *entries: str) -> Allowlist:
    return allowlist(tmp_path, "checkouts:\n" + "".join(entries))


def difference(path: str = "/12/item/exitCode", **fields: Any) -> Difference:
    given_ = {"layer": "events", "change": "changed", "old": 0, "new": 1, **fields}
    return Difference(path=path, identity="i", label="l", **given_)


def masks(allowed: Allowlist, *differences: Difference) -> bool:
    return allowed.mask("checkouts", "acp-grok", "turn-tools", differences) == []


# -- reading ---------------------------------------------------------------------------------------


def test_a_missing_file_is_an_empty_list(tmp_path: Path) -> None:
    assert Allowlist.load(tmp_path / "none.yaml").allowances == []


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "pinned:\ncheckouts:\ncounts:\n"])
def test_a_file_without_entries_is_an_empty_list(tmp_path: Path, text: str) -> None:
    assert allowlist(tmp_path, text).allowances == []


@pytest.mark.parametrize(
    ("fields", "line", "what"),
    [
        ({"issue": None}, 2, "no issue"),
        ({"issue": "#2211"}, 2, "no issue"),
        ({"issue": "later"}, 2, "is no issue"),
        ({"reason": None}, 2, "no reason"),
        ({"reason": '"  "'}, 3, "reason is not a text"),
        ({"provider": None}, 2, "no provider"),
        ({"provider": "[]"}, 4, "provider is not a name"),
        ({"cell": "2024"}, 7, "cell is not a name"),
        ({"layer": None}, 2, "no layer"),
        ({"layer": "wire"}, 5, "unknown layer 'wire'"),
        ({"path": None}, 2, "no path"),
        ({"path": "item/exitCode"}, 6, "does not begin with /"),
        ({"path": "/*"}, 6, "accepts whole documents"),
        ({"path": "/**"}, 6, "accepts whole documents"),
        ({"path": "/*/item"}, 6, "accepts whole documents"),
        ({"path": "/*/item/**"}, 6, "accepts whole documents"),
        ({"change": "moved"}, 7, "unknown change 'moved'"),
        ({"broad": "yes"}, 7, "is not true or false"),
        ({"old": "2024-01-01"}, 7, "is no JSON value"),
        ({"exitcode": "1"}, 7, "unknown key 'exitcode'"),
        ({"max": "1"}, 7, "unknown key 'max'"),
    ],
)
def test_a_wrong_entry_is_an_error_with_its_line(
    tmp_path: Path, fields: dict[str, str | None], line: int, what: str
) -> None:
    with pytest.raises(InputError) as caught:
        checkouts(tmp_path, entry(**fields))
    assert f"allowlist.yaml:{line}: " in str(caught.value)
    assert what in str(caught.value)


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"count": "rows"}, "unknown count 'rows'"),
        ({"count": None}, "no count"),
        ({"max": "-1"}, "is not a count"),
        ({"max": "true"}, "is not a count"),
        ({"layer": "rows"}, "unknown key 'layer'"),
    ],
)
def test_a_wrong_counts_entry_is_an_error(tmp_path: Path, fields: dict[str, str | None], what: str) -> None:
    with pytest.raises(InputError, match=what):
        allowlist(tmp_path, "counts:\n" + entry(COUNT, **fields))


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("checkouts: [\n", 2, ""),
        ("pinned:\nextra:\n", 2, "unknown section 'extra'"),
        ("pinned:\npinned:\n", 2, "duplicate key"),
        ("pinned: yes please\n", 1, "is not a list"),
        ("- a\n", 1, "not a mapping of sections"),
        ("pinned:\n  - just text\n", 2, "an entry is not a mapping"),
        ("checkouts:\n" + entry() + "    path: /*/x\n", 7, "duplicate key"),
    ],
)
def test_a_wrong_file_is_an_error_with_its_line(tmp_path: Path, text: str, line: int, what: str) -> None:
    with pytest.raises(InputError) as caught:
        allowlist(tmp_path, text)
    assert f"allowlist.yaml:{line}: " in str(caught.value)
    assert what in str(caught.value)


def test_a_file_that_is_not_utf8_is_an_error_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "allowlist.yaml"
    path.write_bytes(b"pinned:\n# \xff\n")
    with pytest.raises(InputError, match=r"yaml:2: not UTF-8"):
        Allowlist.load(path)


def test_an_issue_may_be_a_url(tmp_path: Path) -> None:
    url = "https://example.org/o/r/issues/7"
    assert checkouts(tmp_path, entry(issue=url)).allowances[0].issue == url


def test_a_broad_path_is_accepted_when_it_says_so(tmp_path: Path) -> None:
    allowed = checkouts(tmp_path, entry(path="/*", change="added", broad="true"))
    assert masks(allowed, difference("/3", change="added", old=UNSET, new={}))


@pytest.mark.parametrize("path", ["/*", "/7", "/**", "/*/*", "/*/item", "/*/children/*", "/**/item"])
def test_paths_that_accept_wholes_are_broad(path: str) -> None:
    assert is_broad(path)


@pytest.mark.parametrize("path", ["/*/item/exitCode", "/**/exitCode", "/*/children/*/exitCode"])
def test_paths_that_end_in_a_field_are_not_broad(path: str) -> None:
    assert not is_broad(path)


# -- masking ---------------------------------------------------------------------------------------


def test_a_matching_difference_is_masked_and_counted(tmp_path: Path) -> None:
    allowed = checkouts(tmp_path, entry())
    assert masks(allowed, difference(), difference("/13/item/exitCode"))
    assert allowed.dump_hits() == [2]


segments = st.sampled_from(("item", "exitCode", "output", "0", "status"))
paths = st.lists(segments, min_size=2, max_size=4).map(lambda s: "/1/" + "/".join(s))


@given(paths, paths)
def test_a_mask_of_one_path_never_masks_another(
    tmp_path_factory: pytest.TempPathFactory, path: str, other: str
) -> None:
    pattern = "/*" + path[2:]
    allowed = checkouts(tmp_path_factory.mktemp("a"), entry(path=pattern, broad="true"))
    left = allowed.mask("checkouts", "acp-grok", "turn-tools", [difference(path), difference(other)])
    assert [d.path for d in left] == ([] if path == other else [other])


@pytest.mark.parametrize(
    ("path", "matched"),
    [
        ("/*/item/exitCode", True),
        ("/**/exitCode", True),
        ("/*/**/exitCode", True),
        ("/12/item/exitCode", True),
        ("/13/item/exitCode", False),
        ("/*/exitCode", False),
        ("/*/item/exit", False),
        ("/*/item/exit.ode", False),
    ],
)
def test_a_star_is_one_level_and_two_are_any_depth(tmp_path: Path, path: str, matched: bool) -> None:
    assert masks(checkouts(tmp_path, entry(path=path)), difference()) is matched


@pytest.mark.parametrize(
    "fields",
    [
        {"provider": "codex"},
        {"cell": "web-search"},
        {"cell": "[a, b]"},
        {"layer": "rows"},
        {"change": "added"},
        {"old": "1"},
        {"old": "false"},
        {"old": "null"},
        {"new": "1.0"},
    ],
)
def test_a_narrowed_allowance_masks_nothing_else(tmp_path: Path, fields: dict[str, str]) -> None:
    assert not masks(checkouts(tmp_path, entry(**fields)), difference())


@pytest.mark.parametrize(
    "fields",
    [
        {"provider": '"*"'},
        {"provider": "[codex, acp-grok]"},
        {"cell": "[turn-tools, b]"},
        {"change": "changed", "old": "0", "new": "1"},
    ],
)
def test_a_narrowed_allowance_masks_what_it_names(tmp_path: Path, fields: dict[str, str]) -> None:
    assert masks(checkouts(tmp_path, entry(**fields)), difference())


def test_old_null_accepts_null_and_not_absent(tmp_path: Path) -> None:
    allowed = checkouts(tmp_path, entry(old="null"))
    assert masks(allowed, difference(old=None))
    assert not masks(allowed, difference(old=UNSET, change="added"))


def test_yaml_numbers_and_mappings_equal_their_json_values(tmp_path: Path) -> None:
    allowed = checkouts(tmp_path, entry(old="{a: [0x10, 1.5, 'x']}"))
    assert masks(allowed, difference(old={"a": [16, 1.5, "x"]}))


def test_sections_do_not_mask_for_each_other(tmp_path: Path) -> None:
    allowed = checkouts(tmp_path, entry())
    assert allowed.mask("pinned", "acp-grok", "turn-tools", [difference()]) == [difference()]


def test_two_allowances_of_one_difference_are_both_used(tmp_path: Path) -> None:
    allowed = checkouts(tmp_path, entry(), entry(path="/**/exitCode"))
    assert masks(allowed, difference())
    assert allowed.dump_hits() == [1, 1]


# -- stale -----------------------------------------------------------------------------------------

ALL = frozenset({"acp-grok/turn-tools", "acp-grok/plan", "codex/plan"})
GROK = frozenset({"acp-grok/turn-tools", "acp-grok/plan"})


@pytest.mark.parametrize(
    ("fields", "ran", "stale"),
    [
        ({}, ALL, True),
        ({}, GROK, True),
        ({}, {"acp-grok/plan"}, False),
        ({"cell": "plan"}, {"acp-grok/plan"}, True),
        ({"cell": "[plan, turn-tools]"}, {"acp-grok/plan"}, False),
        ({"cell": "plan"}, {"codex/plan"}, False),
        ({"provider": '"*"'}, GROK, False),
        ({"provider": '"*"'}, ALL, True),
        ({"provider": '"*"', "cell": "plan"}, GROK, False),
        ({"provider": "[acp-grok, codex]"}, GROK, False),
        ({"cell": "gone"}, GROK, False),
        ({"cell": "gone"}, ALL, True),
    ],
)
def test_an_unused_allowance_is_stale_only_when_its_whole_scope_was_run(
    tmp_path: Path, fields: dict[str, str], ran: set[str], stale: bool
) -> None:
    allowed = checkouts(tmp_path, entry(**fields))
    considered = Considered(ran=frozenset(ran), known=ALL)
    assert bool(allowed.stale("checkouts", considered)) is stale


def test_with_unknown_cells_only_named_cells_can_be_stale(tmp_path: Path) -> None:
    allowed = checkouts(tmp_path, entry(cell="plan"), entry())
    considered = Considered(ran=GROK)
    assert allowed.stale("checkouts", considered) == [allowed.allowances[0]]


def test_an_allowance_of_a_layer_that_was_not_compared_is_not_stale(tmp_path: Path) -> None:
    allowed = checkouts(tmp_path, entry())
    considered = Considered(ran=ALL, known=ALL, layers=frozenset({"rows"}))
    assert allowed.stale("checkouts", considered) == []


def test_a_used_allowance_is_never_stale(tmp_path: Path) -> None:
    allowed = checkouts(tmp_path, entry())
    masks(allowed, difference())
    assert allowed.stale("checkouts", Considered(ran=ALL, known=ALL)) == []


def test_hits_of_another_process_keep_an_allowance_from_being_stale(tmp_path: Path) -> None:
    here, there = checkouts(tmp_path, entry()), checkouts(tmp_path, entry())
    masks(there, difference())
    here.add_hits(there.dump_hits())
    assert here.stale("checkouts", Considered(ran=ALL, known=ALL)) == []


def test_hits_of_another_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="zip"):
        checkouts(tmp_path, entry()).add_hits([1, 2])


def test_an_allowance_says_where_it_stands(tmp_path: Path) -> None:
    (allowance,) = checkouts(tmp_path, entry()).allowances
    assert str(allowance).endswith("allowlist.yaml:2: #1 because")


# -- writing ---------------------------------------------------------------------------------------

COMMENTED = """\
# what we accept
pinned:                       # today's replay against the committed pins
checkouts:                    # an older checkout
  # the oldest first
  - issue: "#2211"            # required
    reason: exit codes now come from rawOutput
    provider: acp-cursor      # or "*"
    cell: [web-search, turn-tools]
    layer: events
    path: /*/item/exitCode
    old: 0x0
counts:                       # the only way a guarded count may rise
"""


def test_saving_without_a_change_changes_no_byte(tmp_path: Path) -> None:
    allowed = allowlist(tmp_path, COMMENTED)
    allowed.save()
    assert allowed.path.read_text("utf-8") == COMMENTED


def new_entry(**fields: Any) -> dict[str, Any]:
    return {**ENTRY, "issue": "#9", **fields}


@pytest.mark.parametrize("section", ["pinned", "checkouts"])
def test_comments_and_order_survive_an_added_entry(tmp_path: Path, section: str) -> None:
    allowed = allowlist(tmp_path, COMMENTED)
    allowed.add(section, new_entry())
    allowed.save()
    written = allowed.path.read_text("utf-8")
    lines = iter(written.splitlines())
    assert [line for line in COMMENTED.splitlines() if line not in lines] == []


@pytest.mark.parametrize("text", [COMMENTED, COMMENTED.replace("\n  ", "\n"), ""])
def test_an_added_entry_is_read_back(tmp_path: Path, text: str) -> None:
    allowed = allowlist(tmp_path, text)
    allowed.add("pinned", new_entry(old=None))
    allowed.save()
    (again,) = Allowlist.load(allowed.path).section("pinned")
    assert (again.issue, again.old, again.path) == ("#9", None, "/*/item/exitCode")


def test_a_wrong_entry_is_not_added(tmp_path: Path) -> None:
    allowed = allowlist(tmp_path, COMMENTED)
    with pytest.raises(InputError):
        allowed.add("pinned", new_entry(layer="wire"))
    allowed.save()
    assert allowed.path.read_text("utf-8") == COMMENTED
