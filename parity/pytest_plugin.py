"""The pytest plugin: one test per cell and gate, one for the allowlist, one for the coverage.

Thin: it collects and reports, `parity.gates` judges. A cell is a `manifest.json` two folders below the
configured recordings, or the `regressions` in them; its tests are named `provider/cell gate`, so `-k codex`
and xdist work as for any test. Nothing happens in a project without `[tool.parity]`.

UPDATE_PARITY_ROW_COUNTS=1 re-pins the counts of the cells whose `counts` test ran and whose replay has no
problems, at the end of the run; a guarded count that rose still fails. UPDATE_TRANSCRIPT_EXPECTATIONS=1
rewrites the stream pins of the cells that ran.
Both refuse under CI, and an unknown UPDATE_PARITY_* variable is an error. A folder of a cell that has no
manifest is one failing test: nothing that `parity check` refuses is passed over here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

MANIFEST = "manifest.json"
_COUNTS_PROPERTY = "parity-counts"
_PINNED_PROPERTY = "parity-pinned"
_KEY: pytest.StashKey[_Run] = pytest.StashKey()


class _Run:
    """What one pytest process knows: settings, knobs, each cell's report (made once), what to re-pin."""

    def __init__(self, settings: Any, knobs: Any) -> None:
        self.settings = settings
        self.knobs = knobs
        self.updates: dict[str, Any] = {}
        self.failed: set[str] = set()
        self.rewritten: list[str] = []
        self.repinned: list[str] = []
        self._reports: dict[Path, Any] = {}
        self._allowlist: Any = None
        self._counts: Any = None

    @property
    def allowlist(self) -> Any:
        """The allowlist, read once."""
        from parity.gates.allowlist import Allowlist

        if self._allowlist is None:
            self._allowlist = Allowlist.load(self.settings.allowlist)
        return self._allowlist

    def report(self, path: Path) -> Any:
        """The report of the cell in a folder."""
        from parity.gates.check import check_cell
        from parity.gates.counts import load_counts
        from parity.gates.pins import STREAMS
        from parity.live.play import LAYERS, player_of
        from parity.wire import find_cells

        if self._counts is None:
            self._counts = load_counts(self.settings.row_counts)
        if path not in self._reports:
            cell = find_cells(self.settings.recordings, path.parent.name, path.name)[0]
            play = player_of(self.settings.providers, cell)
            layers = STREAMS if play is None else LAYERS
            self._reports[path] = check_cell(
                cell, self.allowlist, self._counts, strict=self.settings.strict, play=play, layers=layers
            )
        return self._reports[path]


def pytest_configure(config: pytest.Config) -> None:
    """Read settings and knobs; a mistake in either ends the run before a test is collected."""
    from parity.gates.settings import COUNTS_KNOB, find_table, in_ci, load_settings, read_knobs
    from parity.wire import InputError

    try:
        if find_table(config.rootpath) is None:
            if os.environ.get(COUNTS_KNOB):
                what = "nothing is re-pinned: no pyproject.toml here or above has [tool.parity]"
                raise InputError(COUNTS_KNOB, None, what, "add the table, or run pytest in its project")
            return
        settings = load_settings(config.rootpath)
        knobs = read_knobs()
    except InputError as error:
        raise pytest.UsageError(str(error)) from None
    if in_ci() and (knobs.counts or knobs.streams):
        raise pytest.UsageError("pins are not rewritten under CI=true: re-pin locally, look, and commit")
    config.stash[_KEY] = _Run(settings, knobs)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A cell's manifest, the allowlist and the pinned coverage are test files."""
    run = parent.config.stash.get(_KEY, None)
    if run is None:
        return None
    folder = file_path.parent
    if _is_cell(folder, run.settings.recordings):
        if file_path.name == MANIFEST:
            return CellFile.from_parent(parent, path=file_path)
        if not (folder / MANIFEST).exists() and file_path == min(f for f in folder.iterdir() if f.is_file()):
            return UnnamedCellFile.from_parent(parent, path=file_path)
    if file_path == run.settings.allowlist:
        return AllowlistFile.from_parent(parent, path=file_path)
    if file_path == run.settings.coverage:
        return CoverageFile.from_parent(parent, path=file_path)
    return None


def _is_cell(folder: Path, recordings: Path) -> bool:
    """Whether a folder lies where cells lie: two below the recordings, or below the regressions in them."""
    from parity.wire import REGRESSIONS

    regressions = recordings / REGRESSIONS
    return folder.parent.parent == regressions or (
        folder.parent.parent == recordings and folder.parent != regressions
    )


