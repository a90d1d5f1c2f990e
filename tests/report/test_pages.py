"""The pages: well-formed, self-contained, inert whatever was on the wire, and true to what was found."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import html5lib
import pytest
from parity_runs import RECORDINGS, parity
from report_projects import CURSOR, GROK, HOSTILE, break_exit_code, change_rows, make_hostile, project

from parity.compare import diff_docs
from parity.report import CellResult, ReportData, write_report
from parity.report import pages as pages_module
from parity.report.lines import LINE_BYTES
from parity.wire import find_cells, open_cell

XHTML = "{http://www.w3.org/1999/xhtml}"
LOADING = {"src", "srcset", "poster", "data", "action", "background", "formaction", "ping", "style"}


def parsed(page: Path) -> Element:
    """The page as a browser reads it; any error in it fails."""
    document = html5lib.HTMLParser(strict=True).parse(page.read_text("utf-8"))
    assert isinstance(document, Element)
    return document


def elements(document: Element, name: str) -> list[Element]:
    return list(document.iter(XHTML + name))


def text_of(element: Element) -> str:
    return " ".join("".join(element.itertext()).split())


def wire_data(document: Element) -> Any:
    (data,) = [e for e in elements(document, "script") if e.get("type") == "application/json"]
    return json.loads(data.text or "")


def pages(folder: Path) -> Iterator[Path]:
    yield folder / "index.html"
    yield from sorted((folder / "cells").glob("*.html"))


@pytest.fixture
def failing(tmp_path: Path) -> Path:
    """The report of a failing and a passing cell."""
    recordings = project(tmp_path, GROK, CURSOR)
    change_rows(recordings, GROK, break_exit_code)
    assert parity("check", "--recordings", recordings, "--html", tmp_path / "report").code == 1
    return tmp_path / "report"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of all committed cells."""
    folder = tmp_path_factory.mktemp("report")
    assert parity("check", "-p", "acp-grok", "--recordings", RECORDINGS, "--html", folder).code == 0
    return folder


def test_every_page_of_the_corpus_is_well_formed(corpus: Path) -> None:
    found = list(pages(corpus))
    assert len(found) == 1 + len(find_cells(RECORDINGS, provider="acp-grok"))
    for page in found:
        parsed(page)


def test_no_page_loads_anything(corpus: Path) -> None:
    for page in pages(corpus):
        document = parsed(page)
        for element in document.iter():
            assert not LOADING & set(element.attrib), (page.name, element.tag, element.attrib)
            if href := element.get("href"):
                assert not re.match(r"[a-z]+:(?!,$)|//", href), href
            assert "@import" not in (element.text or "")[:200_000] or element.tag != XHTML + "style"
        assert "url(" not in "".join(e.text or "" for e in elements(document, "style"))


def test_every_link_leads_somewhere(corpus: Path) -> None:
    for page in pages(corpus):
        for link in elements(parsed(page), "a"):
            target, _, anchor = link.attrib["href"].partition("#")
            reached = (page.parent / target).resolve() if target else page
            assert reached.is_file(), link.attrib["href"]
            if anchor and reached.name == "index.html":
                assert f'id="{anchor}"' in reached.read_text("utf-8")


def test_a_page_stays_small(corpus: Path) -> None:
    assert max(page.stat().st_size for page in pages(corpus)) < 200_000


def test_the_index_names_every_verdict_and_the_first_difference(failing: Path) -> None:
    document = parsed(failing / "index.html")
    (heading,) = elements(document, "h1")
    labels = [a.attrib["aria-label"] for a in elements(document, "a") if "aria-label" in a.attrib]
    assert text_of(heading) == "1 of 2 cells failed"
    assert any(
        re.match(r"acp-grok turn-tools-no-terminal: failed, \d+ differences, 9 rows", one) for one in labels
    )
    assert any(label.startswith("acp-cursor web-search: passed, 5 rows") for label in labels)
    assert "ls /nonexistent-dir" in text_of(document)


