"""What a recorder knows of its own machine: folders and names, and every way in which they are written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import quote

from msgspec import Struct
from msgspec.structs import replace

from parity.redaction.kinds import COMMON_NAMES, HOME, HOST, SHORTEST_NAME, USER, WORKSPACE
from parity.redaction.texts import Match


class Known(Struct, kw_only=True, frozen=True):
    """What to look for besides the patterns. Absent means that nothing is known.

    `names`: further names of users; `paths`: further folders and what stands for each; `secrets`: values that
    must go wherever they stand.
    """

    home: str | None = None
    workspace: str | None = None
    user: str | None = None
    host: str | None = None
    names: tuple[str, ...] = ()
    paths: dict[str, str] = {}
    secrets: list[str] = []


def this_machine(workspace: str | None = None) -> Known:
    """What this machine says of itself."""
    import getpass
    import socket

    try:
        user = getpass.getuser()
    except (OSError, KeyError):
        user = None
    return Known(home=str(Path.home()), workspace=workspace, user=user, host=socket.gethostname() or None)


def learned(known: Known, lines: Iterable[str]) -> Known:
    """`known`, and the names of those in whose home folders the recorded sessions worked (their `cwd`)."""
    names = {name for line in lines if "cwd" in line for name in _CWD.findall(line)}
    return replace(
        known, names=(*known.names, *sorted(name for name in names if name not in (USER, known.user)))
    )


_CWD = re.compile(r"\"cwd\\*\"\s*:\s*\\*\"(?:[A-Za-z]:)?[/\\]+(?:home|Users)[/\\]+([\w.-]+)")


def is_common(name: str) -> bool:
    """Whether a name is no name as a word: too short, or a word that agents and protocols use."""
    return len(name) < SHORTEST_NAME or name.lower() in COMMON_NAMES or name.isdigit()


class KnownTexts:
    """A rule for the folders and the names of one machine."""

    def __init__(self, known: Known) -> None:
        self._paths: dict[str, str] = {}
        firm: list[str] = []
        loose: list[str] = []
        bare: list[str] = []
        for path, new in _folders(known):
            for text, instead in _written(path, new):
                if text in self._paths:
                    continue
                self._paths[text] = instead
                single = path.strip("/\\").count("/") == 0 and path.count("\\") < 2
                (bare if single else firm if path == known.home else loose).append(text)
        self._patterns = [
            re.compile(before + f"(?:{_any(texts)})" + after)
            for before, texts, after in (
                ("", loose, r"(?![A-Za-z0-9])"),
                ("", firm, r"(?![A-Za-z0-9_-]|\.\w)"),
                (r"(?:(?<![\w.~*/-])|(?<=file://)|(?<=[\\][nrt]))", bare, r"(?![A-Za-z0-9_-]|\.\w)"),
            )
            if texts
        ]
        self._names = list(_names(known))

    def __call__(self, text: str) -> Iterator[Match]:
        """The spans of a text that name this machine's folders, its user and its host."""
        for pattern in self._patterns:
            for found in pattern.finditer(text):
                value = found[0]
                yield Match(found.start(), found.end(), "path", value, self._paths[value], crosses=True)
        for kind, pattern, new in self._names:
            for found in pattern.finditer(text):
                yield Match(found.start(1), found.end(1), kind, found[1], new)


def _any(texts: list[str]) -> str:
    return "|".join(re.escape(text) for text in sorted(texts, key=len, reverse=True))


def _folders(known: Known) -> Iterator[tuple[str, str]]:
    named = [(known.workspace, WORKSPACE), (known.home, HOME), *known.paths.items()]
    for path, new in named:
        path = (path or "").rstrip("/\\")
        if (
            len(path) < 3
            or path in (HOME, WORKSPACE, "/home", "/Users", "/tmp", "/var", "/usr")
            or path == new
        ):
            continue
        yield path, new
        if path.startswith("/private/"):
            yield path.removeprefix("/private"), new
        elif path.startswith(("/var/", "/tmp/")):
            yield "/private" + path, new


def _written(path: str, new: str) -> Iterator[tuple[str, str]]:
    """Each way to write a path, with the placeholder written the same way."""
    yield path, new
    yield path.replace("/", "\\/"), new.replace("/", "\\/")
    yield json.dumps(path)[1:-1], new
    yield json.dumps(path, ensure_ascii=False)[1:-1], new
    if "\\" in path:
        drive, rest = path[0], path[2:].replace("\\", "/")
        yield path.replace("\\", "/"), new
        for root in (f"/mnt/{drive.lower()}", f"/{drive.lower()}"):
            yield root + rest, new
    for safe in ("", "/"):
        once = quote(path, safe=safe, errors="replace")
        yield once, quote(new, safe=safe, errors="replace")
        yield (
            re.sub("%[0-9A-F]{2}", lambda code: code[0].lower(), once),
            quote(new, safe=safe, errors="replace").replace("%2F", "%2f"),
        )
        yield (
            quote(once, safe=safe, errors="replace"),
            quote(quote(new, safe=safe, errors="replace"), safe=safe, errors="replace"),
        )
    if path.strip("/").count("/"):
        for pattern in ("[/\\\\:]", "[^A-Za-z0-9-]"):
            yield re.sub(pattern, "-", path), new.replace("/", "-")


_BEFORE = r"(?:(?<![A-Za-z0-9])|(?<=%2[fF])|(?<=[\\][nrt])|(?<=\[0m)|(?<=\[\d\dm)|(?<=;\d\dm))"


def _names(known: Known) -> Iterator[tuple[str, re.Pattern[str], str]]:
    hosts = {known.host or "", (known.host or "").split(".")[0]}
    users = {known.user or "", *known.names}
    for kind, names, new in (("user", users, USER), ("host", hosts, HOST)):
        for name in sorted(names - {"", new}, key=len, reverse=True):
            word = re.escape(name)
            if not is_common(name):
                yield kind, re.compile(f"{_BEFORE}({word})(?![A-Za-z0-9])", re.IGNORECASE), new
            elif kind == "user":
                yield kind, re.compile(rf"{_BEFORE}({word})(?=@(?!example\.)[A-Za-z0-9])"), new
            else:
                yield kind, re.compile(rf"(?<=[A-Za-z0-9]@)({word})(?![A-Za-z0-9.])"), new
