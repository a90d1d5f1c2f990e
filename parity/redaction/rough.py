"""A rough look: which lines of a file may hold something, so that only those are read closely.

Everything here errs on the side of looking: what it passes over, no rule would find. It is fast because
recordings repeat themselves: a file is taken apart into words, and a word that was harmless once is not
looked at again.
Knows bytes and decoded JSON. Must not decide anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from parity.redaction import kinds
from parity.redaction.values import snake, text_of_base64
from parity.wire import JsonError, decode

_PLACEHOLDER_HOME = rb"(?!(?:user|linuxbrew|Shared|Public|Default)(?:[^\w.+~\x80-\xff-]|\.(?![\w+~-])|$))"
_WORD = re.compile(
    rb"(?m)(?:home|Users)(?:/|%2[fF]|%252[fF]|%5[cC])" + _PLACEHOLDER_HOME + rb"[\w.+~\x80-\xff-]|"
    rb"-(?:home|Users)-(?!user(?![A-Za-z0-9_.]))[A-Za-z0-9_.]|"
    rb"(?:/|%2[fF])root(?![\w-])|tmp(?:/|%2[fF])|(?:/|%2[fF])folders|"
    rb"@(?!example\.(?:com|org|net)(?!\.?[A-Za-z0-9]))[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2}|%40|@[\w.-]+:[~/]|"
    rb"(?:egistry|REGISTRY|ypi|YPI|ythonhosted|rates|olang|ubygems|aven|AVEN)[\w-]*\.[A-Za-z]|"
    rb"://[^\s:/@]+:[^\s:/@]{3,}@|xox[a-z]-|xapp-|AIza|ya29\.|hooks\.slack|sq0csp-|AccountKey="
)
_LONG = re.compile(
    rb"sk-[\w-]{16}|gh[pousr]_\w{20}|github_pat_|gl[a-z]{2,5}-[\w-]{20}|A(?:KIA|SIA|BIA|CCA)[0-9A-Z]{12}|"
    rb"eyJ[\w=-]{8,}\.|(?:npm|hf|gsk|r8|glsa)_\w{20}|(?:xai|pplx|pypi)-[\w-]{20}|"
    rb"k_(?:live|test)_|SG\.[\w-]{16}|"
    rb"A3T[A-Z0-9]{17}|T3BlbkFJ|PuTTY-User-Key|GR1348941|[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27}|"
    rb"\d{8,10}:[\w-]{35}|(?:AC|SK)[a-z0-9]{32}|[0-9a-z]{32}-us\d"
)
"""What only a word of 16 characters or more can be."""

_KEEP = rb"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+/.=@%~:-" + bytes(range(128, 256))
_APART = bytes(byte if byte in _KEEP else 32 for byte in range(256))
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{16,}={0,2}")
_UUID = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")

_ASSIGNED = re.compile(
    rb"(?i)(?:key|token|secret|passw(?:or)?d|passphrase|pwd|credentials?|authorization|cookie)(?:[_-]?id)?[:=]"
)
_CONTEXTS = [
    re.compile(rb"Users\\+(?!(?:user|Public|Default)(?![\w.-]))"),
    re.compile(rb"@[\w.-]+\\u001b"),
]
_BYTES = re.compile(rb"\[[\d,\s]{15,}\]")
_HAS_ESCAPE = re.compile(rb"\\u00[2-7]")
_ESCAPE = re.compile(rb"\\+u00([2-7][0-9a-fA-F])")

_harmless: set[bytes] = set()
_fields: set[bytes] = set()
_MOST = 400_000
"""Words remembered."""


def places(data: bytes) -> tuple[set[int], set[int]]:
    """Offsets in files of JSON lines: of what may be a finding, and of fields that may hold one."""
    odd, fields = _odd_words(data)
    sure = {at for word in odd for at in _places_of(word, data)} | set(_contexts(data, 0))
    likely: set[int] = set()
    for word in fields:
        role = _role_of_word(word)
        for at in _places_of(word, data):
            if _goes_on[role].match(data, at + len(word)):
                (sure if role in _SURE else likely).add(at)
            elif (
                role == _STRING
                and _VARIABLE.search(data, max(0, at - 24), at)
                and _is_near(b"alue", data, at)
            ):
                likely.add(at)
    return sure, likely


def may_hold(data: bytes, depth: int = 0) -> bool:
    """Whether a text may hold a finding."""
    odd, fields = _odd_words(data)
    if odd or any(True for _ in _contexts(data, depth)):
        return True
    roles = ((word, _role_of_word(word)) for word in fields)
    return any(
        _goes_on[role].match(data, at + len(word)) for word, role in roles for at in _places_of(word, data)
    )


def _places_of(word: bytes, data: bytes) -> Iterator[int]:
    at = data.find(word)
    while at >= 0:
        if _is_apart(data, at - 1) and _is_apart(data, at + len(word)):
            yield at
        at = data.find(word, at + 1)


def _is_near(word: bytes, data: bytes, at: int) -> bool:
    return data.find(word, max(0, at - _NEAR), at + _NEAR) >= 0


def _contexts(data: bytes, depth: int) -> Iterator[int]:
    """Offsets of what takes more than a word to tell."""
    for pattern in _CONTEXTS:
        for found in pattern.finditer(data):
            yield found.start()
    for found in _BYTES.finditer(data) if depth < 3 else ():
        numbers = [int(number) for number in found[0][1:-1].split(b",") if number.strip().isdigit()]
        if len(numbers) > 7 and max(numbers) < 256 and may_hold(bytes(numbers), depth + 1):
            yield found.start()
    if depth < 3 and (b"\\/" in data or _HAS_ESCAPE.search(data)):
        yield from _unescaped(data)


def _is_apart(data: bytes, at: int) -> bool:
    return not 0 <= at < len(data) or _APART[data[at]] == 32


def _unescaped(data: bytes) -> Iterator[int]:
    """The same for a text whose letters are written as escapes. Places are those of its lines."""
    at = 0
    for line in data.split(b"\n"):
        if b"\\/" in line or _HAS_ESCAPE.search(line):
            plain = _ESCAPE.sub(lambda found: bytes((int(found[1], 16),)), re.sub(rb"\\+/", b"/", line))
            if may_hold(plain, 3):
                yield at
        at += len(line) + 1


def _odd_words(data: bytes) -> tuple[list[bytes], list[bytes]]:
    """The words that may be something by themselves, and those that name a field which may hold something."""
    new = set(data.translate(_APART).split()) - _harmless
    fields = list(new & _fields)
    listed = list(new.difference(fields))
    long = [word for word in listed if len(word) > 15]
    odd = [word for word in long if _may_be_base64(word)]
    assigned = [word for word in listed if b"=" in word or b":" in word]
    for pattern, words in ((_WORD, listed), (_ASSIGNED, assigned), (_LONG, long)):
        if pattern.search(b"\n".join(words)):
            odd += [word for word in words if pattern.search(word)]
    named = [word for word in listed if _role_of_word(word) != _PLAIN]
    if len(_harmless) > _MOST:
        _harmless.clear()
        _fields.clear()
    _harmless.update(new.difference(odd, named, fields))
    _fields.update(set(named).difference(odd))
    return odd, fields + named


def _may_be_base64(word: bytes) -> bool:
    for run in _BASE64.findall(word):
        if _UUID.fullmatch(run):
            continue
        for begin in (0, 1):
            text = text_of_base64(run[begin:].decode())
            if text is not None and may_hold(text.encode(), 3):
                return True
    return False


# -- structure -------------------------------------------------------------------------------------------

_ENVIRONMENT, _STRING, _PROMPT, _ROLE, _LIST, _NAMED, _BEARER, _BLOCK, _PLAIN = range(1, 10)
_NEAR = 400
"""Bytes between the name and the value of a variable."""

_SURE = (_STRING, _BEARER, _BLOCK)
_roles: dict[str, int] = {}
_WORDS = {"bearer": _BEARER, "private": _BLOCK}
_JOINS = re.compile(rb"[./=@%~:+]")
_VARIABLE = re.compile(rb"ame\\*\"\s*:\s*\\*\"$")
_SPACE = rb"(?:\s|\\+[nrt])*"
_goes_on = {
    _BEARER: re.compile(_SPACE + rb"[A-Za-z0-9._~+/=-]{12}"),
    _BLOCK: re.compile(rb" KEY"),
    _STRING: re.compile(
        rb"\\*[\"']?" + _SPACE + rb"(?:=>|[:=])" + _SPACE + rb"(?:\\*[\"']?(?!(?:user|host|none)\\*[\"'])"
        rb"[^\s\"'\\,;&<>(){}\[\]|`$*]{3}|\d{4})"
    ),
}
_goes_on |= {
    role: re.compile(rb"\\*\"\s*:\s*" + value)
    for role, value in (
        (_ENVIRONMENT, rb"[\[{]\s*[^\]}\s]"),
        (_PROMPT, rb"[\[{\\\"]"),
        (_ROLE, rb"\\*\"(?:system|developer)"),
        (_LIST, rb"(?:\[\s*[^\]\s]|\\*\")"),
    )
}
"""What stands behind the name of a field that may hold something."""

_ORDINARY = {"options": _LIST, "data": _LIST, "name": _NAMED}
"""Fields found everywhere: what they may hold shows by another word in the same object."""


def is_odd(value: Any) -> bool:
    """Whether a decoded JSON value holds a field that may have to go because of its name."""
    stack = [value]
    while stack:
        holder = stack.pop()
        if isinstance(holder, dict):
            for name, inner in holder.items():
                role = _ORDINARY.get(name) or _roles.get(name) or _role(name)
                if role != _PLAIN and _is_suspect(role, inner, holder):
                    return True
            stack += holder.values()
        elif isinstance(holder, list):
            stack += holder
        elif isinstance(holder, str) and len(holder) > 8 and holder.lstrip()[:1] in ("{", "[", '"'):
            stack.append(_decoded(holder))
        elif (
            isinstance(holder, str)
            and len(holder) > 8
            and ('\\"' in holder or "\n{" in holder or "\n[" in holder)
        ):
            return True
    return False


def _decoded(text: str) -> Any:
    try:
        return decode(text)
    except JsonError:
        return None


def _role_of_word(word: bytes) -> int:
    """The role of a word as a field's name: its last part, for a text may join it to others."""
    tail = _JOINS.split(word)[-1]
    if not tail[-1:].isalpha() or len(tail) > 40 or not tail.replace(b"_", b"").replace(b"-", b"").isalnum():
        return _PLAIN
    name = tail.decode()
    role = _WORDS.get(name.lower()) or _role(name)
    if role == _PLAIN and name[0] in "nrt" and len(name) > 3:  # an escape's letter sticks to it
        role = _role(name[1:])
    return role if role in _goes_on else _PLAIN


