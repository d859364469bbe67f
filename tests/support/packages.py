"""The clients of `make clients`, built once per run and installed like users do."""

import fcntl
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import javascript, run
from tools.clients.packages import HERE, build_python, build_typescript


def python_site() -> Path:
    """A directory for PYTHONPATH with the installed Python client."""
    return _once("python", _install_python)


def javascript_site() -> Path:
    """A directory with the TypeScript client in its `node_modules`. Skips the test on a machine without Node.js."""
    javascript.node()
    return _once("typescript", _install_typescript)


def script(language: str) -> str:
    """The only script on the page of a client."""
    page = (HERE / language / "README.md").read_text(encoding="utf-8")
    [found] = re.findall(r"^```\w+\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return str(found)


def _once(name: str, make: Callable[[Path], None]) -> Path:
    """Return the directory that `make` fills, once per run. Other workers wait for the first."""
    directory = Path(os.environ[run.DIRECTORY]) / "clients" / name
    directory.parent.mkdir(exist_ok=True)
    with directory.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not directory.exists():
            made = directory.with_suffix(".making")
            shutil.rmtree(made, ignore_errors=True)
            made.mkdir()
            make(made)
            made.rename(directory)
    return directory


def _install_python(directory: Path) -> None:
    build_python(directory / "project")
    options = ("--offline", "--no-deps", "--no-build-isolation", "--python", sys.executable, "--target", str(directory))
    _run(sys.executable, "-m", "uv", "pip", "install", "--quiet", *options, str(directory / "project"))


def _install_typescript(directory: Path) -> None:
    build_typescript(directory / "project", javascript.node())
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    _run(npm, "pack", "--silent", "--offline", "--pack-destination", str(directory), str(directory / "project"))
    [packed] = directory.glob("*.tgz")
    modules = directory / "node_modules"
    modules.mkdir()
    _run("tar", "-xzf", str(packed), "-C", str(directory))
    (directory / "package").rename(modules / "study-data-service-client")
    (modules / "openapi-fetch").symlink_to(javascript.PACKAGES / "openapi-fetch")
    (directory / "package.json").write_text('{"type": "module"}')


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
