from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from parity.agents import AgentSpec, launch
from parity.agents.doctor import doctor, install_agent
from parity.agents.launch import find_program
from parity.agents.packages import InstallFailed, Package, cache_folder, install, installed
from parity.agents.spec import Setup
from parity.wire import InputError

TOOL = Package(
    kind="npm", package="tool", version="1.2.3", run="node_modules/tool/*/tool", version_args=["-v"]
)

NPM = """#!/bin/sh
# npm as far as an install goes: `npm install --prefix DIR … SPEC`
echo "$@" >> {log}
while [ "$1" != --prefix ]; do shift; done
mkdir -p "$2/node_modules/tool/linux" || exit 1
printf '#!/bin/sh\\n{says}\\n' > "$2/node_modules/tool/linux/tool"
exit {code}
"""


@pytest.fixture
def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a fake npm first on PATH, and a cache folder of its own."""
    monkeypatch.setenv("PARITY_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin")
    (tmp_path / "bin").mkdir()
    _fake_npm(tmp_path)
    return tmp_path


def _fake_npm(folder: Path, says: str = "echo tool 1.2.3", code: int = 0) -> None:
    path = folder / "bin" / "npm"
    path.write_text(NPM.format(log=folder / "log", says=says, code=code), "utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def _agent(**more: object) -> AgentSpec:
    fields = {"name": "tool", "provider": "acp-tool", "binary": "tool", "command": ["${run}", "--acp"]}
    return AgentSpec(**{**fields, "install": TOOL, **more})  # type: ignore[arg-type]


def test_a_package_is_installed_into_the_cache_folder_and_only_once(npm: Path) -> None:
    assert installed(TOOL) is None
    program = install(TOOL, None)
    assert program.is_relative_to(npm / "cache")
    assert installed(TOOL) == program
    assert install(TOOL, None) == program
    assert len((npm / "log").read_text().splitlines()) == 1


def test_no_script_of_a_package_runs_and_nothing_is_global(npm: Path) -> None:
    install(TOOL, None)
    words = (npm / "log").read_text().split()
    assert "--ignore-scripts" in words
    assert not {"-g", "--global"} & set(words)


@pytest.mark.parametrize(
    ("says", "code", "why"),
    [
        ("echo tool 1.2.3", 3, r"npm did not install tool@1\.2\.3 \(exit code 3\)"),
        ("echo tool 1.2.4", 0, r"tool@1\.2\.3 says it is 'tool 1\.2\.4'"),
        ("exit 9", 0, r"tool@1\.2\.3 does not run \(exit code 9\)"),
    ],
)
def test_a_failed_install_says_why_and_leaves_nothing(npm: Path, says: str, code: int, why: str) -> None:
    _fake_npm(npm, says, code)
    with pytest.raises(InstallFailed, match=why):
        install(TOOL, None)
    assert installed(TOOL) is None
    assert not TOOL.folder.exists()


def test_what_a_killed_install_left_is_cleared_by_the_next(npm: Path) -> None:
    (TOOL.folder / "node_modules").mkdir(parents=True)
    (TOOL.folder / "rest").write_text("half")
    assert installed(TOOL) is None
    install(TOOL, None)
    assert not (TOOL.folder / "rest").exists()


def test_without_npm_an_install_is_one_clear_line(npm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(npm / "nowhere"))
    with pytest.raises(InputError, match="npm: not on PATH; install Node with npm"):
        install(TOOL, None)


def test_the_cache_folder_is_the_one_the_environment_names(tmp_path: Path) -> None:
    assert cache_folder({"PARITY_CACHE_DIR": str(tmp_path)}) == tmp_path
    assert cache_folder({}).name == "parity"


def test_a_doctor_names_each_problem_and_what_to_do(npm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = _agent(needs=["rg"], programs={"rg": TOOL})
    assert [str(problem) for problem in doctor(agent, scripted=False)] == [
        "rg (tool@1.2.3) is not installed; run `parity agents install tool`",
        "tool@1.2.3 is not installed; run `parity agents install tool`",
    ]
    install_agent(agent, lambda text: None)
    assert doctor(agent, scripted=False) == []
    program = installed(TOOL)
    assert program is not None
    program.write_text("#!/bin/sh\necho tool 9\n")
    assert "says it is 'tool 9'" in str(doctor(agent, scripted=False)[0])
    monkeypatch.setenv("PATH", str(npm / "nowhere"))
    scripted = _agent(scripted=Setup())
    assert str(doctor(scripted)[0]) == "node is not on PATH; install Node 20 or newer"


def test_a_doctor_finds_a_node_that_is_too_old(npm: Path) -> None:
    node = npm / "bin" / "node"
    node.write_text("#!/bin/sh\necho v18.1.0\n")
    node.chmod(0o755)
    agent = _agent(scripted=Setup())
    assert "node is v18.1.0, too old; install Node 20 or newer" in [str(one) for one in doctor(agent)]


def test_a_command_that_no_package_brings_is_looked_for_on_the_path(npm: Path) -> None:
    agent = _agent(install=None)
    assert [str(one) for one in doctor(agent)] == ["tool is not on PATH; install tool as its maker says"]
    (npm / "bin" / "tool").write_text("#!/bin/sh\n")
    (npm / "bin" / "tool").chmod(0o755)
    assert find_program(agent) == npm / "bin" / "tool"
    assert doctor(agent) == []


def test_a_scripted_agent_gets_a_fresh_home_and_nothing_of_the_users(npm: Path) -> None:
    install(TOOL, None)
    setup = Setup(env={"URL": "${model}/v1"}, files={".tool/c.toml": 'url = "${model}"'}, args=["-m", "x"])
    home, workspace = npm / "home", npm / "workspace"
    home.mkdir()
    environ = {"PATH": "/bin", "SECRET": "s", "HTTPS_PROXY": "p"}
    made = launch(_agent(scripted=setup), home, workspace, "http://127.0.0.1:9", environ)
    assert made.command == [str(installed(TOOL)), "--acp", "-m", "x"]
    assert made.env["URL"] == "http://127.0.0.1:9/v1"
    assert made.env["HOME"] == str(home)
    assert not {"SECRET", "HTTPS_PROXY"} & made.env.keys()
    assert (home / ".tool" / "c.toml").read_text() == 'url = "http://127.0.0.1:9"'


def test_an_agent_of_the_user_keeps_the_users_environment_and_home(npm: Path) -> None:
    install(TOOL, None)
    agent = _agent(setup=Setup(files={"x": "y"}))
    made = launch(agent, npm / "home", npm, None, {"HOME": "/h", "PATH": "/bin"})
    assert made.env["HOME"] == "/h"
    assert not (npm / "home").exists()


def test_an_agent_that_no_model_can_be_given_to_says_so(npm: Path) -> None:
    install(TOOL, None)
    with pytest.raises(InputError, match="cannot be pointed at a scripted model"):
        launch(_agent(), npm, npm, "http://127.0.0.1:9")


def test_an_agent_that_is_not_installed_says_how_to(npm: Path) -> None:
    with pytest.raises(InputError, match="run `parity agents install tool`"):
        launch(_agent(), npm, npm, None)


def test_an_agents_file_stays_below_its_home(npm: Path) -> None:
    install(TOOL, None)
    agent = _agent(scripted=Setup(files={"../x": "y"}))
    with pytest.raises(InputError, match="outside its home"):
        launch(agent, npm / "home", npm, "http://127.0.0.1:9")
