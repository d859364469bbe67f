"""Clients generated from /openapi.json compile strictly and complete a session against a live server.

Generated code goes to a temporary directory; the sessions are `tests/clients/session.py` and `session.ts`.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import ROOT
from tests.operations.test_quickstart import blocks
from tests.support import javascript
from tests.support.doors import RestDoor

pytestmark = [pytest.mark.once("client libraries"), pytest.mark.rest, pytest.mark.django_db(transaction=True)]

BIN = Path(sys.executable).parent
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
    "skipLibCheck": True,
}
GENERATED_MYPY = """
[mypy]
strict = True
# The generator's own client, which passes its arguments on untyped.
[mypy-study_client.client]
ignore_errors = True
# And its reading of a file, which it takes from the text of the answer where that is text.
[mypy-study_client.api.vocabulary.export_vocab_deck]
ignore_errors = True
"""


def _python(url: str, directory: Path) -> subprocess.CompletedProcess[str]:
    """Generate, check the session's types against what was generated, run it."""
    package = directory / "study_client"
    _run("openapi-python-client", "generate", "--url", url, "--meta", "none", "--output-path", str(package))
    settings = directory / "mypy.ini"
    settings.write_text(GENERATED_MYPY)
    session = str(javascript.CLIENTS / "session.py")
    options = ("--config-file", str(settings), "--cache-dir", str(CACHE))
    _run("mypy", *options, str(package), session, MYPYPATH=str(directory))
    return _run("python", session, PYTHONPATH=str(directory))


KNOWN = {"Unsupported content type text/calendar"}
"""The Python generator takes the form of a calendar file, and warns that it leaves out the bare file beside it."""


def _run(program: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a program of the virtual environment, which must succeed without a warning."""
    environment = os.environ | variables | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(  # our own and locked programs
        [BIN / program, *arguments], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    said = done.stdout + done.stderr
    warnings = set(re.findall(r"^(?:WARNING|ERROR) .*\n\n(.*)$", said, re.MULTILINE))
    assert warnings <= KNOWN, said
    assert warnings or "Warning" not in said
    return done


def _typescript(url: str, directory: Path) -> subprocess.CompletedProcess[str]:
    """As above; the quick start's client is compiled beside it."""
    schema, settings = directory / "schema.ts", directory / "tsconfig.json"
    generator = "node_modules/openapi-typescript/bin/cli.js"
    _succeeds(javascript.run(generator, url, "--default-non-nullable", "false", "--output", str(schema)))
    options = COMPILER_OPTIONS | {"paths": {"study-data-service": [str(schema)]}}
    quickstart, node = directory / "quickstart.mts", directory / "node.d.ts"
    quickstart.write_text("\n".join(blocks("ts")))
    node.write_text("declare const process: { env: Record<string, string | undefined> };")
    files = [javascript.CLIENTS / "session.ts", schema, quickstart, node]
    settings.write_text(json.dumps({"compilerOptions": options, "files": [str(file) for file in files]}))
    _succeeds(javascript.run("node_modules/typescript/bin/tsc", "--project", str(settings)))
    return _succeeds(javascript.run("session.ts"))


def _succeeds(done: subprocess.CompletedProcess[str]) -> subprocess.CompletedProcess[str]:
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.mark.parametrize("session", [_python, _typescript], ids=["python", "typescript"])
def test_a_generated_client_completes_a_session(
    live_server: Any,
    owner: RestDoor,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    session: Callable[[str, Path], subprocess.CompletedProcess[str]],
) -> None:
    monkeypatch.setenv("STUDY_URL", live_server.url)
    monkeypatch.setenv("STUDY_API_KEY", owner.secret)
    done = session(f"{live_server.url}/openapi.json", tmp_path)
    assert json.loads(done.stdout) == {
        "term": "Fall semester",
        "kinds": ["exam", "seminar"],
        "polled": ["Midterm", "Quiz", "Essay"],
        "done": True,
        "grade": [84.5, "B"],
        "card": "learning",
        "deleted": True,
        "error": "not_found",
    }