def test_rows_stand_beside_their_partners(failing: Path) -> None:
    document = parsed(failing / "cells" / "acp-grok--turn-tools-no-terminal.html")
    pairs = {
        one.attrib["class"].split()[1]: one
        for one in elements(document, "li")
        if one.get("class", "").startswith("pair is-") and "is-same" not in one.attrib["class"]
    }
    assert set(pairs) == {"is-changed", "is-added", "is-removed"}
    old, new = (one for one in pairs["is-changed"].iter() if (one.get("class") or "").startswith("side"))
    assert "exit 0" in text_of(old)
    assert "exit 2" in text_of(new)
    assert "exitCode was 0 → now 2" in text_of(pairs["is-changed"])
    assert "gone" in text_of(pairs["is-removed"])


def test_a_row_carries_its_wire_lines(failing: Path) -> None:
    document = parsed(failing / "cells" / "acp-grok--turn-tools-no-terminal.html")
    changed = next(e for e in elements(document, "li") if "is-changed" in e.get("class", ""))
    data = wire_data(document)
    row = data["rows"][int(changed.attrib["data-row"])]
    assert [name.split()[0] for name in row["lines"]] == ["1:38", "1:40", "1:43", "1:44"]
    assert all(json.loads(data["lines"][name]["text"]) for name in row["lines"])
    assert "1:30 provider→bridge" in row["naming"]


def test_hostile_text_ends_no_element_and_makes_none(tmp_path: Path) -> None:
    recordings = project(tmp_path, GROK)
    make_hostile(recordings, GROK, "now.")
    parity("check", "--recordings", recordings, "--html", tmp_path / "report")
    page = tmp_path / "report" / "cells" / "acp-grok--turn-tools-no-terminal.html"
    document = parsed(page)
    assert len(elements(document, "script")) == 2
    assert not elements(document, "img")
    data = wire_data(document)
    assert any(
        json.dumps(HOSTILE, ensure_ascii=False)[1:-1] in line["text"] for line in data["lines"].values()
    )
    assert " ".join(HOSTILE.split()) in text_of(document)
    raw = page.read_text("utf-8")
    embedded = raw.partition('id="wire-data">')[2].partition("</script>")[0]
    assert json.loads(embedded) == data
    assert not re.search("[<>&\u2028\u2029]", embedded)


def test_a_huge_line_is_cut_and_says_so(tmp_path: Path) -> None:
    recordings = project(tmp_path, GROK)
    make_hostile(recordings, GROK, "now.", "x" * 400_000)
    parity("check", "--recordings", recordings, "--html", tmp_path / "report")
    page = tmp_path / "report" / "cells" / "acp-grok--turn-tools-no-terminal.html"
    assert page.stat().st_size < 300_000
    cut = [line for line in wire_data(parsed(page))["lines"].values() if line.get("bytes", 0) > 400_000]
    assert cut
    for line in cut:
        assert len(line["text"].encode()) <= LINE_BYTES + 3
        assert "more characters]" in line["text"]
        assert json.loads(line["text"])["method"] == "session/update"


def test_a_long_timeline_keeps_what_differs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages_module, "ROWS", 3)
    cell = open_cell(RECORDINGS / GROK)
    new = [json.loads(line) for line in cell.pin("rows").read_text("utf-8").splitlines()]
    old = [{**new[0], "children": new[0]["children"][:-1]}, new[1]]
    found = diff_docs("rows", old, new)
    result = CellResult(cell=cell, verdict="failed", old_rows=old, new_rows=new, differences={"rows": found})
    write_report(tmp_path, ReportData(cells=[result], passed=False))
    document = parsed(tmp_path / "cells" / "acp-grok--turn-tools-no-terminal.html")
    shown = [e.attrib["class"] for e in elements(document, "li") if e.get("class", "").startswith("pair ")]
    assert [one.split()[1] for one in shown] == ["is-same", "is-same", "is-added"]
    assert "6 more rows are not on this page" in text_of(document)


