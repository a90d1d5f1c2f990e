"""The user documentation says nothing that does not exist: links, commands, options, settings, allowances."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from parity.cli.main import app
from parity.gates import settings
from parity.gates.allowlist import Allowlist

ROOT = Path(__file__).resolve().parents[2]
PAGES = [page for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))) if page.is_file()]
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^( *)```([A-Za-z]*)[^\n]*\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"(?:\A|\n\n)((?: {4}[^\n]*\n)+)")
_HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
_RUNNER = re.compile(r"^(?:\$ )?(?:- run: )?(?:[A-Z_]+=\S+ )*")
_SETTING_ROW = re.compile(r"^\| `([a-z-]+)` \| `", re.MULTILINE)


def _text(page: Path) -> str:
    return page.read_text("utf-8")


def _blocks(page: Path, *languages: str) -> Iterator[str]:
    for _, language, body in _FENCE.findall(_text(page)):
        if language in languages:
            yield body


def _anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as a forge makes them."""
    prose = _FENCE.sub("", _text(page))
    words = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in _HEADING.findall(prose))
    return {word.strip().replace(" ", "-") for word in words}


def _command_lines() -> Iterator[tuple[str, str]]:
    """(page, command line) of each `parity …` or `rerecord …` in a code block of the documentation."""
    for page in PAGES:
        blocks = [*_blocks(page, "", "sh", "bash", "console", "yaml"), *_INDENTED.findall(_text(page))]
        for line in "\n".join(blocks).splitlines():
            for part in _RUNNER.sub("", line.strip()).split(" && "):
                if re.match(r"(parity|rerecord) [a-z-]", part):
                    yield page.name, part


def _options(command: Any) -> dict[str, bool]:
    """Every option of a command by name, with whether it takes a value."""
    names = {"--help": False}
    for parameter in command.params:
        for name in (*parameter.opts, *parameter.secondary_opts):
            if name.startswith("-"):
                names[name] = not parameter.is_flag
    return names


def _problem(line: str) -> str | None:
    """What the command line names that does not exist."""
    root = typer.main.get_command(app)
    commands: dict[str, Any] = root.commands  # type: ignore[attr-defined]
    words = shlex.split(line)
    if words[0] == "parity":
        words = words[1:]
    name, rest = words[0], words[1:]
    if name.startswith("-"):
        return None if name in _options(root) else f"parity has no option {name}"
    while hasattr(commands.get(name), "commands") and rest:  # a command of a group
        commands, name, rest = commands[name].commands, rest[0], rest[1:]
    if name not in commands:
        return f"no command {name!r}"
    options = _options(commands[name])
    accepted = [one for one in commands[name].params if one.param_type_name == "argument"]
    arguments, optional = len(accepted), sum(not one.required for one in accepted)
    while rest:
        word = rest.pop(0)
        if word == "--":  # the words of another program follow
            return None if any(one.nargs == -1 for one in accepted) else f"{name} takes no command"
        if not word.startswith("-"):
            arguments -= 1
            continue
        option, equals, _ = word.partition("=")
        if option not in options:
            return f"{name} has no option {option}"
        if options[option] and not equals:
            if not rest:
                return f"{option} of {name} needs a value"
            rest.pop(0)
    return None if 0 <= arguments <= optional else "a wrong number of arguments"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_relative_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    broken = []
    for target in _LINK.findall(_FENCE.sub("", _text(page))):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        there = (page.parent / name).resolve() if name else page
        if not there.exists() or (anchor and anchor not in _anchors(there)):
            broken.append(target)
    assert not broken


@pytest.mark.parametrize(("page", "line"), sorted(set(_command_lines())))
def test_every_documented_command_line_names_what_exists(page: str, line: str) -> None:
    assert _problem(line) is None


def test_the_documentation_shows_each_command() -> None:
    shown = {
        line.split()[0] if line.startswith("rerecord") else line.split()[1] for _, line in _command_lines()
    }
    assert {"check", "show", "import", "rerecord"} <= shown


def test_a_command_line_that_does_not_exist_is_noticed() -> None:
    assert _problem("parity chekc") is not None
    assert _problem("parity check --providr acp-grok") is not None
    assert _problem("parity show") is not None
    assert _problem("parity check -p") is not None


def test_every_documented_setting_exists() -> None:
    page = ROOT / "docs" / "gates.md"
    section = _text(page).split("\n### Settings\n", 1)[1]
    listed = _SETTING_ROW.findall(section)
    shown = [key for body in _blocks(page, "toml") for key in _tables(body).get("parity", {})]
    assert listed
    assert set(listed) >= set(shown)
    assert set(listed) <= set(settings._KEYS)


def test_the_documented_settings_are_accepted() -> None:
    for body in _blocks(ROOT / "docs" / "gates.md", "toml"):
        settings._check(Path("pyproject.toml"), _tables(body)["parity"])


def test_every_documented_knob_exists() -> None:
    said = {knob for page in PAGES for knob in re.findall(r"\bUPDATE_[A-Z_]*[A-Z]\b", _text(page))}
    assert said <= {settings.COUNTS_KNOB, settings.STREAMS_KNOB, "UPDATE_PARITY", "UPDATE_TRANSCRIPT"}


def test_every_documented_allowlist_is_valid(tmp_path: Path) -> None:
    examples = [body for body in _blocks(ROOT / "docs" / "gates.md", "yaml") if body.startswith("pinned:")]
    assert examples
    for number, body in enumerate(examples):
        path = tmp_path / f"{number}.yaml"
        path.write_text(body, "utf-8")
        assert Allowlist.load(path).allowances


def _tables(body: str) -> dict[str, Any]:
    tool: dict[str, Any] = tomllib.loads(body).get("tool", {})
    return tool
