"""Node.js and the packages under `tests/clients`."""

import shutil
import subprocess

import pytest

from tests import ROOT

CLIENTS = ROOT / "tests" / "clients"
PACKAGES = CLIENTS / "node_modules"


def node() -> str:
    """Return the Node.js of the installed packages, or the machine's.

    Skips the test on a machine without Node.js. Fails if Node.js exists but the packages are not installed.
    """
    if not PACKAGES.exists():
        if shutil.which("npm") is None:
            pytest.skip("Node.js is not installed")
        pytest.fail("Run `make test`, or `npm ci --ignore-scripts` in tests/clients, to install the test clients")
    for binary in PACKAGES.glob("node-*/bin/node"):
        return str(binary)
    found = shutil.which("node")
    assert found is not None
    return found


def run(*arguments: str, given: str = "", timeout: float = 120) -> subprocess.CompletedProcess[str]:
    """Run a script, or a file of a package, with Node.js."""
    return subprocess.run(  # our own scripts and pinned packages
        [node(), *arguments], input=given, capture_output=True, text=True, cwd=CLIENTS, timeout=timeout, check=False
    )
