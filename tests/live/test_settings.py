"""`[tool.parity.providers]`: how an external bridge is named, and each mistake in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from parity.gates.settings import load_settings
from parity.wire import InputError


def project(folder: Path, table: str) -> Path:
    (folder / "pyproject.toml").write_text(f"[tool.parity]\n{table}\n", "utf-8")
    return folder


def test_a_bridge_is_read_with_its_folder_and_defaults(tmp_path: Path) -> None:
    project(tmp_path, '[tool.parity.providers."acp-x.1"]\nbridge = ["node", "b.js"]')
    bridge = load_settings(tmp_path).providers["acp-x.1"]
    assert (bridge.bridge, bridge.folder, bridge.env, bridge.timeout) == (
        ["node", "b.js"],
        tmp_path,
        {},
        10.0,
    )


def test_the_table_beside_the_recordings_counts_too(tmp_path: Path) -> None:
    project(tmp_path, '[tool.parity.providers.x]\nbridge = ["b"]\nenv = {A = "1"}\ntimeout = 3')
    settings = load_settings(Path("/"), recordings=tmp_path / "recordings", environ={})
    assert settings.providers["x"].env == {"A": "1"}
    assert settings.providers["x"].timeout == 3.0


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("providers = 3", "no table"),
        ("[tool.parity.providers]\nx = 3", "no table"),
        ("[tool.parity.providers.x]", "bridge must be a list"),
        ('[tool.parity.providers.x]\nbridge = "node b.js"', "bridge must be a list"),
        ("[tool.parity.providers.x]\nbridge = []", "bridge must be a list"),
        ('[tool.parity.providers.x]\nbridge = ["b"]\nenv = {A = 1}', "env must be"),
        ('[tool.parity.providers.x]\nbridge = ["b"]\ntimeout = 0', "timeout must be"),
        ('[tool.parity.providers.x]\nbridge = ["b"]\ntimeout = true', "timeout must be"),
        ('[tool.parity.providers.x]\nbridge = ["b"]\nbrigde = ["b"]', "no key 'brigde'"),
        ('[tool.parity.providers."../x"]\nbridge = ["b"]', "no provider"),
    ],
)
def test_a_mistake_is_one_line(tmp_path: Path, table: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        load_settings(project(tmp_path, table))
