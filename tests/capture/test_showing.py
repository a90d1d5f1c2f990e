from __future__ import annotations

from parity.capture.showing import missing_rows

ROWS = [
    {"kind": "turn", "status": "completed", "children": [
        {"kind": "command", "exitCode": 2, "output": "tick 1\ntick 2\n"},
        {"kind": "fileChange", "changes": [{"path": "/w/a.py", "kind": "update"}]},
    ]},
]  # fmt: skip


def test_a_row_fits_where_it_has_all_that_is_wanted_at_any_depth() -> None:
    wanted = [{"kind": "command", "output": "tick 2"}, {"kind": "fileChange", "changes": [{"path": "a.py"}]}]
    assert missing_rows(wanted, ROWS) == []


def test_what_no_row_has_is_missing() -> None:
    wanted = [{"kind": "command", "exitCode": 0}, {"kind": "fileChange", "changes": [{"path": "b.py"}]}]
    assert missing_rows(wanted, ROWS) == wanted
