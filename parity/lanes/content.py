"""What every lane does to values before they reach an item: scrub data URLs, bound the size, join paths.

Pure functions over JSON values; no protocol, no provider.
"""

from __future__ import annotations

import posixpath
import re
from typing import Any

from parity.wire.json import JsonError, encode

BOUND = 64 * 1024
"""Bytes of JSON or text an argument or result may hold before it becomes rendered, truncated text."""

DEPTH = 100
"""Levels of objects and arrays a value may have before what is below becomes rendered text."""

_DATA_URL = re.compile(r"data:([A-Za-z0-9.+/-]+)?((?:;[A-Za-z0-9=._-]+)*);base64,([A-Za-z0-9+/=_-]*)")
_WINDOWS = re.compile(r"^[A-Za-z]:[\\/]")


def scrub(value: Any, depth: int = DEPTH) -> Any:
    """The value with the payload of each base64 data URL replaced by its size, in every string.

    What lies more than `depth` levels deep becomes text, so that no reader of rows can run out of stack.
    """
    if isinstance(value, str):
        return _DATA_URL.sub(_placeholder, value) if ";base64," in value else value
    if isinstance(value, dict):
        if depth == 0:
            return scrub(_rendered(value))
        below = depth - 1
        return {
            key if ";base64," not in key else scrub(key): scrub(item, below) for key, item in value.items()
        }
    if isinstance(value, list):
        return [scrub(item, depth - 1) for item in value] if depth else scrub(_rendered(value))
    return value


def _rendered(value: Any) -> str:
    try:
        return encode(value).decode()
    except JsonError:
        return f"[{type(value).__name__} nested too deeply to show]"


def _placeholder(match: re.Match[str]) -> str:
    size = len(match[3].rstrip("=")) * 3 // 4
    return f"data:{match[1] or ''}{match[2]};base64,[{size} bytes]"


def bound(value: Any) -> Any:
    """The value scrubbed; over `BOUND` bytes it becomes text with a marker that says how much is gone."""
    value = scrub(value)
    if value is None or isinstance(value, (bool, int, float)):
        return value
    data = value.encode() if isinstance(value, str) else encode(value)
    if len(data) <= BOUND:
        return value
    kept = data[:BOUND].decode("utf-8", "ignore")
    gone = len(data) - len(kept.encode())
    return f"{kept}\n[truncated: {gone} more bytes]"


def bound_text(text: str) -> str:
    """A text scrubbed and bounded like any value."""
    if len(text) * 4 <= BOUND and ";base64," not in text:
        return text
    return str(bound(text))


def resolve(path: str, cwd: str | None) -> str:
    """The path made absolute against the session's cwd; never against a process's (situation S51).

    Absolute paths (POSIX, Windows, URIs, `~`) and paths of a session without cwd stay as they are, but
    for `.` and `..` segments of a joined one.
    """
    if not cwd or path.startswith(("/", "~", "\\\\")) or "://" in path or _WINDOWS.match(path) is not None:
        return path
    if _WINDOWS.match(cwd) is not None:
        base = cwd.rstrip("/\\")
        return f"{base}\\{path}" if path not in (".", "") else cwd
    return posixpath.normpath(posixpath.join(cwd, path))
