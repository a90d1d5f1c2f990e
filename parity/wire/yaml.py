"""YAML files that people write: ruamel's round trip, which is told early of brackets without end.

Knows YAML. Must not know any file. It is slow to import; `parity.wire` does not.
"""

from __future__ import annotations

from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.scanner import RoundTripScanner, ScannerError

DEEPEST = 256
"""Levels of brackets, as of JSON; ruamel's time grows with the square of them."""


def round_trip() -> YAML:
    """A reader and writer that keeps comments and order.

    Reading raises YAMLError, also for too many brackets inside one another, and RecursionError for any other
    nesting that is too deep.
    """
    yaml = YAML()
    yaml.Scanner = _Scanner
    return yaml


class _Scanner(RoundTripScanner):
    def fetch_flow_collection_start(self, *token: Any, **named: Any) -> None:
        """A bracket opens."""
        if self.flow_level >= DEEPEST:
            raise ScannerError(None, None, "nested too deeply", self.reader.get_mark())
        super().fetch_flow_collection_start(*token, **named)
