"""Packages in the cache folder: npm packages and private Python environments, each whole or not there.

A package lies in `<cache>/packages/<name>-<version>/` and counts as installed once its mark is written, last
of all; what a broken or killed install left has no mark and is cleared by the next. Nothing is installed
globally, no install script of a package runs, and only the ordinary clients (npm, pip) fetch anything.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

import platformdirs
from filelock import FileLock, Timeout
from msgspec import Struct

from parity.agents.template import UnknownName, fill
from parity.wire import InputError
from parity.wire.errors import unwritable

CACHE_DIR = "PARITY_CACHE_DIR"
"""The environment variable that names the cache folder."""

INSTALL_SECONDS = 900
_VERSION_SECONDS = 60
_LOCK_SECONDS = 1200
_MARK = "installed"
_ARCHITECTURES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}


class Package(Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """One pinned package. `${platform}` (as npm writes it, `linux-x64`) may stand in its texts."""

    kind: Literal["npm", "pypi"]
    package: str
    version: str
    run: str
    """The file to run, below the package's folder; `*` stands for any one folder."""
    version_args: list[str] | None = None
    """What makes `run` print its version, where it can."""
    node: int | None = None
    """`run` is a script of Node of this major version or newer."""
    brotli: str | None = None
    """The file that `run` is unpacked from, where the package ships it compressed."""

    @property
    def name(self) -> str:
        """The package's own name on this platform."""
        return _here(self.package)

    @property
    def spec(self) -> str:
        """The package as its client takes it, `name@version` or `name==version`."""
        return f"{self.name}{'@' if self.kind == 'npm' else '=='}{self.version}"

    @property
    def folder(self) -> Path:
        """Where it is, or would be, installed."""
        plain = re.sub(r"[^A-Za-z0-9.]+", "-", self.name).strip("-")
        return cache_folder() / "packages" / f"{plain}-{self.version}"


class InstallFailed(Exception):
    """An install did not come to its end; the text is one line, `tail` the end of what the client wrote."""

    def __init__(self, what: str, tail: str = "") -> None:
        super().__init__(what)
        self.tail = tail


def cache_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """The folder of all that is installed: `PARITY_CACHE_DIR`, else the platform's cache folder."""
    named = environ.get(CACHE_DIR)
    return Path(named).absolute() if named else platformdirs.user_cache_path("parity")


def installed(package: Package) -> Path | None:
    """The file to run of an installed package; None where it is not installed."""
    return _program(package) if (package.folder / _MARK).is_file() else None


def install(package: Package, node: Path | None, say: Callable[[str], None] = lambda text: None) -> Path:
    """Install a package, or find it installed; the file to run.

    `node` runs it for the check of its version, where it is a script. Raises InputError where a client or
    the cache folder is missing, InstallFailed where the install fails or the version is another.
    """
    folder = package.folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(folder.parent, error) from error
    try:
        with FileLock(f"{folder}.lock", timeout=_LOCK_SECONDS):
            found = installed(package)
            if found is not None:
                return found
            say(f"installing {package.spec}")
            return _install(package, node)
    except Timeout:
        fix = "wait for the other install, or remove the lock file"
        raise InputError(f"{folder}.lock", None, "held by another install", fix) from None


def _install(package: Package, node: Path | None) -> Path:
    folder = package.folder
    try:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        if package.kind == "npm":
            _npm(package)
        else:
            _pip(package)
        if package.brotli is not None:
            _unpack(package, package.brotli)
        program = _program(package)
        if program is None:
            run = _here(package.run)
            raise InstallFailed(f"{package.spec} has no file {run}; is this platform served?")
        program.chmod(program.stat().st_mode | 0o111)
        told = version_of(package, program, node)
        if told is not None and package.version not in told:
            raise InstallFailed(f"{package.spec} says it is {told!r}")
        (folder / _MARK).write_text(f"{package.spec}\n", "utf-8")
        return program
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def version_of(package: Package, program: Path, node: Path | None) -> str | None:
    """What the program prints of its version, on one line; None where it has no way to.

    Raises InstallFailed where it does not run.
    """
    if package.version_args is None:
        return None
    words = [*([str(node)] if package.node is not None and node is not None else []), str(program)]
    with tempfile.TemporaryDirectory(prefix="parity-") as home:
        env = {"PATH": os.environ.get("PATH", os.defpath), "HOME": home}
        if node is not None:
            env["PATH"] = f"{node.parent}{os.pathsep}{env['PATH']}"
        try:
            done = subprocess.run(
                [*words, *package.version_args],
                env=env, cwd=home, stdin=subprocess.DEVNULL, capture_output=True,
                timeout=_VERSION_SECONDS, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise InstallFailed(f"{package.spec} does not print its version in time") from None
        except OSError as error:
            raise InstallFailed(f"{package.spec} does not run: {error.strerror}") from None
    text = " ".join((done.stdout or done.stderr).decode("utf-8", "replace").split())
    if done.returncode != 0:
        raise InstallFailed(f"{package.spec} does not run (exit code {done.returncode})", text[-400:])
    return text[-200:]


def _npm(package: Package) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise InputError("npm", None, "not on PATH", "install Node with npm")
    words = [npm, "install", "--prefix", str(package.folder), "--no-audit", "--no-fund", "--no-save"]
    _run([*words, "--ignore-scripts", "--omit=dev", "--loglevel=error", package.spec], package)


def _pip(package: Package) -> None:
    _run([sys.executable, "-m", "venv", str(package.folder)], package)
    python = package.folder / "bin" / "python"
    words = [str(python), "-m", "pip", "install", "--disable-pip-version-check", "--quiet"]
    _run([*words, package.spec], package)


def _run(words: list[str], package: Package) -> None:
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    try:
        done = subprocess.run(
            words, env=env, cwd=package.folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=INSTALL_SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise InstallFailed(f"{package.spec} is not installed after {INSTALL_SECONDS} s") from None
    if done.returncode != 0:
        tail = done.stdout.decode("utf-8", "replace").strip()[-1500:]
        client = Path(words[0]).name
        raise InstallFailed(f"{client} did not install {package.spec} (exit code {done.returncode})", tail)


def _unpack(package: Package, compressed: str) -> None:
    """Python has no brotli of its own; Node has."""
    node = shutil.which("node")
    if node is None:
        raise InputError("node", None, "not on PATH", "install Node")
    script = (
        "const [, from, to] = process.argv, fs = require('fs');"
        "fs.writeFileSync(to, require('zlib').brotliDecompressSync(fs.readFileSync(from)))"
    )
    _run([node, "-e", script, _here(compressed), _here(package.run)], package)


def _here(text: str) -> str:
    return str(fill(text, _platform()))


def _program(package: Package) -> Path | None:
    found = sorted(package.folder.glob(_here(package.run)))
    return found[0] if found and found[0].is_file() else None


def _platform() -> dict[str, str]:
    machine = platform.machine().lower()
    return {"platform": f"{sys.platform}-{_ARCHITECTURES.get(machine, machine)}"}


def check_texts(package: Package) -> str | None:
    """The name in the package's texts that nothing is known of, or None."""
    try:
        fill([package.package, package.run, package.brotli], _platform())
    except UnknownName as error:
        return str(error.args[0])
    return None
