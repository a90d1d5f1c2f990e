"""The wire: JSON text, lines, lane files and recorded cells. Everything above reads them from here.

Knows bytes, files and the recording format. Must not know what any message means.
"""

from parity.wire.errors import InputError
from parity.wire.framing import (
    MAX_LINE_BYTES,
    LineSplitter,
    LineTooLong,
    read_ndjson,
    write_atomic,
    write_atomic_bytes,
)
from parity.wire.json import JsonError, decode, decode_counted, decode_with, encode
from parity.wire.lane_file import (
    BRIDGE_TO_PROVIDER,
    BRIDGE_TO_RUNTIME,
    LANES,
    PROVIDER_TO_BRIDGE,
    RUNTIME_TO_BRIDGE,
    LaneLine,
    lane_file_name,
    read_lane,
    write_lane,
)
from parity.wire.manifest import (
    MANIFEST_FILE,
    Agent,
    Ignored,
    Manifest,
    cell_name_problem,
    check_cell_name,
    load_manifest,
    save_manifest,
)
from parity.wire.recording import PINS, REGRESSIONS, Cell, cell_keys, create_cell, find_cells, open_cell

__all__ = [
    "BRIDGE_TO_PROVIDER",
    "BRIDGE_TO_RUNTIME",
    "LANES",
    "MANIFEST_FILE",
    "MAX_LINE_BYTES",
    "PINS",
    "PROVIDER_TO_BRIDGE",
    "REGRESSIONS",
    "RUNTIME_TO_BRIDGE",
    "Agent",
    "Cell",
    "Ignored",
    "InputError",
    "JsonError",
    "LaneLine",
    "LineSplitter",
    "LineTooLong",
    "Manifest",
    "cell_keys",
    "cell_name_problem",
    "check_cell_name",
    "create_cell",
    "decode",
    "decode_counted",
    "decode_with",
    "encode",
    "find_cells",
    "lane_file_name",
    "load_manifest",
    "open_cell",
    "read_lane",
    "read_ndjson",
    "save_manifest",
    "write_atomic",
    "write_atomic_bytes",
    "write_lane",
]