def test_a_stall_is_a_finding(tmp_path: Path) -> None:
    recordings = project(tmp_path, GROK)
    path = recordings / GROK / "provider→bridge.ndjson"
    lines = path.read_text("utf-8").splitlines()
    path.write_text("\n".join(line for line in lines if "end_turn" not in line) + "\n", "utf-8")
    parity("check", "--recordings", recordings, "--html", tmp_path / "report")
    document = parsed(tmp_path / "report" / "cells" / "acp-grok--turn-tools-no-terminal.html")
    assert "stall: our session/prompt: the recording has no answer" in text_of(document)


def test_an_allowance_is_shown_with_what_it_masks(tmp_path: Path) -> None:
    recordings = project(tmp_path, GROK)
    change_rows(recordings, GROK, lambda rows: rows[0]["children"][1].update(exitCode=0))
    (tmp_path / "allowlist.yaml").write_text(
        'pinned:\n  - issue: "#7"\n    reason: codes are read <now>\n    provider: acp-grok\n'
        "    cell: turn-tools-no-terminal\n    layer: rows\n    path: /**/exitCode\n",
        "utf-8",
    )
    assert parity("check", "--recordings", recordings, "--html", tmp_path / "report").code == 0
    index = text_of(parsed(tmp_path / "report" / "index.html"))
    cell = text_of(parsed(tmp_path / "report" / "cells" / "acp-grok--turn-tools-no-terminal.html"))
    assert "#7 codes are read <now>" in index
    assert "1 hit · allowlist.yaml:2" in index
    assert "allowed by #7" in cell
    assert "#7 codes are read <now>" in cell


def test_rows_without_provenance_show_the_lines_that_name_their_call(tmp_path: Path) -> None:
    cell = open_cell(RECORDINGS / GROK)
    rows = [json.loads(line) for line in cell.pin("rows").read_text("utf-8").splitlines()]
    result = CellResult(cell=cell, verdict="passed", old_rows=rows, new_rows=rows)
    write_report(
        tmp_path,
        ReportData(cells=[result], passed=True, command="parity compare", old_label="v1", new_label="v2"),
    )
    document = parsed(tmp_path / "cells" / "acp-grok--turn-tools-no-terminal.html")
    assert "No row differs." in text_of(document)
    assert "1:38 provider→bridge" in wire_data(document)["rows"][2]["naming"]


def test_cells_whose_names_run_together_get_pages_of_their_own(tmp_path: Path) -> None:
    names = [("a--b", "c"), ("a", "b--c")]
    cells = []
    for provider, name in names:
        manifest = {"provider": provider, "cell": name}
        (tmp_path / provider / name).mkdir(parents=True)
        (tmp_path / provider / name / "manifest.json").write_text(json.dumps(manifest), "utf-8")
        line = {"ts": 0, "run": 1, "seq": 1, "dir": "provider→bridge", "line": "hello"}
        (tmp_path / provider / name / "provider→bridge.ndjson").write_text(json.dumps(line) + "\n", "utf-8")
        cells.append(CellResult(cell=open_cell(tmp_path / provider / name), verdict="unpinned"))
    write_report(tmp_path / "out", ReportData(cells=cells, passed=True))
    assert len(list((tmp_path / "out" / "cells").iterdir())) == 2


def test_a_folder_that_cannot_be_written_is_a_mistake(tmp_path: Path) -> None:
    recordings = project(tmp_path, CURSOR)
    (tmp_path / "file").write_text("", "utf-8")
    run = parity("check", "--recordings", recordings, "--html", tmp_path / "file")
    assert run.code == 2
    assert "cannot be written" in run.err


def test_the_same_run_writes_the_same_bytes(tmp_path: Path) -> None:
    recordings = project(tmp_path, GROK)
    for name in ("one", "two"):
        parity("check", "--recordings", recordings, "--html", tmp_path / name)
    assert [p.read_bytes() for p in pages(tmp_path / "one")] == [
        p.read_bytes() for p in pages(tmp_path / "two")
    ]