class CellFile(pytest.File):
    """A cell: a test per gate."""

    def collect(self) -> Iterator[pytest.Item]:
        """The gates."""
        from parity.gates.check import GATES
        from parity.gates.pins import STREAMS
        from parity.live.play import LAYERS

        external = self.path.parents[1].name in self.config.stash[_KEY].settings.providers
        for gate in GATES:
            if external and gate in STREAMS and gate not in LAYERS:
                continue
            yield GateItem.from_parent(self, name=f"{self.cell} {gate}", gate=gate)

    @property
    def cell(self) -> str:
        """`provider/cell`."""
        return f"{self.path.parents[1].name}/{self.path.parent.name}"


class UnnamedCellFile(CellFile):
    """A cell without a manifest, by the first of its files: one test, which says so."""

    def collect(self) -> Iterator[pytest.Item]:
        """The first gate; it cannot open the cell."""
        yield GateItem.from_parent(self, name=f"{self.cell} replay", gate="replay")


class GateFailure(Exception):
    """A gate failed; the message is what to show."""


class GateItem(pytest.Item):
    """One gate of one cell."""

    def __init__(self, *, gate: str, **rest: Any) -> None:
        super().__init__(**rest)
        self.gate = gate
        self.extra_keyword_matches.update((gate, *str(self.name).split()[0].split("/")))

    def runtest(self) -> None:
        """Judge the cell (once per process) and fail with what this gate says."""
        run = self.config.stash[_KEY]
        report = run.report(self.path.parent)
        knobs = run.knobs
        if self.gate in ("counts", "grammar") and knobs.counts and not report.rises:
            if "replay" in report.failures:
                raise GateFailure(f"{report.key}: counts are not re-pinned while the replay has problems")
            if self.gate == "counts":
                self.user_properties.append((_COUNTS_PROPERTY, (report.key, _counts(report))))
            return
        if knobs.streams and self._rewrite(report):
            return
        if self.gate in report.failed_gates:
            raise GateFailure(_message(report, self.gate))
        if self.gate == "replay" and report.unpinned:
            from parity.gates.settings import COUNTS_KNOB

            pin = {
                "streams": f"rerecord -p {report.provider} -c {report.cell}",
                "counts": f"{COUNTS_KNOB}=1 pytest",
            }
            pytest.skip(f"{report.key} is unpinned: {', then '.join(pin[what] for what in report.unpinned)}")

    def _rewrite(self, report: Any) -> bool:
        """Rewrite this gate's stream pin; returns whether it is a stream that may be rewritten."""
        from parity.gates.check import built_in
        from parity.gates.pins import STREAMS, KeepSink, write_pin
        from parity.live.play import player_of
        from parity.wire import find_cells

        if self.gate not in STREAMS or "replay" in report.failures:
            return False
        settings, folder = self.config.stash[_KEY].settings, self.path.parent
        cell = find_cells(settings.recordings, folder.parent.name, folder.name)[0]
        sink = KeepSink((self.gate,))
        (player_of(settings.providers, cell) or built_in(cell))(cell, sink)
        if write_pin(cell, self.gate, sink.lines[self.gate]):
            self.user_properties.append((_PINNED_PROPERTY, f"{report.key}: {cell.pin(self.gate).name}"))
        return True

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What the gate says, and one line for a mistake in the data."""
        from parity.wire import InputError

        if isinstance(excinfo.value, (GateFailure, InputError)):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The cell's folder and the test's name."""
        return self.path, None, str(self.name)


class AllowlistFile(pytest.File):
    """The allowlist: one test, that no allowance is stale."""

    def collect(self) -> Iterator[pytest.Item]:
        """The staleness test."""
        yield StaleItem.from_parent(self, name="no allowance is stale")


