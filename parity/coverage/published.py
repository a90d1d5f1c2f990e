"""The published vocabularies: what a protocol may say, with instances of its messages.

The files in `vocabulary/` are made by `scripts/coverage_vocabulary.py` from what each protocol or agent
publishes: category → name → instances. A name without instances is a word inside a message, like a status.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any, TypeAlias

from parity.coverage.model import PROTOCOLS
from parity.wire import decode

Vocabulary: TypeAlias = dict[str, dict[str, list[Any]]]
"""Category → name → instances."""


@cache
def vocabulary(protocol: str) -> Vocabulary:
    """The vocabulary of one of `PROTOCOLS`."""
    if protocol not in PROTOCOLS:
        raise ValueError(f"unknown protocol {protocol!r}; there are {', '.join(PROTOCOLS)}")
    file = resources.files("parity.coverage") / "vocabulary" / f"{protocol}.json"
    found: Vocabulary = decode(file.read_bytes())
    return found