def _role(name: str) -> int:
    """What a field may hold, by its name; a word that gives an ordinary field away counts too."""
    role = _roles.get(name)
    if role is None:
        role = _role_of(name.lower(), name)
        if len(_roles) > _MOST:
            _roles.clear()
        _roles[name] = role
    return role


def _role_of(lower: str, name: str) -> int:
    if lower in kinds.ENVIRONMENT_FIELDS:
        return _ENVIRONMENT
    if name == "role":
        return _ROLE
    if lower in kinds.PROMPTS:
        return _PROMPT
    if lower in kinds.CATALOGUES or name in ("currentValue", "data"):
        return _LIST
    exact = (kinds.AUTHORIZATION_FIELDS, kinds.ID_FIELDS, kinds.HOST_FIELDS, kinds.USER_FIELDS)
    if any(lower in names for names in exact) or kinds.SECRET_FIELD.search(snake(name)):
        return _PLAIN if lower in kinds.PROTOCOL_TOKENS else _STRING
    return _PLAIN


def _is_suspect(role: int, value: Any, holder: dict[str, Any]) -> bool:
    if role == _STRING:
        return (
            isinstance(value, str | int) and value not in ("", kinds.USER, kinds.HOST) and value is not True
        )
    if role == _LIST:
        return isinstance(value, list) and (len(value) > kinds.CATALOGUE_MOST or _has_long_text(value))
    if role == _ROLE:
        return value in ("system", "developer")
    if role == _PROMPT:
        return isinstance(value, str | dict | list) and _has_long_text(value, kinds.PROMPT_MOST)
    if role == _NAMED:
        return "value" in holder and isinstance(value, str) and _role(value) == _STRING
    return bool(value) and isinstance(value, dict | list) and not _all_allowed(value)


def _all_allowed(variables: Any) -> bool:
    if isinstance(variables, dict):
        return all(kinds.ENVIRONMENT_ALLOWED.fullmatch(str(name)) for name in variables)
    return all(
        isinstance(item, dict) and kinds.ENVIRONMENT_ALLOWED.fullmatch(str(item.get("name")))
        for item in variables
    )


def _has_long_text(value: Any, most: int = kinds.CATALOGUE_TEXT_MOST) -> bool:
    if isinstance(value, str):
        return len(value) > most
    if isinstance(value, dict):
        return any(_has_long_text(inner, most) for inner in value.values())
    return isinstance(value, list) and any(_has_long_text(inner, most) for inner in value)
