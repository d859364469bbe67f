"""Links, paths and names in the docs exist."""

import os
import re
from itertools import chain
from pathlib import Path

import pytest

from studyservice.guides.catalog import INDEXES, SECTIONS
from tests import ROOT
from tests.support.cases import each
from tests.support.entry_points import document

pytestmark = pytest.mark.database("sqlite", "reads pages of the docs")

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
NOT_YET = {"planning/notes.py", "tests/operations/test_get_milestone.py", "tests/test_x.py"}
"""Names in examples."""

_LINK = re.compile(r"\]\((?!https?:)([^)#]+)")
_OPERATION = re.compile(r"\b(?:get|list|create|update|delete|add|set|review|import|export|undo)_[a-z_]+\b")
_PATH = re.compile(r"`(\w[\w.-]*/(?:[\w.-]+/)*[\w-]+\.\w{2,4}|\.ci/run)`")


@each("page", PAGES)
def test_everything_named_in_a_page_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    linked = {link for link in _LINK.findall(text) if not (page.parent / link).exists()}
    named = {path for path in _PATH.findall(text) if not (ROOT / path).exists()}
    assert linked | named - NOT_YET == set()


def test_every_guide_is_in_the_index_of_the_docs() -> None:
    """Under the heading of its readers. The README links that index."""
    text = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    parts = [_LINK.findall(part) for part in text.split("\n## ")[1:]]
    listed = [
        [
            os.path.relpath(guide.source, "docs")
            for section in SECTIONS
            if section.index_slug == index.slug
            for guide in section.guides
        ]
        for index in INDEXES
    ]
    assert parts == listed
    assert "docs/README.md" in _LINK.findall((ROOT / "README.md").read_text(encoding="utf-8"))


def test_the_readme_fits_one_screen() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len([line for line in lines if line]) <= 40


def test_every_operation_named_in_a_guide_exists() -> None:
    """Except methods of libraries, and the example of a new operation."""
    there = {operation["operationId"] for methods in document()["paths"].values() for operation in methods.values()}
    named = {
        (page.name, name)
        for page in PAGES
        if page.name not in {"toolkit.md", "architecture.md", "conformance.md"}
        for name in _OPERATION.findall(page.read_text(encoding="utf-8"))
    }
    assert len(named) > 50
    assert {(page, name) for page, name in named if name not in there} == set()


def test_every_test_named_for_a_threat_exists() -> None:
    named = set(re.findall(r"`(test_\w+)`", (ROOT / "docs" / "security.md").read_text(encoding="utf-8")))
    files = chain((ROOT / "tests").glob("*/test_*.py"), (ROOT / "tests").glob("*/*/test_*.py"))
    there = {name for file in files for name in re.findall(r"def (test_\w+)", file.read_text(encoding="utf-8"))}
    assert named - there == set()