class StaleItem(pytest.Item):
    """Every allowance for today's replay masks something."""

    def runtest(self) -> None:
        """Check all cells in this process, with an allowlist of its own, and ask what masked nothing."""
        from parity.gates.allowlist import Considered
        from parity.wire import find_cells

        run = self.config.stash[_KEY]
        keys = set()
        for cell in find_cells(run.settings.recordings):
            run.report(cell.path)
            keys.add(cell.key)
        considered = Considered(frozenset(keys), frozenset(keys))
        stale = [entry for part in ("pinned", "counts") for entry in run.allowlist.stale(part, considered)]
        if stale:
            lines = "\n".join(f"  {entry}" for entry in stale)
            raise GateFailure(f"these allowances mask nothing any more; remove them:\n{lines}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The stale allowances, or one line for an allowlist or a cell that cannot be read."""
        from parity.wire import InputError

        known = isinstance(excinfo.value, (GateFailure, InputError))
        return str(excinfo.value) if known else super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The allowlist and the test's name."""
        return self.path, None, str(self.name)


class CoverageFile(pytest.File):
    """The pinned coverage: one test, that it has not fallen."""

    def collect(self) -> Iterator[pytest.Item]:
        """The test."""
        yield CoverageItem.from_parent(self, name="coverage has not fallen")


class CoverageItem(pytest.Item):
    """No name of a protocol's vocabulary occurs less, or is handled worse, than is pinned."""

    def runtest(self) -> None:
        """Measure all cells in this process and say what fell."""
        from parity.coverage.gate import coverage_moves
        from parity.coverage.pins import REPIN
        from parity.wire import find_cells

        settings = self.config.stash[_KEY].settings
        fell = [move for move in coverage_moves(settings, find_cells(settings.recordings)) if move.fell]
        if fell:
            lines = "\n".join(f"  {move}" for move in fell)
            raise GateFailure(f"coverage fell; if that is meant, {REPIN}:\n{lines}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What fell, or one line for a file that cannot be read."""
        from parity.wire import InputError

        known = isinstance(excinfo.value, (GateFailure, InputError))
        return str(excinfo.value) if known else super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The pinned coverage and the test's name."""
        return self.path, None, str(self.name)


class _Collector:
    """Gathers, in the controlling process, what the tests say is to be re-pinned."""

    def __init__(self, run: _Run) -> None:
        self.run = run

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take a test's properties; a failed cell keeps its pins."""
        for name, value in report.user_properties:
            if name == _COUNTS_PROPERTY and report.when == "call":
                key, counts = cast("tuple[str, dict[str, int]]", value)
                self.run.updates[key] = counts
                if report.failed:
                    self.run.failed.add(key)
            elif name == _PINNED_PROPERTY and report.when == "call":
                self.run.rewritten.append(str(value))

    @pytest.hookimpl
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Re-pin the counts, before the summary says what moved; one that cannot be done fails the run."""
        from parity.wire import InputError

        if not self.run.knobs.counts:
            return
        try:
            self.run.repinned = _repinned(self.run)
        except InputError as error:
            self.run.repinned = [f"re-pinned nothing: {error}"]
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _repinned(run: _Run) -> list[str]:
    """Re-pin what the tests gathered; what is to be said of it. Raises InputError, changing nothing."""
    from parity.gates.counts import Counts, load_counts, repin
    from parity.wire import cell_keys

    updates = {key: Counts(**counts) for key, counts in run.updates.items()}
    known = cell_keys(run.settings.recordings)
    before = load_counts(run.settings.row_counts)
    lines = repin(run.settings.row_counts, updates, run.failed, known)
    if load_counts(run.settings.row_counts) == before:
        asked = f"{len(updates)} cells ran and none moved" if updates else "no cell's counts test ran"
        lines.append(f"re-pinned nothing: {asked}")
    return lines


def pytest_sessionstart(session: pytest.Session) -> None:
    """In the controlling process, gather re-pins."""
    run = session.config.stash.get(_KEY, None)
    if run is not None and not hasattr(session.config, "workerinput"):
        session.config.pluginmanager.register(_Collector(run), "parity-collector")


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say what was re-pinned; a run that was asked to and re-pinned nothing says so."""
    run = config.stash.get(_KEY, None)
    if run is None or hasattr(config, "workerinput"):
        return
    if run.knobs.counts:
        terminalreporter.section("parity row counts")
        for line in run.repinned:
            terminalreporter.write_line(line)
    if run.knobs.streams:
        terminalreporter.section("parity transcripts")
        for line in sorted(run.rewritten):
            terminalreporter.write_line(f"rewrote {line}")
        if not run.rewritten:
            terminalreporter.write_line("re-pinned nothing: no stream of the cells that ran differs")


def _counts(report: Any) -> dict[str, int]:
    counts = report.counts
    return {
        "events": counts.events,
        "rows": counts.rows,
        "unhandled": counts.unhandled,
        "grammar_drops": counts.grammar_drops,
    }


def _message(report: Any, gate: str) -> str:
    from parity.compare import describe

    lines = [f"{report.key}: {gate}"]
    lines += [f"  {problem}" for problem in report.failures.get(gate, ())]
    found = report.differences.get(gate, ())
    for difference in found[:5]:
        lines.append(f"  {difference.label}")
        old, new = describe(difference.old, difference.new), describe(difference.new, difference.old)
        lines.append(f"    {difference.path}  {difference.change}  {old} → {new}")
    if len(found) > 5:
        lines.append(f"  … and {len(found) - 5} more")
    lines.append(f"  more: parity check -p {report.provider} -c {report.cell} --full")
    return "\n".join(lines)
