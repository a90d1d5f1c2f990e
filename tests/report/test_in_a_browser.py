"""The report in headless Chromium: by keyboard alone, silent, offline, accessible.

Run with `pytest -m browser`. PARITY_CHROMIUM names another browser than /usr/bin/chromium; with
PARITY_SCREENSHOTS set, screenshots are kept in that folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from parity_runs import parity
from report_projects import CURSOR, GROK, HOSTILE, break_exit_code, change_rows, make_hostile, project

pytestmark = pytest.mark.browser

CHROMIUM = os.environ.get("PARITY_CHROMIUM", "/usr/bin/chromium")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
CELL = "cells/acp-grok--turn-tools-no-terminal.html"
OPEN_ROW = ".pair:has(.open[aria-expanded=true])"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split())
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a failing and two passing cells, one of them hostile."""
    folder = tmp_path_factory.mktemp("browser")
    hostile = "acp-grok/turn-tools"
    recordings = project(folder, GROK, CURSOR, hostile)
    change_rows(recordings, GROK, break_exit_code)
    make_hostile(recordings, hostile, "now.")
    parity("check", "--recordings", recordings, "--html", folder / "report")
    return folder / "report"


class Watched:
    """A page, and everything it did that a report must not do."""

    def __init__(self, context: Any, report: Path) -> None:
        self.wrong: list[str] = []
        self.report = report
        context.route("**/*", self._only_files)
        self.page = context.new_page()
        self.page.on("console", lambda message: self.wrong.append(f"console: {message.text}"))
        self.page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        self.page.on("dialog", lambda dialog: self.wrong.append(f"dialog: {dialog.message}"))

    def _only_files(self, route: Any) -> None:
        if route.request.url.startswith(("file:", "data:")):
            route.continue_()
        else:
            self.wrong.append(f"request: {route.request.url}")
            route.abort()

    def open(self, name: str) -> Any:
        self.page.goto((self.report / name).as_uri())
        return self.page

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)


@pytest.fixture(params=["light", "dark"])
def scheme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def watched(browser: Any, report: Path) -> Iterator[Watched]:
    yield from watch(browser, report)


def watch(browser: Any, report: Path, **options: Any) -> Iterator[Watched]:
    context = browser.new_context(**{"viewport": {"width": 1360, "height": 900}, **options})
    watched = Watched(context, report)
    yield watched
    context.close()
    assert watched.wrong == []


@pytest.fixture
def coloured(browser: Any, report: Path, scheme: str) -> Iterator[Watched]:
    yield from watch(browser, report, color_scheme=scheme)


def violations(page: Any) -> list[str]:
    import axe_playwright_python

    source = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text("utf-8")
    page.evaluate(source)
    found = page.evaluate("axe.run().then(result => result.violations)")
    return [f"{one['id']}: {node['html'][:120]}" for one in found for node in one["nodes"]]


def keep(page: Any, name: str) -> None:
    if folder := os.environ.get("PARITY_SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def focused(page: Any) -> str:
    return str(
        page.evaluate("document.activeElement.getAttribute('aria-label') || document.activeElement.id")
    )


def test_the_pages_are_accessible_in_both_themes(coloured: Watched, scheme: str) -> None:
    page = coloured.open("index.html")
    keep(page, f"matrix-{scheme}")
    assert violations(page) == []
    page = coloured.open(CELL)
    coloured.press("n", "Enter", "j", "Enter")
    keep(page, f"cell-{scheme}")
    assert violations(page) == []
    coloured.press("?")
    assert violations(page) == []


def test_a_phone_reads_it_without_scrolling_sideways(browser: Any, report: Path) -> None:
    for watched in watch(browser, report, viewport={"width": 390, "height": 800}):
        for name in ("index.html", CELL):
            page = watched.open(name)
            keep(page, f"phone-{name.split('/')[0].removesuffix('.html')}")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert violations(page) == []


def test_the_skip_link_comes_first(watched: Watched) -> None:
    page = watched.open("index.html")
    watched.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    watched.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_keys_move_among_the_cells_and_enter_opens_one(watched: Watched) -> None:
    page = watched.open("index.html")
    watched.press("j")
    first = focused(page)
    watched.press("ArrowDown")
    assert focused(page) != first
    watched.press("k")
    assert focused(page) == first
    watched.press("n")
    assert focused(page).startswith("acp-grok turn-tools-no-terminal: failed")
    watched.press("Enter")
    page.wait_for_url("**/" + CELL)


def test_escape_goes_back_to_the_cell_one_came_from(watched: Watched) -> None:
    page = watched.open(CELL)
    watched.press("Escape")
    page.wait_for_url("**/index.html#*")
    assert focused(page).startswith("acp-grok turn-tools-no-terminal")


def test_a_rows_wire_lines_open_by_keyboard(watched: Watched) -> None:
    page = watched.open(CELL)
    assert page.locator(".wire details").count() == 0
    watched.press("j", "j", "j")
    assert focused(page).startswith("Wire lines of command")
    watched.press("Enter")
    opened = page.locator(OPEN_ROW)
    assert opened.locator(".wire .seq").all_inner_texts()[:4] == ["1:38", "1:40", "1:43", "1:44"]
    watched.press("j", "Enter")
    text = opened.locator("details[open] pre").inner_text()
    assert '"toolCallId": "call_basic_0_0"' in text
    watched.press("Escape")
    assert page.locator(OPEN_ROW).count() == 0
    assert focused(page).startswith("Wire lines of command")


def test_the_focus_is_always_seen(watched: Watched) -> None:
    page = watched.open(CELL)
    watched.press("j")
    style = page.evaluate("getComputedStyle(document.activeElement.closest('.pair')).outlineStyle")
    assert style == "solid"


def test_only_differences_can_be_shown(watched: Watched) -> None:
    page = watched.open(CELL)
    assert page.locator(".pair:visible").count() > 3
    watched.press("o")
    assert page.locator(".pair:visible").count() == 3


def test_the_theme_is_remembered_from_page_to_page(watched: Watched) -> None:
    page = watched.open("index.html")
    watched.press("t", "t")
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"
    page = watched.open(CELL)
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"


def test_what_a_hostile_agent_said_is_only_text(watched: Watched) -> None:
    page = watched.open("cells/acp-grok--turn-tools.html")
    watched.press("j", "j", "Enter")
    title = page.title()
    opened = page.locator(OPEN_ROW)
    assert page.locator("img").count() == 0
    assert HOSTILE[:60] in opened.locator(".side.new .said").first.text_content()
    assert "taken" not in title
    assert opened.locator(".wire pre").count() > 0
