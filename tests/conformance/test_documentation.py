"""`docs/conformance.md` has each rule as it is, in order, and every source that is a page exists."""

from __future__ import annotations

import re

from parity_runs import ROOT

from parity.conformance import RULES

PAGE = ROOT / "docs" / "conformance.md"
_ROW = re.compile(r"^\| `([a-z-]+/[a-z-]+)` \| (.+) \| (.+) \|$", re.MULTILINE)


def test_the_page_has_every_rule_with_its_sentence_and_source() -> None:
    said = _ROW.findall(PAGE.read_text("utf-8"))
    assert said == [(rule.id, rule.sentence, rule.source) for rule in RULES]


def test_every_page_a_rule_comes_from_exists() -> None:
    pages = {page for rule in RULES for page in re.findall(r"docs/[a-z]+\.md", rule.source)}
    assert pages
    assert [page for page in sorted(pages) if not (ROOT / page).is_file()] == []
