"""Redaction: what is personal or secret in a recording, taken out of it, and the sweep that proves it.

The names below are imported when they are first used: a check that finds nothing odd needs few of the rules.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from parity.redaction.known import Known, this_machine
    from parity.redaction.redactor import redact
    from parity.redaction.sweeping import Finding, survivors, sweep

__all__ = ["Finding", "Known", "redact", "survivors", "sweep", "this_machine"]

_HOMES = {
    "Known": "known",
    "this_machine": "known",
    "redact": "redactor",
    "Finding": "sweeping",
    "survivors": "sweeping",
    "sweep": "sweeping",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
