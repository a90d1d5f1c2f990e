"""Editing the text of an allowlist: entries are cut out and put in as lines, all other bytes stay.

Knows where ruamel saw sections and entries begin, and whose a comment is. Must not know what an entry means.
The caller parses the result and compares, so a layout that is not understood here is never written.

Whose a comment is: inside an entry, or indented deeper than its dash, it is the entry's; so is a block of
comment lines at the dash's indentation directly above the dash. Every other comment stays where it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

_LINE = re.compile(r"[^\r\n\x85\u2028\u2029]*(?:\r\n|[\r\n\x85\u2028\u2029]|$)")  # as ruamel counts lines
_DASH = re.compile(r" *-(?=\s)")
_EMPTY_LIST = re.compile(r"^([^#\[]*:)\s*\[\s*\]")


class NotUnderstood(Exception):
    """The file is laid out in a way that is not edited here."""


class _Entry(NamedTuple):
    """An entry's lines, from its dash to the line after its last own one; and the dash's indentation."""

    start: int
    end: int
    indent: int


def edited(
    text: str, root: Any, removed: Mapping[str, Sequence[int]], added: Mapping[str, Sequence[str]]
) -> str:
    """The text without some entries (section → indices) and with others (section → lines).

    `root` is the text as ruamel parsed it. Lines of added entries begin with the dash at column 0 and have
    no line ends. Raises NotUnderstood, e.g. for a section that is written inline.
    """
    lines = [match[0] for match in _LINE.finditer(text) if match[0]]
    newline = "\r\n" if "\r\n" in text else "\n"
    gone: set[int] = set()
    fresh: dict[int, list[str]] = {}
    for section in dict.fromkeys((*removed, *added)):
        new = added.get(section, ())
        if section not in root:
            fresh.setdefault(len(lines), []).extend([f"{section}:", *_indented(new, 2)])
            continue
        entries = _entries(lines, root, section)
        for index in removed.get(section, ()):
            gone.update(_with_comment(lines, entries[index]))
        if new:
            at, indent = _place(lines, root, section, entries)
            fresh.setdefault(at, []).extend(_indented(new, indent))
    out: list[str] = []
    for number, line in enumerate([*lines, ""]):
        if fresh.get(number) and out and not out[-1].endswith(("\n", "\r")):
            out[-1] += newline
        out += [one + newline for one in fresh.get(number, ())]
        if number not in gone:
            out.append(line)
    return "".join(out)


def _indented(lines: Sequence[str], indent: int) -> list[str]:
    return [" " * indent + line if line else line for line in lines]


def _entries(lines: list[str], root: Any, section: str) -> list[_Entry]:
    """Where the entries of a block section stand."""
    listed = root[section]
    if not listed:
        return []
    if listed.fa.flow_style():
        raise NotUnderstood
    starts = [_dash(lines, listed.lc.item(index)[0]) for index in range(len(listed))]
    bounds = [*(start for start, _ in starts[1:]), _section_end(lines, root, section, starts[-1][0])]
    return [
        _Entry(start, _own_end(lines, start, bound, indent), indent)
        for (start, indent), bound in zip(starts, bounds, strict=True)
    ]


def _dash(lines: list[str], number: int) -> tuple[int, int]:
    """(line, indentation) of the dash of the entry whose first key stands on this line."""
    for at in range(number, -1, -1):
        found = _DASH.match(lines[at])
        if found is not None:
            return at, len(found[0]) - 1
        if at < number and lines[at].strip() and not lines[at].lstrip().startswith("#"):
            break
    raise NotUnderstood


def _section_end(lines: list[str], root: Any, section: str, start: int) -> int:
    """The line of the next section, of the document's end, or of the file's."""
    keys = sorted(root.lc.key(key)[0] for key in root)
    here = root.lc.key(section)[0]
    end = next((line for line in keys if line > here), len(lines))
    return next((at for at in range(start, end) if lines[at].startswith("...")), end)


def _own_end(lines: list[str], start: int, bound: int, indent: int) -> int:
    """The line after the entry's last own one: what follows are blank lines and comments of others."""
    end = bound
    while end > start + 1:
        line = lines[end - 1]
        comment = line.lstrip(" ").startswith("#") and _indent(line) <= indent
        if line.strip() and not comment:
            break
        end -= 1
    return end


def _with_comment(lines: list[str], entry: _Entry) -> range:
    """The entry, the comment directly above it, and the blank lines after it where a blank line is above."""
    start, end = entry.start, entry.end
    while (
        start and lines[start - 1].lstrip(" ").startswith("#") and _indent(lines[start - 1]) == entry.indent
    ):
        start -= 1
    if start and not lines[start - 1].strip():
        while end < len(lines) and not lines[end].strip():
            end += 1
    return range(start, end)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _place(lines: list[str], root: Any, section: str, entries: list[_Entry]) -> tuple[int, int]:
    """(line to insert before, indentation of the dash) for a new entry at the end of a section."""
    if entries:
        return entries[-1].end, entries[-1].indent
    key = root.lc.key(section)[0]
    if root[section] is not None:
        found = _EMPTY_LIST.match(lines[key])
        if found is None:
            raise NotUnderstood
        rest = lines[key][found.end() :]
        padding = " " * (found.end() - found.end(1)) if rest.strip() else ""
        lines[key] = found[1] + padding + rest
    elif not lines[key].split("#")[0].rstrip().endswith(":"):
        raise NotUnderstood  # `section: null` or `~`
    at = key + 1
    while at < len(lines) and lines[at].startswith(" ") and lines[at].lstrip().startswith("#"):
        at += 1
    return at, 2
