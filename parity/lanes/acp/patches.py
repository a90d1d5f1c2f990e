"""Git patches: which section of a patch tells of which file.

Knows `diff --git` sections and their header lines; paths are absolute in this protocol, with or without the
`a/` and `b/` before them, and quoted where git quotes them.
"""

from __future__ import annotations

import re

_SECTION = re.compile(r"^diff --git ", re.MULTILINE)
_HEADERS = ("--- ", "+++ ", "rename from ", "rename to ", "copy from ", "copy to ")


def sections(patch: str) -> list[str]:
    """The sections of a patch, each from its `diff --git` line on; the whole where there are none."""
    starts = [match.start() for match in _SECTION.finditer(patch)]
    if not starts:
        return [patch] if patch else []
    return [patch[start:end] for start, end in zip(starts, [*starts[1:], len(patch)], strict=True)]


def assign(patch: str, paths: list[tuple[str, ...]]) -> list[str | None]:
    """For each change, known by its paths, its section of the patch; None where the patch has none for it.

    A patch of one section belongs to a change that stands alone, whatever it calls the file.
    """
    parts = sections(patch)
    if len(parts) == 1 and len(paths) == 1:
        return [parts[0]]
    left = list(enumerate(parts))
    found: list[str | None] = []
    for names in paths:
        wanted = {name.strip("/") for name in names}
        match = next((number for number, part in left if wanted & _files(part)), None)
        found.append(parts[match] if match is not None else None)
        left = [(number, part) for number, part in left if number != match]
    return found


def _files(section: str) -> set[str]:
    """The files a section's header names, without a leading slash or an `a/` or `b/` before it."""
    lines = section.split("\n")
    files: set[str] = set()
    for line in lines[1:]:
        if line.startswith("@@"):
            break
        for header in _HEADERS:
            if line.startswith(header):
                files |= _names(line[len(header) :].split("\t", 1)[0])
    words = lines[0].removeprefix("diff --git ")
    middle = len(words) // 2  # both names are the same, or the header lines have them
    return files | _names(words[:middle]) | _names(words[middle + 1 :])


def _names(word: str) -> set[str]:
    name = word.strip().strip('"')
    if not name or name == "/dev/null":
        return set()
    plain = name[2:] if name.startswith(("a/", "b/")) else name
    return {name.strip("/"), plain.strip("/")}
