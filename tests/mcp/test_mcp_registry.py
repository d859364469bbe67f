"""`manage.py serverjson`: the entry of this service in the MCP registry."""

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from studyservice import __version__
from tests.support.cases import each

pytestmark = pytest.mark.database("sqlite", "output of a command")

SKILLSAW = Path(sys.executable).parent / "skillsaw"


def printed(*arguments: str) -> str:
    stdout = io.StringIO()
    call_command("serverjson", *arguments, stdout=stdout)
    return stdout.getvalue()


def judged(document: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The findings of a linter with the registry's schemas and publishing rules."""
    (folder / "server.json").write_text(document)
    return subprocess.run([SKILLSAW, "lint", str(folder)], capture_output=True, text=True, timeout=60, check=False)


SEMANTIC = __version__.replace(".dev", "-dev.")
"""The version of the package as semver.org writes it, which the registry's linter requires."""


@pytest.fixture
def public(settings: Any) -> Any:
    settings.BASE_URL = "https://study.example.org"
    return settings


def test_it_contains_the_name_and_address_of_the_service(public: Any) -> None:
    assert json.loads(printed()) == {
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": "org.example.study/study-data-service",
        "title": "Study Data Service",
        "description": "A student's own courses, deadlines, grades, practice and flashcards, to read and to change.",
        "version": SEMANTIC,
        "websiteUrl": "https://study.example.org",
        "remotes": [{"type": "streamable-http", "url": "https://study.example.org/mcp"}],
    }


@each("arguments", [(), ("--name", "io.github.somebody/study-data")])
def test_the_registry_would_accept_it(public: Any, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = judged(printed(*arguments), tmp_path)
    assert done.returncode == 0, done.stdout
    assert "mcp-registry" in done.stdout
    assert "Errors:   0" in done.stdout
    assert "Warnings: 0" in done.stdout


@each("wrong", [{"name": "study"}, {"version": "latest"}, {"description": "x" * 101}, {"remotes": [{"type": "http"}]}])
def test_the_linter_finds_errors(public: Any, tmp_path: Path, wrong: dict[str, Any]) -> None:
    assert judged(json.dumps(json.loads(printed()) | wrong), tmp_path).returncode == 1


@pytest.mark.parametrize(
    "origin", ["http://127.0.0.1:8000", "https://localhost", "https://203.0.113.9", "https://[2001:db8::1]:8443"]
)
def test_an_address_that_is_not_public_is_rejected(settings: Any, origin: str) -> None:
    settings.BASE_URL = origin
    with pytest.raises(CommandError, match="on the public internet"):
        printed()


@each("name", ["study", "a/b/c", "org.example/ä", ""])
def test_a_name_in_another_format_is_rejected(public: Any, name: str) -> None:
    with pytest.raises(CommandError, match="namespace/name"):
        printed("--name", name)
