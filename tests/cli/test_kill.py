"""A writing command that is killed leaves each file old or new, whole, and the next run works.

`python scripts/kill_writers.py` does the same with 200 moments each.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from parity_runs import ROOT

MOMENTS = 6


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes")
@pytest.mark.parametrize("writer", ["rerecord", "allow", "repin"])
def test_a_killed_writer_leaves_whole_files(writer: str) -> None:
    script = ROOT / "scripts" / "kill_writers.py"
    arguments = ["--writer", writer, "--moments", str(MOMENTS)]
    done = subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{writer}: {MOMENTS} kills" in done.stdout
