"""The clients of `make clients` are strictly typed and complete a session against a live server.

The sessions are `tests/clients/session.py` and `session.ts`. The scripts on the clients' pages are type-checked, too.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import ROOT
from tests.operations.test_quickstart import blocks
from tests.support import javascript, packages
from tests.support.entry_points import RestEntryPoint

pytestmark = [
    pytest.mark.database("sqlite", "client libraries"),
    pytest.mark.rest,
    pytest.mark.django_db(transaction=True),
]

CACHE = ROOT / ".mypy_cache" / "generated"
COMPILER_OPTIONS = {
    "strict": True,
    "noEmit": True,
    "noUncheckedIndexedAccess": True,
    "target": "es2022",
    "lib": ["es2022", "dom"],
    "types": [],
    "module": "nodenext",
    "verbatimModuleSyntax": True,
}


def _python(directory: Path) -> str:
    """Type-check the package and its users, then run the session. Return its output."""
    site, session = packages.python_site(), javascript.CLIENTS / "session.py"
    settings, page = directory / "mypy.ini", directory / "page.py"
    settings.write_text("[mypy]\nstrict = True\n")
    page.write_text(packages.script("python"))
    options = ("--config-file", str(settings), "--cache-dir", str(CACHE))
    checked = (str(site / "study_data_service_client"), str(session), str(page))
    _printed(sys.executable, "-m", "mypy", *options, *checked, MYPYPATH=str(site))
    for number, recipe in enumerate(blocks("python", "recipes")):
        file = directory / f"recipe{number}.py"
        file.write_text(recipe)
        _printed(sys.executable, "-m", "mypy", *options, str(file), MYPYPATH=str(site))
    return _printed(sys.executable, str(session), PYTHONPATH=str(site))


def _typescript(directory: Path) -> str:
    """The same for TypeScript, including the client of the quick start."""
    shutil.copytree(packages.javascript_site(), directory, symlinks=True, dirs_exist_ok=True)
    shutil.copy(javascript.CLIENTS / "session.ts", directory)
    (directory / "page.ts").write_text(packages.script("typescript"))
    (directory / "quickstart.mts").write_text("\n".join(blocks("ts")))
    (directory / "node.d.ts").write_text("declare const process: { env: Record<string, string | undefined> };")
    files = ["session.ts", "page.ts", "quickstart.mts", "node.d.ts"]
    (directory / "tsconfig.json").write_text(json.dumps({"compilerOptions": COMPILER_OPTIONS, "files": files}))
    compiler = str(javascript.PACKAGES / "typescript" / "bin" / "tsc")
    _printed(javascript.node(), compiler, "--project", str(directory))
    return _printed(javascript.node(), str(directory / "session.ts"))


def _printed(*command: str, **variables: str) -> str:
    """Run a program that must succeed, and return its output."""
    done = subprocess.run(  # our own and locked programs
        command, env=os.environ | variables, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.thorough("other tests use the packages of `make clients`, made by the same generators")
@pytest.mark.parametrize("session", [_python, _typescript], ids=["python", "typescript"])
def test_a_generated_client_completes_a_session(
    live_server: Any,
    owner: RestEntryPoint,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    session: Callable[[Path], str],
) -> None:
    monkeypatch.setenv("STUDY_URL", live_server.url)
    monkeypatch.setenv("STUDY_API_KEY", owner.secret)
    assert json.loads(session(tmp_path)) == {
        "term": "Fall semester",
        "kind": "exam",
        "polled": ["Midterm", "Quiz", "Essay"],
        "done": True,
        "grade": [84.5, "B"],
        "card": "learning",
        "deleted": True,
        "error": "not_found",
    }
