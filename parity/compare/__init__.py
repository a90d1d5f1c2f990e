"""Compare two runs layer by layer: normalise, align by identity, diff, to a list of differences.

Knows the documents of each layer. Must not know recordings, allowances or pins, as
`parity.gates` does.
"""

from parity.compare.align import align
from parity.compare.diff import Difference, diff_docs
from parity.compare.documents import describe, pointer, same
from parity.compare.normalise import LAYERS, Entry, normalise

__all__ = [
    "LAYERS",
    "Difference",
    "Entry",
    "align",
    "describe",
    "diff_docs",
    "normalise",
    "pointer",
    "same",
]
