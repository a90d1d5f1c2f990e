"""Patterns: what can be told from a text alone, whoever's machine it came from.

Each rule finds spans in a text and says of which kind they are. Knows texts. Must not know JSON, recordings,
nor whose names to look for (see `known`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, TypeAlias

from msgspec import Struct

from parity.redaction.kinds import EMAIL, HOST, REGISTRY, SECRET_FIELD, USER
from parity.redaction.values import PLACEHOLDER, is_random_name, looks_secret, snake


class Match(Struct):
    """A span of a text that must go."""

    start: int
    end: int
    kind: str
    value: str
    new: str | None = None
    """What stands there instead; None leaves it to the ledger."""
    crosses: bool = False
    """Whether it may reach over a gap in a stream (see `streams`)."""


Rule: TypeAlias = Callable[[str], Iterator[Match]]

_S = r"(?:\\{0,8}/|%2[fF]|%252[fF])"
_FREE = (
    r"(?:(?<![\w.~%$}-])|(?<=[\\][nrt])|(?<=\[0m)|(?<=\[\d\dm)|(?<=;\d\dm)|(?<=-[ILDFC])|(?<=\b[ab])|"
    r"(?<=%2[fF]))"
)
"""Where a path may begin: behind no word, or behind what only looks like one (a colour, `-I`, `a/`)."""

_NAME = r"[\w.+~-]"
_END = rf"(?=\.?(?!{_NAME}))"

_PERSON_HOME = re.compile(
    rf"{_FREE}(?:(?:{_S}mnt)?{_S}[a-z]|{_S}(?:var|export|data|usr|System{_S}Volumes{_S}Data))?"
    rf"{_S}(?:home|Users){_S}(?!(?:user|linuxbrew|Shared){_END})({_NAME}+?){_END}"
)
_WINDOWS_HOME = re.compile(
    r"(?<![A-Za-z])[A-Za-z](?::|%3[aA])(?:\\{1,8}|/|%5[cC])Users(?:\\{1,8}|/|%5[cC])"
    r"(?!(?:user|Public|Default)(?![\w.-]))"
    r"([^\\/:*?\"<>|\r\n\s%]+(?: [^\\/:*?\"<>|\r\n\s%]+){1,3}(?=\\|/)|[^\\/:*?\"'<>|\s%,;)]+)"
)
_DASHED_HOME = re.compile(
    r"(?<![\w.-])-(?:home|Users)-(?!user(?![A-Za-z0-9_.]))([A-Za-z0-9_.]+)(?=-|$|[/\"'\s])"
)
_ROOT_HOME = re.compile(rf"{_FREE}(?:(?<![/*])|(?<=file://))({_S})root(?=$|[\\/\s\"'`:;,)\]}}>%]|\.(?!\w))")
_DARWIN_TEMPORARY = re.compile(rf"(?:{_S}private)?{_S}var{_S}folders{_S}\w+{_S}\w+(?:{_S}[TC0X]\b)?")
_TEMPORARY = re.compile(rf"(?:{_FREE}|{_S}(?:private|var)){_S}tmp{_S}({_NAME}+?){_END}")
_PROMPT = re.compile(
    r"(?m)(?:^|[\s\[(]|\[\d\dm)(?!user@host[:\s])([\w.-]+@[\w.-]+)(?=(?:\x1b\[[\d;]*m)*:(?:\x1b\[[\d;]*m)*[~/][^\s$#]*[$#])"
)

_TOKEN = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"sk-(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|"
    r"gl[a-z]{2,5}-[A-Za-z0-9_-]{20,}|(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{12,20}(?![A-Za-z0-9])|"
    r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?|"
    r"xox[a-z]-(?=[A-Za-z-]*\d)[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{10,}|AIza[0-9A-Za-z_-]{30,}|ya29\.[0-9A-Za-z_-]{20,}|"
    r"(?:npm|hf|gsk|r8|glsa)_(?=[A-Za-z]*\d)[A-Za-z0-9_]{20,}|(?:xai|pplx|pypi)-(?=[A-Za-z]*\d)[A-Za-z0-9_-]{20,}|"
    r"[rsp]k_(?:live|test)_[0-9A-Za-z]{16,}|SG\.[\w-]{16,}\.[\w-]{16,})"
)
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?!redacted)([\s\S]*?)"
    r"(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\Z)"
)
_HEADER = re.compile(
    r"(?i)(?<![\w-])(?:proxy-)?authorization\\*[\"']?\s*[:=]\s*\\*[\"']?(?:(?:bearer|basic|token|digest|negotiate)\s+)?"
    r"([^\s\"'\\,;]{6,})|(?<![\w-])(?:x-api-key|x-goog-api-key|x-auth-token)\\*[\"']?\s*[:=]\s*\\*[\"']?([^\s\"'\\,;]{6,})|"
    r"(?<![\w-])(?:set-)?cookie\\*[\"']?\s*:\s*\\*[\"']?(?=[\w.-]+=)([^\r\n\"'\\]{6,})|"
    r"(?<![\w-])bearer\s+([A-Za-z0-9._~+/=-]{12,})"
)
_ASSIGNMENT = re.compile(
    r"(?i)((?:key|token|secret|passw(?:or)?d|passphrase|pwd|credentials?)(?:[_-]?id)?)\\*[\"']?"
    r"\s*(?:=>|[:=])\s*\\*[\"']?([^\s\"'\\,;&<>(){}\[\]|`]{6,})"
)
_NAME_BEFORE = re.compile(r"[A-Za-z0-9_-]*$")
_URL_PASSWORD = re.compile(r"://[^\s:/@\"'\\?#]+:([^\s:/@\"'\\]{3,})@")
_EMAIL = re.compile(
    r"(?<![A-Za-z0-9._%+-])([A-Za-z0-9._%+-]{1,64})(?:@|%40)((?:[A-Za-z0-9-]+\.)+([A-Za-z]{2,24}))(?![A-Za-z0-9-])"
)
_NO_PERSON = frozenset(("git", "hg", "noreply", "no-reply"))
_NO_DOMAIN = frozenset(
    (
        "png",
        "jpg",
        "jpeg",
        "gif",
        "svg",
        "webp",
        "ico",
        "js",
        "mjs",
        "cjs",
        "ts",
        "tsx",
        "jsx",
        "py",
        "pyc",
        "md",
        "json",
        "css",
        "html",
        "txt",
        "sh",
        "yaml",
        "yml",
        "toml",
    )
)
_RESERVED = re.compile(r"(?i)(?:.*\.)?(?:example\.(?:com|org|net)|\w+\.(?:test|invalid|example|localhost))")
_REGISTRY = re.compile(
    r"(?i)\b(?:registry\.(?:npmjs|yarnpkg|npmmirror)\.(?:org|com)|(?:test\.)?pypi\.(?:org|python\.org)|"
    r"files\.pythonhosted\.org|(?:static\.)?crates\.io|index\.crates\.io|proxy\.golang\.org|rubygems\.org|"
    r"repo1?\.maven\.(?:apache\.)?org|registry-1\.docker\.io)\b"
)
_ANCHOR = re.compile(
    r"A3T[A-Z0-9]{17}|aws.{0,20}(?:key|pwd|pw|pass|token)|T3BlbkFJ|hooks\.slack\.com/services/T|eyJ[\w=-]+\.[\w=-]+|"
    r"_authToken=|PuTTY-User-Key|GR1348941|[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27}|\b\d{8,10}:[\w-]{35}|"
    r"\b(?:AC|SK)[a-z0-9]{32}|\b[0-9a-z]{32}-us\d|sq0csp-|AccountKey="
)


def known_free(text: str) -> bool:
    """Whether a value holds a placeholder already, or only refers to a secret (`$TOKEN`, `<token>`)."""
    return PLACEHOLDER.search(text) is not None or text[:1] in "$<{%*[("


def _private_keys(text: str) -> Iterator[Match]:
    if "PRIVATE KEY" in text:
        for found in _PRIVATE_KEY.finditer(text):
            if len(found[1].strip("\\nr \n\r")) > 8 and not PLACEHOLDER.search(found[1]):
                yield Match(found.start(1), found.end(1), "token", found[1])


def _tokens(text: str) -> Iterator[Match]:
    for found in _TOKEN.finditer(text):
        yield Match(found.start(), found.end(), "token", found[0], crosses=True)
    for found in _URL_PASSWORD.finditer(text) if "://" in text else ():
        if not known_free(found[1]):
            yield Match(found.start(1), found.end(1), "token", found[1])


def _assignments(text: str) -> Iterator[Match]:
    for found in _ASSIGNMENT.finditer(text):
        before = _NAME_BEFORE.search(text, max(0, found.start() - 64), found.start())
        name, value = snake((before[0] if before else "") + found[1]), found[2].rstrip(".:!?")
        if SECRET_FIELD.search(name) and looks_secret(value, name):
            yield Match(found.start(2), found.start(2) + len(value), "token", value)


def _headers(text: str) -> Iterator[Match]:
    for found in _HEADER.finditer(text):
        group = found.lastindex or 1
        value = found[group]
        words = value.strip(".-:").replace("-", "").isalpha() and (len(value) < 20 or value.islower())
        scheme = group == 1 and found[0][: found.start(1) - found.start()].rstrip()[-1:].isalpha()
        if not known_free(value) and (scheme or group == 3 or not words):
            yield Match(found.start(group), found.end(group), "authorization", value)


def _emails(text: str) -> Iterator[Match]:
    if "@" not in text and "%40" not in text:
        return
    for found in _EMAIL.finditer(text):
        if found[1].lower() in _NO_PERSON or found[3].lower() in _NO_DOMAIN or _RESERVED.fullmatch(found[2]):
            continue
        new = EMAIL if "@" in found[0] else EMAIL.replace("@", "%40")
        yield Match(found.start(), found.end(), "email", found[0], new, crosses=True)


def _machine_paths(text: str) -> Iterator[Match]:
    for pattern in (_PERSON_HOME, _WINDOWS_HOME, _DASHED_HOME):
        for found in pattern.finditer(text):
            yield Match(found.start(1), found.end(1), "path", found[0], USER)
    for found in _ROOT_HOME.finditer(text) if "root" in text else ():
        yield Match(found.start(), found.end(), "path", found[0], f"{found[1]}home{found[1]}user")
    for found in _DARWIN_TEMPORARY.finditer(text) if "folders" in text else ():
        yield Match(found.start(), found.end(), "path", found[0], "/tmp")
    for found in _TEMPORARY.finditer(text):
        if is_random_name(found[1]):
            yield Match(found.start(1), found.end(1), "path", found[1])


def _prompts(text: str) -> Iterator[Match]:
    for found in _PROMPT.finditer(text) if "@" in text else ():
        yield Match(found.start(1), found.end(1), "host", found[1], f"{USER}@{HOST}")


def _registries(text: str) -> Iterator[Match]:
    for found in _REGISTRY.finditer(text):
        yield Match(found.start(), found.end(), "registry", found[0], REGISTRY)


def _second_opinion(text: str) -> Iterator[Match]:
    """What detect-secrets knows beyond the patterns above; loaded for the first text that may hold some."""
    if _ANCHOR.search(text) is None:
        return
    for word in re.split(r"[\s\"'\\]+", text):
        for plugin in _plugins() if _ANCHOR.search(word) else ():
            for secret in plugin.analyze_string(word):
                at = text.find(secret) if isinstance(secret, str) and secret else -1
                while at >= 0 and not known_free(secret):
                    yield Match(at, at + len(secret), "token", secret)
                    at = text.find(secret, at + 1)


@cache
def _plugins() -> tuple[Any, ...]:
    from detect_secrets.plugins import (
        aws,
        azure_storage_key,
        basic_auth,
        discord,
        github_token,
        gitlab_token,
        jwt,
        mailchimp,
        npm,
        openai,
        pypi_token,
        sendgrid,
        slack,
        square_oauth,
        stripe,
        telegram_token,
        twilio,
    )

    return (
        aws.AWSKeyDetector(),
        azure_storage_key.AzureStorageKeyDetector(),
        basic_auth.BasicAuthDetector(),
        discord.DiscordBotTokenDetector(),
        github_token.GitHubTokenDetector(),
        gitlab_token.GitLabTokenDetector(),
        jwt.JwtTokenDetector(),
        mailchimp.MailchimpDetector(),
        npm.NpmDetector(),
        openai.OpenAIDetector(),
        pypi_token.PypiTokenDetector(),
        sendgrid.SendGridDetector(),
        slack.SlackDetector(),
        square_oauth.SquareOAuthDetector(),
        stripe.StripeDetector(),
        telegram_token.TelegramBotTokenDetector(),
        twilio.TwilioKeyDetector(),
    )


RULES: tuple[Rule, ...] = (
    _private_keys,
    _tokens,
    _headers,
    _assignments,
    _emails,
    _machine_paths,
    _prompts,
    _registries,
    _second_opinion,
)
"""All of them, the surest first: where two of one length overlap, the first one counts."""
