"""The worker uses only public names of gunicorn."""

import ast
import tomllib
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest
from gunicorn.asgi.protocol import ASGIProtocol
from gunicorn.workers.gasgi import ASGIWorker

from studyservice.server.application import Worker
from studyservice.server.guard import Guard
from tests import ROOT

pytestmark = pytest.mark.database("sqlite", "gunicorn's names")


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "gunicorn":
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.partition(".")[0] == "gunicorn")


def test_only_the_worker_is_imported_from_gunicorn() -> None:
    found = {name for path in (ROOT / "studyservice").rglob("*.py") for name in _imported(path)}
    assert found == {"gunicorn.workers.gasgi.ASGIWorker"}


def test_no_internals_of_gunicorn_are_used_or_overridden() -> None:
    """A guard wraps gunicorn's protocol, and calls only methods of every asyncio protocol."""
    used = {
        node.attr
        for name in ("guard", "application")
        for node in ast.walk(ast.parse((ROOT / "studyservice" / "server" / f"{name}.py").read_text()))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    }
    inside = {name for name in dir(ASGIWorker) if name.startswith("_") and not name.startswith("__")}
    assert used & inside == set()
    assert set(vars(Worker)) & inside == set()
    assert not issubclass(Guard, ASGIProtocol)


def test_gunicorn_is_pinned_to_the_tested_version() -> None:
    """A range would let an installation without the lock files choose an untested version."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert [one for one in declared if one.startswith("gunicorn")] == [f"gunicorn=={version('gunicorn')}"]
