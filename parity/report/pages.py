"""The pages: an index with the matrix, and one page per cell.

Knows the templates and what fills them. A page is one file with its styles and its script inside, so it can
be sent alone; a cell has a page of its own, so that the index opens at once however long the recordings are
and a cell costs nothing until somebody opens it.

What a page shows came off a wire. Templates escape everything; the lines are JSON that cannot end its script
element; and each page's Content-Security-Policy lets only the report's own script and style run and nothing
be fetched, so that what would still get through stays inert.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from parity import __version__
from parity.gates.allowance import Allowance
from parity.report.lines import LINE_BYTES, embedded, script_safe
from parity.report.model import COUNTS, CellResult, ReportData
from parity.report.timelines import Change, Pair, in_words, paired
from parity.wire import InputError, write_atomic_bytes

if TYPE_CHECKING:
    from jinja2 import Environment

CELLS_FOLDER = "cells"
ROWS = 2000
"""Rows on a page; of a longer timeline, those that differ and then the first ones."""
OTHER_DIFFERENCES = 200
"""Differences listed per layer that has no timeline; more are counted."""
_PROBLEMS = 100
_LAYERS = ("events", "bridge", "provider", "grammar")
_COUNT_NAMES = {"grammarDrops": "drops"}


class Summary(Struct, kw_only=True):
    """What the index says of one cell."""

    provider: str
    cell: str
    href: str
    verdict: str
    counts: dict[str, int]
    failed_gates: list[str]
    first: str
    """The most telling of what is wrong, "" where nothing is."""
    first_change: Change | None
    differences: int
    masked: int
    notes: list[str]

    @property
    def anchor(self) -> str:
        """The element of the index that stands for the cell."""
        return f"{self.provider}--{self.cell}"


class Used(Struct):
    """An allowance and what it accepted in one cell or in all."""

    allowance: Allowance
    masked: list[Change] = field(default_factory=list)
    more: int = 0
    cells: list[str] = field(default_factory=list)
    stale: bool = False


def write_report(folder: Path | str, data: ReportData) -> Path:
    """Write `index.html` and `cells/*.html` into the folder; returns the path of the index.

    The folder is made if need be; other files in it stay. Raises InputError where it cannot be written.
    """
    folder = Path(folder)
    env = environment()
    cells_folder = folder / CELLS_FOLDER
    try:
        cells_folder.mkdir(parents=True, exist_ok=True)
        summaries: list[Summary] = []
        cells_of: dict[int, list[str]] = {}
        pending: tuple[CellResult, Summary] | None = None
        names = _FileNames()
        for result in data.cells:
            summary = _summary(result, names.of(result))
            for masking in {id(one.allowance): one for one in result.masked}.values():
                cells_of.setdefault(id(masking.allowance), []).append(result.key)
            if pending is not None:
                _write_cell(env, cells_folder, data, *pending, summaries[-2:-1], summary)
            summaries.append(summary)
            pending = result, summary
        if pending is not None:
            _write_cell(env, cells_folder, data, *pending, summaries[-2:-1], None)
        stale = {id(one) for one in data.stale}
        used = [Used(one, cells=cells_of.get(id(one), []), stale=id(one) in stale) for one in data.allowances]
        page = env.get_template("index.html").render(
            **frame(data),
            matrix=_matrix(summaries),
            summaries=summaries,
            used=used,
            totals=_totals(summaries),
        )
        write_atomic_bytes(folder / "index.html", page.encode("utf-8", "replace"))
    except OSError as error:
        what = f"the report cannot be written ({error.strerror})"
        raise InputError(folder, None, what, "name a folder that can be written") from None
    return folder / "index.html"


class _FileNames:
    """A file name for each cell; `a/b--c` and `a--b/c` get two."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def of(self, result: CellResult) -> str:
        base = f"{result.cell.provider}--{result.cell.name}"
        name, number = base, 1
        while name.lower() in self._taken:
            number += 1
            name = f"{base}.{number}"
        self._taken.add(name.lower())
        return f"{name}.html"


def _summary(result: CellResult, file_name: str) -> Summary:
    first, change = _first(result)
    return Summary(
        provider=result.cell.provider,
        cell=result.cell.name,
        href=f"{CELLS_FOLDER}/{file_name}",
        verdict=result.verdict,
        counts=result.counts,
        failed_gates=result.failed_gates,
        first=first,
        first_change=change,
        differences=sum(map(len, result.differences.values())),
        masked=len(result.masked),
        notes=list(result.notes),
    )


def _first(result: CellResult) -> tuple[str, Change | None]:
    """The difference with the deepest path, rows first; else the first failure."""
    for layer in ("rows", *_LAYERS):
        found = result.differences.get(layer)
        if found:
            deepest = max(found, key=lambda one: one.path.count("/"))
            return f"{layer}: {deepest.label}", in_words(deepest, deepest.path)
    for gate, problems in result.failures.items():
        if problems:
            return f"{gate}: {problems[0]}", None
    return "", None


def _matrix(summaries: Sequence[Summary]) -> dict[str, Any]:
    """Providers across, scenarios down; what most providers have comes first."""
    providers = list(dict.fromkeys(one.provider for one in summaries))
    at = {(one.cell, one.provider): one for one in summaries}
    shared = Counter(one.cell for one in summaries)
    rows = [
        (cell, [at.get((cell, provider)) for provider in providers])
        for cell in sorted(shared, key=lambda cell: (-shared[cell], cell))
    ]
    per_provider = Counter(one.provider for one in summaries)
    return {"providers": [(provider, per_provider[provider]) for provider in providers], "rows": rows}


