"""What a single value looks like: a secret, a placeholder, a random name, a text in disguise."""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections import Counter

PLACEHOLDER = re.compile(r"redacted-(?:token|env|id|tmp)-\d+|0{8}-0000-4000-8000-\d{12}")
"""What stands for a value of which there may be several. A UUID stands for a UUID."""

_SECRET = re.compile(r"[A-Za-z0-9+/=_.~:!@#%^*-]+")
_WORDS = re.compile(r"[A-Za-z]{1,24}|\d{1,8}|")
_UNSAID = re.compile(
    r"[$<{(\[*]|%[({s]|x{4,}|\.{3,}|(?i:none|null|true|false|undefined|your[_-]|example|redacted|mock|dummy)"
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_RANDOM = re.compile(
    r"tmp[\w-]*\d[\w-]*|tmp[a-z0-9_]{8}|tmp\.\w{6,}|[\w.-]*[.-](?=[A-Za-z]*\d|[a-z]*[A-Z]+[a-z])[A-Za-z0-9]{5,}|"
    r"(?=[a-z]*\d)[0-9a-z]{6,}|[\w-]*[0-9a-f]{8}[\w-]*|pytest-of-[\w.-]+"
)
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ud800-\udfff]")


_STANDS_IN = re.compile(r"redacted(?:-(?:[a-z]*(?:-\d*)?)?)?|0{8}-0000-4000-8000-\d{12}")


def is_placeholder(value: str) -> bool:
    """Whether the whole value is a placeholder, or the beginning of one (of a text that was cut off)."""
    return _STANDS_IN.fullmatch(value) is not None


def snake(name: str) -> str:
    """`apiKey`, `API-KEY` → `api_key`: the name of a field as the rules know it."""
    return _CAMEL.sub("_", name).replace("-", "_").lower()


def looks_secret(value: str, field: str) -> bool:
    """Whether the value of a field named like a secret's is one.

    A password is 6 characters or more that are no plain word; anything else 12 or more with letters and
    digits mixed and at least 3 bits a character. A path, a URL, a name made of words and numbers, a reference
    like `$TOKEN` and a placeholder are none.
    """
    if (
        PLACEHOLDER.search(value)
        or _UNSAID.match(value)
        or value.startswith(("/", "~", "./"))
        or "://" in value
    ):
        return False
    if not _SECRET.fullmatch(value):
        return False
    if snake(field).endswith(("password", "passwd", "passphrase", "pwd")):
        return len(value) >= 6 and not value.isalpha()
    if len(value) < 12 or value.isdigit() or (value.isalpha() and entropy(value) < 3.5):
        return False
    if all(_WORDS.fullmatch(part) for part in re.split(r"[-_.:/@]", value)):
        return False
    return entropy(value) >= 3.0


def entropy(value: str) -> float:
    """Shannon entropy, in bits a character."""
    total = len(value)
    return -sum(n / total * math.log2(n / total) for n in Counter(value).values())


def is_random_name(name: str) -> bool:
    """Whether a name in a folder for temporary files was made up by a program."""
    return _RANDOM.fullmatch(name) is not None and PLACEHOLDER.fullmatch(name) is None


def text_of_bytes(data: bytes) -> str | None:
    """The text that bytes hold (a broken first or last character is kept as surrogates); None for no text."""
    text = data.decode("utf-8", "surrogateescape")
    return None if len(_UNPRINTABLE.findall(text)) > 6 else text


def bytes_of_text(text: str) -> bytes:
    """Back again."""
    return text.encode("utf-8", "surrogateescape")


def text_of_base64(value: str) -> str | None:
    """The text that base64 (either alphabet, padded or not) holds; None where it holds none."""
    plain = value.rstrip("=").replace("-", "+").replace("_", "/")
    if len(plain) % 4 == 1:
        return None
    try:
        data = base64.b64decode(plain + "=" * (-len(plain) % 4))
        text = data.decode()
    except (binascii.Error, ValueError):
        return None
    return None if _UNPRINTABLE.search(text) else text


def base64_of_text(text: str, before: str) -> str:
    """Base64 in the manner of the one it replaces: its alphabet and its padding."""
    made = base64.b64encode(text.encode()).decode()
    if "-" in before or "_" in before:
        made = made.replace("+", "-").replace("/", "_")
    return made if before.endswith("=") or len(before) % 4 == 0 else made.rstrip("=")