def _totals(summaries: Sequence[Summary]) -> dict[str, int]:
    totals = Counter(one.verdict for one in summaries)
    for name in COUNTS:
        totals[name] = sum(one.counts.get(name, 0) for one in summaries)
    totals["masked"] = sum(one.masked for one in summaries)
    totals["cells"] = len(summaries)
    return dict(totals)


# -- one cell ------------------------------------------------------------------------------------------


def _write_cell(
    env: Environment,
    folder: Path,
    data: ReportData,
    result: CellResult,
    summary: Summary,
    before: Sequence[Summary],
    after: Summary | None,
) -> None:
    found = paired(result.old_rows, result.new_rows, result.differences.get("rows", ()), result.masked)
    pairs = _fitting(found)
    page = env.get_template("cell.html").render(
        **frame(data),
        result=result,
        summary=summary,
        before=before[0] if before else None,
        after=after,
        pairs=pairs,
        rows_in_all=len(found),
        states=Counter(pair.state for pair in found),
        both=None not in (result.old_rows, result.new_rows),
        side=data.new_label if result.new_rows is not None else data.old_label,
        counts=[
            (_COUNT_NAMES.get(name, name), result.counts[name], result.old_counts.get(name))
            for name in COUNTS
            if name in result.counts
        ],
        gates=_gates(result),
        problems=[
            (gate, problems[:_PROBLEMS], max(0, len(problems) - _PROBLEMS))
            for gate, problems in result.failures.items()
        ],
        others=_others(result, pairs),
        used=_used(result),
        facts=_manifest_facts(result),
        wire=script_safe(embedded(result.cell, pairs)),
    )
    write_atomic_bytes(folder / summary.href.rpartition("/")[2], page.encode("utf-8", "replace"))


def _fitting(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs a page has room for, in order."""
    if len(pairs) <= ROWS:
        return list(pairs)
    by_weight = sorted(range(len(pairs)), key=lambda at: (pairs[at].state == "same", at))
    return [pairs[at] for at in sorted(by_weight[:ROWS])]


def _gates(result: CellResult) -> list[tuple[str, str]]:
    failed = result.failed_gates
    known = [*result.gates, *(gate for gate in failed if gate not in result.gates)]
    return [(gate, "failed" if gate in failed else "passed") for gate in known]


def _others(result: CellResult, pairs: Sequence[Pair]) -> list[tuple[str, list[Change], int]]:
    """The differences of the layers without a timeline, bounded."""
    layers = [layer for layer in result.differences if layer != "rows" or not pairs]
    return [
        (
            layer,
            [in_words(one, one.path) for one in result.differences[layer][:OTHER_DIFFERENCES]],
            max(0, len(result.differences[layer]) - OTHER_DIFFERENCES),
        )
        for layer in sorted(layers, key=lambda layer: _LAYERS.index(layer) if layer in _LAYERS else -1)
    ]


def _used(result: CellResult) -> list[Used]:
    found: dict[int, Used] = {}
    for one in result.masked:
        used = found.setdefault(id(one.allowance), Used(one.allowance))
        if len(used.masked) < OTHER_DIFFERENCES:
            used.masked.append(in_words(one.difference, one.difference.path))
        else:
            used.more += 1
    return list(found.values())


def _manifest_facts(result: CellResult) -> list[str]:
    manifest = result.cell.manifest
    agent = manifest.agent
    said = " ".join(word for word in (agent.name, agent.version) if word) if agent else ""
    return [fact for fact in (said, manifest.origin, manifest.model and f"{manifest.model} model") if fact]


# -- templates -----------------------------------------------------------------------------------------


def frame(data: ReportData, style_name: str | None = None) -> dict[str, Any]:
    """What every page needs; `style_name` is a style of the page's own beside the report's."""
    style, script = _asset("report.css"), _asset("report.js")
    if style_name is not None:
        style += "\n" + _asset(style_name)
    return {
        "data": data,
        "version": __version__,
        "line_bytes": LINE_BYTES,
        "style": style,
        "script": script,
        "policy": "; ".join(
            (
                "default-src 'none'",
                f"style-src '{_hash(style)}'",
                f"script-src '{_hash(script)}'",
                "img-src data:",
                "base-uri 'none'",
                "form-action 'none'",
            )
        ),
    }


@cache
def _asset(name: str) -> str:
    return (resources.files("parity.report") / "templates" / name).read_text("utf-8").strip()


@cache
def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def environment() -> Environment:
    """The templates, which escape everything."""
    from jinja2 import (
        Environment,
        PackageLoader,
        StrictUndefined,
    )  # slow to import, and only a report needs it
    from markupsafe import Markup

    env = Environment(
        loader=PackageLoader("parity.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters["own"] = Markup  # of our own style and script alone
    env.filters["thousands"] = lambda number: f"{number:,}".replace(",", "\u202f")
    env.filters["plural"] = lambda number, noun: f"{number} {noun}" if number == 1 else f"{number} {noun}s"
    env.filters["base_name"] = lambda where: where.replace("\\", "/").rpartition("/")[2]
    env.filters["diff_lines"] = str.splitlines
    return env
